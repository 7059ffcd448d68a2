"""What a program consists of: data types, functions, foreign functions, exceptions, as the decorators make them.

Definitions refer to each other by name. Names are looked up when a function is first checked, so that a function may use
what is defined below it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import CellType
from typing import Any, Literal

from usl_core.errors import Span
from usl_perceus.errors import PerceusError
from usl_perceus.front import syntax as sx
from usl_perceus.front.types import Type

MISSING = object()

Look = Literal["order", "equality", "text", "hash"]
"""How functions look at values of a type: a number below, at or above 0 for two; whether two are equal; a text with that of a
value behind it; a u64 that equal values share."""


class Scope:
    """The Python names that a definition can use: its closure, the local names at its decorator, its module."""

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

    def values(self) -> Iterable[Any]:
        """What the names are bound to, without those that are not assigned yet."""
        names = {**self._module, **self._local, **self._cells}
        return [value for name in names if (value := self.get(name)) is not MISSING]

    def same_package(self, other: Scope) -> bool:
        """Whether both are of one module, or of modules of one package."""
        package = self._module.get("__package__")
        return self._module is other._module or (bool(package) and package == other._module.get("__package__"))

    def names(self) -> set[str]:
        """All names, also those that are not assigned yet."""
        return {*self._module, *self._local, *self._cells}


@dataclass(frozen=True, slots=True, eq=False)
class ConDef:
    """A constructor of a data type; fields mention the type variables of the data type."""

    name: str
    data: DataDef
    tag: int
    fields: tuple[Type, ...]
    span: Span
    names: tuple[str, ...] = ()
    """Of the fields, if they have names."""


@dataclass(slots=True, eq=False)
class DataDef:
    """A data type. `constructors` are known once `resolve.py` has looked up their types, growing once `growth.py` has asked."""

    name: str
    typevars: tuple[str, ...]
    syntax: sx.DataSyntax
    scope: Scope
    constructors: tuple[ConDef, ...] | None = None
    growing: frozenset[int] | None = None
    """The positions of its variables by which it contains itself at ever larger types."""
    own: dict[Look, FunDef] = field(default_factory=dict)
    """The functions that look at its values instead of those that the compiler would make."""
    python: Any = None
    """The class of its values in Python (`values.Value`)."""

    @property
    def span(self) -> Span:
        """The place of its definition."""
        return self.syntax.span

    @property
    def abstract(self) -> bool:
        """Whether its fields do not tell what a value is, so that only its own functions look at them."""
        return "equality" in self.own


@dataclass(slots=True, eq=False)
class ExceptionDef:
    """An exception and the types of what it carries; python is the class that Python sees."""

    name: str
    syntax: sx.ConstructorSyntax
    scope: Scope
    python: type[BaseException]
    fields: tuple[Type, ...] | None = None

    @property
    def span(self) -> Span:
        """The place of its definition."""
        return self.syntax.span


@dataclass(frozen=True, slots=True)
class Signature:
    """The type of a function: type variables, parameters with `borrowed`, result."""

    typevars: tuple[str, ...]
    params: tuple[Type, ...]
    borrowed: tuple[bool, ...]
    result: Type
    ordered: frozenset[str] = frozenset()
    """The type variables whose types must have an order."""
    foreign: tuple[bool, ...] = ()
    """The parameters that may be functions of Python."""


@dataclass(slots=True, eq=False)
class FunDef:
    """A function. signature, defaults and typed are filled in when they are first needed."""

    name: str
    syntax: sx.Function
    scope: Scope
    inline: bool = False
    specialize: bool = False
    fbip: bool = False
    no_alloc: bool = False
    signature: Signature | None = None
    defaults: Mapping[str, FunDef] | None = None
    """For each parameter with a default a function without parameters that gives it."""
    typed: Any = None

    @property
    def span(self) -> Span:
        """The place of its definition."""
        return self.syntax.span


@dataclass(slots=True, eq=False)
class ForeignDef:
    """A C function: its symbol, and the header that declares it."""

    name: str
    syntax: sx.Function
    scope: Scope
    symbol: str
    header: str | None
    signature: Signature | None = None

    @property
    def span(self) -> Span:
        """The place of its definition."""
        return self.syntax.span


@dataclass(frozen=True, slots=True)
class PrimDef:
    """A primitive under the name that a library has for it. Nothing tests its preconditions."""

    name: str
    op: str
    params: tuple[Type, ...]
    result: Type
    typevars: tuple[str, ...] = ()


class Ord:
    """The bound of a type variable that stands for types with an order only: `K = TypeVar("K", bound=Ord)`."""


class Defined:
    """What a decorator makes of a function."""

    __usl_definition__: FunDef | ForeignDef


def unknown(name: str, what: str, near: Iterable[str], span: Span, notes: Sequence[str] = ()) -> PerceusError:
    """The error for a name that nothing defines, with the nearest spelling that would do."""
    close = difflib.get_close_matches(name, sorted(set(near)), 1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return PerceusError(f"unknown {what} {name}{hint}", span=span, notes=notes, code="E711")


def definition(value: object) -> DataDef | FunDef | ForeignDef | ExceptionDef | None:
    """The definition that a Python object stands for: itself, or what a decorator has put into it."""
    if isinstance(value, DataDef | FunDef | ForeignDef | ExceptionDef):
        return value
    if isinstance(value, Defined):
        return value.__usl_definition__
    # Classes of data types and exceptions; not the classes derived from them, such as those of constructors.
    found = value.__dict__.get("__usl_definition__") if isinstance(value, type) else None
    return found if isinstance(found, DataDef | ExceptionDef) else None
