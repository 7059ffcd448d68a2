"""Products of a long row with a narrow matrix, `C += alpha a B` or `C = alpha a B` for at most eight registers of columns.

All columns are summed up at once, so that each line of B is read once, however its rows lie in lines. Where there are few
registers, several partial sums of each are under way: each step of a sum waits for the one before.
"""

from __future__ import annotations

from functools import cache

from usl_avx512 import isa
from usl_avx512.gemm.blocks import InC, plain_loops
from usl_avx512.gemm.tiles import LONG, Kernel, Lanes, edge_tiles, full_tiles, scheduled
from usl_core import Procedure
from usl_core.cursors import ForCursor
from usl_core.scheduling import rename, rewrite_expr, simplify, specialize, unroll_loop
from usl_stdlib import parallelize_reduction, replace_all

WIDTHS = range(1, 9)
"""Registers of columns. With more of them rows of B are added to C, which is then read again for a few rows only."""

EXACT = (1, 2, 4, 8)
"""Widths that many matrices fill exactly: a mask costs as much as a few terms do."""

SUMS = 8
"""Sums under way: as many as fused products can be, twice a cycle for four cycles."""


@cache
def narrow_row(lanes: Lanes) -> Procedure:
    """The product for a column A of any stride, K x 1, that stands for the row; B is K x N, C is 1 x N."""
    base = simplify(plain_loops(lanes, True, InC.EITHER).partial_eval(M=1))
    base = base.add_assertion(f"N <= {WIDTHS[-1] * lanes.count}")
    base = rename(base, f"{'s' if lanes.scalar == 'f32' else 'd'}narrow_row")
    rows = [row(lanes, width) for width in WIDTHS]
    p = specialize(base, base.body(), [f"N <= {width * lanes.count}" for width in WIDTHS[:-1]])
    for each, nest in zip(rows, p.find("for j in _: _", many=True), strict=True):
        p = each.call(p, p.forward(nest))
    return scheduled(simplify(p), *rows)


def row(lanes: Lanes, width: int) -> Kernel:
    """The product for N columns that fill so many registers, the last one perhaps in part."""
    most, count = width * lanes.count, -(-SUMS // width)
    base = simplify(plain_loops(lanes, True, InC.EITHER).partial_eval(M=1))
    base = base.add_assertion(f"N > {most - lanes.count}").add_assertion(f"N <= {most}")
    base = rename(base, f"{base.name()}_1xN{most}")
    cases = {}
    for exact in (True, False) if width in EXACT else (False,):
        for c in (InC.NOTHING, InC.SOMETHING):
            tiles = (full_tiles if exact else edge_tiles)(plain_loops(lanes, True, c), width, lanes)
            short = tiles.in_whole_sums(1)
            short = Kernel(simplify(short.base), short.fast)
            known = [f"N == {most}"] * exact + ["before == 0"] * (c is InC.NOTHING)
            if count > 1:
                cases[" and ".join([*known, f"K >= {LONG}"])] = in_partial_sums(short, count, lanes)
            cases[" and ".join(known)] = short
    p = simplify(specialize(base, base.body(), [case for case in cases if case]))
    for case, nest in zip(cases, p.find("for j in _: _", many=True), strict=True):
        if "N ==" in case:
            p = rewrite_expr(p, p.forward(nest).hi(), most)
        p = cases[case].call(p, p.forward(nest))
    return Kernel(base, scheduled(p, *cases.values()))


def in_partial_sums(tile: Kernel, count: int, lanes: Lanes) -> Kernel:
    """The tile of one row with as many partial sums of each column."""
    suffix = "ps" if lanes.scalar == "f32" else "pd"
    p = rename(tile.fast, f"{tile.fast.name()}_in_{count}")
    k = p.find_loop("k")
    for registers in k.body():
        if isinstance(registers, ForCursor):
            p = unroll_loop(p, p.forward(registers))
    p, partial = parallelize_reduction(p, p.forward(k), count, lanes.memory)
    p = replace_all(p, [getattr(isa, f"mm512_{name}_{suffix}") for name in ("setzero", "add")])
    for lane in (*partial.starts, partial.lanes, *partial.ends):
        p = unroll_loop(p, p.forward(lane))
    return Kernel(rename(tile.base, p.name()), simplify(p))
