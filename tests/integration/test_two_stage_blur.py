"""End to end: a blur of two stages, the first computed per tile of the second with its halo, for images of any size.

The schedule is what Halide calls `compute_at` with a sliding window and a folded buffer, tails shifted inwards, tiles in
parallel. Every step is an operator with all its checks.
"""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from tests.fuzz.refine import compare_at, random_inputs
from tests.primitives.equivalence import parse
from usl_core import Procedure
from usl_core.analysis.parallel import separate_last
from usl_core.ir.verify import verify
from usl_core.primitives.buffers.resize_dim import resize_dim
from usl_core.primitives.buffers.sink_alloc import sink_alloc
from usl_core.primitives.loops.divide_loop import divide_loop
from usl_core.primitives.loops.divide_with_recompute import divide_with_recompute
from usl_core.primitives.loops.fuse import fuse
from usl_core.primitives.loops.guard_redundant import guard_redundant
from usl_core.primitives.loops.parallelize_loop import parallelize_loop
from usl_core.primitives.loops.reorder_loops import reorder_loops
from usl_core.primitives.loops.specialize import specialize
from usl_core.procedure import from_ir

BLUR = parse("""
    def blur(H: size, W: size, src: f32[H + 2, W + 2], dst: f32[H, W]):
        rows: f32[H + 2, W]
        for y in seq(0, H + 2):
            for x in seq(0, W):
                rows[y, x] = src[y, x] + src[y, x + 1] + src[y, x + 2]
        for y in seq(0, H):
            for x in seq(0, W):
                dst[y, x] = rows[y, x] + rows[y + 1, x] + rows[y + 2, x]
    """)
TALL, WIDE = 4, 8
"""Rows and columns of a tile."""


@cache
def stages() -> tuple[Procedure, ...]:
    """The procedure after each part of the schedule: tiled, stored per tile, sliding, folded, parallel."""
    p = specialize(BLUR, BLUR.body(), [f"H >= {TALL} and W >= {WIDE}"])
    _, make, use = p.find("if _: _").body()

    p = divide_loop(p, use, TALL, ["yo", "yi"], tail="shift_inwards")
    base = f"min({TALL} * yo, H - {TALL})"
    p = divide_with_recompute(p, make, f"(H + {TALL - 1}) / {TALL}", TALL, ["yo", "yi"], base=base, extent=TALL + 2)
    p = fuse(p, make, use)

    make_x, use_x = make.body()[0], use.body()[0]
    p = divide_loop(p, use_x, WIDE, ["xo", "xi"], tail="shift_inwards")
    left = f"min({WIDE} * xo, W - {WIDE})"
    p = divide_with_recompute(p, make_x, f"(W + {WIDE - 1}) / {WIDE}", WIDE, ["xo", "xi"], base=left, extent=WIDE)
    for inner in (make_x, use_x):
        p = reorder_loops(p, p.forward(inner).parent())
    p = fuse(p, make_x, use_x)
    tiled = p

    rows = p.find("rows: _")
    p = sink_alloc(sink_alloc(p, rows), rows)
    stored = p

    make_y, use_y = p.find_loop("yi"), p.find_loop("yi #1")
    p = divide_with_recompute(p, make_y, TALL, 1, ["yi", "py"])
    p = fuse(p, make_y, use_y)
    p = guard_redundant(p, p.find_loop("py").body(), "yi == 0 or py == 2")
    sliding = p

    p = resize_dim(p, rows, 1, WIDE, left)
    p = resize_dim(p, rows, 0, 3, base, fold=True)
    folded = p

    return tiled, stored, sliding, folded, parallelize_loop(p, "yo")


@pytest.mark.parametrize("stage", range(5))
def test_each_stage_refines_the_blur_at_many_sizes(stage: int):
    p = stages()[stage]
    verify(p.ir)
    rng = random.Random(stage)
    heights, widths = (1, TALL - 1, TALL, TALL + 1, 2 * TALL, 11), (1, WIDE - 1, WIDE, WIDE + 1, 2 * WIDE - 1)
    for height in heights:
        for width in widths:
            inputs = random_inputs(p.ir, {"H": height, "W": width}, rng, poison=0.05)
            assert compare_at(BLUR.ir, p.ir, inputs) is None, (height, width)


def test_tiles_may_run_in_any_order_with_the_last_row_last():
    p = stages()[-1]
    rng = random.Random(5)
    for _ in range(10):
        inputs = random_inputs(p.ir, {"H": rng.randint(4, 13), "W": rng.randint(8, 20)}, rng)
        assert compare_at(BLUR.ir, p.ir, inputs, permute=rng) is None


def test_the_producer_is_one_statement_of_a_circular_buffer():
    lines = str(stages()[-1]).splitlines()
    assert [line.strip() for line in lines[3:10]] == [
        "for yo in par(0, (H + 3) / 4):",
        "for xo in seq(0, (W + 7) / 8):",
        "rows: f32[3, 8]",
        "for yi in seq(0, 4):",
        "for py in seq(0, 3):",
        "if yi == 0 or py == 2:",
        "for xi in seq(0, 8):",
    ]
    assert lines[10].strip().startswith("rows[(yi + py) % 3, xi] = src[min(4 * yo, H - 4) + (yi + py),")
    assert lines[12].strip().endswith("= rows[yi % 3, xi] + rows[(yi + 1) % 3, xi] + rows[(yi + 2) % 3, xi]")


def test_generated_code_blurs_images_of_any_size():
    blur = stages()[-1].jit()
    rng = np.random.default_rng(0)
    for height, width in ((1, 1), (3, 9), (4, 8), (5, 8), (9, 17), (40, 33)):
        src = rng.integers(0, 9, (height + 2, width + 2)).astype(np.float32)
        dst = np.zeros((height, width), np.float32)
        blur(height, width, src, dst)
        rows = src[:, :-2] + src[:, 1:-1] + src[:, 2:]
        np.testing.assert_array_equal(dst, rows[:-2] + rows[1:-1] + rows[2:])


def test_the_parallel_loop_in_c_leaves_the_last_row_of_tiles_for_afterwards():
    apart = from_ir(separate_last(stages()[-1].ir))
    text = str(apart)
    assert "for yo in par(0, (H + 3) / 4 - 1):" in text
    assert "for yo in seq((H + 3) / 4 - 1, (H + 3) / 4):" in text
