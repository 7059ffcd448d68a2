"""Products with up to three terms in each sum, `C += alpha op(A) B`: what counts is how fast C comes and goes.

One row of C at a time, with its elements of A in registers, is read and written as one stream. A tile of several rows is as
many streams: at half the speed where C is in the second- or third-level cache, but twice as fast where it is in memory. Blocks
of columns are so narrow that the rows of B stay near.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from usl_avx512.blas2.rectangles import in_vectors
from usl_avx512.gemm.tiles import Kernel, Lanes, cleared_at_the_end, cleared_first, factor_at_the_end, scheduled
from usl_core import Procedure
from usl_core.scheduling import (
    delete_pass,
    lift_reduce_constant,
    merge_writes,
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
    base, p = (rename(p.partial_eval(K=terms), f"{base.name()}_{terms}") for p in (base, written_or_added_to(base)))
    rows = p.find("for i in _: _", many=True)
    for each in rows:
        p = sums_apart(p, p.forward(each), terms)
    for each in rows:
        p, _ = in_vectors(simplify(p), p.forward(each).find("for j in _: _"), lanes.scalar)
    return Kernel(base, simplify(p))


@cache
def written_or_added_to(base: Procedure) -> Procedure:
    """A case for a C in which nothing is yet, where it is cleared before the sums, and one for any other."""
    p = specialize(base, base.body(), "before == 0")
    nothing_yet, _ = p.find("for k in _: _", many=True)
    p, _ = cleared_first(p, nothing_yet)
    return delete_pass(p)


def sums_apart(p: Procedure, rows: Any, terms: int) -> Procedure:
    """Sum up what is added to an element of C, or written to one that is cleared before; the sum is written out."""
    j = rows.body()[0]
    p = stage_mem(p, j, f"A[0:{terms}, i]" if "A[k, i]" in str(p) else f"A[i, 0:{terms}]", "A_row")
    p = unroll_loop(p, p.forward(j).prev())
    k = p.forward(j).find("for k in _: _")
    p = stage_mem(p, k, "C[i, j]", "s", accum=True)
    p = lift_reduce_constant(p, p.forward(k).expand(1, 0))
    p = factor_at_the_end(p, p.forward(k).next())
    if len(j.body()) > 1:
        p = written_once(p, p.forward(j).body()[0], p.forward(k))
    else:
        p = stage_mem(p, p.forward(k).next(), "C[i, j]", "C_ij")
    return unroll_loop(p, p.forward(k))


def written_once(p: Procedure, clear: Any, k: Any) -> Procedure:
    """`C = 0; for k: ...; C += alpha * s` as `C = alpha * s`."""
    p = cleared_at_the_end(p, clear)
    p = merge_writes(p, p.forward(clear).expand(0, 1))
    return rewrite_expr(p, p.forward(k).next().rhs(), "alpha * s")
