"""Pooling as plain loops: what it computes, and nothing of how."""

from __future__ import annotations

from usl_core import Procedure, proc
from usl_gemmini.layers import Layer
from usl_gemmini.ports import Port
from usl_gemmini.rounding import rne


def pooling(layer: Layer, source: Port, out: Port) -> Procedure:
    """The largest of each window of pixels, as scaled numbers; pixels of the border are 0.

    x is [N * HI * WI, IC], y [N * H * W, IC]; xp is the image with its border.
    """
    N, HI, WI, H, W, C, SIZE = (getattr(layer, name) for name in "N HI WI H W IC KH".split())
    STEP, PAD = layer.step, layer.pad
    SOURCE, GOAL, FENCE, BEFORE = source.memory, out.memory, out.fence, source.fence

    @proc
    def pool(scale: f32, x: i8[N * HI * WI, C] @ SOURCE, y: i8[N * H * W, C] @ GOAL):
        BEFORE.pending = False
        xp: i32[N, STEP * (H - 1) + SIZE, STEP * (W - 1) + SIZE, C]
        for n in seq(0, N):
            for r in seq(0, STEP * (H - 1) + SIZE):
                for c in seq(0, STEP * (W - 1) + SIZE):
                    for i in seq(0, C):
                        if r >= PAD and r < HI + PAD and c >= PAD and c < WI + PAD:
                            xp[n, r, c, i] = i32(x[(n * HI + r - PAD) * WI + c - PAD, i])
                        else:
                            xp[n, r, c, i] = 0
        for n in seq(0, N):
            for r in seq(0, H):
                for c in seq(0, W):
                    for o in seq(0, C):
                        most: i8
                        most = -128
                        for wr in seq(0, SIZE):
                            for wc in seq(0, SIZE):
                                most = max(most, i8(rne(f32(xp[n, STEP * r + wr, STEP * c + wc, o]) * scale)))
                        y[(n * H + r) * W + c, o] = most
        FENCE.pending = False

    return pool
