"""Exact arithmetic: R and floating types are rationals, so that reassociation is an equality.

Every operation is deterministic, which is all that a rewrite may rely on where algebra does not look:

- x / 0 is 0 on integers; on R and floating types it has no value, which is poison.
- A cast between floating types changes nothing; to an integer it truncates and saturates.
- `sqrt exp log sin cos tanh` are computed to 60 significant digits. Outside of their domain (sqrt of a negative number, log
  of a number that is not positive) they have no value; exp of an argument beyond +-4096 is exp of that limit.

Whole numbers are Python ints rather than Fractions where that comes for free, as ints are an order of magnitude faster.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any

from usl_core.interp.arith import SHARED, Arithmetic, wrap_value
from usl_core.interp.values import POISON, Fault, Value
from usl_core.ir.externs import Extern
from usl_core.ir.types import BOOL, ScalarType, Type

DIGITS = 60
"""Significant decimal digits of the transcendental functions."""
_GUARD = 20
_EXP_LIMIT = 4096


def whole(value: int | Fraction) -> int | Fraction:
    """value as an int where it is one."""
    return value.numerator if value.denominator == 1 else value


def divide(a: Any, b: Any) -> Any:
    """The quotient; what IEEE 754 makes infinite or NaN is no rational, so it is poison."""
    if a is POISON or b is POISON or b == 0:
        return POISON
    return whole(Fraction(a) / b)


def _on_decimals(fn: Callable[[Decimal, Context], Decimal | None]) -> Callable[[Any], Any]:
    """A function of a rational, computed on decimals with guard digits and rounded once to DIGITS; poison where it has none."""

    def apply(x: Any) -> Any:
        if x is POISON:
            return POISON
        x = Fraction(x)
        magnitude = max(len(str(x.numerator)), len(str(x.denominator)))
        context = Context(prec=DIGITS + _GUARD + magnitude, rounding=ROUND_HALF_EVEN, Emin=-999999999, Emax=999999999)
        with localcontext(context):
            result = fn(Decimal(x.numerator) / Decimal(x.denominator), context)
        if result is None:
            return POISON
        return whole(Fraction(Context(prec=DIGITS, rounding=ROUND_HALF_EVEN, Emin=-999999999, Emax=999999999).plus(result)))

    return apply


def _sqrt(x: Decimal, context: Context) -> Decimal | None:
    return x.sqrt(context) if x >= 0 else None


def _exp(x: Decimal, context: Context) -> Decimal:
    limit = Decimal(_EXP_LIMIT)
    return max(-limit, min(x, limit)).exp(context)


def _log(x: Decimal, context: Context) -> Decimal | None:
    return x.ln(context) if x > 0 else None


def _tanh(x: Decimal, context: Context) -> Decimal:
    if abs(x) > DIGITS * 3:  # 1 - tanh x < 2 exp(-2 x), which is less than half a unit in the last digit
        return Decimal(1).copy_sign(x)
    power = (2 * x).exp(context)
    return (power - 1) / (power + 1)


@cache
def _pi(precision: int) -> Decimal:
    """Machin: pi = 16 arctan(1/5) - 4 arctan(1/239), in integers scaled by 10^precision."""
    unit: int = 10 ** (precision + 10)

    def arctan_inverse(n: int) -> int:
        total = term = unit // n
        k, sign = 3, -1
        while term:
            term //= n * n
            total += sign * (term // k)
            k, sign = k + 2, -sign
        return total

    return Decimal(16 * arctan_inverse(5) - 4 * arctan_inverse(239)).scaleb(-(precision + 10))


def _taylor(x: Decimal, term: Decimal, k: int) -> Decimal:
    """term - term x^2/((k+1)(k+2)) + ..., until the sum stands still."""
    total, previous = term, Decimal(0)
    while total != previous:
        previous = total
        term = -term * x * x / ((k + 1) * (k + 2))
        k += 2
        total += term
    return total


def _sin(x: Decimal, context: Context) -> Decimal:
    x = x.remainder_near(2 * _pi(context.prec), context) if abs(x) > 3 else x
    return _taylor(x, x, 1)


def _cos(x: Decimal, context: Context) -> Decimal:
    x = x.remainder_near(2 * _pi(context.prec), context) if abs(x) > 3 else x
    return _taylor(x, Decimal(1), 0)


_FUNCTIONS = {"sqrt": _sqrt, "exp": _exp, "log": _log, "sin": _sin, "cos": _cos, "tanh": _tanh}


class ExactArithmetic(Arithmetic):
    """Rationals for R and the floating types; see the module."""

    mode = "exact"
    real_types = (int, Fraction)
    names = SHARED | {"divide": divide} | {name: _on_decimals(fn) for name, fn in _FUNCTIONS.items()}

    def real_literal(self, value: Fraction, typ: ScalarType) -> int | Fraction:
        """The number itself."""
        return whole(value)

    def rounded(self, typ: ScalarType, text: str) -> str:
        """The text as it is: exact numbers are not rounded."""
        return text

    def stored(self, typ: ScalarType, value: str) -> str:
        """The text of a value on its way into a buffer."""
        return value if typ.is_int else f"state.stored({value})"

    def to_real(self, source: Type, target: ScalarType, text: str) -> str:
        """The text of a conversion to R or a floating type."""
        return f"int({text})" if source is BOOL else text

    def extern(self, fn: Extern, result: ScalarType) -> Callable[..., Value]:
        """What computes a function."""

        def apply(*args: Any) -> Value:
            if fn.exact is None:
                raise Fault(f"{fn.name} does not say what it computes in exact mode")
            if any(arg is POISON for arg in args):
                return POISON
            value = fn.exact(result, *args)
            return wrap_value(result, int(value)) if result.is_int else whole(Fraction(value))

        return apply
