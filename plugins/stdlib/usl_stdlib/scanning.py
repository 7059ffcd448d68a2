"""Running results of loops, as cumulative sums: in blocks, in steps of doubling length, in parallel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usl_core import Procedure
from usl_core.cursors import AllocCursor, ForCursor, ReduceCursor
from usl_core.ir.memory import MemoryClass
from usl_core.scheduling import (
    block_scan,
    expand_dim,
    fission,
    lift_alloc,
    parallelize_loop,
    recursive_doubling,
    reorder_stmts,
    set_memory,
    simplify,
    stage_mem,
)
from usl_stdlib.dividing import divide
from usl_stdlib.expressions import fresh, loop_at, require, text, window_text
from usl_stdlib.reporting import Places, explained


@dataclass(frozen=True, slots=True, repr=False)
class BlockedScan(Places):
    """What `scan_in_blocks` created.

    loop counts blocks, and tail does what is left over. In a block, values computes what is reduced, into the buffer block; the
    loops in steps combine its elements; results does what uses them; total brings the result up to date.
    """

    loop: ForCursor
    tail: ForCursor | None
    block: AllocCursor
    values: ForCursor
    steps: tuple[ForCursor, ...]
    results: ForCursor
    total: ReduceCursor

    def forward(self, p: Procedure) -> BlockedScan:
        """The same in a later version."""
        return BlockedScan(
            p.forward(self.loop),
            None if self.tail is None else p.forward(self.tail),
            p.forward(self.block),
            p.forward(self.values),
            tuple([p.forward(each) for each in self.steps]),
            p.forward(self.results),
            p.forward(self.total),
        )


@explained
def tree_scan(p: Procedure, loop: Any) -> Procedure:
    """Combine the elements of a buffer with those before them in steps of 1, 2, 4 and so on.

                                         u: T[4]
                                         for k in seq(1, 4):
                                             u[k] = t[k - 1]
                                         for j in seq(1, 4):
        for j in seq(1, 4):                  t[j] += u[j]
            t[j] += t[j - 1]     ~>      u1: T[4]
                                         for k in seq(2, 4):
                                             u1[k] = t[k - 2]
                                         for j in seq(2, 4):
                                             t[j] += u1[j]

    is `tree_scan(p, "j")`. The limits of the loop are literals, or cut so that each step is known to be needed.

    Forwarding: the loop goes to the first of the steps.

    Raises:
        SchedulingError: what `recursive_doubling` raises.
    Also known as: Hillis and Steele's scan.
    """
    p, _ = _steps(p, loop_at(p, loop))
    return p


def _steps(p: Procedure, loop: ForCursor) -> tuple[Procedure, tuple[ForCursor, ...]]:
    """`recursive_doubling` until nothing is left; the loops that copy and those that combine, in order."""
    found: list[ForCursor] = []
    rest: ForCursor | None = loop
    while rest is not None:
        count = len(p.forward(rest).as_block().expand())
        p = recursive_doubling(p, rest, fresh(p, "step"))
        step = p.forward(rest)
        found += [step.prev(), step]
        more = len(step.as_block().expand()) - count
        rest = step.next() if more == _WITH_A_REST else None
    return p, tuple([p.forward(each) for each in found])


_WITH_A_REST = 3
"""The statements that a step adds if it is not the last: a buffer, the loop that fills it, and the loop over longer steps."""


@explained
def scan_in_blocks(p: Procedure, loop: Any, factor: int, memory: MemoryClass | None = None) -> tuple[Procedure, BlockedScan]:
    """Compute the running results of a loop factor at a time, each block in log2(factor) steps.

                                     for io in seq(0, n / 4):
                                         t: T[4]
                                         for ii in seq(0, 4):
                                             t[ii] = e
        for i in seq(0, n):              (t[j] += t[j - 1], then t[j] += t[j - 2])
            s += e           ~>          for ii in seq(0, 4):
            y[i] = s                         y[4 * io + ii] = s + t[ii]
                                         s += t[3]

    and a loop for the last `n % 4` results. memory is where t lives, so that each loop in a block can be the lanes of a vector.

    Returns the procedure and a `BlockedScan`.

    Raises:
        SchedulingError: factor is below 2; what `divide_loop`, `block_scan` and `recursive_doubling` raise.
    Also known as: prefix sums in registers.
    """
    require(factor >= 2, f"factor must be at least 2, not {factor}: a block of one element has no results to combine")
    p, divided = divide(p, loop_at(p, loop), factor, "cut", ("cut",))
    inner = divided.forward(p).loop.body()[0]
    p = block_scan(p, inner, fresh(p, "block"))
    results = p.forward(inner)
    running, values, total = results.prev(), results.prev(2), results.next()
    block = values.prev() if isinstance(values.prev(), AllocCursor) else values.prev(2)
    p, steps = _steps(p, running)
    if memory is not None:
        p = set_memory(p, block, memory)
    divided = divided.forward(p)
    places = BlockedScan(divided.loop, divided.tail, block, values, steps, results, total)
    return p, places.forward(p)


@explained
def parallel_scan(p: Procedure, loop: Any, factor: int) -> Procedure:
    """Compute the running results of a loop in blocks of factor elements, which two parallel loops share.

        for i in seq(0, n):          for io in par(0, n / q):
            s += e           ~>          t[io, :] = results of the block by itself
            y[i] = s                 for io in seq(0, n / q):
                                         c[io] = s
                                         s += t[io, q - 1]
                                     for io in par(0, n / q):
                                         y[q * io:q * io + q] = c[io] + t[io, :]

    and a loop for the last `n % q` results. The results of all blocks are kept in between.

    Forwarding: the loop goes to the last of the three.

    Raises:
        SchedulingError: what `divide_loop` and `block_scan` raise; iterations of the new loops interfere.
    Also known as: reduce-then-scan, the three phases of parallel prefix sums (Blelloch 1990).
    """
    p, divided = divide(p, loop_at(p, loop), factor, "cut", ("cut",))
    outer = divided.forward(p).loop
    inner = outer.body()[0]
    block, start = fresh(p, "block"), fresh(p, "start")
    p = block_scan(p, inner, block)
    results = p.forward(inner)
    running, values, total = results.prev(), results.prev(2), results.next()
    p = stage_mem(p, results, window_text(total.name(), total.idx()), start)
    p = reorder_stmts(p, p.forward(results).as_block().expand(0, 1))
    for name in (block, start):
        p = expand_dim(p, name, f"{text(p.forward(outer).hi())} + 1", p.forward(outer).name())
        p = lift_alloc(p, name)
    p = fission(p, p.forward(running).after())
    p = fission(p, p.forward(total).after())
    p = parallelize_loop(p, p.forward(values).parent())
    return simplify(parallelize_loop(p, p.forward(results).parent()))
