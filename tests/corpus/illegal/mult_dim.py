"""Illegal steps of `mult_dim`."""

from __future__ import annotations

from tests.corpus.callees import ROW4
from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
from usl_core.scheduling import mult_dim

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
        "mult_dim",
        "passed_whole_to_a_callee",
        "y: f32",
        """
        t: f32[4, 4]
        dense_square(t)
        y = t[1, 0]
        """,
        lambda p, c: mult_dim(p, "t", 0, 1),
        "E456",
        "is passed whole to a call",
        Malformed(
            """
            t: f32[16]
            dense_square(t)
            y = t[4]
            """,
            "E200",
        ),
        callees=(DENSE_SQUARE,),
    ),
    Illegal(
        "mult_dim",
        "a_column_as_an_argument",
        "v: f32, y: f32",
        """
        t: f32[4, 2]
        row4(t[0:4, 1], v)
        y = t[2, 1]
        """,
        lambda p, c: mult_dim(p, "t", 0, 1),
        "E455",
        "would not be neighbours",
        Wrong("""
        t: f32[8]
        row4(t[1:5], v)
        y = t[5]
        """),
        callees=(ROW4,),
    ),
    Illegal(
        "mult_dim",
        "an_instruction_that_needs_unit_stride",
        "y: f32",
        """
        t: f32[2, 4]
        unit(t[1, 0:4])
        y = t[1, 2]
        """,
        lambda p, c: mult_dim(p, "t", 1, 0),
        "E455",
        "mult_dim",
        Wrong("""
        t: f32[8]
        unit(t[1:5])
        y = t[5]
        """),
        callees=(UNIT,),
    ),
    Illegal(
        "mult_dim",
        "an_inner_extent_that_is_a_size",
        "n: size, y: f32",
        """
        t: f32[2, n]
        t[1, 0] = 1.0
        y = t[1, 0]
        """,
        lambda p: mult_dim(p, "t", 0, 1),
        "E415",
        "is no literal",
        Malformed(
            """
            t: f32[2 * n]
            for i in seq(0, 2):
                t[n * i] = 1.0
            y = t[n]
            """,
            "E200",
        ),
    ),
    Illegal(
        "mult_dim",
        "the_same_dimension_twice",
        "y: f32",
        """
        t: f32[2, 4]
        t[1, 0] = 1.0
        y = t[1, 0]
        """,
        lambda p: mult_dim(p, "t", 1, 1),
        "E404",
        "two different dimensions are wanted",
        Misuse("one dimension"),
    ),
]
