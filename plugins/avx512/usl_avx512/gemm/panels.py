"""All rows of a panel of columns: tiles one below the other, and a smaller one for the rows that are left over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from usl_avx512.gemm.tiles import REGISTERS, Kernel, Lanes, edge_tile, full_tile, scheduled, with_results_asked_for
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


def full_panels(gemm: Procedure, lanes: Lanes) -> tuple[Kernel, Kernel]:
    """M rows of four registers of columns: for a C that is near, and for one that is far."""
    base = rename(gemm.partial_eval(N=lanes.panel), f"{gemm.name()}_Mx{lanes.panel}")
    most = ROWS[REGISTERS]
    tiles = {rows: full_tile(gemm, rows, REGISTERS, lanes) for rows in range(1, most + 1)}
    near, far = (
        rows_in_tiles(base, tiles | {most: tile}) for tile in (tiles[most], with_results_asked_for(tiles[most], most, lanes))
    )
    return Kernel(base, near), Kernel(base, rename(far, f"{far.name()}_far"))


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


def narrow_panel(gemm: Procedure, width: int, lanes: Lanes) -> Kernel:
    """M rows of N columns that fill width registers, the last one perhaps in part."""
    least, most = (width - 1) * lanes.count, width * lanes.count
    base = gemm.add_assertion(f"N > {least}").add_assertion(f"N <= {most}")
    base = rename(base, f"{gemm.name()}_MxN{most}")
    height = ROWS[width]
    tiles = {rows: edge_tile(gemm, rows, width, lanes) for rows in range(1, height + 1)}
    masked = rows_in_tiles(base, tiles)
    if lanes.half is None:
        return Kernel(base, masked)
    exact_base = rename(gemm.partial_eval(N=most), f"{gemm.name()}_Mx{most}")
    exact = Kernel(exact_base, rows_in_tiles(exact_base, tiles | {height: full_tile(gemm, height, width, lanes)}))
    p = specialize(base, base.body(), f"N == {most}")
    yes, no = p.find("for i in _: _", many=True)
    p = rewrite_expr(p, yes.body()[0].hi(), most)
    p = exact.call(p, p.forward(yes))
    some = Kernel(rename(base, f"{base.name()}_masked"), rename(masked, f"{base.name()}_masked"))
    p = some.call(p, p.forward(no))
    return Kernel(base, scheduled(p, exact, some))


def rows_in_tiles(p: Procedure, tiles: Mapping[int, Kernel]) -> Procedure:
    """Tiles of the most rows there are, then a branch for each number of rows that may be left over."""
    height = max(tiles)
    p = divide_loop(p, "i", height, ["io", "ii"], tail="cut")
    p = tiles[height].call(p, p.find_loop("ii"))
    p = specialize(p, p.find_loop("ii"), [f"M % {height} == {rows}" for rows in range(1, height)])
    *loops, none_left = p.find("for ii in _: _", many=True)
    for rows, loop in enumerate(loops, start=1):
        p = rewrite_expr(p, p.forward(loop).hi(), rows)
        p = tiles[rows].call(p, p.forward(loop))
    return scheduled(simplify(eliminate_dead_code(p, none_left)), *tiles.values())
