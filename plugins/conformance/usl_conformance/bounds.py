"""How far a result may be from exact arithmetic when it was rounded at most k times on the way from any operand.

Every number carries its exact value and its size: what the same expression gives when nothing cancels, all terms taken as
absolute values. With unit roundoff u, the result of at most k roundings is within `gamma(k - 1) * size` before the last
of them, gamma(k) = k u / (1 - k u), and that one adds at most `u |value|`; so one rounding gives the familiar half unit in the
last place. Reference: Higham 2002, Accuracy and Stability of Numerical Algorithms, §3.1 and lemma 3.1. Division and the
externs multiply sizes by their condition number (§1.6).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from usl_core.interp import (
    POISON,
    SHARED,
    Arithmetic,
    Compiler,
    ConfigKey,
    ConfigState,
    ExactArithmetic,
    State,
    Value,
    bind,
    format_of,
    rational,
)
from usl_core.ir import externs
from usl_core.ir.externs import Extern
from usl_core.ir.nodes import Node, Proc
from usl_core.ir.traverse import walk
from usl_core.ir.types import F64, FloatFormat, ScalarType, Type

DIGITS = 60
"""Of e^x, which exact arithmetic knows as a number of its own: sizes are rational."""
LARGEST = 4096
"""Where e^x and e^-x are beyond every format; further out they would be too long to write down."""


class Sized:
    """An exact number and its size, which is at least its absolute value."""

    __slots__ = ("size", "value")

    def __init__(self, value: int | Fraction, size: int | Fraction) -> None:
        self.value = value
        self.size = size

    @staticmethod
    def of(value: int | float | Fraction) -> Sized:
        """A number that nothing has been computed for: its size is its absolute value."""
        exact = Fraction(value)
        return Sized(exact, abs(exact))

    def __repr__(self) -> str:
        return f"sized({self.value})"  # as the interpreter writes a literal 0 into its text

    def __add__(self, other: Any) -> Any:
        return POISON if other is POISON else Sized(self.value + other.value, self.size + other.size)

    def __sub__(self, other: Any) -> Any:
        return POISON if other is POISON else Sized(self.value - other.value, self.size + other.size)

    def __mul__(self, other: Any) -> Any:
        return POISON if other is POISON else Sized(self.value * other.value, self.size * other.size)

    def __neg__(self) -> Sized:
        return Sized(-self.value, self.size)

    def __abs__(self) -> Sized:
        return self if self.value >= 0 else -self

    def __lt__(self, other: Any) -> Any:
        return POISON if other is POISON else self.value < other.value

    def __le__(self, other: Any) -> Any:
        return POISON if other is POISON else self.value <= other.value

    def __gt__(self, other: Any) -> Any:
        return POISON if other is POISON else self.value > other.value

    def __ge__(self, other: Any) -> Any:
        return POISON if other is POISON else self.value >= other.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sized) and self.value == other.value

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]  # compared only

    def __trunc__(self) -> int:
        return int(self.value)


def _divide(a: Any, b: Any) -> Any:
    if a is POISON or b is POISON:
        return POISON
    if b.value == 0:
        return Sized(0, 0)
    quotient = Fraction(a.value) / b.value
    return Sized(quotient, Fraction(a.size) / abs(b.value) + abs(quotient) * Fraction(b.size) / abs(b.value))


def _step(*_: Any) -> Any:
    """A function with steps: however little its argument is off, its value may be off by a whole step."""
    raise NotImplementedError


def _of_two(name: str, fn: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`pow` and `atan2` on sized numbers."""

    def apply(a: Any, b: Any) -> Any:
        if a is POISON or b is POISON:
            return POISON
        value = rational(fn(a.value, b.value), DIGITS)
        if value is POISON:
            return POISON
        x, y = Fraction(a.value), Fraction(b.value)
        if name == "pow":  # x^y changes by y/x of itself with x, and by ln x of itself with y
            slopes = (abs(y / x), abs(Fraction(ExactArithmetic.names["log"](abs(x))))) if x else (Fraction(0), Fraction(0))
            slopes = (slopes[0] * abs(value), slopes[1] * abs(value))
        else:
            square = x * x + y * y
            slopes = (abs(y) / square, abs(x) / square) if square else (Fraction(0), Fraction(0))
        return Sized(value, abs(value) + slopes[0] * a.size + slopes[1] * b.size)

    return apply


