"""Calls replaced by the bodies of what they call, where these are cheap scalar code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.building import is_total_scalar
from usl_soac.core import Atom, Body, Function, Lambda, Statement
from usl_soac.traverse import Renaming, bodies, refresh

Find = Callable[[core.Call], Function | None]
"""The function that a call calls, if it is to be inlined."""


def inline_calls(body: Body, find: Find) -> Body:
    """The body with calls replaced, those in its bodies too. Tests of a call guard what can fail in its place."""
    made: list[Statement] = []
    results: dict[Sym, Atom] = {}
    for statement in body.statements:
        statement = Renaming(results).statement(statement) if results else statement
        expr = statement.value
        function = find(expr) if isinstance(expr, core.Call) else None
        if function is None or not isinstance(expr, core.Call):
            made.append(_inside(statement, find))
            continue
        values: dict[Sym, Atom] = {param.name: arg for param, arg in zip(function.params, expr.args, strict=True)}
        copy = refresh(function.body, values)
        made += [
            each if is_total_scalar(each) else replace(each, certs=(*statement.certs, *each.certs)) for each in copy.statements
        ]
        results.update({param.name: atom for param, atom in zip(statement.pattern, copy.results, strict=True)})
    renaming = Renaming(results)
    return replace(body, statements=tuple(made), results=tuple(map(renaming.atom, body.results)))


def _inside(statement: Statement, find: Find) -> Statement:
    expr = statement.value
    if not bodies(expr):
        return statement
    match expr:
        case core.If(then=then, orelse=orelse):
            return replace(statement, value=replace(expr, then=inline_calls(then, find), orelse=inline_calls(orelse, find)))
        case core.Loop(condition=condition, body=body):
            asked = None if condition is None else inline_calls(condition, find)
            return replace(statement, value=replace(expr, condition=asked, body=inline_calls(body, find)))
        case core.Map(function=function):
            return replace(statement, value=replace(expr, function=_function(function, find)))
        case core.Filter(predicate=function):
            return replace(statement, value=replace(expr, predicate=_function(function, find)))
        case core.Reduce(op=function) | core.Scan(op=function) | core.Hist(op=function):
            return replace(statement, value=replace(expr, op=_function(function, find)))
        case _:
            return statement


def _function(function: Lambda, find: Find) -> Lambda:
    return replace(function, body=inline_calls(function.body, find))
