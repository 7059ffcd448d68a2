"""Products of rows with rows, `C[i, j] += alpha A[i, :] . B[j, :]`: what few rows times a transposed matrix are.

Nothing is copied: both matrices are read along their rows, a register at a time. The sums of a row of a tile are added up
across lanes all at once, so that they go to C as one vector.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from usl_avx512 import isa
from usl_avx512.blas2.rectangles import products
from usl_avx512.gemm.blocks import choice, in_blocks
from usl_avx512.gemm.panels import rows_in_tiles
from usl_avx512.gemm.tiles import Kernel, Lanes, factor_at_the_end, one_register, scheduled
from usl_avx512.gemm.turned import staged_turned, turn
from usl_c11.memory import Stack
from usl_core import Procedure, proc_from_source
from usl_core.cursors import ForCursor, IfCursor
from usl_core.scheduling import (
    bind_expr,
    divide_loop,
    eliminate_dead_code,
    expand_dim,
    fission,
    lift_alloc,
    lift_reduce_constant,
    remove_loop,
    rename,
    reorder_loops,
    replace,
    resize_dim,
    rewrite_expr,
    set_memory,
    simplify,
    specialize,
    stage_mem,
    unroll_buffer,
    unroll_loop,
)
from usl_stdlib import parallelize_reduction, replace_all

DOTS = """\
def dots(M: size, N: size, K: size, alpha: T, A: [T][M, K], B: [T][N, K], C: [T][M, N]):
    assert stride(A, 1) == 1
    assert stride(B, 1) == 1
    assert stride(C, 1) == 1
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                C[i, j] += alpha * (A[i, k] * B[j, k])
"""
"""T stands for the type."""

COLUMNS = {1: 8, 2: 8, 3: 8, 4: 4}
"""Columns of a tile by its rows: as many sums under way as leave registers for a column of A and an element of a row of B."""

LEFT = 4
"""Columns of a tile for what is left over; still fewer have tiles of their own."""

SAME_PLACES = 4096
"""Rows a multiple of so many bytes long begin at the same places of a first-level cache, which has eight lines for each: tiles
are four rows by four then, and read eight rows in all."""

NEAR = 24
"""Rows of B in a block: whole tiles of any number of rows of A."""

ROWS, TERMS = 16, 512
"""Of the copies that `dots_of_columns` and `dots_with_columns` make, in elements of four bytes: half of a first-level cache."""


@cache
def plain(lanes: Lanes) -> Procedure:
    """DOTS in a precision."""
    letter = "s" if lanes.scalar == "f32" else "d"
    return rename(proc_from_source(DOTS.replace("T", lanes.scalar)), f"{letter}dots")


@cache
def dots(lanes: Lanes) -> Procedure:
    """DOTS for any sizes: three rows of A at a time, or four where C has few columns or SAME_PLACES of rows matter."""
    base = plain(lanes)
    square = {count: some_rows(base, count, LEFT, lanes) for count in COLUMNS}
    low = {count: some_rows(base, count, columns, lanes) for count, columns in COLUMNS.items() if columns > LEFT}
    narrow, wide = (rename(base, f"{base.name()}_{name}") for name in ("narrow", "wide"))
    few = Kernel(narrow, scheduled(rows_in_tiles(narrow, square), *square.values()))
    many = Kernel(wide, scheduled(rows_in_tiles(wide, low, ((2, 2),)), *low.values()))
    same = SAME_PLACES * lanes.count // 64
    return rename(choice(base, f"N < {COLUMNS[1]} or K % {same} == 0", few, many).fast, base.name())


@cache
def dots_by_blocks(lanes: Lanes) -> Procedure:
    """The same, all rows of A with NEAR rows of B before the next ones, so that a large B comes from far away once."""
    base = plain(lanes)
    return rename(in_blocks(Kernel(base, dots(lanes)), "j", NEAR).fast, f"{base.name()}_by_blocks")


@cache
def dots_of_columns(lanes: Lanes, *, by_blocks: bool = False) -> Procedure:
    """DOTS for any sizes, where A is K x M: copies of blocks of it are turned over. by_blocks: for a large B."""
    text = DOTS.replace("A: [T][M, K]", "A: [T][K, M]").replace("A[i, k]", "A[k, i]").replace("T", lanes.scalar)
    base = rename(proc_from_source(text), f"{plain(lanes).name()}_of_columns")
    whole = on_turned_copies(base, "A", "M", dots_by_blocks(lanes) if by_blocks else dots(lanes), lanes)
    return rename(whole, f"{base.name()}{'_by_blocks' if by_blocks else ''}")


@cache
def dots_with_columns(lanes: Lanes) -> Procedure:
    """DOTS for any sizes, where B is K x N: copies of blocks of it are turned over."""
    text = DOTS.replace("B: [T][N, K]", "B: [T][K, N]").replace("B[j, k]", "B[k, j]").replace("T", lanes.scalar)
    base = rename(proc_from_source(text), f"{plain(lanes).name()}_with_columns")
    return rename(on_turned_copies(base, "B", "N", dots(lanes), lanes), base.name())


def on_turned_copies(base: Procedure, matrix: str, extent: str, product: Procedure, lanes: Lanes) -> Procedure:
    """Blocks of ROWS columns and TERMS rows of a matrix that is turned over."""
    terms = TERMS * lanes.count // 16
    some_columns = base.add_assertion(f"{extent} <= {ROWS}")
    block = rename(some_columns.add_assertion(f"K <= {terms}"), f"{base.name()}_block")
    p, rows, rows_with_rows = block, block.find_loop("i"), Kernel(plain(lanes), product)
    p = staged_turned(p, rows, f"{matrix}[0:K, 0:{extent}]", "turned", lanes)
    p = rows_with_rows.call(p, p.forward(rows))
    p = resize_dim(resize_dim(p, "turned", 0, ROWS, 0), "turned", 1, terms + lanes.count, 0)
    p = set_memory(p, "turned", Stack)  # what is allocated costs small products a third
    small = Kernel(block, scheduled(simplify(p), rows_with_rows, turn(lanes.scalar)))
    return in_blocks(in_blocks(small, "k", terms, some_columns), "i" if extent == "M" else "j", ROWS, base).fast


def some_rows(base: Procedure, rows: int, columns: int, lanes: Lanes) -> Kernel:
    """The product of so many rows: tiles of so many columns beside each other, and narrower ones for what is left over."""
    base = rename(base.partial_eval(M=rows), f"{base.name()}_{rows}_by_{columns}")
    tiles = {width: tile(plain(lanes), width, lanes, rows) for width in {columns, *range(1, LEFT + 1)}}
    p = reorder_loops(base, base.find_loop("i"))
    left = p.find_loop("j")
    for width in dict.fromkeys((columns, LEFT)):
        p = divide_loop(p, left, width, ["jo", "ji"], tail="cut")
        nest = p.forward(left).body()[0]
        p = reorder_loops(p, nest)
        p = tiles[width].call(p, p.forward(nest).parent())
        left = p.forward(left).next()
    p = specialize(p, left, [f"N % {LEFT} == {width}" for width in range(1, LEFT)])
    *nests, none_left = p.find("for ji in _: _", many=True)
    for width, nest in enumerate(nests, start=1):
        p = rewrite_expr(p, p.forward(nest).hi(), width)
        p = reorder_loops(p, p.forward(nest))
        p = tiles[width].call(p, p.forward(nest).parent())
    p = simplify(eliminate_dead_code(p, none_left))
    return Kernel(base, scheduled(p, *tiles.values()))


# ---- tiles


def tile(base: Procedure, columns: int, lanes: Lanes, rows: int) -> Kernel:
    """The product of so many rows with so many rows, whose sums are in registers."""
    name = f"{base.name()}_{rows}x{columns}"
    plain_tile, fast = (rename(p.partial_eval(M=rows), name) for p in tiles_of_any_rows(base, columns, lanes))
    while loops := [
        loop for loop in fast.find_all("for _ in _: _") if isinstance(loop, ForCursor) and loop.name() in ("i", "j")
    ]:
        fast = unroll_loop(fast, loops[0])
    for registers in fast.find_all("A_row: _"):  # one by one they are cleared, so that no compiler takes a masked load for none
        fast = unroll_buffer(fast, fast.forward(registers), 0)
    return Kernel(plain_tile, simplify(fast))


@cache
def tiles_of_any_rows(base: Procedure, columns: int, lanes: Lanes) -> tuple[Procedure, Procedure]:
    """Tiles before and after scheduling, but for the loops over rows and columns, which are to be written out.

    One schedule serves all heights, for which it would be the same.
    """
    base = base.partial_eval(N=columns)
    k = base.find_loop("k")
    p = stage_mem(base, k, "C[i, j]", "sums", accum=True)
    p = lift_reduce_constant(p, p.forward(k).expand(1, 0))
    p = factor_at_the_end(p, p.forward(k).next())
    p, partial = parallelize_reduction(p, p.forward(k), lanes.count, lanes.memory, tail="masked")
    (clear_lanes,), (add_lanes,) = partial.starts, partial.ends
    clear = p.find("sums = _")
    for buffer in (partial.sums[0], p.find("sums: _")):
        for extent, loop in ((columns, "j"), ("M", "i")):
            p = expand_dim(p, p.forward(buffer), extent, loop)
        p = lift_alloc(p, p.forward(buffer), 2)
    assert partial.tail is not None
    for part in (clear, clear_lanes, partial.loop, partial.tail, add_lanes):
        p = fission(p, p.forward(part).after(), n_lifts=2)
    for terms in (partial.loop, partial.tail):
        for _ in "ji":
            p = reorder_loops(p, p.forward(terms).parent())
        p = operands_in_registers(p, p.forward(terms), lanes)
    p = simplify(p)
    if columns > 1:
        p = sums_together(p, p.forward(clear).parent(), p.forward(add_lanes).parent(), columns, lanes)
    return base, simplify(replace_all(p, (*products(lanes.scalar, True), *lanes.instructions)))


def operands_in_registers(p: Procedure, terms: Any, lanes: Lanes) -> Procedure:
    """In `for terms: for i: for j: for lane: sums += A * B` load a register of each row of A first, then one of a row of B."""
    i = terms.body()[0]
    p = reorder_loops(p, i)
    lane = p.forward(i).body()[0]
    add, depth = lane.body()[0], 1
    if isinstance(add, IfCursor):
        add, depth = add.body()[0], 2
    for_rows: list[tuple[str, int | str]] = [(p.forward(i).name(), "M")]
    for name, around in (("A", for_rows), ("B", [])):
        factors = p.forward(add).rhs()
        p = bind_expr(p, factors.lhs() if name == "A" else factors.rhs(), f"{name}_row")
        load = p.forward(add).prev()
        register = load.prev()
        dimensions: list[tuple[str, int | str]] = [(lane.name(), lanes.count), *around]
        for iterator, extent in dimensions:
            p = expand_dim(p, p.forward(register), extent, iterator)
        outwards = depth + 1 + len(around)
        p = set_memory(lift_alloc(p, p.forward(register), outwards), p.forward(register), lanes.memory)
        p = fission(p, p.forward(load).after(), n_lifts=outwards)
        again = p.forward(load)
        for _ in range(outwards):
            again = again.parent()
        p = remove_loop(p, again)
    return p


def sums_together(p: Procedure, clear: Any, add_lanes: Any, columns: int, lanes: Lanes) -> Procedure:
    """Let the sums of a row of the tile be lanes of a register: cleared, computed by one instruction, added to C by one."""
    suffix = "ps" if lanes.scalar == "f32" else "pd"
    add_to_c = p.find("C[_] += _").parent()
    p = resize_dim(p, "sums", 1, lanes.count, 0)
    p = one_register(p, p.forward(clear), "round_up", lanes)
    if columns < lanes.count and columns in (2, 4, 8):
        p = set_memory(p, "sums", lanes.memory)
        p = replace(p, p.forward(add_to_c), getattr(isa, f"mm512_accumulateu{columns}_set1_{suffix}"))
    else:
        p = one_register(p, p.forward(add_to_c), "perfect" if columns == lanes.count else "guard", lanes)
        p = set_memory(p, "sums", lanes.memory)
    row = p.forward(add_lanes).parent()
    p = unroll_loop(p, p.forward(add_lanes))
    return replace(p, p.forward(row).body(), getattr(isa, f"mm512_add_sums{columns}_{suffix}"))
