"""Staging a buffer without saying which part of it: `auto_stage_mem`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usl_core import Procedure
from usl_core.cursors import AllocCursor, BlockCursor
from usl_core.ir.memory import MemoryClass
from usl_core.scheduling import set_memory, stage_mem
from usl_stdlib.bounds import infer_bounds
from usl_stdlib.expressions import block_at, fresh
from usl_stdlib.reporting import Places, explained


@dataclass(frozen=True, slots=True, repr=False)
class Staged(Places):
    """What `auto_stage_mem` created: the copy, the code that fills it and the code that writes it back (None where there is
    none), and the block that works on it."""

    buffer: AllocCursor
    load: Any
    block: BlockCursor
    store: Any


@explained
def auto_stage_mem(
    p: Procedure, block: Any, buffer: str, name: str | None = None, memory: MemoryClass | None = None, accum: bool = False
) -> tuple[Procedure, Staged]:
    """Let a block work on a copy of that part of a buffer which it accesses.

                                             x_tile: f32[34]
                                             for i0 in seq(0, 34):
        for ii in seq(0, 32):                    x_tile[i0] = x[32 * io + i0]
            y[ii] = x[32 * io + ii]      ~>  for ii in seq(0, 32):
                  + x[32 * io + ii + 2]          y[ii] = x_tile[ii] + x_tile[ii + 2]

    is `auto_stage_mem(p, "ii", "x")`: `infer_bounds` finds the window, `stage_mem` copies it. memory is where the copy lives;
    with accum it starts at 0 and is added to the buffer at the end.

    Returns the procedure and a `Staged`.

    Raises:
        SchedulingError: the block does not access the buffer; what `stage_mem` raises.
    Also known as: cache_read and cache_write (TVM), compute_at of a copy (Halide).
    """
    place = block_at(p, block)
    own = fresh(p, name or f"{buffer}_tile")
    p = stage_mem(p, place, str(infer_bounds(place, buffer)), own, accum=accum)
    staged = p.forward(place)
    before = staged[0].prev()
    alloc = before if isinstance(before, AllocCursor) else before.prev()
    inserted = len(staged.expand()) - len(place.expand())
    load = None if alloc == before else before
    store = staged[-1].next() if inserted == (2 if load is None else 3) else None
    if memory is not None:
        p = set_memory(p, alloc, memory)
    copies = [None if each is None else p.forward(each) for each in (load, store)]
    return p, Staged(p.forward(alloc), copies[0], p.forward(staged), copies[1])
