"""Outer products, `C = alpha x y^T` or what is added to C: what counts is how fast C comes and goes.

One row of C after the other is one stream in and out, which is fastest in caches; from memory, several rows come as fast as
their number of streams allows.
"""

from __future__ import annotations

from functools import cache

from usl_avx512.blas2.rectangles import in_vectors
from usl_avx512.gemm.tiles import Lanes
from usl_core import Procedure, proc_from_source
from usl_core.scheduling import rename, reorder_stmts, simplify
from usl_stdlib import unroll_and_jam

OUTER = """\
def outer(M: size, N: size, before: index, alpha: T, x: [T][M], y: [T][N], C: [T][M, N]):
    assert before >= 0
    assert stride(y, 0) == 1
    assert stride(C, 1) == 1
    if before == 0:
        for i in seq(0, M):
            t: T
            t = alpha * x[i]
            for j in seq(0, N):
                C[i, j] = t * y[j]
    else:
        for i in seq(0, M):
            t: T
            t = alpha * x[i]
            for j in seq(0, N):
                C[i, j] += t * y[j]
"""
"""T stands for the type; before is 0 where nothing is in C yet."""

TOGETHER = 8
"""Rows that are done at a time where C comes from memory."""


@cache
def outer(lanes: Lanes) -> Procedure:
    """All rows, one after the other. The last columns come first: a load waits for a masked store right before it that reaches
    over the start of its row."""
    p = proc_from_source(OUTER.replace("T", lanes.scalar))
    for loop in p.find("for j in _: _", many=True):
        p, vectors = in_vectors(p, p.forward(loop), lanes.scalar)
        p = reorder_stmts(p, p.forward(vectors.loop).expand(0, 1))
    return rename(simplify(p), f"{letter(lanes)}outer")


@cache
def outer_together(lanes: Lanes) -> Procedure:
    """All rows, TOGETHER of them at a time."""
    p = proc_from_source(OUTER.replace("T", lanes.scalar))
    for rows in p.find("for i in _: _", many=True):
        p, jam = unroll_and_jam(p, p.forward(rows), TOGETHER)
        for each in filter(None, (jam.loop, jam.tail)):
            p, _ = in_vectors(p, p.forward(each).find("for j in _: _"), lanes.scalar)
    return rename(simplify(p), f"{letter(lanes)}outer_together")


def letter(lanes: Lanes) -> str:
    """What names of a precision begin with."""
    return "s" if lanes.scalar == "f32" else "d"
