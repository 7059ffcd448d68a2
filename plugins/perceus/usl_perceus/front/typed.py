"""What the checker finds out about a function, beside its syntax: types, what names mean, patterns."""

from __future__ import annotations

from dataclasses import dataclass, field

from usl_core import Procedure
from usl_perceus.front import syntax as sx
from usl_perceus.front.definitions import ConDef, ExceptionDef, ForeignDef, FunDef, PrimDef, Signature
from usl_perceus.front.patterns import Resolved
from usl_perceus.front.types import Type


@dataclass(frozen=True, slots=True)
class LocalUse:
    """A variable."""


@dataclass(frozen=True, slots=True)
class NestedUse:
    """A nested function."""

    function: sx.Function


@dataclass(frozen=True, slots=True)
class FunUse:
    """A function with the types that its type variables stand for."""

    fun: FunDef
    types: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class ConUse:
    """A constructor with the type arguments of its data type."""

    con: ConDef
    types: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class ForeignUse:
    """A C function, which has no type variables."""

    foreign: ForeignDef


@dataclass(frozen=True, slots=True)
class ExceptionUse:
    """An exception as a constructor of values of type exception."""

    exception: ExceptionDef


@dataclass(frozen=True, slots=True)
class ConstantUse:
    """A number, truth value or text that Python binds to the name."""

    value: int | float | bool | str


@dataclass(frozen=True, slots=True)
class KernelUse:
    """A @proc; written: the positions of the arrays that it writes."""

    kernel: Procedure
    written: tuple[int, ...]
    may_be_empty: bool = True
    """Whether sizes may be 0."""


@dataclass(frozen=True, slots=True)
class BuiltinUse:
    """An operation of the language itself."""

    name: str


@dataclass(frozen=True, slots=True)
class ListUse:
    """A step through a list."""

    con: ConDef
    rest: int


@dataclass(frozen=True, slots=True)
class FieldUse:
    """A field by its name: its position in each constructor of the type."""

    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class UpdateUse:
    """`p.set(x=a)`: for each argument the positions of its field in each constructor."""

    fields: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class PrimUse:
    """A primitive, in a library, with the types of its variables."""

    prim: PrimDef
    types: tuple[Type, ...] = ()


Use = (
    PrimUse
    | FieldUse
    | UpdateUse
    | LocalUse
    | NestedUse
    | FunUse
    | ConUse
    | ForeignUse
    | ExceptionUse
    | ConstantUse
    | KernelUse
    | BuiltinUse
    | ListUse
)


@dataclass(slots=True)
class Typed:
    """The results for one function; types may mention its type variables, and no metavariables once it is done."""

    types: dict[sx.Node, Type] = field(default_factory=dict)
    """Of each expression, of the parameters of lambdas by the lambda (as a function type), and of patterns."""
    uses: dict[sx.Node, Use] = field(default_factory=dict)
    """Of names and dotted names, of method calls by their `Attribute`, of steps through lists."""
    patterns: dict[sx.Node, Resolved] = field(default_factory=dict)
    """Of cases, handlers, assignments and steps."""
    signatures: dict[sx.Function, Signature] = field(default_factory=dict)
    """Of nested functions."""
    arguments: dict[sx.Call, tuple[int | FunUse, ...]] = field(default_factory=dict)
    """Of calls that do not give all arguments in order: for each parameter which one it is, or the function of its default."""
    calls: dict[sx.Node, sx.Call] = field(default_factory=dict)
    """Of `x.f(a)`, `len(x)`, `k in x` and `x[k]` for a data type whose module has functions for that: the call of it."""
    joins: dict[int, tuple[Type, ...]] = field(default_factory=dict)
    """Of the parameters of join points and loops, by label."""
