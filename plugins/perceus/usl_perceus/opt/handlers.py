"""Exceptions that are raised and caught in one function become jumps.

    try x = (if c { a.set(i, y) } else { raise E }) in body unless exn -> handler

becomes, with a join point each for body and handler,

    if c { val x' = a.set(i, y); jump behind(x') } else { jump caught(E) }

A `TryLet` keeps what its handler needs as long as its value runs. Afterwards the handler keeps it along the calls only that
may raise: here a is changed in place although the handler gives it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from usl_perceus.ir import (
    Atom,
    Con,
    Expr,
    If,
    Jump,
    Label,
    Let,
    LetJoin,
    MakeCon,
    Match,
    Nullary,
    Program,
    Raise,
    Ret,
    TryLet,
    Type,
    Var,
)
from usl_perceus.opt.simplify import SMALL_JOIN, simplify_expr, size
from usl_perceus.opt.throws import narrow_throws
from usl_perceus.traverse import fresh_copy, map_children, type_of, walk
from usl_perceus.verify import may_throw


def open_handlers(program: Program) -> Program:
    """Make a jump of each raise whose handler is in sight."""
    funs = {name: replace(fun, body=_opened(fun.body, program)) for name, fun in program.funs.items()}
    if all(fun.body is program.funs[name].body for name, fun in funs.items()):
        return program
    funs = {name: replace(fun, body=simplify_expr(fun.body)) for name, fun in funs.items()}
    return narrow_throws(replace(program, funs=funs))


def _opened(expr: Expr, program: Program) -> Expr:
    expr = map_children(expr, lambda child: _opened(child, program))
    if not isinstance(expr, TryLet):
        return expr
    raises = list(_in_sight(expr.value))
    known = {var: con for inner in walk(expr.value) for var, con in _made(inner)}
    again = any(_is_named_again(expr, _constructor(raised.atom, known)) for raised in raises)
    if not raises or (again and size(expr.handler) > SMALL_JOIN):
        return expr
    caught, behind = Label("caught"), Label("behind")
    value = _Lowering(program, expr, known, caught, type_of(expr.handler)).expr(expr.value, behind)
    inner = LetJoin(caught, (expr.exn,), expr.handler, value, span=expr.span)
    return LetJoin(behind, (expr.var,), expr.body, inner, span=expr.span)


def _in_sight(expr: Expr) -> Iterator[Raise]:
    """What is raised in expr itself, and not in a try of its own."""
    match expr:
        case Raise():
            yield expr
        case Let(value=value, body=body):
            yield from _in_sight(value)
            yield from _in_sight(body)
        case TryLet(body=body, handler=handler):
            yield from _in_sight(body)
            yield from _in_sight(handler)
        case If(then=then, orelse=orelse):
            yield from _in_sight(then)
            yield from _in_sight(orelse)
        case Match(branches=branches, default=default):
            for branch in branches:
                yield from _in_sight(branch.body)
            if default is not None:
                yield from _in_sight(default)
        case LetJoin(join_body=join_body, body=body):
            yield from _in_sight(join_body)
            yield from _in_sight(body)
        case _:
            pass


def _made(expr: Expr) -> Iterator[tuple[Var, Con]]:
    if isinstance(expr, Let) and isinstance(expr.value, MakeCon):
        yield expr.var, expr.value.con


def _constructor(atom: Atom, known: Mapping[Var, Con]) -> Con | None:
    """The exception that atom is, if that is known."""
    return atom.con if isinstance(atom, Nullary) else known.get(atom) if isinstance(atom, Var) else None


def _branch(expr: TryLet, con: Con | None) -> Expr:
    """What the handler does with an exception of that constructor, as far as that is obvious."""
    handler = expr.handler
    if con is None or not isinstance(handler, Match) or handler.var is not expr.exn:
        return handler
    found = next((branch.body for branch in handler.branches if branch.con == con), handler.default)
    return handler if found is None else found


def _passes_on(expr: Expr, exn: Var) -> bool:
    return isinstance(expr, Raise) and expr.atom is exn and expr.reason is None


def _is_named_again(expr: TryLet, con: Con | None) -> bool:
    """Whether the handler may pass the exception on after something else: where it was raised would be lost by a jump."""
    branch = _branch(expr, con)
    only = con is not None and _passes_on(branch, expr.exn)
    return not only and any(_passes_on(inner, expr.exn) for inner in walk(branch))


@dataclass(frozen=True, slots=True)
class _Lowering:
    """Of the value of one try, with the label of its handler and the type of the whole."""

    program: Program
    whole: TryLet
    known: Mapping[Var, Con]
    caught: Label
    type: Type

    def expr(self, expr: Expr, then: Label) -> Expr:
        """expr in tail position, which goes on to a join point with its value."""
        match expr:
            case Raise(atom=atom):
                con = _constructor(atom, self.known)
                if con is not None and _passes_on(_branch(self.whole, con), self.whole.exn):
                    return replace(expr, type=self.type)
                if _is_named_again(self.whole, con):
                    return self._handled_here(expr)
                return Jump(self.caught, (atom,), self.type, span=expr.span)
            case Let(var=var, value=value, body=body) if any(True for _ in _in_sight(value)):
                after = Label("after")
                return LetJoin(after, (var,), self.expr(body, then), self.expr(value, after), span=expr.span)
            case Let(var=var, value=value, body=body):
                return self._bound(var, value, self.expr(body, then))
            case TryLet() | If() | Match() | LetJoin():
                inner = [expr.value] if isinstance(expr, TryLet) else []  # it has a handler of its own
                return map_children(expr, lambda child: child if child in inner else self.expr(child, then))
            case Jump():
                return replace(expr, type=self.type)
            case Ret(atom=atom):
                return Jump(then, (atom,), self.type, span=expr.span)
            case _:
                var = Var(self.whole.var.name, type_of(expr))
                return self._bound(var, expr, Jump(then, (var,), self.type, span=expr.span))

    def _handled_here(self, raised: Raise) -> Expr:
        """A copy of the handler for what is raised here, which it passes on as it was (`simplify`)."""
        var, exn = self.whole.var.copy(), self.whole.exn.copy()
        handler = fresh_copy(self.whole.handler, {self.whole.exn: exn})
        nothing = Raise(raised.atom, self.type, raised.reason, span=raised.span)
        return TryLet(var, replace(raised, type=var.type), nothing, exn, handler, span=raised.span)

    def _bound(self, var: Var, value: Expr, body: Expr) -> Expr:
        """value, whose exceptions are caught, then body."""
        if not may_throw(value, self.program):
            return Let(var, value, body, span=value.span)
        exn = self.whole.exn.copy()
        return TryLet(var, value, body, exn, Jump(self.caught, (exn,), self.type, span=value.span), span=value.span)
