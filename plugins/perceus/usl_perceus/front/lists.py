"""Data types that are lists: one constructor is empty, the other holds an element and another list of the same type."""

from __future__ import annotations

from dataclasses import dataclass

from usl_perceus.front.definitions import ConDef, DataDef
from usl_perceus.front.resolve import constructors
from usl_perceus.front.types import App, Rigid, Type, resolve, substitute


@dataclass(frozen=True, slots=True)
class ListType:
    """The constructors of a list type, the position of the rest among the fields of the second, and the type of elements."""

    nil: ConDef
    cons: ConDef
    rest: int
    element: Type


def list_type(type_: Type) -> ListType | None:
    """What the type is as a list, or None if it is none."""
    found = resolve(type_)
    if not isinstance(found, App) or not isinstance(found.head, DataDef):
        return None
    data = found.head
    cons = constructors(data)
    if len(cons) != 2 or sorted(len(con.fields) for con in cons) != [0, 2]:
        return None
    nil, pair = sorted(cons, key=lambda con: len(con.fields))
    itself = App(data, tuple(Rigid(name) for name in data.typevars))
    rests = [position for position, field in enumerate(pair.fields) if field == itself]
    if len(rests) != 1:
        return None
    named = dict(zip(data.typevars, found.args, strict=True))
    return ListType(nil, pair, rests[0], substitute(pair.fields[1 - rests[0]], named))
