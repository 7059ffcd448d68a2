"""SGEMM for AVX-512 with a kernel of its own for every edge: 6 heights times one full and four masked widths.

Each kernel keeps its tile of C in registers while k runs, with every register written out. What remains of M and N after
full tiles is told apart by `specialize`, and each case calls its kernel, so that no scalar remainder loop is left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.scheduling.kernels_gemm import microkernel, sgemm
from usl_avx512.isa import (
    mm512_fmadd_set1_ps,
    mm512_loadu_ps,
    mm512_mask_fmadd_set1_ps,
    mm512_mask_loadu_ps,
    mm512_mask_storeu_ps,
    mm512_storeu_ps,
)
from usl_avx512.memories import AVX512
from usl_core import Procedure
from usl_core.scheduling import (
    call_eqv,
    divide_dim,
    divide_loop,
    fission,
    partial_eval,
    rename,
    reorder_loops,
    replace,
    rewrite_expr,
    set_memory,
    simplify,
    specialize,
    stage_mem,
    unroll_loop,
)
from usl_stdlib import replace_all

LANES, ROWS, VECTORS = 16, 6, 4
COLUMNS = LANES * VECTORS
INSTRUCTIONS = (
    mm512_loadu_ps,
    mm512_storeu_ps,
    mm512_fmadd_set1_ps,
    mm512_mask_loadu_ps,
    mm512_mask_storeu_ps,
    mm512_mask_fmadd_set1_ps,
)


def schedule() -> Procedure:
    """The whole schedule, kernels included."""
    p, (middle, right, bottom, corner) = regions(rename(sgemm, "sgemm_edges"))
    kernels = {rows: Kernels(rows) for rows in range(1, ROWS + 1)}
    p = kernels[ROWS].full_width(p, middle)
    p = kernels[ROWS].by_width(p, right)
    p = by_height(p, bottom, lambda p, nest, rows: kernels[rows].full_width(p, nest))
    p = by_height(p, corner, lambda p, nest, rows: kernels[rows].by_width(p, nest))
    return simplify(p)


def regions(p: Procedure) -> tuple[Procedure, list[Any]]:
    """Four nests ii, ji, k: the full tiles, what remains at the right and at the bottom, and the corner."""
    p = divide_loop(p, "i", ROWS, ["io", "ii"], tail="cut")
    p = divide_loop(p, "j", COLUMNS, ["jo", "ji"], tail="cut")
    middle, below = p.find("for ii in _: _", many=True)
    p = divide_loop(p, below.body()[0], COLUMNS, ["jo", "ji"], tail="cut")
    for rows in (middle, below):
        tiles = p.forward(rows).body()[0]
        p = fission(p, tiles.after())
        p = reorder_loops(p, rows)
    return p, p.find("for ii in _: _", many=True)


def by_height(p: Procedure, nest: Any, use: Callable[[Procedure, Any, int], Procedure]) -> Procedure:
    """A case for each number of rows that may remain, each turned into calls by use."""
    cases = range(1, ROWS)
    p, nests = told_apart(p, nest, [f"M % {ROWS} == {rows}" for rows in cases])
    for rows, case in zip(cases, nests, strict=True):
        p = use(rewrite_expr(p, case.hi(), rows), case, rows)
    return p


def told_apart(p: Procedure, nest: Any, conditions: list[str]) -> tuple[Procedure, list[Any]]:
    """A copy of nest for each condition, one of which holds unless the nest has nothing to do."""
    p = specialize(p, nest, conditions)
    branch, nests = p.forward(nest).parent(), []
    for _ in conditions:
        nests.append(branch.body()[0])
        branch = branch.orelse()[0]
    return p, nests


class Kernels:
    """The microkernels of one height; each is scheduled when it is made."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.plain = rename(partial_eval(microkernel, M=rows), f"kernel_{rows}_rows")
        self.full = self._scheduled(VECTORS, masked=False)
        self.masked = {vectors: self._scheduled(vectors, masked=True) for vectors in range(1, VECTORS + 1)}

    def full_width(self, p: Procedure, nest: Any) -> Procedure:
        """nest, which has all columns of a tile, as a call."""
        return self._call(p, nest, self.full)

    def by_width(self, p: Procedure, nest: Any) -> Procedure:
        """nest, over the columns that remain, as calls of masked kernels."""
        rest = f"N % {COLUMNS}"
        cases = {vectors: f"{LANES * (vectors - 1)} < {rest} and {rest} <= {LANES * vectors}" for vectors in self.masked}
        p, nests = told_apart(p, nest, list(cases.values()))
        for vectors, case in zip(cases, nests, strict=True):
            p = self._call(p, case, self.masked[vectors])
        return p

    def _call(self, p: Procedure, nest: Any, kernel: Procedure) -> Procedure:
        return call_eqv(replace(p, nest, self.plain), nest, kernel)

    def _scheduled(self, vectors: int, *, masked: bool) -> Procedure:
        p = rename(self.plain, f"kernel_{self.rows}x{vectors}{'_masked' if masked else ''}")
        width = LANES * vectors
        for assertion in (f"N > {width - LANES}", f"N <= {width}") if masked else (f"N == {width}",):
            p = p.add_assertion(assertion)
        return simplify(replace_all(unrolled(in_registers(p, self.rows, vectors)), INSTRUCTIONS))


def in_registers(p: Procedure, rows: int, vectors: int) -> Procedure:
    """The tile of C and a row of B in registers, k outermost."""
    columns, k = LANES * vectors, p.find_loop("k")
    p = reorder_loops(p, "j k")
    p = reorder_loops(p, "i k")
    p = stage_mem(p, k, f"C[0:{rows}, 0:{columns}]", "C_tile")
    p = stage_mem(p, p.forward(k).body(), f"B[k, 0:{columns}]", "B_row")
    j = p.find_loop("j")
    p = divide_loop(p, j, LANES, ["jo", "ji"], tail="guard")
    p = rewrite_expr(p, p.forward(j).hi(), vectors)
    for loop in p.find(f"for _ in seq(0, {columns}): _", many=True):
        p = divide_loop(p, loop, LANES, ["jo", "ji"], perfect=True)
    for buffer, dim in (("C_tile", 1), ("B_row", 0)):
        p = set_memory(divide_dim(p, buffer, dim, LANES), buffer, AVX512)
    return p


def unrolled(p: Procedure) -> Procedure:
    """Vectors written out; of the guards only that of the last one is left."""
    for loop in p.find("for jo in _: _", many=True):
        p = unroll_loop(p, loop)
    return simplify(p)


def check(p: Procedure) -> None:
    """Every height and every number of vectors at the edges, against NumPy."""
    import numpy as np

    from bench.scheduling.checking import kernel_of

    kernel, random = kernel_of(p), np.random.default_rng(0)
    for m in range(1, 2 * ROWS + 1):
        for n in (1, 16, 17, 33, 48, 63, 64, 65, 100, 128):
            a, b, c = (random.integers(-8, 9, shape).astype(np.float32) for shape in ((m, 5), (5, n), (m, n)))
            expected = c + a @ b
            kernel(m, n, 5, a, b, c)
            np.testing.assert_array_equal(c, expected)