def _lifted(name: str, fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An extern on sized numbers: its value, and the size of its argument times the slope there."""

    def apply(x: Any) -> Any:
        if x is POISON:
            return POISON
        at = max(-LARGEST, min(x.value, LARGEST)) if name in ("exp", "expm1") else x.value
        value = rational(fn(at), DIGITS)
        if value is POISON:
            return POISON
        return Sized(value, abs(value) + _slope(name, Fraction(x.value), value) * x.size)

    return apply


def _slope(name: str, x: Fraction, value: Any) -> Fraction:
    """A bound on the derivative of a built-in function at x."""
    match name:
        case "exp" | "exp2":
            return abs(Fraction(value))
        case "expm1":
            return abs(Fraction(value) + 1)
        case "log":
            return 1 / abs(x) if x else Fraction(0)
        case "log2":
            return 3 / (2 * abs(x)) if x else Fraction(0)
        case "log1p":
            return 1 / abs(1 + x) if x != -1 else Fraction(0)
        case "tan":
            return 1 + Fraction(value) ** 2
        case "cbrt":
            return 1 / (3 * Fraction(value) ** 2) if value else Fraction(0)
        case "sqrt":
            return 1 / (2 * Fraction(value)) if value else Fraction(0)
        case _:  # sin, cos, tanh; erf's is at most 2 / sqrt(pi)
            return Fraction(8, 7)


def _of_integer(value: Any) -> Any:
    return POISON if value is POISON else Sized.of(int(value))


def _saturate(value: Any, lo: int, hi: int) -> Any:
    if value is POISON:
        return POISON
    return lo if value.value <= lo else hi if value.value >= hi else int(value.value)


class SizedArithmetic(Arithmetic):
    """Exact arithmetic that carries sizes along. Integers are plain."""

    mode = "exact"
    real_types = (Sized,)

    def __init__(self) -> None:
        exact, pairs = ExactArithmetic.names, (externs.POW.name, externs.ATAN2.name)
        self.names = SHARED | {"divide": _divide, "saturate": _saturate, "sized": _of_integer}
        self.names |= {fn.name: _lifted(fn.name, exact[fn.name]) for fn in externs.FUNCTIONS if fn.name in exact}
        self.names |= {name: _of_two(name, exact[name]) for name in pairs}
        self.names |= {fn.name: _step for fn in (*externs.ROUNDINGS, externs.BITS, externs.FROM_BITS)}

    def real_literal(self, value: Fraction, typ: ScalarType) -> Any:
        """The literal as it is written: rounding to typ belongs to the bound, not to the value."""
        return Sized.of(value)

    def rounded(self, typ: ScalarType, text: str) -> str:
        """The text as it is: exact arithmetic never rounds."""
        return text

    def to_real(self, source: Type, target: ScalarType, text: str) -> str:
        """The text of a conversion; integers are plain numbers and get a size here."""
        if isinstance(source, ScalarType) and not source.is_int:
            return text
        return f"sized({text})"

    def fused(self, typ: ScalarType, a: str, b: str, c: str) -> str:
        """The text of a * b + c."""
        return f"({a} * {b} + {c})"

    def extern(self, fn: Extern, result: ScalarType) -> Callable[..., Value]:
        """There is no error bound for a function of a plugin.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(fn.name)  # a plugin's function: its error is not known


_ARITHMETIC = SizedArithmetic()
_COMPILER = Compiler(_ARITHMETIC, traced=False)


def run_sized(proc: Proc, args: Sequence[Any], configs: Mapping[ConfigKey, Any] | None = None) -> None:
    """Runs proc on buffers of sized numbers (integers plain), in place; configs are fields of the same kind of values.

    Raises:
        NotImplementedError: proc calls a function of a plugin, or one that has steps.
    """
    compiled = _COMPILER.compile(proc)
    values, _ = bind(proc, args, _ARITHMETIC)
    compiled.function(State(ConfigState(configs or {})), *values)


def sized_data(scalar: ScalarType, data: Sequence[Value]) -> list[Any]:
    """The elements of a buffer for `run_sized`; poison stays poison."""
    if scalar.is_int:
        return list(data)
    return [value if value is POISON else Sized.of(value) for value in data]  # type: ignore[arg-type]


def coarsest_format(proc: Proc) -> FloatFormat:
    """The floating format of lowest precision that proc computes with."""
    formats = [typ.format for typ in _types(proc) if isinstance(typ, ScalarType) and typ.format]
    return min(formats, key=lambda form: form.precision, default=format_of(F64))


def _types(proc: Proc) -> list[Any]:
    nodes: list[Node] = [node for root in (*proc.args, *proc.body) for node in walk(root)]
    types = [getattr(node, "type", None) for node in nodes]
    return [getattr(typ, "scalar", typ) for typ in types]


def bound(number: Sized, roundings: int, form: FloatFormat, flushes: bool = False) -> Fraction:
    """The greatest distance from number's value after that many roundings in a format, which may flush subnormal results."""
    if roundings == 0:
        return Fraction(0)
    unit = Fraction(1, 1 << form.precision)
    before = roundings - 1
    gamma = before * unit / (1 - before * unit) if before else Fraction(0)
    tiny = Fraction(2) ** (form.least + form.precision - 1 if flushes else form.least)
    return unit * abs(Fraction(number.value)) + (1 + unit) * gamma * number.size + roundings * tiny


def least_normal(form: FloatFormat) -> float:
    """The least positive normal number of a format: below it, a processor may flush to 0."""
    return math.ldexp(1.0, form.least + form.precision - 1)


def overflows(number: Sized, form: FloatFormat) -> bool:
    """Whether an intermediate result may have left the format's range."""
    return number.size * 2 >= Fraction(2) ** form.infinite
