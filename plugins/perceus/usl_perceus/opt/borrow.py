"""Borrowed parameters, inferred; and wrappers for functions whose parameters are borrowed.

A parameter is inferred to be borrowed if its function, and what it calls, never allocates, and it is only looked at: matched,
or passed on to borrowed parameters, and so are the parts of it that are passed on in recursion. What the caller keeps alive
meanwhile cannot add to the memory in use at any allocation, so the program stays garbage-free wherever it takes memory; and a
read-only walk needs no counts at all. Some caller must use the argument again, or borrow it itself: otherwise a walk that frees
what it leaves behind is cheaper than one that is followed by another to free it all. A tail call within a recursion must
stay one: a parameter is not borrowed if such a call would have to drop its argument afterwards.

Closures and exported functions own their parameters. So a function with borrowed parameters that is used as a closure or
exported gives its name to a wrapper, which calls it (under its name with `@borrowed`) and drops the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from usl_perceus import prims
from usl_perceus.allocation import Takes, takes_memory
from usl_perceus.ir import (
    Atom,
    Call,
    Expr,
    FunDef,
    Lambda,
    Let,
    Match,
    Param,
    Prim,
    Program,
    TryLet,
    Var,
)
from usl_perceus.layout import is_counted
from usl_perceus.opt.callgraph import call_graph, components, references, tail_expressions
from usl_perceus.traverse import FreeVars, atoms, children, map_children, walk

SUFFIX = "@borrowed"
Borrowed = dict[str, list[bool]]


def infer_borrows(program: Program) -> Program:
    """Mark parameters as borrowed where that costs no garbage and no tail call."""
    silent = _silent_functions(program)
    exported = set(program.exports)
    groups = {name: group for group in components(call_graph(program)) for name in group}
    kept = _kept_by_callers(program, groups)
    borrowed: Borrowed = {}
    for name, fun in program.funs.items():
        may = name in silent and name not in exported
        counted = [is_counted(param.var.type, program.datas) for param in fun.params]
        wanted = [may and counted[i] and (name, i) in kept for i in range(len(counted))]
        borrowed[name] = [param.borrowed or want for param, want in zip(fun.params, wanted, strict=True)]
    while any(_restrict(fun, borrowed, groups[name], program) for name, fun in program.funs.items()):
        pass
    funs = {}
    for name, fun in program.funs.items():
        params = [replace(param, borrowed=mark) for param, mark in zip(fun.params, borrowed[name], strict=True)]
        funs[name] = replace(fun, params=tuple(params))
    return replace(program, funs=funs)


def _kept_by_callers(program: Program, groups: Mapping[str, tuple[str, ...]]) -> set[tuple[str, int]]:
    """The parameters, by function and index, whose argument some caller outside of the recursion keeps alive anyway."""
    kept: set[tuple[str, int]] = set()
    while True:
        before = len(kept)
        for name, fun in program.funs.items():
            free = FreeVars()
            free.of(fun.body)
            marks = [param.borrowed or (name, i) in kept for i, param in enumerate(fun.params)]
            for call, live in _calls(fun.body, frozenset(_roots(fun, marks)), free):
                if call.fun not in groups[name]:
                    kept.update((call.fun, i) for i, arg in enumerate(call.args) if isinstance(arg, Var) and arg in live)
        if len(kept) == before:
            return kept


def _calls(expr: Expr, live: frozenset[Var], free: FreeVars) -> Iterator[tuple[Call, frozenset[Var]]]:
    """The calls in expr, each with the variables that are alive after it; live: those alive after expr."""
    match expr:
        case Call():
            yield expr, live
        case Let(var=var, value=value, body=body):
            yield from _calls(value, live | free.of(body) - {var}, free)
            yield from _calls(body, live, free)
        case TryLet(value=value, body=body, handler=handler):
            yield from _calls(value, live | free.of(body) | free.of(handler), free)
            yield from _calls(body, live, free)
            yield from _calls(handler, live, free)
        case Lambda(body=body):
            inner = FreeVars()
            inner.of(body)
            yield from _calls(body, frozenset(), inner)
        case _:
            for child in children(expr):
                yield from _calls(child, live, free)


def _silent_functions(program: Program) -> frozenset[str]:
    """The functions that never allocate, nor do those that they call."""
    takes = {name: {takes_memory(expr, program) for expr in walk(fun.body)} for name, fun in program.funs.items()}
    silent = {name for name, kinds in takes.items() if kinds <= {Takes.NEVER}}
    graph = call_graph(program)
    while True:
        loud = {name for name in silent if not graph[name] <= silent}
        if not loud:
            return frozenset(silent)
        silent -= loud


def _restrict(fun: FunDef, borrowed: Borrowed, group: tuple[str, ...], program: Program) -> bool:
    """Take back marks that fun's body contradicts; whether there were any."""
    roots = _roots(fun, borrowed[fun.name])
    changed = False
    for expr in walk(fun.body):
        for atom in _consumed(expr, borrowed):
            root = roots.get(atom) if isinstance(atom, Var) else None
            if root is atom:
                changed |= _own(fun, root, borrowed)
    for expr in tail_expressions(fun.body):
        if isinstance(expr, Call) and expr.fun in group:
            callee = program.funs[expr.fun]
            for i, arg in enumerate(expr.args):
                kept = borrowed[expr.fun][i] and isinstance(arg, Var) and is_counted(arg.type, program.datas)
                if kept and arg not in roots and not callee.params[i].borrowed:
                    borrowed[expr.fun][i] = False
                    changed = True
    return changed


