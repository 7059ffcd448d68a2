"""Symbolic numbers against Python's integers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.primitives.equivalence import parse
from usl_core.stdlib.ranges import Iteration, Known, NotLinear, Range, end
from usl_core.stdlib.symbolic import (
    Polynomial,
    extreme,
    name,
    polynomial,
    quotient,
    remainder,
    sum_over,
    value_of,
)

N, M = name("n"), name("m")


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> tuple[Polynomial, str]:
    """A value of index arithmetic over n and m, and Python text for it."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([(N, "n"), (M, "m"), *((polynomial(k), str(k)) for k in (-3, 0, 1, 4, 7))]))
    a, a_text = draw(expressions(depth - 1))
    b, b_text = draw(expressions(depth - 1))
    by = draw(st.integers(1, 6))
    return draw(
        st.sampled_from(
            [
                (a + b, f"({a_text} + {b_text})"),
                (a - b, f"({a_text} - {b_text})"),
                (a * by, f"({a_text} * {by})"),
                (quotient(a, by), f"({a_text} // {by})"),
                (remainder(a, by), f"({a_text} % {by})"),
                (extreme("min", [a, b]), f"min({a_text}, {b_text})"),
                (extreme("max", [a, b]), f"max({a_text}, {b_text})"),
            ]
        )
    )


def evaluate(text: str, **names: int) -> Any:
    return eval(text, {"min": min, "max": max}, names)


@given(expressions(), st.integers(-9, 20), st.integers(-9, 20))
def test_normal_forms_keep_the_value(expression: tuple[Polynomial, str], n: int, m: int) -> None:
    value, text = expression
    assert value.value(n=n, m=m) == evaluate(text, n=n, m=m)
    assert value.at(n=n).value(m=m) == evaluate(text, n=n, m=m)


@given(expressions(), st.integers(-9, 20), st.integers(-9, 20))
def test_the_text_of_a_value_means_the_value(expression: tuple[Polynomial, str], n: int, m: int) -> None:
    value, text = expression
    assert evaluate(str(value).replace("/", "//"), n=n, m=m) == evaluate(text, n=n, m=m)


@given(expressions(), st.integers(1, 9), st.integers(1, 9))
def test_what_is_seen_to_be_nonnegative_is_so(expression: tuple[Polynomial, str], n: int, m: int) -> None:
    value, text = expression
    if Known({"n": 1, "m": 1}).nonnegative(value):
        assert evaluate(text, n=n, m=m) >= 0


@given(expressions(), st.integers(-9, 9), st.integers(1, 9), st.integers(-9, 9))
def test_no_value_is_beyond_the_ends(expression: tuple[Polynomial, str], lo: int, extent: int, m: int) -> None:
    value, text = expression
    iterators = [Iteration("n", Range(polynomial(lo), M * 2 + lo + extent + 20))]
    least, most = (end(value, iterators, greatest).value(m=m) for greatest in (False, True))
    for n in range(lo, m * 2 + lo + extent + 20):
        assert least <= evaluate(text, n=n, m=m) <= most


def test_products_of_iterators_have_no_ends() -> None:
    with pytest.raises(NotLinear):
        end(N * N, [Iteration("n", Range(polynomial(0), M))], greatest=True)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=6), st.integers(-6, 6), st.integers(0, 9))
def test_sums_are_those_of_the_terms(coefficients: list[int], lo: int, extent: int) -> None:
    value = polynomial(0)
    for power, coefficient in enumerate(coefficients):
        term = polynomial(coefficient)
        for _ in range(power):
            term = term * N
        value = value + term
    total = sum_over(value, "n", polynomial(lo), name("h"))
    assert total is not None
    assert total.value(h=lo + extent) == sum(c * n**p for p, c in enumerate(coefficients) for n in range(lo, lo + extent))


def test_sums_of_what_is_no_polynomial_in_the_iterator_are_not_known() -> None:
    assert sum_over(quotient(N, 2), "n", polynomial(0), M) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (quotient(N + 15, 16) * 16, "16 * ((n + 15) / 16)"),
        (quotient(N * 4 + M + 9, 4), "(m + 1) / 4 + n + 2"),
        (remainder(N * 4 + M + 9, 4), "(m + 1) % 4"),
        (remainder(N, 4) + quotient(N, 4) * 4, "n"),
        (N * (N + 1) * Fraction(1, 2), "(n**2 + n) / 2"),
        (7 - N, "7 - n"),
        (extreme("min", [N, N + 2, M]), "min(m, n)"),
        (polynomial(0), "0"),
    ],
)
def test_values_are_shown_as_people_write_them(value: Polynomial, text: str) -> None:
    assert str(value) == text


def test_values_of_code_are_read_off_cursors_and_those_of_data_are_not_known() -> None:
    p = parse("""
        def f(n: size, d: i32[n], x: f32[n]):
            for i in seq(0, n):
                x[min((3 * i + 1) / 4, n - 1)] = x[idx(d[i], 0, n)]
    """)
    write = p.find("x[_] = _")
    assert str(value_of(write.idx()[0])) == "min((3 * i + 1) / 4, n - 1)"
    assert value_of(write.rhs().idx()[0]) is None


def test_a_value_says_what_it_still_depends_on() -> None:
    with pytest.raises(ValueError, match="depends on m"):
        (N + M).value(n=3)
