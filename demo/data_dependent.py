"""Schedules for `kernels.histogram` and `kernels.argmax`, whose indices and branches depend on data."""

from __future__ import annotations

from usl_core import Procedure
from usl_core.scheduling import (
    divide_loop,
    lift_alloc,
    parallelize_loop,
    rename,
    shift_loop,
    simplify,
    specialize,
    stage_mem,
    unroll_loop,
)


def histogram_schedule(p: Procedure, part: int = 4096, tile: int = 8) -> Procedure:
    """Clear the bins in parallel tiles; count part values at a time in a buffer of their own, then add it."""
    p = rename(p, f"{p.name()}_in_parts")
    p = specialize(p, "b", [f"bins >= {tile}"])
    p = divide_loop(p, "b", tile, ["bo", "bi"], tail="shift_inwards")
    p = parallelize_loop(p, "bo")
    p = divide_loop(p, "i", part, ["io", "ii"], tail="cut")
    p = stage_mem(p, p.find_loop("ii"), "count[0:bins]", "part", accum=True)
    return lift_alloc(p, "part")


def argmax_schedule(p: Procedure, factor: int = 4) -> Procedure:
    """Iterations depend on each other, so they stay in order: unrolled in tiles, with the rest in a loop of its own."""
    p = rename(p, f"{p.name()}_unrolled")
    p = shift_loop(p, "i", 0)
    p = divide_loop(p, "i", factor, ["io", "ii"], tail="cut")
    return simplify(unroll_loop(p, "ii"))
