"""Exact numbers with exponentials: a field with an order, and as close to floats as floats allow."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from usl_core.interp.exponentials import MOST_TERMS, Quotient, bit_length, exp, rational
from usl_core.interp.values import POISON, SizeFault

small = st.fractions(-3, 3, max_denominator=6)


@st.composite
def numbers(draw: Any, depth: int = 3) -> Any:
    if depth == 0 or draw(st.booleans()):
        value = draw(small)
        return exp(value) if draw(st.booleans()) else value
    a, b = draw(numbers(depth - 1)), draw(numbers(depth - 1))
    match draw(st.sampled_from("+-*/")):
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case _:
            assume(b != 0)
            return Fraction(1) * a / b


@settings(max_examples=150, deadline=None)
@given(numbers(), numbers(), numbers())
def test_the_laws_of_a_field_hold(a: Any, b: Any, c: Any) -> None:
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a * (b + c) == a * b + a * c
    assert a - a == 0
    if b != 0:
        assert (Fraction(1) * a / b) * b == a
        assert Fraction(1) * a / b == a * (Fraction(1) / b)


@settings(max_examples=100, deadline=None)
@given(numbers(2), numbers(2))
def test_laws_of_exp_hold_for_exponents_of_any_kind(a: Any, b: Any) -> None:
    assert exp(a + b) == exp(a) * exp(b)
    assert Fraction(1) / exp(a) == exp(-a)
    assert exp(a - a) == 1
    assert (exp(a) == exp(b)) == (a == b)
    assert (exp(a) < exp(b)) == (a < b)


@settings(max_examples=150, deadline=None)
@given(numbers(), numbers())
def test_the_order_is_that_of_the_numbers(a: Any, b: Any) -> None:
    assert [a < b, a == b, a > b].count(True) == 1
    assert (a <= b) == (a < b or a == b)
    assert max(a, b) >= min(a, b)
    x, y = float(a), float(b)
    if not math.isclose(x, y, rel_tol=1e-12, abs_tol=1e-300):
        assert (a < b) == (x < y)


def test_numbers_that_differ_late_are_told_apart() -> None:
    e = exp(1)
    digits = rational(e, 60)
    assert e != digits
    assert abs(e - digits) < Fraction(1, 10**58)
    assert (e < digits) != (e > digits)
    close = rational(e, 400)
    assert abs(e - close) < Fraction(1, 10**398)
    assert (e > digits) == (close > digits)


def test_exponents_may_be_as_large_as_floats_are() -> None:
    lowest = -(Fraction(2) ** 127)
    start = exp(lowest)
    assert 0 < start < Fraction(1, 10**1000)
    assert exp(-lowest) * start == 1
    assert start * exp(5) / exp(lowest + 3) == exp(2)
    with pytest.raises(SizeFault, match="too long to write down"):
        rational(exp(-lowest), 60)


def test_what_is_rational_is_a_fraction() -> None:
    e = exp(1)
    for value in (e - e + 2, e / e, (e + 1) / (2 * e + 2) * 4, exp(0), exp(e) / exp(e) + 1):
        assert not isinstance(value, Quotient)
    assert (e * e + e) / (e + 1) == e
    assert hash((e * e + e) / (e + 1)) == hash(e)


def test_whole_numbers_next_to_one_with_exponentials() -> None:
    e = exp(1)
    assert (math.floor(e), math.ceil(e), math.trunc(-e), round(e), round(-e)) == (2, 3, -2, 3, -3)
    assert math.floor(10**30 * e) == 2718281828459045235360287471352


def test_poison_passes_and_other_things_are_no_operands() -> None:
    e = exp(1)
    assert (e + POISON) is POISON
    assert (POISON * e) is POISON
    assert e != "e"
    with pytest.raises(TypeError):
        e + "e"
    with pytest.raises(TypeError):
        _ = e < "e"


def test_numbers_have_a_size_and_sums_a_limit() -> None:
    e = exp(Fraction(1, 3))
    assert bit_length(e * e + e) > bit_length(e) > bit_length(1)
    total = sum(exp(Fraction(k)) for k in range(MOST_TERMS))
    with pytest.raises(SizeFault, match="more than"):
        total + exp(Fraction(-1))
