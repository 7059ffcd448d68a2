"""What operations do to values (halide.md §1): one total function per operation and type, exact or as the machine does.

Values of integer types are Python ints in the type's range, truth values 0 and 1. Floats are rationals in exact mode,
where what has no rational value (x / 0, sqrt(-1)) is NaN, and NumPy scalars in machine mode. ε values (def. 2.6) pass
through every operation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from usl_halide_lib.lang.types import BOOL, Type

Value = Any
Function = Callable[..., Value]


@dataclass(frozen=True, slots=True, order=True)
class Eps:
    """An error value; the greatest among operands wins."""

    rank: int

    def __repr__(self) -> str:
        return ("ε_rdom", "ε_mem")[self.rank]


EPS_RDOM = Eps(0)
EPS_MEM = Eps(1)

NO_NUMBER = math.nan
_FLOATS = {16: np.float16, 32: np.float32, 64: np.float64}


@cache
def wrapper(typ: Type) -> Callable[[int], int]:
    """Reduction of an integer to the type's range, modulo 2^N."""
    least, mask = typ.least, (1 << typ.bits) - 1
    return lambda value: ((value - least) & mask) + least


def constant(value: int | Fraction, typ: Type, exact: bool) -> Value:
    """A number as a value of a type."""
    if not typ.is_float:
        return int(value)
    return value if exact else _FLOATS[typ.bits](float(value))


def from_array(value: Any, typ: Type, exact: bool) -> Value:
    """An element of a NumPy array as a value."""
    if not typ.is_float:
        return int(value)
    if not exact:
        return _FLOATS[typ.bits](value)
    return Fraction(float(value)) if math.isfinite(value) else NO_NUMBER


@cache
def operation(op: str, operands: tuple[Type, ...], result: Type, exact: bool) -> Function:
    """The function of an operation on values of the operands' types, ε not among them."""
    own = operands[0]
    if op in _ANY:
        return _ANY[op]
    if op in ("cast", "saturating_cast"):
        return _cast(own, result, exact, saturating=op == "saturating_cast")
    if op == "bits":
        return lambda a: int(np.array(float(a), f"float{own.bits}").view(f"uint{own.bits}"))
    if op == "from_bits":
        return lambda a: from_array(np.array(a, f"uint{own.bits}").view(f"float{own.bits}")[()], result, exact)
    if own.is_float:
        return _float_operation(op, own, exact)
    return _integer_operation(op, own, result)


def _minimum(a: Value, b: Value) -> Value:
    return b if a != a else a if b != b else b if b < a else a


def _maximum(a: Value, b: Value) -> Value:
    return b if a != a else a if b != b else a if b < a else b


_ANY: dict[str, Function] = {
    "select": lambda c, a, b: a if c else b,
    "min": _minimum,
    "max": _maximum,
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "gt": lambda a, b: int(a > b),
    "ge": lambda a, b: int(a >= b),
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "and": lambda a, b: int(bool(a) and bool(b)),
    "or": lambda a, b: int(bool(a) or bool(b)),
    "not": lambda a: int(not a),
}


def euclidean_quotient(a: int, b: int) -> int:
    """a / b so that the remainder is not negative; 0 if b is 0."""
    return 0 if b == 0 else a // b if b > 0 else -(a // -b)


def euclidean_remainder(a: int, b: int) -> int:
    """The remainder of that: in [0, |b|), and 0 if b is 0."""
    return 0 if b == 0 else a % abs(b)


def shifted_left(a: int, b: int, bits: int) -> int:
    """a·2^b before reduction; a negative b shifts the other way. b of `bits` and more shift everything out."""
    if b < 0:
        return a >> min(-b, bits)
    return 0 if b >= bits else a << b


_INTEGER: dict[str, Function] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "div": euclidean_quotient,
    "mod": euclidean_remainder,
    "bitand": lambda a, b: a & b,
    "bitor": lambda a, b: a | b,
    "bitxor": lambda a, b: a ^ b,
    "bitnot": lambda a: ~a,
    "abs": abs,
    "absd": lambda a, b: abs(a - b),
}


