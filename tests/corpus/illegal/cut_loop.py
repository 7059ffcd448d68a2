"""Illegal steps of `cut_loop`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Wrong
from usl_core.scheduling import cut_loop

CASES = [
    Illegal(
        "cut_loop",
        "behind_the_end",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: cut_loop(p, "i", 5),
        "E412",
        "cannot prove 0 <= 5 <= n",
        Wrong("""
        for i in seq(0, 5):
            x[i] = 1.0
        for i in seq(5, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "cut_loop",
        "before_the_start",
        "n: size, x: f32[n]",
        """
        assert n >= 2
        for i in seq(2, n):
            x[i] = 1.0
        """,
        lambda p: cut_loop(p, "i", 1),
        "E412",
        "cannot prove 2 <= 1 <= n",
        Wrong("""
        for i in seq(2, 1):
            x[i] = 1.0
        for i in seq(1, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "cut_loop",
        "negative_for_small_sizes",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: cut_loop(p, "i", "n - 3"),
        "E412",
        "cannot prove 0 <= n - 3 <= n",
        Wrong("""
        for i in seq(0, n - 3):
            x[i] = 1.0
        for i in seq(n - 3, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "cut_loop",
        "half_plus_two_of_a_short_loop",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] += 1.0
        """,
        lambda p: cut_loop(p, "i", "n / 2 + 2"),
        "E412",
        "cannot prove",
        Wrong("""
        for i in seq(0, n / 2 + 2):
            x[i] += 1.0
        for i in seq(n / 2 + 2, n):
            x[i] += 1.0
        """),
    ),
    Illegal(
        "cut_loop",
        "a_negative_quotient_rounds_down",
        "m: size, n: size, x: f32[n]",
        """
        assert m <= n
        for i in seq(0, n):
            x[i] = 1.0
        """,
        # Rounding towards zero, as C does, would give 0 for m = 1.
        lambda p: cut_loop(p, "i", "(m - 6) / 4 + 1"),
        "E412",
        "cannot prove",
        Wrong("""
        for i in seq(0, (m - 6) / 4 + 1):
            x[i] = 1.0
        for i in seq((m - 6) / 4 + 1, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "cut_loop",
        "at_another_size",
        "m: size, n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: cut_loop(p, "i", "m"),
        "E412",
        "cannot prove 0 <= m <= n",
        Wrong("""
        for i in seq(0, m):
            x[i] = 1.0
        for i in seq(m, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "cut_loop",
        "at_an_iterator_of_its_own_body",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                x[i, j] = 1.0
        """,
        lambda p: cut_loop(p, "i", "j"),
        "E200",
        "j",
        Malformed(
            """
            for i in seq(0, j):
                for j in seq(0, n):
                    x[i, j] = 1.0
            for i in seq(j, n):
                for j in seq(0, n):
                    x[i, j] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "cut_loop",
        "in_a_triangle_where_the_row_is_short",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, i):
                x[i, j] = 1.0
        """,
        lambda p: cut_loop(p, "j", 1),
        "E412",
        "cannot prove 0 <= 1 <= i",
        Wrong("""
        for i in seq(0, n):
            for j in seq(0, 1):
                x[i, j] = 1.0
            for j in seq(1, i):
                x[i, j] = 1.0
        """),
    ),
]
