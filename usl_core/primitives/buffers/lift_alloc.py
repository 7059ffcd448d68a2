"""lift_alloc: an allocation leaves a loop or branch."""

from __future__ import annotations

from usl_core.analysis import affine
from usl_core.analysis.conditions import conflict_between, instance, order_facts
from usl_core.analysis.effects import Access, Summary, summary, under_loop
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, Path, before, get_stmt, stmts
from usl_core.equivalence import Relation
from usl_core.ir.nodes import Alloc, For, LoopMode
from usl_core.ir.traverse import free_names
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_no
from usl_core.primitives.buffers.uses import rest_of_block
from usl_core.primitives.locate import Where, alloc_at, context_at
from usl_core.procedure import Procedure


@primitive(Relation.REFINES)
def lift_alloc(proc: Procedure, buf: Where, n_lifts: int = 1) -> Edit:
    """Move an allocation in front of the n_lifts loops or branches around it.

        for i in seq(0, n):          x: T[m]
            x: T[m]          ~>      for i in seq(0, n):
            s                            s

    What was uninitialised at the start of an iteration may then hold a value of an earlier one.

    Raises:
        SchedulingError: fewer than n_lifts loops and branches are around it; an extent mentions a name that is bound in between
        or may be below 1 outside; a loop is parallel and its iterations would share elements (expand the buffer by the
        iterator first).
    Forwarding: a cursor to the allocation follows it.
    Also known as: hoisting an allocation.
    """
    path, alloc = alloc_at(proc, buf)

    require_around(path, alloc, n_lifts)
    for depth in range(len(path) - 1, len(path) - 1 - n_lifts, -1):
        _require_may_leave(proc, path, path[:depth], alloc)

    return edit_of(proc).move(NodeLoc(path), before(path[: len(path) - n_lifts]))


def require_around(path: Path, alloc: Alloc, n_lifts: int) -> None:
    """There are n_lifts loops or branches, at least 1, around the allocation at path."""
    require(n_lifts >= 1, "n_lifts must be at least 1")
    message = f"{alloc.name.name} stands inside {len(path) - 1} loops or branches, so it cannot be lifted {n_lifts} times"
    require(len(path) - 1 >= n_lifts, message, alloc.span)


def _require_may_leave(proc: Procedure, path: Path, around: Path, alloc: Alloc) -> None:
    """The allocation does not depend on the loop at around, and iterations do not meet in it if they run in parallel."""
    loop = get_stmt(proc.ir, around)
    if not isinstance(loop, For):
        return
    if loop.iter in free_names(alloc):
        message = f"the extent of {alloc.name.name} depends on {loop.iter.name}, so it cannot leave that loop"
        refuse(message, alloc.span, ["hint: allocate the largest extent first"], code="E414")
    if loop.mode is LoopMode.PAR:
        _require_own_elements(proc, path, around, loop, alloc)


def _require_own_elements(proc: Procedure, path: Path, around: Path, loop: For, alloc: Alloc) -> None:
    ctx, later = context_at(proc, around), loop.iter.copy()
    facts = [*ctx.facts, *order_facts(loop.iter, later, ctx.index(loop.lo), ctx.index(loop.hi))]
    accesses = _accesses_in_iteration(proc, path, around, alloc)
    conflict = conflict_between(facts, accesses, instance(accesses, {loop.iter: affine.var(later)}))
    message = (
        f"the iterations of parallel loop {loop.iter.name} would share elements of {alloc.name.name}: "
        f"expand it by {loop.iter.name} first (expand_dim)"
    )
    require_no(conflict, message, alloc.span)


def _accesses_in_iteration(proc: Procedure, path: Path, around: Path, alloc: Alloc) -> tuple[Access, ...]:
    """What one iteration of the loop at around accesses of the buffer, whose allocation at path is inside it."""
    ctx = context_at(proc, path).after(alloc)
    found: list[Access] = []
    rest = rest_of_block(proc.ir, path)
    for stmt in stmts(proc.ir, rest) if rest is not None else ():
        found += [a for a in ctx.scope.resolve_all(summary(stmt).accesses) if a.buffer is alloc.name]
        ctx = ctx.after(stmt)
    code = Summary(tuple(found))
    for depth in range(len(path) - 1, len(around), -1):
        between = get_stmt(proc.ir, path[:depth])
        if isinstance(between, For):
            code = under_loop(code, between.iter, between.lo, between.hi)
    return code.accesses
