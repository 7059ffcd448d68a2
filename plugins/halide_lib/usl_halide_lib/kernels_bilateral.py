"""A bilateral filter by a grid: pixels are summed in cells of 8 by 8 places and a tenth of the brightness, cells are blurred.

Reference: Chen, Paris and Durand 2007. The grid has half a cell more on each side than pixels, and two cells more for the blur;
of 20 places of brightness 11 receive pixels, from the third on.
"""

from __future__ import annotations

from usl_core import fragment, proc


@fragment
def five(a, b, c, d, e):
    """Five neighbours with the weights of a binomial filter."""
    return a + 4.0 * b + 6.0 * c + 4.0 * d + e


@fragment
def lerp(a, b, t):
    """The way from a to b, as far as t."""
    return a + t * (b - a)


@proc
def bilateral_grid(H: size, W: size, inp: [f32][H, W], out: [f32][H, W]):
    assert stride(inp, 1) == 1
    assert stride(out, 1) == 1
    bright: f32[8 * ((H + 7) / 8) + 40, 8 * ((W + 7) / 8) + 40]
    for y in seq(0, 8 * ((H + 7) / 8) + 40):
        for x in seq(0, 8 * ((W + 7) / 8) + 40):
            bright[y, x] = min(max(inp[min(max(y - 20, 0), H - 1), min(max(x - 20, 0), W - 1)], 0.0), 1.0)
    place: i32[8 * ((H + 7) / 8) + 40, 8 * ((W + 7) / 8) + 40]
    for y in seq(0, 8 * ((H + 7) / 8) + 40):
        for x in seq(0, 8 * ((W + 7) / 8) + 40):
            place[y, x] = i32(bright[y, x] * 10.0 + 2.5)
    grid: f32[(H + 7) / 8 + 5, (W + 7) / 8 + 5, 2, 20]
    for y in seq(0, (H + 7) / 8 + 5):
        for x in seq(0, (W + 7) / 8 + 5):
            for c in seq(0, 2):
                for z in seq(0, 20):
                    grid[y, x, c, z] = 0.0
    for y in seq(0, (H + 7) / 8 + 5):
        for x in seq(0, (W + 7) / 8 + 5):
            for v in seq(0, 8):
                for u in seq(0, 8):
                    grid[y, x, 0, idx(place[8 * y + v, 8 * x + u], 0, 20)] += bright[8 * y + v, 8 * x + u]
                    grid[y, x, 1, idx(place[8 * y + v, 8 * x + u], 0, 20)] += 1.0
    blur_z: f32[(H + 7) / 8 + 5, (W + 7) / 8 + 5, 2, 16]
    for y in seq(0, (H + 7) / 8 + 5):
        for x in seq(0, (W + 7) / 8 + 5):
            for c in seq(0, 2):
                for z in seq(0, 16):
                    blur_z[y, x, c, z] = five(
                        grid[y, x, c, z], grid[y, x, c, z + 1], grid[y, x, c, z + 2], grid[y, x, c, z + 3], grid[y, x, c, z + 4]
                    )
    blur_x: f32[(H + 7) / 8 + 5, (W + 7) / 8 + 1, 2, 16]
    for y in seq(0, (H + 7) / 8 + 5):
        for x in seq(0, (W + 7) / 8 + 1):
            for c in seq(0, 2):
                for z in seq(0, 16):
                    blur_x[y, x, c, z] = five(
                        blur_z[y, x, c, z],
                        blur_z[y, x + 1, c, z],
                        blur_z[y, x + 2, c, z],
                        blur_z[y, x + 3, c, z],
                        blur_z[y, x + 4, c, z],
                    )
    blur_y: f32[(H + 7) / 8 + 1, (W + 7) / 8 + 1, 2, 16]
    for y in seq(0, (H + 7) / 8 + 1):
        for x in seq(0, (W + 7) / 8 + 1):
            for c in seq(0, 2):
                for z in seq(0, 16):
                    blur_y[y, x, c, z] = five(
                        blur_x[y, x, c, z],
                        blur_x[y + 1, x, c, z],
                        blur_x[y + 2, x, c, z],
                        blur_x[y + 3, x, c, z],
                        blur_x[y + 4, x, c, z],
                    )
    down: f32[H]
    for y in seq(0, H):
        down[y] = f32(y % 8) * 0.125
    cells: f32[H, 32 * ((W + 7) / 8) + 32]
    for y in seq(0, H):
        for x in seq(0, (W + 7) / 8 + 1):
            for c in seq(0, 2):
                for z in seq(0, 16):
                    cells[y, 32 * x + 16 * c + z] = lerp(blur_y[y / 8, x, c, z], blur_y[y / 8 + 1, x, c, z], down[y])
    part: f32[W]
    for x in seq(0, W):
        part[x] = f32(x % 8) * 0.125
    first: i32[W]
    for x in seq(0, W):
        first[x] = i32(x / 8) * 32
    level: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            level[y, x] = min(max(inp[y, x], 0.0), 1.0) * 10.0
    above: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            above[y, x] = level[y, x] - f32(i32(level[y, x]))
    at: i32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            at[y, x] = first[x] + i32(level[y, x])
    total: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            total[y, x] = lerp(
                lerp(
                    cells[y, idx(at[y, x], 0, 32 * ((W + 7) / 8) + 32)],
                    cells[y, idx(at[y, x] + 32, 0, 32 * ((W + 7) / 8) + 32)],
                    part[x],
                ),
                lerp(
                    cells[y, idx(at[y, x] + 1, 0, 32 * ((W + 7) / 8) + 32)],
                    cells[y, idx(at[y, x] + 33, 0, 32 * ((W + 7) / 8) + 32)],
                    part[x],
                ),
                above[y, x],
            )
    count: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            count[y, x] = lerp(
                lerp(
                    cells[y, idx(at[y, x] + 16, 0, 32 * ((W + 7) / 8) + 32)],
                    cells[y, idx(at[y, x] + 48, 0, 32 * ((W + 7) / 8) + 32)],
                    part[x],
                ),
                lerp(
                    cells[y, idx(at[y, x] + 17, 0, 32 * ((W + 7) / 8) + 32)],
                    cells[y, idx(at[y, x] + 49, 0, 32 * ((W + 7) / 8) + 32)],
                    part[x],
                ),
                above[y, x],
            )
    for y in seq(0, H):
        for x in seq(0, W):
            out[y, x] = total[y, x] / count[y, x]
