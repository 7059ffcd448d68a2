"""Tail calls: marked, and grouped into loops. What is left then becomes C."""

from __future__ import annotations

from dataclasses import replace

from usl_perceus.ir import Call, Expr, Lambda, Let, NewHole, Program, TryLet
from usl_perceus.opt.callgraph import components, is_recursive, tail_callees
from usl_perceus.opt.inline import without_unused
from usl_perceus.traverse import map_children


def tail_calls(program: Program) -> Program:
    """Set Call.tail, and FunDef.loop for functions that call themselves or each other in tail position.

    Functions that nothing calls any more are left out: C compilers warn of them.
    """
    program = without_unused(program)
    graph = {name: tail_callees(fun.body) for name, fun in program.funs.items()}
    loops: dict[str, int] = {}
    for number, group in enumerate(components(graph)):
        if is_recursive(group, graph):
            loops.update(dict.fromkeys(group, number))
    funs = {name: replace(fun, body=_mark(fun.body, tail=True), loop=loops.get(name)) for name, fun in program.funs.items()}
    return replace(program, funs=funs)


def _mark(expr: Expr, *, tail: bool) -> Expr:
    match expr:
        case Call():
            return replace(expr, tail=tail)
        case Let(value=value, body=body):
            return replace(expr, value=_mark(value, tail=False), body=_mark(body, tail=tail))
        case TryLet(value=value, body=body, handler=handler):
            new_body, new_handler = _mark(body, tail=tail), _mark(handler, tail=tail)
            return replace(expr, value=_mark(value, tail=False), body=new_body, handler=new_handler)
        case NewHole(body=body):
            return replace(expr, body=_mark(body, tail=False))  # the slot is in this frame
        case Lambda(body=body):
            return replace(expr, body=_mark(body, tail=True))
        case _:
            return map_children(expr, lambda child: _mark(child, tail=tail))
