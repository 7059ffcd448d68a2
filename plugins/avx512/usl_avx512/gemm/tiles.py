"""Micro-kernels: a tile of C of a few rows and one to four registers of columns, which stays in registers while k runs.

Each is a pair of one procedure before and after scheduling: the first is what `replace` finds in a loop nest, the second
what `call_eqv` then calls. Reference: Goto and van de Geijn 2008, section 4; Reinking 2022, section 3.7.2.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from usl_avx512 import isa
from usl_avx512.memories import AVX512, AVX512_YMM
from usl_core import Procedure
from usl_core.cursors import AllocCursor, Cursor, ForCursor
from usl_core.ir.memory import Memory
from usl_core.scheduling import (
    bind_expr,
    call_eqv,
    cut_loop,
    delete_buffer,
    divide_dim,
    divide_loop,
    expand_dim,
    fission,
    fuse,
    inline,
    inline_assign,
    insert_noop_call,
    lift_alloc,
    lift_reduce_constant,
    rename,
    reorder_loops,
    reorder_stmts,
    replace,
    resize_dim,
    rewrite_expr,
    set_memory,
    set_precision,
    set_window,
    shift_loop,
    simplify,
    specialize,
    split_write,
    stage_mem,
    unroll_loop,
)
from usl_stdlib import parallelize_reduction, replace_all

TILE = "C_tile"
"""What the sums of a tile are called."""

REGISTERS = 4
"""Registers that a row of the widest tile takes: 6 rows of them leave 8 of the 32 for a row of B and an element of A."""


HALVES_UNDER_WAY = 8
"""Sums of half a register that are to be under way: a product takes four cycles, and two begin in each. Whole registers of few
rows have no partial sums, as pieces for threads may end with tiles of other heights there."""

LONG = 16
"""Terms from which tiles of fewer such sums have partial ones."""

LOADED_ANEW = (2, 3)
"""Rows of tiles for each of which gcc loads a row of B again. A load that reaches over two lines costs more than a product."""

AHEAD = 64
"""Steps of a sum in a block while which the next one of a B that comes from memory is asked for."""


@dataclass(frozen=True, slots=True)
class Lanes:
    """A precision in registers of one width: the element type, how many a register holds, the memory, and the instructions.

    half is the same with registers half as wide; kept_load is load for what is used more than once. prefetch_row asks for an
    element of any width so many rows below, to be in the first-level cache, prefetch_row_later in the second.
    """

    scalar: str
    count: int
    memory: type[Memory]
    instructions: tuple[Procedure, ...]
    prefetch_row: Procedure
    prefetch_row_later: Procedure
    half: Lanes | None = None
    load: Procedure | None = None
    kept_load: Procedure | None = None

    @property
    def panel(self) -> int:
        """Columns of the widest tile."""
        return REGISTERS * self.count


SINGLE = Lanes(
    "f32",
    16,
    AVX512,
    (
        isa.mm512_setzero_ps,
        isa.mm512_copyu_ps,
        isa.mm512_loadu_ps,
        isa.mm512_fmadd_set1_ps,
        isa.mm512_accumulateu_set1_ps,
        isa.mm512_fill_loadu_ps,
        isa.mm512_mask_accumulateu_set1_ps,
        isa.mm512_mask_storeu_ps,
        isa.mm512_setu_set1_ps,
        isa.mm512_mask_setu_set1_ps,
    ),
    isa.mm_prefetch_row_t0_f32,
    isa.mm_prefetch_row_t1_f32,
    Lanes(
        "f32",
        8,
        AVX512_YMM,
        (
            isa.mm256_setzero_ps,
            isa.mm256_fmadd_set1_ps,
            isa.mm256_fill_loadu_ps,
            isa.mm256_mask_storeu_ps,
            isa.mm256_mask_setu_set1_ps,
        ),
        isa.mm_prefetch_row_t0_f32,
        isa.mm_prefetch_row_t1_f32,
    ),
    isa.mm512_loadu_ps,
    isa.mm512_loadu_kept_ps,
)
DOUBLE = Lanes(
    "f64",
    8,
    AVX512,
    (
        isa.mm512_setzero_pd,
        isa.mm512_copyu_pd,
        isa.mm512_loadu_pd,
        isa.mm512_fmadd_set1_pd,
        isa.mm512_accumulateu_set1_pd,
        isa.mm512_fill_loadu_pd,
        isa.mm512_mask_accumulateu_set1_pd,
        isa.mm512_mask_storeu_pd,
        isa.mm512_setu_set1_pd,
        isa.mm512_mask_setu_set1_pd,
    ),
    isa.mm_prefetch_row_t0_f64,
    isa.mm_prefetch_row_t1_f64,
    Lanes(
        "f64",
        4,
        AVX512_YMM,
        (
            isa.mm256_setzero_pd,
            isa.mm256_fmadd_set1_pd,
            isa.mm256_fill_loadu_pd,
            isa.mm256_mask_storeu_pd,
            isa.mm256_mask_setu_set1_pd,
        ),
        isa.mm_prefetch_row_t0_f64,
        isa.mm_prefetch_row_t1_f64,
    ),
    isa.mm512_loadu_pd,
    isa.mm512_loadu_kept_pd,
)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A procedure before scheduling, and the same procedure as it is to run."""

    base: Procedure
    fast: Procedure

    def call(self, p: Procedure, block: Cursor | str) -> Procedure:
        """Call base for a block of p, which says what base says."""
        return replace(p, block, self.base)


