"""Funcs that nothing places are computed where they are read, as Halide does: their formula stands there (fig. 2.6).

A func with updates has no formula; where each of its stages writes the very place that is asked for, it becomes scalars and
loops there (`points`), else it stays at the root.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from usl_halide_lib.lang.nodes import Algorithm, FuncDef, Name, Node, Read, Sort, StageDef, children, rebuilt, substituted

MOST_NODES = 4000
"""The size that a stage's expressions may grow to; beyond, the funcs that make them large stay at the root."""


@dataclass(frozen=True, slots=True)
class Inlined:
    """An algorithm without its inlined funcs; points are those that are computed at single places; large stay at the root."""

    algorithm: Algorithm
    points: frozenset[str]
    large: tuple[str, ...]


def inlined(algorithm: Algorithm, placed: Collection[str], asked: Collection[str] = ()) -> Inlined:
    """The algorithm with all funcs inlined but outputs and those that are placed; asked are inlined whatever their size."""
    formulas: dict[str, FuncDef] = {}
    sizes: dict[str, int] = {}
    points, large, kept = set(), [], []
    for func in algorithm.funcs:
        while (size := sum(_size(each, sizes, {}) for stage in func.stages for each in stage.expressions())) > MOST_NODES:
            candidates = [name for name in formulas if name in sizes and sizes[name] > 1 and name not in asked]
            reads = {name for name in candidates if _reads(func, name)}
            if not reads:
                break
            largest = max(reads, key=lambda name: sizes[name])
            large.append(largest)
            kept.append(formulas.pop(largest))
            del sizes[largest]
        changed = replace(func, stages=tuple(_stage(stage, formulas) for stage in func.stages))
        free = func.name not in algorithm.outputs and func.name not in placed
        if free and len(func.stages) == 1:
            formulas[func.name], sizes[func.name] = changed, size
            continue
        if free and is_pointwise(func):
            points.add(func.name)
        kept.append(changed)
    order = {func.name: place for place, func in enumerate(algorithm.funcs)}
    kept.sort(key=lambda func: order[func.name])
    return Inlined(replace(algorithm, funcs=tuple(kept)), frozenset(points), tuple(large))


def is_pointwise(func: FuncDef) -> bool:
    """Whether each stage writes only the place whose value is asked for."""
    args = tuple(Name(name, Sort.PURE) for name in func.args)
    return all(stage.index == args for stage in func.stages)


def _reads(func: FuncDef, name: str) -> bool:
    pending: list[Node] = [each for stage in func.stages for each in stage.expressions()]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Read) and node.func == name:
            return True
        pending.extend(children(node))
    return False


def _size(node: Node, sizes: dict[str, int], known: dict[int, int]) -> int:
    """How many nodes an expression has when all that can be inlined is."""
    if id(node) not in known:
        below = sum(_size(each, sizes, known) for each in children(node))
        known[id(node)] = below + (sizes.get(node.func, 1) if isinstance(node, Read) else 1)
    return known[id(node)]


def _stage(stage: StageDef, formulas: dict[str, FuncDef]) -> StageDef:
    def change(node: Node) -> Node | None:
        if isinstance(node, Read) and node.func in formulas:
            func = formulas[node.func]
            places = {arg: rebuilt(each, change) for arg, each in zip(func.args, node.index, strict=True)}
            return substituted(func.stages[0].values[node.part], places)
        return None

    return stage.mapped(lambda node: rebuilt(node, change))
