"""Programs whose calls can be ended: functions that call themselves, and closures that call closures, ask whether to go on; so
does what follows a kernel or a C function, which do not ask themselves.

What ends a call is an exception like any other, so that everything that it held is given up on the way; but no handler of the
program catches it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from usl_core.errors import Span
from usl_perceus import ir
from usl_perceus.front.block import Block
from usl_perceus.front.builtins import exception
from usl_perceus.traverse import atoms, map_children, walk

ENDED = exception(TimeoutError)
"""A call took too long, or was interrupted."""


def with_questions(funs: Mapping[str, ir.FunDef], ended: ir.Con) -> dict[str, ir.FunDef]:
    """The functions, which raise ended when they are to end. They promise nothing: to raise takes a path more."""
    circular = _circular(funs)
    made = {}
    for name, fun in funs.items():
        body = _in_closures(fun.body, ended)
        if name in circular:
            body = asking(body, fun.result, ended, fun.span)
        made[name] = replace(fun, body=body, fbip=False, no_alloc=False)
    return made


def asking(body: ir.Expr, type_: ir.Type, ended: ir.Con, span: Span) -> ir.Expr:
    """body, of that type, unless the call is to end."""
    block = Block()
    test = block.atom(ir.Prim("interrupted", (), ir.BOOL, span=span), ir.BOOL, "end", span)
    return block.wrap(ir.If(test, ir.Raise(ir.Nullary(ended), type_, "", span=span), body, span=span))


def asked_after(call: ir.ForeignCall, ended: ir.Con, block: Block) -> ir.Expr:
    """The result of a C function, unless the call that it is part of is to end."""
    result = block.atom(call, call.type, "result", call.span)
    return asking(ir.Ret(result, span=call.span), call.type, ended, call.span)


def _in_closures(body: ir.Expr, ended: ir.Con) -> ir.Expr:
    """Closures may call each other in a circle that nobody sees, through a cell. What a thread runs catches all exceptions, and
    calls a closure that asks."""
    threads = {each.args[0] for each in walk(body) if isinstance(each, ir.Prim) and each.op == "spawn"}

    def changed(expr: ir.Expr) -> ir.Expr:
        inner = map_children(expr, changed)
        if isinstance(expr, ir.Let) and expr.var in threads and isinstance(expr.value, ir.Lambda):
            assert isinstance(inner, ir.Let)
            return replace(inner, value=map_children(expr.value, changed))
        if isinstance(inner, ir.Lambda) and any(isinstance(each, ir.CallClosure) for each in walk(inner.body)):
            return replace(inner, body=asking(inner.body, inner.result, ended, inner.span))
        return inner

    return changed(body)


def _circular(funs: Mapping[str, ir.FunDef]) -> set[str]:
    """The functions that may lead back to themselves, by calls and references."""
    graph = {}
    for name, fun in funs.items():
        nodes = list(walk(fun.body))
        called = {node.fun for node in nodes if isinstance(node, ir.Call)}
        graph[name] = called | {atom.fun for node in nodes for atom in atoms(node) if isinstance(atom, ir.FunRef)}
    found = set()
    for name in graph:
        seen: set[str] = set()
        waiting = [name]
        while waiting:
            fresh = graph.get(waiting.pop(), set()) - seen
            seen |= fresh
            waiting.extend(fresh)
        if name in seen:
            found.add(name)
    return found
