"""Programs of the table as procedures written by hand, for the same schedules."""

from __future__ import annotations

from usl_core import proc


@proc
def matmul(n: size, p: size, m: size, A: f32[n, m], B: f32[m, p], t: f32[n, p]):
    for i in seq(0, n):
        for i_2 in seq(0, p):
            total: f32
            total = 0.0
            for i_3 in seq(0, m):
                total += A[i, i_3] * B[i_3, i_2]
            t[i, i_2] = total


@proc
def fig7(k: size, n: size, m: size, A: f32[k, n, m], t: f32[k, 2, n]):
    for i in seq(0, k):
        for j in seq(0, n):
            total: f32
            product: f32
            total = 0.0
            product = 1.0
            for e in seq(0, m):
                total += A[i, j, e]
                product *= A[i, j, e]
            t[i, 0, j] = total
            t[i, 1, j] = product


@proc
def sobol(n: size, d: size, v: u32[d, 32], t: u32[n, d]):
    for i in seq(0, n):
        for j in seq(0, d):
            x: u32
            g: u32
            x = 0
            g = u32(i) ^ (u32(i) >> 1)
            for bit in seq(0, 32):
                x = x ^ (v[j, bit] & (0 - (g & 1)))
                g = g >> 1
            t[i, j] = x


@proc
def scanned(n: size, x: f32[n], t: f32[n]):
    total: f32
    total = 0.0
    for i in seq(0, n):
        total += x[i]
        t[i] = total


@proc
def filtered(n: size, x: f32[n], k: i64[1], t: f32[n]):
    kept: i64
    kept = 0
    for i in seq(0, n):
        item: f32
        keep: i32
        item = x[i]
        keep = select(0.0, item, 1, 0)
        t[idx(kept, 0, n)] = item
        kept += select(0, keep, 1, 0)
    k[0] = kept


@proc
def nbody(n: size, x: f32[n], y: f32[n], z: f32[n], mass: f32[n], ax: f32[n], ay: f32[n], az: f32[n]):
    for i in seq(0, n):
        sx: f32
        sy: f32
        sz: f32
        sx = 0.0
        sy = 0.0
        sz = 0.0
        for j in seq(0, n):
            dx: f32
            dy: f32
            dz: f32
            r2: f32
            s: f32
            dx = x[j] - x[i]
            dy = y[j] - y[i]
            dz = z[j] - z[i]
            r2 = dx * dx + dy * dy + dz * dz + 0.01
            s = mass[j] / (r2 * sqrt(r2))
            sx += dx * s
            sy += dy * s
            sz += dz * s
        ax[i] = sx
        ay[i] = sy
        az[i] = sz
