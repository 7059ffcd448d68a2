"""Legal steps of `set_window`."""

from __future__ import annotations

from tests.corpus.callees import PER_ITERATION, PER_ITERATION_ARGS
from tests.corpus.case import Legal
from usl_core.scheduling import set_window

UNIT = """
def unit(dst: [f32][4], v: f32):
    assert stride(dst, 0) == 1
    for k in seq(0, 4):
        dst[k] = v
"""


CASES = [
    Legal(
        "set_window",
        "of_an_input",
        PER_ITERATION_ARGS,
        PER_ITERATION,
        lambda p: set_window(p, "x"),
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """,
    ),
    Legal(
        "set_window",
        "and_back",
        PER_ITERATION_ARGS,
        PER_ITERATION,
        lambda p: set_window(set_window(p, "x"), "x", False),
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """,
    ),
    Legal(
        "set_window",
        "with_the_stride_asserted",
        "x: f32[8], v: f32",
        """
        assert stride(x, 0) == 1
        unit(x[2:6], v)
        """,
        lambda p, c: set_window(p, "x"),
        callees=(UNIT,),
    ),
]
