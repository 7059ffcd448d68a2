"""Illegal steps of `shift_loop`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse
from usl_core.scheduling import shift_loop

CASES = [
    Illegal(
        "shift_loop",
        "below_zero",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: shift_loop(p, "i", -1),
        "E412",
        "cannot prove that the new start -1 is at least 0",
        Misuse("loops start at 0 or later"),
    ),
    Illegal(
        "shift_loop",
        "below_zero_for_small_sizes",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: shift_loop(p, "i", "n - 2"),
        "E412",
        "cannot prove that the new start n - 2 is at least 0",
        Misuse("loops start at 0 or later"),
    ),
    Illegal(
        "shift_loop",
        "to_an_iterator_of_its_own_body",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                x[i, j] = 1.0
        """,
        lambda p: shift_loop(p, "i", "j"),
        "E200",
        "j",
        Malformed(
            """
            for i in seq(j, j + n):
                for j in seq(0, n):
                    x[i - j, j] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "shift_loop",
        "to_an_iterator_of_another_loop",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        for k in seq(0, n):
            x[k] += 1.0
        """,
        lambda p: shift_loop(p, "k", "i"),
        "E200",
        "i",
        Malformed(
            """
            for i in seq(0, n):
                x[i] = 1.0
            for k in seq(i, i + n):
                x[k - i] += 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "shift_loop",
        "to_data",
        "n: size, k: i32, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: shift_loop(p, "i", "idx(k, 0, 4)"),
        "E200",
        "idx",
        Malformed(
            """
            for i in seq(idx(k, 0, 4), idx(k, 0, 4) + n):
                x[i - idx(k, 0, 4)] = 1.0
            """,
            "E200",
        ),
    ),
]
