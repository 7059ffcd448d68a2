"""Convolutions as plain loops: what they compute, and nothing of how."""

from __future__ import annotations

from usl_core import DRAM, Fragment, Procedure, fragment, proc
from usl_gemmini.kernels_activation import ACTIVATIONS
from usl_gemmini.layers import Layer
from usl_gemmini.ports import OUT, PLAIN, Port
from usl_gemmini.rounding import rne


def _bordered(layer: Layer) -> Fragment:
    """The input in the midst of zeros, without rows and columns that no window reaches."""
    N, HI, WI, H, W, IC, KH, KW = (getattr(layer, name) for name in "N HI WI H W IC KH KW".split())
    PAD, APART, SKIP, DOWN, ACROSS = layer.pad, layer.apart, layer.skip, layer.step // layer.apart, layer.across

    @fragment
    def bordered(xp, x):
        for n in seq(0, N):
            for r in seq(0, DOWN * (H - 1) + KH):
                for c in seq(0, ACROSS * (W - 1) + KW):
                    for i in seq(0, IC):
                        if r >= PAD and r < HI + PAD and c >= PAD and c < WI + PAD:
                            xp[n, r, c, i] = x[(n * HI + APART * r - PAD) * WI + SKIP * c - PAD, i]
                        else:
                            xp[n, r, c, i] = 0

    return bordered


def _multiplied(layer: Layer) -> Fragment:
    """One window of the input times the weights for one channel, added to a sum."""
    KH, KW, IC, DOWN, ACROSS = layer.KH, layer.KW, layer.IC, layer.step // layer.apart, layer.across

    @fragment
    def multiplied(sum, xp, w, n, r, c, o):
        for kr in seq(0, KH):
            for kc in seq(0, KW):
                for i in seq(0, IC):
                    sum += i32(xp[n, DOWN * r + kr, ACROSS * c + kc, i]) * i32(w[kr, kc, i, o])

    return multiplied


def convolution(layer: Layer, relu: bool = False, source: Port = PLAIN, out: Port = OUT) -> Procedure:
    """`y = act(scale * (x * w + bias))` on images of N x HI x WI pixels with a border of zeros, which is no part of x.

    Pixels stand one after another: x is [N * HI * WI, IC], y is [N * H * W, OC]. xp is the image with its border, without
    rows that no window reaches.
    """
    N, HI, WI, H, W, IC, OC, KH, KW = (getattr(layer, name) for name in "N HI WI H W IC OC KH KW".split())
    DOWN, ACROSS, bordered, multiplied = layer.step // layer.apart, layer.across, _bordered(layer), _multiplied(layer)
    SOURCE, GOAL, FENCE, BEFORE = source.memory, out.memory, out.fence, source.fence
    act = ACTIVATIONS[relu]

    @proc
    def conv(
        scale: f32,
        x: i8[N * HI * WI, IC] @ SOURCE,
        w: i8[KH, KW, IC, OC] @ DRAM,
        bias: i32[OC] @ DRAM,
        y: i8[N * H * W, OC] @ GOAL,
    ):
        if {source is not PLAIN}:
            BEFORE.pending = False
        xp: i8[N, DOWN * (H - 1) + KH, ACROSS * (W - 1) + KW, IC]
        bordered(xp, x)
        for n in seq(0, N):
            for r in seq(0, H):
                for c in seq(0, W):
                    for o in seq(0, OC):
                        sum: i32
                        sum = bias[o]
                        multiplied(sum, xp, w, n, r, c, o)
                        y[(n * H + r) * W + c, o] = i8(rne(f32(act(sum)) * scale))
        FENCE.pending = False

    return conv


def sliding_convolution(layer: Layer, relu: bool = False, source: Port = PLAIN, out: Port = OUT) -> Procedure:
    """The same where a row of a window is one pixel (`layers.slid`): x is [N * HI, WI], w [KH, 1, IC, OC]."""
    N, HI, WI, H, W, IC, OC, KH = (getattr(layer, name) for name in "N HI WI H W IC OC KH".split())
    STEP, SLIDE = layer.step, layer.slide
    SOURCE, GOAL, FENCE, BEFORE = source.memory, out.memory, out.fence, source.fence
    act = ACTIVATIONS[relu]

    @proc
    def conv(
        scale: f32,
        x: i8[N * HI, WI] @ SOURCE,
        w: i8[KH, 1, IC, OC] @ DRAM,
        bias: i32[OC] @ DRAM,
        y: i8[N * H * W, OC] @ GOAL,
    ):
        if {source is not PLAIN}:
            BEFORE.pending = False
        xp: i8[N, STEP * (H - 1) + KH, W, IC]
        for n in seq(0, N):
            for r in seq(0, STEP * (H - 1) + KH):
                for c in seq(0, W):
                    for i in seq(0, IC):
                        xp[n, r, c, i] = x[n * HI + r, SLIDE * c + i]
        for n in seq(0, N):
            for r in seq(0, H):
                for c in seq(0, W):
                    for o in seq(0, OC):
                        sum: i32
                        sum = bias[o]
                        for kr in seq(0, KH):
                            for kc in seq(0, 1):
                                for i in seq(0, IC):
                                    sum += i32(xp[n, STEP * r + kr, c + kc, i]) * i32(w[kr, kc, i, o])
                        y[(n * H + r) * W + c, o] = i8(rne(f32(act(sum)) * scale))
        FENCE.pending = False

    return conv


def pooled_convolution(layer: Layer, relu: bool = False, source: Port = PLAIN, out: Port = OUT) -> Procedure:
    """The same, and then the largest of each 2 x 2 results: y is [N * (H / 2) * (W / 2), OC]."""
    N, HI, WI, H, W, IC, OC, KH, KW = (getattr(layer, name) for name in "N HI WI H W IC OC KH KW".split())
    DOWN, ACROSS, bordered, multiplied = layer.step // layer.apart, layer.across, _bordered(layer), _multiplied(layer)
    SOURCE, GOAL, FENCE, BEFORE = source.memory, out.memory, out.fence, source.fence
    act, HP, WP = ACTIVATIONS[relu], H // 2, W // 2

    @proc
    def conv(
        scale: f32,
        x: i8[N * HI * WI, IC] @ SOURCE,
        w: i8[KH, KW, IC, OC] @ DRAM,
        bias: i32[OC] @ DRAM,
        y: i8[N * HP * WP, OC] @ GOAL,
    ):
        if {source is not PLAIN}:
            BEFORE.pending = False
        xp: i8[N, DOWN * (H - 1) + KH, ACROSS * (W - 1) + KW, IC]
        bordered(xp, x)
        sum: i32[N, H, W, OC]
        for n in seq(0, N):
            for r in seq(0, H):
                for c in seq(0, W):
                    for o in seq(0, OC):
                        sum[n, r, c, o] = bias[o]
                        multiplied(sum[n, r, c, o], xp, w, n, r, c, o)
        for n in seq(0, N):
            for r in seq(0, HP):
                for c in seq(0, WP):
                    for o in seq(0, OC):
                        most: i8
                        most = -128
                        for wr in seq(0, 2):
                            for wc in seq(0, 2):
                                most = max(most, i8(rne(f32(act(sum[n, 2 * r + wr, 2 * c + wc, o])) * scale)))
                        y[(n * HP + r) * WP + c, o] = most
        FENCE.pending = False

    return conv
