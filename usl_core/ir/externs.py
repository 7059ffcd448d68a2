"""Functions that the object language can call on data (and `min`, `max`, `idx` on control values).

An `Extern` declares how its result is typed; the interpreter computes the built-ins, a backend knows their C. A plugin's own
extern carries `exact`, `machine` and `c`. Externs are deterministic; algebra does not look inside them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from usl_core.ir.identity import Declaration
from usl_core.ir.types import B8, F32, F64, INDEX, U32, U64, Kind, ScalarType, Type, is_integer_control
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Extern(Declaration):
    """A function on data. `result` gives the type of a call, or raises ValueError with what is wrong with the arguments.

    exact(type, *args) works on int/Fraction and machine(type, *args) on NumPy scalars; c(type, ctype, args) is C text.
    None means that the interpreter or backend knows the function by its name.
    """

    name: str
    arity: int
    result: Callable[[Sequence[Type]], Type]
    exact: Callable[..., Any] | None = None
    machine: Callable[..., Any] | None = None
    c: Callable[..., str] | None = None
    includes: tuple[str, ...] = ()

    def declared_as(self) -> str:
        """How messages call it."""
        return f"function {self.name}"


def _data(types: Sequence[Type]) -> ScalarType:
    first = types[0]
    if not isinstance(first, ScalarType):
        raise ValueError("arguments must be data scalars")
    if any(t != first for t in types):
        raise ValueError(f"arguments must have one type, got {', '.join(map(str, types))}; use an explicit cast")
    return first


def _numbers(types: Sequence[Type]) -> ScalarType:
    if (typ := _data(types)) == B8:
        raise ValueError(f"arguments must be numbers, got {typ}")
    return typ


def _compared(types: Sequence[Type]) -> Type:
    _data(types)
    return B8


def _ordered(types: Sequence[Type]) -> Type:
    _numbers(types)
    return B8


def _same_or_index(types: Sequence[Type]) -> Type:
    if all(is_integer_control(t) for t in types):
        return INDEX
    return _numbers(types)


def _floating(types: Sequence[Type]) -> ScalarType:
    typ = _data(types)
    if typ.kind is Kind.INT:
        raise ValueError(f"arguments must be R or floating, got {typ}")
    return typ


_BITS = {F32: U32, F64: U64}
_FROM_BITS = {bits: typ for typ, bits in _BITS.items()}


def _bits(types: Sequence[Type]) -> Type:
    if (typ := _data(types)) not in _BITS:
        raise ValueError(f"the argument must be f32 or f64, got {typ}")
    return _BITS[typ]


def _from_bits(types: Sequence[Type]) -> Type:
    if (typ := _data(types)) not in _FROM_BITS:
        raise ValueError(f"the argument must be u32 or u64, got {typ}")
    return _FROM_BITS[typ]


def _select(types: Sequence[Type]) -> Type:
    _data(types[:2])
    return _data(types[2:])


def _idx(types: Sequence[Type]) -> Type:
    if not (isinstance(types[0], ScalarType) and types[0].is_int):
        raise ValueError("the first argument must be integer data")
    if not all(is_integer_control(t) for t in types[1:]):
        raise ValueError("the limits must be index expressions")
    return INDEX


MIN = Extern("min", 2, _same_or_index)
"""`a < b ? a : b`."""
MAX = Extern("max", 2, _same_or_index)
"""`a > b ? a : b`."""
ABS = Extern("abs", 1, _numbers)
RELU = Extern("relu", 1, _numbers)
"""`x > 0 ? x : 0`."""
SELECT = Extern("select", 4, _select)
"""`select(a, b, x, y)` is x if a < b, else y."""
CLAMP = Extern("clamp", 3, _numbers)
"""`clamp(x, lo, hi)` is max(lo, min(x, hi))."""
IDX = Extern("idx", 3, _idx)
"""`idx(e, lo, hi)` is max(lo, min(e, hi - 1)) of integer data e, as an index (docs/semantics.md)."""
SQRT = Extern("sqrt", 1, _floating)
EXP = Extern("exp", 1, _floating)
LOG = Extern("log", 1, _floating)
SIN = Extern("sin", 1, _floating)
COS = Extern("cos", 1, _floating)
TANH = Extern("tanh", 1, _floating)
TAN = Extern("tan", 1, _floating)
ATAN2 = Extern("atan2", 2, _floating)
"""`atan2(y, x)` is the angle of the point (x, y), in -pi..pi; 0 of (0, 0)."""
ERF = Extern("erf", 1, _floating)
CBRT = Extern("cbrt", 1, _floating)
RSQRT = Extern("rsqrt", 1, _floating)
"""`1 / sqrt(x)`, with the roundings of both operations."""
POW = Extern("pow", 2, _floating)
EXP2 = Extern("exp2", 1, _floating)
EXPM1 = Extern("expm1", 1, _floating)
LOG2 = Extern("log2", 1, _floating)
LOG1P = Extern("log1p", 1, _floating)
RINT = Extern("rint", 1, _floating)
"""The nearest whole number, of two equally near ones the even one."""
FLOOR = Extern("floor", 1, _floating)
CEIL = Extern("ceil", 1, _floating)
TRUNC = Extern("trunc", 1, _floating)
"""The whole number next to x towards 0."""
FMA = Extern("fma", 3, _floating)
"""`fma(a, b, c)` is a * b + c, rounded once."""
BITS = Extern("bits", 1, _bits)
"""The bits of an f32 as a u32, of an f64 as a u64; of a NaN those of some NaN."""
FROM_BITS = Extern("from_bits", 1, _from_bits)
"""The f32 of the bits of a u32, the f64 of those of a u64."""

LESS = Extern("<", 2, _ordered)
AT_MOST = Extern("<=", 2, _ordered)
EQUAL = Extern("==", 2, _compared)
"""Comparisons of data as values of type b8, False where a side is NaN."""

RELATIONS = (LESS, AT_MOST, EQUAL)
ROUNDINGS = (RINT, FLOOR, CEIL, TRUNC)
FUNCTIONS = (SQRT, EXP, LOG, SIN, COS, TANH, TAN, ATAN2, ERF, CBRT, RSQRT, POW, EXP2, EXPM1, LOG2, LOG1P)
"""Functions of R and floating types whose values are rounded."""
TOTAL = frozenset(
    {MIN, MAX, ABS, RELU, CLAMP, EXP, EXP2, EXPM1, ERF, CBRT, SIN, COS, TAN, TANH, ATAN2, FMA, BITS, *ROUNDINGS, *RELATIONS}
)
"""Those that have a value wherever their arguments have one."""
BUILTINS: dict[str, Extern] = {
    e.name: e for e in (MIN, MAX, ABS, RELU, SELECT, CLAMP, IDX, *FUNCTIONS, *ROUNDINGS, FMA, BITS, FROM_BITS, *RELATIONS)
}
