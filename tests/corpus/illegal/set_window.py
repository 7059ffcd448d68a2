"""Illegal steps of `set_window`."""

from __future__ import annotations

from tests.corpus.callees import DENSE
from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
from usl_core.scheduling import set_window

UNIT = """
def unit(dst: [f32][4], v: f32):
    assert stride(dst, 0) == 1
    for k in seq(0, 4):
        dst[k] = v
"""


CASES = [
    Illegal(
        "set_window",
        "a_callee_wants_a_dense_buffer",
        "x: f32[4], v: f32",
        "dense(x, v)",
        lambda p, c: set_window(p, "x"),
        "E410",
        "argument dst of dense is dense, and x may not be",
        Malformed("dense(x, v)", "E313", formals="x: [f32][4], v: f32"),
        callees=(DENSE,),
    ),
    Illegal(
        "set_window",
        "a_callee_wants_unit_stride",
        "x: f32[4], v: f32",
        "unit(x[0:4], v)",
        lambda p, c: set_window(p, "x"),
        "E410",
        "may break its assertion stride(dst, 0) == 1",
        Wrong("unit(x[0:4], v)", formals="x: [f32][4], v: f32"),
        callees=(UNIT,),
    ),
    Illegal(
        "set_window",
        "a_dense_row_has_no_free_stride",
        "n: size, x: f32[2, n], y: f32",
        """
        assert n == 4
        if stride(x, 0) == 4:
            y = x[0, 0]
        square_row(x[0, 0:4], y)
        """,
        lambda p, c: set_window(p, "x"),
        "E410",
        "may break its assertion stride(dst, 0) == 1",
        Wrong(
            """
            if stride(x, 0) == 4:
                y = x[0, 0]
            square_row(x[0, 0:4], y)
            """,
            formals="n: size, x: [f32][2, n], y: f32",
        ),
        callees=(UNIT.replace("unit", "square_row"),),
    ),
    Illegal(
        "set_window",
        "an_allocation",
        "y: f32",
        """
        t: f32[4]
        t[0] = 1.0
        y = t[0]
        """,
        lambda p: set_window(p, "t"),
        "E404",
        "t is no formal with dimensions",
        Misuse("a local buffer has one layout"),
    ),
    Illegal(
        "set_window",
        "a_scalar",
        "y: f32",
        "y = 1.0",
        lambda p: set_window(p, "y"),
        "E404",
        "y is no formal with dimensions",
        Misuse("a scalar has no strides"),
    ),
]
