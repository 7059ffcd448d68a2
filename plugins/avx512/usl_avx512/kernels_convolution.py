"""The plain loop nest of a convolution: what is computed, nothing about how."""

from __future__ import annotations

import functools

from usl_core import DRAM, Procedure, proc


@functools.cache
def convolution(step: int, block: int) -> Procedure:
    """A convolution with the given stride, in f32, on images whose channels are innermost (NHWC); then ReLU, if rectify.

    y[n, i, j, o] = relu(sum over u, v, c of x[n, step i + u, step j + v, c] w[o / block, u, v, c, o % block]): so many output
    channels lie next to each other, that the weights of a block are read in the order in which they are stored. Borders of
    zeros, where wanted, are part of x, which may have more rows (H_in) and columns (W_in) than are used.
    """

    @proc
    def conv(
        N: size,
        H: size,
        W: size,
        OC: size,
        H_in: size,
        W_in: size,
        IC: size,
        KH: size,
        KW: size,
        rectify: bool,
        x: f32[N, H_in, W_in, IC] @ DRAM,
        w: f32[(OC + block - 1) / block, KH, KW, IC, block] @ DRAM,
        y: f32[N, H, W, OC] @ DRAM,
    ):
        assert step * (H - 1) + KH <= H_in
        assert step * (W - 1) + KW <= W_in
        for n in seq(0, N):
            for i in seq(0, H):
                for j in seq(0, W):
                    for o in seq(0, OC):
                        total: f32 @ DRAM
                        total = 0.0
                        for u in seq(0, KH):
                            for v in seq(0, KW):
                                for c in seq(0, IC):
                                    total += x[n, step * i + u, step * j + v, c] * w[o / block, u, v, c, o % block]
                        if rectify:
                            total = relu(total)
                        y[n, i, j, o] = total

    return conv
