"""Legal steps of `resize_dim`."""

from __future__ import annotations

from tests.corpus.callees import TABLE, TABLE_ARGS
from tests.corpus.case import Legal
from usl_core.scheduling import resize_dim

CASES = [
    Legal(
        "resize_dim",
        "to_what_is_used",
        "n: size, x: f32[n + 8], y: f32[4]",
        """
        t: f32[n + 8]
        for i in seq(0, 4):
            t[n + i] = x[n + i]
        for i in seq(0, 4):
            y[i] = t[n + i]
        """,
        lambda p: resize_dim(p, "t", 0, 4, "n"),
        """
        t: f32[4]
        for i in seq(0, 4):
            t[i] = x[n + i]
        for i in seq(0, 4):
            y[i] = t[i]
        """,
    ),
    Legal(
        "resize_dim",
        "larger",
        TABLE_ARGS,
        TABLE,
        lambda p: resize_dim(p, "t", 1, 8, 0),
        """
        t: f32[8, 8]
        for i in seq(0, 8):
            for j in seq(0, 4):
                t[i, j] = x[i, j]
        for i in seq(0, 8):
            for j in seq(0, 4):
                y[i, j] = t[i, j] + t[i, 3 - j]
        """,
    ),
    Legal(
        "resize_dim",
        "two_lines_of_a_stencil",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        t: f32[n + 1]
        t[0] = x[0]
        for i in seq(0, n):
            t[i + 1] = x[i + 1]
            y[i] = t[i] + t[i + 1]
        """,
        lambda p: resize_dim(p, "t", 0, 2, 0, fold=True),
        """
        t: f32[2]
        t[0] = x[0]
        for i in seq(0, n):
            t[(i + 1) % 2] = x[i + 1]
            y[i] = t[i % 2] + t[(i + 1) % 2]
        """,
    ),
    Legal(
        "resize_dim",
        "a_circular_buffer_with_room_to_spare",
        "n: size, x: f32[n + 2], y: f32[n]",
        """
        t: f32[n + 2]
        for i in seq(0, 2):
            t[i] = x[i]
        for i in seq(0, n):
            t[i + 2] = x[i + 2]
            y[i] = t[i] + t[i + 1] + t[i + 2]
        """,
        lambda p: resize_dim(p, "t", 0, 4, 0, fold=True),
    ),
    Legal(
        "resize_dim",
        "fold_to_the_rows_that_are_alive",
        "n: size, x: f32[n + 1, 4], y: f32[n, 4]",
        """
        t: f32[n + 1, 4]
        for j in seq(0, 4):
            t[0, j] = x[0, j]
        for i in seq(0, n):
            for j in seq(0, 4):
                t[i + 1, j] = x[i + 1, j]
            for j in seq(0, 4):
                y[i, j] = t[i, j] + t[i + 1, 3 - j]
        """,
        lambda p: resize_dim(p, "t", 0, 2, 0, fold=True),
        """
        t: f32[2, 4]
        for j in seq(0, 4):
            t[0, j] = x[0, j]
        for i in seq(0, n):
            for j in seq(0, 4):
                t[(i + 1) % 2, j] = x[i + 1, j]
            for j in seq(0, 4):
                y[i, j] = t[i % 2, j] + t[(i + 1) % 2, 3 - j]
        """,
    ),
]
