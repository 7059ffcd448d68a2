"""The values, cells and activations of the heap semantics (package `heap`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from usl_perceus.ir import Con, Label, Lambda, Let, LetJoin, NewHole, Prim, TryLet, Var


class Fault(AssertionError):
    """The program breaks the rules of ownership: a bug of a pass."""


@dataclass(frozen=True, slots=True)
class Addr:
    """A reference to a cell of the heap."""

    number: int


@dataclass(frozen=True, slots=True)
class Imm:
    """A nullary constructor."""

    con: Con


@dataclass(frozen=True, slots=True)
class Struct:
    """A value of a VALUE data type."""

    con: Con
    fields: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Static:
    """A closure that is not counted: a top-level function, or a lambda without captures."""

    fun: str | Lambda


@dataclass(slots=True, eq=False)
class Token:
    """Memory of a dead block with what it held; kept fields and headers are checked against it."""

    size: int
    con: Con
    fields: list[Value]


@dataclass(slots=True, eq=False)
class Hole:
    """A field that is not filled yet: place[index] of a cell or of a result slot."""

    place: list[Value]
    index: int


UNFILLED = "unfilled"
"""What an unwritten field holds; no value is a str (strings are bytes)."""

Value = int | float | bytes | str | None | Addr | Imm | Struct | Static | Token | Hole
Head = Con | Lambda | bytes | str
"""What a cell is: a constructor, a closure, a string, or "array", "ref", "thread"."""


@dataclass(slots=True, eq=False)
class Cell:
    """A block of the heap with its count of references."""

    count: int
    head: Head
    fields: list[Value]


@dataclass(slots=True, eq=False)
class Activation:
    """The variables of one call. owned: how many references each owns; binders: the binders of the matches on a variable."""

    env: dict[Var, Value]
    owned: Counter[Var] = field(default_factory=Counter)
    labels: dict[Label, LetJoin] = field(default_factory=dict)
    binders: dict[Var, tuple[Var, ...]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Frame:
    """What happens to a result: a Let or TryLet binds it, a NewHole gives its slot instead, a thread ("spawn") keeps it."""

    node: Let | TryLet | NewHole | Prim
    act: Activation
    slot: list[Value]
    binders: dict[Var, tuple[Var, ...]]


@dataclass(slots=True)
class Stats:
    """What a run did to the heap. A token that was not NULL and was used counts as reused, not as allocated."""

    allocated: int = 0
    reused: int = 0
    freed: int = 0
    dups: int = 0
    drops: int = 0
    peak: int = 0
    max_stack: int = 0


def addresses(value: Value) -> Iterator[Addr]:
    """The references in a value."""
    match value:
        case Addr():
            yield value
        case Struct(fields=fields):
            for item in fields:
                yield from addresses(item)
