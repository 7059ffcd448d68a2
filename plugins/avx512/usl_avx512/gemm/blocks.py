"""Whole products: blocks that fit the caches, and which way small and large sizes go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usl_avx512.gemm.panels import edge_panel, full_panels
from usl_avx512.gemm.tiles import Kernel, Lanes, scheduled, windowed
from usl_core import Procedure
from usl_core.cursors import ForCursor
from usl_core.scheduling import (
    divide_dim,
    divide_loop,
    eliminate_dead_code,
    insert_noop_call,
    parallelize_loop,
    rearrange_dim,
    rename,
    reorder_loops,
    simplify,
    specialize,
    stage_mem,
)
from usl_stdlib import replace_all

ROWS_AHEAD = 8
"""How many rows before its turn a part of B is asked for."""


@dataclass(frozen=True, slots=True)
class Blocking:
    """How many rows of A (`m`), columns of B (`n`) and steps of the sum (`k`) a block has, in elements of four bytes.

    A block of A, m x k, stays in the second-level cache with the panel of B that it meets; packed panels of B, k x n, stay in
    the third-level cache while blocks of A pass by. With fewer than `many_rows` rows a packed panel is used a few times only:
    two at a time are packed then, and still in the second-level cache when they are used. Products with fewer than `few_rows`
    rows, and those whose B is small, run on the matrices as they are: packing costs more than it saves. Small is n + k <=
    `small`, or `small_for_many` with at least `many_rows` rows.
    """

    m: int = 180
    n: int = 3072
    k: int = 512
    few_rows: int = 8
    many_rows: int = 256
    small: int = 1088
    small_for_many: int = 520


def gemm_schedule(p: Procedure, lanes: Lanes, blocking: Blocking | None = None, *, parallel: bool = False) -> Procedure:
    """`C += A B` from the plain loops `for i: for j: for k` over f32 matrices A[M, K], B[K, N], C[M, N].

    The result takes windows, whose rows may be any distance apart, and any sizes of at least 1. With parallel, large products
    run blocks of rows at the same time. lanes chooses the precision.
    """
    blocking = blocking or Blocking()
    gemm = rename(windowed(p, lanes), f"{lanes.scalar}_gemm")
    (near, far), edge = full_panels(gemm, lanes), edge_panel(gemm, lanes)
    direct = unpacked(gemm, near, edge, lanes)
    by_k = in_blocks(packed(gemm, far, edge, lanes, blocking, parallel), "k", blocking.k)
    block = choice(gemm, f"N >= {lanes.panel}", by_k, direct)
    sizes = (blocking.n, 2 * lanes.panel)
    large = choice(gemm, f"M >= {blocking.many_rows}", *(in_blocks(block, "j", size) for size in sizes))
    much = f"N + K > {blocking.small} or N + K > {blocking.small_for_many} and M >= {blocking.many_rows}"
    worth = f"M >= {blocking.few_rows} and N >= {lanes.panel} and ({much})"
    whole = choice(gemm, worth, large, direct)
    return rename(whole.fast, f"{'sgemm' if lanes.scalar == 'f32' else 'dgemm'}{'_parallel' if parallel else ''}")


def unpacked(gemm: Procedure, full: Kernel, edge: Kernel, lanes: Lanes) -> Kernel:
    """Panel by panel on B as it is, for sizes at which it stays in a cache or each element is used a few times only."""
    base = rename(gemm, f"{gemm.name()}_unpacked")
    p = reorder_loops(base, "i j")
    columns = p.find_loop("j")
    p = divide_loop(p, columns, lanes.panel, ["jo", "ji"], tail="cut")
    p, rest = in_case_of_any(p, p.forward(columns).next(), f"N % {lanes.panel}")
    p = reorder_loops(p, p.forward(columns).body()[0])
    p = full.call(p, p.forward(columns).body()[0])
    return Kernel(base, scheduled(simplify(columns_left(p, rest, edge)), full, edge))


def in_case_of_any(p: Procedure, rest: Any, extent: str) -> tuple[Procedure, Any]:
    """Put an `if` around a loop that may have no iteration, so that what is in it can rely on one; the loop again."""
    p = specialize(p, rest, f"{extent} > 0")
    branch = p.forward(rest).parent()
    p = eliminate_dead_code(p, branch.orelse()[0])
    return p, p.forward(rest)


def columns_left(p: Procedure, rest: Any, edge: Kernel) -> Procedure:
    """The columns that fill no panel: `for ji in seq(0, N % panel): for i: for k`."""
    p = reorder_loops(p, p.forward(rest))
    return edge.call(p, p.forward(rest).parent())


def packed(gemm: Procedure, full: Kernel, edge: Kernel, lanes: Lanes, blocking: Blocking, parallel: bool) -> Kernel:
    """One block of k: B is copied panel by panel, each row of a panel next to the row before; blocks of A come past."""
    base = rename(gemm.add_assertion(f"N >= {lanes.panel}"), f"{gemm.name()}_packed")
    p = reorder_loops(base, "i j")
    columns = p.find_loop("j")
    p = divide_loop(p, columns, lanes.panel, ["jo", "ji"], tail="cut")
    p, rest = in_case_of_any(p, p.forward(columns).next(), f"N % {lanes.panel}")
    p = columns_left(p, rest, edge)
    p = pack_panels(p, p.forward(columns), lanes)
    p = reorder_loops(p, p.forward(columns).body()[0])
    p = reorder_loops(p, p.forward(columns))
    rows = p.forward(columns).parent()
    assert isinstance(rows, ForCursor)
    p = divide_loop(p, rows, blocking.m, ["io", "ii"], tail="cut")
    p, rest = in_case_of_any(p, p.forward(rows).next(), f"M % {blocking.m}")
    for block in (p.forward(rows).body()[0], rest):
        p = reorder_loops(p, p.forward(block))
        p = full.call(p, p.forward(block))
    if parallel:
        p = parallelize_loop(p, p.forward(rows))
    return Kernel(base, scheduled(simplify(p), full, edge))


def pack_panels(p: Procedure, panels: Any, lanes: Lanes) -> Procedure:
    """Let the loop over panels work on a copy of B, in which a panel is contiguous.

    B is read row by row, and each part of a row is asked for a few rows before: rows are often so far apart that the processor
    does not foresee them.
    """
    width = lanes.panel
    p = stage_mem(p, panels, f"B[0:K, 0:N / {width} * {width}]", "B_panels")
    p = divide_dim(p, "B_panels", 1, width)
    p = rearrange_dim(p, "B_panels", [1, 0, 2])
    k = p.forward(panels).prev()
    p = divide_loop(p, k.body()[0], width, ["jo", "ji"], perfect=True)
    p = divide_loop(p, p.forward(k).body()[0].body()[0], lanes.count, ["jt", "jl"], perfect=True)
    inner = p.forward(k).body()[0].body()[0]
    i0, jo, jt = (p.forward(k).name(), p.forward(k).body()[0].name(), inner.name())
    start = f"{width} * {jo} + {lanes.count} * {jt}"
    ahead: list[int | str] = [ROWS_AHEAD, f"B[{i0}:{i0} + 1, {start}:{start} + 1]"]
    p = insert_noop_call(p, inner.body()[0].before(), lanes.prefetch_row, ahead)
    return replace_all(p, lanes.instructions)


def in_blocks(inner: Kernel, dimension: str, size: int) -> Kernel:
    """Blocks of so many columns of B (`j`) or steps of the sum (`k`), and a last one of what is left."""
    base = rename(inner.base, f"{inner.base.name()}_{dimension}{size}")
    extent, inward = {"j": ("N", ["i"]), "k": ("K", ["j", "i"])}[dimension]
    p = base
    for other in inward:
        p = reorder_loops(p, f"{other} {dimension}")
    loop = p.find_loop(dimension)
    p = divide_loop(p, loop, size, [f"{dimension}o", f"{dimension}i"], tail="cut")
    p, rest = in_case_of_any(p, p.forward(loop).next(), f"{extent} % {size}")
    for block in (p.forward(loop).body()[0], rest):
        for _ in inward:
            p = reorder_loops(p, p.forward(block))
        outermost = p.forward(block)
        for _ in inward:
            outermost = outermost.parent()
        p = inner.call(p, outermost)
    return Kernel(base, scheduled(simplify(p), inner))


def choice(gemm: Procedure, condition: str, yes: Kernel, no: Kernel) -> Kernel:
    """One way or the other, by a condition on the sizes."""
    base = rename(gemm, f"{gemm.name()}_choice")
    p = specialize(base, base.body(), condition)
    first, second = p.find("for i in _: _", many=True)
    p = yes.call(p, first)
    p = no.call(p, p.forward(second))
    return Kernel(base, scheduled(p, yes, no))
