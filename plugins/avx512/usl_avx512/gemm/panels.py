"""All rows of a panel of columns: tiles one below the other, and a smaller one for the rows that are left over."""

from __future__ import annotations

from collections.abc import Callable

from usl_avx512.gemm.tiles import REGISTERS, Kernel, Lanes, edge_tile, full_tile, scheduled
from usl_core import Procedure
from usl_core.scheduling import divide_loop, eliminate_dead_code, rename, rewrite_expr, simplify, specialize

ROWS = {1: 8, 2: 8, 3: 8, 4: 6}
"""Rows of a tile by the registers in a row; fewer are left over at the end of a panel."""


def full_panel(gemm: Procedure, lanes: Lanes) -> Kernel:
    """M rows of four registers of columns."""
    base = rename(gemm.partial_eval(N=lanes.panel), f"{gemm.name()}_Mx{lanes.panel}")
    return Kernel(base, rows_in_tiles(base, ROWS[REGISTERS], lambda rows: full_tile(gemm, rows, lanes)))


def edge_panel(gemm: Procedure, lanes: Lanes) -> Kernel:
    """M rows of at most four registers of columns, with a masked last one."""
    base = rename(gemm.add_assertion(f"N <= {lanes.panel}"), f"{gemm.name()}_MxN")
    widths = range(1, REGISTERS + 1)
    p = specialize(base, base.body(), [f"N <= {lanes.count * width}" for width in widths[:-1]])
    panels = [narrow_panel(gemm, width, lanes) for width in widths]
    for panel, nest in zip(panels, p.find("for i in _: _", many=True), strict=True):
        p = panel.call(p, p.forward(nest))
    return Kernel(base, scheduled(p, *panels))


def narrow_panel(gemm: Procedure, width: int, lanes: Lanes) -> Kernel:
    """M rows of N columns that fill width registers, the last one perhaps in part."""
    least, most = (width - 1) * lanes.count, width * lanes.count
    base = gemm.add_assertion(f"N > {least}").add_assertion(f"N <= {most}")
    base = rename(base, f"{gemm.name()}_MxN{most}")
    return Kernel(base, rows_in_tiles(base, ROWS[width], lambda rows: edge_tile(gemm, rows, width, lanes)))


def rows_in_tiles(p: Procedure, height: int, tile: Callable[[int], Kernel]) -> Procedure:
    """Tiles of height rows, then a branch for each number of rows that may be left over."""
    tiles = {rows: tile(rows) for rows in range(1, height + 1)}
    p = divide_loop(p, "i", height, ["io", "ii"], tail="cut")
    p = tiles[height].call(p, p.find_loop("ii"))
    p = specialize(p, p.find_loop("ii"), [f"M % {height} == {rows}" for rows in range(1, height)])
    *loops, none_left = p.find("for ii in _: _", many=True)
    for rows, loop in enumerate(loops, start=1):
        p = rewrite_expr(p, p.forward(loop).hi(), rows)
        p = tiles[rows].call(p, p.forward(loop))
    return scheduled(simplify(eliminate_dead_code(p, none_left)), *tiles.values())
