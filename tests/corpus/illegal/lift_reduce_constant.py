"""Illegal steps of `lift_reduce_constant`."""

from __future__ import annotations

from typing import Any

from tests.corpus.case import Illegal, Wrong
from usl_core.procedure import Procedure
from usl_core.scheduling import lift_reduce_constant


def _pair(p: Procedure) -> Any:
    return p.body()[0:2]


CASES = [
    Illegal(
        "lift_reduce_constant",
        "the_factor_changes",
        "n: size, c: f32[n], x: f32[n], s: f32",
        """
        s = 0.0
        for i in seq(0, n):
            s += c[i] * x[i]
        """,
        lambda p: lift_reduce_constant(p, _pair(p)),
        "E411",
        "is the same in all iterations",
        Wrong("""
        s = 0.0
        for i in seq(0, n):
            s += x[i]
        s = c[0] * s
        """),
    ),
    Illegal(
        "lift_reduce_constant",
        "the_factor_is_overwritten",
        "n: size, c: f32, x: f32[n], s: f32",
        """
        s = 0.0
        for i in seq(0, n):
            s += c * x[i]
            c = 2.0
        """,
        lambda p: lift_reduce_constant(p, _pair(p)),
        "E411",
        "is the same in all iterations",
        Wrong("""
        s = 0.0
        for i in seq(0, n):
            s += x[i]
            c = 2.0
        s = c * s
        """),
    ),
    Illegal(
        "lift_reduce_constant",
        "the_sum_starts_elsewhere",
        "n: size, c: f32, x: f32[n], s: f32",
        """
        s = 1.0
        for i in seq(0, n):
            s += c * x[i]
        """,
        lambda p: lift_reduce_constant(p, _pair(p)),
        "E404",
        "must set the sum to 0",
        Wrong("""
        s = 1.0
        for i in seq(0, n):
            s += x[i]
        s = c * s
        """),
    ),
    Illegal(
        "lift_reduce_constant",
        "the_loop_may_not_run_and_the_factor_may_be_poison",
        "n: size, c: f32, x: f32[n], s: f32",
        """
        s = 0.0
        for i in seq(1, n):
            s += c * x[i]
        """,
        lambda p: lift_reduce_constant(p, _pair(p)),
        "E412",
        "may be uninitialised",
        Wrong("""
        s = 0.0
        for i in seq(1, n):
            s += x[i]
        s = c * s
        """),
    ),
    Illegal(
        "lift_reduce_constant",
        "a_term_without_the_factor",
        "n: size, c: f32, x: f32[n], s: f32",
        """
        s = 0.0
        for i in seq(0, n):
            s += c * x[i]
            s += x[i]
        """,
        lambda p: lift_reduce_constant(p, _pair(p)),
        "E411",
        "has no factor c",
        Wrong("""
        s = 0.0
        for i in seq(0, n):
            s += x[i]
            s += x[i]
        s = c * s
        """),
    ),
    Illegal(
        "lift_reduce_constant",
        "the_sum_is_read_in_the_loop",
        "n: size, c: f32, x: f32[n], y: f32[n], s: f32",
        """
        s = 0.0
        for i in seq(0, n):
            s += c * x[i]
            y[i] = s
        """,
        lambda p: lift_reduce_constant(p, _pair(p)),
        "E411",
        "may read the sum",
        Wrong("""
        s = 0.0
        for i in seq(0, n):
            s += x[i]
            y[i] = s
        s = c * s
        """),
    ),
    Illegal(
        "lift_reduce_constant",
        "the_sum_is_read_through_a_window",
        "n: size, c: f32, x: f32[n], y: f32[n], s: f32[2]",
        """
        w = s[1:2]
        s[1] = 0.0
        for i in seq(0, n):
            s[1] += c * x[i]
            y[i] = w[0]
        """,
        lambda p: lift_reduce_constant(p, p.body()[1:3]),
        "E411",
        "may read the sum",
        Wrong("""
        w = s[1:2]
        s[1] = 0.0
        for i in seq(0, n):
            s[1] += x[i]
            y[i] = w[0]
        s[1] = c * s[1]
        """),
    ),
    Illegal(
        "lift_reduce_constant",
        "a_sum_that_goes_on",
        "n: size, c: f32, x: f32[n], s: f32",
        """
        s += 0.0
        for i in seq(0, n):
            s += c * x[i]
        """,
        lambda p: lift_reduce_constant(p, _pair(p)),
        "E404",
        "must set the sum to 0",
        Wrong("""
        s += 0.0
        for i in seq(0, n):
            s += x[i]
        s = c * s
        """),
    ),
    Illegal(
        "lift_reduce_constant",
        "a_quotient_by_zero_out_of_a_loop_that_may_not_run",
        "n: index, x: f32[8], s: f32",
        """
        assert 0 <= n and n <= 8
        s = 0.0
        for i in seq(0, n):
            s += 1.0 / 0.0 * x[i]
        """,
        lambda p: lift_reduce_constant(p, _pair(p)),
        "E412",
        "may have no value",
        Wrong("""
        s = 0.0
        for i in seq(0, n):
            s += x[i]
        s = 1.0 / 0.0 * s
        """),
    ),
]
