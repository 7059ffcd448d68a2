"""Legal steps of `divide_dim`."""

from __future__ import annotations

from tests.corpus.callees import COPY4, TABLE, TABLE_ARGS
from tests.corpus.case import Legal
from usl_core.scheduling import divide_dim

CASES = [
    Legal(
        "divide_dim",
        "rows_into_pairs",
        TABLE_ARGS,
        TABLE,
        lambda p: divide_dim(p, "t", 0, 2),
        """
        t: f32[4, 2, 4]
        for i in seq(0, 8):
            for j in seq(0, 4):
                t[i / 2, i % 2, j] = x[i, j]
        for i in seq(0, 8):
            for j in seq(0, 4):
                y[i, j] = t[i / 2, i % 2, j] + t[i / 2, i % 2, 3 - j]
        """,
    ),
    Legal("divide_dim", "columns", TABLE_ARGS, TABLE, lambda p: divide_dim(p, "t", 1, 4)),
    Legal(
        "divide_dim",
        "with_windows_inside_of_a_tile",
        "x: f32[8], y: f32[8]",
        """
        t: f32[8]
        for i in seq(0, 2):
            copy4(t[4 * i:4 * i + 4], x[4 * i:4 * i + 4])
        for i in seq(0, 8):
            y[i] = t[i]
        """,
        lambda p, c: divide_dim(p, "t", 0, 4),
        """
        t: f32[2, 4]
        for i in seq(0, 2):
            copy4(t[i, 0:4], x[4 * i:4 * i + 4])
        for i in seq(0, 8):
            y[i] = t[i / 4, i % 4]
        """,
        callees=(COPY4,),
    ),
    Legal(
        "divide_dim",
        "an_extent_with_a_size",
        "n: size, x: f32[4 * n], y: f32[4 * n]",
        """
        t: f32[4 * n]
        for i in seq(0, 4 * n):
            t[i] = x[i]
        for i in seq(0, 4 * n):
            y[i] = t[4 * n - 1 - i]
        """,
        lambda p: divide_dim(p, "t", 0, 4),
    ),
    Legal(
        "divide_dim",
        "with_padding",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[2, n]
        for i in seq(0, n):
            t[1, i] = x[i]
        for i in seq(0, n):
            y[i] = t[1, n - 1 - i]
        """,
        lambda p: divide_dim(p, "t", 1, 4, pad=True),
    ),
    Legal(
        "divide_dim",
        "padding_that_is_none",
        "n: size, x: f32[8 * n]",
        """
        t: f32[8 * n]
        for i in seq(0, 8 * n):
            t[i] = 1.0
        for i in seq(0, 8 * n):
            x[i] = t[i]
        """,
        lambda p: divide_dim(p, "t", 0, 4, pad=True),
    ),
]
