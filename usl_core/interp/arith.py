"""Arithmetic on data as Python text: what `compile` asks of a mode, and the integer half that both modes share.

Values of integer types are Python ints in the range of their type; every operation ends in the reduction modulo 2^N.
Text handed in and out is self-contained: a name, a call or something in parentheses. Poison passes through Python's
operators by itself (`values.Poison`); functions test for it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from usl_core.interp.values import POISON, Fault, Value
from usl_core.ir.combining import FUNCTIONS
from usl_core.ir.externs import BUILTINS, Extern
from usl_core.ir.types import ScalarType, Type


class Arithmetic(ABC):
    """The operations of one mode.

    `names` are the functions that the text refers to, `real_types` the Python types of values of R and floating types.
    """

    mode: str
    real_types: tuple[type, ...]
    names: dict[str, Any]

    @abstractmethod
    def real_literal(self, value: Fraction, typ: ScalarType) -> int | Fraction | float:
        """A literal of R or a floating type as a value."""

    @abstractmethod
    def rounded(self, typ: ScalarType, text: str) -> str:
        """text, an operation just done on values of the floating type typ, brought back to typ."""

    @abstractmethod
    def to_real(self, source: Type, target: ScalarType, text: str) -> str:
        """The cast of any value to R or a floating type."""

    @abstractmethod
    def fused(self, typ: ScalarType, a: str, b: str, c: str) -> str:
        """`a * b + c` of a floating type or R, rounded once."""

    @abstractmethod
    def extern(self, fn: Extern, result: ScalarType) -> Callable[..., Value]:
        """A plugin's function on values."""

    def number(self, value: int | float | Fraction, typ: ScalarType) -> int | Fraction | float:
        """A number from outside as a value of typ; floats keep NaN and infinities where the mode has them."""
        return self.literal(Fraction(value), typ)

    def literal(self, value: int | bool | Fraction, typ: ScalarType) -> int | Fraction | float:
        """A literal's value at a type."""
        return int(value) if typ.is_int else self.real_literal(Fraction(value), typ)

    def combined(self, op: str, typ: ScalarType, old: str, new: str) -> str:
        """`old op new` at typ, op that of a reduction."""
        if op not in FUNCTIONS:
            return self.binary(op, typ, old, new)
        text = self.call(FUNCTIONS[op], typ, [old, new])
        assert text is not None
        return text

    def negate(self, typ: ScalarType, arg: str) -> str:
        """Python text of `-arg`."""
        return wrap(typ, f"-{arg}") if typ.is_int else f"(-{arg})"

    def binary(self, op: str, typ: ScalarType, lhs: str, rhs: str) -> str:
        """`lhs op rhs` at typ, op one of `+ - * / %` or `& | ^ << >>`."""
        if typ.is_int:
            match op:
                case "&" | "|" | "^":
                    return f"({lhs} {op} {rhs})"
                case "<<":
                    return wrap(typ, f"shift_left({lhs}, {rhs}, {typ.bits})")
                case ">>":
                    return f"shift_right({lhs}, {rhs}, {typ.bits})"
                case "/":
                    return wrap(typ, f"floor_div({lhs}, {rhs})")
                case "%":
                    return f"floor_mod({lhs}, {rhs})"
                case _:
                    return wrap(typ, f"{lhs} {op} {rhs}")
        match op:
            case "/":
                return self.rounded(typ, f"divide({lhs}, {rhs})")
            case "%":
                raise AssertionError("the remainder is not defined on R and floating data")
            case _:
                return self.rounded(typ, f"({lhs} {op} {rhs})")

    def stored(self, typ: ScalarType, value: str) -> str:
        """A value on its way into a buffer."""
        return value

    def compare(self, op: str, lhs: str, rhs: str) -> str:
        """A truth value, or poison, which refuses to be one."""
        match op:
            case "==":
                return f"equal({lhs}, {rhs})"
            case "!=":
                return f"unequal({lhs}, {rhs})"
            case _:
                return f"({lhs} {op} {rhs})"

    def cast(self, source: Type, target: ScalarType, arg: str) -> str:
        """Python text of arg converted."""
        if not target.is_int:
            return self.to_real(source, target, arg)
        if isinstance(source, ScalarType) and not source.is_int:
            lo, hi = target.int_range()
            return f"saturate({arg}, {lo}, {hi})"
        return wrap(target, arg)

    def call(self, fn: Extern, typ: ScalarType, args: list[str]) -> str | None:
        """The call of a built-in on data, None if fn is not one."""
        if BUILTINS.get(fn.name) is not fn:
            return None
        match fn.name:
            case "min":
                return f"minimum({', '.join(args)})"
            case "max":
                return f"maximum({', '.join(args)})"
            case "clamp":
                x, lo, hi = args
                return f"maximum({lo}, minimum({x}, {hi}))"
            case "abs":
                return wrap(typ, f"abs({args[0]})") if typ.is_int else f"abs({args[0]})"
            case "relu":
                return f"maximum({args[0]}, {self.literal(0, typ)!r})"
            case "select":
                return f"select({', '.join(args)})"
            case "fma":
                return self.fused(typ, *args)
            case "rsqrt":
                return self.binary("/", typ, repr(self.literal(1, typ)), self.rounded(typ, f"sqrt({args[0]})"))
            case "bits":
                return f"bits({args[0]}, {typ.bits})"
            case "<" | "<=" | "==":
                return f"holds({self.compare(fn.name, *args)})"
            case "from_bits":
                return f"from_bits({args[0]}, {typ.bits})"
            case _:
                return self.rounded(typ, f"{fn.name}({', '.join(args)})")


