"""Products of which C has columns for rows, `C^T += alpha op(A) B`: what few columns of C are where A is transposed.

A register holds neighbours of a row of B, and these are a column of C. A block of sums goes into a copy, which is turned over
on its way to C.
"""

from __future__ import annotations

from functools import cache

from usl_avx512.gemm.blocks import InC, choice, in_blocks, of_rows, of_turned_rows
from usl_avx512.gemm.tiles import Kernel, Lanes, scheduled
from usl_avx512.gemm.turned import turn
from usl_c11.memory import Stack
from usl_core import Procedure, proc_from_source
from usl_core.scheduling import (
    expand_dim,
    fission,
    lift_alloc,
    rename,
    resize_dim,
    set_memory,
    simplify,
    specialize,
)

INTO_COLUMNS = """\
def into_columns(M: size, N: size, K: size, before: index, alpha: T, A: [T][OF_A], B: [T][K, N], C: [T][N, M]):
    assert before >= 0
    assert stride(A, 1) == 1
    assert stride(B, 1) == 1
    assert stride(C, 1) == 1
    for i in seq(0, M):
        for j in seq(0, N):
            sum: T
            for k in seq(0, K):
                if k == 0:
                    sum = 0.0
                sum += alpha * (A[AT] * B[k, j])
            if before == 0:
                C[j, i] = sum
            else:
                C[j, i] += sum
"""
"""T stands for the type, OF_A and AT for where A is."""

ROWS, COLUMNS = 32, 512
"""Of the copy of a block of C, in elements of four bytes: a sixteenth of a second-level cache. `level3_threads.c` relies on
COLUMNS."""

NEAR = 128
"""Terms of a block where rows of B are long: of so many rows a panel's part is read, then the next part, so that few pages are
read from at the same time."""


@cache
def into_columns(lanes: Lanes, turned: bool) -> Procedure:
    """INTO_COLUMNS for any sizes; with turned A is K x M."""
    sizes, place = ("K, M", "k, i") if turned else ("M, K", "i, k")
    text = INTO_COLUMNS.replace("OF_A", sizes).replace("AT", place).replace("T", lanes.scalar)
    letter = "s" if lanes.scalar == "f32" else "d"
    base = rename(proc_from_source(text), f"{letter}into_columns{'_of_turned' if turned else ''}")
    columns = COLUMNS * lanes.count // 16
    some_columns = base.add_assertion(f"N <= {columns}")
    block = one_block(some_columns.add_assertion(f"M <= {ROWS}"), columns, lanes, turned)
    return rename(in_blocks(in_blocks(block, "i", ROWS, some_columns), "j", columns, base).fast, base.name())


def one_block(base: Procedure, columns: int, lanes: Lanes, turned: bool) -> Kernel:
    """At most ROWS x columns elements, by a copy of their sums."""
    base = rename(base, f"{base.name()}_block")
    product = of_turned_rows(lanes, InC.EITHER) if turned else of_rows(lanes, InC.EITHER)
    in_parts = in_blocks(product, "k", NEAR)
    product = choice(product.base, f"K > {NEAR * 3 // 2} and N > {columns // 4}", in_parts, product)
    p, rows = base, base.find_loop("i")
    p = expand_dim(expand_dim(p, "sum", "N", "j"), "sum", "M", "i")
    p = lift_alloc(p, "sum", 2)
    p = fission(p, p.find_loop("k").after(), n_lifts=2)
    p = product.call(p, p.forward(rows))
    p = simplify(specialize(p, p.find("for i in _: _"), "before == 0"))
    for turning, nest in zip(
        (turn(lanes.scalar), turn(lanes.scalar, adds=True)), p.find("for i in _: _", many=True), strict=True
    ):
        p = turning.call(p, p.forward(nest))
    p = resize_dim(resize_dim(p, "sum", 0, ROWS, 0), "sum", 1, columns, 0)
    p = set_memory(p, "sum", Stack)
    return Kernel(base, scheduled(simplify(p), product, turn(lanes.scalar), turn(lanes.scalar, adds=True)))
