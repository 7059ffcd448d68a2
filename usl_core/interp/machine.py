"""Machine arithmetic: every floating operation is rounded to its own type, as C11 on IEEE floats without excess precision.

Values are Python floats that the type can represent. Computing `+ - * / sqrt` of f16, bf16 and f32 in f64 and rounding once
more is exact rounding, as 53 >= 2 * 24 + 2 (Figueroa 1995). R is computed as f64. `exp`, `log`, `pow` and their like are those
of the platform's f64 library, rounded; C's float versions may differ in the last place.
"""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable
from ctypes import c_float
from fractions import Fraction
from typing import Any

from usl_core.interp.arith import SHARED, Arithmetic, wrap_value
from usl_core.interp.values import POISON, Fault, Value
from usl_core.ir.externs import Extern
from usl_core.ir.types import F32, F64, FloatFormat, R, ScalarType, Type


def format_of(typ: ScalarType) -> FloatFormat:
    """The format of a floating type; R is computed as f64.

    Raises:
        Fault: the type declares none.
    """
    form = F64.format if typ == R else typ.format
    if form is None:
        raise Fault(f"machine precision of the scalar type {typ} is not known")
    return form


@functools.cache
def largest(form: FloatFormat) -> float:
    """The greatest finite number of a format."""
    return math.ldexp(2.0 - math.ldexp(1.0 + form.finite, 1 - form.precision), form.infinite - 1)


def _limited(value: float, sign: float, form: FloatFormat) -> float:
    """A rounded number, or what the format has in its place if it is too large."""
    if abs(value) <= largest(form):
        return value
    return math.nan if form.finite else math.copysign(math.inf, sign)


def round_rational(value: int | Fraction, form: FloatFormat) -> float:
    """The float nearest to value, ties to even: one rounding, whatever the size of value."""
    if value == 0:
        return 0.0
    value = Fraction(value)
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if abs(value) < Fraction(2) ** exponent:
        exponent -= 1
    quantum = max(exponent - form.precision + 1, form.least)
    steps = round(value / Fraction(2) ** quantum)
    if abs(steps) >= 1 << max(0, form.infinite - quantum):
        return _limited(math.inf, steps, form)
    return _limited(math.ldexp(steps, quantum), steps, form) if steps else math.copysign(0.0, value)


def round_float(value: float, form: FloatFormat) -> float:
    """The nearest number of a format narrower than f64, ties to even."""
    if value == 0 or value != value:
        return value
    if abs(value) >= math.ldexp(1.0, form.infinite):
        return _limited(math.inf, value, form)
    quantum = max(math.frexp(value)[1] - form.precision, form.least)
    result = math.ldexp(round(math.ldexp(value, -quantum)), quantum)
    return _limited(math.copysign(result, value), value, form)


def _round_f32(value: Any) -> Any:
    return POISON if value is POISON else c_float(value).value


def divide(a: Any, b: Any) -> Any:
    """The quotient as IEEE 754 has it, infinities included."""
    if a is POISON or b is POISON:
        return POISON
    if b:
        return a / b
    if a != a or a == 0 or b != b:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _lifted(fn: Callable[[float], float]) -> Callable[[Any], Any]:
    """fn with poison passed on and Python's exceptions turned into the values that C gives."""

    def apply(x: Any) -> Any:
        if x is POISON:
            return POISON
        try:
            return fn(x)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return apply


def _log(x: float) -> float:
    return -math.inf if x == 0 else math.log(x)


def _log2(x: float) -> float:
    return -math.inf if x == 0 else math.log2(x)


def _log1p(x: float) -> float:
    return -math.inf if x == -1 else math.log1p(x)


def _pow(x: Any, y: Any) -> Any:
    """The power as C has it, where Python raises: too large, or a power of 0 that is infinite."""
    if x is POISON or y is POISON:
        return POISON
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:
        if x != 0:
            return math.nan
        return math.copysign(math.inf, x) if y % 2 == 1 else math.inf


def _atan2(y: Any, x: Any) -> Any:
    return POISON if y is POISON or x is POISON else math.atan2(y, x)


def _to_whole(fn: Callable[[float], int]) -> Callable[[Any], Any]:
    """A rounding to whole numbers; what is no number, infinities and the sign of a zero stay."""

    def apply(x: Any) -> Any:
        return x if x is POISON or not math.isfinite(x) else math.copysign(float(fn(x)), x)

    return apply


