"""Rounding to the nearest integer, ties to even: what scaling does on the way in and out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from usl_core import Extern
from usl_core.ir.types import F32, ScalarType, Type


def _of_f32(types: Sequence[Type]) -> Type:
    if types[0] != F32:
        raise ValueError(f"the argument must be f32, got {types[0]}; convert it, f32(x)")
    return F32


def _exact(typ: ScalarType, x: Fraction) -> Fraction:
    return Fraction(round(x))


def _machine(typ: ScalarType, x: Any) -> Any:
    return np.rint(x)


def _c(typ: ScalarType, ctype: str, args: Sequence[str]) -> str:
    return f"nearbyintf({args[0]})"


rne = Extern("rne", 1, _of_f32, _exact, _machine, _c, ("math.h",))
"""`rne(x)` of an f32: the nearest integer, of two the even one."""
