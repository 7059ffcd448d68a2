"""A schedule for `kernels.two_stage_blur`, for images of any size: the first stage is computed per tile of the second.

It is what Halide calls `compute_at` with a sliding window and a folded buffer, tails shifted inwards, tiles in parallel. Each
part takes and returns a procedure; `tall` and `wide` are the rows and columns of a tile.
"""

from __future__ import annotations

from usl_core import Procedure
from usl_core.scheduling import (
    divide_loop,
    divide_with_recompute,
    fuse,
    guard_redundant,
    parallelize_loop,
    rename,
    reorder_loops,
    resize_dim,
    sink_alloc,
    specialize,
)


def two_stage_blur_schedule(p: Procedure, tall: int = 32, wide: int = 64) -> Procedure:
    """Tiles in parallel, each with a circular buffer of three rows of the first stage."""
    p = rename(p, f"{p.name()}_tiled")
    p = compute_per_tile(p, tall, wide)
    p = store_per_tile(p)
    p = slide(p, tall)
    p = fold(p, tall, wide)
    return parallelize_loop(p, "yo")


def compute_per_tile(p: Procedure, tall: int, wide: int) -> Procedure:
    """Make, in each tile, the rows that the tile uses, halo included.

    The last tiles overlap the ones before them; images smaller than a tile keep the plain loops.
    """
    p = specialize(p, p.body(), [f"H >= {tall} and W >= {wide}"])
    _, make, use = p.find("if _: _").body()
    top, left = corner(tall, wide)

    p = divide_loop(p, use, tall, ["yo", "yi"], tail="shift_inwards")
    p = divide_with_recompute(p, make, f"(H + {tall - 1}) / {tall}", tall, ["yo", "yi"], base=top, extent=tall + 2)
    p = fuse(p, make, use)

    make_x, use_x = make.body()[0], use.body()[0]
    p = divide_loop(p, use_x, wide, ["xo", "xi"], tail="shift_inwards")
    p = divide_with_recompute(p, make_x, f"(W + {wide - 1}) / {wide}", wide, ["xo", "xi"], base=left, extent=wide)
    for inner in (make_x, use_x):
        p = reorder_loops(p, p.forward(inner).parent())
    return fuse(p, make_x, use_x)


def store_per_tile(p: Procedure) -> Procedure:
    """Each tile has a buffer of its own."""
    rows = p.find("rows: _")
    return sink_alloc(sink_alloc(p, rows), rows)


def slide(p: Procedure, tall: int) -> Procedure:
    """Make three rows for the first row of a tile, then one more for each."""
    make, use = p.find_loop("yi"), p.find_loop("yi #1")
    p = divide_with_recompute(p, make, tall, 1, ["yi", "py"])
    p = fuse(p, make, use)
    return guard_redundant(p, p.find_loop("py").body(), "yi == 0 or py == 2")


def fold(p: Procedure, tall: int, wide: int) -> Procedure:
    """Keep the columns of the tile and, in a circle, the three rows in use."""
    rows = p.find("rows: _")
    top, left = corner(tall, wide)
    p = resize_dim(p, rows, 1, wide, left)
    return resize_dim(p, rows, 0, 3, top, fold=True)


def corner(tall: int, wide: int) -> tuple[str, str]:
    """The first row and column of a tile, shifted inwards where the image ends."""
    return f"min({tall} * yo, H - {tall})", f"min({wide} * xo, W - {wide})"
