"""Rows of a matrix times a vector, `y[i] += alpha A[i, :] . x`: sums of several rows are added up across lanes all at once.

They go to y as one vector. One by one they cost as much as the products of a row of 64 elements do.
"""

from __future__ import annotations

from typing import Any

from usl_avx512 import isa
from usl_avx512.blas1 import LANES
from usl_avx512.memories import AVX512
from usl_core import Procedure
from usl_core.cursors import ForCursor, IfCursor
from usl_core.scheduling import (
    bind_expr,
    divide_loop,
    expand_dim,
    fission,
    lift_alloc,
    remove_loop,
    reorder_loops,
    replace,
    resize_dim,
    rewrite_expr,
    set_memory,
    simplify,
    unroll_buffer,
    unroll_loop,
)
from usl_stdlib import parallelize_reduction, replace_all


def rows_together(p: Procedure, rows: int, typ: str, available: tuple[Procedure, ...]) -> Procedure:
    """`for i: s = 0; for j: s += A[i, j] * x[j]; y[i] += alpha * s` for two to eight rows, whose sums become one register."""
    suffix, lanes = "ps" if typ == "f32" else "pd", LANES[typ]
    row = p.find_loop("i")
    total, clear, j, add_to_y = row.body()
    p, partial = parallelize_reduction(p, j, lanes, AVX512, tail="masked")
    (clear_lanes,), (add_lanes,) = partial.starts, partial.ends
    assert partial.tail is not None
    for buffer in (partial.sums[0], total):
        p = expand_dim(p, p.forward(buffer), rows, row.name())
        p = lift_alloc(p, p.forward(buffer), 1)
    for statement in (clear, clear_lanes, partial.loop, partial.tail, add_lanes):
        p = fission(p, p.forward(statement).after())
    for terms in (partial.loop, partial.tail):
        p = reorder_loops(p, p.forward(terms).parent())
        p = factors_in_registers(p, p.forward(terms).body()[0].body()[0], lanes)
    p = resize_dim(p, p.forward(total), 0, lanes, 0)
    p = divide_loop(p, p.forward(clear).parent(), lanes, ["jt", "jl"], tail="round_up")
    p = rewrite_expr(p, p.forward(clear).parent().parent().hi(), 1)
    p = set_memory(p, p.forward(total), AVX512)
    p = added_to_y(p, p.forward(add_to_y).parent(), rows, lanes, suffix)
    sums: Any = p.forward(add_lanes).parent()
    before = sums.prev()
    p = unroll_loop(p, sums)
    p = replace(p, p.forward(before).next().expand(0, rows - 1), getattr(isa, f"mm512_add_sums{rows}_{suffix}"))
    p = unroll_loop(p, p.forward(clear_lanes).parent())
    for terms in (partial.loop, partial.tail):
        p = unroll_loop(p, p.forward(terms).find("for i in _: _"))
    p = unroll_buffer(p, p.forward(partial.sums[0]), 0)
    masked = getattr(isa, f"mm512_mask_accumulateu_set1_{suffix}")
    return simplify(replace_all(simplify(p), (*available, masked)))


def added_to_y(p: Procedure, loop: Any, rows: int, lanes: int, suffix: str) -> Procedure:
    """The sums of so many rows onto y: by a store of their size if there is one, else by a masked one."""
    if rows in (2, 4, 8):
        return replace(p, loop, getattr(isa, f"mm512_accumulateu{rows if rows < lanes else ''}_set1_{suffix}"))
    p = divide_loop(p, loop, lanes, ["jt", "jl"], tail="guard")
    return rewrite_expr(p, p.forward(loop).hi(), 1)


def factors_in_registers(p: Procedure, lane: ForCursor, lanes: int) -> Procedure:
    """In `for rows: for lane: s += A * x`, where an `if` may be around the sum, load a register of x, then one of each row."""
    add: Any = lane.body()[0]
    inwards = 1
    if isinstance(add, IfCursor):
        add, inwards = add.body()[0], 2
    for name, outwards in (("x", inwards + 1), ("A", inwards)):
        product = p.forward(add).rhs()
        p = bind_expr(p, product.lhs() if name == "A" else product.rhs(), f"{name}_row")
        load = p.forward(add).prev()
        register = load.prev()
        p = expand_dim(p, p.forward(register), lanes, lane.name())
        p = set_memory(lift_alloc(p, p.forward(register), outwards), p.forward(register), AVX512)
        p = fission(p, p.forward(load).after(), n_lifts=outwards)
        if name == "x":
            again = p.forward(load)
            for _ in range(outwards):
                again = again.parent()
            p = remove_loop(p, again)
    return p
