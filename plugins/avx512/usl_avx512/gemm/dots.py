"""Products of rows with rows, `C[i, j] += alpha A[i, :] . B[j, :]`: what few rows times a transposed matrix are.

Nothing is copied: both matrices are read along their rows, a register at a time, and sums across lanes are taken at the end. C
may have any strides, so that `C^T += alpha B A^T` is the same product with both matrices exchanged.
"""

from __future__ import annotations

from functools import cache

from usl_avx512.blas2.rectangles import in_vectors
from usl_avx512.gemm.tiles import Kernel, Lanes, factor_at_the_end, scheduled
from usl_avx512.gemm.turned import staged_turned, turn
from usl_core import Procedure, proc_from_source
from usl_core.scheduling import (
    divide_loop,
    eliminate_dead_code,
    lift_reduce_constant,
    rename,
    reorder_loops,
    rewrite_expr,
    simplify,
    specialize,
    stage_mem,
)
from usl_stdlib import attempt, cse, unroll_and_jam

DOTS = """\
def dots(m: size, n: size, k: size, alpha: T, A: [T][m, k], B: [T][n, k], C: [T][m, n]):
    assert stride(A, 1) == 1
    assert stride(B, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            for l in seq(0, k):
                C[i, j] += alpha * (A[i, l] * B[j, l])
"""
"""T stands for the type."""

WIDTHS = {1: 8, 2: 8, 3: 7, 4: 6}
"""Columns of a tile by its rows: as many sums under way as registers are left beside a column of A and a row of B."""


@cache
def dots_of_columns(lanes: Lanes) -> Procedure:
    """DOTS for any sizes, where A is k x m: a copy of it is turned over."""
    text = DOTS.replace("A: [T][m, k]", "A: [T][k, m]").replace("A[i, l]", "A[l, i]").replace("T", lanes.scalar)
    base, rows_with_rows = plain(lanes), Kernel(plain(lanes), dots(lanes))
    p = rename(proc_from_source(text), f"{base.name()}_of_columns")
    rows = p.find_loop("i")
    p = staged_turned(p, rows, "A[0:k, 0:m]", "A_rows", lanes)
    p = rows_with_rows.call(p, p.forward(rows))
    return scheduled(p, rows_with_rows, turn(lanes.scalar))


@cache
def plain(lanes: Lanes) -> Procedure:
    """DOTS in a precision."""
    letter = "s" if lanes.scalar == "f32" else "d"
    return rename(proc_from_source(DOTS.replace("T", lanes.scalar)), f"{letter}dots")


@cache
def dots(lanes: Lanes) -> Procedure:
    """DOTS for any sizes."""
    base = plain(lanes)
    most = max(WIDTHS)
    few = {rows: some_rows(base, rows, lanes) for rows in WIDTHS}
    rows = base.find_loop("i")
    p = divide_loop(base, rows, most, ["io", "ii"], tail="cut")
    p = few[most].call(p, p.forward(rows).body()[0])
    left = p.forward(rows).next()
    p = specialize(p, left, [f"m % {most} == {height}" for height in range(1, most)])
    *loops, none_left = p.find("for ii in _: _", many=True)
    for height, loop in enumerate(loops, start=1):
        p = rewrite_expr(p, p.forward(loop).hi(), height)
        p = few[height].call(p, p.forward(loop))
    p = eliminate_dead_code(p, none_left)
    return scheduled(simplify(p), *few.values())


def some_rows(base: Procedure, rows: int, lanes: Lanes) -> Kernel:
    """The product of so many rows."""
    base = rename(base.partial_eval(m=rows), f"{base.name()}_{rows}")
    products = base.find_loop("l")
    p = stage_mem(base, products, "C[i, j]", "s", accum=True)
    p = lift_reduce_constant(p, p.forward(products).expand(1, 0))
    p = factor_at_the_end(p, p.forward(products).next())
    i, j = p.find_loop("i"), p.find_loop("j")
    p = reorder_loops(p, i)
    p, tile = unroll_and_jam(p, j, WIDTHS[rows])
    assert tile.tail is not None
    for columns in (tile.loop, tile.tail):
        p, _ = unroll_and_jam(p, p.forward(columns).find("for i in _: _"), rows, tail="perfect")
    p = simplify(p)
    for columns in (tile.loop, tile.tail):
        row = p.forward(columns).find("for l in _: _")
        p = attempt(lambda q, loop: cse(q, loop)[0])(p, row)
        p, _ = in_vectors(p, p.forward(row), lanes.scalar, reused=True)
    return Kernel(base, simplify(p))
