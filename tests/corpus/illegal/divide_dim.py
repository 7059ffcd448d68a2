"""Illegal steps of `divide_dim`."""

from __future__ import annotations

from tests.corpus.callees import COPY4, DENSE
from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
from usl_core.scheduling import divide_dim

FILL4 = """
def fill4(dst: [f32][4], v: f32):
    for k in seq(0, 4):
        dst[k] = v
"""


CASES = [
    Illegal(
        "divide_dim",
        "the_factor_does_not_divide",
        "n: size, x: f32[n + 4], y: f32[n + 4]",
        """
        t: f32[n + 4]
        for i in seq(0, n + 4):
            t[i] = x[i]
        for i in seq(0, n + 4):
            y[i] = t[i]
        """,
        lambda p: divide_dim(p, "t", 0, 4),
        "E412",
        "cannot prove that 4 divides the extent n + 4",
        Wrong("""
        t: f32[(n + 4) / 4, 4]
        for i in seq(0, n + 4):
            t[i / 4, i % 4] = x[i]
        for i in seq(0, n + 4):
            y[i] = t[i / 4, i % 4]
        """),
    ),
    Illegal(
        "divide_dim",
        "passed_whole_to_a_callee",
        "v: f32, y: f32",
        """
        t: f32[4]
        dense(t, v)
        y = t[0]
        """,
        lambda p, c: divide_dim(p, "t", 0, 2),
        "E456",
        "is passed whole to a call",
        Malformed(
            """
            t: f32[2, 2]
            dense(t, v)
            y = t[0, 0]
            """,
            "E200",
        ),
        callees=(DENSE,),
    ),
    Illegal(
        "divide_dim",
        "a_window_that_reaches_over_a_tile",
        "v: f32, y: f32[8]",
        """
        t: f32[8]
        for i in seq(0, 8):
            t[i] = 0.0
        fill4(t[2:6], v)
        for i in seq(0, 8):
            y[i] = t[i]
        """,
        lambda p, c: divide_dim(p, "t", 0, 4),
        "E412",
        "may reach over a tile of 4 elements",
        Wrong("""
        t: f32[2, 4]
        for i in seq(0, 8):
            t[i / 4, i % 4] = 0.0
        fill4(t[0, 2:6], v)
        for i in seq(0, 8):
            y[i] = t[i / 4, i % 4]
        """),
        callees=(FILL4,),
    ),
    Illegal(
        "divide_dim",
        "no_such_dimension",
        "y: f32",
        """
        t: f32[4]
        t[0] = 1.0
        y = t[0]
        """,
        lambda p: divide_dim(p, "t", 1, 2),
        "E404",
        "there is no dimension 1",
        Misuse("no extent to divide"),
    ),
    Illegal(
        "divide_dim",
        "a_formal",
        "x: f32[4]",
        "x[0] = 1.0",
        lambda p: divide_dim(p, "x", 0, 2),
        "E404",
        "an allocation is wanted here",
        Malformed("x[0, 0] = 1.0", "E200"),
    ),
    Illegal(
        "divide_dim",
        "padding_where_a_condition_asks_for_a_stride",
        "n: size, x: f32[n]",
        """
        assert n >= 2
        t: f32[2, 6]
        t[0, 0] = 1.0
        t[1, 0] = 1.0
        if stride(t, 0) == 6:
            x[0] = t[1, 0]
        """,
        lambda p: divide_dim(p, "t", 1, 4, pad=True),
        "E457",
        "depends on strides of t",
        Wrong("""
        t: f32[2, 2, 4]
        t[0, 0, 0] = 1.0
        t[1, 0, 0] = 1.0
        if stride(t, 0) == 6:
            x[0] = t[1, 0, 0]
        """),
    ),
    Illegal(
        "divide_dim",
        "padding_and_a_window_over_two_tiles",
        "n: size, x: f32[4]",
        """
        t: f32[n + 8]
        copy4(t[2:6], x[0:4])
        copy4(x[0:4], t[2:6])
        """,
        lambda p, c: divide_dim(p, "t", 0, 4, pad=True),
        "E412",
        "may reach over a tile",
        Malformed(
            """
            t: f32[(n + 11) / 4, 4]
            copy4(t[0, 2:6], x[0:4])
            copy4(x[0:4], t[0, 2:6])
            """,
            "E305",
        ),
        callees=(COPY4,),
    ),
]
