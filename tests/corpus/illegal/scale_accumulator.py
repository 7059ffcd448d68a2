"""Illegal steps of `scale_accumulator`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Wrong
from usl_core.scheduling import scale_accumulator

CASES = [
    Illegal(
        "scale_accumulator",
        "a_factor_that_may_be_zero",
        "m: f32, y: f32",
        """
        s: f32
        s = 1.0
        y = s + m
        """,
        lambda p: scale_accumulator(p, "s", "m"),
        "E412",
        "not known to be other than 0",
        Wrong("""
        s: f32
        s = 1.0 * m
        y = s / m + m
        """),
    ),
    Illegal(
        "scale_accumulator",
        "a_factor_that_has_no_value_where_the_sum_is_read",
        "m: f32, y: f32",
        """
        s: f32
        s = 1.0
        y = s
        """,
        lambda p: scale_accumulator(p, "s", "exp(m)"),
        "E453",
        "which may have no value",
        Wrong("""
        s: f32
        s = 1.0 * exp(m)
        y = s / exp(m)
        """),
    ),
    Illegal(
        "scale_accumulator",
        "a_factor_that_gets_its_value_too_late",
        "x: f32, y: f32",
        """
        m: f32
        s: f32
        s = 1.0
        m = x
        y = s + m
        """,
        lambda p: scale_accumulator(p, "s", "exp(m)"),
        "E411",
        "changes here other than by a reduction",
        Wrong("""
        m: f32
        s: f32
        s = 1.0 * exp(m)
        m_old: f32
        m_old = m
        m = x
        s *= exp(m) / exp(m_old)
        y = s / exp(m) + m
        """),
    ),
    Illegal(
        "scale_accumulator",
        "a_greatest_one",
        "x: f32, m: f32, y: f32",
        """
        s: f32
        s = 1.0
        s @= max(x)
        y = s + m
        """,
        lambda p: scale_accumulator(p, "s", "-1.0 * exp(m)"),
        "E404",
        "otherwise than by += and *=",
        Wrong("""
        s: f32
        s = 1.0 * (-1.0 * exp(m))
        s @= max(x * (-1.0 * exp(m)))
        y = s / (-1.0 * exp(m)) + m
        """),
    ),
    Illegal(
        "scale_accumulator",
        "integers",
        "y: i32",
        """
        s: i32
        s = 1
        y = s
        """,
        lambda p: scale_accumulator(p, "s", "2"),
        "E404",
        "integers",
        Wrong("""
        s: i32
        s = 1 * 2147483647
        y = s / 2147483647 + 1
        """),
    ),
]
