"""Normal forms of data: equal forms are equal values, at one type, and poison is told apart."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.primitives.equivalence import parse
from usl_core.analysis import polynomial
from usl_core.analysis.context import Context
from usl_core.analysis.values import Values
from usl_core.errors import Undecided
from usl_core.frontend.fragment import env_at, parse_expr
from usl_core.ir.nodes import Expr
from usl_core.ir.types import I8, U8, R, ScalarType

PROGRAM = parse("""
    def f(n: size, a: R, b: R, x: R[n], u: u8, v: u8, k: i32[4]):
        assert n % 2 == 0
        w = x[0:n]
        for i in seq(0, n):
            pass
    """)
PLACE = (("body", 1), ("body", 0))


def expr(text: str, typ: ScalarType = R) -> Expr:
    return parse_expr(text, env_at(PROGRAM.ir, PLACE), want=typ)


def values() -> Values:
    return Values(Context.at(PROGRAM.ir, PLACE))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("(a + b) * (a + b)", "a * a + 2.0 * a * b + b * b", True),
        ("a * 0.0", "0.0", True),
        ("a / 3.0 * 3.0", "a", True),
        ("a / 0.0", "0.0", False),
        ("x[(n / 2) * 2 - 1]", "w[n - 1]", True),
        ("x[i]", "x[n - 1 - i]", False),
        ("x[idx(k[0] + k[1], 0, n)]", "w[idx(k[1] + k[0], 0, n)]", True),
        ("x[idx(k[0], 0, n)]", "x[idx(k[0], 0, n - 1 + 1)]", True),
        ("min(a, b)", "min(b, a)", True),
        ("f32(a) * 1.0", "f32(a)", True),
        ("exp(a + b)", "exp(a) * exp(b)", True),
        ("exp(a) * exp(a) * exp(a)", "exp(3.0 * a)", True),
        ("exp(a - a)", "1.0", True),
        ("exp(a - b)", "exp(a) / exp(b)", True),
        ("1.0 / exp(a)", "exp(-a)", True),
        ("b * exp(a) / (2.0 * exp(a))", "b / 2.0", True),
        ("a * exp(x[i] - b) / (x[0] * exp(-b))", "a / x[0] * exp(x[i])", True),
        ("(exp(a) + exp(-a)) * exp(a)", "exp(2.0 * a) + 1.0", True),
        ("exp(max(a, b) - a) * exp(a)", "exp(max(b, a))", True),
        ("exp(exp(a)) * exp(1.0)", "exp(exp(a) + 1.0)", True),
        ("exp(a * b)", "exp(a) * exp(b)", False),
        ("exp(a) + exp(b)", "exp(a + b)", False),
        ("a / (b + exp(a))", "a / b + a * exp(-a)", False),
        ("a / (2.0 * b)", "0.5 * a / b", True),
        ("max(a + x[0], b + x[0])", "max(a, b) + x[0]", True),
        ("max(a - 2.0, b - 2.0) + 2.0", "max(a, b)", True),
        ("max(3.0 * a, 6.0 * b)", "3.0 * max(a, 2.0 * b)", True),
        ("min(3.0 * a + x[0], x[0])", "3.0 * min(a, 0.0) + x[0]", True),
        ("max(a + b, a - b)", "a + max(b, -b)", True),
        ("max(-a, -b)", "-max(a, b)", False),
        ("max(a * x[0], b * x[0])", "max(a, b) * x[0]", False),
    ],
)
def test_real_data_is_compared_as_polynomials_over_the_rationals(one: str, other: str, equal: bool):
    typ = expr(one).type if "f32" not in one else None
    forms = values()
    if typ is None:
        one, other = "R(" + one + ")", "R(" + other + ")"
    assert (forms.data(expr(one)) == forms.data(expr(other))) is equal


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [("128 * u + 128 * u", "0", True), ("u - v", "u + 255 * v", True), ("u / 1", "u", True), ("u % 2", "u", False)],
)
def test_integers_are_compared_modulo_a_power_of_two(one: str, other: str, equal: bool):
    forms = values()
    assert (forms.data(expr(one, U8)) == forms.data(expr(other, U8))) is equal


def test_leaves_are_what_poison_comes_from():
    forms = values()

    def leaves(text: str) -> frozenset[object]:
        return forms.leaves(expr(text))

    assert leaves("a - a") == leaves("a") == leaves("0.0 * a") and not leaves("1.0 + 2.0")
    assert leaves("x[i]") == leaves("w[i + 1 - 1]") != leaves("x[0]")
    assert leaves("x[idx(k[0], 0, n)]") > leaves("R(0)") and leaves("x[idx(k[0], 0, n)]") != leaves("x[idx(k[1], 0, n)]")
    assert not leaves("select(a, b, x[0], x[1])") >= leaves("x[0]")
    assert leaves("max(a, x[0])") == leaves("a + x[0]")


def test_coefficients_stay_in_the_range_of_the_type():
    atom = polynomial.atom(I8, 1)
    assert polynomial.scale(atom, 256) == polynomial.constant(I8, 0)
    assert polynomial.scale(polynomial.atom(R, 1), Fraction(1, 3)).terms == (((1,), Fraction(1, 3)),)
    assert polynomial.constant(I8, 255) == polynomial.constant(I8, -1)
    assert polynomial.constant(R, 5).constant == 5 and atom.constant is None and polynomial.constant(R, 0).constant == 0


def test_forms_that_grow_without_end_are_undecided():
    total = polynomial.constant(R, 0)
    for number in range(60):
        total = polynomial.add(total, polynomial.atom(R, number))
    with pytest.raises(Undecided, match="too long"):
        polynomial.mul(polynomial.mul(total, total), total)
