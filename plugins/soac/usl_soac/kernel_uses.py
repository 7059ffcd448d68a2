"""How often names are used, and where: what decides whether a value is computed where it is used, or kept."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from usl_core.ir.sym import Sym
from usl_core.ir.types import I32
from usl_soac.core import Body, Count, Expr, If, Index, Lambda, NodeBase, Statement
from usl_soac.sizes import Term


@dataclass(slots=True)
class Uses:
    """Of each name: how many times it stands somewhere, and whether inside of a function or loop that may run several times."""

    count: Counter[Sym] = field(default_factory=Counter)
    repeated: set[Sym] = field(default_factory=set)
    of_small: set[Sym] = field(default_factory=set)
    """What elements of at most 32 bits are found by."""
    of_wide: set[Sym] = field(default_factory=set)
    """What elements of 64 bits are found by."""
    counted: list[tuple[Sym, Sym, bool]] = field(default_factory=list)
    """Numbers of flags, these flags, and whether they are repeated: a number that only types mention is not computed."""

    def is_wide_key(self, name: Sym) -> bool:
        """Whether elements of 64 bits are found by it, and no others."""
        return name in self.of_wide and name not in self.of_small

    def once(self, name: Sym) -> bool:
        """Whether its value is needed at one place, once for each time that it is computed."""
        return self.count[name] <= 1 and name not in self.repeated

    def add(self, other: Uses) -> None:
        """Those of another body too. Two parts of a function have names in common, of which each counts its own."""
        self.count |= other.count
        self.repeated |= other.repeated
        self.of_small |= other.of_small
        self.of_wide |= other.of_wide


def uses_in(body: Body) -> Uses:
    """Of the names in a body; names that are not bound in it count too."""
    found = Uses()
    _body(body, found, set())
    for number, flags, is_repeated in found.counted:
        if found.count[number]:
            found.count[flags] += 1
            found.repeated |= {flags} if is_repeated else set()
    return found


def _body(body: Body, found: Uses, inside: set[Sym]) -> None:
    """inside: the names that are bound in the innermost code that runs as often as this one."""
    for statement in body.statements:
        _statement(statement, found, inside)
        inside.update(param.name for param in statement.pattern)
    for atom in body.results:
        if isinstance(atom, Sym):
            _use(atom, found, inside)


def _statement(statement: Statement, found: Uses, inside: set[Sym]) -> None:
    for cert in statement.certs:
        found.count[cert] += 1
    if isinstance(statement.value, Count):
        flags = statement.value.flags
        found.counted.append((statement.pattern[0].name, flags, flags not in inside))
        return
    for atom in direct(statement.value):
        _use(atom, found, inside)
    if isinstance(statement.value, Index):
        keys = found.of_wide if statement.pattern[0].type.scalar.bits > I32.bits else found.of_small
        keys.update(each for each in statement.value.indices if isinstance(each, Sym))
    for body, params in inner(statement.value):
        if isinstance(statement.value, If):
            _body(body, found, set(inside))
        else:
            _body(body, found, set(params))


def _use(name: Sym, found: Uses, inside: set[Sym]) -> None:
    found.count[name] += 1
    if name not in inside:
        found.repeated.add(name)


def direct(expr: Expr) -> Iterator[Sym]:
    """The names that stand in an expression itself, not in functions and bodies in it."""
    for each in dataclasses.fields(expr):
        yield from _syms(getattr(expr, each.name))


def _syms(value: object) -> Iterator[Sym]:
    if isinstance(value, Sym):
        yield value
    elif isinstance(value, Term):
        yield from value.names()
    elif isinstance(value, tuple):
        for item in value:
            if not isinstance(item, NodeBase):
                yield from _syms(item)


def inner(expr: Expr) -> Iterator[tuple[Body, list[Sym]]]:
    """The bodies in an expression, with the names that each binds."""
    for each in dataclasses.fields(expr):
        value = getattr(expr, each.name)
        if isinstance(value, Lambda):
            yield value.body, [param.name for param in value.params]
        elif isinstance(value, Body):
            params = [param.name for param in getattr(expr, "params", ())]
            index = getattr(expr, "index", None)
            yield value, params + ([index.name] if index is not None else [])
