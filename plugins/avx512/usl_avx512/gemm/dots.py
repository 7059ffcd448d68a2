"""Products of rows with rows, `C[i, j] += alpha A[i, :] . B[j, :]`: what few rows times a transposed matrix are.

Nothing is copied: both matrices are read along their rows, a register at a time, and sums across lanes are taken at the end. C
may have any strides, so that `C^T += alpha B A^T` is the same product with both matrices exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from usl_avx512 import isa
from usl_avx512.blas2.rectangles import in_vectors
from usl_avx512.gemm.blocks import in_blocks
from usl_avx512.gemm.tiles import Kernel, Lanes, factor_at_the_end, scheduled
from usl_avx512.gemm.turned import staged_turned, turn
from usl_core import Procedure, proc_from_source
from usl_core.cursors import AllocCursor
from usl_core.scheduling import (
    divide_loop,
    eliminate_dead_code,
    inline,
    lift_reduce_constant,
    mult_dim,
    rename,
    reorder_loops,
    replace,
    resize_dim,
    rewrite_expr,
    simplify,
    specialize,
    stage_mem,
)
from usl_stdlib import attempt, cse, unroll_and_jam

DOTS = """\
def dots(M: size, N: size, K: size, alpha: T, A: [T][M, K], B: [T][N, K], C: [T][M, N]):
    assert stride(A, 1) == 1
    assert stride(B, 1) == 1
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                C[i, j] += alpha * (A[i, k] * B[j, k])
"""
"""T stands for the type."""

WIDTHS = {1: 8, 2: 8, 3: 8, 4: 6}
"""Columns of a tile by its rows: as many sums under way, in eights, as leave registers for a column of A and a row of B."""

NEAR = 24
"""Rows of B in a block: whole tiles of any number of rows of A."""

TOGETHER = 8
"""Sums whose lanes are added up together, in a third of the steps."""


ROWS, TERMS = 16, 512
"""Of the copy that `dots_of_columns` makes, in elements of four bytes: half of a first-level cache."""


@cache
def dots_of_columns(lanes: Lanes, *, by_blocks: bool = False) -> Procedure:
    """DOTS for any sizes, where A is K x M: copies of blocks of it are turned over. by_blocks: for a large B."""
    text = DOTS.replace("A: [T][M, K]", "A: [T][K, M]").replace("A[i, k]", "A[k, i]").replace("T", lanes.scalar)
    terms = TERMS * lanes.count // 16
    base = rename(proc_from_source(text), f"{plain(lanes).name()}_of_columns")
    some_rows = base.add_assertion(f"M <= {ROWS}")
    rows_with_rows = Kernel(plain(lanes), dots_by_blocks(lanes) if by_blocks else dots(lanes))
    block = one_block(some_rows.add_assertion(f"K <= {terms}"), terms, lanes, rows_with_rows)
    whole = in_blocks(in_blocks(block, "k", terms, some_rows), "i", ROWS, base).fast
    return rename(whole, f"{base.name()}{'_by_blocks' if by_blocks else ''}")


def one_block(base: Procedure, terms: int, lanes: Lanes, rows_with_rows: Kernel) -> Kernel:
    """At most ROWS rows and so many terms."""
    base = rename(base, f"{base.name()}_block")
    p, rows = base, base.find_loop("i")
    p = staged_turned(p, rows, "A[0:K, 0:M]", "A_rows", lanes)
    p = rows_with_rows.call(p, p.forward(rows))
    p = resize_dim(resize_dim(p, "A_rows", 0, ROWS, 0), "A_rows", 1, terms, 0)
    return Kernel(base, scheduled(simplify(p), rows_with_rows, turn(lanes.scalar)))


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
    p = specialize(p, left, [f"M % {most} == {height}" for height in range(1, most)])
    *loops, none_left = p.find("for ii in _: _", many=True)
    for height, loop in enumerate(loops, start=1):
        p = rewrite_expr(p, p.forward(loop).hi(), height)
        p = few[height].call(p, p.forward(loop))
    p = eliminate_dead_code(p, none_left)
    return scheduled(simplify(p), *few.values())


@cache
def dots_by_blocks(lanes: Lanes) -> Procedure:
    """The same, all rows of A with NEAR rows of B before the next ones, so that a large B comes from far away once."""
    base = plain(lanes)
    return rename(in_blocks(Kernel(base, dots(lanes)), "j", NEAR).fast, f"{base.name()}_by_blocks")


def some_rows(base: Procedure, rows: int, lanes: Lanes) -> Kernel:
    """The product of so many rows."""
    base = rename(base.partial_eval(M=rows), f"{base.name()}_{rows}")
    products = base.find_loop("k")
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
        row = p.forward(columns).find("for k in _: _")
        p = attempt(lambda q, loop: cse(q, loop)[0])(p, row)
        p, _ = in_vectors(p, p.forward(row), lanes.scalar, reused=True)
    return Kernel(base, lanes_together(simplify(p), lanes))


def lanes_together(p: Procedure, lanes: Lanes) -> Procedure:
    """Add up the lanes of TOGETHER sums by one instruction, wherever so many follow each other."""
    suffix = "ps" if lanes.scalar == "f32" else "pd"
    for sums in p.find_all("s: _"):
        if isinstance(sums, AllocCursor) and len(sums.shape()) == 2:
            p = mult_dim(p, sums, 0, 1)
    for calls in in_rows(p.find_all(f"mm512_reduce_add_{suffix}(_)")):
        for first in range(0, len(calls) - TOGETHER + 1, TOGETHER):
            some = calls[first : first + TOGETHER]
            for call in some:
                p = inline(p, call)
            start = p.forward(some[0])
            p = replace(p, start.expand(0, TOGETHER - 1), getattr(isa, f"mm512_reduce_add{TOGETHER}_{suffix}"))
    return p


def in_rows(calls: Sequence[Any]) -> list[list[Any]]:
    """Statements, those that follow each other immediately together."""
    found: list[list[Any]] = []
    for call in calls:
        if found and found[-1][-1].next() == call:
            found[-1].append(call)
        else:
            found.append([call])
    return found
