"""Constants as C spells them, each exactly the value that the language means."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from usl_c11.ctext import UNARY, C
from usl_core.errors import NOWHERE, BackendError, Span
from usl_core.interp import largest
from usl_core.ir.types import ScalarType


def control_literal(value: int) -> C:
    """An integer of type int if it fits 32 bits, else of type int64_t."""
    if -(1 << 31) < value < 1 << 31:
        return _signed(str(value))
    return C("INT64_MIN") if value == -(1 << 63) else _signed_macro("INT64_C", value)


def integer_literal(value: int, scalar: ScalarType) -> C:
    """A constant of an integer type; narrow types use int, which every value of theirs fits."""
    if scalar.signed:
        if value == -(1 << (scalar.bits - 1)) and scalar.bits >= 32:
            return C(f"INT{scalar.bits}_MIN")
        return control_literal(value)
    if scalar.bits < 32:
        return C(str(value))
    return C(f"{value}u") if scalar.bits == 32 else C(f"UINT64_C({value})")


def ring_literal(value: int, scalar: ScalarType) -> C:
    """The constant in the unsigned type that computes modulo 2^32 or 2^64."""
    if scalar.bits == 64:
        return C(f"UINT64_C({value})") if value >= 0 else C(f"(uint64_t){integer_literal(value, scalar)}", UNARY)
    return C(f"{value}u") if value >= 0 else C(f"(uint32_t){integer_literal(value, scalar)}", UNARY)


def _signed(text: str) -> C:
    return C(text, UNARY) if text.startswith("-") else C(text)


def _signed_macro(macro: str, value: int) -> C:
    return C(f"-{macro}({-value})", UNARY) if value < 0 else C(f"{macro}({value})")


def float_literal(value: Fraction | int, scalar: ScalarType, span: Span) -> C:
    """The shortest decimal that C reads as the value of the type nearest to the one written."""
    text = _shortest(round_to(Fraction(value), scalar, span), scalar)
    match scalar.name:
        case "f64":
            return _signed(text)
        case "f32":
            return _signed(f"{text}f")
        case _:
            return C(f"({scalar.c}){text}f", UNARY)


def round_to(value: Fraction, scalar: ScalarType, span: Span) -> Fraction:
    """value rounded to the floating format, ties to even (IEEE 754-2019 §4.3.1), subnormal numbers included."""
    if value == 0:
        return value
    form = scalar.format
    assert form is not None
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < _power_of_two(exponent):
        exponent -= 1
    unit = _power_of_two(max(exponent - form.precision + 1, form.least))
    rounded = round(magnitude / unit) * unit  # Python rounds half to even
    if rounded > largest(form):
        raise BackendError(f"the literal {float_text(value)} does not fit {scalar}", span=span)
    return rounded if value > 0 else -rounded


@lru_cache(maxsize=4096)
def _power_of_two(exponent: int) -> Fraction:
    return Fraction(2) ** exponent


def float_text(value: Fraction) -> str:
    """A number as C writes it."""
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


@lru_cache(maxsize=4096)
def _shortest(exact: Fraction, scalar: ScalarType) -> str:
    double = float(exact)  # exact: every type here is a subset of double
    for digits in range(1, 18):
        text = f"{double:.{digits}g}"
        value = Fraction(text)
        if _fits(value, scalar) and round_to(value, scalar, NOWHERE) == exact:
            break
    return text if any(mark in text for mark in ".en") else f"{text}.0"


def _fits(value: Fraction, scalar: ScalarType) -> bool:
    return scalar.format is not None and abs(value) <= largest(scalar.format)
