"""What `@soac` makes of a function: its text, its declared type, and the Python names that it can use."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CellType, ModuleType
from typing import Any

from usl_core.errors import Span
from usl_core.frontend.source import Source
from usl_soac.signatures import Signature, signature

MISSING = object()


class Scope:
    """The Python names that a function can use: its closure, the local names at its decorator, its module."""

    def __init__(
        self, module: Mapping[str, Any], local: Mapping[str, Any] | None = None, cells: Mapping[str, CellType] | None = None
    ) -> None:
        self._cells = dict(cells or {})
        self._local = dict(local or {})
        self._module = module

    def get(self, name: str) -> Any:
        """What Python binds name to, or MISSING."""
        if name in self._cells:
            try:
                return self._cells[name].cell_contents
            except ValueError:  # not assigned yet
                pass
        return self._local.get(name, self._module.get(name, MISSING))

    def names(self) -> list[str]:
        """All names."""
        return [*self._cells, *self._local, *self._module]


@dataclass(eq=False)
class Definition:
    """A function of arrays."""

    name: str
    source: Source
    node: ast.FunctionDef
    scope: Scope
    promises: set[str] = field(default_factory=set)
    _signature: Signature | None = None

    @property
    def span(self) -> Span:
        """Its first line."""
        return self.source.head(self.node)

    @property
    def signature(self) -> Signature:
        """Its declared type.

        Raises:
            SoacError: it declares none.
        """
        if self._signature is None:
            self._signature = signature(self.source, self.node)
        return self._signature


def definition_of(value: Any) -> Definition | None:
    """The definition behind a value of Python, if it is a `@soac` function."""
    found = getattr(value, "__usl_soac__", None)
    return found if isinstance(found, Definition) else None


def member(scope: Scope, node: ast.Attribute) -> Any:
    """What `module.name` is for Python, or MISSING."""
    match node.value:
        case ast.Name(id=name):
            owner = scope.get(name)
        case ast.Attribute() as inner:
            owner = member(scope, inner)
        case _:
            owner = MISSING
    return getattr(owner, node.attr, MISSING) if isinstance(owner, ModuleType) else MISSING
