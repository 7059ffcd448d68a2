"""Sums computed as several partial sums: `parallelize_reduction`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usl_core import Procedure
from usl_core.cursors import AllocCursor, ForCursor
from usl_core.errors import SchedulingError
from usl_core.ir.memory import MemoryClass
from usl_core.scheduling import (
    autolift_alloc,
    fission,
    fuse,
    inline_producer,
    reorder_loops,
    set_memory,
    stage_mem,
    unroll_loop,
)
from usl_stdlib.dividing import Divided, divide
from usl_stdlib.expressions import fresh, loop_at
from usl_stdlib.reporting import Places, explained
from usl_stdlib.sums import reductions


@dataclass(frozen=True, slots=True, repr=False)
class ParallelReduction(Places):
    """What `parallelize_reduction` created.

    loop counts blocks of partial sums and lanes the sums in one; tail does what is left over, with masks its lanes are in
    tail_lanes. sums are the buffers of partial sums, one for each buffer that the loop adds to; starts and ends are the loops
    that clear them and add them up, one for each location.
    """

    loop: ForCursor
    lanes: ForCursor
    tail: ForCursor | None
    tail_lanes: ForCursor | None
    sums: tuple[AllocCursor, ...]
    starts: tuple[ForCursor, ...]
    ends: tuple[ForCursor, ...]

    def forward(self, p: Procedure) -> ParallelReduction:
        """The same in a later version; what has become a call of an instruction is that call."""
        one = [p.forward(self.loop), p.forward(self.lanes)]
        rest = [None if each is None else p.forward(each) for each in (self.tail, self.tail_lanes)]
        many = [tuple([p.forward(each) for each in some]) for some in (self.sums, self.starts, self.ends)]
        return ParallelReduction(*one, *rest, *many)  # type: ignore[arg-type]


@explained
def parallelize_reduction(
    p: Procedure, loop: Any, factor: int, memory: MemoryClass | None = None, tail: str = "cut"
) -> tuple[Procedure, ParallelReduction]:
    """Compute the sums of a loop as factor partial sums each, which are added up after it.

                                     s_sum: T[q]
                                     for ii in seq(0, q):
        for i in seq(0, n):              s_sum[ii] = 0.0
            s += e           ~>      for io in seq(0, n / q):
                                         for ii in seq(0, q):
                                             s_sum[ii] += e[i -> q * io + ii]
                                     for ii in seq(0, q):
                                         s += s_sum[ii]

    and a loop for the last `n % q` terms. A sum is any location that the loop only adds to and that does not depend on its
    iterator, or a window that instructions called in it only add to; in one buffer there may be several that are neighbours,
    `y[i]` and `y[i + 1]`. Products, minima and maxima are split likewise, where the loop reduces into the location by one
    operation; partial minima and maxima of reals start at the value of s. memory is where partial results live. tail is that of
    `vectorize`: "perfect", "cut", "guard" or "masked". Real numbers are added in another order, which counts as equal.

    Returns the procedure and a `ParallelReduction`.

    Raises:
        SchedulingError: the loop has no sum, or several in one buffer that are no neighbours; other iterations depend on each
        other; what `divide_loop` raises.
    Also known as: splitting an accumulator, rfactor (Halide).
    """
    loop = loop_at(p, loop)
    sums = reductions(loop)
    if not sums:
        raise SchedulingError(
            f"the loop {loop.name()} adds to no location that stays the same",
            span=loop.node.span,
            notes=["a sum is `s[e] += ...` where e does not depend on the loop, in code that does nothing else with s"],
            code="E460",
        )
    p, parts_ = divide(p, loop, factor, tail)
    p, block = _lanes_outside(p, parts_)
    starts: list[Any] = []
    ends: list[Any] = []
    allocs: list[Any] = []
    saved: list[Any] = []
    for each in sums:
        own = fresh(p, each.buffer if each.buffer.endswith("_sum") else f"{each.buffer}_sum")
        first, last = p.forward(block[0]), p.forward(block[-1])
        p = stage_mem(p, first.expand(0, len(block) - 1), each.window, own, accum=True, start=first.parent())
        allocs.append(p.forward(first).prev(2))
        saved += _saved(p.forward(first.parent()), f"{own}_start")
        p, cleared = _location_by_location(p, first, -1, each.split)
        p, added = _location_by_location(p, last, 1, each.split)
        starts += cleared
        ends[:0] = added  # each sum was staged inside of the ones before
    for alloc, each in zip(allocs, sums, strict=True):
        # the lanes of vectors stay last; where there are none yet, `vectorize` may be about to make them
        p = autolift_alloc(p, alloc, keep_dims=True, mode="row" if each.wide else "col")
        if memory is not None:
            p = set_memory(p, alloc, memory)
    ways = [*starts, *block, *ends]
    for stmt in ways[:-1]:
        p = fission(p, p.forward(stmt).after())
    for stmt in block:
        p = reorder_loops(p, p.forward(stmt).parent())
    for start in saved:  # by now nothing is combined with what it copies before its last use
        p = inline_producer(p, p.forward(start))
    parts_ = parts_.forward(p)
    around = [[p.forward(stmt).parent() for stmt in stmts] for stmts in (starts, ends)]
    return p, ParallelReduction(
        parts_.loop,
        parts_.loop.body()[0],
        parts_.tail,
        parts_.tail.body()[0] if parts_.tail is not None and parts_.masked else None,
        tuple([p.forward(alloc) for alloc in allocs]),
        tuple(around[0]),
        tuple(around[1]),
    )


def _saved(lanes: Any, name: str) -> list[Any]:
    """The buffer before the loop over lanes that saves what partial results start at, if they need one."""
    start = lanes.prev(2)
    return [start] if isinstance(start, AllocCursor) and start.name() == name else []


def _location_by_location(p: Procedure, place: Any, side: int, depth: int) -> tuple[Procedure, list[Any]]:
    """The statement before (side -1) or after a place, whose outer loops go over locations, as one for each location."""
    copies = [p.forward(place).next() if side > 0 else p.forward(place).prev()]
    for _ in range(depth):
        count = len(copies) * int(copies[0].hi().value())
        for each in copies:
            p = unroll_loop(p, each)
        here = p.forward(place)
        copies = [here.next(n + 1) for n in range(count)] if side > 0 else [here.prev(count - n) for n in range(count)]
    return p, copies


def _lanes_outside(p: Procedure, divided: Divided) -> tuple[Procedure, list[Any]]:
    """The loops over lanes brought outside and made one; the statements in it."""
    p = reorder_loops(p, divided.loop)
    main = p.forward(divided.loop)
    block = [main]
    if divided.masked and divided.tail is not None:
        p = reorder_loops(p, divided.tail)
        block.append(p.forward(divided.tail))
        p = fuse(p, p.forward(main).parent(), p.forward(block[1]).parent())
    return p, [p.forward(each) for each in block]
