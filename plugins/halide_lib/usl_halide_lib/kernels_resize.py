"""Separable resizing: each row of the result is a weighted sum of rows, each pixel of it a weighted sum of that row's."""

from __future__ import annotations

from usl_core import proc


@proc
def resize(
    H: size,
    W: size,
    N: size,
    M: size,
    V: size,
    U: size,
    inp: [f32][H, W],
    rows: i32[N, V],
    down: f32[N, V],
    columns: i32[U, M],
    across: f32[U, M],
    out: [f32][N, M],
):
    assert stride(inp, 1) == 1
    assert stride(out, 1) == 1
    high: f32[N, W]
    for y in seq(0, N):
        for x in seq(0, W):
            high[y, x] = 0.0
    for y in seq(0, N):
        for v in seq(0, V):
            for x in seq(0, W):
                high[y, x] += down[y, v] * inp[idx(rows[y, v], 0, H), x]
    tall: f32[N, W]
    for y in seq(0, N):
        for x in seq(0, W):
            tall[y, x] = high[y, x]
    wide: f32[N, M]
    for y in seq(0, N):
        for x in seq(0, M):
            wide[y, x] = 0.0
    for y in seq(0, N):
        for u in seq(0, U):
            for x in seq(0, M):
                wide[y, x] += across[u, x] * tall[y, idx(columns[u, x], 0, W)]
    for y in seq(0, N):
        for x in seq(0, M):
            out[y, x] = wide[y, x]
