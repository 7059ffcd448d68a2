"""Which types `==` and `!=` compare: those whose values are made of numbers, strings and constructors.

Functions have no equality that a program could find out; cells and threads have an identity, and what they hold changes.
"""

from __future__ import annotations

from usl_c11.perceus.front.definitions import DataDef
from usl_c11.perceus.front.resolve import constructors
from usl_c11.perceus.front.types import FUNCTION, REF, THREAD, App, Type, resolve, show, substitute, zonk

COMPARED = "compares numbers, strings, bools, and data and arrays made of these, not {}"

LARGEST = 300
"""Types that are looked at: one with more grows without end, which is an error elsewhere (`instances.py`)."""


def can_equal(type_: Type) -> bool:
    return obstacle(type_) is None


def obstacle(type_: Type) -> str | None:
    """What keeps values of the type from being compared, as a note; None if nothing does. What is not known yet, and type
    variables, keep nobody: it is asked again for each copy of a generic function."""
    seen: set[Type] = set()
    waiting: list[tuple[Type, str]] = [(type_, "")]
    while waiting and len(seen) < LARGEST:
        part, place = waiting.pop()
        closed = zonk(part)
        if not isinstance(closed, App) or closed in seen:
            continue
        seen.add(closed)
        if closed.head in (FUNCTION, REF, THREAD):
            return f"{place or 'this'} is {show(closed)}; functions, cells and threads cannot be compared"
        waiting.extend(_parts(closed))
    return None


def why_not(type_: Type) -> tuple[str, ...]:
    """The notes of an error."""
    found = obstacle(type_)
    return () if found is None else (found, "hint: compare the parts that matter in a function of your own")


def _parts(type_: App) -> list[tuple[Type, str]]:
    """The types of what values of a type consist of, and where each of them is."""
    if not isinstance(type_.head, DataDef):
        return [(resolve(arg), f"a part of {show(type_)}") for arg in type_.args]
    named = dict(zip(type_.head.typevars, type_.args, strict=True))
    return [
        (substitute(field, named), f"field {i} of {con.name}")
        for con in constructors(type_.head)
        for i, field in enumerate(con.fields)
    ]
