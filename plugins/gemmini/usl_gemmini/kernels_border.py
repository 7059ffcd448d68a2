"""Images with a border as plain loops: what it computes, and nothing of how."""

from __future__ import annotations

from usl_core import DRAM, Procedure, proc
from usl_gemmini.layers import Border
from usl_gemmini.ports import Port


def bordered(border: Border, out: Port) -> Procedure:
    """Images [N * HI, WI], a row of numbers for each row of pixels, in the midst of zeros: [N * HO, WO]."""
    N, HI, WI, HO, WO = border.N, border.HI, border.WI, border.HO, border.WO
    ABOVE, LEFT = border.above, border.left
    GOAL, FENCE = out.memory, out.fence

    @proc
    def bordered(x: i8[N * HI, WI] @ DRAM, y: i8[N * HO, WO] @ GOAL):
        for n in seq(0, N):
            for r in seq(0, HO):
                for c in seq(0, WO):
                    v: i8
                    if r >= ABOVE and r < HI + ABOVE and c >= LEFT and c < WI + LEFT:
                        v = x[n * HI + r - ABOVE, c - LEFT]
                    else:
                        v = 0
                    y[n * HO + r, c] = v
        FENCE.pending = False

    return bordered
