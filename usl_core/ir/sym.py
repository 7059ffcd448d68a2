"""Names: a spelling and a unique number, so that no rewrite can capture a variable."""

from __future__ import annotations

import itertools

from usl_core.ir.identity import Identical

_numbers = itertools.count(1)


class Sym(Identical):
    """A name of the object language. Two Syms are equal only if they are the same object; the printer renames clashes."""

    __slots__ = ("__weakref__", "name", "number")

    def __init__(self, name: str) -> None:
        self.name = name
        self.number = next(_numbers)

    def copy(self) -> Sym:
        """A fresh name with the same spelling."""
        return Sym(self.name)

    def __repr__(self) -> str:
        return f"{self.name}_{self.number}"

    def __lt__(self, other: Sym) -> bool:
        return self.number < other.number
