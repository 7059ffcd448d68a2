"""Products of short types with 32-bit sums, `C += A W`, on groups of neighbours that one instruction multiplies and adds.

    for i in seq(0, M):
        for j in seq(0, N):
            for g in seq(0, G):
                for q in seq(0, 4):
                    C[i, j] += i32(A[i, 4 * g + q]) * i32(W[j / 64, g, 4 * (j % 64) + q])

W is packed: a panel of 64 columns after another, in each row after row of groups. `short_gemm` schedules this loop nest;
`with_sums_used` one that makes something else of each sum while it is in its register: bias, scale, rounding, a clamp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
LINES = {"u8": 64, "i8": 64, "i16": 32, "u16": 32, "bf16": 32, "i32": 16, "f32": 16}
"""Elements of a line of the caches."""
LAST_ROWS = {6: ((4, 3), (4, 4), (5, 4)), 5: ((3, 3), (4, 3), (4, 4))}
"""By the rows of the highest tile: tiles at the end of a panel instead of one of the most rows and one of 1, 2 or 3, which
would wait for loads of W."""


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
    pack: Procedure
    """Puts as many rows of 16 columns side by side."""
    sums: tuple[Procedure, ...] = (
        isa.mm512_setzero_epi32,
        isa.mm512_accumulateu_epi32,
        isa.mm512_mask_accumulateu_epi32,
        isa.mm512_storeu_epi32,
    )
    """Clear a register of sums, add it to C, store it."""
    rows: int = ROWS
    """Of the highest tile."""

    @property
    def register(self) -> int:
        """Elements of W in a register."""
        return self.size * LANES


BYTES = Group(4, isa.mm512_dpbusd_set1_epi32, isa.mm512_loadu_epi8, isa.mm_pack4_epi8)
"""u8 by i8."""
SIGNED_BYTES = Group(4, isa.mm512_dpbusd_above_set1_epi32, isa.mm512_loadu_epi8, isa.mm_pack4_epi8)
"""i8, and 128 more, by i8."""
SHORTS = Group(2, isa.mm512_dpwssd_set1_epi32, isa.mm512_loadu_epi16, isa.mm_pack2_epi16)
"""i16 by i16."""
FLOATS = (isa.mm512_setzero_ps, isa.mm512_accumulateu_ps, isa.mm512_mask_accumulateu_ps, isa.mm512_storeu_ps)
BFLOATS = Group(2, isa.mm512_dpbf16_flushed_set1_ps, isa.mm512_loadu_bf16, isa.mm_pack2_bf16, FLOATS)
"""bf16 by bf16, with sums in f32; subnormal numbers count as zeros."""
BFLOATS_IN_SINGLE = Group(
    *(2, isa.mm512_fmabf16_set1_ps, isa.mm512_loadu_bf16, isa.mm_pack2_bf16, FLOATS),
    rows=5,
)
"""The same where the processor has no instruction for it: pairs are two registers of f32, for which a row less leaves room."""


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


def one_block(p: Procedure, group: Group, use: Sequence[Procedure] = ()) -> Kernel:
    """Panel by panel of W. Sums are added to C, or p has a statement that uses them, which use are the instructions for."""
    full = panel(p, REGISTERS, group, use, whole=True)
    edges = [panel(p, registers, group, use, whole=False) for registers in range(REGISTERS, 0, -1)]
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


def panel(p: Procedure, registers: int, group: Group, use: Sequence[Procedure], *, whole: bool) -> Kernel:
    """M rows of N columns that fill so many registers, the last one in part unless whole."""
    least, most = LANES * (registers - 1), LANES * registers
    base = p.partial_eval(N=most) if whole else p.add_assertion(f"N > {least}").add_assertion(f"N <= {most}")
    base = simplify(rename(base, f"{p.name()}_Mx{'' if whole else 'N'}{most}"))
    loops = tile_of_used_sums(base, registers, group, whole, use) if use else tile_of_sums(base, registers, group, whole)
    columns = PANEL if whole and "C[i, j]" in str(base) else 0  # a loop nest of the user's may write something else
    tiles = {rows: tile(base, loops, rows, group if rows >= ROWS - 1 else None, columns) for rows in range(1, group.rows + 1)}
    return Kernel(base, scheduled(rows_in_tiles(base, tiles, LAST_ROWS[group.rows]), *tiles.values()))


def tile(base: Procedure, loops: Procedure, rows: int, ahead: Group | None, columns: int) -> Kernel:
    """A block of so many rows, with its loops written out: gcc leaves the sums in memory otherwise."""
    plain, fast = (rename(each.partial_eval(M=rows), base.name().replace("_M", f"_{rows}")) for each in (base, loops))
    if ahead is not None:
        fast = asked_for_early(fast, rows, ahead, columns)
    while unwritten := [loop for loop in fast.find("for _ in _: _", many=True) if loop.name() in ("i0", "i", "jt")]:
        fast = unroll_loop(fast, unwritten[0])
    return Kernel(plain, simplify(fast))


def asked_for_early(p: Procedure, rows: int, group: Group, columns: int) -> Procedure:
    """Ask for so many columns of C and the next rows of A during the sums, some lines in each of 16 steps.

    All at once would let W wait. Sums are in registers in both loops then: gcc 12 does not always keep 20 there in one loop.
    """
    g = p.find_loop("g")
    p = divide_loop(p, g, LANES, ["gt", "gl"], tail="cut")
    place = p.forward(g).body()[0].before()
    types = {argument.name(): str(argument.type()) for argument in p.args()}
    row = f"gt % {rows}"
    for column in range(0, columns, LINES[types["C"]]) if columns else ():
        p = insert_noop_call(p, place, prefetch(types["C"]), [0, f"C[{row}:{row} + 1, {column}:{column + 1}]"])
    for below in range(rows):
        start = f"{group.size * LANES} * gt"
        p = insert_noop_call(p, place, prefetch(types["A"]), [rows, f"A[{below}:{below + 1}, {start}:{start} + 1]"])
    return p


def prefetch(scalar: str) -> Procedure:
    """What asks for an element some rows below, to be in the first-level cache."""
    found: Procedure = getattr(isa, f"mm_prefetch_row_t0_{scalar}")
    return found


def tile_of_sums(p: Procedure, registers: int, group: Group, whole: bool) -> Procedure:
    """A block of M rows with its sums in registers: cleared, added to group by group, added to C."""
    for outer in ("j", "i"):
        p = reorder_loops(p, f"{outer} g")
    g = p.find_loop("g")
    p = stage_mem(p, g, f"C[0:M, 0:{LANES * registers if whole else 'N'}]", "sums", accum=True)
    add = p.forward(g).next()
    p = sums_in_lanes(p, g, "sums", registers, group, whole)
    full, part = p.forward(add).body()[0], None
    if not whole:
        p, full, part = last_register_apart(p, full, registers)
    if full is not None:
        p = divide_loop(p, p.forward(full), LANES, ["jt", "jl"], perfect=True)
    if part is not None:
        p = divide_loop(p, p.forward(part), LANES, ["jt", "jl"], tail="guard")
        p = rewrite_expr(p, p.forward(part).hi(), 1)
    return simplify(replace_all(simplify(p), (*group.sums, group.dot, group.load)))


def tile_of_used_sums(p: Procedure, registers: int, group: Group, whole: bool, use: Sequence[Procedure]) -> Procedure:
    """A block of M rows with its sums in registers: cleared, added to group by group, used by the instructions."""
    total, clear, add = p.find_loop("j").body()[:3]
    name = total.name()
    p = expand_dim(expand_dim(p, total, LANES * registers if whole else "N", "j"), total, "M", "i")
    p = lift_alloc(p, total, 2)
    for statement in (clear, add):
        p = fission(p, p.forward(statement).after(), n_lifts=2)
    for outer in ("j", "i"):
        p = reorder_loops(p, f"{outer} g")
    g = p.find_loop("g")
    using = p.forward(g).next()
    p = sums_in_lanes(p, g, name, registers, group, whole)
    full, part = p.forward(using).body()[0], None
    if not whole:
        p, full, part = last_register_apart(p, full, registers)
    if full is not None:
        p = divide_loop(p, p.forward(full), LANES, ["jt", "jl"], perfect=True)
        p, _ = vectorize(simplify(p), p.forward(full).body()[0], LANES, AVX512, use, tail="perfect")
    if part is not None:
        p, found = vectorize(simplify(p), p.forward(part), LANES, AVX512, use, tail="guard")
        p = rewrite_expr(p, p.forward(found.loop).hi(), 1)
    return simplify(replace_all(simplify(p), (*group.sums, group.dot, group.load)))


def sums_in_lanes(p: Procedure, g: ForCursor, name: str, registers: int, group: Group, whole: bool) -> Procedure:
    """Around the loop over groups: a row of W in registers, and sums in as many for each row of A; lanes apart."""
    columns = LANES * registers
    p = stage_mem(p, p.forward(g).body(), f"W[0, g, 0:{group.register * registers}]", "W_row")
    clear = p.forward(g).prev()
    copy, multiply = (nest for nest in p.forward(g).body() if isinstance(nest, ForCursor))
    p = divide_loop(p, copy, group.register, ["jt", "jl"], perfect=True)
    p = p if whole else resize_dim(p, name, 1, columns, 0)
    for nest in (clear, multiply):
        loop = p.forward(nest).body()[0]
        p = divide_loop(p, loop, LANES, ["jt", "jl"], tail="perfect" if whole else "round_up")
        p = p if whole else rewrite_expr(p, p.forward(loop).hi(), registers)
    p = divide_dim(p, name, 1, LANES)
    p = divide_dim(p, "W_row", 0, group.register)
    for buffer in (name, "W_row"):
        p = set_memory(p, buffer, AVX512)
    return simplify(p)


def last_register_apart(p: Procedure, columns: Any, registers: int) -> tuple[Procedure, Any, Any]:
    """The loop over columns of full registers, if there are any, and that over those of the last one."""
    if registers == 1:
        return p, None, columns
    p = cut_loop(p, columns, LANES * (registers - 1))
    part = p.forward(columns).next()
    p = shift_loop(p, part, 0)
    return p, columns, part


def with_sums_used(p: Procedure, group: Group, use: Sequence[Procedure], rows: int = 384) -> Procedure:
    """A loop nest that makes something of each sum: `sum = 0`, the loops over g and q, then one assignment.

    use are instructions that compute that assignment on 16 lanes; it works on sums in registers, to which all products have
    been added. So many rows are multiplied with all of W before the next ones.
    """
    p = windowed(p)
    block = one_block(rename(p, f"{p.name()}_block"), group, use)
    p = divide_loop(p, "i", rows, ["io", "ii"], tail="bound")
    return scheduled(block.call(simplify(p), "ii"), block)


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