def _integer_operation(op: str, typ: Type, result: Type) -> Function:
    wrap = wrapper(result)
    if op in ("shl", "shr"):
        sign, bits = (1 if op == "shl" else -1), typ.bits
        return lambda a, b: wrap(shifted_left(a, sign * b, bits))
    fn = _INTEGER[op]
    return lambda *args: wrap(fn(*args))


_FLOAT: dict[str, Function] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "abs": abs,
    "absd": lambda a, b: abs(a - b),
}

_REAL: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "tanh": math.tanh,
    "atan2": math.atan2,
    "erf": math.erf,
    "pow": math.pow,
}


def _float_operation(op: str, typ: Type, exact: bool) -> Function:
    if exact:
        return _EXACT.get(op) or _FLOAT.get(op) or _exact_function(_REAL[op])
    return _machine(
        _MACHINE.get(op) or _FLOAT.get(op) or getattr(np, {"pow": "power", "atan2": "arctan2"}.get(op, op)), _FLOATS[typ.bits]
    )


def _exact_function(fn: Callable[..., float]) -> Function:
    def apply(*args: Value) -> Value:
        try:
            value = fn(*map(float, args))
        except (ValueError, OverflowError):
            return NO_NUMBER
        return Fraction(value) if math.isfinite(value) else NO_NUMBER

    return apply


def _quotient(a: Value, b: Value) -> Value:
    return NO_NUMBER if a != a or b != b or b == 0 else Fraction(a) / b


def _whole(fn: Callable[[Fraction], int]) -> Function:
    return lambda a: a if a != a else fn(Fraction(a))


_EXACT: dict[str, Function] = {
    "div": _quotient,
    "mod": lambda a, b: NO_NUMBER if a != a or b != b or b == 0 else a - b * math.floor(Fraction(a) / b),
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "round": _whole(round),
    "trunc": _whole(math.trunc),
}

_MACHINE: dict[str, Function] = {
    "div": lambda a, b: a / b,
    "mod": lambda a, b: a - b * np.floor(a / b),
    "round": np.rint,
    "erf": lambda a: math.erf(a),
}


def _machine(fn: Function, to: Callable[[Any], Value]) -> Function:
    def apply(*args: Value) -> Value:
        with np.errstate(all="ignore"):
            return to(fn(*args))

    return apply


def _cast(source: Type, target: Type, exact: bool, saturating: bool) -> Function:
    if target.is_float:
        if exact:
            return lambda a: a
        to = _FLOATS[target.bits]
        return _machine(lambda a: a, to)
    if target == BOOL:
        return lambda a: int(a != 0)
    if source.is_float:
        return _truncation(target)
    if saturating:
        least, greatest = target.least, target.greatest
        return lambda a: max(least, min(a, greatest))
    return wrapper(target)


def _truncation(target: Type) -> Function:
    """Float to integer: toward zero, saturating, NaN to 0."""
    least, greatest = target.least, target.greatest

    def apply(a: Value) -> int:
        if a != a:
            return 0
        return greatest if a >= greatest else least if a <= least else int(a)

    return apply


def _selected(cond: Value, a: Value, b: Value) -> Value:
    if cond.__class__ is Eps:
        return cond
    taken, left = (a, b) if cond else (b, a)
    return left if left == EPS_RDOM and taken != EPS_MEM else taken


def guarded(fn: Function, arity: int) -> Function:
    """fn on operands that may be ε: the greatest of these, or else fn's value (def. 2.6).

    What a `select` does not take may be a place that nobody computed: its bounds leave that out (halide.md §5.3).
    """
    if fn is _ANY["select"]:
        return _selected
    if arity == 1:
        return lambda a: a if a.__class__ is Eps else fn(a)

    def apply(*args: Value) -> Value:
        errors = [a for a in args if a.__class__ is Eps]
        return max(errors) if errors else fn(*args)

    return apply
