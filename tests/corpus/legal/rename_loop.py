"""Legal steps of `rename_loop`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import rename_loop

CASES = [
    Legal(
        "rename_loop",
        "a_nest",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, i + 1):
                x[i, j] = f32(i)
        """,
        lambda p: rename_loop(p, "i", "row"),
        """
        for row in seq(0, n):
            for j in seq(0, row + 1):
                x[row, j] = f32(row)
        """,
    ),
    Legal(
        "rename_loop",
        "a_buffer_and_a_window_whose_shape_depends_on_it",
        "n: size, x: f32[n + 1]",
        """
        for i in par(0, n):
            t: f32[i + 1]
            w = x[i:i + 2]
            t[i] = w[0]
            x[i] = t[i]
        """,
        lambda p: rename_loop(p, p.find("for _ in par(0, _): _"), "k"),
        """
        for k in par(0, n):
            t: f32[k + 1]
            w = x[k:k + 2]
            t[k] = w[0]
            x[k] = t[k]
        """,
    ),
    Legal(
        "rename_loop",
        "the_second_of_two",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        for i in seq(0, n):
            x[i] += 1.0
        """,
        lambda p: rename_loop(p, "i #1", "j"),
        """
        for i in seq(0, n):
            x[i] = 1.0
        for j in seq(0, n):
            x[j] += 1.0
        """,
    ),
    Legal(
        "rename_loop",
        "a_name_that_is_in_use",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                x[i, j] = f32(n)
        """,
        lambda p: rename_loop(rename_loop(p, "i", "j"), "j #1", "n"),
    ),
]
