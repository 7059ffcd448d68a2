"""Variables, labels, and atoms: what an argument may be."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from usl_perceus.ir.types import Con, FunType, Type

_numbers = itertools.count()


class Var:
    """A variable; also an atom. Two are equal only if they are the same object; the printer tells equal names apart."""

    __slots__ = ("__weakref__", "name", "number", "type")

    def __init__(self, name: str, type: Type) -> None:
        self.name = name
        self.type = type
        self.number = next(_numbers)

    def copy(self) -> Var:
        """A fresh variable with the same spelling and type."""
        return Var(self.name, self.type)

    def __repr__(self) -> str:
        return f"{self.name}_{self.number}"


class Label:
    """The name of a join point; equal only if the same object."""

    __slots__ = ("__weakref__", "name", "number")

    def __init__(self, name: str) -> None:
        self.name = name
        self.number = next(_numbers)

    def __repr__(self) -> str:
        return f"{self.name}_{self.number}"


@dataclass(frozen=True, slots=True)
class Lit:
    """A constant that needs no count: int for integers (in range), float, bytes for STR, None for UNIT."""

    value: int | float | bytes | None
    type: Type


@dataclass(frozen=True, slots=True)
class Nullary:
    """A constructor without fields as a value, of an ENUM or BOXED data type. (Of a VALUE type: MakeCon with no arguments.)"""

    con: Con

    @property
    def type(self) -> Type:
        """The data type of the constructor."""
        return self.con.type


@dataclass(frozen=True, slots=True)
class FunRef:
    """A top-level function as a closure value: static, never counted. All parameters of the function are owned (ensured by
    `passes.py`, which makes wrappers for functions with borrowed parameters; the front end need not care)."""

    fun: str
    type: FunType


Atom = Var | Lit | Nullary | FunRef
