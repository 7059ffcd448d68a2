"""Legal steps of `lift_reduce_constant`."""

from __future__ import annotations

from typing import Any

from tests.corpus.case import Legal
from usl_core.procedure import Procedure
from usl_core.scheduling import lift_reduce_constant


def _pair(p: Procedure) -> Any:
    return p.body()[0:2]


CASES = [
    Legal(
        "lift_reduce_constant",
        "a_scaled_sum",
        "n: size, c: f32, x: f32[n], s: f32",
        """
        s = 0.0
        for i in seq(0, n):
            s += c * x[i]
        """,
        lambda p: lift_reduce_constant(p, _pair(p)),
        """
        s = 0.0
        for i in seq(0, n):
            s += x[i]
        s = c * s
        """,
    ),
    Legal(
        "lift_reduce_constant",
        "a_scaled_sum_that_wraps",
        "n: size, c: u8, x: u8[n], s: u8",
        """
        s = 0
        for i in seq(0, n):
            s += x[i] * c
        """,
        lambda p: lift_reduce_constant(p, _pair(p)),
        """
        s = 0
        for i in seq(0, n):
            s += x[i]
        s = c * s
        """,
    ),
    Legal(
        "lift_reduce_constant",
        "a_number_although_the_loop_may_not_run",
        "n: size, x: f32[n], s: f32",
        """
        s = 0.0
        for i in seq(1, n):
            s += 0.5 * x[i]
        """,
        lambda p: lift_reduce_constant(p, _pair(p)),
        """
        s = 0.0
        for i in seq(1, n):
            s += x[i]
        s = 0.5 * s
        """,
    ),
]
