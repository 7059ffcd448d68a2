"""What the later sections of the demonstration compute: plain loop nests, as users write them.

A blur of two stages, whose second reads a halo of the first, and two procedures whose indices and branches depend on data.
"""

from __future__ import annotations

from usl_core import proc


@proc
def two_stage_blur(H: size, W: size, src: u16[H + 2, W + 2], dst: u16[H, W]):
    rows: u32[H + 2, W]
    for y in seq(0, H + 2):
        for x in seq(0, W):
            rows[y, x] = u32(src[y, x]) + u32(src[y, x + 1]) + u32(src[y, x + 2])
    for y in seq(0, H):
        for x in seq(0, W):
            dst[y, x] = u16((rows[y, x] + rows[y + 1, x] + rows[y + 2, x]) / 9)


@proc
def histogram(n: size, bins: size, x: i32[n], count: i32[bins]):
    for b in seq(0, bins):
        count[b] = 0
    for i in seq(0, n):
        count[idx(x[i], 0, bins)] += 1


@proc
def argmax(n: size, x: f32[n], best: i32):
    top: f32
    top = x[0]
    best = 0
    for i in seq(1, n):
        if x[i] > top:
            top = x[i]
            best = i32(i)  # noqa: F841 (a result: scalars are passed by reference)
