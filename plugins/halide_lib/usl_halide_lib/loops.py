"""Loop directives as operators: split, reorder, fuse, rename, parallel, unroll."""

from __future__ import annotations

from functools import partial
from typing import Any

from usl_core.cursors import AllocCursor, ForCursor, IfCursor, LiteralCursor
from usl_core.errors import SchedulingError
from usl_core.scheduling import (
    divide_loop,
    fission,
    lift_alloc,
    lift_scope,
    mult_loops,
    parallelize_loop,
    rename_loop,
    reorder_loops,
    shift_loop,
    unroll_loop,
)
from usl_halide_lib.directives import Directive
from usl_halide_lib.places import Stage, around, statements
from usl_halide_lib.working import Working


def split(working: Working, directive: Directive, tail: str) -> None:
    """Divide a loop with one of the tails of `divide_loop`."""
    stage = working.stage(directive)
    old, outer, inner, factor = directive.args[:4]
    working.loop(stage, old, directive)
    alone(working, stage, old)
    divide(working, stage, old, outer, inner, factor, tail)
    stage.gone.setdefault(old, f"{directive} divided it")


def divide(working: Working, stage: Stage, old: str, outer: str, inner: str, factor: int, tail: str) -> None:
    """The loop old of a stage in two, named outer and inner."""
    loop = working.at(stage.loops[old])
    start_at_zero(working, loop)
    names = [_inner(working, stage, each) for each in (outer, inner)]
    working.do(divide_loop, loop, factor, names, tail=tail)
    del stage.loops[old]
    label = stage.labels.pop(old, old)
    stage.labels |= {each: f"{label}.{each}" for each in (outer, inner)}
    stage.loops[outer] = working.at(loop)
    stage.loops[inner] = _first_loop(working.at(loop).body()[0])


def _inner(working: Working, stage: Stage, name: str) -> str:
    return working.fresh(name, f"{stage.func.name}_{name}")


def _first_loop(stmt: Any) -> Any:
    while isinstance(stmt, IfCursor):
        stmt = stmt.body()[0]
    return stmt


def start_at_zero(working: Working, loop: Any) -> None:
    """Renumber a loop so that it starts at 0."""
    lo = working.at(loop).lo()
    if not (isinstance(lo, LiteralCursor) and lo.value() == 0):
        working.do(shift_loop, loop, 0)


def alone(working: Working, stage: Stage, name: str) -> None:
    """Give a stage a loop, and those inside of it, for itself: other stages of its func in them get loops of their own."""
    others = [other for other in stage.func.stages if other is not stage]
    for other in others:
        while True:
            here, there = working.at(stage.write), working.at(other.write)
            shared = [each for each in around(here) if each.is_ancestor_of(there)]
            if working.at(stage.loops[name]) not in shared:
                break
            _fission_at(working, stage, other, shared[0])


def _fission_at(working: Working, stage: Stage, other: Stage, loop: Any) -> None:
    """Split the innermost loop that two stages share between them."""
    first, second = (stage, other) if stage.number < other.number else (other, stage)
    for alloc in [part for part in loop.body() if isinstance(part, AllocCursor)]:
        working.do(lift_alloc, alloc)
    loop = working.at(loop)
    later = [each for each in stage.func.stages if each.number > first.number]
    moved = [(each, name) for each in later for name, own in each.loops.items() if working.at(own) == loop]
    part, there = working.at(first.write), working.at(second.write)
    while not part.parent().is_ancestor_of(there):
        part = part.parent()
    above, lifts = part.parent(), 1
    while above != loop:  # guards, such as that of a func that slides
        above, lifts = above.parent(), lifts + 1
    working.do(fission, part.after(), n_lifts=lifts)
    for each, name in moved:
        each.loops[name] = next(own for own in around(working.at(each.write)) if own.name() == working.at(loop).name())


def reorder(working: Working, directive: Directive) -> None:
    """Permute loops by swaps of neighbours, from the innermost out; guards between them move in."""
    stage = working.stage(directive)
    names = list(directive.args)
    for name in names:
        working.loop(stage, name, directive)
    if len(set(names)) != len(names):
        raise directive.refuse("a loop is named twice", "E777")
    if len(names) > 1:
        for name in names:
            alone(working, stage, name)
    nest = working.order(stage)
    wanted = iter(reversed(names))
    goal = [next(wanted) if name in names else name for name in nest]
    for position, name in reversed(list(enumerate(goal))):
        while (now := working.order(stage)).index(name) < position:
            swap(working, stage, name, now[now.index(name) + 1], directive)


