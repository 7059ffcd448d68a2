"""sin, cos and tan, in the object language: near procedures, and `kernels_wide` for f32 of 4096 and more.

x = k pi / 2 + (r + v), |r| <= pi / 4, with whole k; pi / 2 is taken in three parts, so that only the last product is rounded.
"""

from __future__ import annotations

from usl_avx512.functions.kernels_wide import pow_wide, sin_wide
from usl_core import proc


@proc
def sin_near_f32(n: size, x: [f32][n], y: [f32][n]):
    """r + (v + r^3 P(u)) or 1 + (u Q(u) - d / 2), with the sign of k's second bit; u is r^2 rounded, u + d is (r + v)^2."""
    for i in seq(0, n):
        t: f32
        k: f32
        r: f32
        p: f32
        s: f32
        v: f32
        u: f32
        c: f32
        q: u32
        t = fma(x[i], 0.63661977, 12582912.0)
        k = t - 12582912.0
        s = fma(k, -1.5707963705062866, x[i])
        p = k * -4.371395334601402e-08
        r = s - p
        v = fma(k, -2.5633440682570896e-12, (s - r) - p)
        u = r * r
        p = fma(u, -0.00019517995, 0.008332188)
        p = fma(p, u, -0.16666655)
        p = r + fma(p, u * r, v)
        c = fma(u, 2.4432296e-05, -0.001388731)
        c = fma(c, u, 0.041666646)
        c = fma(c, u, -0.5)
        v = fma(v + v, r, fma(r, r, 0.0 - u))
        c = 1.0 + fma(c, u, v * -0.5)
        q = bits(t)
        p = select(q & 1, 1, p, c)
        q = (q & 2) << 30
        y[i] = select(abs(x[i]), 0.0001, x[i], from_bits(bits(p) ^ q))


@proc
def cos_near_f32(n: size, x: [f32][n], y: [f32][n]):
    """As the sine, one quarter of a turn on."""
    for i in seq(0, n):
        t: f32
        k: f32
        r: f32
        p: f32
        s: f32
        v: f32
        u: f32
        c: f32
        q: u32
        t = fma(x[i], 0.63661977, 12582912.0)
        k = t - 12582912.0
        s = fma(k, -1.5707963705062866, x[i])
        p = k * -4.371395334601402e-08
        r = s - p
        v = fma(k, -2.5633440682570896e-12, (s - r) - p)
        u = r * r
        p = fma(u, -0.00019517995, 0.008332188)
        p = fma(p, u, -0.16666655)
        p = r + fma(p, u * r, v)
        c = fma(u, 2.4432296e-05, -0.001388731)
        c = fma(c, u, 0.041666646)
        c = fma(c, u, -0.5)
        v = fma(v + v, r, fma(r, r, 0.0 - u))
        c = 1.0 + fma(c, u, v * -0.5)
        q = bits(t) + 1
        p = select(q & 1, 1, p, c)
        q = (q & 2) << 30
        y[i] = from_bits(bits(p) ^ q)


@proc
def tan_near_f32(n: size, x: [f32][n], y: [f32][n]):
    """The quotient of sine and cosine, or of cosine and minus sine. Both are sums of two numbers; the quotient is corrected."""
    for i in seq(0, n):
        t: f32
        k: f32
        r: f32
        p: f32
        s: f32
        v: f32
        u: f32
        c: f32
        d: f32
        g: f32
        h: f32
        q: u32
        t = fma(x[i], 0.63661977, 12582912.0)
        k = t - 12582912.0
        s = fma(k, -1.5707963705062866, x[i])
        p = k * -4.371395334601402e-08
        r = s - p
        v = fma(k, -2.5633440682570896e-12, (s - r) - p)
        u = r * r
        h = fma(u, -0.5, 1.0)
        p = fma(u, 2.8326267e-06, -0.00019853067)
        p = fma(p, u, 0.008333379)
        p = fma(p, u, -0.16666667)
        p = fma(p, u * r, v * h)
        s = r + p
        p = (r - s) + p
        g = fma(u, 2.4432296e-05, -0.001388731)
        g = fma(g, u, 0.041666646)
        v = fma(v + v, r, fma(r, r, 0.0 - u))
        d = fma(u, -0.5, 1.0 - h)
        d = fma(g, u * u, fma(v, -0.5, d))
        c = h + d
        d = (h - c) + d
        q = bits(t) & 1
        g = select(q, 1, s, 0.0 - c)
        v = select(q, 1, p, 0.0 - d)
        c = select(q, 1, c, s)
        d = select(q, 1, d, p)
        h = 1.0 / c
        t = g * h
        v = fma(0.0 - t, d, fma(0.0 - t, c, g) + v)
        y[i] = select(abs(x[i]), 0.0001, x[i], fma(v, h, t))


@proc
def sin_f32(n: size, x: [f32][n], y: [f32][n]):
    """Near or wide."""
    for i in seq(0, n):
        a: f64[1]
        z: f64[1]
        b: f64[1]
        if abs(x[i]) < 4096.0:
            sin_near_f32(1, x[i : i + 1], y[i : i + 1])
        else:
            a[0] = f64(x[i])
            z[0] = 0.0
            sin_wide(1, a[0:1], z[0:1], b[0:1])
            y[i] = f32(b[0])


