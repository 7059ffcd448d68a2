"""The meaning of scalar operations, on Python's numbers: machine arithmetic, or exact with fractions for f32 and f64."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from usl_core.ir.types import ScalarType
from usl_soac.core import Const
from usl_soac.scalars import BOOL, SCALARS

Number = bool | int | float | Fraction


def wrap(value: int, scalar: ScalarType) -> int:
    """value modulo 2^bits, in the range of the type."""
    value &= (1 << scalar.bits) - 1
    return value - (1 << scalar.bits) if scalar.signed and value >> (scalar.bits - 1) else value


def rounded(value: Number, scalar: ScalarType, exact: bool) -> Number:
    """A real number as one of a floating type; exact ones stay."""
    if exact:
        return value if not isinstance(value, float) or not math.isfinite(value) else Fraction(value)
    try:
        number = float(value)
        if scalar.bits == 64:
            return number
        (single,) = struct.unpack("<f", struct.pack("<f", number))
        return float(single)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def constant(const: Const, exact: bool) -> Number:
    """The value of a constant."""
    value = const.value
    if const.scalar is BOOL or const.scalar.is_int:
        return bool(value) if const.scalar is BOOL else int(value)
    return rounded(value, const.scalar, exact)


def apply(op: str, args: Sequence[Any], operand: ScalarType, exact: bool) -> Number:
    """An operation of the core on values of type `operand`.

    Raises:
        ZeroDivisionError: `//` or `%` of an integer by 0.
    """
    if op in SCALARS:
        return convert(args[0], operand, SCALARS[op], exact)
    if op in _COMPARE:
        return bool(_COMPARE[op](args[0], args[1]))
    if op == "select":
        condition, yes, no = args
        chosen: Number = yes if condition else no
        return chosen
    if operand is BOOL:
        return bool(_BOOL[op](*args))
    if operand.is_int:
        return wrap(_integer(op, args, operand), operand)
    return rounded(_real(op, args), operand, exact)


def convert(value: Any, source: ScalarType, target: ScalarType, exact: bool) -> Number:
    """A conversion: integers wrap, real numbers are cut and saturate, NaN gives 0."""
    if target is BOOL:
        return bool(value != 0)
    if target.is_real:
        return rounded(Fraction(int(value)) if source.is_int else value, target, exact)
    if source.is_int:
        return wrap(int(value), target)
    if value != value:
        return 0
    low, high = target.int_range()
    return low if value <= low else high if value >= high else math.trunc(value)


_COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
_BOOL: Mapping[str, Callable[..., Any]] = {
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
}


def _integer(op: str, args: Sequence[int], scalar: ScalarType) -> int:
    match op, args:
        case "+", [a, b]:
            return a + b
        case "-", [a, b]:
            return a - b
        case "*", [a, b]:
            return a * b
        case "//", [a, b]:
            return a // b
        case "%", [a, b]:
            return a % b
        case "**", [a, b]:
            return pow(a, b, 1 << scalar.bits)
        case "&", [a, b]:
            return a & b
        case "|", [a, b]:
            return a | b
        case "^", [a, b]:
            return a ^ b
        case "<<", [a, b]:
            return a << (b % scalar.bits)
        case ">>", [a, b]:
            return a >> (b % scalar.bits)
        case "min", [a, b]:
            return a if a < b else b
        case "max", [a, b]:
            return a if a > b else b
        case "neg", [a]:
            return -a
        case "~", [a]:
            return ~a
        case "abs", [a]:
            return abs(a)
        case _:
            raise AssertionError(f"no operation {op} of integers")


def _real(op: str, args: Sequence[Any]) -> Any:
    match op, args:
        case "+", [a, b]:
            return a + b
        case "-", [a, b]:
            return a - b
        case "*", [a, b]:
            return a * b
        case "/", [a, b]:
            return _divided(a, b)
        case "min", [a, b]:
            return a if a < b else b
        case "max", [a, b]:
            return a if a > b else b
        case "neg", [a]:
            return -a
        case "abs", [a]:
            return abs(a)
        case (("floor" | "ceil"), [a]):
            if isinstance(a, Fraction):
                return Fraction(math.floor(a) if op == "floor" else math.ceil(a))
            return math.copysign(float(math.floor(a) if op == "floor" else math.ceil(a)), a) if math.isfinite(a) else a
        case _:
            return _library(op, args)


def _divided(a: Any, b: Any) -> Any:
    if b == 0:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def _library(op: str, args: Sequence[Any]) -> float:
    """A function of the C library, which does not raise where Python's does."""
    numbers = [float(arg) for arg in args]
    x, y = numbers[0], numbers[-1]
    try:
        return float(getattr(math, op)(*numbers))
    except OverflowError:
        return -math.inf if op == "pow" and x < 0 and y % 2 == 1 else math.inf
    except ValueError:
        if op == "log" and x == 0:
            return -math.inf
        if op == "pow" and x == 0 and y < 0:
            return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
        return math.nan
