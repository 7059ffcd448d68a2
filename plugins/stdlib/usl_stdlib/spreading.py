"""Moving a short loop inwards, until it is around single statements or around blocks without loops.

`interleave`, `unroll_and_jam` and `vectorize` are this, followed by unrolling or by instructions.
"""

from __future__ import annotations

from typing import Any

from usl_core import Procedure
from usl_core.cursors import AllocCursor, ForCursor, IfCursor, ReadCursor, StmtCursor, WindowStmtCursor
from usl_core.errors import SchedulingError
from usl_core.ir.types import ScalarType
from usl_core.scheduling import autolift_alloc, fission, inline_window, lift_scope, reorder_loops
from usl_stdlib.expressions import blocks, mentions
from usl_stdlib.inspection import walk

SELECT = "hint: compute both sides and choose by `select(a, b, x, y)`, as if_to_select does: x if a < b, else y"


def spread(
    p: Procedure, loop: Any, *, singles: bool = True, lanes_last: bool = False
) -> tuple[Procedure, list[ForCursor], list[AllocCursor]]:
    """Distribute a loop over the statements of its body, and move it inside the loops and branches among them.

        for i in seq(0, 4):              x: T[4]
            x: T                         for i in seq(0, 4):
            x = a[i]             ~>          x[i] = a[i]
            for k in seq(0, n):          for k in seq(0, n):
                x += b[k]                    for i in seq(0, 4):
            y[i] = x                             x[i] += b[k]
                                         for i in seq(0, 4):
                                             y[i] = x[i]

    What the body allocates gets an element for each iteration. A guard that mentions the iterator stays inside the copies of
    the loop. Without singles, neighbouring statements that are no loops stay together. lanes_last puts the new dimension last.

    Returns the procedure, the copies of the loop in source order, and the allocations that left the loop.

    Raises:
        SchedulingError: an operator refuses, for example because iterations depend on each other.
    """
    loop = p.forward(loop)
    for window in [stmt for stmt in guarded_body(loop)[0] if isinstance(stmt, WindowStmtCursor)]:
        p = inline_window(p, window)
    block, depth = guarded_body(p.forward(loop))
    lifted = [stmt for stmt in block if isinstance(stmt, AllocCursor)] if _must_lift(block, singles) else []
    for alloc in lifted:
        p = autolift_alloc(p, alloc, n_lifts=depth, keep_dims=True, mode="col" if lanes_last else "row")

    groups = _groups([stmt for stmt in block if stmt not in lifted], singles)
    for group in groups[:-1]:
        p = fission(p, p.forward(group[-1]).after(), n_lifts=depth)
    found: list[Any] = []
    allocs: list[Any] = list(lifted)
    for group in groups:
        p, loops, more = _into(p, group[0], depth, singles, lanes_last)
        found += loops
        allocs += more
    return p, [p.forward(each) for each in found], [p.forward(each) for each in allocs]


def guarded_body(loop: ForCursor) -> tuple[list[StmtCursor], int]:
    """The statements that a loop guards, and the number of scopes around them: a guard on the iterator counts."""
    body = list(loop.body())
    guard = body[0]
    if len(body) == 1 and isinstance(guard, IfCursor) and not guard.orelse() and mentions(guard.cond(), loop.name()):
        return list(guard.body()), 2
    return body, 1


def reads_data(cond: Any) -> bool:
    """Whether a condition depends on elements of buffers."""
    return any(isinstance(part.type(), ScalarType) for part in walk(cond, ReadCursor))


def _must_lift(block: list[StmtCursor], singles: bool) -> bool:
    """Whether the block will be torn apart."""
    return len(_groups([stmt for stmt in block if not isinstance(stmt, AllocCursor)], singles)) > 1 or (
        any(blocks(stmt) for stmt in block) or singles
    )


def _groups(block: list[StmtCursor], singles: bool) -> list[list[StmtCursor]]:
    """The statements that share a copy of the loop."""
    groups: list[list[StmtCursor]] = []
    for stmt in block:
        alone = singles or blocks(stmt)
        if alone or not groups or blocks(groups[-1][-1]):
            groups.append([stmt])
        else:
            groups[-1].append(stmt)
    return groups


def _into(
    p: Procedure, stmt: StmtCursor, depth: int, singles: bool, lanes_last: bool
) -> tuple[Procedure, list[ForCursor], list[AllocCursor]]:
    """The loop around stmt, depth scopes up and around it alone or around a group that it begins, moved into stmt."""
    here: Any = p.forward(stmt)
    loop = here.parent() if depth == 1 else here.parent().parent()
    if not blocks(here):
        return p, [loop], []
    if isinstance(here, IfCursor) and mentions(here.cond(), loop.name()):
        raise SchedulingError(
            f"the condition of an `if` below the loop {loop.name()} depends on it",
            span=here.node.span,
            notes=[SELECT if reads_data(here.cond()) else "hint: take it out first, by cut_loop or specialize"],
            code="E414",
        )
    for _ in range(depth - 1):
        p = lift_scope(p, here)
        here = p.forward(stmt)
    if isinstance(here, ForCursor):
        inner = here.body()[0]
        p = reorder_loops(p, here.parent())
        around = [p.forward(inner).parent()]
    else:
        firsts = [block[0] for block in blocks(here)]
        p = lift_scope(p, here)
        around = [p.forward(first).parent() for first in firsts]
    loops: list[Any] = []
    allocs: list[Any] = []
    for each in around:
        while not (isinstance(each, ForCursor) and each.name() == loop.name()):
            each = each.parent()
        p, found, more = spread(p, each, singles=singles, lanes_last=lanes_last)
        loops += found
        allocs += more
    return p, loops, allocs
