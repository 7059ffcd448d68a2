"""What follows a statement: its continuation, by which a block is read from its end."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from usl_core.errors import Span


@dataclass(frozen=True, slots=True)
class End:
    """The end of the function."""


@dataclass(frozen=True, slots=True)
class Yield:
    """The value of the statement is that of these variables. No `return` occurs."""

    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Fall:
    """The end of the body of a `try` that returns on other paths: these variables, tagged."""

    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class JumpTo:
    """Go on at a join point, or with the next round of a loop, with these variables."""

    label: int
    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Then:
    """Go on with these statements, which stand in these loops; only one path does."""

    rest: tuple[ast.stmt, ...]
    tail: Tail
    loops: tuple[Around, ...]


@dataclass(frozen=True, slots=True)
class Give:
    """Return the value of a variable."""

    name: str
    span: Span


Tail = End | Yield | Fall | JumpTo | Then | Give


@dataclass(frozen=True, slots=True)
class Around:
    """A loop around a statement: where `continue` and `break` go on, and the variables that are needed there."""

    again: Tail
    out: Tail
    needed_again: frozenset[str]
    needed_out: frozenset[str]
