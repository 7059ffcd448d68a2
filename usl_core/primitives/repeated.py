"""Operator calls made before: the same operator on the same procedure with the same arguments gives the version that exists.

Procedures never change and operators depend on their arguments alone, so a schedule that runs again (in a notebook, in a search
over variants that share a beginning) walks along the versions it made, as long as somebody holds them. Nothing is kept alive.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any
from weakref import ref

from usl_core.cursors.cursor import Cursor, InvalidCursor
from usl_core.ir.config import Config
from usl_core.procedure import Procedure


class _Unknown(Exception):
    """An argument of a kind that is not told apart here."""


def call_key(variant: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Hashable | None:
    """What tells a call from others on the same procedure; None if some argument cannot be compared.

    variant names the function that was called, one of those that an operator may consist of.
    """
    try:
        return variant, _key(tuple(args)), *((name, _key(value)) for name, value in sorted(kwargs.items()))
    except _Unknown:
        return None


def _key(value: Any) -> Hashable:
    match value:
        case None | str() | int() | float() | Fraction():
            return type(value), value  # True is not 1
        case list() | tuple():
            return type(value), tuple([_key(each) for each in value])
        case Procedure():
            return ref(value)
        case InvalidCursor():
            raise _Unknown
        case Cursor():
            return type(value), ref(value.owner), value.loc
        case type() | Config():
            return value
        case _:
            raise _Unknown
