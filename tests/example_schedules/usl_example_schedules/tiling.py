"""Tiles that fit into a cache, and copies of what a tile touches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from usl_core import Procedure, SchedulingError, divide_loop, reorder_loops, simplify, stage_mem
from usl_stdlib import first_of, infer_bounds, loop_nest, traffic


def tile_to_fit(p: Procedure, loop: Any, capacity: int, sizes: Sequence[int] = (128, 64, 32, 16, 8)) -> Procedure:
    """The perfect nest that starts at loop in tiles, with the largest of sizes for which a tile touches at most capacity bytes.

        for i in seq(0, M):              for io in seq(0, M / 32):
            for j in seq(0, N):    ~>        for jo in seq(0, N / 32):
                s                                for ii in seq(0, 32):
                                                     for ji in seq(0, 32):
                                                         s

    Raises:
        SchedulingError: no size fits, or none divides all extents, or the loops cannot change places; the notes say which.
    """
    loop = p.find_loop(loop) if isinstance(loop, str) else p.forward(loop)
    return first_of(*(partial(_tiled, capacity=capacity, size=size) for size in sizes))(p, loop)


def _tiled(p: Procedure, loop: Any, capacity: int, size: int) -> Procedure:
    nest = loop_nest(loop)
    for depth, each in enumerate(nest):
        p = divide_loop(p, each, size, [f"{each.name()}o", f"{each.name()}i"], perfect=True)
        for _ in range(depth):
            p = reorder_loops(p, p.forward(each).parent())
    tile = p.forward(nest[-1])
    needed = traffic(p)[tile.name()].working_set.value.constant
    if needed is None or needed > capacity:
        raise SchedulingError(f"tile_to_fit: a tile of {size} touches {needed} bytes, more than {capacity}")
    return p


def stage_locally(p: Procedure, loop: Any, buffer: str, name: str | None = None) -> Procedure:
    """What one iteration of loop touches of a buffer, in a local buffer: copied in before it, and out after it if it changes.

    Raises:
        SchedulingError: the loop does not touch the buffer, or `stage_mem` refuses.
    """
    loop = p.find_loop(loop) if isinstance(loop, str) else p.forward(loop)
    window = infer_bounds(loop.body(), buffer)
    return simplify(stage_mem(p, loop.body(), str(window), name or f"{buffer}_tile"))
