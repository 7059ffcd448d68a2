"""Legal steps of `mult_dim`."""

from __future__ import annotations

from tests.corpus.callees import COPY4, TABLE, TABLE_ARGS
from tests.corpus.case import Legal
from usl_core.scheduling import divide_dim, mult_dim

CASES = [
    Legal(
        "mult_dim",
        "rows_and_columns",
        TABLE_ARGS,
        TABLE,
        lambda p: mult_dim(p, "t", 0, 1),
        """
        t: f32[32]
        for i in seq(0, 8):
            for j in seq(0, 4):
                t[4 * i + j] = x[i, j]
        for i in seq(0, 8):
            for j in seq(0, 4):
                y[i, j] = t[4 * i + j] + t[4 * i - j + 3]
        """,
    ),
    Legal(
        "mult_dim",
        "columns_and_rows",
        TABLE_ARGS,
        TABLE,
        lambda p: mult_dim(p, "t", 1, 0),
        """
        t: f32[32]
        for i in seq(0, 8):
            for j in seq(0, 4):
                t[8 * j + i] = x[i, j]
        for i in seq(0, 8):
            for j in seq(0, 4):
                y[i, j] = t[8 * j + i] + t[i - 8 * j + 24]
        """,
    ),
    Legal(
        "mult_dim",
        "with_windows_of_the_inner_dimension",
        "x: f32[2, 4], y: f32[2, 4]",
        """
        t: f32[2, 4]
        for i in seq(0, 2):
            copy4(t[i, 0:4], x[i, 0:4])
        for i in seq(0, 2):
            copy4(y[i, 0:4], t[i, 0:4])
        """,
        lambda p, c: mult_dim(p, "t", 0, 1),
        """
        t: f32[8]
        for i in seq(0, 2):
            copy4(t[4 * i:4 * i + 4], x[i, 0:4])
        for i in seq(0, 2):
            copy4(y[i, 0:4], t[4 * i:4 * i + 4])
        """,
        callees=(COPY4,),
    ),
    Legal("mult_dim", "back_from_divide_dim", TABLE_ARGS, TABLE, lambda p: mult_dim(divide_dim(p, "t", 0, 2), "t", 0, 1)),
]
