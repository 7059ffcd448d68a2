"""Products with few terms in each sum and long rows of C, `C += alpha op(A) B`: four rows of C from end to end.

What counts is how fast C comes and goes: as few streams, which processors foresee. Panels are as many parts of rows as C has,
and where rows are a multiple of 4 KiB apart, all of these go to the same places of a cache. Sums begin with what C holds, and
it is the few elements of A that are multiplied with alpha: with few terms, a product for each element of C is much of all work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from usl_avx512 import isa
from usl_avx512.gemm.tiles import (
    TILE,
    Kernel,
    Lanes,
    Tiles,
    cleared_at_the_end,
    cleared_first,
    in_registers,
    scheduled,
    sums_of_tile,
)
from usl_avx512.gemm.turned import in_case_of_any
from usl_c11.memory import Stack
from usl_core import Procedure, proc_from_source
from usl_core.scheduling import (
    bind_expr,
    cut_loop,
    divide_loop,
    expand_dim,
    fission,
    inline,
    lift_alloc,
    merge_writes,
    remove_loop,
    rename,
    reorder_loops,
    reorder_stmts,
    resize_dim,
    rewrite_expr,
    set_memory,
    shift_loop,
    simplify,
    specialize,
    stage_mem,
)

PRODUCT = """\
def T_NAME(M: size, N: size, K: size, A: [T][M, K], B: [T][K, N], C: [T][M, N]):
    assert stride(A, 1) == 1
    assert stride(B, 1) == 1
    assert stride(C, 1) == 1
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                CLEARC[i, j] += A[i, k] * B[k, j]
"""
"""T stands for the type, CLEAR for what clears an element of a C in which nothing is yet."""

ROWS, ROWS_FAR = 4, 6
"""Of a band, and of one where C comes from memory, or nearly so: there more streams are faster, elsewhere up to a third
slower."""

TERMS = 20
"""The most terms: with more of them C counts for little, and a band reads too much of B."""


@cache
def whole_panels(plain: Procedure, lanes: Lanes, rows: int = ROWS) -> Kernel:
    """Bands of so many rows, for columns that are whole panels. plain is the product for A as it is or transposed."""
    base = plain.add_assertion(f"K <= {TERMS}").add_assertion(f"N % {lanes.panel} == 0")
    base = rename(base, f"{plain.name()}_bands_{rows}")
    scaled = "alpha * A[k, i]" if "A[k, i]" in str(plain) else "alpha * A[i, k]"
    p = rewrite_expr(base, base.find("C[_] += _").rhs(), f"({scaled}) * B[k, j]")
    first = len(plain.find_loop("k").body()) > 1
    bands = {height: band(height, first, lanes) for height in range(1, max(rows, ROWS + 1) + 1)}
    p = in_bands(p, p.find_loop("i"), rows, bands)
    return Kernel(base, scheduled(simplify(p), *bands.values()))


def all_columns(plain: Procedure, panels: Kernel, edge: Kernel, lanes: Lanes) -> Kernel:
    """Whole panels, and less than a panel."""
    base = rename(plain.add_assertion(f"K <= {TERMS}"), f"{panels.base.name()}_all")
    p = reorder_loops(base, "i j")
    columns = p.find_loop("j")
    p = cut_loop(p, columns, f"N / {lanes.panel} * {lanes.panel}")
    p, rest = in_case_of_any(p, p.forward(columns).next(), f"N % {lanes.panel}")
    p = shift_loop(p, rest, 0)
    p = reorder_loops(p, p.forward(rest))
    p = edge.call(p, p.forward(rest).parent())
    p, whole = in_case_of_any(p, p.forward(columns), f"N / {lanes.panel}")
    p = reorder_loops(p, whole)
    p = panels.call(p, p.forward(whole).parent())
    return Kernel(base, scheduled(simplify(p), edge, panels))


def in_bands(p: Procedure, i: Any, rows: int, bands: Mapping[int, Kernel]) -> Procedure:
    """A loop over rows of C as one over bands. A last row is rather part of a band, if there is one: loads of B would bound
    it."""
    shares = [*([rows + 1] if rows + 1 in bands else []), *range(1, rows)]
    p = specialize(p, i, [f"M % {rows} == {left % rows}{' and M > 1' if left > rows else ''}" for left in shares])
    for left, loop in zip((*shares, 0), p.find("for i in _: _", many=True), strict=True):
        if left > 0:
            p = cut_loop(p, p.forward(loop), f"M - {left}")
            p = shift_loop(p, p.forward(loop).next(), 0)
            p = on_scaled_rows(p, p.forward(loop).next(), left, bands)
        p = divide_loop(p, p.forward(loop), rows, ["io", "ii"], perfect=True)
        p = on_scaled_rows(p, p.forward(loop).body()[0], rows, bands)
    return p


def on_scaled_rows(p: Procedure, rows: Any, count: int, bands: Mapping[int, Kernel]) -> Procedure:
    """A loop over so many rows of C: alpha times these rows of A, and a band on them."""
    rows = p.forward(rows)
    p = rewrite_expr(p, rows.hi(), count)
    terms = p.forward(rows).body()[0].body()[0]
    add = terms.body()[-1]
    p = bind_expr(p, add.rhs().lhs(), "A_band")
    scale = p.forward(add).prev()
    register = scale.prev()
    for loop in (terms, rows):
        loop = p.forward(loop)
        p = expand_dim(p, p.forward(register), loop.hi(), loop.name())
    p = lift_alloc(p, p.forward(register), 3)
    p = set_memory(resize_dim(p, p.forward(register), 1, TERMS, 0), p.forward(register), Stack)
    if len(p.forward(terms).body()) > 2:  # what clears an element of C comes first
        p = reorder_stmts(p, p.forward(scale).expand(1, 0))
    p = fission(p, p.forward(scale).after(), n_lifts=3)
    p = remove_loop(p, p.forward(scale).parent().parent())
    return bands[count].call(p, p.forward(add).parent().parent().parent())


@cache
def band(rows: int, first: bool, lanes: Lanes) -> Kernel:
    """So many rows of C, with first of one in which nothing is yet: panel by panel."""
    base = product(f"band_{'first_' if first else ''}{rows}", first, lanes).partial_eval(M=rows)
    base = base.add_assertion(f"N % {lanes.panel} == 0").add_assertion(f"K <= {TERMS}")
    tile = tiles(first, lanes).of(rows)
    p, columns = base, base.find_loop("j")
    p = divide_loop(p, columns, lanes.panel, ["jo", "ji"], perfect=True)
    p = reorder_loops(p, "i jo")
    p = tile.call(p, p.forward(columns).body()[0])
    p = scheduled(simplify(p), tile)
    return Kernel(base, inline(p, f"{tile.fast.name()}(_)"))  # compilers would tell it where rows are once more for each panel


@cache
def tiles(first: bool, lanes: Lanes) -> Tiles:
    """The panels of a band, but for the loops over rows, which are to be written out."""
    base = product(f"tile_{'first_' if first else ''}M", first, lanes).partial_eval(N=lanes.panel)
    p, rows, k = base, base.find_loop("i"), base.find_loop("k")
    if first:
        p, k = cleared_first(p, k)
        p = stage_mem(p, k, "C[i, j]", TILE, accum=True)
        p = sums_of_tile(written_once(p, p.forward(k)), k, lanes.panel)
    else:
        p = stage_mem(p, rows, f"C[0:M, 0:{lanes.panel}]", TILE)
        p = reorder_loops(p, p.forward(k).parent())
        p = reorder_loops(p, p.forward(rows))
    p = stage_mem(p, p.forward(k).body(), f"B[k, 0:{lanes.panel}]", "B_row")
    store = getattr(isa, f"mm512_storeu_{'ps' if lanes.scalar == 'f32' else 'pd'}")
    return Tiles(base, in_registers(p, (lanes.panel,), replace(lanes, instructions=(store, *lanes.instructions))), lanes)


def written_once(p: Procedure, k: Any) -> Procedure:
    """`C = 0; s = 0; for k: s += ...; C += s` as `s = 0; for k: s += ...; C = s`."""
    clear = k.prev().prev().prev()
    p = cleared_at_the_end(p, clear)
    p = merge_writes(p, p.forward(clear).expand(0, 1))
    return rewrite_expr(p, p.forward(k).next().rhs(), TILE)


def product(name: str, first: bool, lanes: Lanes) -> Procedure:
    """PRODUCT in a precision; with first for a C in which nothing is yet."""
    clear = f"if k == 0:\n{20 * ' '}C[i, j] = 0.0\n{16 * ' '}" if first else ""
    return proc_from_source(PRODUCT.replace("NAME", name).replace("CLEAR", clear).replace("T", lanes.scalar))
