"""Checking fields with names: `p.x` and `p.set(x=e)`."""

from __future__ import annotations

from abc import abstractmethod

from usl_core.errors import Span
from usl_perceus.errors import PerceusError
from usl_perceus.front import syntax as sx
from usl_perceus.front.check_patterns import Patterns
from usl_perceus.front.definitions import DataDef
from usl_perceus.front.inference import Env
from usl_perceus.front.members import is_open, missing
from usl_perceus.front.resolve import constructors
from usl_perceus.front.typed import FieldUse, UpdateUse
from usl_perceus.front.types import App, Type, substitute


class Fields(Patterns):
    """Fields by name; `check` is that of the whole checker."""

    @abstractmethod
    def check(self, node: sx.Expr, want: Type, env: Env) -> None:
        """node must have type want."""

    def field(self, node: sx.Attribute, owner: App) -> Type:
        """The type of a field that every constructor has, which is noted as the use of node."""
        positions, type_ = self._positions(node.name, owner, node.span)
        self.typed.uses[node] = FieldUse(positions)
        return type_

    def _positions(self, name: str, owner: App, span: Span) -> tuple[tuple[int, ...], Type]:
        assert isinstance(owner.head, DataDef)
        cons = constructors(owner.head)
        named = dict(zip(owner.head.typevars, owner.args, strict=True))
        if not is_open(owner.head, self.scope) or any(name not in con.names for con in cons):
            raise missing(owner, name, span, self.scope)
        positions = tuple(con.names.index(name) for con in cons)
        types = [substitute(con.fields[at], named) for con, at in zip(cons, positions, strict=True)]
        if any(type_ != types[0] for type_ in types):
            hint = "hint: match takes values apart"
            raise PerceusError(f"{name} has several types in {owner.head.name}", span=span, notes=(hint,), code="E712")
        return positions, types[0]

    def update(self, node: sx.Call, method: sx.Attribute, owner: App, want: Type, env: Env) -> None:
        """`p.set(x=a)`: p with another field."""
        if not node.keywords or len(node.keywords) != len(node.args):
            hint = "hint: p.set(x=a, y=b)"
            raise PerceusError("set says which fields it changes", span=node.span, notes=(hint,), code="E713")
        self.expect(want, owner, node.span)
        fields = []
        for arg, (name, span) in zip(node.args, node.keywords, strict=True):
            positions, type_ = self._positions(name, owner, span)
            if positions in fields:
                raise PerceusError(f"{name} is given twice", span=span, code="E713")
            fields.append(positions)
            self.check(arg, type_, env)
        self.typed.uses[method] = UpdateUse(tuple(fields))


def has_field(data: DataDef, name: str) -> bool:
    """Whether one of its constructors has a field of this name."""
    return any(name in con.names for con in constructors(data))
