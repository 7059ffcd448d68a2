"""Functions that are made of others: inverse and hyperbolic ones, tests of floats, counts of bits, division toward zero."""

from __future__ import annotations

from typing import Any

from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.expr import Expr, as_node, pair, wrap
from usl_halide_lib.lang.functions import (
    abs,
    atan2,
    cast,
    cos,
    exp,
    log,
    logical_not,
    pow,
    select,
    sin,
    sqrt,
)
from usl_halide_lib.lang.nodes import show
from usl_halide_lib.lang.types import F32, UInt


def _float(value: Any) -> Expr:
    """value, an integer as f32."""
    node = as_node(value)
    return wrap(node) if node.type.is_float else cast(F32, value)


def asin(value: Any) -> Expr:
    """The angle in [-π/2, π/2] of a sine; integers become f32 first, as in the functions below."""
    x = _float(value)
    return atan2(x, sqrt((1 - x) * (1 + x)))


def acos(value: Any) -> Expr:
    """The angle in [0, π] of a cosine."""
    x = _float(value)
    return atan2(sqrt((1 - x) * (1 + x)), x)


def atan(value: Any) -> Expr:
    """The angle in (-π/2, π/2) of a tangent."""
    x = _float(value)
    return atan2(x, cast(x.type(), 1))


def _signed(x: Expr, size: Expr) -> Expr:
    """size with the sign of x."""
    return Expr(select(x < 0, -size, size))


def sinh(value: Any) -> Expr:
    """The hyperbolic sine. Near 0 it is a polynomial, where a difference of powers would have lost its digits."""
    x = _float(value)
    square, power = x * x, exp(abs(x))
    small: Any = cast(x.type(), 1)
    for n in (18, 16, 14, 12, 10, 8, 6, 4, 2):
        small = 1 + small * square / (n * (n + 1))
    return Expr(select(abs(x) < 1, x * small, _signed(x, power / 2 - 0.5 / power)))


def cosh(value: Any) -> Expr:
    """The hyperbolic cosine."""
    power = exp(abs(_float(value)))
    return power / 2 + 0.5 / power


def asinh(value: Any) -> Expr:
    """The number whose hyperbolic sine is given."""
    x = _float(value)
    size = abs(x)
    return _signed(x, _log_of_1_and(size + size * size / (1 + sqrt(size * size + 1))))


def acosh(value: Any) -> Expr:
    """The number, at least 0, whose hyperbolic cosine is given."""
    x = _float(value)
    return _log_of_1_and((x - 1) + sqrt((x - 1) * (x + 1)))


def atanh(value: Any) -> Expr:
    """The number whose hyperbolic tangent is given."""
    x = _float(value)
    size = abs(x)
    return _signed(x, _log_of_1_and(2 * size / (1 - size)) / 2)


def _log_of_1_and(x: Expr) -> Expr:
    """log(1 + x), x not negative; the digits that 1 + x has lost are made up for (Kahan)."""
    whole = 1 + x
    return Expr(select(whole > 1, log(whole) * (x / select(whole > 1, whole - 1, cast(x.type(), 1))), x))


def hypot(a: Any, b: Any) -> Expr:
    """The length of (a, b)."""
    x, y = _float(a), _float(b)
    return sqrt(x * x + y * y)


def is_nan(value: Any) -> Expr:
    """Whether a float is no number: neither below 1 nor above 0."""
    x = _checked(value, "is_nan")
    return logical_not((x < 1) | (x > 0))


def is_inf(value: Any) -> Expr:
    """Whether a float is an infinity."""
    return _beyond(_checked(value, "is_inf"))


def is_finite(value: Any) -> Expr:
    """Whether a float is a number and no infinity."""
    x = _checked(value, "is_finite")
    return logical_not(is_nan(x)) & logical_not(_beyond(x))


def _beyond(x: Expr) -> Expr:
    return (x > x.type().max()) | (x < x.type().min())


def _checked(value: Any, name: str) -> Expr:
    node = as_node(value)
    if not node.type.is_float:
        raise refuse(f"{name} asks about floats; {show(node)} is {node.type}")
    return wrap(node)


def fast_exp(value: Any) -> Expr:
    """exp; it is no less exact here."""
    return exp(value)


def fast_log(value: Any) -> Expr:
    """log."""
    return log(value)


def fast_sin(value: Any) -> Expr:
    """sin."""
    return sin(value)


def fast_cos(value: Any) -> Expr:
    """cos."""
    return cos(value)


def fast_pow(base: Any, exponent: Any) -> Expr:
    """pow."""
    return pow(base, exponent)


def fast_inverse(value: Any) -> Expr:
    """1 / value, correctly rounded."""
    return 1 / _float(value)


def fast_inverse_sqrt(value: Any) -> Expr:
    """1 / sqrt(value)."""
    return 1 / sqrt(_float(value))


def _bits_of(value: Any, name: str) -> list[Expr]:
    """The bits of an integer as numbers without a sign, the highest first; those of 64 bits as two."""
    node = as_node(value)
    if not node.type.is_int:
        raise refuse(f"{name} counts bits of integers; {show(node)} is {node.type}")
    if node.type.bits < 64:
        return [cast(UInt(node.type.bits), value)]
    return [cast(UInt(32), Expr(value) >> 32), cast(UInt(32), value)]


def popcount(value: Any) -> Expr:
    """The number of bits that are 1, at value's type."""
    counts = [_ones(each) for each in _bits_of(value, "popcount")]
    return cast(as_node(value).type, counts[0] if len(counts) == 1 else counts[0] + counts[1])


def _ones(x: Expr) -> Expr:
    """Sums of neighbouring bits, pairs, nibbles, and so on."""
    bits, step = x.type().bits, 1
    while step < bits:
        mask = sum(((1 << step) - 1) << at for at in range(0, bits, 2 * step))
        x = (x & cast(x.type(), mask)) + ((x >> step) & cast(x.type(), mask))
        step *= 2
    return x


def _filled(x: Expr) -> Expr:
    """x with all bits below its highest."""
    step = 1
    while step < x.type().bits:
        x, step = x | (x >> step), 2 * step
    return x


def count_leading_zeros(value: Any) -> Expr:
    """The number of bits above the highest 1, all of them for 0, at value's type."""
    high, *low = [each.type().bits - _ones(_filled(each)) for each in _bits_of(value, "count_leading_zeros")]
    return cast(as_node(value).type, select(high < 32, high, high + low[0]) if low else high)


def count_trailing_zeros(value: Any) -> Expr:
    """The number of bits below the lowest 1, all of them for 0, at value's type."""
    *high, low = [_ones(~each & (each - 1)) for each in _bits_of(value, "count_trailing_zeros")]
    return cast(as_node(value).type, select(low < 32, low, low + high[0]) if high else low)


def div_round_to_zero(a: Any, b: Any) -> Expr:
    """The quotient of integers rounded toward zero; by 0 it is 0."""
    left, right = map(wrap, pair(a, b))
    if not left.type().is_int:
        raise refuse(f"div_round_to_zero divides integers; {show(left.node)} is {left.type()}")
    if not left.type().is_signed:
        return left / right
    quotient = cast(left.type(), abs(left) / abs(right))
    return Expr(select((left < 0) == (right < 0), quotient, -quotient))


def mod_round_to_zero(a: Any, b: Any) -> Expr:
    """The rest that div_round_to_zero leaves, with a's sign; by 0 it is 0."""
    left, right = map(wrap, pair(a, b))
    rest = left - right * div_round_to_zero(a, b)
    return Expr(select(right == 0, cast(left.type(), 0), rest))
