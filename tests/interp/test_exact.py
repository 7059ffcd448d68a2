"""Exact mode: rationals, integers modulo 2^N, and total operations."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.interp.programs import program
from usl_core.interp import POISON, Buffer, run
from usl_core.interp.exponentials import rational
from usl_core.interp.values import Value
from usl_core.ir.types import SCALARS, R


def evaluate(expression: str, typ: str, *inputs: Value, source: str = "") -> Value:
    """`expression` of type typ over scalars a, b, ... of type source (default typ)."""
    names = "abcdefg"[: len(inputs)]
    formals = "".join(f", {name}: {source or typ}" for name in names)
    ir = program(f"def f(out: {typ}{formals}):\n    out = {expression}\n")
    out = Buffer(SCALARS[typ])
    given = {name: Buffer.of(SCALARS[source or typ], value) for name, value in zip(names, inputs, strict=True)}
    run(ir, {"out": out, **given}, mode="exact")
    return out.data[0]


def test_real_arithmetic_is_rational_so_that_a_third_times_three_is_one() -> None:
    assert evaluate("a / 3.0 * 3.0", "R", 1) == 1
    assert evaluate("a / 3.0", "f32", 1) == Fraction(1, 3)


def test_reassociation_is_an_equality_at_a_floating_type() -> None:
    values = (Fraction(1), Fraction(10**30), Fraction(-(10**30)))
    assert evaluate("(a + b) + c", "f32", *values) == evaluate("a + (b + c)", "f32", *values) == 1


def test_a_literal_is_the_decimal_number_as_written() -> None:
    assert evaluate("a + 0.1", "f32", 0) == Fraction(1, 10)


@pytest.mark.parametrize("expression", ["a / b", "b / b", "0.0 * (a / b)", "a + a / b - a / b"])
def test_division_of_a_real_by_zero_has_no_value_as_ieee_754_gives_no_number(expression: str) -> None:
    assert evaluate(expression, "R", 3, 0) is POISON


def test_a_quotient_by_zero_that_is_not_selected_does_no_harm() -> None:
    assert evaluate("select(b, 1, a, a / b)", "R", 3, 0) == 3


@pytest.mark.parametrize(
    ("expression", "typ", "inputs", "expected"),
    [
        ("a + b", "i8", (127, 1), -128),
        ("a + b", "u8", (255, 1), 0),
        ("a - b", "u16", (0, 1), 65535),
        ("a * b", "i16", (300, 300), 24464),
        ("-a", "i8", (-128,), -128),
        ("-a", "u8", (1,), 255),
        ("abs(a)", "i8", (-128,), -128),
        ("a / b", "i32", (-7, 2), -4),
        ("a % b", "i32", (-7, 2), 1),
        ("a % b", "i32", (7, -2), -1),
        ("a / b", "i32", (7, 0), 0),
        ("a % b", "i32", (7, 0), 0),
        ("a / b", "i8", (-128, -1), -128),
        ("a % b", "i8", (-128, -1), 0),
        ("a / b", "u8", (200, 7), 28),
    ],
)
def test_integers_live_modulo_two_to_the_n_and_divide_towards_minus_infinity(
    expression: str, typ: str, inputs: tuple[int, ...], expected: int
) -> None:
    assert evaluate(expression, typ, *inputs) == expected


@pytest.mark.parametrize(
    ("target", "source", "value", "expected"),
    [
        ("u8", "i32", 300, 44),
        ("u8", "i32", -1, 255),
        ("i8", "u8", 200, -56),
        ("i32", "u8", 200, 200),
        ("i8", "f32", Fraction(1000), 127),
        ("i8", "f32", Fraction(-1000), -128),
        ("u8", "f32", Fraction(-1, 2), 0),
        ("i32", "R", Fraction(-7, 2), -3),
        ("f32", "i32", 16777217, 16777217),
        ("f16", "f64", Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_casts_to_integers_reduce_or_saturate_and_casts_to_floats_are_exact(
    target: str, source: str, value: int | Fraction, expected: int | Fraction
) -> None:
    assert evaluate(f"{target}(a)", target, value, source=source) == expected


@pytest.mark.parametrize(
    ("expression", "inputs", "expected"),
    [
        ("min(a, b)", (3, -2), -2),
        ("max(a, b)", (3, -2), 3),
        ("relu(a)", (-3,), 0),
        ("relu(a)", (3,), 3),
        ("abs(a)", (-3,), 3),
        ("select(a, b, 10, 20)", (1, 2), 10),
        ("select(a, b, 10, 20)", (2, 2), 20),
        ("clamp(a, 0, 9)", (12,), 9),
        ("clamp(a, 0, 9)", (-12,), 0),
        ("clamp(a, 5, 2)", (3,), 5),
    ],
)
def test_builtins_act_on_the_representative(expression: str, inputs: tuple[int, ...], expected: int) -> None:
    assert evaluate(expression, "i32", *inputs) == expected


@pytest.mark.parametrize(
    ("function", "value", "expected"),
    [
        ("sqrt", Fraction(2), "1.41421356237309504880168872420969807856967187537694807317668"),
        ("log", Fraction(10), "2.30258509299404568401799145468436420760110148862877297603333"),
        ("sin", Fraction(10), "-0.544021110889369813404747661851377281683643012916223891574184"),
        ("cos", Fraction(-1), "0.540302305868139717400936607442976603732310420617922227670097"),
        ("tanh", Fraction(1, 2), "0.462117157260009758502318483643672548730289280330113038552731"),
    ],
)
def test_transcendental_functions_have_sixty_digits(function: str, value: Fraction, expected: str) -> None:
    found = evaluate(f"{function}(a)", "R", value)
    assert isinstance(found, int | Fraction)
    assert abs(Fraction(found) - Fraction(expected)) <= abs(Fraction(expected)) * Fraction(1, 10**58)


def test_functions_have_no_value_outside_of_their_domain_and_are_exact_where_the_result_is() -> None:
    assert evaluate("sqrt(a)", "R", -4) is POISON
    assert evaluate("log(a)", "R", 0) is POISON
    assert evaluate("log(a)", "R", -1) is POISON
    assert evaluate("sqrt(a)", "R", 0) == 0
    assert evaluate("sqrt(a)", "R", Fraction(9, 4)) == Fraction(3, 2)
    assert evaluate("tanh(a)", "R", 10**9) == 1


def test_exponentials_are_exact_and_other_functions_of_them_have_eighty_digits_to_start_from() -> None:
    e = evaluate("exp(a)", "R", 1)
    assert abs(rational(e, 60) - Fraction("2.71828182845904523536028747135266249775724709369995957496697")) < Fraction(
        1, 10**58
    )
    assert evaluate("exp(a) * exp(b)", "R", Fraction(1, 3), Fraction(2, 3)) == e
    assert evaluate("1.0 / exp(a) - exp(-a)", "R", 5) == 0
    assert evaluate("expm1(a) + 1.0", "R", 1) == e
    assert evaluate("exp(a) / exp(b)", "R", 10**9 + 1, 10**9) == e
    assert evaluate("max(exp(a), exp(b))", "R", 1, 10**9) == evaluate("exp(b)", "R", 1, 10**9)
    assert evaluate("log(exp(a))", "R", 7) == 7
    assert evaluate("floor(exp(a))", "R", 1) == 2
    assert evaluate("bits(exp(a))", "u32", 1, source="f32") == 0x402DF854
    assert evaluate("i32(exp(a))", "i32", 3, source="f32") == 20


def test_a_product_in_f32_is_not_rounded_but_a_product_in_i8_wraps_where_it_is_computed() -> None:
    assert evaluate("i32(a * b)", "i32", 100, 100, source="i8") == 16
    assert evaluate("i32(a) * i32(b)", "i32", 100, 100, source="i8") == 10000


def test_a_control_value_cast_to_data_keeps_its_value_modulo_the_type() -> None:
    ir = program(
        "def f(n: size, x: u8[n], y: R[n]):\n    for i in seq(0, n):\n        x[i] = u8(i * 100)\n        y[i] = R(i)\n"
    )
    x, y = Buffer(SCALARS["u8"], (4,)), Buffer(R, (4,))
    run(ir, [4, x, y], mode="exact")
    assert x.values() == [0, 100, 200, 44]
    assert y.values() == [0, 1, 2, 3]


def test_a_long_sum_is_no_deeper_than_python_can_take() -> None:
    terms = " + ".join(["a"] * 250)
    nested = "a" + "".join(f" + ({k % 7}" for k in range(60)) + ")" * 60
    assert evaluate(terms, "i32", 2) == 500
    assert evaluate(terms, "R", Fraction(1, 2)) == 125
    assert evaluate(nested, "i8", 1) == (1 + sum(k % 7 for k in range(60)) + 128) % 256 - 128


def test_a_nest_deeper_than_python_allows_runs() -> None:
    depth = 45
    text = "def f(x: i32):\n" + "".join(
        "    " * (k + 1) + f"for i{k} in seq(0, {2 if k % 15 == 0 else 1}):\n" for k in range(depth)
    )
    ir = program(text + "    " * (depth + 1) + f"x += i32(i0 + i{depth - 1}) + 1\n")
    x = Buffer.of(SCALARS["i32"], 0)
    run(ir, {"x": x}, mode="exact")
    assert x.data == [8 + 4]
