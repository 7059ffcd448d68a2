"""Convolutions as plain loops: what they compute, and nothing of how."""

from __future__ import annotations

from usl_core import DRAM, Procedure, proc
from usl_gemmini.kernels_activation import ACTIVATIONS
from usl_gemmini.kernels_registers import FENCE
from usl_gemmini.memories import GEMMINI_OUT
from usl_gemmini.rounding import rne


def convolution(with_relu: bool, step: int) -> Procedure:
    """`y = act(scale * (x * w + bias))` on images NHWC whose border, if they have one, is part of them, `step` pixels apart."""
    act = ACTIVATIONS[with_relu]

    @proc
    def conv(
        N: size,
        H: size,
        W: size,
        IC: size,
        OC: size,
        KH: size,
        KW: size,
        scale: f32,
        x: i8[N, step * (H - 1) + KH, step * (W - 1) + KW, IC] @ DRAM,
        w: i8[KH, KW, IC, OC] @ DRAM,
        bias: i32[OC] @ DRAM,
        y: i8[N, H, W, OC] @ GEMMINI_OUT,
    ):
        for n in seq(0, N):
            for r in seq(0, H):
                for c in seq(0, W):
                    for o in seq(0, OC):
                        sum: i32
                        sum = bias[o]
                        for kr in seq(0, KH):
                            for kc in seq(0, KW):
                                for i in seq(0, IC):
                                    sum += i32(x[n, step * r + kr, step * c + kc, i]) * i32(w[kr, kc, i, o])
                        y[n, r, c, o] = i8(rne(f32(act(sum)) * scale))
        FENCE.pending = False

    return conv
