"""Inlining of functions that do not call themselves.

A small function is copied wherever it is called; a larger one if there is one call, or few and it takes data apart, so that its
matches and the constructors of the caller can share memory (red-black balancing). `@inline` asks for it.

A function that promises something, or that such a one calls, keeps its calls of closures that it was given (`FunDef.given`)
if these may take memory: the promise does not cover them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from usl_perceus.allocation import Takes, takes_memory
from usl_perceus.ir import Call, Expr, FunDef, Match, Program
from usl_perceus.opt.callgraph import call_graph, components, is_recursive, references
from usl_perceus.opt.simplify import bind_arguments, simplify_expr, size
from usl_perceus.traverse import fresh_copy, map_children, walk

SMALL = 12
"""Functions of at most so many expressions are always inlined."""
MEDIUM = 160
"""Functions of at most so many are inlined if they are called once, or match and are called at most FEW times."""
FEW = 3
LARGE = 1000
"""No function grows beyond this by inlining others."""
GROWTH = 3
"""How many times as large the program may become by functions that are neither small nor called once."""


def inline(program: Program) -> Program:
    """Replace calls by bodies, callees first; then remove the functions that are not needed any more."""
    graph = call_graph(program)
    calls = Counter(expr.fun for fun in program.funs.values() for expr in walk(fun.body) if isinstance(expr, Call))
    funs = dict(program.funs)
    room = _Room((GROWTH - 1) * sum(size(fun.body) for fun in funs.values()))
    chosen: dict[str, FunDef] = {}
    promising = _reached(graph, (name for name, fun in funs.items() if fun.fbip or fun.no_alloc))
    for group in components(graph):
        for name in group:
            fun = funs[name]
            kept = {g for g in fun.given if may_take_memory(funs[g], program)} if name in promising else set()
            inliner = _Inliner({g: each for g, each in chosen.items() if g not in kept} if kept else chosen, calls, room)
            body = inliner.expr(fun.body)
            given = fun.given | (inliner.given - graph[name])
            funs[name] = replace(fun, body=simplify_expr(body), given=given)
        if not is_recursive(group, graph) and _is_worth(funs[group[0]], calls[group[0]]):
            chosen[group[0]] = funs[group[0]]
    return without_unused(replace(program, funs=funs))


def _is_worth(fun: FunDef, calls: int) -> bool:
    count = size(fun.body)
    if fun.fbip or fun.no_alloc:
        return False  # its promise is checked on its own code
    takes_apart = isinstance(fun.body, Match) or any(isinstance(expr, Match) for expr in walk(fun.body))
    return count <= SMALL or fun.inline or (count <= MEDIUM and (calls == 1 or (takes_apart and calls <= FEW)))


def may_take_memory(fun: FunDef, program: Program) -> bool:
    """Whether a call may, what it calls included."""
    return any(isinstance(expr, Call) or takes_memory(expr, program) is not Takes.NEVER for expr in walk(fun.body))


def _reached(graph: Mapping[str, Collection[str]], names: Iterable[str]) -> set[str]:
    """The functions that these call, themselves included."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(graph[name])
    return found


@dataclass(slots=True)
class _Room:
    """How many expressions may be added to the whole program."""

    left: int


class _Inliner:
    def __init__(self, chosen: dict[str, FunDef], calls: Mapping[str, int], program: _Room) -> None:
        self._chosen = chosen
        self._calls = calls
        self._room = LARGE
        self._program = program
        self.given: frozenset[str] = frozenset()
        """Of the functions that were inlined."""

    def expr(self, expr: Expr) -> Expr:
        if isinstance(expr, Call) and expr.fun in self._chosen:
            fun = self._chosen[expr.fun]
            count = size(fun.body)
            added = 0 if count <= SMALL or fun.inline or self._calls[expr.fun] == 1 else count
            self._room -= count
            if self._room > 0 and added <= self._program.left:
                self._program.left -= added
                self.given |= fun.given
                params = {param.var: param.var.copy() for param in fun.params}
                return bind_arguments(tuple(params.values()), expr.args, fresh_copy(fun.body, params), expr)
        return map_children(expr, self.expr)


def without_unused(program: Program) -> Program:
    """Only the functions that the exports need; all of them if nothing is exported."""
    if not program.exports:
        return program
    needed: set[str] = set()
    todo = list(program.exports)
    while todo:
        name = todo.pop()
        if name not in needed:
            needed.add(name)
            body = program.funs[name].body
            todo.extend({expr.fun for expr in walk(body) if isinstance(expr, Call)} | references(body))
    return replace(program, funs={name: fun for name, fun in program.funs.items() if name in needed})