def _own(fun: FunDef, var: Var, borrowed: Borrowed) -> bool:
    """Unmark the parameter var, unless it is annotated."""
    for i, param in enumerate(fun.params):
        if param.var is var and not param.borrowed and borrowed[fun.name][i]:
            borrowed[fun.name][i] = False
            return True
    return False


def _roots(fun: FunDef, marks: list[bool]) -> Mapping[Var, Var]:
    """For each variable that is a borrowed parameter, or a part of one by matches, that parameter."""
    roots = {param.var: param.var for param, mark in zip(fun.params, marks, strict=True) if mark}
    for expr in walk(fun.body):
        if isinstance(expr, Match) and expr.var in roots:
            for branch in expr.branches:
                roots.update(dict.fromkeys(branch.binders, roots[expr.var]))
    return roots


def _consumed(expr: Expr, borrowed: Borrowed) -> tuple[Atom, ...]:
    """The atoms that expr uses up."""
    match expr:
        case Match():
            return ()
        case Call(fun=fun, args=args):
            return tuple(arg for arg, kept in zip(args, borrowed[fun], strict=True) if not kept)
        case Prim(op=op, args=args):
            return tuple(arg for arg, kept in zip(args, prims.borrowed(op, len(args)), strict=True) if not kept)
        case _:
            return atoms(expr)


def wrap_borrowing(program: Program) -> Program:
    """Make wrappers for functions with borrowed parameters that are exported or used as closures."""
    used = set(program.exports).union(*(references(fun.body) for fun in program.funs.values()))
    wrapped = {name for name in used if any(param.borrowed for param in program.funs[name].params)}
    funs: dict[str, FunDef] = {}
    for name, fun in program.funs.items():
        body = _redirect(fun.body, wrapped)
        if name in wrapped:
            funs[name] = _wrapper(fun)
            name += SUFFIX
        funs[name] = replace(fun, name=name, body=body)
    return replace(program, funs=funs)


def _redirect(expr: Expr, wrapped: set[str]) -> Expr:
    if isinstance(expr, Call) and expr.fun in wrapped:
        return replace(expr, fun=expr.fun + SUFFIX)
    return map_children(expr, lambda child: _redirect(child, wrapped))


def _wrapper(fun: FunDef) -> FunDef:
    params = tuple(Param(param.var.copy()) for param in fun.params)
    call = Call(fun.name + SUFFIX, tuple(param.var for param in params), fun.result, span=fun.span)
    return FunDef(fun.name, params, fun.result, call, throws=fun.throws, span=fun.span)
