"""Products with two or three terms in each sum, `C += alpha op(A) B`: what counts is how fast C comes and goes.

One row of C at a time, with its elements of A in registers, is read and written as one stream. A tile of several rows is as
many streams: at half the speed where C is in the second- or third-level cache, but twice as fast where it is in memory. Blocks
of columns are so narrow that the rows of B stay near.
"""

from __future__ import annotations

from usl_avx512.blas2.rectangles import in_vectors
from usl_avx512.gemm.tiles import Kernel, Lanes, factor_at_the_end, scheduled
from usl_core import Procedure
from usl_core.scheduling import (
    lift_reduce_constant,
    rename,
    rewrite_expr,
    simplify,
    specialize,
    stage_mem,
    unroll_loop,
)

TERMS = 3
"""The most terms; with more of them a tile of several rows is as fast."""

COLUMNS = 512
"""Columns of a block, in elements of four bytes."""


def few_terms(plain: Procedure, lanes: Lanes) -> Kernel:
    """All rows of at most COLUMNS columns, by the number of terms. plain is the product for A as it is or transposed."""
    base = rename(plain.add_assertion(f"K <= {TERMS}"), f"{plain.name()}_few_terms")
    rows = {terms: one_row_at_a_time(base, terms, lanes) for terms in range(1, TERMS + 1)}
    p = specialize(base, base.body(), [f"K == {terms}" for terms in range(1, TERMS)])
    for terms, loop in zip(rows, p.find("for i in _: _", many=True), strict=True):
        p = rewrite_expr(p, p.forward(loop).find("for k in _: _").hi(), terms)
        p = rows[terms].call(p, p.forward(loop))
    return Kernel(base, scheduled(simplify(p), *rows.values()))


def one_row_at_a_time(base: Procedure, terms: int, lanes: Lanes) -> Kernel:
    """Sums of so many terms, with the elements of A in registers along a row of C."""
    base = rename(base.partial_eval(K=terms), f"{base.name()}_{terms}")
    j = base.find_loop("j")
    p = stage_mem(base, j, f"A[0:{terms}, i]" if "A[k, i]" in str(base) else f"A[i, 0:{terms}]", "A_row")
    p = unroll_loop(p, p.forward(j).prev())
    k = p.forward(j).find("for k in _: _")
    p = stage_mem(p, k, "C[i, j]", "s", accum=True)
    p = lift_reduce_constant(p, p.forward(k).expand(1, 0))
    p = factor_at_the_end(p, p.forward(k).next())
    p = stage_mem(p, p.forward(k).next(), "C[i, j]", "C_ij")
    p = unroll_loop(p, p.forward(k))
    p, _ = in_vectors(simplify(p), p.forward(j), lanes.scalar)
    return Kernel(base, simplify(p))