_PATTERNS = {32: ("<f", "<I"), 64: ("<d", "<Q")}


def bits(x: Any, width: int) -> Any:
    """The bits of a float of that width."""
    real, whole = _PATTERNS[width]
    return POISON if x is POISON else struct.unpack(whole, struct.pack(real, x))[0]


def from_bits(pattern: Any, width: int) -> Any:
    """The float of these bits."""
    real, whole = _PATTERNS[width]
    return POISON if pattern is POISON else struct.unpack(real, struct.pack(whole, pattern))[0]


_FUNCTIONS: dict[str, Callable[[float], float]] = {
    **{name: getattr(math, name) for name in ("sqrt", "exp", "exp2", "expm1", "erf", "cbrt", "sin", "cos", "tan", "tanh")},
    "log": _log,
    "log2": _log2,
    "log1p": _log1p,
}
_ROUNDINGS: dict[str, Callable[[float], int]] = {"rint": round, "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc}


class MachineArithmetic(Arithmetic):
    """IEEE floats rounded after each operation; see the module."""

    mode = "machine"
    real_types = (float,)

    def __init__(self) -> None:
        self.names = SHARED | {"divide": divide, "nan": math.nan, "inf": math.inf, "pow": _pow, "atan2": _atan2}
        self.names |= {"bits": bits, "from_bits": from_bits}
        self.names |= {name: _lifted(fn) for name, fn in _FUNCTIONS.items()}
        self.names |= {name: _to_whole(fn) for name, fn in _ROUNDINGS.items()}

    def number(self, value: int | float | Fraction, typ: ScalarType) -> int | Fraction | float:
        """A number rounded to a type."""
        return self.round(typ, value) if isinstance(value, float) else self.literal(value, typ)

    def real_literal(self, value: Fraction, typ: ScalarType) -> float:
        """The number rounded to its type."""
        return round_rational(value, format_of(typ))

    def rounded(self, typ: ScalarType, text: str) -> str:
        """The text of a result rounded to its type."""
        form = format_of(typ)
        if form.precision == 53:
            return text
        return f"{self._rounding(typ, form)}({text})"

    def to_real(self, source: Type, target: ScalarType, text: str) -> str:
        """The text of a conversion, rounded to the target."""
        if isinstance(source, ScalarType) and not source.is_int:
            narrower = format_of(target).precision < format_of(source).precision or source != target
            return self.rounded(target, text) if narrower else text
        form = format_of(target)
        name = f"convert_{target.name}"
        self.names.setdefault(name, lambda value: POISON if value is POISON else round_rational(int(value), form))
        return f"{name}({text})"

    def fused(self, typ: ScalarType, a: str, b: str, c: str) -> str:
        """The text of the exact result, rounded once."""
        form, name = format_of(typ), f"fma_{typ.name}"

        def fma(a: Any, b: Any, c: Any) -> Any:
            if a is POISON or b is POISON or c is POISON:
                return POISON
            if not (math.isfinite(a) and math.isfinite(b)):
                return a * b + c
            if not math.isfinite(c):
                return c
            total = Fraction(a) * Fraction(b) + Fraction(c)
            return (
                round_rational(total, form) if total else math.copysign(0.0, a) * math.copysign(1.0, b) + c if c == 0 else 0.0
            )

        self.names.setdefault(name, fma)
        return f"{name}({a}, {b}, {c})"

    def extern(self, fn: Extern, result: ScalarType) -> Callable[..., Value]:
        """What computes a function, rounded to its type."""

        def apply(*args: Any) -> Value:
            if fn.machine is None:
                raise Fault(f"{fn.name} does not say what it computes at machine precision")
            if any(arg is POISON for arg in args):
                return POISON
            value = fn.machine(result, *args)
            return wrap_value(result, int(value)) if result.is_int else self.round(result, float(value))

        return apply

    def round(self, typ: ScalarType, value: float) -> float:
        """A float brought to the nearest number of typ."""
        form = format_of(typ)
        return value if form.precision == 53 else round_float(value, form)

    def _rounding(self, typ: ScalarType, form: FloatFormat) -> str:
        """The name of the function that rounds to a type; f32 is the common case and has hardware for it."""
        name = f"round_{typ.name}"
        self.names.setdefault(
            name,
            _round_f32 if typ == F32 else lambda value: POISON if value is POISON else round_float(value, form),
        )
        return name
