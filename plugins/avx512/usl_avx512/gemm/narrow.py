"""Products of a long row with a narrow matrix, `C += alpha a B` for at most a register of columns.

A sum for each column is one register, and each step of it waits for the one before: several partial sums are under way.
"""

from __future__ import annotations

from functools import cache

from usl_avx512 import isa
from usl_avx512.gemm.tiles import Lanes, edge_tiles, windowed
from usl_avx512.kernels_algorithms import gemm_tn
from usl_core import Procedure
from usl_core.scheduling import rename, simplify, unroll_loop
from usl_stdlib import parallelize_reduction, replace_all

SUMS = 8
"""Partial sums: as many as fused products can be under way, twice a cycle for four cycles."""


@cache
def narrow_row(lanes: Lanes) -> Procedure:
    """The product for a column A of any stride, K x 1, that stands for the row; B is K x N, C is 1 x N."""
    letter, suffix = ("s", "ps") if lanes.scalar == "f32" else ("d", "pd")
    base = rename(windowed(gemm_tn, lanes), f"{letter}narrow_row")
    p = edge_tiles(base, 1, lanes).in_whole_sums(1).fast
    terms = p.find_loop("k")
    p, partial = parallelize_reduction(p, terms, SUMS, lanes.memory)
    p = replace_all(p, [getattr(isa, f"mm512_{name}_{suffix}") for name in ("setzero", "add")])
    for lane in (*partial.starts, partial.lanes, *partial.ends):
        p = unroll_loop(p, p.forward(lane))
    return rename(simplify(p), f"{letter}narrow_row")
