"""A depthwise-separable convolution: each channel for itself, then all channels in each pixel, then what is below 0 cut off."""

from __future__ import annotations

from usl_core import proc


@proc
def separable_convolution(
    H: size,
    W: size,
    C: size,
    K: size,
    inp: [f32][H + 2, W + 2, C],
    depth: f32[3, 3, C],
    point: f32[C, K],
    bias: f32[K],
    out: [f32][H, W, K],
):
    assert stride(inp, 2) == 1
    assert stride(out, 2) == 1
    deep: f32[H, W, C]
    for y in seq(0, H):
        for x in seq(0, W):
            for c in seq(0, C):
                deep[y, x, c] = (
                    depth[0, 0, c] * inp[y, x, c]
                    + depth[0, 1, c] * inp[y, x + 1, c]
                    + depth[0, 2, c] * inp[y, x + 2, c]
                    + depth[1, 0, c] * inp[y + 1, x, c]
                    + depth[1, 1, c] * inp[y + 1, x + 1, c]
                    + depth[1, 2, c] * inp[y + 1, x + 2, c]
                    + depth[2, 0, c] * inp[y + 2, x, c]
                    + depth[2, 1, c] * inp[y + 2, x + 1, c]
                    + depth[2, 2, c] * inp[y + 2, x + 2, c]
                )
    mixed: f32[H, W, K]
    for y in seq(0, H):
        for x in seq(0, W):
            for k in seq(0, K):
                mixed[y, x, k] = bias[k]
    for y in seq(0, H):
        for x in seq(0, W):
            for c in seq(0, C):
                for k in seq(0, K):
                    mixed[y, x, k] += deep[y, x, c] * point[c, k]
    for y in seq(0, H):
        for x in seq(0, W):
            for k in seq(0, K):
                out[y, x, k] = max(mixed[y, x, k], 0.0)
