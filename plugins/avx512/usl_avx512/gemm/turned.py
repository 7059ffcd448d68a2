"""Matrices turned over: rows become columns on the way into a copy, a square of registers at a time."""

from __future__ import annotations

from functools import cache
from typing import Any

from usl_avx512 import isa
from usl_avx512.gemm.tiles import Kernel, Lanes
from usl_core import Procedure, proc_from_source
from usl_core.scheduling import (
    divide_loop,
    eliminate_dead_code,
    rearrange_dim,
    reorder_loops,
    replace,
    simplify,
    specialize,
    stage_mem,
)

TURN = """\
def turn(m: size, n: size, src: [T][m, n], dst: [T][n, m]):
    assert stride(src, 1) == 1
    assert stride(dst, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            dst[j, i] = src[i, j]
"""
"""`dst = src^T`; T stands for the type."""


@cache
def turn(scalar: str, *, adds: bool = False) -> Kernel:
    """TURN by squares of registers, those at the edges masked; with adds `dst += src^T`."""
    suffix, count = {"f32": ("ps", 16), "f64": ("pd", 8)}[scalar]
    if adds:
        text = TURN.replace("turn", "turn_added").replace(" = ", " += ")
        whole = part = getattr(isa, f"mm512_mask_accumulate_transposeu_{suffix}")
    else:
        text, (whole, part) = TURN, (getattr(isa, f"mm512_{mask}transposeu_{suffix}") for mask in ("", "mask_"))
    base = proc_from_source(text.replace("T", scalar).replace("(m:", f"_{scalar}(m:"))
    rows = base.find_loop("i")
    p, below = divided(base, rows, count, "m", "i")
    for band in (p.forward(rows).body()[0], below):
        column = p.forward(band).body()[0]
        p = reorder_loops(p, p.forward(band))
        p, beside = divided(p, column, count, "n", "j")
        for square, instruction in ((p.forward(column).body()[0], whole if band != below else part), (beside, part)):
            p = reorder_loops(p, p.forward(square))
            p = replace(p, p.forward(square).parent(), instruction)
    return Kernel(base, simplify(p))


def divided(p: Procedure, loop: Any, count: int, extent: str, name: str) -> tuple[Procedure, Any]:
    """A loop in steps of count, and what is left over, if there is any: the procedure, and the loop of this."""
    p = divide_loop(p, loop, count, [f"{name}o", f"{name}i"], tail="cut")
    return in_case_of_any(p, p.forward(loop).next(), f"{extent} % {count}")


def in_case_of_any(p: Procedure, rest: Any, extent: str) -> tuple[Procedure, Any]:
    """Put an `if` around a loop that may have no iteration, so that what is in it can rely on one; the loop again."""
    p = specialize(p, rest, f"{extent} > 0")
    branch = p.forward(rest).parent()
    p = eliminate_dead_code(p, branch.orelse()[0])
    return p, p.forward(rest)


def staged_turned(p: Procedure, block: Any, window: str, name: str, lanes: Lanes) -> Procedure:
    """Let a block work on a copy of a matrix's part, rows for columns."""
    p = stage_mem(p, block, window, name)
    p = rearrange_dim(p, p.forward(block).prev().prev(), [1, 0])
    return turn(lanes.scalar).call(p, p.forward(block).prev())
