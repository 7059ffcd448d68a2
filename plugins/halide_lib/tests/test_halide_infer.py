"""Bounds of accesses in one scope."""

from __future__ import annotations

import random

import numpy as np
import pytest

from usl_core import proc_from_source
from usl_core.interp import run
from usl_halide_lib.infer import bounds

BLUR = """
def blur(n: size, x: f32[n + 2], y: f32[n]):
    assert n % 32 == 0
    for io in seq(0, n / 32):
        for ii in seq(0, 32):
            y[32 * io + ii] = x[32 * io + ii] + x[32 * io + ii + 2]
"""


def test_a_tile_of_a_stencil():
    p = proc_from_source(BLUR)
    box = bounds(p, "x", p.find_loop("io").body())
    assert str(box) == "x[32 * io:32 * io + 34]"
    assert str(box.lo[0]) == "32 * io" and box.extent[0].constant == 34 and box.exact


def test_clamped_reads_have_an_extent_that_a_number_limits():
    p = proc_from_source("""
def f(n: size, x: f32[n], y: f32[n]):
    for io in seq(0, (n + 7) / 8):
        for ii in seq(0, min(8, n - 8 * io)):
            y[8 * io + ii] = x[max(8 * io + ii - 1, 0)] + x[min(8 * io + ii + 1, n - 1)]
""")
    box = bounds(p, "x", p.find_loop("io").body())
    assert str(box) == "x[max(0, 8 * io - 1):min(8 * io + 8, n - 1) + 1]"
    assert box.most == (10,)


INDICES = ("{i}", "{i} + {k}", "{i} / 2", "({i} + 1) / 2", "2 * {i} + {k}", "{i} - {i} / 2", "max({i} - {k}, 0)", "min({i}, n)")
TILES = {
    "perfect": ("n / 4", "4", "4 * io + ii"),
    "bound": ("(n + 3) / 4", "min(4, n - 4 * io)", "4 * io + ii"),
    "guard": ("(n + 3) / 4", "4", "4 * io + ii"),
    "shift_inwards": ("(n + 3) / 4", "4", "min(4 * io, n - 4) + ii"),
}


@pytest.mark.parametrize("tile", TILES)
def test_a_tile_accesses_nothing_outside_of_its_box(tile):
    """Each tile is run by itself: what it leaves in a buffer of zeros is what it wrote."""
    rng = random.Random(tile)
    count, length, place = TILES[tile]
    for _ in range(6):
        writes = [rng.choice(INDICES).format(i=f"({place})", k=rng.randint(1, 3)) for _ in range(rng.randint(1, 3))]
        guard = f"            if {place} < n:\n    " if tile == "guard" else ""
        lines = "".join(f"{guard}            x[{index}] = 1.0\n" for index in writes)
        p = proc_from_source(f"""
def f(n: size, only: index, x: f32[2 * n + 12]):
    assert n >= 4
    for io in seq(0, {count}):
        if io == only:
            for ii in seq(0, {length}):
{lines.replace("            ", "                ")}""")
        box = bounds(p, "x", p.find_loop("ii"))
        for n in (4, 5, 7, 8, 11):
            for io in range(-(-n // 4) if "3" in count else n // 4):
                x = np.zeros(2 * n + 12, np.float32)
                run(p.ir, {"n": n, "only": io, "x": x})
                (places,) = np.nonzero(x)
                lo, extent = (v[0].at(n=n, io=io, only=io).constant for v in (box.lo, box.extent))
                assert all(lo <= each < lo + extent for each in places), (str(p), n, io, str(box))
                assert box.most[0] is None or extent <= box.most[0]