def swap(working: Working, stage: Stage, outer: str, inner: str, directive: Directive | None = None) -> None:
    """Exchange a loop and the next one inside of it."""
    try:
        bring_together(working, stage.loops[outer], stage.loops[inner])
        working.do(reorder_loops, working.at(stage.loops[outer]))
    except SchedulingError as error:
        if directive is None:
            raise
        raise directive.refuse(
            f"the loops {outer} and {inner} do not change places: {error.message}", "E777", error.notes
        ) from error


def bring_together(working: Working, outer: Any, inner: Any) -> None:
    """Move guards between two loops into the inner one."""
    while (between := working.at(inner).parent()) != working.at(outer):
        if not isinstance(between, IfCursor):
            raise SchedulingError("there is another loop between them", code="E404")
        working.do(lift_scope, working.at(inner))


def fuse_loops(working: Working, directive: Directive) -> None:
    """Make one loop of two, one of which has a constant number of iterations; others are a pair, which can be made parallel."""
    stage = working.stage(directive)
    inner, outer, fused = directive.args
    for name in (inner, outer):
        working.loop(stage, name, directive)
        alone(working, stage, name)
    order = working.order(stage)
    if order.index(outer) + 1 != order.index(inner):
        raise directive.refuse(f"{inner} is not directly inside of {outer}; the loops are {', '.join(order)}", "E777")
    bring_together(working, stage.loops[outer], stage.loops[inner])
    for name in (inner, outer):
        start_at_zero(working, stage.loops[name])
    step = partial(working.do, mult_loops, working.at(stage.loops[outer]), _inner(working, stage, fused))
    if (why := working.attempt(step)) is not None:
        if not any(_count_is_known(working, stage, name) for name in (inner, outer)):
            stage.pairs[fused] = (outer, inner)
            stage.gone[fused] = (
                f"{directive} left two loops, of which neither runs a constant number of times; divide one first"
            )
            return
        raise directive.refuse(why.message, "E777", [*why.notes, "hint: divide one of them first, or make both parallel"])
    made = working.at(stage.loops[outer])
    for name in (inner, outer):
        del stage.loops[name]
        stage.gone.setdefault(name, f"{directive} fused it")
    stage.loops[fused] = made
    stage.labels[fused] = f"{stage.labels.get(inner, inner)}.{fused}"


def _count_is_known(working: Working, stage: Stage, name: str) -> bool:
    return isinstance(working.at(stage.loops[name]).hi(), LiteralCursor)


def call_as_named(working: Working) -> None:
    """Give loops the names that directives use, where nothing around or inside a loop has that name already."""
    stages = [stage for func in working.funcs.values() for stage in func.stages]
    for stage in [*stages, *working.branches.values()]:
        for name in working.order(stage):
            loop = working.at(stage.loops[name])
            if loop.name() == name or not isinstance(loop, ForCursor):
                continue
            near = [*around(loop), *(each for each in statements(loop) if isinstance(each, ForCursor | AllocCursor))]
            taken = {each.name() for each in near} | {arg.name() for arg in working.p.args()} | set(working.funcs)
            if name not in taken:
                working.do(rename_loop, loop, name)


def rename(working: Working, directive: Directive) -> None:
    """Another name for a loop."""
    stage = working.stage(directive)
    old, new = directive.args
    loop = working.loop(stage, old, directive)
    working.do(rename_loop, loop, _inner(working, stage, new))
    stage.loops[new] = stage.loops.pop(old)
    stage.gone[old] = f"{directive} renamed it"
    stage.labels[new] = f"{stage.labels.get(old, old)}.{new}"


def parallel(working: Working, directive: Directive) -> None:
    """Run the iterations of a loop on several threads."""
    stage = working.stage(directive)
    name = directive.args[0]
    for each in reversed(stage.pairs.get(name, (name,))):
        working.do(parallelize_loop, working.loop(stage, each, directive))


def unroll(working: Working, directive: Directive, tail: str) -> None:
    """Copies of a loop's body; with a factor of so many iterations."""
    stage = working.stage(directive)
    name, factor = directive.args[:2]
    loop = working.loop(stage, name, directive)
    if factor is not None:
        start_at_zero(working, loop)
        working.do(divide_loop, loop, factor, [working.at(loop).name(), working.fresh(f"{name}_unrolled")], tail=tail)
        loop = _first_loop(working.at(loop).body()[0])
    else:
        del stage.loops[name]
        stage.gone[name] = f"{directive} unrolled it"
    working.do(unroll_loop, loop)
