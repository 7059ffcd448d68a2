"""Convolutions as plain loops: what they compute, and nothing of how."""

from __future__ import annotations

from usl_core import DRAM, Procedure, proc
from usl_gemmini.kernels_activation import ACTIVATIONS
from usl_gemmini.kernels_registers import FENCE
from usl_gemmini.memories import GEMMINI_OUT
from usl_gemmini.rounding import rne


def convolution(with_relu: bool, step: int) -> Procedure:
    """`y = act(scale * (x * w + bias))` on images NHWC without a border, from windows `step` pixels apart."""
    act = ACTIVATIONS[with_relu]

    @proc
    def conv(
        N: size,
        HI: size,
        WI: size,
        H: size,
        W: size,
        IC: size,
        OC: size,
        KH: size,
        KW: size,
        scale: f32,
        x: i8[N, HI, WI, IC] @ DRAM,
        w: i8[KH, KW, IC, OC] @ DRAM,
        bias: i32[OC] @ DRAM,
        y: i8[N, H, W, OC] @ GEMMINI_OUT,
    ):
        assert step * (H - 1) + KH <= HI
        assert step * (W - 1) + KW <= WI
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


def padded_convolution(with_relu: bool, step: int, pad: int) -> Procedure:
    """The same on images with a border of zeros, `pad` pixels wide, which is no part of x."""
    act = ACTIVATIONS[with_relu]

    @proc
    def conv(
        N: size,
        HI: size,
        WI: size,
        H: size,
        W: size,
        IC: size,
        OC: size,
        KH: size,
        KW: size,
        scale: f32,
        x: i8[N, HI, WI, IC] @ DRAM,
        w: i8[KH, KW, IC, OC] @ DRAM,
        bias: i32[OC] @ DRAM,
        y: i8[N, H, W, OC] @ GEMMINI_OUT,
    ):
        xp: i8[N, step * (H - 1) + KH, step * (W - 1) + KW, IC]
        for n in seq(0, N):
            for r in seq(0, step * (H - 1) + KH):
                for c in seq(0, step * (W - 1) + KW):
                    for i in seq(0, IC):
                        if pad <= r and r < HI + pad and pad <= c and c < WI + pad:
                            xp[n, r, c, i] = x[n, r - pad, c - pad, i]
                        else:
                            xp[n, r, c, i] = 0
        for n in seq(0, N):
            for r in seq(0, H):
                for c in seq(0, W):
                    for o in seq(0, OC):
                        sum: i32
                        sum = bias[o]
                        for kr in seq(0, KH):
                            for kc in seq(0, KW):
                                for i in seq(0, IC):
                                    sum += i32(xp[n, step * r + kr, step * c + kc, i]) * i32(w[kr, kc, i, o])
                        y[n, r, c, o] = i8(rne(f32(act(sum)) * scale))
        FENCE.pending = False

    return conv