@proc
def cos_f32(n: size, x: [f32][n], y: [f32][n]):
    """Near or wide."""
    for i in seq(0, n):
        a: f64[1]
        z: f64[1]
        b: f64[1]
        if abs(x[i]) < 4096.0:
            cos_near_f32(1, x[i : i + 1], y[i : i + 1])
        else:
            a[0] = f64(x[i])
            z[0] = 1.0
            sin_wide(1, a[0:1], z[0:1], b[0:1])
            y[i] = f32(b[0])


@proc
def tan_f32(n: size, x: [f32][n], y: [f32][n]):
    """Near, or the quotient of sine and cosine."""
    for i in seq(0, n):
        a: f64[1]
        z: f64[1]
        b: f64[1]
        c: f64[1]
        if abs(x[i]) < 4096.0:
            tan_near_f32(1, x[i : i + 1], y[i : i + 1])
        else:
            a[0] = f64(x[i])
            z[0] = 0.0
            sin_wide(1, a[0:1], z[0:1], b[0:1])
            z[0] = 1.0
            sin_wide(1, a[0:1], z[0:1], c[0:1])
            y[i] = f32(b[0] / c[0])


@proc
def pow_f32(n: size, x: [f32][n], z: [f32][n], y: [f32][n]):
    """x^z."""
    for i in seq(0, n):
        a: f64[1]
        b: f64[1]
        c: f64[1]
        a[0] = f64(x[i])
        b[0] = f64(z[i])
        pow_wide(1, a[0:1], b[0:1], c[0:1])
        y[i] = f32(c[0])


@proc
def sin_near_f64(n: size, x: [f64][n], y: [f64][n]):
    """As on f32."""
    for i in seq(0, n):
        t: f64
        k: f64
        r: f64
        p: f64
        s: f64
        v: f64
        u: f64
        c: f64
        q: u64
        t = fma(x[i], 0.6366197723675814, 6755399441055744.0)
        k = t - 6755399441055744.0
        s = fma(k, -1.5707963267948966, x[i])
        p = k * 6.12323399409214e-17
        r = s - p
        v = fma(k, -1.6446256936324258e-26, (s - r) - p)
        u = r * r
        p = fma(u, 1.589679933070034e-10, -2.505075855593153e-08)
        p = fma(p, u, 2.7557313697850385e-06)
        p = fma(p, u, -0.00019841269829837287)
        p = fma(p, u, 0.008333333333322474)
        p = fma(p, u, -0.16666666666666632)
        p = r + fma(p, u * r, v)
        c = fma(u, -1.135988589299188e-11, 2.087572850282731e-09)
        c = fma(c, u, -2.755731439656289e-07)
        c = fma(c, u, 2.4801587289660878e-05)
        c = fma(c, u, -0.0013888888888874465)
        c = fma(c, u, 0.0416666666666666)
        c = fma(c, u, -0.5)
        v = fma(v + v, r, fma(r, r, 0.0 - u))
        c = 1.0 + fma(c, u, v * -0.5)
        q = bits(t)
        p = select(q & 1, 1, p, c)
        q = (q & 2) << 62
        y[i] = select(abs(x[i]), 1e-9, x[i], from_bits(bits(p) ^ q))


@proc
def sin_f64(n: size, x: [f64][n], y: [f64][n]):
    """Near, or the C library's."""
    for i in seq(0, n):
        if abs(x[i]) < 1048576.0:
            sin_near_f64(1, x[i : i + 1], y[i : i + 1])
        else:
            y[i] = sin(x[i])


@proc
def cos_near_f64(n: size, x: [f64][n], y: [f64][n]):
    """As the sine, one quarter of a turn on."""
    for i in seq(0, n):
        t: f64
        k: f64
        r: f64
        p: f64
        s: f64
        v: f64
        u: f64
        c: f64
        q: u64
        t = fma(x[i], 0.6366197723675814, 6755399441055744.0)
        k = t - 6755399441055744.0
        s = fma(k, -1.5707963267948966, x[i])
        p = k * 6.12323399409214e-17
        r = s - p
        v = fma(k, -1.6446256936324258e-26, (s - r) - p)
        u = r * r
        p = fma(u, 1.589679933070034e-10, -2.505075855593153e-08)
        p = fma(p, u, 2.7557313697850385e-06)
        p = fma(p, u, -0.00019841269829837287)
        p = fma(p, u, 0.008333333333322474)
        p = fma(p, u, -0.16666666666666632)
        p = r + fma(p, u * r, v)
        c = fma(u, -1.135988589299188e-11, 2.087572850282731e-09)
        c = fma(c, u, -2.755731439656289e-07)
        c = fma(c, u, 2.4801587289660878e-05)
        c = fma(c, u, -0.0013888888888874465)
        c = fma(c, u, 0.0416666666666666)
        c = fma(c, u, -0.5)
        v = fma(v + v, r, fma(r, r, 0.0 - u))
        c = 1.0 + fma(c, u, v * -0.5)
        q = bits(t) + 1
        p = select(q & 1, 1, p, c)
        q = (q & 2) << 62
        y[i] = from_bits(bits(p) ^ q)


@proc
def cos_f64(n: size, x: [f64][n], y: [f64][n]):
    """Near, or the C library's."""
    for i in seq(0, n):
        if abs(x[i]) < 1048576.0:
            cos_near_f64(1, x[i : i + 1], y[i : i + 1])
        else:
            y[i] = cos(x[i])
