"""Illegal steps of `transpose`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Misuse, Wrong
from usl_core.scheduling import transpose

DENSE_SQUARE = """
def dense_square(dst: f32[4, 4]):
    for k in seq(0, 4):
        dst[k, 0] = 1.0
"""


UNIT = """
def unit(dst: [f32][4]):
    assert stride(dst, 0) == 1
    for k in seq(0, 4):
        dst[k] = 1.0
"""


CASES = [
    Illegal(
        "transpose",
        "passed_whole_to_a_callee",
        "x: f32[4, 4]",
        "dense_square(x)",
        lambda p, c: transpose(p, "x"),
        "E456",
        "is passed whole to a call",
        Misuse("the caller passes the transposed matrix, and the callee would take it as it is"),
        callees=(DENSE_SQUARE,),
    ),
    Illegal(
        "transpose",
        "the_program_depends_on_its_strides",
        "n: size, x: f32[n, n], y: f32",
        """
        if stride(x, 1) == 1:
            y = 1.0
        """,
        lambda p: transpose(p, "x"),
        "E457",
        "depends on strides of x",
        Wrong("""
        if stride(x, 0) == 1:
            y = 1.0
        """),
    ),
    Illegal(
        "transpose",
        "an_instruction_that_needs_unit_stride",
        "x: f32[4, 4]",
        "unit(x[1, 0:4])",
        lambda p, c: transpose(p, "x"),
        "E410",
        "may break its assertion stride(dst, 0) == 1",
        Wrong("unit(x[0:4, 1])"),
        callees=(UNIT,),
    ),
    Illegal(
        "transpose",
        "a_vector",
        "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: transpose(p, "x"),
        "E404",
        "only a matrix can be transposed",
        Misuse("one dimension"),
    ),
]
