"""Triangles times blocks of columns, and their inverses: what is left of triangular matrices beside large products.

A triangle is dense, lower and row-major, its diagonal apart; it has a multiple of ROWS rows. The columns are a fixed number,
four registers, next to each other.
"""

from __future__ import annotations

import re
from functools import cache

from usl_avx512.blas2.rectangles import products
from usl_avx512.gemm.tiles import REGISTERS, Lanes
from usl_core import Procedure, proc_from_source
from usl_core.scheduling import (
    cut_loop,
    divide_dim,
    divide_loop,
    fission,
    rename,
    reorder_loops,
    reorder_stmts,
    set_memory,
    shift_loop,
    simplify,
    stage_mem,
)
from usl_stdlib import replace_all, unroll_loops

ROWS = 4
"""Rows of a tile, which stays in registers while what is left of it passes by."""

TRIANGLES = {
    "solve": """\
def solve(q: size, L: [T][4 * q, 4 * q], d: [T][4 * q], X: [T][4 * q, W]):
    assert stride(L, 1) == 1
    assert stride(d, 0) == 1
    assert stride(X, 1) == 1
    for i in seq(0, 4 * q):
        for k in seq(0, i):
            for j in seq(0, W):
                X[i, j] += -L[i, k] * X[k, j]
        for j in seq(0, W):
            X[i, j] = d[i] * X[i, j]
""",
    "triangle": """\
def triangle(q: size, L: [T][4 * q, 4 * q], d: [T][4 * q], X: [T][4 * q, W], Y: [T][4 * q, W]):
    assert stride(L, 1) == 1
    assert stride(d, 0) == 1
    assert stride(X, 1) == 1
    assert stride(Y, 1) == 1
    for i in seq(0, 4 * q):
        for j in seq(0, W):
            Y[i, j] = d[i] * X[i, j]
        for k in seq(0, i):
            for j in seq(0, W):
                Y[i, j] += L[i, k] * X[k, j]
""",
}
"""`X = L^-1 X` where d has the reciprocals of the diagonal, and `Y = L X` where it has the diagonal."""


@cache
def triangle(name: str, lanes: Lanes) -> Procedure:
    """One of TRIANGLES, ROWS rows at a time in registers."""
    width = REGISTERS * lanes.count
    text = re.sub(r"\b[TW]\b", lambda word: {"T": lanes.scalar, "W": str(width)}[word[0]], TRIANGLES[name])
    p = rename(proc_from_source(text), f"{'s' if lanes.scalar == 'f32' else 'd'}{name}")
    rows, k = p.find_loop("i"), p.find_loop("k")
    p = divide_loop(p, rows, ROWS, ["io", "ii"], perfect=True)
    p = cut_loop(p, k, f"{ROWS} * io")
    rectangle, small = p.forward(k), p.forward(k).next()
    own = f"{ROWS} * io:{ROWS} * io + {ROWS}, 0:{width}"
    if name == "triangle":
        p = reorder_stmts(p, rectangle.expand(0, 1))
        p = fission(p, p.forward(small).after())
        p = stage_mem(p, p.forward(rows).body(), f"Y[{own}]", "tile")
        p = stage_mem(p, p.forward(small).parent(), f"X[{own}]", "own")
    else:
        p = fission(p, rectangle.after())
        p = stage_mem(p, p.forward(rows).body(), f"X[{own}]", "tile")
    p = shift_loop(p, p.forward(small), 0)
    p = reorder_loops(p, p.forward(rectangle).parent())
    p = stage_mem(p, p.forward(rectangle).body(), f"X[k, 0:{width}]", "row")
    for loop in p.find(f"for _ in seq(0, {width}): _", many=True):
        p = divide_loop(p, loop, lanes.count, ["jt", "jl"], perfect=True)
    for buffer in p.find("_: _", many=True):
        p = set_memory(divide_dim(p, buffer, len(buffer.shape()) - 1, lanes.count), buffer, lanes.memory)
    # written out: compilers leave the tile in memory otherwise; twice, as the triangle's loops become constant by it
    p = simplify(unroll_loops(simplify(replace_all(p, products(lanes.scalar)))))
    return simplify(unroll_loops(p))
