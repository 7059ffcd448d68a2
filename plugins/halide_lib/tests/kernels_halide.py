"""Small procedures for the tests of directives."""

from __future__ import annotations

from usl_core import Procedure, proc, proc_from_source


@proc
def blur(H: size, W: size, inp: u16[H + 2, W + 2], out: u16[H, W]):
    blur_x: u16[H + 2, W]
    for y in seq(0, H + 2):
        for x in seq(0, W):
            blur_x[y, x] = (inp[y, x] + inp[y, x + 1] + inp[y, x + 2]) / 3
    for y in seq(0, H):
        for x in seq(0, W):
            out[y, x] = (blur_x[y, x] + blur_x[y + 1, x] + blur_x[y + 2, x]) / 3


@proc
def histogram(H: size, W: size, bins: size, image: i32[H, W], hist: i32[bins]):
    for b in seq(0, bins):
        hist[b] = 0
    for y in seq(0, H):
        for x in seq(0, W):
            hist[idx(image[y, x], 0, bins)] += 1


@proc
def scaled(n: size, inp: f32[n], b: f32[n], c: f32[n]):
    a: f32[n]
    for x in seq(0, n):
        a[x] = 2.0 * inp[x]
    for x in seq(0, n):
        b[x] = a[x] + 1.0
    for x in seq(0, n):
        c[x] = a[x]
    for x in seq(0, n - 1):
        c[x + 1] = c[x] + 1.0


def reduced(scalar: str, update: str) -> Procedure:
    """A copy, and an update of it that reduces three neighbours; `{}` in update is the value."""
    return proc_from_source(f"""
def reduced(N: size, inp: {scalar}[N + 2], out: {scalar}[N]):
    a: {scalar}[N]
    for x in seq(0, N):
        a[x] = inp[x]
    for x in seq(0, N):
        for r in seq(0, 3):
            a[x] {update.format("inp[x + r]")}
    for x in seq(0, N):
        out[x] = a[x]
""")


@proc
def roomy_blur(H: size, W: size, inp: u16[H + 6, W + 2], out: u16[H, W]):
    blur_x: u16[H + 2, W]
    for y in seq(0, H + 2):
        for x in seq(0, W):
            blur_x[y, x] = (inp[y, x] + inp[y, x + 1] + inp[y, x + 2]) / 3
    for y in seq(0, H):
        for x in seq(0, W):
            out[y, x] = (blur_x[y, x] + blur_x[y + 1, x] + blur_x[y + 2, x]) / 3


@proc
def weighted(N: size, inp: f32[N + 2], out: f32[N]):
    for x in seq(0, N):
        out[x] = 0.25 * inp[x] + 0.5 * inp[x + 1] + 0.25 * inp[x + 2]


@proc
def diagonal(N: size, inp: f32[N + 1, N + 2], out: f32[N]):
    a: f32[N + 1, N + 2]
    for y in seq(0, N + 1):
        for x in seq(0, N + 2):
            a[y, x] = 2.0 * inp[y, x]
    for x in seq(0, N):
        out[x] = a[x, x] + a[x + 1, x + 2]
