"""Legal steps of `unroll_buffer`."""

from __future__ import annotations

from tests.corpus.callees import COPY4
from tests.corpus.case import Legal
from usl_core.scheduling import unroll_buffer, unroll_loop

CASES = [
    Legal(
        "unroll_buffer",
        "two_registers",
        "x: f32[2], y: f32[2]",
        """
        t: f32[2]
        t[0] = x[1]
        t[1] = x[0]
        y[0] = t[0]
        y[1] = t[1]
        """,
        lambda p: unroll_buffer(p, "t", 0),
        """
        t_0: f32
        t_1: f32
        t_0 = x[1]
        t_1 = x[0]
        y[0] = t_0
        y[1] = t_1
        """,
    ),
    Legal(
        "unroll_buffer",
        "rows",
        "x: f32[2, 4], y: f32[2, 4]",
        """
        t: f32[2, 4]
        copy4(t[0, 0:4], x[1, 0:4])
        copy4(t[1, 0:4], x[0, 0:4])
        copy4(y[0, 0:4], t[0, 0:4])
        copy4(y[1, 0:4], t[1, 0:4])
        """,
        lambda p, c: unroll_buffer(p, "t", 0),
        """
        t_0: f32[4]
        t_1: f32[4]
        copy4(t_0[0:4], x[1, 0:4])
        copy4(t_1[0:4], x[0, 0:4])
        copy4(y[0, 0:4], t_0[0:4])
        copy4(y[1, 0:4], t_1[0:4])
        """,
        callees=(COPY4,),
    ),
    Legal(
        "unroll_buffer",
        "after_its_loop",
        "x: f32[3], y: f32[3]",
        """
        t: f32[3]
        for i in seq(0, 3):
            t[i] = x[i]
            y[i] = t[i]
        """,
        lambda p: unroll_buffer(unroll_loop(p, "i"), "t", 0),
        """
        t_0: f32
        t_1: f32
        t_2: f32
        t_0 = x[0]
        y[0] = t_0
        t_1 = x[1]
        y[1] = t_1
        t_2 = x[2]
        y[2] = t_2
        """,
    ),
    Legal(
        "unroll_buffer",
        "an_extent_and_indices_that_are_known_there",
        "n: size, y: f32[n]",
        """
        if n == 2:
            t: f32[n]
            t[n - 1] = 1.0
            t[0] = 2.0
            for i in seq(0, n):
                if i == 1:
                    y[i] = t[i]
        """,
        lambda p: unroll_buffer(p, "t", 0),
        """
        if n == 2:
            t_0: f32
            t_1: f32
            t_1 = 1.0
            t_0 = 2.0
            for i in seq(0, n):
                if i == 1:
                    y[i] = t_1
        """,
        factor=2,
    ),
]
