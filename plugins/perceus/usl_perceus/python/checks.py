"""What a Python value is not, as an error; and what two programs must agree on to exchange a value."""

from __future__ import annotations

import operator

from usl_perceus.errors import PerceusError
from usl_perceus.front.lower import Lowered
from usl_perceus.ir import UNIT, ArrayType, DataType, FloatType, IntType, RefType, StrType, Type


def mismatch(wanted: str, value: object) -> PerceusError:
    """The error for a Python value of the wrong kind; it shows at most 60 characters of the value."""
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return PerceusError(f"expected {wanted}, got {shown}", code="E743")


def type_name(value: object) -> str:
    """The name of a Python value's class, for messages."""
    return type(value).__name__


def integer(item: object, bits: int, signed: bool) -> int:
    """The number, if the type has it.

    Raises:
        PerceusError: it is none, or too large.
    """
    if isinstance(item, bool):
        raise mismatch("an integer", item)
    try:
        value = operator.index(item)  # type: ignore[arg-type]
    except TypeError:
        raise mismatch("an integer", item) from None
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if not low <= value <= high:
        raise mismatch(f"an integer from {low} to {high}", item)
    return value


def identity(type: Type, lowered: Lowered, seen: set[str]) -> object:
    """See `Converter.identity`."""
    match type:
        case IntType() | FloatType() | StrType():
            return type
        case DataType(name="bool"):
            return type
        case DataType(name=name) if name in lowered.opaque:
            return lowered.opaque[name]
        case DataType(name=name):
            if name in seen:
                return name
            seen.add(name)
            known = lowered.types.get(name)
            parts = [field for con in lowered.program.datas[name].cons for _, field in con.fields]
            if known is None or any(identity(part, lowered, seen) is None for part in parts):
                return None
            return known
        case ArrayType(elem=elem) | RefType(elem=elem):
            inner = identity(elem, lowered, seen)
            return None if inner is None else (type_name(type), inner)
    return UNIT if type == UNIT else None
