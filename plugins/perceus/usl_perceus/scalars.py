"""The meaning of the scalar primitives, on Python's numbers; both interpreters and constant folding use it."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from usl_perceus.ir import BOOL, FloatType, IntType, Type
from usl_perceus.prims import MATH

Scalar = int | float


def wrap(value: int, type: IntType) -> int:
    """value modulo 2^bits, in the range of the type."""
    value &= (1 << type.bits) - 1
    return value - (1 << type.bits) if type.signed and value >> (type.bits - 1) else value


def round_to(value: float, type: FloatType) -> float:
    """value rounded to the type; beyond its range infinite."""
    if type.bits == 64:
        return value
    try:
        (rounded,) = struct.unpack("<f", struct.pack("<f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return float(rounded)


def evaluate(op: str, args: tuple[Scalar, ...], type: Type, result: Type) -> Scalar:
    """op applied to scalars of the given type (enumerations as their tags; `prims.py`); a bool as 0 or 1.

    Raises:
        ZeroDivisionError: div or mod by 0, which is a broken precondition.
    """
    if op in ("eq", "ne", "lt", "le", "gt", "ge"):
        a, b = args
        return int({"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[op])
    if op == "cast":
        return _cast(args[0], result)
    if op == "hash":
        return hashed(int(args[0]), args[1])
    if isinstance(type, FloatType):
        return round_to(_float(op, tuple(float(arg) for arg in args)), type)
    ints = tuple(int(arg) for arg in args)
    if type == BOOL:
        return _int(op, ints, IntType(8, False)) & 1
    assert isinstance(type, IntType)
    return wrap(_int(op, ints, type), type)


_WORD = (1 << 64) - 1


def hashed(hash: int, value: Scalar) -> int:
    """hash mixed with a number, as usl_rt.h does it; floats by their bits, 0.0 and -0.0 alike."""
    bits: int = struct.unpack("<Q", struct.pack("<d", value + 0.0))[0] if isinstance(value, float) else value
    x = ((hash ^ bits & _WORD) + 0x9E3779B97F4A7C15) & _WORD
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _WORD
    return x ^ x >> 31


def _int(op: str, args: tuple[int, ...], type: IntType) -> int:
    match op, args:
        case "neg", (a,):
            return -a
        case "not", (a,):
            return ~a
        case "add", (a, b):
            return a + b
        case "sub", (a, b):
            return a - b
        case "mul", (a, b):
            return a * b
        case "div", (a, b):
            return a // b
        case "mod", (a, b):
            return a % b
        case "and", (a, b):
            return a & b
        case "or", (a, b):
            return a | b
        case "xor", (a, b):
            return a ^ b
        case "shl", (a, b):
            return a << (b % type.bits)
        case "shr", (a, b):
            return a >> (b % type.bits)
    raise AssertionError(f"no integer operation {op}")


def _float(op: str, args: tuple[float, ...]) -> float:
    match op, args:
        case "neg", (a,):
            return -a
        case "add", (a, b):
            return a + b
        case "sub", (a, b):
            return a - b
        case "mul", (a, b):
            return a * b
        case "fdiv", (a, b):
            if b == 0:
                sign = math.copysign(1.0, a) * math.copysign(1.0, b)
                return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, sign)
            return a / b
        case (("floor" | "ceil" | "trunc" | "round"), (a,)):
            return math.copysign(float(_ROUNDED[op](a)), a) if math.isfinite(a) else a
        case "abs", (a,):
            return abs(a)
        case _ if op in MATH:
            return _library(op, args)
    raise AssertionError(f"no floating-point operation {op}")


_ROUNDED: dict[str, Callable[[float], int]] = {"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "round": round}


def _library(op: str, args: tuple[float, ...]) -> float:
    """A function of the C library, which does not raise where Python's does."""
    x, y = args[0], args[-1]
    try:
        return float(getattr(math, op)(*args))
    except OverflowError:
        negative = x < 0 and (op == "sinh" or (op == "pow" and y % 2 == 1))
        return -math.inf if negative else math.inf
    except ValueError:
        if op in ("log", "log2", "log10") and x == 0:
            return -math.inf
        if op == "pow" and x == 0 and y < 0:
            return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
        return math.nan


def _cast(value: Scalar, result: Type) -> Scalar:
    if isinstance(result, FloatType):
        return round_to(float(value), result)
    assert isinstance(result, IntType)
    if isinstance(value, int):
        return wrap(value, result)
    if math.isnan(value):
        return 0
    low, high = (-(1 << (result.bits - 1)), (1 << (result.bits - 1)) - 1) if result.signed else (0, (1 << result.bits) - 1)
    return int(min(max(value, low), high)) if math.isfinite(value) else (low if value < 0 else high)
