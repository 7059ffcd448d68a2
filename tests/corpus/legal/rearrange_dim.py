"""Legal steps of `rearrange_dim`."""

from __future__ import annotations

from tests.corpus.callees import COPY4, TABLE, TABLE_ARGS
from tests.corpus.case import Legal
from usl_core.scheduling import rearrange_dim

UNIT = """
def unit(dst: [f32][4], v: f32):
    assert stride(dst, 0) == 1
    for k in seq(0, 4):
        dst[k] = v
"""


CASES = [
    Legal(
        "rearrange_dim",
        "transposed",
        TABLE_ARGS,
        TABLE,
        lambda p: rearrange_dim(p, "t", [1, 0]),
        """
        t: f32[4, 8]
        for i in seq(0, 8):
            for j in seq(0, 4):
                t[j, i] = x[i, j]
        for i in seq(0, 8):
            for j in seq(0, 4):
                y[i, j] = t[j, i] + t[3 - j, i]
        """,
    ),
    Legal(
        "rearrange_dim",
        "not_at_all",
        TABLE_ARGS,
        TABLE,
        lambda p: rearrange_dim(p, "t", [0, 1]),
        """
        t: f32[8, 4]
        for i in seq(0, 8):
            for j in seq(0, 4):
                t[i, j] = x[i, j]
        for i in seq(0, 8):
            for j in seq(0, 4):
                y[i, j] = t[i, j] + t[i, 3 - j]
        """,
    ),
    Legal(
        "rearrange_dim",
        "three_dimensions_with_a_window_of_one",
        "x: f32[4], y: f32[4]",
        """
        t: f32[2, 3, 4]
        copy4(t[1, 2, 0:4], x[0:4])
        copy4(y[0:4], t[1, 2, 0:4])
        """,
        lambda p, c: rearrange_dim(p, "t", [2, 0, 1]),
        """
        t: f32[4, 2, 3]
        copy4(t[0:4, 1, 2], x[0:4])
        copy4(y[0:4], t[0:4, 1, 2])
        """,
        callees=(COPY4,),
    ),
    Legal(
        "rearrange_dim",
        "so_that_an_instruction_keeps_unit_stride",
        "v: f32, y: f32",
        """
        t: f32[2, 3, 4]
        unit(t[1, 2, 0:4], v)
        y = t[1, 2, 3]
        """,
        lambda p, c: rearrange_dim(p, "t", [1, 0, 2]),
        """
        t: f32[3, 2, 4]
        unit(t[2, 1, 0:4], v)
        y = t[2, 1, 3]
        """,
        callees=(UNIT,),
    ),
]
