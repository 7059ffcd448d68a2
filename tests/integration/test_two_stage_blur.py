"""End to end: a blur of two stages, the first computed per tile of the second with its halo, for images of any size.

The schedule is what Halide calls `compute_at` with a sliding window and a folded buffer, tails shifted inwards, tiles in
parallel. Every step is an operator with all its checks.
"""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from bench.blur import wrong_pixels
from demo.kernels import two_stage_blur
from demo.two_stage_blur import compute_per_tile, fold, slide, store_per_tile, two_stage_blur_schedule
from tests.fuzz.refine import compare_at, random_inputs
from usl_core import Procedure
from usl_core.analysis.parallel import separate_last
from usl_core.ir.traverse import same
from usl_core.ir.verify import verify
from usl_core.procedure import from_ir
from usl_core.scheduling import parallelize_loop, rename

TALL, WIDE = 4, 8
"""Rows and columns of a tile."""


@cache
def stages() -> tuple[Procedure, ...]:
    """The procedure after each part of the schedule: tiled, stored per tile, sliding, folded, parallel."""
    tiled = compute_per_tile(two_stage_blur, TALL, WIDE)
    stored = store_per_tile(tiled)
    sliding = slide(stored, TALL)
    folded = fold(sliding, TALL, WIDE)
    return tiled, stored, sliding, folded, parallelize_loop(folded, "yo")


def test_the_schedule_is_these_stages_under_a_new_name():
    p = two_stage_blur_schedule(two_stage_blur, TALL, WIDE)
    assert same(p.ir, rename(stages()[-1], p.name()).ir)
    assert p.assurance() == "every step proved"


@pytest.mark.parametrize("stage", range(5))
def test_each_stage_refines_the_blur_at_many_sizes(stage: int):
    p = stages()[stage]
    verify(p.ir)
    rng = random.Random(stage)
    heights, widths = (1, TALL - 1, TALL, TALL + 1, 2 * TALL, 11), (1, WIDE - 1, WIDE, WIDE + 1, 2 * WIDE - 1)
    for height in heights:
        for width in widths:
            inputs = random_inputs(p.ir, {"H": height, "W": width}, rng, poison=0.05)
            assert compare_at(two_stage_blur.ir, p.ir, inputs) is None, (height, width)


def test_tiles_may_run_in_any_order_with_the_last_row_last():
    p = stages()[-1]
    rng = random.Random(5)
    for _ in range(10):
        inputs = random_inputs(p.ir, {"H": rng.randint(4, 13), "W": rng.randint(8, 20)}, rng)
        assert compare_at(two_stage_blur.ir, p.ir, inputs, permute=rng) is None


def test_the_producer_is_one_statement_of_a_circular_buffer():
    lines = str(stages()[-1]).splitlines()
    assert [line.strip() for line in lines[3:10]] == [
        "for yo in par(0, (H + 3) / 4):",
        "for xo in seq(0, (W + 7) / 8):",
        "rows: u32[3, 8]",
        "for yi in seq(0, 4):",
        "for py in seq(0, 3):",
        "if yi == 0 or py == 2:",
        "for xi in seq(0, 8):",
    ]
    assert lines[10].strip().startswith("rows[(yi + py) % 3, xi] = u32(src[min(4 * yo, H - 4) + (yi + py),")
    assert lines[12].strip().endswith("= u16((rows[yi % 3, xi] + rows[(yi + 1) % 3, xi] + rows[(yi + 2) % 3, xi]) / 9)")


def test_generated_code_blurs_images_of_any_size():
    pytest.importorskip("scipy")
    blur = stages()[-1].jit()
    rng = np.random.default_rng(0)
    for shape in ((1, 1), (3, 9), (4, 8), (5, 8), (9, 17), (40, 33)):
        assert wrong_pixels(blur, rng.integers(0, 65535, shape, np.uint16, endpoint=True)) == 0, shape


def test_the_parallel_loop_in_c_leaves_the_last_row_of_tiles_for_afterwards():
    apart = from_ir(separate_last(stages()[-1].ir))
    text = str(apart)
    assert "for yo in par(0, (H + 3) / 4 - 1):" in text
    assert "for yo in seq((H + 3) / 4 - 1, (H + 3) / 4):" in text
