"""A convolution of images with channels innermost (NHWC), weights with output channels innermost (HWIO)."""

from __future__ import annotations

from usl_core import proc


@proc
def convolution(
    N: size,
    H: size,
    W: size,
    IC: size,
    OC: size,
    image: f32[N, H + 2, W + 2, IC],
    weights: f32[3, 3, IC, OC],
    bias: f32[OC],
    out: f32[N, H, W, OC],
):
    assert OC % 64 == 0
    for n in seq(0, N):
        for y in seq(0, H):
            for x in seq(0, W):
                for oc in seq(0, OC):
                    total: f32
                    total = bias[oc]
                    for ky in seq(0, 3):
                        for kx in seq(0, 3):
                            for ic in seq(0, IC):
                                total += image[n, y + ky, x + kx, ic] * weights[ky, kx, ic, oc]
                    out[n, y, x, oc] = total
