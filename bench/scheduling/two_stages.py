"""The blur of two stages of the demonstration, its tiles vectorised besides: every operation an instruction on 16 lanes."""

from __future__ import annotations

from bench.scheduling.kernels_stencils import add_epu32
from bench.scheduling.vectorize import vectorize
from demo.kernels import two_stage_blur
from demo.two_stage_blur import two_stage_blur_schedule
from usl_avx512.kernels_int import (
    mm512_cvtepu32_storeu_epu16,
    mm512_div9_epu32,
    mm512_loadu_cvtepu16_epu32,
    mm512_loadu_epu32,
    mm512_storeu_epu32,
)
from usl_core import Procedure
from usl_core.scheduling import simplify
from usl_stdlib import replace_all

INSTRUCTIONS = (
    mm512_loadu_cvtepu16_epu32,
    mm512_loadu_epu32,
    mm512_div9_epu32,
    add_epu32,
    mm512_storeu_epu32,
    mm512_cvtepu32_storeu_epu16,
)


def schedule() -> Procedure:
    """The whole schedule, for pictures of at least one tile; smaller ones keep the plain loops."""
    p = two_stage_blur_schedule(two_stage_blur)
    make, use = p.find("for xi in _: _", many=True)
    p = vectorize(p, make, tail="perfect", prefix="a")
    p = vectorize(p, use, tail="perfect", prefix="b")
    return simplify(replace_all(p, INSTRUCTIONS))


def check(p: Procedure) -> None:
    """Against NumPy: a picture smaller than a tile, and some whose tiles overlap."""
    import numpy as np

    from bench.scheduling.checking import kernel_of

    kernel, random = kernel_of(p), np.random.default_rng(0)
    for height, width in ((5, 9), (32, 64), (45, 67), (96, 130)):
        source = random.integers(0, 1 << 16, (height + 2, width + 2), dtype=np.uint16)
        found = np.zeros((height, width), np.uint16)
        kernel(height, width, source, found)
        wide = source.astype(np.uint32)
        expected = sum(wide[y : y + height, x : x + width] for y in range(3) for x in range(3)) // 9
        np.testing.assert_array_equal(found, expected)
