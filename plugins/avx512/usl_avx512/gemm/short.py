"""Products of short types with 32-bit sums, `C += A W`, on groups of neighbours that one instruction multiplies and adds.

    for i in seq(0, M):
        for j in seq(0, N):
            for g in seq(0, G):
                for q in seq(0, 4):
                    C[i, j] += i32(A[i, 4 * g + q]) * i32(W[j / 64, g, 4 * (j % 64) + q])

W is packed: a panel of 64 columns after another, in each row after row of groups. `short_gemm` schedules this loop nest;
`with_sums_used` one that makes something else of each sum: bias, scale, rounding, a clamp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from usl_avx512 import isa
from usl_avx512.gemm.panels import rows_in_tiles
from usl_avx512.gemm.tiles import REGISTERS, Kernel, scheduled
from usl_avx512.memories import AVX512
from usl_core import Procedure
from usl_core.cursors import ForCursor
from usl_core.scheduling import (
    cut_loop,
    divide_dim,
    divide_loop,
    eliminate_dead_code,
    expand_dim,
    fission,
    insert_noop_call,
    lift_alloc,
    rename,
    reorder_loops,
    resize_dim,
    rewrite_expr,
    set_memory,
    set_window,
    shift_loop,
    simplify,
    specialize,
    stage_mem,
    unroll_loop,
)
from usl_stdlib import replace_all, vectorize

LANES = 16
PANEL = REGISTERS * LANES
ROWS = 6
"""Rows of a tile: with four registers of sums each, 24 of the 32; four more hold a row of W and one a group of A."""
LAST_ROWS = ((4, 3), (4, 4), (5, 4))
"""Tiles at the end of a panel instead of one of six rows and one of 1, 2 or 3, which would wait for loads of W."""
SUMS = 192
"""Rows of sums that are kept, in the second-level cache, until something is made of them."""


@dataclass(frozen=True, slots=True)
class Blocking:
    """How many groups are added up at once, and for how many rows of A: these and a panel of W stay in the second cache."""

    groups: int = 512
    rows: int = 384


@dataclass(frozen=True, slots=True)
class Group:
    """How many neighbours of a row of A one instruction multiplies with as many of W, and the instructions that do so."""

    size: int
    dot: Procedure
    load: Procedure
    prefetch_row: Procedure
    pack: Procedure
    """Puts as many rows of 16 columns side by side."""

    @property
    def register(self) -> int:
        """Elements of W in a register."""
        return self.size * LANES


BYTES = Group(4, isa.mm512_dpbusd_set1_epi32, isa.mm512_loadu_epi8, isa.mm_prefetch_row_t0_u8, isa.mm_pack4_epi8)
"""u8 by i8."""
SHORTS = Group(2, isa.mm512_dpwssd_set1_epi32, isa.mm512_loadu_epi16, isa.mm_prefetch_row_t0_i16, isa.mm_pack2_epi16)
"""i16 by i16."""

RESULTS = (isa.mm512_setzero_epi32, isa.mm512_accumulateu_epi32, isa.mm512_mask_accumulateu_epi32)


def short_gemm(p: Procedure, group: Group, blocking: Blocking | None = None) -> Kernel:
    """The loop nest above, for any sizes of at least 1, on windows whose rows may be any distance apart."""
    blocking = blocking or Blocking()
    p = windowed(p)
    block = one_block(rename(p, f"{p.name()}_block"), group)
    product = divide_loop(p, "g", blocking.groups, ["go", "gi"], tail="bound")
    product = divide_loop(product, "i", blocking.rows, ["io", "ii"], tail="bound")
    for outer in ("j", "ii", "io"):
        product = reorder_loops(product, f"{outer} go")
    product = block.call(simplify(product), "ii")
    return Kernel(p, scheduled(product, block))


def one_block(p: Procedure, group: Group) -> Kernel:
    """Panel by panel of W."""
    full, edges = panel(p, REGISTERS, group, whole=True), edge_panels(p, group)
    product = panels_of_columns(p)
    product = full.call(product, product.find_loop("jo").body())
    for edge, nest in zip(edges, product.find("for i in _: _", many=True), strict=True):
        product = edge.call(product, product.forward(nest))
    return Kernel(p, scheduled(product, full, *edges))


def windowed(p: Procedure) -> Procedure:
    """All tensors as windows, whose last dimension is dense."""
    for argument in p.args():
        if argument.is_tensor():
            p = set_window(p, argument.name(), True)
            p = p.add_assertion(f"stride({argument.name()}, {len(argument.shape()) - 1}) == 1")
    return p


def panels_of_columns(p: Procedure) -> Procedure:
    """Panel by panel, `for jo: for i: for ji: …`, then a branch for each number of registers that the last one may fill."""
    p = divide_loop(p, "j", PANEL, ["jo", "ji"], tail="cut")
    p = fission(p, p.find_loop("jo").after())
    rows, rest = p.find("for i in _: _", many=True)
    p = reorder_loops(p, rows)
    p = specialize(p, rest, [f"N % {PANEL} > {LANES * (registers - 1)}" for registers in range(REGISTERS, 0, -1)])
    *_, none = p.find("for i in _: _", many=True)
    return simplify(eliminate_dead_code(p, none.body()[0]))


def edge_panels(p: Procedure, group: Group) -> list[Kernel]:
    """Panels of fewer columns, the widest first, as the branches of `panels_of_columns`."""
    return [panel(p, registers, group, whole=False) for registers in range(REGISTERS, 0, -1)]


def panel(p: Procedure, registers: int, group: Group, *, whole: bool) -> Kernel:
    """M rows of N columns that fill so many registers, the last one in part unless whole."""
    least, most = LANES * (registers - 1), LANES * registers
    base = p.partial_eval(N=most) if whole else p.add_assertion(f"N > {least}").add_assertion(f"N <= {most}")
    base = simplify(rename(base, f"{p.name()}_Mx{'' if whole else 'N'}{most}"))
    loops = tile_in_loops(base, registers, group, whole)
    tiles = {rows: tile(base, loops, rows, group if whole and rows == ROWS else None) for rows in range(1, ROWS + 1)}
    return Kernel(base, scheduled(rows_in_tiles(base, tiles, LAST_ROWS), *tiles.values()))


def tile(base: Procedure, loops: Procedure, rows: int, ahead: Group | None) -> Kernel:
    """A block of so many rows, with its loops written out: gcc leaves the sums in memory otherwise."""
    plain, fast = (rename(each.partial_eval(M=rows), base.name().replace("_M", f"_{rows}")) for each in (base, loops))
    if ahead is not None:
        fast = asked_for_early(fast, rows, ahead)
    while unwritten := [loop for loop in fast.find("for _ in _: _", many=True) if loop.name() in ("i0", "i", "jt")]:
        fast = unroll_loop(fast, unwritten[0])
    return Kernel(plain, simplify(fast))


def asked_for_early(p: Procedure, rows: int, group: Group) -> Procedure:
    """Ask for C and the next rows of A during the sums, some lines in each of 16 steps: all at once would let W wait."""
    g = p.find_loop("g")
    p = divide_loop(p, g, LANES, ["gt", "gl"], tail="cut")
    place = p.forward(g).body()[0].before()
    row = f"gt % {rows}"
    for column in range(0, PANEL, LANES):
        p = insert_noop_call(p, place, isa.mm_prefetch_row_t0_i32, [0, f"C[{row}:{row} + 1, {column}:{column + 1}]"])
    for below in range(rows):
        start = f"{group.size * LANES} * gt"
        p = insert_noop_call(p, place, group.prefetch_row, [rows, f"A[{below}:{below + 1}, {start}:{start} + 1]"])
    return p


def tile_in_loops(p: Procedure, registers: int, group: Group, whole: bool) -> Procedure:
    """A block of M rows with its sums in registers: cleared, added to group by group, added to C."""
    columns = LANES * registers
    for outer in ("j", "i"):
        p = reorder_loops(p, f"{outer} g")
    g = p.find_loop("g")
    p = stage_mem(p, g, f"C[0:M, 0:{columns if whole else 'N'}]", "sums", accum=True)
    p = stage_mem(p, p.forward(g).body(), f"W[0, g, 0:{group.register * registers}]", "W_row")
    clear, add = p.forward(g).prev(), p.forward(g).next()
    copy, multiply = (nest for nest in p.forward(g).body() if isinstance(nest, ForCursor))
    p = divide_loop(p, copy, group.register, ["jt", "jl"], perfect=True)
    p = p if whole else resize_dim(p, "sums", 1, columns, 0)
    for nest in (clear, multiply):
        loop = p.forward(nest).body()[0]
        p = divide_loop(p, loop, LANES, ["jt", "jl"], tail="perfect" if whole else "round_up")
        p = p if whole else rewrite_expr(p, p.forward(loop).hi(), registers)
    loop = p.forward(add).body()[0]
    if whole:
        p = divide_loop(p, loop, LANES, ["jt", "jl"], perfect=True)
    elif registers > 1:
        p = cut_loop(p, loop, columns - LANES)
        p = shift_loop(p, p.forward(loop).next(), 0)
        p = divide_loop(p, p.forward(loop), LANES, ["jt", "jl"], perfect=True)
    if not whole:
        last = p.forward(add).body()[-1]
        p = divide_loop(p, last, LANES, ["jt", "jl"], tail="guard")
        p = rewrite_expr(p, p.forward(last).hi(), 1)
    p = divide_dim(p, "sums", 1, LANES)
    p = divide_dim(p, "W_row", 0, group.register)
    for buffer in ("sums", "W_row"):
        p = set_memory(p, buffer, AVX512)
    return simplify(replace_all(simplify(p), (*RESULTS, group.dot, group.load)))


def with_sums_used(p: Procedure, kernel: Kernel, instructions: Sequence[Procedure]) -> Procedure:
    """A loop nest that makes something of each sum: `sum = 0`, the loops over g and q, then one assignment.

    instructions compute that assignment on 16 lanes. Tiles of sums are kept until all of their products are added.
    """
    p = windowed(p)
    columns = p.find_loop("j")
    total, clear, add = columns.body()[:3]
    p = divide_loop(p, columns, PANEL, ["jo", "ji"], tail="bound")
    p = divide_loop(p, "i", SUMS, ["io", "ii"], tail="bound")
    p = reorder_loops(p, "ii jo")
    for loop, most in (("ji", PANEL), ("ii", SUMS)):
        p = expand_dim(p, total, most, loop)
    p = lift_alloc(p, total, 2)
    for statement in (clear, add):
        p = fission(p, p.forward(statement).after(), n_lifts=2)
    p = simplify(p)
    first, second, use = (nest for nest in p.find_loop("jo").body() if isinstance(nest, ForCursor))
    p = kernel.call(p, second)
    p, _ = vectorize(
        p, p.forward(first).body()[0], LANES, AVX512, (isa.mm512_setzero_epi32, isa.mm512_storeu_epi32), tail="cut"
    )
    p, _ = vectorize(p, p.forward(use).body()[0], LANES, AVX512, instructions, tail="masked")
    return scheduled(simplify(p), kernel)


def packing_schedule(p: Procedure, group: Group) -> Procedure:
    """The copy of B into panels: the groups of 16 columns at once, what is left over element by element."""
    p = windowed(p)
    rows = p.find_loop("k")
    p = divide_loop(p, rows, group.size, ["kg", "kq"], tail="cut")
    columns = p.forward(rows).body()[0].body()[0]
    p = divide_loop(p, columns, PANEL, ["jo", "ji"], tail="cut")
    p = divide_loop(p, p.forward(columns).body()[0], LANES, ["jt", "jl"], perfect=True)
    p = fission(p, p.forward(columns).after(), n_lifts=2)
    for outer in ("kq jo", "kg jo", "kq jt"):
        p = reorder_loops(p, outer)
    return simplify(replace_all(simplify(p), (group.pack,)))
