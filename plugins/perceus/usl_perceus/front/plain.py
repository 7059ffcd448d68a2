"""Which types are plain: their values are made of numbers, strings and constructors, so that they can be compared and shown.

Functions have no equality or text that a program could find out; cells and threads have an identity, and their contents change.
"""

from __future__ import annotations

from usl_perceus.front.definitions import DataDef
from usl_perceus.front.growth import growing
from usl_perceus.front.resolve import constructors
from usl_perceus.front.types import EXCEPTION, FUNCTION, REF, THREAD, App, Type, resolve, show, substitute, zonk

COMPARED = "compares numbers, strings, bools, and data and arrays made of these, not {}"
HASHED = "numbers, strings, bools, and data and arrays made of these have a hash, not {}"
SHOWN = "numbers, strings, bools, and data and arrays made of these can be printed, not {}"

_GROWS = ", which contains itself at ever larger types"
_UNORDERED = ", which has no order"

BY_HAND = (
    "hint: write it as a function that takes one for the elements (equal: Callable[[T, T], bool]), "
    "and that calls itself with a nested function that uses this one"
)
"""What to do about values whose types grow: each level needs what its elements are compared by."""

LARGEST = 300
"""Types that are looked at: one with more grows without end, which is an error elsewhere (`instances.py`)."""


def is_plain(type_: Type) -> bool:
    """Whether the type is plain. Type variables and what is not known yet are: copies of generic functions are asked again."""
    return _obstacle(type_) is None


def is_ordered(type_: Type) -> bool:
    """Whether the values of the type have an order: it is plain, but for data types with an order of their own."""
    return _obstacle(type_, ordered=True) is None


def why_not(type_: Type) -> tuple[str, ...]:
    """The notes of an error: what is not plain, and where."""
    return _notes(_obstacle(type_))


def why_not_ordered(type_: Type) -> tuple[str, ...]:
    """The same for what has no order."""
    return _notes(_obstacle(type_, ordered=True))


def _notes(found: str | None) -> tuple[str, ...]:
    if found is None:
        return ()
    if found.endswith(_GROWS):
        return (found, BY_HAND)
    if found.endswith(_UNORDERED):
        return (found,)
    return (found, "functions, cells and threads have neither an equality nor a text")


def _obstacle(type_: Type, *, ordered: bool = False) -> str | None:
    seen: set[Type] = set()
    waiting: list[tuple[Type, str]] = [(type_, "this")]
    while waiting and len(seen) < LARGEST:
        part, place = waiting.pop()
        closed = zonk(part)
        if not isinstance(closed, App) or closed in seen:
            continue
        seen.add(closed)
        if closed.head in (FUNCTION, REF, THREAD) or closed == EXCEPTION:
            return f"{place} is {show(closed)}"
        if isinstance(closed.head, DataDef) and growing(closed.head):
            return f"{place} is {show(closed)}{_GROWS}"
        has_order = isinstance(closed.head, DataDef) and "order" in closed.head.own
        if ordered and not has_order and isinstance(closed.head, DataDef) and closed.head.abstract:
            return f"{place} is {show(closed)}{_UNORDERED}"
        if not (ordered and has_order):
            waiting.extend(_parts(closed))
    return None


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
