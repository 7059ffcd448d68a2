"""Operations on bits, roundings to whole numbers, multiply-adds, functions, in both modes."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.interp.test_exact import evaluate
from tests.interp.test_machine import elementwise, samples
from usl_core.interp import POISON
from usl_core.interp.exponentials import rational
from usl_core.interp.machine import format_of, round_rational
from usl_core.ir.externs import BUILTINS, RELATIONS
from usl_core.ir.types import F32, SCALARS

INTEGERS: dict[str, Any] = {f"{s}{b}": np.dtype(f"{s}{b // 8}").type for s in "iu" for b in (8, 16, 32, 64)}


@pytest.mark.parametrize("typ", list(INTEGERS))
def test_operations_on_bits_are_numpys(typ: str) -> None:
    data = samples(INTEGERS[typ], 400)
    a, b = data[:200], data[200:]
    for op, fn in (("&", np.bitwise_and), ("|", np.bitwise_or), ("^", np.bitwise_xor)):
        np.testing.assert_array_equal(elementwise(f"a[i] {op} b[i]", typ, a, b), fn(a, b))
    np.testing.assert_array_equal(elementwise("~a[i]", typ, a, b), ~a)


@pytest.mark.parametrize("typ", list(INTEGERS))
def test_shifts_multiply_and_divide_by_powers_of_two_and_by_the_width_or_more_shift_everything_out(typ: str) -> None:
    scalar = SCALARS[typ]
    width, (low, high) = scalar.bits, scalar.int_range()
    amounts = [*range(width + 3), high, *((-1, low) if scalar.signed else ())]
    for value in (low, low + 1, -3, -1, 0, 1, 5, high):
        if not low <= value <= high:
            continue
        for amount in amounts:
            gone = amount < 0 or amount >= width
            left = 0 if gone else value << amount
            wrapped = (left - low) % (1 << width) + low
            assert evaluate("a << b", typ, value, amount) == wrapped
            right = (-1 if value < 0 else 0) if gone else value >> amount
            assert evaluate("a >> b", typ, value, amount) == right


def test_operations_on_bits_of_what_is_not_initialised_have_no_value() -> None:
    for op in ("&", "|", "^", "<<", ">>"):
        assert evaluate(f"a {op} b", "u8", POISON, 3) is POISON
        assert evaluate(f"a {op} b", "u8", 3, POISON) is POISON
    for name in ("floor", "erf", "rsqrt", "tan"):
        assert evaluate(f"{name}(a)", "f32", POISON) is POISON
    for name in ("pow", "atan2"):
        assert evaluate(f"{name}(a, b)", "f32", 1, POISON) is POISON
    assert evaluate("fma(a, b, c)", "f32", 1, 2, POISON) is POISON
    assert evaluate("bits(a)", "u32", POISON, source="f32") is POISON


@pytest.mark.parametrize(("name", "fn"), [("rint", np.rint), ("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc)])
@pytest.mark.parametrize("typ", ["f16", "f32", "f64"])
def test_roundings_to_whole_numbers_are_numpys_signs_of_zeros_and_infinities_included(
    name: str, fn: Callable[[Any], Any], typ: str
) -> None:
    dtype = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[typ]
    halves = np.array([0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, -0.2, math.inf, -math.inf, math.nan], dtype)
    data = np.concatenate([halves, samples(dtype, 200), (np.arange(60) / 7 - 4).astype(dtype)])
    found = elementwise(f"{name}(a[i])", typ, data, data)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, fn(data))
        np.testing.assert_array_equal(np.signbit(found), np.signbit(fn(data)))
    for value in (Fraction(5, 2), Fraction(-5, 2), Fraction(-1, 3), Fraction(7)):
        assert evaluate(f"{name}(a)", "R", value) == fn(float(value))


NUMBERS = st.floats(width=32) | st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0**-149, 2.0**127, math.inf, -math.inf, math.nan])


@given(NUMBERS, NUMBERS, NUMBERS)
def test_a_multiply_add_rounds_once(a: float, b: float, c: float) -> None:
    arrays = [np.array([x], np.float32) for x in (a, b, c)]
    found = elementwise("fma(a[i], b[i], out[i])", "f32", arrays[0], arrays[1], arrays[2].copy())[0]
    if all(map(math.isfinite, (a, b, c))):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        assert float(found) == round_rational(exact, format_of(F32))
        if exact == 0 and (a == 0 or b == 0) and c == 0:
            assert math.copysign(1.0, float(found)) == math.copysign(1.0, a * b + c)
    elif math.isfinite(a) and math.isfinite(b):
        np.testing.assert_equal(float(found), c)
    else:
        np.testing.assert_equal(float(found), a * b + c)
    assert evaluate("fma(a, b, c)", "R", Fraction(1, 3), Fraction(3), Fraction(1, 7)) == Fraction(8, 7)


@given(st.floats(width=32, allow_nan=False), st.floats(allow_nan=False))
def test_bits_and_back_is_the_same_float(x: float, y: float) -> None:
    a, b = np.array([x], np.float32), np.array([y], np.float64)
    bits, wide = np.zeros(1, np.uint32), np.zeros(1, np.uint64)
    np.testing.assert_array_equal(elementwise("bits(a[i])", "f32", a, a, bits, "u32"), a.view(np.uint32))
    np.testing.assert_array_equal(elementwise("bits(a[i])", "f64", b, b, wide, "u64"), b.view(np.uint64))
    assert elementwise("from_bits(a[i])", "u32", bits, bits, np.zeros(1, np.float32), "f32").tobytes() == a.tobytes()
    assert elementwise("from_bits(a[i])", "u64", wide, wide, np.zeros(1), "f64").tobytes() == b.tobytes()


def test_bits_of_an_exact_number_are_those_of_the_float_next_to_it() -> None:
    third = int(np.array(1 / 3, np.float32).view(np.uint32))
    assert evaluate("bits(a)", "u32", Fraction(1, 3), source="f32") == third
    assert evaluate("bits(a)", "u64", Fraction(-2), source="f64") == 0xC000_0000_0000_0000
    assert evaluate("from_bits(a)", "f32", third, source="u32") == Fraction(float(np.float32(1 / 3)))
    assert evaluate("from_bits(a)", "f32", 0x7F800000, source="u32") is POISON
    assert evaluate("from_bits(a)", "f32", 0x7FC00000, source="u32") is POISON


@pytest.mark.parametrize(
    ("expression", "a", "b"),
    [
        *((f"{name}(a)", x, None) for name in ("erf", "cbrt", "expm1", "exp2", "tan") for x in (-3.25, -0.01, 0.0, 0.7, 4.5)),
        *((f"{name}(a)", x, None) for name in ("log1p", "log2") for x in (0.001, 0.5, 9.0)),
        *(("atan2(a, b)", y, x) for y in (-2.0, 0.0, 0.5) for x in (-1.5, -0.25, 0.0, 3.0)),
        *(("pow(a, b)", x, y) for x, y in ((2.0, 0.5), (0.3, -7.25), (-3.0, 3.0), (-3.0, -2.0), (0.0, 2.0), (0.0, 0.0))),
    ],
)
def test_functions_agree_with_those_of_c(expression: str, a: float, b: float | None) -> None:
    args = [Fraction(x) for x in (a, b) if x is not None]
    found = rational(evaluate(expression, "R", *args), 60)
    wanted = getattr(math, expression.partition("(")[0])(*(x for x in (a, b) if x is not None))
    assert isinstance(found, int | Fraction)
    assert math.isclose(float(found), wanted, rel_tol=1e-15, abs_tol=0.0)
    one = [np.array([x if x is not None else 0.0]) for x in (a, b)]
    call = expression.replace("(a", "(a[i]").replace("b)", "b[i])")
    assert elementwise(call, "f64", *one)[0] == wanted


def test_functions_have_sixty_digits() -> None:
    """By identities, which hold to the last digits only if both sides do."""
    third = Fraction(1, 3)
    quarter = evaluate("atan2(a, a)", "R", 1)
    pairs = [
        (evaluate("pow(a, b)", "R", 5, third), evaluate("cbrt(a)", "R", 5)),
        (evaluate("exp2(a)", "R", third), evaluate("cbrt(a)", "R", 2)),
        (evaluate("log1p(a)", "R", third), evaluate("log(a)", "R", Fraction(4, 3))),
        (evaluate("tan(a)", "R", quarter), 1),
        (evaluate("rsqrt(a)", "R", 3) ** 2, third),  # type: ignore[operator]
        (evaluate("log2(a)", "R", evaluate("exp2(a)", "R", third)), third),
        (evaluate("erf(a)", "R", 1), Fraction("0.842700792949714869341220635082609259296066997966302908459938")),
        (quarter, Fraction("0.785398163397448309615660845819875721049292349843776455243736")),
    ]
    for found, wanted in pairs:
        assert isinstance(found, int | Fraction)
        assert isinstance(wanted, int | Fraction)
        assert abs(Fraction(found) - Fraction(wanted)) <= abs(Fraction(wanted)) / 10**57


def test_functions_outside_of_their_domain() -> None:
    for expression in ("rsqrt(a)", "log2(a)", "pow(a, -1.0)"):
        assert evaluate(expression, "R", 0) is POISON
    for expression in ("rsqrt(a)", "log1p(a)", "pow(a, 0.5)"):
        assert evaluate(expression, "R", -2) is POISON
    x = np.array([0.0, -0.0, -1.0, -2.0, -10.0, 10.0, math.inf, math.nan])
    assert elementwise("log2(a[i])", "f64", x, x)[:3].tolist()[:2] == [-math.inf, -math.inf]
    assert elementwise("log1p(a[i])", "f64", x, x)[2] == -math.inf
    np.testing.assert_array_equal(elementwise("pow(a[i], 401.0)", "f64", x, x)[4:7], [-math.inf, math.inf, math.inf])
    np.testing.assert_array_equal(elementwise("pow(a[i], -3.0)", "f64", x, x)[:2], [math.inf, -math.inf])
    np.testing.assert_array_equal(elementwise("pow(a[i], 0.5)", "f64", x, x)[3], math.nan)
    np.testing.assert_array_equal(elementwise("rsqrt(a[i])", "f64", x, x)[[0, 1, 2, 6]], [math.inf, -math.inf, math.nan, 0.0])


def test_every_function_has_a_meaning_in_both_modes() -> None:
    """A new one cannot be forgotten in the interpreter."""
    for fn in BUILTINS.values():
        if fn.name == "idx":
            continue
        source = "u32" if fn.name == "from_bits" else "f32"
        result = "b8" if fn in RELATIONS else {"bits": "u32", "from_bits": "f32"}.get(fn.name, "f32")
        names = "abcd"[: fn.arity]
        call = f"a {fn.name} b" if fn in RELATIONS else f"{fn.name}({', '.join(names)})"
        assert evaluate(call, result, *[1] * fn.arity, source=source) is not POISON or (fn.name == "from_bits")
        one = np.ones(1, np.uint32 if source == "u32" else np.float32)
        out = np.zeros(1, {"u32": np.uint32, "b8": np.bool_}.get(result, np.float32))
        args = ["ab"[k % 2] + "[i]" for k in range(fn.arity)]
        elementwise(
            f" {fn.name} ".join(args) if fn in RELATIONS else f"{fn.name}({', '.join(args)})", source, one, one, out, result
        )
