"""Exceptions that are raised and handled, as the core's `Raise` and `TryLet`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from usl_perceus import ir
from usl_perceus.front import syntax as sx
from usl_perceus.front.block import Block
from usl_perceus.front.limits import ENDED
from usl_perceus.front.lower_builtins import BuiltinCalls
from usl_perceus.front.resolve import exception_fields
from usl_perceus.front.typed import ExceptionUse, LocalUse

Env = Mapping[str, Any]


class Handling(BuiltinCalls):
    """`raise` and `try`; the rest of the lowering is the subclass's."""

    @abstractmethod
    def given(self, node: sx.Call, env: Env, block: Block) -> tuple[ir.Atom, ...]:
        """The arguments of a call in the order of the parameters."""

    def exception(self, value: sx.Expr, env: Env, block: Block) -> ir.Atom:
        """What a `raise` raises."""
        if isinstance(value, sx.Name) and isinstance(self.typed.uses.get(value), LocalUse):
            caught = env[value.name]
            assert isinstance(caught, ir.Var | ir.Nullary)
            return caught
        callee = value.function if isinstance(value, sx.Call) else value
        use = self.typed.uses[callee]
        assert isinstance(use, ExceptionUse)
        con = self.instances.exception(use.exception)
        if not con.fields:
            return ir.Nullary(con)
        given = self.given(value, env, block) if isinstance(value, sx.Call) else ()
        made = ir.MakeCon(con, given, span=value.span)
        return block.atom(made, ir.EXN, "exception", value.span)

    def _jump_from(self, caught: sx.Handler | sx.ConstructorPattern, label: ir.Label, type_: ir.Type) -> ir.Branch:
        """One of several exceptions that a handler catches."""
        use = self.typed.uses[caught]
        assert isinstance(use, ExceptionUse)
        con = self.instances.exception(use.exception)
        binders = tuple(ir.Var(f"field{i}", field) for i, (_, field) in enumerate(con.fields))
        return ir.Branch(con, binders, ir.Jump(label, (), type_, span=caught.span), span=caught.span)

    def try_(self, node: sx.Try, env: Env) -> ir.Expr:
        """A `try` with its handlers."""
        type_ = self.type(node)
        value, exception = ir.Var("result", self.type(node.body)), ir.Var("exception", ir.EXN)
        branches: list[ir.Branch] = []
        default: ir.Expr = ir.Raise(exception, type_, span=node.span)
        shared: list[tuple[ir.Label, ir.Expr]] = []
        if self.instances.limited and any(handler.pattern is None for handler in node.handlers):
            ended = self.instances.exception(ENDED)  # no handler of the program catches that
            branches.append(ir.Branch(ended, (), ir.Raise(exception, type_, span=node.span), span=node.span))
        for handler in node.handlers:
            inside = {**env, handler.caught: exception}
            if handler.pattern is None:
                default = self.expr(handler.body, inside)
                continue
            if handler.others:
                label = ir.Label("handler")
                shared.append((label, self.expr(handler.body, inside)))
                branches.append(self._jump_from(handler, label, type_))
                branches.extend(self._jump_from(other, label, type_) for other in handler.others)
                continue
            use = self.typed.uses[handler]
            assert isinstance(use, ExceptionUse)
            con = self.instances.exception(use.exception)
            binders = tuple(ir.Var(f"field{i}", field) for i, (_, field) in enumerate(con.fields))
            inner = Block()
            fields = exception_fields(use.exception)
            bound = self.bind_fields(self.typed.patterns[handler], binders, fields, inner, handler.span)
            body = inner.wrap(self.expr(handler.body, {**inside, **bound}))
            branches.append(ir.Branch(con, binders, body, span=handler.span))
        handled = ir.Match(exception, tuple(branches), default, span=node.span) if branches else default
        for label, body in reversed(shared):
            handled = ir.LetJoin(label, (), body, handled, span=node.span)
        then: ir.Expr = ir.Ret(value, span=node.span)
        if node.then is not None:
            after = Block()
            bound = self.bind(self.typed.patterns[node], value, self.typed.types[node.body], after, node.span)
            then = after.wrap(self.expr(node.then, {**env, **bound}))
        return ir.TryLet(value, self.expr(node.body, env), then, exception, handled, span=node.span)
