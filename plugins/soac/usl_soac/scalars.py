"""The types of elements: those of the object language, and bool."""

from __future__ import annotations

from collections.abc import Mapping

from usl_core.ir.types import F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Kind, ScalarType

__all__ = ["BOOL", "CERT", "F32", "F64", "I64", "SCALARS", "is_integer", "is_number"]

BOOL = ScalarType("bool", Kind.INT, 1, signed=False)
CERT = ScalarType("cert", Kind.INT, 0)
"""The type of what a passed test gives: it has no values that programs could look at."""

SCALARS: Mapping[str, ScalarType] = {t.name: t for t in (BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64)}


def is_integer(scalar: ScalarType) -> bool:
    """Whether values are integers that wrap; bool is none."""
    return scalar.is_int and scalar is not BOOL and scalar is not CERT


def is_number(scalar: ScalarType) -> bool:
    """Whether there is arithmetic on values."""
    return is_integer(scalar) or scalar.is_real
