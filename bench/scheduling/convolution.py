"""A 3x3 convolution for AVX-512: tiles of six columns by 64 output channels in registers while the window is summed up.

Columns that do not fill a tile run in tiles of one column.
"""

from __future__ import annotations

from typing import Any

from bench.scheduling.kernels_convolution import convolution
from usl_avx512.isa import mm512_fmadd_set1_ps, mm512_loadu_ps, mm512_storeu_ps
from usl_avx512.memories import AVX512
from usl_core import Procedure
from usl_core.scheduling import (
    divide_dim,
    divide_loop,
    expand_dim,
    fission,
    lift_alloc,
    parallelize_loop,
    rename,
    reorder_loops,
    set_memory,
    simplify,
    stage_mem,
    unroll_loop,
)
from usl_stdlib import replace_all

LANES, COLUMNS, VECTORS = 16, 6, 4
INSTRUCTIONS = (mm512_loadu_ps, mm512_storeu_ps, mm512_fmadd_set1_ps)


def schedule() -> Procedure:
    """The whole schedule."""
    p = rename(convolution, "convolution_vectors")
    p = divide_loop(p, "oc", LANES * VECTORS, ["oo", "oi"], perfect=True)
    p = divide_loop(p, "oi", LANES, ["ov", "ol"], perfect=True)
    p = reorder_loops(p, "x oo")
    p = divide_loop(p, "x", COLUMNS, ["xo", "xi"], tail="cut")
    full, rest = p.find("for xi in _: _", many=True)
    p = tile(p, full.body()[0], [full])
    p = tile(p, rest.body()[0], [])
    p = replace_all(p, INSTRUCTIONS)
    for loop in p.find("for ov in _: _", many=True):
        p = unroll_loop(p, loop)
    return simplify(parallelize_loop(p, "n"))


def tile(p: Procedure, vectors: Any, columns: list[Any]) -> Procedure:
    """The sums of the loops columns, vectors and lanes in registers; the loops over the window go around them."""
    lanes = p.forward(vectors).body()[0]
    total, start, window, end = lanes.body()
    nest = [*columns, vectors, lanes]
    for loop in reversed(nest):
        p = expand_dim(p, total, loop.hi(), loop.name())
    p = lift_alloc(p, total, n_lifts=len(nest))
    p = set_memory(p, total, AVX512)
    p = fission(p, p.forward(start).after(), n_lifts=len(nest))
    p = fission(p, p.forward(end).before(), n_lifts=len(nest))
    inner = p.forward(window)
    for loop in (inner, inner.body()[0], inner.body()[0].body()[0]):
        for _ in nest:
            p = reorder_loops(p, p.forward(loop).parent())
    channel = p.forward(inner).body()[0].body()[0]
    p = stage_mem(p, channel.body(), f"weights[ky, kx, ic, 64 * oo:64 * oo + {LANES * VECTORS}]", "taps")
    row = p.forward(channel).body()[0]
    p = divide_loop(p, row.next(), LANES, ["ov", "ol"], perfect=True)
    return set_memory(divide_dim(p, row, 0, LANES), row, AVX512)


def check(p: Procedure) -> None:
    """Against NumPy, for widths with and without columns that are left over."""
    import numpy as np

    from bench.scheduling.checking import kernel_of

    kernel, random = kernel_of(p), np.random.default_rng(0)
    for n, height, width, ic, oc in ((1, 1, 1, 1, 64), (2, 3, 6, 3, 64), (1, 4, 17, 5, 128)):
        shapes = ((n, height + 2, width + 2, ic), (3, 3, ic, oc), (oc,))
        image, weights, bias = (random.integers(-8, 9, shape).astype(np.float32) for shape in shapes)
        found = np.empty((n, height, width, oc), np.float32)
        kernel(n, height, width, ic, oc, image, weights, bias, found)
        expected = bias + sum(image[:, y : y + height, x : x + width] @ weights[y, x] for y in range(3) for x in range(3))
        np.testing.assert_array_equal(found, expected)
