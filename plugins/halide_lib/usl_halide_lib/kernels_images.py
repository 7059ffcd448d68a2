"""Image kernels as plain loops: what they compute, and nothing of how. The schedules are in `image_schedules`."""

from __future__ import annotations

from usl_core import proc


@proc
def box_blur(H: size, W: size, inp: [u16][H + 2, W + 2], blur_y: [u16][H, W]):
    assert stride(inp, 1) == 1
    assert stride(blur_y, 1) == 1
    blur_x: u16[H + 2, W]
    for y in seq(0, H + 2):
        for x in seq(0, W):
            blur_x[y, x] = (inp[y, x] + inp[y, x + 1] + inp[y, x + 2]) / 3
    for y in seq(0, H):
        for x in seq(0, W):
            blur_y[y, x] = (blur_x[y, x] + blur_x[y + 1, x] + blur_x[y + 2, x]) / 3


# The weights are those of a Gaussian with sigma 1.5, `exp(-i * i / 4.5) / (sqrt(2 * pi) * 1.5)` for i from 0 to 3.
@proc
def unsharp(H: size, W: size, inp: [f32][3, H + 6, W + 6], output: [f32][3, H, W]):
    assert stride(inp, 2) == 1
    assert stride(output, 2) == 1
    gray: f32[H + 6, W + 6]
    for y in seq(0, H + 6):
        for x in seq(0, W + 6):
            gray[y, x] = 0.299 * inp[0, y, x] + 0.587 * inp[1, y, x] + 0.114 * inp[2, y, x]
    blur_y: f32[H, W + 6]
    for y in seq(0, H):
        for x in seq(0, W + 6):
            blur_y[y, x] = (
                0.26596152 * gray[y + 3, x]
                + 0.21296534 * (gray[y + 2, x] + gray[y + 4, x])
                + 0.10934005 * (gray[y + 1, x] + gray[y + 5, x])
                + 0.035993978 * (gray[y, x] + gray[y + 6, x])
            )
    blur_x: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            blur_x[y, x] = (
                0.26596152 * blur_y[y, x + 3]
                + 0.21296534 * (blur_y[y, x + 2] + blur_y[y, x + 4])
                + 0.10934005 * (blur_y[y, x + 1] + blur_y[y, x + 5])
                + 0.035993978 * (blur_y[y, x] + blur_y[y, x + 6])
            )
    sharpen: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            sharpen[y, x] = 2.0 * gray[y + 3, x + 3] - blur_x[y, x]
    ratio: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            ratio[y, x] = sharpen[y, x] / gray[y + 3, x + 3]
    for y in seq(0, H):
        for c in seq(0, 3):
            for x in seq(0, W):
                output[c, y, x] = ratio[y, x] * inp[c, y + 3, x + 3]


@proc
def harris(H: size, W: size, inp: [f32][H + 4, W + 4], response: [f32][H, W]):
    assert stride(inp, 1) == 1
    assert stride(response, 1) == 1
    gx: f32[H + 2, W + 2]
    for y in seq(0, H + 2):
        for x in seq(0, W + 2):
            gx[y, x] = inp[y, x + 2] - inp[y, x] + 2.0 * (inp[y + 1, x + 2] - inp[y + 1, x]) + inp[y + 2, x + 2] - inp[y + 2, x]
    gy: f32[H + 2, W + 2]
    for y in seq(0, H + 2):
        for x in seq(0, W + 2):
            gy[y, x] = inp[y + 2, x] - inp[y, x] + 2.0 * (inp[y + 2, x + 1] - inp[y, x + 1]) + inp[y + 2, x + 2] - inp[y, x + 2]
    xx: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            xx[y, x] = (
                gx[y, x] * gx[y, x]
                + gx[y, x + 1] * gx[y, x + 1]
                + gx[y, x + 2] * gx[y, x + 2]
                + gx[y + 1, x] * gx[y + 1, x]
                + gx[y + 1, x + 1] * gx[y + 1, x + 1]
                + gx[y + 1, x + 2] * gx[y + 1, x + 2]
                + gx[y + 2, x] * gx[y + 2, x]
                + gx[y + 2, x + 1] * gx[y + 2, x + 1]
                + gx[y + 2, x + 2] * gx[y + 2, x + 2]
            )
    xy: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            xy[y, x] = (
                gx[y, x] * gy[y, x]
                + gx[y, x + 1] * gy[y, x + 1]
                + gx[y, x + 2] * gy[y, x + 2]
                + gx[y + 1, x] * gy[y + 1, x]
                + gx[y + 1, x + 1] * gy[y + 1, x + 1]
                + gx[y + 1, x + 2] * gy[y + 1, x + 2]
                + gx[y + 2, x] * gy[y + 2, x]
                + gx[y + 2, x + 1] * gy[y + 2, x + 1]
                + gx[y + 2, x + 2] * gy[y + 2, x + 2]
            )
    yy: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            yy[y, x] = (
                gy[y, x] * gy[y, x]
                + gy[y, x + 1] * gy[y, x + 1]
                + gy[y, x + 2] * gy[y, x + 2]
                + gy[y + 1, x] * gy[y + 1, x]
                + gy[y + 1, x + 1] * gy[y + 1, x + 1]
                + gy[y + 1, x + 2] * gy[y + 1, x + 2]
                + gy[y + 2, x] * gy[y + 2, x]
                + gy[y + 2, x + 1] * gy[y + 2, x + 1]
                + gy[y + 2, x + 2] * gy[y + 2, x + 2]
            )
    for y in seq(0, H):
        for x in seq(0, W):
            response[y, x] = xx[y, x] * yy[y, x] - xy[y, x] * xy[y, x] - 0.04 * (xx[y, x] + yy[y, x]) * (xx[y, x] + yy[y, x])
