"""Symbolic numbers against Python's integers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.primitives.equivalence import parse
from usl_stdlib.ranges import Iteration, Known, NotLinear, Range, end
from usl_stdlib.symbolic import (
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


@given(expressions(), st.integers(1, 9), st.integers(-9, 9))
@example((N + M, "n + m"), 1, -9)
def test_what_is_seen_to_be_nonnegative_is_so(expression: tuple[Polynomial, str], n: int, m: int) -> None:
    value, text = expression
    if Known({"n": 1}).nonnegative(value) or (m >= 2 and Known({"n": 1, "m": 2}).nonnegative(value)):
        assert evaluate(text, n=n, m=m) >= 0


def test_division_is_exact_by_what_divides_and_by_its_divisors_only() -> None:
    known = Known(whole=((N, 8),))
    assert [str(known.simplified(quotient(N, by) * by)) for by in (8, 4, 16, 3)] == ["n", "n", "16 * (n / 16)", "3 * (n / 3)"]
    assert [str(known.simplified(remainder(N, by))) for by in (8, 16)] == ["0", "n % 16"]
    assert str(known.simplified(quotient(M, 8))) == "m / 8"


def test_whole_tiles_and_rounded_up_rest_are_seen_to_cover_a_size() -> None:
    covered = quotient(N, 64) * 64 + quotient(remainder(N, 64) + 15, 16) * 16
    assert Known({"n": 1}).at_most(N, covered)
    assert not Known({"n": 1}).at_most(covered, N)


@given(expressions(), st.integers(-9, 9), st.sampled_from([0, 2]), st.integers(1, 25), st.integers(-9, 9))
def test_no_value_is_beyond_the_ends(expression: tuple[Polynomial, str], lo: int, scale: int, extent: int, m: int) -> None:
    value, text = expression
    hi = (M + 9) * scale + lo + extent
    least, most = (end(value, [Iteration("n", Range(polynomial(lo), hi))], greatest).value(m=m) for greatest in (False, True))
    for n in range(lo, int(hi.value(m=m))):
        assert least <= evaluate(text, n=n, m=m) <= most


@pytest.mark.parametrize("lo", range(-5, 6))
@pytest.mark.parametrize("extent", range(1, 8))
def test_remainders_within_one_multiple_have_their_own_ends(lo: int, extent: int) -> None:
    iterators = [Iteration("n", Range(polynomial(lo), polynomial(lo + extent)))]
    found = [end(remainder(N, 4), iterators, greatest).value() for greatest in (False, True)]
    values = [n % 4 for n in range(lo, lo + extent)]
    assert found[0] <= min(values) and max(values) <= found[1]
    if lo // 4 == (lo + extent - 1) // 4:
        assert found == [min(values), max(values)]


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
        (quotient(N + 1, 2) * -1, "-((n + 1) / 2)"),
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
