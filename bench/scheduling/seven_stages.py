"""An unsharp mask of seven stages: strips of rows in parallel, the stages row by row, every operation a vector instruction.

Grey rows live in a circular buffer of seven, the other stages keep one row each.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from bench.scheduling.kernels_stencils import add_ps, div_ps, sub_ps, unsharp_mask
from bench.scheduling.vectorize import vectorize
from usl_avx512.isa import mm512_loadu_ps, mm512_mul_ps, mm512_set1_ps, mm512_storeu_ps
from usl_core import Procedure
from usl_core.scheduling import (
    divide_loop,
    divide_with_recompute,
    fuse,
    guard_redundant,
    lift_alloc,
    parallelize_loop,
    rename,
    resize_dim,
    simplify,
    sink_alloc,
    specialize,
    unroll_loop,
)
from usl_stdlib import replace_all

ROWS, HALO = 32, 6
STAGES = ("down", "blurred", "detail", "stronger", "ratio")
"""What lies between the grey picture and the result."""
INSTRUCTIONS = (mm512_loadu_ps, mm512_storeu_ps, mm512_set1_ps, mm512_mul_ps, add_ps, sub_ps, div_ps)
TOP = f"min({ROWS} * yo, H - {ROWS})"
"""The first row of a strip; the last one overlaps the one before it."""


def schedule() -> Procedure:
    """The whole schedule, for pictures of at least ROWS rows; smaller ones keep the plain loops."""
    p = rename(unsharp_mask, "unsharp_mask_vectors")
    p = specialize(p, p.body(), [f"H >= {ROWS}"])
    for stage in ("grey", *STAGES):
        p = lift_alloc(p, f"{stage}: _")
    p = in_strips(p)
    p = row_by_row(p)
    p = rows_of_vectors(p)
    return simplify(parallelize_loop(p, "yo"))


def in_strips(p: Procedure) -> Procedure:
    """All stages in one loop over strips, grey rows of the halo included."""
    make, *use = p.find("if _: _").body()
    for loop in use:
        p = divide_loop(p, loop, ROWS, ["yo", "yi"], tail="shift_inwards")
    p = divide_with_recompute(p, make, f"(H + {ROWS - 1}) / {ROWS}", ROWS, ["yo", "yi"], base=TOP, extent=ROWS + HALO)
    return fuse_all(p, [make, *use])


def fuse_all(p: Procedure, loops: list[Any]) -> Procedure:
    """Fuse neighbours from the last one up: so what moves is one stage, which may be a producer that runs again."""
    for above, below in reversed(list(pairwise(loops))):
        p = fuse(p, above, below)
    return p


def row_by_row(p: Procedure) -> Procedure:
    """The stages of a row one after another, one more grey row for each."""
    make, *use = p.find_loop("yo").body()
    p = fuse_all(p, use)
    p = divide_with_recompute(p, make, ROWS, 1, ["yi", "py"])
    p = fuse(p, make, use[0])
    p = guard_redundant(p, p.find_loop("py").body(), f"yi == 0 or py == {HALO}")
    for stage in ("grey", *STAGES):
        p = sink_alloc(p, f"{stage}: _")
        p = sink_alloc(p, f"{stage}: _")
    p = resize_dim(p, "grey: _", 0, HALO + 1, TOP, fold=True)
    for stage in STAGES:
        p = resize_dim(sink_alloc(p, f"{stage}: _"), f"{stage}: _", 0, 1, f"{TOP} + yi")
    return p


def rows_of_vectors(p: Procedure) -> Procedure:
    """Each stage's row, sixteen columns at a time; what does not fill a vector stays a plain loop."""
    p = unroll_loop(p, "c")
    for number, loop in enumerate(p.find_loop("yo").find("for x in _: _", many=True)):
        p = vectorize(p, loop, prefix=f"s{number}_")
    return replace_all(p, INSTRUCTIONS)


def check(p: Procedure) -> None:
    """Against NumPy: a small picture, and one whose strips overlap."""
    import numpy as np

    from bench.scheduling.checking import kernel_of

    kernel, random = kernel_of(p), np.random.default_rng(0)
    for height, width in ((5, 9), (32, 16), (45, 67), (96, 100)):
        rgb = random.uniform(0.5, 1.0, (3, height + HALO, width + HALO)).astype(np.float32)
        found = np.empty((3, height, width), np.float32)
        kernel(height, width, rgb, found)
        np.testing.assert_allclose(found, reference(rgb), rtol=2e-5)


def reference(rgb):  # type: ignore[no-untyped-def]
    """The same in double precision."""
    import numpy as np
    from scipy.ndimage import correlate1d

    rgb = rgb.astype(np.float64)
    taps = [0.0625, 0.0625, 0.125, 0.5, 0.125, 0.0625, 0.0625]
    grey = 0.25 * rgb[0] + 0.5 * rgb[1] + 0.25 * rgb[2]
    blurred = correlate1d(correlate1d(grey, taps, axis=0), taps, axis=1)[3:-3, 3:-3]
    grey, colours = grey[3:-3, 3:-3], rgb[:, 3:-3, 3:-3]
    return colours * (grey + 1.5 * (grey - blurred)) / grey
