"""Loads ahead of the products that need them: steps that the schedules of all kernels share."""

from __future__ import annotations

from typing import Any, Literal

from usl_core import (
    Procedure,
    autolift_alloc,
    divide_loop,
    lift_scope,
    mult_loops,
    reorder_loops,
    reorder_stmts,
    resize_dim,
    unroll_loop,
)
from usl_core.cursors import ForCursor, IfCursor
from usl_stdlib import software_pipeline, spread_into


def divided(p: Procedure, loop: Any, factor: int, names: list[str], extent: int) -> Procedure:
    """The loop in tiles of factor, the last one shorter where factor does not divide its extent."""
    return divide_loop(p, loop, factor, names, tail="bound" if extent % factor else "perfect")


def run_ahead(p: Procedure, loop: ForCursor, loads: ForCursor, buffer: str) -> tuple[Procedure, ForCursor, ForCursor]:
    """Fill buffer for the next iteration while the loop works on it for this one: two halves, used in turn.

        for t in seq(0, n):              loads(b[0], x[0])
            b: T                         for t in seq(0, n):
            loads(b, x[t])       ~>          if t < n - 1:
            use(b)                               loads(b[(t + 1) % 2], x[t + 1])
                                             use(b[t % 2])

    loads is the loop in it that fills the buffer; loop runs at least twice. Returns the procedure, the loop, and the loads for
    its next iteration with the guard inside.

    Raises:
        SchedulingError: the loads depend on what the loop does in between.
    """
    p = autolift_alloc(p, buffer, keep_dims=True)
    p = brought_first(p, loads)
    p, loop, guard = ahead(p, loop, loads)
    p = resize_dim(p, buffer, 0, 2, 0, fold=True)
    loads = p.forward(guard).body()[0]
    p = lift_scope(p, loads)
    return p, p.forward(loop), p.forward(loads)


def ahead(p: Procedure, loop: ForCursor, stmt: Any) -> tuple[Procedure, ForCursor, IfCursor]:
    """What the body of loop begins with done one iteration ahead: the procedure, the loop, and the guard around it there."""
    p, made = software_pipeline(p, p.forward(loop), p.forward(stmt).after(), tail="guard")
    p = unroll_loop(p, made.prologue)
    guard = p.forward(made.loop).body()[0]
    assert isinstance(guard, IfCursor)
    return p, p.forward(made.loop), guard


def brought_before(p: Procedure, stmt: Any, target: Any) -> Procedure:
    """stmt, which stands before target in a block, moved right before it."""
    while p.forward(stmt).next() != p.forward(target):
        p = reorder_stmts(p, p.forward(stmt).expand(0, 1))
    return p


def brought_first(p: Procedure, stmt: Any) -> Procedure:
    """stmt moved to the front of its block, as far as that goes."""
    while next(iter(p.forward(stmt).parent().body())) != p.forward(stmt):
        p = reorder_stmts(p, p.forward(stmt).expand(1, 0))
    return p


def spread_over(
    p: Procedure, loads: ForCursor, trips: int, into: ForCursor, target_trips: int, *, again: bool = False
) -> Procedure:
    """A loop of loads, trips of them, distributed over the iterations of the loop `into` that comes after it.

    again: what each iteration gets will be distributed further.
    """
    tail: Literal["bound", "guard"] = "guard" if again else "bound"
    return spread_into(p, p.forward(loads), p.forward(into), trips=(trips, target_trips), tail=tail)[0]


def flattened(p: Procedure, outer: ForCursor, name: str) -> Procedure:
    """A loop and the one inside of it, in branches perhaps, as one loop."""
    inner: Any = p.forward(outer).body()[0]
    while isinstance(inner, IfCursor):
        inner = inner.body()[0]
    p = out_of_branches(p, inner)
    return mult_loops(p, p.forward(outer), name)


def out_of_branches(p: Procedure, loop: ForCursor) -> Procedure:
    """The branches around a loop inside of it."""
    while isinstance(p.forward(loop).parent(), IfCursor):
        p = lift_scope(p, p.forward(loop))
    return p


def lifted(p: Procedure, loop: ForCursor, levels: int) -> Procedure:
    """The loop outside of as many loops as levels says."""
    for _ in range(levels):
        p = reorder_loops(p, p.forward(loop).parent())
    return p


def upto(first: str, count: int, limit: int) -> str:
    """The slice of count places from first on, or fewer where limit, which count does not divide, ends it."""
    end = f"{first} + {count}"
    return f"{first}:min({end}, {limit})" if limit % count else f"{first}:{end}"


def short(skipped: str, count: int, limit: int) -> str:
    """How many of count places are left where those before take what skipped says."""
    return f"min({count}, {limit} - {skipped})" if limit % count else str(count)
