"""Which functions may still raise: after specialisation and inlining often fewer than by their closures' types."""

from __future__ import annotations

from dataclasses import replace

from usl_perceus.ir import Expr, Let, Program, TryLet
from usl_perceus.opt.simplify import simplify_expr
from usl_perceus.traverse import map_children
from usl_perceus.verify import may_throw


def narrow_throws(program: Program) -> Program:
    """Set FunDef.throws to the least solution for the given types of closures; a try around what never raises becomes a Let."""
    quiet = {name: replace(fun, throws=False) for name, fun in program.funs.items()}
    program = replace(program, funs=quiet)
    while True:
        found = [name for name, fun in program.funs.items() if not fun.throws and may_throw(fun.body, program)]
        if not found:
            break
        marked = {name: replace(program.funs[name], throws=True) for name in found}
        program = replace(program, funs={**program.funs, **marked})
    funs = {name: replace(fun, body=simplify_expr(_without_tries(fun.body, program))) for name, fun in program.funs.items()}
    return replace(program, funs=funs)


def _without_tries(expr: Expr, program: Program) -> Expr:
    if isinstance(expr, TryLet) and not may_throw(expr.value, program):
        return _without_tries(Let(expr.var, expr.value, expr.body, span=expr.span), program)
    return map_children(expr, lambda child: _without_tries(child, program))
