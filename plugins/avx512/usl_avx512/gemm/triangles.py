"""Triangles times blocks of columns, and their inverses: what is left of triangular matrices beside large products.

A triangle is lower, of any strides, its diagonal apart: that of an upper one begins at its last element and goes back. The
columns are a fixed number next to each other: as many as fill some registers. Rows that have fewer are copied (`rows`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

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
from usl_stdlib import replace_all, unroll_loops, vectorize

ROWS = 4
"""Rows of a tile, which stays in registers while what is left of it passes by."""

NARROW, WIDE = 1, REGISTERS
"""Registers of a row."""

TRIANGLES = {
    "solve": """\
def solve(m: size, L: [T][m, m], d: [T][m], X: [T][m, W]):
    assert stride(d, 0) == 1
    assert stride(X, 1) == 1
    for i in seq(0, m):
        for k in seq(0, i):
            for j in seq(0, W):
                X[i, j] += -L[i, k] * X[k, j]
        for j in seq(0, W):
            X[i, j] = d[i] * X[i, j]
""",
    "triangle": """\
def triangle(m: size, L: [T][m, m], d: [T][m], X: [T][m, W], Y: [T][m, W]):
    assert stride(d, 0) == 1
    assert stride(X, 1) == 1
    assert stride(Y, 1) == 1
    for i in seq(0, m):
        for j in seq(0, W):
            Y[i, j] = d[i] * X[i, j]
        for k in seq(0, i):
            for j in seq(0, W):
                Y[i, j] += L[i, k] * X[k, j]
""",
}
"""`X = L^-1 X` where d has the reciprocals of the diagonal, and `Y = L X` where it has the diagonal."""

MOVED = """\
def rows(m: size, n: size, A: [T][m, n], B: [T][m, n]):
    assert n <= W
    assert stride(A, 1) == 1
    assert stride(B, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            B[i, j] = A[i, j]
"""


@cache
def triangle(name: str, lanes: Lanes, registers: int) -> Procedure:
    """One of TRIANGLES, ROWS rows at a time in registers, and what is left of them one by one."""
    letter, width = "s" if lanes.scalar == "f32" else "d", registers * lanes.count
    text = re.sub(r"\b[TW]\b", lambda word: {"T": lanes.scalar, "W": str(width)}[word[0]], TRIANGLES[name])
    p = rename(proc_from_source(text), f"{letter}{name}_{'narrow' if registers == NARROW else 'wide'}")
    rows = p.find_loop("i")
    p = divide_loop(p, rows, ROWS, ["io", "ii"], tail="cut")
    tiles, rest = p.forward(rows), p.forward(rows).next()
    p = one_by_one(p, rest, name, width)
    p = in_tiles(p, tiles, name, width)
    for loop in p.find(f"for _ in seq(0, {width}): _", many=True):
        p = divide_loop(p, loop, lanes.count, ["jt", "jl"], perfect=True)
    for buffer in p.find("_: _", many=True):
        p = set_memory(divide_dim(p, buffer, len(buffer.shape()) - 1, lanes.count), buffer, lanes.memory)
    # written out: compilers leave the tile in memory otherwise; twice, as the triangle's loops become constant by it
    p = simplify(unroll_loops(simplify(replace_all(p, products(lanes.scalar)))))
    return simplify(unroll_loops(p))


def one_by_one(p: Procedure, rest: Any, name: str, width: int) -> Procedure:
    """The last rows, fewer than ROWS, each in registers of its own."""
    target, row = "X" if name == "solve" else "Y", f"{ROWS} * (m / {ROWS}) + {p.forward(rest).name()}"
    k = p.forward(rest).find("for k in _: _")
    p = stage_mem(p, p.forward(rest).body(), f"{target}[{row}, 0:{width}]", "sum")
    if name == "triangle":
        p = stage_mem(p, p.forward(k).prev(), f"X[{row}, 0:{width}]", "own")
    return stage_mem(p, p.forward(k).body(), f"X[k, 0:{width}]", "term")


def in_tiles(p: Procedure, tiles: Any, name: str, width: int) -> Procedure:
    """ROWS rows at a time: a rectangle, whose terms pass by, and the triangle beside it."""
    k = p.forward(tiles).find("for k in _: _")
    p = cut_loop(p, k, f"{ROWS} * io")
    rectangle, small = p.forward(k), p.forward(k).next()
    own = f"{ROWS} * io:{ROWS} * io + {ROWS}, 0:{width}"
    if name == "triangle":
        p = reorder_stmts(p, rectangle.expand(0, 1))
        p = fission(p, p.forward(small).after())
        p = stage_mem(p, p.forward(tiles).body(), f"Y[{own}]", "tile")
        p = stage_mem(p, p.forward(small).parent(), f"X[{own}]", "own")
    else:
        p = fission(p, rectangle.after())
        p = stage_mem(p, p.forward(tiles).body(), f"X[{own}]", "tile")
    p = shift_loop(p, p.forward(small), 0)
    p = reorder_loops(p, p.forward(rectangle).parent())
    return stage_mem(p, p.forward(rectangle).body(), f"X[k, 0:{width}]", "row")


@cache
def rows(lanes: Lanes, registers: int) -> Procedure:
    """A copy of rows of at most so many registers."""
    letter, width = "s" if lanes.scalar == "f32" else "d", registers * lanes.count
    text = re.sub(r"\b[TW]\b", lambda word: {"T": lanes.scalar, "W": str(width)}[word[0]], MOVED)
    p = rename(proc_from_source(text), f"{letter}rows_{'narrow' if registers == NARROW else 'wide'}")
    p, _ = vectorize(p, p.find_loop("j"), lanes.count, lanes.memory, products(lanes.scalar), tail="masked")
    return simplify(p)