def scheduled(p: Procedure, *kernels: Kernel) -> Procedure:
    """Call the scheduled procedures instead. Last of all: what p touches is longer to tell afterwards, for each step anew."""
    for kernel in kernels:
        for call in p.find(f"{kernel.base.name()}(_)", many=True):
            p = call_eqv(p, p.forward(call), kernel.fast)
    return p


def windowed(p: Procedure, lanes: Lanes) -> Procedure:
    """The plain `for i: for j: for k` in the given precision, on matrices whose rows may be any distance apart."""
    for name in ("alpha", *"ABC"):
        p = set_precision(p, name, lanes.scalar)
    for matrix in "ABC":
        p = set_window(p, matrix, True).add_assertion(f"stride({matrix}, 1) == 1")
    return p


@dataclass(frozen=True, slots=True)
class Tiles:
    """Tiles of any number M of rows, before and after scheduling but for the loops over rows, which are to be written out.

    One schedule serves all heights, for which it would be the same.
    """

    base: Procedure
    in_loops: Procedure
    lanes: Lanes

    def of(self, rows: int) -> Kernel:
        """The one of so many rows."""
        plain = self.in_whole_sums(rows)
        partial = -(-HALVES_UNDER_WAY // rows)
        return in_partial_sums(plain, partial, self.lanes) if self.lanes.half is None and partial > 1 else plain

    def in_whole_sums(self, rows: int) -> Kernel:
        """The same without partial sums."""
        base, fast = (rename(p.partial_eval(M=rows), p.name().replace("_M", f"_{rows}")) for p in (self.base, self.in_loops))
        if rows in LOADED_ANEW:
            fast = loads_kept(fast, self.lanes)
        return Kernel(base, rows_written_out(fast))


def in_partial_sums(tile: Kernel, count: int, lanes: Lanes) -> Kernel:
    """The same where sums are short; else each of its sums is as many partial ones, none of which waits for the others."""
    suffix = "ps" if lanes.scalar == "f32" else "pd"
    p = rename(tile.fast, f"{tile.fast.name()}_in_{count}")
    p, partial = parallelize_reduction(p, p.find_loop("k"), count, lanes.memory)
    p = replace_all(p, [getattr(isa, f"mm256_{name}_{suffix}") for name in ("setzero", "add")])
    for lane in (*partial.starts, partial.lanes, *partial.ends):
        p = unroll_loop(p, p.forward(lane))
    long = Kernel(rename(tile.base, p.name()), simplify(p))
    short = Kernel(rename(tile.base, f"{tile.base.name()}_short"), rename(tile.fast, f"{tile.fast.name()}_short"))
    p = specialize(tile.base, tile.base.body(), f"K >= {LONG}")
    first, second = p.find("for i in _: _", many=True)
    p = short.call(long.call(p, first), p.forward(second))
    return Kernel(tile.base, scheduled(p, long, short))


def full_tiles(gemm: Procedure, registers: int, lanes: Lanes) -> Tiles:
    """Tiles of so many registers of columns."""
    columns = registers * lanes.count
    base = rename(gemm.partial_eval(N=columns), f"{gemm.name()}_Mx{columns}")
    p = sum_up_apart(base, columns)
    p = stage_mem(p, p.find_loop("k").body(), f"B[k, 0:{columns}]", "B_row")
    return Tiles(base, in_registers(p, (columns,), lanes), lanes)


def for_far_matrices(tile: Kernel, rows: int, lanes: Lanes) -> Kernel:
    """The tile of four registers with C and the next rows of A asked for during the sums: for products that fill no near cache.

    One line of each at every step, those of C again and again: all at once would be as many misses as a processor can have
    under way, and the first rows of B would wait behind them.
    """
    p = rename(tile.fast, f"{tile.fast.name()}_far")
    row, column = f"k / {REGISTERS} % {rows}", f"{lanes.count} * (k % {REGISTERS})"
    turn = f"k % {lanes.count} * {rows} / {lanes.count}"
    for prefetch, ahead, element in (
        (lanes.prefetch_row, 0, f"C[{row}:{row} + 1, {column}:{column} + 1]"),
        (lanes.prefetch_row_later, rows, f"A[{turn}:{turn} + 1, k:k + 1]"),
    ):
        p = insert_noop_call(p, p.find_loop("k").body().before(), prefetch, [ahead, element])
    return Kernel(tile.base, p)


def asking_ahead(tile: Kernel, lanes: Lanes) -> Kernel:
    """The tile of four registers with as many lines of B asked for, AHEAD rows below those that a step reads."""
    p = rename(tile.fast, f"{tile.fast.name()}_ahead")
    for register in range(REGISTERS):
        element = f"B[k:k + 1, {register * lanes.count}:{register * lanes.count + 1}]"
        p = insert_noop_call(p, p.find_loop("k").body().before(), lanes.prefetch_row_later, [AHEAD, element])
    return Kernel(tile.base, p)


def edge_tiles(gemm: Procedure, registers: int, lanes: Lanes) -> Tiles:
    """Tiles of N columns, where N fills so many registers, the last one perhaps in part.

    Only the last register is masked: a mask for each would cost more registers than there are for masks.
    """
    full, columns = (registers - 1) * lanes.count, registers * lanes.count
    base = rename(gemm.add_assertion(f"N > {full}").add_assertion(f"N <= {columns}"), f"{gemm.name()}_MxN{columns}")
    p = sum_up_apart(base, columns)
    clear, k, add = p.body()[1:]
    if not full:
        return Tiles(base, in_registers(single_register(p, clear, k, add, lanes), (), lanes), lanes)
    p, _ = last_columns(p, clear.body()[0], full, "round_up", lanes)
    p, added = last_columns(p, add.body()[0], full, "guard", lanes)
    # All whole registers first: a load waits for a masked store before it if that reaches over the start of its row.
    p = fission(p, p.forward(added).before())
    last = p.forward(k).body()[0].body()[0]
    p = cut_loop(p, last, full)
    last = p.forward(k).body()[0].body()[1]
    p = shift_loop(p, last, 0)
    p = fission(p, p.forward(last).before())
    whole, rest = p.forward(k).body()
    p = stage_mem(p, whole, f"B[k, 0:{full}]", "B_row")
    p = last_register(p, p.forward(whole).expand(0, 1), last, full, lanes)
    p = fuse(p, p.forward(whole), p.forward(rest))
    return Tiles(base, in_registers(simplify(p), (full,), lanes), lanes)


def last_columns(p: Procedure, columns: Any, full: int, tail: str, lanes: Lanes) -> tuple[Procedure, Any]:
    """A loop over columns as one over full registers, and one over the last register, with a guard or rounded up: this one."""
    p = cut_loop(p, columns, full)
    last = p.forward(columns).next()
    p = shift_loop(p, last, 0)
    return one_register(p, p.forward(last), tail, lanes), last


def single_register(p: Procedure, clear: Any, k: Any, add: Any, lanes: Lanes) -> Procedure:
    """Sum up M x N elements, where N fills a register at most, and read all of C before any of it is written.

    A load waits for a masked store before it if that reaches over the start of its row, as it does in matrices this narrow.
    """
    p = one_register(p, clear.body()[0], "round_up", lanes)
    p = last_register(p, p.forward(k).body(), p.forward(k).body()[0].body()[0], 0, lanes)
    if nothing_yet(p.forward(add)):
        return simplify(one_register(p, p.forward(add).body()[0], "guard", lanes))
    p = stage_mem(p, p.forward(add), "C[0:M, 0:N]", "C_old")
    load, add, store = p.forward(add).prev(), p.forward(add), p.forward(add).next()
    p = filled_up(p, load.body()[0].body()[0], "C[i0, i1]", lanes)
    zero, load = p.forward(load), p.forward(load).next()
    for nest, tail in ((zero, "round_up"), (load, "guard"), (add, "round_up"), (store, "guard")):
        p = one_register(p, p.forward(nest).body()[0], tail, lanes)
    for _ in range(3):  # zeros and loads of a register together, which is what an instruction does
        p = fuse(p, p.forward(zero), p.forward(load))
        zero, load = p.forward(zero).body()[0], p.forward(zero).body()[1]
    return simplify(p)


def last_register(p: Procedure, block: Any, columns: Any, full: int, lanes: Lanes) -> Procedure:
    """Fill the last register of a row of B up with zeros, so that the loop over its columns needs no mask.

    Masked multiply-adds are slower than others. What the loop adds to the tile beyond N columns is never looked at.
    """
    p = stage_mem(p, block, f"B[k, {full}:N]", "B_last")
    copy = p.find_alloc_or_arg("B_last")
    assert isinstance(copy, AllocCursor)
    clear = copy.next()
    p = filled_up(p, clear.body()[0], f"B[k, {full} + i0]", lanes)
    load = p.forward(clear).next()
    for loop, tail in ((clear, "round_up"), (load, "guard"), (columns, "round_up")):
        p = one_register(p, p.forward(loop), tail, lanes)
    p = fuse(p, p.forward(clear), p.forward(load))
    return fuse(p, *p.forward(clear).body())


def filled_up(p: Procedure, copy: Any, source: str, lanes: Lanes) -> Procedure:
    """Let a buffer have whole registers, and be cleared by loops of its own before what was copied there is added."""
    buffer, last = copy.name(), len(copy.idx()) - 1
    p = rewrite_expr(p, copy.rhs(), f"0.0 + {source}")
    p = split_write(p, p.forward(copy))
    p = fission(p, p.forward(copy).after(), n_lifts=last + 1)
    return resize_dim(p, buffer, last, lanes.count, 0)


def one_register(p: Procedure, columns: Any, tail: str, lanes: Lanes) -> Procedure:
    """Let a loop over at most a register of columns be one over all of it, with a guard or rounded up."""
    p = divide_loop(p, columns, lanes.count, ["jt", "jl"], tail=tail)
    return rewrite_expr(p, p.forward(columns).hi(), 1)


def sum_up_apart(p: Procedure, columns: int) -> Procedure:
    """Sum up products in a tile of M x columns elements of its own, k outside; at the end add alpha times the tile to C.

    The body is then: the tile, what clears it, the loop over k, what adds it.
    """
    k = p.find_loop("k")
    cleared = len(k.body()) > 1
    if cleared:
        p, k = cleared_first(p, k)
    p = stage_mem(p, k, "C[i, j]", TILE, accum=True)
    p = lift_reduce_constant(p, p.forward(k).expand(1, 0))
    p = factor_at_the_end(p, p.forward(k).next())
    if cleared:
        p = cleared_at_the_end(p, p.forward(k).prev().prev().prev())
    return sums_of_tile(p, k, columns)


def sums_of_tile(p: Procedure, k: Any, columns: int) -> Procedure:
    """The sum of one element as those of M x columns elements, k outside; what comes before k, and after it, is apart."""
    for extent, loop in ((columns, "j"), ("M", "i")):
        p = expand_dim(p, TILE, extent, loop)
    p = lift_alloc(p, TILE, n_lifts=2)
    p = fission(p, p.forward(k).before(), n_lifts=2)
    p = fission(p, p.forward(k).after(), n_lifts=2)
    p = reorder_loops(p, p.forward(k).parent())
    return reorder_loops(p, p.forward(k).parent())


def cleared_first(p: Procedure, k: Any) -> tuple[Procedure, Any]:
    """What clears an element of C before the loop over k, not in its first step; the loop again."""
    clear = k.body()[0]
    p = fission(p, clear.after())
    first = p.forward(clear).parent()
    sums = first.next()
    p = simplify(cut_loop(p, first, 1))
    return p, p.forward(sums)


def cleared_at_the_end(p: Procedure, clear: Any) -> Procedure:
    """Clear an element of C behind the three statements that sum up, right before the sum is added."""
    for _ in range(3):
        p = reorder_stmts(p, p.forward(clear).expand(0, 1))
    return p


def nothing_yet(add: Any) -> bool:
    """Whether a nest over the elements of C clears them before it adds to them."""
    return len(add.body()[0].body()) > 1


def factor_at_the_end(p: Procedure, scaled: Any) -> Procedure:
    """`s = alpha * s; C += s` as `C += alpha * s`."""
    p = bind_expr(p, p.forward(scaled).rhs(), "scaled")
    p = inline_assign(p, p.forward(scaled))
    p = inline_assign(p, p.find("scaled = _"))
    return delete_buffer(p, "scaled")


def in_registers(p: Procedure, widths: Iterable[int], lanes: Lanes) -> Procedure:
    """Divide loops over so many columns, and the buffers that they run over, into registers; choose the instructions.

    Loops over registers before and after k are written out: see `rows_written_out`.
    """
    for width in widths:
        for loop in p.find(f"for _ in seq(0, {width}): _", many=True) if width > lanes.count else ():
            p = divide_loop(p, loop, lanes.count, ["jt", "jl"], perfect=True)
    for buffer in p.find("_: _", many=True):
        p = set_memory(divide_dim(p, buffer, len(buffer.shape()) - 1, lanes.count), buffer, lanes.memory)
    p = simplify(replace_all(p, lanes.instructions))
    for nest in p.body():
        if isinstance(nest, ForCursor) and nest.name() != "k" and isinstance(nest.body()[0], ForCursor):
            p = unroll_loop(p, nest.body()[0])
    return p


def loads_kept(p: Procedure, lanes: Lanes) -> Procedure:
    """Load whole registers of a row of B once."""
    if lanes.load is None or lanes.kept_load is None:
        return p
    for call in p.find_all(f"{lanes.load.name()}(_)"):
        loads = p.forward(call)
        p = replace(inline(p, loads), loads, lanes.kept_load)
    return p


def rows_written_out(p: Procedure) -> Procedure:
    """Write out the loops over rows: gcc leaves the tile in memory otherwise.

    It writes out by itself what is within a loop, before it decides which parts of an array can be registers.
    """
    k = p.find_loop("k")
    for loop in (*p.body(), *k.body()):
        if isinstance(loop, ForCursor) and loop.name().startswith("i"):
            p = unroll_loop(p, loop)
    return p
