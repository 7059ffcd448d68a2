"""Legal steps of `set_precision`."""

from __future__ import annotations

from tests.corpus.callees import PER_ITERATION
from tests.corpus.case import Legal
from usl_core.scheduling import set_precision

CASES = [
    Legal(
        "set_precision",
        "of_everything",
        "n: size, x: R[n], y: R[n]",
        PER_ITERATION.replace("f32", "R"),
        lambda p: set_precision(set_precision(set_precision(p, "x", "f32"), "t", "f32"), "y", "f32"),
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """,
    ),
    Legal(
        "set_precision",
        "a_wider_accumulator",
        "n: size, x: f32[n], y: f32",
        """
        t: f32
        t = 0.0
        for i in seq(0, n):
            t += x[i]
        y = t
        """,
        lambda p: set_precision(p, "t", "f64"),
        """
        t: f64
        t = 0.0
        for i in seq(0, n):
            t += f64(x[i])
        y = f32(t)
        """,
    ),
    Legal(
        "set_precision",
        "a_narrower_result",
        "x: f64, y: f64",
        "y = x + 1.0",
        lambda p: set_precision(p, "y", "f32"),
        "y = f32(x + 1.0)",
    ),
]
