"""Code that does the same in every iteration, moved in front of the loop: `hoist_from_loop`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from usl_core import Procedure
from usl_core.cursors import AllocCursor, AssignCursor, ForCursor, LiteralCursor, ReadCursor, ReduceCursor, StmtCursor
from usl_core.errors import SchedulingError
from usl_core.ir.types import ControlType
from usl_core.scheduling import bind_expr, fission, lift_alloc, remove_loop, reorder_stmts
from usl_stdlib.expressions import expressions, fresh, loop_at, mentions, statement_of, statements, text
from usl_stdlib.inspection import children
from usl_stdlib.reporting import explained


@dataclass(frozen=True, slots=True)
class Hoisted:
    """What `hoist_from_loop` moved: the statements, now in front of the loop (none if nothing is left in it). kept says of each
    other statement that does not mention the iterator why it stays."""

    loop: ForCursor | None
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
            p = _hoisted(p, stmt)
            moved.append(stmt)
        except SchedulingError as error:
            kept.append(f"{text(stmt)}: {error.message}")
    if not moved:
        notes = kept or ["every statement depends on the iterator"]
        raise SchedulingError(f"nothing can leave the loop {loop.name()}", span=loop.node.span, notes=notes, code="E412")
    left = [stmt for stmt in loop.body() if not isinstance(stmt, AllocCursor) and stmt not in moved]
    around = p.forward(left[0]).parent() if left else None
    return p, Hoisted(around, tuple([p.forward(each) for each in moved]), tuple(kept))


def hoist_values(p: Procedure, loop: ForCursor) -> tuple[Procedure, ForCursor, list[AllocCursor]]:
    """Operations in the statements of a loop's body whose operands do not depend on it, computed before it in scalars.

    What cannot be moved stays. Returns the procedure, the loop and the scalars.
    """
    found: dict[str, list[Any]] = {}
    own = {
        stmt.name()
        for stmt in statements(loop.body())
        if isinstance(stmt, AllocCursor | ForCursor | AssignCursor | ReduceCursor)
    }
    for stmt in loop.body():
        if isinstance(stmt, AssignCursor | ReduceCursor):
            for expr in _same_values(stmt.rhs(), {loop.name(), *own}):
                found.setdefault(text(expr), []).append(expr)
    scalars: list[Any] = []
    for equal in found.values():
        try:
            q = bind_expr(p, [p.forward(each) for each in equal], fresh(p, "value"))
            value = statement_of(q.forward(equal[0])).prev()
            p = _hoisted(q, value)
        except SchedulingError:
            continue
        scalars.append(value.prev())
        around = p.forward(statement_of(equal[0])).parent()  # a cursor to the loop follows its first part, which is gone
        assert isinstance(around, ForCursor)
        loop = around
    return p, p.forward(loop), [p.forward(each) for each in scalars]


def _same_values(expr: Any, changing: set[str]) -> Iterator[Any]:
    """The largest operations in an expression without the names in changing."""
    if isinstance(expr.type(), ControlType) or isinstance(expr, LiteralCursor | ReadCursor):
        return
    if any(mentions(expr, name) for name in changing):
        for child in children(expr):
            yield from _same_values(child, changing)
    else:
        yield expr


def _depends(stmt: Any, iterator: str) -> bool:
    return any(mentions(expr, iterator) for each in statements(stmt) for expr in expressions(each))


def _hoisted(p: Procedure, stmt: Any) -> Procedure:
    """p with one statement in front of the loop that it stands in."""
    for alloc in [
        each for each in p.forward(stmt).parent().body() if isinstance(each, AllocCursor) and _uses(p.forward(stmt), each)
    ]:
        p = lift_alloc(p, alloc)
    while (before := p.forward(stmt).prev()) and isinstance(before, StmtCursor):
        p = reorder_stmts(p, before.expand(0, 1))
    if p.forward(stmt).next():
        p = fission(p, p.forward(stmt).after())
    return remove_loop(p, p.forward(stmt).parent())


def _uses(stmt: Any, alloc: AllocCursor) -> bool:
    names = {each.name() for each in statements(stmt) if hasattr(each, "name")}
    return alloc.name() in names or _depends(stmt, alloc.name())
