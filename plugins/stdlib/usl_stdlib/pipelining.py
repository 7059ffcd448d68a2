"""Doing the first half of an iteration before the second half of earlier ones: `software_pipeline`, `double_buffer`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usl_core import Procedure
from usl_core.cursors import AllocCursor, BlockCursor, Cursor, ForCursor, GapCursor, StmtCursor
from usl_core.errors import SchedulingError
from usl_core.scheduling import autolift_alloc, cut_loop, fission, fuse, resize_dim, shift_loop
from usl_stdlib.expressions import loop_at, text
from usl_stdlib.reporting import explained


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What `software_pipeline` created: the loop that fills the pipeline, the steady one, the one that empties it, and the
    buffers that hold what the two halves pass on, with the stages as their first dimension."""

    prologue: ForCursor
    loop: ForCursor
    epilogue: ForCursor
    buffers: tuple[AllocCursor, ...]


@explained
def software_pipeline(p: Procedure, loop: Any, gap: Any, distance: int = 1) -> tuple[Procedure, Pipeline]:
    """Run what stands before a gap in a loop `distance` iterations ahead of what stands after it.

                                         b: f32[2, 8]
                                         for i in seq(0, 1):
        for i in seq(0, n):                  load(b[i % 2, 0:8], x[i, 0:8])
            b: f32[8]                    for i in seq(0, n - 1):
            load(b, x[i, 0:8])   ~>          load(b[(i + 1) % 2, 0:8], x[i + 1, 0:8])
            use(b, y[i])                     use(b[i % 2, 0:8], y[i])
                                         for i in seq(n - 1, n):
                                             use(b[i % 2, 0:8], y[i])

    gap is a cursor, `c.before()` or `c.after()`, or the statement after it, as a cursor or a pattern. Buffers that the body
    allocates before the gap get `distance + 1` copies. The loop must run at least distance times: assert it, or `specialize`
    the loop for it.

    Returns the procedure and a `Pipeline`.

    Raises:
        SchedulingError: the gap is not in the loop; the loop may run less than distance times; what is before the gap depends
        on what is after it in earlier iterations.
    Also known as: modulo scheduling in two stages, prefetching into a buffer.
    """
    loop = loop_at(p, loop)
    gap = _gap_at(p, gap)
    if gap.parent() != loop:
        raise SchedulingError(f"the gap must be directly in the loop {loop.name()}", span=loop.node.span, code="E404")
    if not isinstance(distance, int) or distance < 1:
        raise SchedulingError(f"the distance must be at least 1, got {distance!r}", code="E404")
    split = _split_at(loop, gap)
    first, second = list(loop.body())[:split], list(loop.body())[split:]
    buffers = [stmt for stmt in first if isinstance(stmt, AllocCursor)]
    first = [stmt for stmt in first if stmt not in buffers]
    if not first or not second:
        raise SchedulingError("there must be code on both sides of the gap", span=loop.node.span, code="E404")

    for buffer in buffers:
        p = autolift_alloc(p, buffer, keep_dims=True)
    p = fission(p, p.forward(first[-1]).after())
    ahead, behind = p.forward(first[0]).parent(), p.forward(second[0]).parent()
    lo, hi = text(ahead.lo()), text(ahead.hi())
    p = cut_loop(p, ahead, distance if lo == "0" else f"{lo} + {distance}")
    steady = p.forward(ahead).next()
    p = cut_loop(p, behind, f"{hi} - {distance}")
    last = p.forward(behind).next()
    p = shift_loop(p, steady, lo)
    p = fuse(p, steady, behind)
    for buffer in buffers:
        p = resize_dim(p, buffer, 0, distance + 1, 0, fold=True)
    made = [p.forward(each) for each in (ahead, steady, last)]
    return p, Pipeline(made[0], made[1], made[2], tuple([p.forward(each) for each in buffers]))


def _gap_at(p: Procedure, where: Any) -> GapCursor:
    """The gap that a user names by a cursor, or by the statement after it."""
    found = p.find(where) if isinstance(where, str) else p.forward(where) if isinstance(where, Cursor) else where
    if isinstance(found, StmtCursor | BlockCursor):
        found = found.before()
    if not isinstance(found, GapCursor):
        shown = type(found).__name__ if isinstance(found, Cursor) else repr(found)
        message = f"a gap is wanted, `c.before()` or `c.after()`, or the statement after it, got {shown}"
        raise SchedulingError(message, code="E404")
    return found


def _split_at(loop: ForCursor, gap: GapCursor) -> int:
    """The number of statements of the loop before the gap."""
    body = list(loop.body())
    position = body.index(gap.anchor())
    return position if gap == gap.anchor().before() else position + 1


@explained
def double_buffer(p: Procedure, loop: Any, gap: Any) -> tuple[Procedure, Pipeline]:
    """Fill one buffer while the other is in use: `software_pipeline` one iteration ahead.

    Returns the procedure and a `Pipeline`.

    Raises:
        SchedulingError: what `software_pipeline` raises.
    """
    return software_pipeline(p, loop, gap, 1)
