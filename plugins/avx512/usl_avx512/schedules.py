"""Schedules that take the plain loop nests of `kernels_algorithms` to AVX-512.

They only compose operators, so that a mistake here costs speed or an error, never a wrong result. Sizes stay symbolic: what
does not fill a tile runs in remainder loops.
"""

from __future__ import annotations

from typing import Any

from usl_avx512.isa import (
    mm512_accumulateu_ps,
    mm512_copyu_ps,
    mm512_fmadd_set1_ps,
    mm512_loadu_ps,
    mm512_mask_accumulateu_ps,
    mm512_mask_fmadd_set1_loadu_ps,
    mm512_setzero_ps,
)
from usl_avx512.kernels_int import (
    mm512_add_epu32,
    mm512_cvtepu32_storeu_epu16,
    mm512_div9_epu32,
    mm512_loadu_cvtepu16_epu32,
    mm512_setzero_epu32,
)
from usl_avx512.memories import AVX512
from usl_core import Procedure
from usl_core.scheduling import (
    bind_expr,
    divide_dim,
    divide_loop,
    expand_dim,
    fission,
    lift_alloc,
    lift_scope,
    rename,
    reorder_loops,
    replace,
    set_memory,
    simplify,
    stage_mem,
)
from usl_stdlib import replace_all

LANES = 16
"""f32 or u32 lanes of a register."""

F32_INSTRUCTIONS = (
    mm512_setzero_ps,
    mm512_copyu_ps,
    mm512_loadu_ps,
    mm512_fmadd_set1_ps,
    mm512_accumulateu_ps,
    mm512_mask_fmadd_set1_loadu_ps,
    mm512_mask_accumulateu_ps,
)


def sgemm_schedule(p: Procedure, rows: int = 6, columns: int = 64) -> Procedure:
    """C += A * B with a rows x columns tile of C in registers while k runs.

    6 x 64 keeps 24 of the 32 registers busy with C and 4 with a row of B; 24 multiply-adds per k hide their latency. The
    panels of B are the outermost loop: each (K x 64) is copied once, so that its rows are neighbours however far apart the
    rows of B are, and stays in the second-level cache while all rows of A pass by. Columns that are left over go sixteen at a
    time through masked instructions, rows that are left over one at a time.
    """
    p = rename(p, "sgemm_avx512")
    p = reorder_loops(p, "i j")
    p = divide_loop(p, "j", columns, ["jo", "ji"], tail="cut")
    panel, edge = p.find_loop("i"), p.find_loop("i #1")
    p = divide_loop(p, "ji #1", LANES, ["jo", "ji"], tail="guard")
    p = lift_scope(lift_scope(p, edge), edge.body()[0])
    p = stage_mem(p, p.find_loop("jo").body(), f"B[0:K, {columns} * jo:{columns} * jo + {columns}]", "B_panel")
    p = lift_alloc(p, "B_panel")
    p = tiles_of_c(p, edge, rows, f"N / {columns} * {columns} + {LANES} * jo", LANES)
    p = tiles_of_c(p, panel, rows, f"{columns} * jo", columns)
    for k in p.find("for k in _: _", many=True)[:2]:
        p = stage_mem(p, p.forward(k).body(), f"B_panel[k, 0:{columns}]", "B_row")
    for loop in p.find(f"for _ in seq(0, {columns}): _", many=True):
        p = divide_loop(p, loop, LANES, ["jt", "jl"], perfect=True)
    for buffer in p.find("C_tile: _", many=True) + p.find("B_row: _", many=True):
        p = set_memory(divide_dim(p, buffer, len(buffer.shape()) - 1, LANES), buffer, AVX512)
    return simplify(replace_all(p, F32_INSTRUCTIONS))


def tiles_of_c(p: Procedure, i: Any, rows: int, first: str, columns: int) -> Procedure:
    """Turns `ji: i: k` into tiles of rows x columns, the first column given, that are summed up apart while k runs."""
    k = i.body()[0]
    p = reorder_loops(p, p.forward(i).parent())
    p = reorder_loops(p, p.forward(k).parent())
    p = divide_loop(p, i, rows, ["io", "ii"], tail="cut")
    rest = p.forward(i).next().body()[0]
    p = reorder_loops(p, p.forward(k).parent())
    for loop, row, height in ((k, f"{rows} * io", rows), (rest, f"M / {rows} * {rows} + ii", 1)):
        p = stage_mem(p, loop, f"C[{row}:{row} + {height}, {first}:{first} + {columns}]", "C_tile", accum=True)
    return p


def blur_schedule(p: Procedure, rows: int = 4) -> Procedure:
    """The 3x3 box blur of u16 pixels: sixteen columns to a register, `rows` rows to a tile.

    The tile's accumulators stay in registers; unrolled, rows of a tile share the loads of the rows between them: six rows are
    read for four written. Rows and columns that do not fill a tile stay plain C.
    """
    p = rename(p, "box_blur_avx512")
    p = divide_loop(p, "x", LANES, ["xo", "xi"], tail="cut")
    p = fission(p, p.find_loop("xo").after())
    p = divide_loop(p, "y", rows, ["yo", "yi"], tail="cut")
    p = reorder_loops(p, "yi xo")

    p = expand_dim(p, "total", LANES, "xi")
    p = expand_dim(p, "total", rows, "yi")
    p = lift_alloc(p, "total", n_lifts=2)
    p = fission(p, p.find("total[_] = _").after(), n_lifts=2)
    p = fission(p, p.find("dst[_] = _").before(), n_lifts=2)
    p = set_memory(p, "total", AVX512)

    p = reorder_loops(p, "xi dy")
    p = reorder_loops(p, "xi dx")
    for expression, name in (("u32(src[_])", "pixel"), ("total[_] / _", "ninth")):
        p = bind_expr(p, expression, name)
        p = expand_dim(p, name, LANES, "xi")
        p = lift_alloc(p, name)
        p = fission(p, p.find(f"{name}[_] = _").after())
        p = set_memory(p, name, AVX512)

    for instruction in (
        mm512_setzero_epu32,
        mm512_loadu_cvtepu16_epu32,
        mm512_add_epu32,
        mm512_div9_epu32,
        mm512_cvtepu32_storeu_epu16,
    ):
        p = replace(p, "for xi in _: _", instruction)
    return simplify(p)
