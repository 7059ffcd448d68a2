"""Patterns after name resolution, and the two questions about a match: is it exhaustive, is a case redundant?

Both are one: is a row of patterns *useful* with respect to the rows above it, that is, is there a value that it matches and
they do not? Reference: Maranget 2007, "Warnings for pattern matching", §3 (usefulness) and §5 (the example).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from usl_core.errors import Span
from usl_perceus.front.definitions import ConDef


@dataclass(frozen=True, slots=True)
class TupleHead:
    """The only constructor of tuples with that many items."""

    arity: int


@dataclass(frozen=True, slots=True)
class BoolHead:
    """A truth value; it has no parts."""

    value: bool


@dataclass(frozen=True, slots=True)
class LiteralHead:
    """A number or a string; there is always one more."""

    value: int | float | str


Head = ConDef | TupleHead | BoolHead | LiteralHead


@dataclass(frozen=True, slots=True, eq=False)
class Any:
    """Matches everything; names are bound to the value."""

    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Construct:
    """A head with patterns for its fields."""

    head: Head
    args: tuple[Resolved, ...]
    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Alternatives:
    """One of several; all bind the same names, besides `names`, which are bound to the whole."""

    items: tuple[Resolved, ...]
    names: tuple[str, ...]
    span: Span


Resolved = Any | Construct | Alternatives
Row = tuple[Resolved, ...]


def arity(head: Head) -> int:
    """How many parts a value with this head has."""
    match head:
        case ConDef(fields=fields):
            return len(fields)
        case TupleHead(arity=count):
            return count
        case BoolHead() | LiteralHead():
            return 0


def siblings(head: Head) -> tuple[Head, ...] | None:
    """All constructors of the type of head, or None if they cannot be listed."""
    match head:
        case ConDef(data=data):
            return data.constructors
        case TupleHead():
            return (head,)
        case BoolHead():
            return (BoolHead(False), BoolHead(True))
        case LiteralHead():
            return None


def expand(row: Row) -> Iterator[Row]:
    """row with the alternatives of its first pattern as rows of their own."""
    first, *rest = row
    if isinstance(first, Alternatives):
        for item in first.items:
            yield from expand((item, *rest))
    else:
        yield row


def heads(rows: Sequence[Row]) -> dict[Head, None]:
    """The heads in the first column, in order."""
    found: dict[Head, None] = {}
    for row in rows:
        for each in expand(row):
            if isinstance(each[0], Construct):
                found.setdefault(each[0].head)
    return found


def specialize(rows: Sequence[Row], head: Head) -> list[Row]:
    """The rows that a value with that head may match, with its fields in place of the first column."""
    made: list[Row] = []
    for row in rows:
        for first, *rest in expand(row):
            if isinstance(first, Any):
                made.append((*(Any((), first.span) for _ in range(arity(head))), *rest))
            elif isinstance(first, Construct) and first.head == head:
                made.append((*first.args, *rest))
    return made


def default(rows: Sequence[Row]) -> list[Row]:
    """The rows that match a value whose head no row has, without the first column."""
    return [tuple(rest) for row in rows for first, *rest in expand(row) if isinstance(first, Any)]


@dataclass(frozen=True, slots=True)
class Example:
    """A value that is matched, to be shown; head None stands for any value."""

    head: Head | None
    args: tuple[Example, ...] = ()


def useful(rows: Sequence[Row], row: Row) -> list[Example] | None:
    """Values that row matches and no row of rows does, one for each column; None if there are none."""
    if not row:
        return None if rows else []
    first, *rest = row
    match first:
        case Alternatives(items=items):
            for item in items:
                found = useful(rows, (item, *rest))
                if found is not None:
                    return found
            return None
        case Construct(head=head):
            (inner,) = specialize([row], head)
            return _rebuilt(head, useful(specialize(rows, head), inner))
        case Any():
            return _useful_any(rows, first, tuple(rest))


def _useful_any(rows: Sequence[Row], first: Any, rest: Row) -> list[Example] | None:
    present = heads(rows)
    complete = siblings(next(iter(present))) if present else None
    if complete is not None and all(head in present for head in complete):
        for head in complete:
            inner: Row = (*(Any((), first.span) for _ in range(arity(head))), *rest)
            found = _rebuilt(head, useful(specialize(rows, head), inner))
            if found is not None:
                return found
        return None
    found = useful(default(rows), rest)
    return None if found is None else [_missing(list(present)), *found]


def _rebuilt(head: Head, found: list[Example] | None) -> list[Example] | None:
    if found is None:
        return None
    count = arity(head)
    return [Example(head, tuple(found[:count])), *found[count:]]


def _missing(present: Sequence[Head]) -> Example:
    """A value whose head is none of these."""
    if not present:
        return Example(None)
    complete = siblings(present[0])
    if complete is not None:
        head = next(head for head in complete if head not in present)
        return Example(head, tuple(Example(None) for _ in range(arity(head))))
    taken = {head.value for head in present if isinstance(head, LiteralHead)}
    if any(isinstance(value, str) for value in taken):
        return Example(LiteralHead(next(text for size in range(len(taken) + 1) if (text := "x" * size) not in taken)))
    return Example(LiteralHead(next(number for number in range(len(taken) + 1) if number not in taken)))


def missing(rows: Sequence[Row], columns: int, span: Span) -> list[Example] | None:
    """Values that no row matches, one for each column; None if the rows are exhaustive."""
    return useful(rows, tuple(Any((), span) for _ in range(columns)))


def show(example: Example) -> str:
    """The example as a pattern of the source language."""
    match example.head:
        case None:
            return "_"
        case ConDef(name=name):
            return f"{name}({', '.join(map(show, example.args))})"
        case TupleHead():
            return f"({', '.join(map(show, example.args))})"
        case BoolHead(value=value) | LiteralHead(value=value):
            return repr(value)
