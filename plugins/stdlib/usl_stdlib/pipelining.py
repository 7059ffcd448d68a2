"""Doing the first half of an iteration before the second half of earlier ones: `software_pipeline`, `double_buffer`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from usl_core import Procedure
from usl_core.cursors import AllocCursor, BlockCursor, Cursor, ForCursor, GapCursor, IfCursor, PassCursor, StmtCursor
from usl_core.errors import SchedulingError
from usl_core.scheduling import (
    autolift_alloc,
    cut_loop,
    delete_pass,
    eliminate_dead_code,
    join_loops,
    lift_scope,
    reorder_stmts,
    resize_dim,
    rotate_loop,
    shift_loop,
)
from usl_stdlib.expressions import loop_at, text
from usl_stdlib.reporting import explained

Tail = Literal["cut", "guard"]
"""What becomes of the last iterations, which have nothing to load ahead."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What `software_pipeline` created: the loop that fills the pipeline, the steady one, the one that empties it (None with
    tail="guard"), and the buffers that hold what the two halves pass on, with the stages as their first dimension."""

    prologue: ForCursor
    loop: ForCursor
    epilogue: ForCursor | None
    buffers: tuple[AllocCursor, ...]


@explained
def software_pipeline(
    p: Procedure, loop: Any, gap: Any, distance: int = 1, *, tail: Tail = "cut"
) -> tuple[Procedure, Pipeline]:
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
    the loop for it. What is before the gap must commute with what is after it in the distance iterations before, and with
    nothing else: a buffer of `distance + 1` parts that are used in turn may have been there before.

    With tail="guard" one loop does the steady iterations and the last ones, whose loads are skipped by an `if`: less code,
    and a loop over all iterations, into which more can be moved.

    Returns the procedure and a `Pipeline`.

    Raises:
        SchedulingError: the gap is not in the loop; the loop may run less than distance times, or is `par`; what is before the
        gap depends on what is after it in the distance iterations before.
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
    pipeline = _Turns(loop, first, second, text(loop.lo()), text(loop.hi()))
    for turn in range(distance):
        p = pipeline.one_ahead(p, turn)
        p = pipeline.without_guard(p, turn) if tail == "cut" else p
        p = pipeline.prologue_joined(p, turn)
    for buffer in buffers:
        p = resize_dim(p, buffer, 0, distance + 1, 0, fold=True)
    made = [p.forward(each) if each else None for each in (pipeline.prologue, loop, pipeline.epilogue)]
    return p, Pipeline(made[0], made[1], made[2], tuple([p.forward(each) for each in buffers]))  # type: ignore[arg-type]


class _Turns:
    """The loop of a pipeline while it is made, by one iteration in each turn: cursors to what there is so far.

    first are the statements that run ahead, second those after the gap, lo and hi the limits of the loop as it was.
    """

    def __init__(self, loop: ForCursor, first: list[StmtCursor], second: list[StmtCursor], lo: str, hi: str) -> None:
        self.loop, self.first, self.second, self.lo, self.hi = loop, first, second, lo, hi
        self.prologue: Any = None
        self.epilogue: Any = None

    def one_ahead(self, p: Procedure, turn: int) -> Procedure:
        """first of the next iteration, in its guard, before second of this one."""
        guards = self._guards(p)
        p = rotate_loop(p, (guards[-1] if guards else p.forward(self.first[-1])).after())
        guard = p.forward(self.loop).body()[-1]
        while next(iter(p.forward(self.loop).body())) != p.forward(guard):
            p = reorder_stmts(p, p.forward(guard).expand(1, 0))
        if guards:  # `if i < n - 1: if i + 1 < n - 1:`, of which the inner one says all
            p = lift_scope(p, p.forward(guard).body()[0])
            p = eliminate_dead_code(p, p.forward(self.loop).body()[0].body()[0])
        return p

    def _guards(self, p: Procedure) -> list[Any]:
        """The guard around first, outermost in the loop, if it has one."""
        start = p.forward(self.loop).body()[0]
        return [start] if p.forward(self.first[0]).parent() == start else []

    def without_guard(self, p: Procedure, turn: int) -> Procedure:
        """The last iteration as a loop of its own; those of all turns are one loop."""
        p = cut_loop(p, self.loop, f"{self.hi} - {turn + 1}")
        last = p.forward(self.loop).next()
        for loop in (p.forward(self.loop), last):
            p = eliminate_dead_code(p, p.forward(loop).body()[0])
        rest = p.forward(last)
        if isinstance(rest.body()[0], PassCursor):
            p = delete_pass(p, rest.body()[0])
        p = join_loops(p, p.forward(last), p.forward(self.epilogue)) if self.epilogue else p
        self.epilogue = last
        return p

    def prologue_joined(self, p: Procedure, turn: int) -> Procedure:
        """What comes before the loop as one loop."""
        new = p.forward(self.loop).prev()
        if self.prologue is None:
            self.prologue = new
            return p
        inside = new.body()[0]
        if isinstance(inside, IfCursor):
            p = eliminate_dead_code(p, inside)
        p = shift_loop(p, p.forward(new), f"{self.lo} + {turn}" if self.lo != "0" else turn)
        return join_loops(p, p.forward(self.prologue), p.forward(new))


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
def double_buffer(p: Procedure, loop: Any, gap: Any, *, tail: Tail = "cut") -> tuple[Procedure, Pipeline]:
    """Fill one buffer while the other is in use: `software_pipeline` one iteration ahead.

    In a memory with banks, a `PlacedMemory`, the halves of the buffer get banks of their own.

    Returns the procedure and a `Pipeline`.

    Raises:
        SchedulingError: what `software_pipeline` raises.
    """
    return software_pipeline(p, loop, gap, 1, tail=tail)
