"""Illegal steps of `unroll_buffer`."""

from __future__ import annotations

from tests.corpus.callees import ROW4
from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
from usl_core.scheduling import unroll_buffer

CASES = [
    Illegal(
        "unroll_buffer",
        "an_index_that_is_an_iterator",
        "x: f32[2], y: f32[2]",
        """
        t: f32[2]
        for i in seq(0, 2):
            t[i] = x[i]
            y[i] = t[i]
        """,
        lambda p: unroll_buffer(p, "t", 0),
        "E415",
        "the index i of t in dimension 0 is not a constant",
        Malformed(
            """
            t_0: f32
            t_1: f32
            for i in seq(0, 2):
                t_i = x[i]
                y[i] = t_i
            """,
            "E200",
        ),
    ),
    Illegal(
        "unroll_buffer",
        "a_window_of_several",
        "v: f32, y: f32",
        """
        t: f32[4]
        row4(t[0:4], v)
        y = t[1]
        """,
        lambda p, c: unroll_buffer(p, "t", 0),
        "E455",
        "has an interval in dimension 0",
        Misuse("a window of buffers that are not neighbours"),
        callees=(ROW4,),
    ),
    Illegal(
        "unroll_buffer",
        "an_extent_that_is_a_size",
        "n: size, y: f32",
        """
        t: f32[n]
        t[0] = 1.0
        y = t[0]
        """,
        lambda p: unroll_buffer(p, "t", 0),
        "E415",
        "is not a constant",
        Misuse("an unknown number of buffers"),
    ),
    Illegal(
        "unroll_buffer",
        "an_index_known_in_another_branch",
        "y: f32[3]",
        """
        t: f32[3]
        t[0] = 1.0
        t[1] = 2.0
        t[2] = 3.0
        for i in seq(0, 3):
            if i == 1:
                y[i] = t[i]
            else:
                y[i] = t[i] + 1.0
        """,
        lambda p: unroll_buffer(p, "t", 0),
        "E415",
        "the index i of t in dimension 0 is not a constant",
        Wrong("""
        t_0: f32
        t_1: f32
        t_2: f32
        t_0 = 1.0
        t_1 = 2.0
        t_2 = 3.0
        for i in seq(0, 3):
            if i == 1:
                y[i] = t_1
            else:
                y[i] = t_1 + 1.0
        """),
    ),
]
