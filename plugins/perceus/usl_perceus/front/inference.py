"""The state of checking one function: the tables, type equations with messages, what is decided at the end."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from usl_core.errors import Span
from usl_perceus.errors import PerceusError
from usl_perceus.front import syntax as sx
from usl_perceus.front.builtins import ENDINGS
from usl_perceus.front.definitions import ConDef, DataDef, Scope, Signature
from usl_perceus.front.resolve import constructors, visible_constructors
from usl_perceus.front.typed import ConUse, FunUse, Typed, Use
from usl_perceus.front.types import (
    F64,
    I64,
    INTEGERS,
    STR,
    UNIT,
    App,
    Kind,
    Meta,
    Type,
    int_range,
    is_number,
    metas,
    resolve,
    show,
    unify,
    zonk,
)


@dataclass(frozen=True, slots=True)
class Nested:
    """A nested function in an environment."""

    function: sx.Function
    signature: Signature


Env = Mapping[str, Type | Nested]


@dataclass(frozen=True, slots=True)
class Demand:
    """An operator or operation that works on some types only."""

    type: Type
    accepts: Callable[[Type], bool]
    message: str
    span: Span
    notes: Callable[[Type], tuple[str, ...]]
    code: str = "E723"


class Inference:
    """Tables and equations."""

    def __init__(self, scope: Scope, signature: Signature) -> None:
        self.scope = scope
        self.signature = signature
        self.typed = Typed()
        self._demands: list[Demand] = []
        self._literals: list[tuple[sx.Literal | sx.LiteralPattern, Type]] = []
        self._visible: Mapping[str, tuple[ConDef, ...]] | None = None

    # -- equations

    def expect(self, want: Type, found: Type, span: Span) -> None:
        """The value at span has type found, and its place asks for want."""
        shown = show(want), show(found)  # as they are before the equation binds parts of them
        if not unify(want, found):
            raise PerceusError(f"expected {shown[0]}, found {shown[1]}", span=span, code="E712")

    def demand(
        self,
        type_: Type,
        accepts: Callable[[Type], bool],
        message: str,
        span: Span,
        notes: Callable[[Type], tuple[str, ...]] = lambda _: (),
    ) -> None:
        """type_ must be accepted; message says so, with {} for the type. Decided at the end if type_ is not yet known."""
        demand = Demand(type_, accepts, message, span, notes)
        if isinstance(resolve(type_), Meta):
            self._demands.append(demand)
        else:
            _settle(demand)

    def literal(self, node: sx.Literal | sx.LiteralPattern) -> Type:
        """The type of a literal; that of a number is decided by its context."""
        match node.value:
            case bool():
                return App("bool")
            case str():
                return STR
            case None:
                return UNIT
            case float():
                kind = Kind.FLOAT
            case _:
                kind = Kind.NUMBER
        type_ = Meta(kind)
        self._literals.append((node, type_))
        return type_

    # -- constructors

    def constructor(self, name: str, want: Type) -> ConDef | tuple[ConDef, ...] | None:
        """The constructor that a bare name means where want is expected; several if that is not clear; None if none."""
        if name in ENDINGS:
            return ENDINGS[name]
        wanted = resolve(want)
        if isinstance(wanted, App) and isinstance(wanted.head, DataDef):
            for con in constructors(wanted.head):
                if con.name == name:
                    return con
        if self._visible is None:
            self._visible = visible_constructors(self.scope, (*self.signature.params, self.signature.result))
        found = self._visible.get(name, ())
        return None if not found else found[0] if len(found) == 1 else found

    def constructor_names(self) -> set[str]:
        """The constructors visible in this scope, for the hint of a message."""
        self.constructor("", UNIT)
        return set(self._visible or ())

    # -- the end

    def finish(self) -> Typed:
        """Decides what the context left open, and removes all metavariables.

        A type that nothing determines is that of values which do not exist (the elements of an empty list); it becomes None.
        """
        for _, type_ in self._literals:
            self._default(type_)
        for demand in self._demands:
            open_ = resolve(demand.type)
            if isinstance(open_, Meta):
                open_.found = F64 if open_.kind is Kind.FLOAT else I64
        for demand in self._demands:
            _settle(demand)
        for node, type_ in self._literals:
            _require_range(node, type_)
        typed = self.typed
        typed.types = {node: _closed(type_) for node, type_ in typed.types.items()}
        typed.uses = {node: _closed_use(use) for node, use in typed.uses.items()}
        typed.arguments = {
            node: tuple(each if isinstance(each, int) else _closed_fun(each) for each in order)
            for node, order in typed.arguments.items()
        }
        typed.joins = {label: tuple(map(_closed, types)) for label, types in typed.joins.items()}
        return typed

    def _default(self, type_: Type) -> None:
        open_ = resolve(type_)
        if isinstance(open_, Meta):
            open_.found = F64 if open_.kind is Kind.FLOAT else I64


def _settle(demand: Demand) -> None:
    if not demand.accepts(demand.type):
        notes = demand.notes(demand.type)
        raise PerceusError(demand.message.format(show(demand.type)), span=demand.span, notes=notes, code=demand.code)


def _require_range(node: sx.Literal | sx.LiteralPattern, type_: Type) -> None:
    found = resolve(type_)
    if isinstance(found, App) and found.head in INTEGERS and isinstance(node.value, int):
        low, high = int_range(str(found.head))
        if not low <= node.value <= high:
            message = f"{node.value} is no {found.head}, which goes from {low} to {high}"
            raise PerceusError(message, span=node.span, code="E724")


def _closed(type_: Type) -> Type:
    for meta in list(metas(type_)):
        meta.found = UNIT if meta.kind is Kind.ANY else F64 if meta.kind is Kind.FLOAT else I64
    return zonk(type_)


def _closed_use(use: Use) -> Use:
    if isinstance(use, FunUse | ConUse):
        return dataclasses.replace(use, types=tuple(map(_closed, use.types)))
    return use


def _closed_fun(use: FunUse) -> FunUse:
    return FunUse(use.fun, tuple(map(_closed, use.types)))


# -- what operations accept


def is_enumeration(type_: Type) -> bool:
    """Whether all constructors are without fields."""
    type_ = resolve(type_)
    return (
        isinstance(type_, App) and isinstance(type_.head, DataDef) and all(not con.fields for con in constructors(type_.head))
    )


def is_string(type_: Type) -> bool:
    """Whether the type is known to be `str`."""
    return resolve(type_) == STR


def can_add(type_: Type) -> bool:
    """Whether `+` is known to apply to two values of the type."""
    return is_number(type_) or is_string(type_)
