"""Bounds of accesses in one scope."""

from __future__ import annotations

from usl_core import proc_from_source
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
