"""Exact arithmetic: R and floating types are rationals, so that reassociation is an equality.

Every operation is deterministic, which is all that a rewrite may rely on where algebra does not look:

- x / 0 is 0 on integers; on R and floating types it has no value, which is poison.
- A cast between floating types changes nothing; to an integer it truncates and saturates.
- `exp` and `expm1` are exact: e^(1/2) + 3 is a number of its own (`exponentials`), with an order and all laws of arithmetic.
- `sqrt`, `log`, `pow` and their like (`functions`) are computed to 60 significant digits. Outside of their domain (sqrt of a
  negative number, log of one that is not positive) they have no value.
- `bits` of a number are those of the float next to it; `from_bits` of a NaN or an infinity has no value.

Whole numbers are Python ints rather than Fractions where that comes for free, as ints are an order of magnitude faster.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from usl_core.interp import machine
from usl_core.interp.arith import SHARED, Arithmetic, wrap_value
from usl_core.interp.exponentials import Quotient, rational, whole
from usl_core.interp.functions import DIGITS, FUNCTIONS
from usl_core.interp.values import POISON, Fault, Value
from usl_core.ir.externs import Extern
from usl_core.ir.types import BOOL, SCALARS, ScalarType, Type


def divide(a: Any, b: Any) -> Any:
    """The quotient; what IEEE 754 makes infinite or NaN is no rational, so it is poison."""
    if a is POISON or b is POISON or b == 0:
        return POISON
    if isinstance(a, Quotient) or isinstance(b, Quotient):
        return a / b
    return whole(Fraction(a) / b)


def _to_whole(fn: Callable[[int | Fraction], int]) -> Callable[[Any], Any]:
    return lambda x: POISON if x is POISON else fn(x)


def bits(x: Any, width: int) -> Any:
    """The bits of the float of that width that is next to x."""
    if x is POISON:
        return POISON
    return machine.bits(machine.round_rational(rational(x, DIGITS), machine.format_of(SCALARS[f"f{width}"])), width)


def from_bits(pattern: Any, width: int) -> Any:
    """The number of these bits; poison if they are those of none."""
    value = machine.from_bits(pattern, width)
    return whole(Fraction(value)) if value is not POISON and math.isfinite(value) else POISON


_ROUNDINGS: dict[str, Callable[[int | Fraction], int]] = {
    "rint": round,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
}


class ExactArithmetic(Arithmetic):
    """Rationals for R and the floating types; see the module."""

    mode = "exact"
    real_types = (int, Fraction, Quotient)
    names = SHARED | FUNCTIONS | {"divide": divide, "bits": bits, "from_bits": from_bits}
    names |= {name: _to_whole(fn) for name, fn in _ROUNDINGS.items()}

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

    def fused(self, typ: ScalarType, a: str, b: str, c: str) -> str:
        """The text of a * b + c."""
        return f"({a} * {b} + {c})"

    def extern(self, fn: Extern, result: ScalarType) -> Callable[..., Value]:
        """What computes a function."""

        def apply(*args: Any) -> Value:
            if fn.exact is None:
                raise Fault(f"{fn.name} does not say what it computes in exact mode")
            if any(arg is POISON for arg in args):
                return POISON
            value = fn.exact(result, *(rational(arg, DIGITS) for arg in args))
            return wrap_value(result, int(value)) if result.is_int else whole(Fraction(value))

        return apply
