"""Who calls whom, and the strongly connected components of that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from usl_perceus.ir import (
    Call,
    Do,
    Expr,
    FunRef,
    If,
    Let,
    LetJoin,
    MakeConHole,
    Match,
    Program,
    TryLet,
)
from usl_perceus.traverse import atoms, children, walk


def callees(body: Expr) -> set[str]:
    """The top-level functions that a body calls by name, in lambdas too."""
    return {expr.fun for expr in walk(body) if isinstance(expr, Call)}


def references(body: Expr) -> set[str]:
    """The top-level functions that a body uses as closures."""
    return {atom.fun for expr in walk(body) for atom in atoms(expr) if isinstance(atom, FunRef)}


def tail_expressions(body: Expr) -> Iterator[Expr]:
    """The expressions in tail position of a function's body, the inner ones after the outer ones."""
    stack = [body]
    while stack:
        expr = stack.pop()
        yield expr
        match expr:
            case Let() | TryLet():
                stack.extend(children(expr)[1:])
            case Match() | If() | LetJoin() | MakeConHole() | Do():
                stack.extend(children(expr))
            case _:
                pass


def tail_callees(body: Expr) -> set[str]:
    """The functions that a body calls in tail position."""
    return {expr.fun for expr in tail_expressions(body) if isinstance(expr, Call)}


def call_graph(program: Program) -> dict[str, set[str]]:
    """For each function those that it calls or refers to."""
    return {name: callees(fun.body) | references(fun.body) for name, fun in program.funs.items()}


def components(graph: Mapping[str, Iterable[str]]) -> list[tuple[str, ...]]:
    """The strongly connected components, each after those that it reaches (Tarjan 1972, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_path: list[str] = []
    found: list[tuple[str, ...]] = []
    for root in graph:
        if root in index:
            continue
        work: list[tuple[str, Iterator[str]]] = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        on_path.append(root)
        while work:
            node, successors = work[-1]
            step = next(successors, None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = on_path.index(node)
                    found.append(tuple(on_path[at:]))
                    del on_path[at:]
            elif step not in index:
                index[step] = low[step] = len(index)
                on_path.append(step)
                work.append((step, iter(sorted(graph[step]))))
            elif step in on_path:
                low[node] = min(low[node], index[step])
    return found


def is_recursive(component: tuple[str, ...], graph: Mapping[str, Iterable[str]]) -> bool:
    """Whether the functions of a component call themselves or each other."""
    return len(component) > 1 or component[0] in graph[component[0]]
