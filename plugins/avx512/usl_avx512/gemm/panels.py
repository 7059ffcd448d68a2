"""All rows of a panel of columns: tiles one below the other, and a smaller one for the rows that are left over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from usl_avx512.gemm.tiles import REGISTERS, Kernel, Lanes, asking_ahead, edge_tiles, for_far_matrices, full_tiles, scheduled
from usl_core import Procedure
from usl_core.scheduling import (
    cut_loop,
    divide_loop,
    eliminate_dead_code,
    rename,
    reorder_loops,
    rewrite_expr,
    shift_loop,
    simplify,
    specialize,
)

ROWS = {1: 8, 2: 8, 3: 8, 4: 6}
"""Rows of a tile by the registers in a row; fewer are left over at the end of a panel."""

ROWS_OF_HALVES = 12
"""Rows of a tile of half a register. One of eight keeps as many sums under way as latency asks for, but no more. Pieces for
threads are multiples of it."""

LAST_ROWS = ((5, 4, 4), (5, 5, 4), (4, 4), (5, 4), (5, 5))
"""Tiles at the end of a panel of four registers instead of one of the most rows and one of 1, 2 or 3.

Those few rows would be bound by loads of B: gcc loads it anew for each of up to three rows, and a load that reaches over two
lines costs more than a product.
"""


def either(base: Procedure, nothing_yet: Kernel, something: Kernel) -> Kernel:
    """A panel for a C in which nothing is yet, and one for a C that is added to; base has their columns."""
    base = rename(base, something.base.name().replace("gemm", "gemm_after", 1))
    p = simplify(specialize(base, base.body(), "before == 0"))
    first, second = p.find("for i in _: _", many=True)
    p = nothing_yet.call(p, first)
    p = something.call(p, p.forward(second))
    return Kernel(base, scheduled(p, nothing_yet, something))


@dataclass(frozen=True, slots=True)
class FullPanels:
    """M rows of four registers of columns: for near matrices, for a B that comes from memory, for a C that is not near."""

    near: Kernel
    ahead: Kernel | None
    far: Kernel | None


def full_panels(gemm: Procedure, lanes: Lanes, ahead: bool, far: bool) -> FullPanels:
    """M rows of four registers of columns; with ahead and far also the second and the third kind."""
    base = rename(gemm.partial_eval(N=lanes.panel), f"{gemm.name()}_Mx{lanes.panel}")
    most = ROWS[REGISTERS]
    wide = full_tiles(gemm, REGISTERS, lanes)
    tiles = {rows: wide.of(rows) for rows in range(1, most)}
    near = wide.of(most)
    p = rows_in_tiles(base, tiles | {most: near}, LAST_ROWS)

    def of(name: str, *kernels: Kernel) -> Kernel:
        return Kernel(base, rename(scheduled(p, *kernels), f"{base.name()}{name}"))

    return FullPanels(
        of("", near, *tiles.values()),
        of("_ahead", *(asking_ahead(tile, lanes) for tile in (near, *tiles.values()))) if ahead else None,
        of("_far", for_far_matrices(near, most, lanes), *tiles.values()) if far else None,
    )


@cache
def edge_panel(gemm: Procedure, lanes: Lanes) -> Kernel:
    """M rows of at most four registers of columns: whole registers, then the rest in a masked one or half of one."""
    assert lanes.half is not None
    base = rename(gemm.add_assertion(f"N <= {lanes.panel}"), f"{gemm.name()}_MxN")
    one, half = lanes.count, lanes.half.count
    part, panels = narrow_panel(gemm, 1, lanes.half), [narrow_panel(gemm, width, lanes) for width in range(1, REGISTERS)]
    p = specialize(base, base.body(), [f"N <= {most}" for most in range(half, lanes.panel, half)])
    nests = p.find("for i in _: _", many=True)
    p = part.call(p, nests[0])
    for width, panel in enumerate(panels, start=1):
        p = panel.call(p, p.forward(nests[2 * width - 1]))
        p = in_two_parts(p, p.forward(nests[2 * width]), width * one, panel, part)
    p = in_two_parts(p, p.forward(nests[-1]), lanes.panel - one, panels[-1], panels[0])
    return Kernel(base, scheduled(p, part, *panels))


def in_two_parts(p: Procedure, rows: Any, columns: int, first: Kernel, second: Kernel) -> Procedure:
    """So many columns, then the others."""
    p = reorder_loops(p, rows)
    whole = p.forward(rows).parent()
    p = cut_loop(p, whole, columns)
    rest = p.forward(whole).next()
    p = shift_loop(p, rest, 0)
    for kernel, loop in ((first, whole), (second, rest)):
        p = reorder_loops(p, p.forward(loop))
        p = kernel.call(p, p.forward(loop).parent())
    return p


@cache
def narrow_panel(gemm: Procedure, width: int, lanes: Lanes) -> Kernel:
    """M rows of N columns that fill width registers, the last one perhaps in part."""
    least, most = (width - 1) * lanes.count, width * lanes.count
    base = gemm.add_assertion(f"N > {least}").add_assertion(f"N <= {most}")
    base = rename(base, f"{gemm.name()}_MxN{most}")
    tiles = masked_tiles(gemm, width, lanes)
    masked = scheduled(rows_in_tiles(base, tiles), *tiles.values())
    if lanes.half is None:
        return Kernel(base, masked)
    exact = exact_panel(gemm, width, lanes)
    p = specialize(base, base.body(), f"N == {most}")
    yes, no = p.find("for i in _: _", many=True)
    p = rewrite_expr(p, yes.body()[0].hi(), most)
    p = exact.call(p, p.forward(yes))
    some = Kernel(rename(base, f"{base.name()}_masked"), rename(masked, f"{base.name()}_masked"))
    p = some.call(p, p.forward(no))
    return Kernel(base, scheduled(p, exact, some))


@cache
def masked_tiles(gemm: Procedure, width: int, lanes: Lanes) -> Mapping[int, Kernel]:
    """By their rows the tiles of so many registers, the last one perhaps in part."""
    tiles = edge_tiles(gemm, width, lanes)
    return {rows: tiles.of(rows) for rows in range(1, (ROWS_OF_HALVES if lanes.half is None else ROWS[width]) + 1)}


@cache
def exact_panel(gemm: Procedure, width: int, lanes: Lanes) -> Kernel:
    """M rows of columns that fill width registers: tiles of the most rows, and at the end one of those that may be masked."""
    columns = width * lanes.count
    base = rename(gemm.partial_eval(N=columns), f"{gemm.name()}_Mx{columns}")
    tiles = {**masked_tiles(gemm, width, lanes), ROWS[width]: full_tiles(gemm, width, lanes).of(ROWS[width])}
    return Kernel(base, scheduled(rows_in_tiles(base, tiles), *tiles.values()))


def rows_in_tiles(p: Procedure, tiles: Mapping[int, Kernel], shares: Sequence[Sequence[int]] = ()) -> Procedure:
    """Tiles of the most rows there are, then a branch for each number of rows that may be left over.

    With shares the last rows, where there are enough, are shared out to several tiles of so many rows each.
    """
    height, rows = max(tiles), p.find_loop("i")
    if shares:
        p = specialize(p, rows, [f"M % {height} == {sum(share) % height} and M >= {sum(share)}" for share in shares])
        *enough, rows = p.find("for i in _: _", many=True)
        for share, loop in zip(shares, enough, strict=True):
            p = last_rows_shared(p, p.forward(loop), share, tiles)
    rows = p.forward(rows)
    p = divide_loop(p, rows, height, ["io", "ii"], tail="cut")
    p = tiles[height].call(p, p.forward(rows).body()[0])
    left = p.forward(rows).next()
    p = specialize(p, left, [f"M % {height} == {few}" for few in range(1, height)])
    *loops, none_left = p.find("for ii in _: _", many=True)
    for few, loop in enumerate(loops, start=1):
        p = rewrite_expr(p, p.forward(loop).hi(), few)
        p = tiles[few].call(p, p.forward(loop))
    return simplify(eliminate_dead_code(p, none_left))


def last_rows_shared(p: Procedure, rows: Any, share: Sequence[int], tiles: Mapping[int, Kernel]) -> Procedure:
    """Tiles of the most rows there are, and one of each height in share below them."""
    p = cut_loop(p, rows, f"M - {sum(share)}")
    last = p.forward(rows).next()
    p = divide_loop(p, p.forward(rows), max(tiles), ["io", "ii"], perfect=True)
    p = tiles[max(tiles)].call(p, p.forward(rows).body()[0])
    for height in share[:-1]:
        p = shift_loop(p, last, 0)
        p = cut_loop(p, p.forward(last), height)
        above, last = p.forward(last), p.forward(last).next()
        p = tiles[height].call(p, above)
    p = shift_loop(p, last, 0)
    return tiles[share[-1]].call(p, p.forward(last))
