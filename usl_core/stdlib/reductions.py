"""Sums computed as several partial sums: `parallelize_reduction`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from usl_core.cursors.kinds import (
    AllocCursor,
    AssignCursor,
    CallCursor,
    ForCursor,
    ReadCursor,
    ReduceCursor,
    WindowExprCursor,
)
from usl_core.errors import SchedulingError
from usl_core.ir.memory import MemoryClass
from usl_core.primitives.buffers.autolift_alloc import autolift_alloc
from usl_core.primitives.buffers.set_memory import set_memory
from usl_core.primitives.buffers.stage_mem import stage_mem
from usl_core.primitives.loops.fission import fission
from usl_core.primitives.loops.fuse import fuse
from usl_core.primitives.loops.reorder_loops import reorder_loops
from usl_core.procedure import Procedure
from usl_core.stdlib.dividing import Divided, divide
from usl_core.stdlib.expressions import expressions, fresh, loop_at, mentions, statements, window_text
from usl_core.stdlib.inspection import children, walk
from usl_core.stdlib.reporting import explained


@dataclass(frozen=True, slots=True)
class ParallelReduction:
    """What `parallelize_reduction` created.

    loop counts blocks of partial sums and lanes the sums in one; tail does what is left over, with masks its lanes are in
    tail_lanes. For each sum there are its partial sums, the loop that clears them and the loop that adds them up.
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
    iterator, or a window that instructions called in it only add to. memory is where the partial sums live. tail is that of
    `vectorize`: "perfect", "cut", "guard" or "masked". Real numbers are added in another order, which counts as equal.

    Returns the procedure and a `ParallelReduction`.

    Raises:
        SchedulingError: the loop has no sum; other iterations depend on each other; what `divide_loop` raises.
    Also known as: splitting an accumulator, rfactor (Halide).
    """
    loop = loop_at(p, loop)
    sums = reductions(loop)
    if not sums:
        raise SchedulingError(
            f"the loop {loop.name()} adds to no location that stays the same",
            span=loop.node.span,
            notes=["a sum is `s[e] += ...` where e does not depend on the loop, in code that does nothing else with s"],
            code="E413",
        )
    p, parts_ = divide(p, loop, factor, tail)
    p, block = _lanes_outside(p, parts_)
    starts, ends, allocs = [], [], []
    for name, window in sums:
        own = fresh(p, name if name.endswith("_sum") else f"{name}_sum")
        first, last = p.forward(block[0]), p.forward(block[-1])
        p = stage_mem(p, first.expand(0, len(block) - 1), window, own, accum=True)
        first, last = p.forward(first), p.forward(last)
        allocs.append(first.prev(2))
        starts.append(first.prev())
        ends.append(last.next())
    for alloc in allocs:
        p = autolift_alloc(p, alloc, keep_dims=True)
        if memory is not None:
            p = set_memory(p, alloc, memory)
    ways = [*starts, *block, *ends[::-1]]  # each sum was staged inside of the ones before
    for stmt in ways[:-1]:
        p = fission(p, p.forward(stmt).after())
    for stmt in block:
        p = reorder_loops(p, p.forward(stmt).parent())
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


# ---- finding sums


def reductions(loop: ForCursor) -> list[tuple[str, str]]:
    """The sums of a loop: the buffer of each, and the location or window as text."""
    found: dict[str, set[str]] = {}
    spoilt: set[str] = set()
    inner = {stmt.name() for stmt in statements(loop.body()) if isinstance(stmt, ForCursor | AllocCursor)}
    for stmt in statements(loop.body()):
        for name, window in _added(stmt):
            entries = [each for entry in window for each in (entry if isinstance(entry, tuple) else (entry,))]
            if name in inner or any(mentions(entry, each) for entry in entries for each in (loop.name(), *inner)):
                spoilt.add(name)
            found.setdefault(name, set()).add(window_text(name, window))
        spoilt |= _otherwise_used(stmt)
    return [(name, min(windows)) for name, windows in found.items() if name not in spoilt and len(windows) == 1]


def _added(stmt: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The locations that a statement only adds to."""
    match stmt:
        case ReduceCursor():
            yield stmt.name(), stmt.idx()
        case CallCursor():
            for formal, arg in zip(stmt.subproc().args(), stmt.args(), strict=True):
                if isinstance(arg, WindowExprCursor | ReadCursor) and _only_adds(stmt.subproc(), formal.name()):
                    yield arg.name(), arg.idx()


def _otherwise_used(stmt: Any) -> set[str]:
    """The buffers that a statement reads or overwrites."""
    used = {stmt.name()} if isinstance(stmt, AssignCursor) else set()
    exprs = expressions(stmt)
    if isinstance(stmt, CallCursor):
        formals = stmt.subproc().args()
        adds = [isinstance(arg, WindowExprCursor | ReadCursor) for arg in exprs]
        added = [ok and _only_adds(stmt.subproc(), f.name()) for ok, f in zip(adds, formals, strict=True)]
        exprs = tuple([e for arg, ok in zip(exprs, added, strict=True) for e in (children(arg) if ok else (arg,))])
    return used | {each.name() for expr in exprs for each in walk(expr, ReadCursor, WindowExprCursor)}


def _only_adds(callee: Procedure, formal: str) -> bool:
    """Whether a callee adds to a formal and does nothing else with it."""
    stmts = list(statements(callee))
    adds = any(isinstance(stmt, ReduceCursor) and stmt.name() == formal for stmt in stmts)
    return adds and all(formal not in _otherwise_used(stmt) for stmt in stmts)
