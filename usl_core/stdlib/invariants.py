"""Code that does the same in every iteration, moved in front of the loop: `hoist_from_loop`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usl_core.cursors.cursor import StmtCursor
from usl_core.cursors.kinds import AllocCursor, ForCursor
from usl_core.errors import SchedulingError
from usl_core.primitives.buffers.lift_alloc import lift_alloc
from usl_core.primitives.loops.eliminate_dead_code import eliminate_dead_code
from usl_core.primitives.loops.fission import fission
from usl_core.primitives.loops.remove_loop import remove_loop
from usl_core.primitives.loops.specialize import specialize
from usl_core.primitives.stmts.reorder_stmts import reorder_stmts
from usl_core.procedure import Procedure
from usl_core.stdlib.expressions import expressions, loop_at, mentions, statements, text
from usl_core.stdlib.reporting import explained


@dataclass(frozen=True, slots=True)
class Hoisted:
    """What `hoist_from_loop` moved: the statements, now in front of the loop. kept says of each other statement that does not
    mention the iterator why it stays."""

    statements: tuple[StmtCursor, ...]
    kept: tuple[str, ...]


@explained
def hoist_from_loop(p: Procedure, loop: Any) -> tuple[Procedure, Hoisted]:
    """Do what does not depend on a loop's iterations once, before it.

        for i in seq(0, n):              t: f32
            t: f32                       t = a * b
            t = a * b            ~>      for i in seq(0, n):
            y[i] = t * x[i]                  y[i] = t * x[i]

    Whole inner loops and calls too, and allocations that they need. Where the loop may not run at all, what moves is put under
    an `if` that asks whether it does.

    Returns the procedure and a `Hoisted`.

    Raises:
        SchedulingError: nothing can leave the loop; the notes say why.
    Also known as: loop-invariant code motion.
    """
    loop = loop_at(p, loop)
    moved: list[Any] = []
    kept: list[str] = []
    for stmt in loop.body():
        if isinstance(stmt, AllocCursor) or _depends(stmt, loop.name()):
            continue
        try:
            p = _hoisted(p, stmt, loop)
            moved.append(stmt)
        except SchedulingError as error:
            kept.append(f"{text(stmt)}: {error.message}")
    if not moved:
        notes = kept or ["every statement depends on the iterator"]
        raise SchedulingError(f"nothing can leave the loop {loop.name()}", span=loop.node.span, notes=notes, code="E412")
    return p, Hoisted(tuple([p.forward(each) for each in moved]), tuple(kept))


def _depends(stmt: Any, iterator: str) -> bool:
    return any(mentions(expr, iterator) for each in statements(stmt) for expr in expressions(each))


def _hoisted(p: Procedure, stmt: Any, loop: ForCursor) -> Procedure:
    """p with one statement in front of the loop."""
    for alloc in [each for each in p.forward(loop).body() if isinstance(each, AllocCursor) and _uses(p.forward(stmt), each)]:
        p = lift_alloc(p, alloc)
    while (before := p.forward(stmt).prev()) and isinstance(before, StmtCursor):
        p = reorder_stmts(p, before.expand(0, 1))
    if p.forward(stmt).next():
        rest = p.forward(stmt).next()
        p = fission(p, p.forward(stmt).after())
        assert p.forward(rest)
    return _once(p, stmt)


def _uses(stmt: Any, alloc: AllocCursor) -> bool:
    names = {each.name() for each in statements(stmt) if hasattr(each, "name")}
    return alloc.name() in names or _depends(stmt, alloc.name())


def _once(p: Procedure, stmt: Any) -> Procedure:
    """p without the loop around a statement; if it may not run, under a condition instead."""
    around = p.forward(stmt).parent()
    try:
        return remove_loop(p, around)
    except SchedulingError:
        if text(around.lo()) == text(around.hi()):
            raise
    p = specialize(p, around.as_block(), f"{text(around.lo())} < {text(around.hi())}")
    branch = p.forward(stmt).parent().parent()
    p = eliminate_dead_code(p, branch.orelse()[0])
    return remove_loop(p, p.forward(stmt).parent())
