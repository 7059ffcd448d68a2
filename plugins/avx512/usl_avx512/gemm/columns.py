"""Products of which C has columns for rows, `C^T += alpha op(A) B`: what few columns of C are where A is transposed.

A register holds neighbours of a row of B, and these are a column of C. A block of C is turned over on the way into a copy, and
again on the way back.
"""

from __future__ import annotations

from functools import cache

from usl_avx512.gemm.blocks import InC, choice, in_blocks, of_rows, of_turned_rows
from usl_avx512.gemm.tiles import Kernel, Lanes, scheduled
from usl_avx512.gemm.turned import turn
from usl_c11.memory import Stack
from usl_core import Procedure, proc_from_source
from usl_core.scheduling import rearrange_dim, rename, reorder_loops, resize_dim, set_memory, simplify, stage_mem

INTO_COLUMNS = """\
def into_columns(M: size, N: size, K: size, before: index, alpha: T, A: [T][OF_A], B: [T][K, N], C: [T][N, M]):
    assert before >= 0
    assert stride(A, 1) == 1
    assert stride(B, 1) == 1
    assert stride(C, 1) == 1
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                if before + k == 0:
                    C[j, i] = 0.0
                C[j, i] += alpha * (A[AT] * B[k, j])
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
    """At most ROWS x columns elements, on a copy of them."""
    base = rename(base, f"{base.name()}_block")
    product = of_turned_rows(lanes, InC.EITHER) if turned else of_rows(lanes, InC.EITHER)
    in_parts = in_blocks(product, "k", NEAR)
    product = choice(product.base, f"K > {NEAR * 3 // 2} and N > {columns // 4}", in_parts, product)
    p, rows = base, base.find_loop("i")
    p = stage_mem(p, rows, "C[0:N, 0:M]", "C_block")
    p = rearrange_dim(p, "C_block", [1, 0])
    p = turn(lanes.scalar).call(p, p.forward(rows).prev())
    p = reorder_loops(p, p.forward(rows).next())
    p = turn(lanes.scalar).call(p, p.forward(rows).next())
    p = product.call(p, p.forward(rows))
    p = resize_dim(resize_dim(p, "C_block", 0, ROWS, 0), "C_block", 1, columns, 0)
    p = set_memory(p, "C_block", Stack)
    return Kernel(base, scheduled(simplify(p), product, turn(lanes.scalar)))
