"""Programs from text, for the tests of the front end."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from perceus_semantics import standard

from usl_core.deep import deep
from usl_perceus.front.definitions import FunDef
from usl_perceus.front.lower import Lowered, lower
from usl_perceus.front.module import parse_program
from usl_perceus.verify import verify

PRELUDE = """\
@data
class Color:
    Red: ()
    Black: ()

@data
class Tree:
    Leaf: ()
    Node: (Color, "Tree", i64, "Tree")

T = TypeVar("T")
U = TypeVar("U")

@data
class List(Generic[T]):
    Nil: ()
    Cons: (T, "List[T]")

@exception
class NotFound:
    key: i64

"""
FIRST = PRELUDE.count("\n") + 1
"""The number of the first line after the prelude."""


def program(text: str, **scope: Any) -> Lowered:
    """The definitions of text, after the prelude, as a verified program."""
    definitions = parse_program(PRELUDE + dedent(text), "<program>", scope)
    lowered = lower([each for each in definitions.values() if isinstance(each, FunDef)])

    deep(lambda: verify(lowered.program))
    return lowered


def run(lowered: Lowered, name: str, *args: Any) -> Any:
    """The value of a function as plain data (`standard.plain`), truth values as Python's."""
    return python(standard.plain(standard.run(lowered.program, name, tuple(_value(arg) for arg in args))))


def printed(lowered: Lowered, name: str, *args: Any) -> str:
    """What a call of a function prints."""
    output: list[bytes] = []
    standard.run(lowered.program, name, tuple(_value(arg) for arg in args), output=output)
    return b"".join(output).decode()


def _value(value: Any) -> Any:
    if isinstance(value, bool):
        return standard.boolean(value)
    return value.encode() if isinstance(value, str) else value


def python(value: object) -> object:
    """Plain data with truth values and lists (`Cons`, `Nil`) as Python's."""
    match value:
        case list() as items:
            return list(map(python, items[1:]))
        case ("True",):
            return True
        case ("False",):
            return False
        case ("Nil",):
            return []
        case ("Cons", first, rest):
            items = [python(first)]
            while isinstance(rest, tuple) and rest[0] == "Cons":
                items.append(python(rest[1]))
                rest = rest[2]
            return items
        case ("tuple", *items):
            return tuple(map(python, items))
        case (str() as name, *items):
            return (name, *map(python, items))
        case bytes():
            return value.decode()
        case _:
            return value
