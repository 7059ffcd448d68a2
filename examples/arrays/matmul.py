"""Matrix product (Henriksen 2014)."""

from __future__ import annotations

from usl_core import Procedure
from usl_core.scheduling import (
    divide_dim,
    divide_loop,
    expand_dim,
    fission,
    lift_alloc,
    reorder_loops,
    set_memory,
    simplify,
    stage_mem,
)
from usl_soac import schedules, soac
from usl_soac.decorators import Function
from usl_stdlib import replace_all


@soac
def matmul(A: f32[n, m], B: f32[m, p]) -> f32[n, p]:
    return map(lambda r: map(lambda c: reduce(add, 0.0, map(mul, r, c)), transpose(B)), A)


# -- schedules


def tiles(p: Procedure, rows: int = 8, columns: int = 32) -> Procedure:
    """Tiles of rows x columns of the result stay in registers while the sums run; as many columns of B are copied for them."""
    p = reorder_loops(p, "i i_2")
    p = divide_loop(p, "i_2", columns, ["jo", "ji"], tail="cut")
    edge = p.find_loop("ji #1")
    p = reorder_loops(p, "ji i")
    p = divide_loop(p, "i", rows, ["io", "ii"], tail="cut")
    last = p.find_loop("ii #1").body()[0]
    p = expand_dim(expand_dim(p, "total", columns, "ji"), "total", rows, "ii")
    p = lift_alloc(p, "total", 2)
    k = p.find_loop("i_3")
    p = fission(p, k.before(), 2)
    p = fission(p, p.forward(k).after(), 2)
    p = reorder_loops(p, p.forward(k).parent())
    p = reorder_loops(p, p.forward(k).parent())
    p = stage_mem(p, p.find_loop("io").as_block(), f"B[0:m, {columns} * jo:{columns} * jo + {columns}]", "panel")
    if not schedules.has_vectors():
        return p
    p = in_registers(p, columns)
    for loop in (last, edge):
        p = schedules.in_vectors(p, p.forward(loop))
    return simplify(p)


def in_registers(p: Procedure, columns: int) -> Procedure:
    """The tiles in registers of AVX-512."""
    from usl_avx512 import AVX512, mm512_storeu_ps
    from usl_avx512.schedules import F32_INSTRUCTIONS

    p = stage_mem(p, p.find_loop("i_3").body(), f"panel[i_3, 0:{columns}]", "row")
    total, row = p.find("total: _"), p.find("row: _")
    for loop in p.find(f"for _ in seq(0, {columns}): _", many=True):
        if len(loop.body()) == 1:
            p = divide_loop(p, loop, 16, ["jt", "jl"], perfect=True)
    for buffer in (total, row):
        p = set_memory(divide_dim(p, buffer, len(buffer.shape()) - 1, 16), buffer, AVX512)
    return replace_all(p, (*F32_INSTRUCTIONS, mm512_storeu_ps))


def tuned(program: Function) -> Function:
    """In tiles of registers."""
    return program.schedule("k0", tiles)
