"""What names stand for while a text becomes core: typed atoms, tuples of values, numbers whose type is open, functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from usl_core.errors import Span
from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType
from usl_soac.core import Atom, Body, Const, Expr, Param, Statement, Type
from usl_soac.scalars import F64, I64

if TYPE_CHECKING:
    from usl_core.frontend.source import Source


@dataclass(frozen=True, slots=True)
class Val:
    """A scalar or an array."""

    atom: Atom
    type: Type


@dataclass(frozen=True, slots=True)
class Num:
    """A number as written, whose type its context decides: else i64, or f64 if it has a point."""

    value: Fraction | float
    floating: bool


@dataclass(frozen=True, slots=True)
class Tup:
    """Several values. A tuple of arrays is also an array of tuples."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A lambda or a nested def with the variables at its definition."""

    node: ast.Lambda | ast.FunctionDef
    env: Mapping[str, Value]
    source: Source

    @property
    def name(self) -> str:
        """For messages."""
        return "the lambda" if isinstance(self.node, ast.Lambda) else self.node.name


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """A function that is not written here: the language's own (`add`), or an object of Python's (a `@soac`, a `@proc`)."""

    name: str
    object: object = None


@dataclass(frozen=True, slots=True)
class Unassigned:
    """A variable that is assigned on some paths only."""


Value = Val | Num | Tup | Closure | Named | Unassigned


def typed(number: Num, scalar: ScalarType | None = None) -> Val:
    """The number as one of a type, or of its own."""
    scalar = scalar or (F64 if number.floating else I64)
    value: int | Fraction | float = number.value
    if scalar.is_int and isinstance(value, Fraction):
        value = int(value)
    return Val(Const(value, scalar), Type(scalar))


def leaves(value: Value) -> Iterator[Value]:
    """The parts of a tuple that are no tuples."""
    if isinstance(value, Tup):
        for item in value.items:
            yield from leaves(item)
    else:
        yield value


def rebuild(value: Value, parts: Iterator[Val]) -> Value:
    """A value of the same tuples with other parts."""
    return Tup(tuple(rebuild(item, parts) for item in value.items)) if isinstance(value, Tup) else next(parts)


class Temporary(Sym):
    """A name of the core that no variable of the text has given; the first one to stand for it does."""

    __slots__ = ("given",)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.given = False


def named(value: Value, name: str) -> Value:
    """The value; a name that was made for it is called like the variable."""
    if isinstance(value, Val) and isinstance(value.atom, Temporary) and not value.atom.given:
        value.atom.name, value.atom.given = name, True
    return value


def known(rank: int, scalar: ScalarType) -> Type:
    """An array type whose sizes are not worked out yet."""
    return Type(scalar, (None,) * rank)


@dataclass(slots=True)
class Block:
    """Statements as they are made, in order."""

    statements: list[Statement] = field(default_factory=list)

    def emit(
        self, expr: Expr, types: Sequence[Type], span: Span, names: Sequence[str] = (), *, hint: str = "t"
    ) -> tuple[Val, ...]:
        """The values of a new statement; names are those of variables."""
        syms = [*map(Sym, names), *(Temporary(hint) for _ in range(len(types) - len(names)))]
        pattern = tuple(Param(sym, typ, span=span) for sym, typ in zip(syms, types, strict=True))
        self.statements.append(Statement(pattern, expr, span=span))
        return tuple(Val(param.name, param.type) for param in pattern)

    def one(self, expr: Expr, typ: Type, span: Span, name: str | None = None, *, hint: str = "t") -> Val:
        """The value of a new statement that gives one."""
        return self.emit(expr, (typ,), span, () if name is None else (name,), hint=hint)[0]

    def body(self, results: Sequence[Val], span: Span) -> Body:
        """What has been made, with results."""
        return Body(tuple(self.statements), tuple(each.atom for each in results), span=span)


Apply = Callable[[Value, Sequence[Value], Block, Span], Value]
"""Calls a function value."""
