"""Illegal steps of `rearrange_dim`."""

from __future__ import annotations

from tests.corpus.callees import SQUARE
from tests.corpus.case import Illegal, Misuse, Wrong
from usl_core.scheduling import rearrange_dim

DENSE_SQUARE = """
def dense_square(dst: f32[4, 4], v: f32):
    for k in seq(0, 4):
        dst[k, 0] = v
"""


UNIT = """
def unit(dst: [f32][4], v: f32):
    assert stride(dst, 0) == 1
    for k in seq(0, 4):
        dst[k] = v
"""


CASES = [
    Illegal(
        "rearrange_dim",
        "a_square_buffer_passed_whole",
        "v: f32, y: f32[4, 4]",
        """
        t: f32[4, 4]
        for i in seq(0, 4):
            for j in seq(0, 4):
                t[i, j] = 0.0
        dense_square(t, v)
        for i in seq(0, 4):
            for j in seq(0, 4):
                y[i, j] = t[i, j]
        """,
        lambda p, c: rearrange_dim(p, "t", [1, 0]),
        "E456",
        "is passed whole to a call",
        Wrong("""
        t: f32[4, 4]
        for i in seq(0, 4):
            for j in seq(0, 4):
                t[j, i] = 0.0
        dense_square(t, v)
        for i in seq(0, 4):
            for j in seq(0, 4):
                y[i, j] = t[j, i]
        """),
        callees=(DENSE_SQUARE,),
    ),
    Illegal(
        "rearrange_dim",
        "a_square_window_would_be_transposed",
        "v: f32, y: f32[4, 4]",
        """
        t: f32[4, 4]
        for i in seq(0, 4):
            for j in seq(0, 4):
                t[i, j] = 0.0
        square(t[0:4, 0:4], v)
        for i in seq(0, 4):
            for j in seq(0, 4):
                y[i, j] = t[i, j]
        """,
        lambda p, c: rearrange_dim(p, "t", [1, 0]),
        "E455",
        "would change places too",
        Wrong("""
        t: f32[4, 4]
        for i in seq(0, 4):
            for j in seq(0, 4):
                t[j, i] = 0.0
        square(t[0:4, 0:4], v)
        for i in seq(0, 4):
            for j in seq(0, 4):
                y[i, j] = t[j, i]
        """),
        callees=(SQUARE,),
    ),
    Illegal(
        "rearrange_dim",
        "the_program_looks_at_a_stride",
        "y: f32",
        """
        t: f32[2, 4]
        t[0, 0] = 1.0
        y = 5.0
        if stride(t, 0) == 4:
            y = t[0, 0]
        """,
        lambda p: rearrange_dim(p, "t", [1, 0]),
        "E457",
        "depends on strides of t",
        Wrong("""
        t: f32[4, 2]
        t[0, 0] = 1.0
        y = 5.0
        if stride(t, 1) == 4:
            y = t[0, 0]
        """),
    ),
    Illegal(
        "rearrange_dim",
        "an_instruction_needs_unit_stride",
        "v: f32, y: f32",
        """
        t: f32[2, 4]
        unit(t[1, 0:4], v)
        y = t[1, 2]
        """,
        lambda p, c: rearrange_dim(p, "t", [1, 0]),
        "E410",
        "may break its assertion stride(dst, 0) == 1",
        Wrong("""
        t: f32[4, 2]
        unit(t[0:4, 1], v)
        y = t[2, 1]
        """),
        callees=(UNIT,),
    ),
    Illegal(
        "rearrange_dim",
        "no_permutation",
        "y: f32",
        """
        t: f32[2, 4]
        t[0, 0] = 1.0
        y = t[0, 0]
        """,
        lambda p: rearrange_dim(p, "t", [0, 0]),
        "E404",
        "a permutation of the 2 dimensions of t is wanted",
        Misuse("one dimension twice"),
    ),
]