def wrap(typ: ScalarType, text: str) -> str:
    """text reduced modulo 2^N to the range of the integer type typ. `&` binds weaker than `+ - *` in Python."""
    mask = (1 << typ.bits) - 1
    if not typ.signed:
        return f"({text} & {mask})"
    half = 1 << (typ.bits - 1)
    return f"(({text} + {half} & {mask}) - {half})"


def wrap_value(typ: ScalarType, value: int) -> int:
    """value modulo 2^N, in the range of the integer type typ."""
    low, _ = typ.int_range()
    return ((value - low) & ((1 << typ.bits) - 1)) + low


def floor_div(a: Any, b: Any) -> Any:
    """Integer division to minus infinity, x / 0 = 0. MIN / -1 leaves the range and is wrapped by the caller."""
    if a is POISON or b is POISON:
        return POISON
    return a // b if b else 0


def floor_mod(a: Any, b: Any) -> Any:
    """The remainder that belongs to floor_div; x % 0 = 0."""
    if a is POISON or b is POISON:
        return POISON
    return a % b if b else 0


def shift_left(a: Any, b: Any, bits: int) -> Any:
    """a * 2^b, where b counts as a number without a sign; 0 if b is bits or more."""
    if a is POISON or b is POISON:
        return POISON
    b &= (1 << bits) - 1
    return a << b if b < bits else 0


def shift_right(a: Any, b: Any, bits: int) -> Any:
    """a / 2^b rounded down, where b counts as a number without a sign: by bits or more, 0 or -1."""
    if a is POISON or b is POISON:
        return POISON
    return a >> min(b & ((1 << bits) - 1), bits)


def minimum(a: Any, b: Any) -> Any:
    """`a < b ? a : b`, which decides what happens to NaN and signed zeros."""
    if a is POISON or b is POISON:
        return POISON
    return a if a < b else b


def maximum(a: Any, b: Any) -> Any:
    """`a > b ? a : b`; relu(x) is maximum(x, 0)."""
    if a is POISON or b is POISON:
        return POISON
    return a if a > b else b


def select(a: Any, b: Any, x: Any, y: Any) -> Any:
    """`a < b ? x : y`; only the chosen value passes on its poison."""
    if a is POISON or b is POISON:
        return POISON
    return x if a < b else y


def holds(truth: Any) -> Any:
    """A truth value as data."""
    return POISON if truth is POISON else int(truth)


def strict(a: Any, b: Any, value: Any) -> Any:
    """value, unless a or b has none."""
    return POISON if a is POISON or b is POISON else value


def saturate(value: Any, lo: int, hi: int) -> Any:
    """A real or float truncated towards zero into lo..hi; NaN gives 0."""
    if value is POISON:
        return POISON
    if value != value:
        return 0
    return lo if value <= lo else hi if value >= hi else math.trunc(value)


def equal(a: Any, b: Any) -> Any:
    """`a == b`; poison if one side is."""
    return POISON if a is POISON or b is POISON else a == b


def unequal(a: Any, b: Any) -> Any:
    """`a != b`; poison if one side is."""
    return POISON if a is POISON or b is POISON else a != b


def idx(value: Any, lo: int, hi: int) -> int:
    """The built-in `idx` on integer data: max(lo, min(value, hi - 1))."""
    if lo >= hi:
        raise Fault(f"idx: the interval {lo}..{hi} is empty")
    return max(lo, min(int(value.__index__()), hi - 1))


SHARED: dict[str, Any] = {
    fn.__name__: fn
    for fn in (
        floor_div,
        floor_mod,
        shift_left,
        shift_right,
        minimum,
        maximum,
        select,
        holds,
        strict,
        saturate,
        equal,
        unequal,
        idx,
    )
} | {"POISON": POISON}
"""What the text of every mode may refer to."""
