"""Small procedures for the tests of directives."""

from __future__ import annotations

from usl_core import proc


@proc
def blur(H: size, W: size, inp: u16[H + 2, W + 2], out: u16[H, W]):
    blur_x: u16[H + 2, W]
    for y in seq(0, H + 2):
        for x in seq(0, W):
            blur_x[y, x] = (inp[y, x] + inp[y, x + 1] + inp[y, x + 2]) / 3
    for y in seq(0, H):
        for x in seq(0, W):
            out[y, x] = (blur_x[y, x] + blur_x[y + 1, x] + blur_x[y + 2, x]) / 3
