"""Tests that do not vary move out of maps, reductions, loops and branches: `n == 0 or b` before, for b inside (H2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.building import TRUE, Scope, is_total_scalar
from usl_soac.core import Atom, Body, Const, Lambda, Param, Statement, Type
from usl_soac.scalars import BOOL, CERT
from usl_soac.sizes import ZERO, Compare, Term, literal, name
from usl_soac.slices import backward_slice
from usl_soac.traverse import refresh, rename, used_by_statement

Types = dict[Sym, Type]


def lifted(body: Body, params: Sequence[Param]) -> Body:
    """The body with every test as far out as it can stand."""
    return _body(body, {param.name: param.type for param in params})


def _body(body: Body, types: Types) -> Body:
    made: list[Statement] = []
    for statement in body.statements:
        before, statement = _statement(statement, types)
        made += [*before, statement]
        types.update({param.name: param.type for each in (*before, statement) for param in each.pattern})
    return replace(body, statements=tuple(made))


def _statement(statement: Statement, types: Types) -> tuple[list[Statement], Statement]:
    """What moves out of a statement, and the statement without it."""
    expr = statement.value
    before: list[Statement] = []
    match expr:
        case core.If(condition=condition, then=then, orelse=orelse):
            for is_then, branch in ((True, then), (False, orelse)):
                inside = _body(branch, dict(types))
                moved, inside = _taken(inside, (), statement.certs, _Guard(condition, is_then))
                before += moved
                expr = replace(expr, then=inside) if is_then else replace(expr, orelse=inside)
            return before, replace(statement, value=expr)
        case core.Loop():
            return _loop(statement, expr, types)
        case core.Map(function=function):
            before, new = _function(function, expr.arrays, statement, types)
            return before, replace(statement, value=replace(expr, function=new))
        case core.Filter(predicate=function):
            before, new = _function(function, expr.arrays, statement, types)
            return before, replace(statement, value=replace(expr, predicate=new))
        case core.Reduce(op=function) | core.Scan(op=function):
            before, new = _function(function, expr.arrays, statement, types)
            return before, replace(statement, value=replace(expr, op=new))
        case core.Hist(op=function):
            # It is evaluated only where an index is in range.
            inner = replace(function, body=_body(function.body, _with(types, function.params)))
            return [], replace(statement, value=replace(expr, op=inner))
        case _:
            return [], statement


def _with(types: Types, params: Sequence[Param]) -> Types:
    return {**types, **{param.name: param.type for param in params}}


@dataclass(frozen=True, slots=True)
class _Guard:
    """Under which condition the body is evaluated: a truth value, or its opposite."""

    condition: Atom
    holds: bool


def _loop(statement: Statement, loop: core.Loop, types: Types) -> tuple[list[Statement], Statement]:
    inside = _with(types, loop.params)
    body = _body(loop.body, inside)
    condition = None if loop.condition is None else _body(loop.condition, dict(inside))
    made = replace(loop, body=body, condition=condition)
    if loop.bound is None or loop.condition is not None:
        # Whether there is a first round is not known before.
        return [], replace(statement, value=made)
    scope = Scope()
    rounds = name(loop.bound) if isinstance(loop.bound, Sym) else _constant(loop.bound)
    none = scope.compare(Compare("<=", rounds, ZERO), "empty")
    own = [*loop.params, *((loop.index,) if loop.index is not None else ())]
    moved, body = _taken(body, own, statement.certs, _Guard(none, False))
    before = [*scope.statements, *moved] if moved else []
    return before, replace(statement, value=replace(made, body=body))


def _constant(atom: Const) -> Term:
    return literal(int(atom.value))


def _function(function: Lambda, arrays: Sequence[Sym], statement: Statement, types: Types) -> tuple[list[Statement], Lambda]:
    body = _body(function.body, _with(types, function.params))
    head = types[arrays[0]].dims[0] if arrays[0] in types else None
    if head is None:
        return [], replace(function, body=body)
    scope = Scope()
    none = scope.compare(Compare("==", head, ZERO), "empty")
    moved, body = _taken(body, function.params, statement.certs, _Guard(none, False))
    return ([*scope.statements, *moved] if moved else []), replace(function, body=body)


def _taken(body: Body, params: Sequence[Param], certs: Sequence[Sym], guard: _Guard) -> tuple[list[Statement], Body]:
    """The tests of a body that use nothing from inside, weakened by the guard, and the body without them."""
    inside = {param.name for param in params} | {param.name for each in body.statements for param in each.pattern}
    moved: list[Statement] = []
    values: dict[Sym, Atom] = {}
    kept: list[Statement] = []
    for statement in body.statements:
        expr = statement.value
        found = _independent(expr, body, inside) if isinstance(expr, core.Assert) else None
        if not isinstance(expr, core.Assert) or found is None:
            kept.append(statement)
            continue
        scope = Scope()
        copy = refresh(Body(tuple(found), (expr.condition, *expr.values)))
        scope.statements += copy.statements
        condition, *numbers = copy.results
        ok = _weakened(condition, guard, scope)
        cert = statement.pattern[0].name.copy()
        test = core.Assert(ok, expr.site, tuple(numbers), span=expr.span)
        moved += [*scope.statements, Statement((Param(cert, Type(CERT)),), test, tuple(certs), span=statement.span)]
        values[statement.pattern[0].name] = cert
    return moved, rename(replace(body, statements=tuple(kept)), values)


def _weakened(condition: Atom, guard: _Guard, scope: Scope) -> Atom:
    """The condition, or the body is not evaluated."""
    if isinstance(guard.condition, Const):
        return condition if bool(guard.condition.value) == guard.holds else TRUE
    away = scope.op("not", (guard.condition,), BOOL, BOOL) if guard.holds else guard.condition
    return scope.op("or", (away, condition), BOOL, BOOL, "ok")


def _independent(expr: core.Assert, body: Body, inside: set[Sym]) -> list[Statement] | None:
    """The total scalar code of a body that a test needs, None if it needs more than that and names from outside."""
    roots = {atom for atom in (expr.condition, *expr.values) if isinstance(atom, Sym)}
    found = backward_slice(body.statements, roots)
    if not all(map(is_total_scalar, found)):
        return None
    bound = {param.name for each in found for param in each.pattern}
    needed = roots | {sym for each in found for sym in used_by_statement(each)}
    return found if needed.isdisjoint(inside - bound) else None
