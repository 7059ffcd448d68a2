"""Functions of exact numbers: `exp` and `expm1` without error, others to 60 significant digits.

Each is a deterministic function of its exact arguments; poison where it has no value. The exponential is a number of
`exponentials`, so that its laws hold. The others are rounded once from decimals with guard digits, and take arguments made of
exponentials as rounded to 80 digits. Arguments of `exp2` beyond +-4096, and exponents of `pow`, count as that limit, so that no
number is too long to write down.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any

from usl_core.interp import exponentials
from usl_core.interp.exponentials import whole
from usl_core.interp.values import POISON

DIGITS = 60
"""Significant decimal digits of the results."""
_GUARD = 20
_EXP_LIMIT = 4096


def _on_decimals(fn: Callable[..., Decimal | None]) -> Callable[..., Any]:
    """A function of rationals, computed on decimals and rounded once to DIGITS; poison where it has no value.

    The precision grows with the arguments' digits: of 1e-50 the sine has that many digits in front of its own.
    """

    def apply(*args: Any) -> Any:
        if any(x is POISON for x in args):
            return POISON
        fractions = [Fraction(exponentials.rational(x, DIGITS + _GUARD)) for x in args]
        magnitude = max(len(str(n)) for x in fractions for n in (x.numerator, x.denominator))
        context = Context(prec=DIGITS + _GUARD + magnitude, rounding=ROUND_HALF_EVEN, Emin=-999999999, Emax=999999999)
        with localcontext(context):
            result = fn(*(Decimal(x.numerator) / Decimal(x.denominator) for x in fractions), context)
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


def _tan(x: Decimal, context: Context) -> Decimal:
    return _sin(x, context) / _cos(x, context)


def _exp2(x: Decimal, context: Context) -> Decimal:
    return _exp(x * Decimal(2).ln(context), context)


def _log2(x: Decimal, context: Context) -> Decimal | None:
    return x.ln(context) / Decimal(2).ln(context) if x > 0 else None


def _log1p(x: Decimal, context: Context) -> Decimal | None:
    return (1 + x).ln(context) if x > -1 else None


def _cbrt(x: Decimal, context: Context) -> Decimal:
    return (abs(x).ln(context) / 3).exp(context).copy_sign(x) if x else x


def _pow(x: Decimal, y: Decimal, context: Context) -> Decimal | None:
    """x^y; of a negative x for whole y only, of 0 for y that are not negative."""
    is_whole = y == y.to_integral_value()
    if y == 0:
        return Decimal(1)
    if x == 0:
        return Decimal(0) if y > 0 else None
    if x < 0 and not is_whole:
        return None
    size = _exp(y * abs(x).ln(context), context)
    return -size if x < 0 and y % 2 != 0 else size


def _erf(x: Decimal, context: Context) -> Decimal:
    """2 exp(-x^2) / sqrt(pi) times the sum of 2^n x^(2n+1) / (2n+1)!!, whose terms are all of one sign (DLMF 7.6.2)."""
    if x * x > 200:  # 1 - erf x < exp(-x^2)
        return Decimal(1).copy_sign(x)
    total, previous, term, n = x, Decimal(0), x, 1
    while total != previous:
        previous = total
        term = term * 2 * x * x / (2 * n + 1)
        total, n = total + term, n + 1
    return 2 * total * (-x * x).exp(context) / _pi(context.prec).sqrt(context)


def _arctan(x: Decimal, context: Context) -> Decimal:
    """The argument is halved until the series is short: arctan x = 2 arctan(x / (1 + sqrt(1 + x^2)))."""
    halvings = 0
    while abs(x) > Decimal("0.05"):
        x, halvings = x / (1 + (1 + x * x).sqrt(context)), halvings + 1
    total, previous, power, n = x, Decimal(0), x, 1
    while total != previous:
        previous = total
        power = -power * x * x
        n += 2
        total += power / n
    return total * Decimal(2**halvings)


def _atan2(y: Decimal, x: Decimal, context: Context) -> Decimal:
    if x == 0 and y == 0:
        return Decimal(0)
    quarter = _pi(context.prec) / 2
    if abs(y) > abs(x):
        return quarter.copy_sign(y) - _arctan(x / y, context)
    angle = _arctan(y / x, context)
    return angle if x > 0 else angle + (2 * quarter if y >= 0 else -2 * quarter)


_ON_DECIMALS: dict[str, Callable[..., Decimal | None]] = {
    "sqrt": _sqrt,
    "cbrt": _cbrt,
    "exp2": _exp2,
    "log": _log,
    "log2": _log2,
    "log1p": _log1p,
    "pow": _pow,
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "tanh": _tanh,
    "atan2": _atan2,
    "erf": _erf,
}


def _exact_exp(x: Any) -> Any:
    return POISON if x is POISON else exponentials.exp(x)


FUNCTIONS: dict[str, Callable[..., Any]] = {name: _on_decimals(fn) for name, fn in _ON_DECIMALS.items()}
FUNCTIONS |= {"exp": _exact_exp, "expm1": lambda x: _exact_exp(x) - 1}
"""By name; each passes poison on."""
