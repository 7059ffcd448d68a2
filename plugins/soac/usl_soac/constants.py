"""Constants and scalar types as they stand in outer code."""

from __future__ import annotations

import math

from usl_core.ir.types import I64, ScalarType
from usl_soac.core import Const
from usl_soac.scalars import BOOL


def element_type(scalar: ScalarType) -> str:
    """The type of elements of arrays; truth values are bytes, as kernels have them."""
    return "u8" if scalar is BOOL else scalar.name


def zero(scalar: ScalarType) -> str:
    """What fills a new array."""
    return f"{element_type(scalar)}({'0.0' if scalar.is_real else '0'})"


def constant(const: Const) -> str:
    """The text of a constant."""
    value, scalar = const.value, const.scalar
    if isinstance(value, bool) or scalar is BOOL:
        return str(bool(value))
    if scalar.is_real:
        return _real(float(value), scalar)
    number = int(value)
    if number >= 1 << 63:
        number -= 1 << 64  # a conversion wraps around
    text = str(number) if number > -(1 << 63) else f"({number + 1} - 1)"
    return text if scalar == I64 and number >= 0 else f"{scalar.name}({text})"


def _real(value: float, scalar: ScalarType) -> str:
    if math.isnan(value):
        text = "0.0 / 0.0"
    elif math.isinf(value):
        text = "1.0 / 0.0" if value > 0 else "-1.0 / 0.0"
    else:
        text = repr(value)
    return f"{scalar.name}({text})"
