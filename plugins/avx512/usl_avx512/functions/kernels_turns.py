"""sin, cos and tan, in the object language: near procedures, and `kernels_wide` for f32 of 1024 and more.

x = k pi / 2 + (r + v), |r| <= pi / 4, with whole k; pi / 2 is taken in three parts, so that only the last product is rounded.
"""

from __future__ import annotations

from usl_avx512.functions.kernels_wide import sin_wide
from usl_avx512.tables import (
    cosine,
    cosine_f64,
    sine,
    sine_f64,
    sine_rest,
    sine_rest_f64,
)
from usl_core import proc


@proc
def sin_near_f32(n: size, x: [f32][n], y: [f32][n]):
    """S cos(r + v) + C sin(r + v) with S, C = sine and cosine of k pi / 32, k mod 32, from tables; S in two parts.

    Odd multiples of pi turn the sign: k's sixth bit.
    """
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
        t = fma(x[i], 10.185916, 12582912.0)
        k = t - 12582912.0
        s = fma(k, -0.09817477315664291, x[i])
        p = k * -2.7321220841258764e-09
        r = s - p
        v = fma(k, -1.602090042668156e-13, (s - r) - p)
        q = bits(t)
        u = r * r
        v = fma(u * r, -0.1666495, v)
        c = fma(u, 0.04166358, -0.5) * u
        s = sine(q)
        p = cosine(q)
        c = fma(s, c, sine_rest(q))
        p = s + fma(p, r, fma(p, v, c))
        q = (q << 26) & 2147483648
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
        t = fma(x[i], 10.185916, 12582912.0)
        k = t - 12582912.0
        s = fma(k, -0.09817477315664291, x[i])
        p = k * -2.7321220841258764e-09
        r = s - p
        v = fma(k, -1.602090042668156e-13, (s - r) - p)
        q = bits(t) + 16
        u = r * r
        v = fma(u * r, -0.1666495, v)
        c = fma(u, 0.04166358, -0.5) * u
        s = sine(q)
        p = cosine(q)
        c = fma(s, c, sine_rest(q))
        p = s + fma(p, r, fma(p, v, c))
        y[i] = from_bits(bits(p) ^ ((q << 26) & 2147483648))


@proc
def tan_near_f32(n: size, x: [f32][n], y: [f32][n]):
    """T = tan(r + v) or -1 / T. T = r + (r P(u) + e), a sum of two numbers; the inverse is corrected. u is r^2, rounded.

    e is v tan' r, and r P'(u) times what u lost, both roughly.
    """
    for i in seq(0, n):
        t: f32
        k: f32
        r: f32
        p: f32
        s: f32
        v: f32
        u: f32
        w: f32
        z: f32
        q: u32
        t = fma(x[i], 0.63661977, 12582912.0)
        k = t - 12582912.0
        s = fma(k, -1.5707963705062866, x[i])
        p = k * -4.371395334601402e-08
        r = s - p
        v = fma(k, -2.5633440682570896e-12, (s - r) - p)
        u = r * r
        p = fma(u, 0.0043720766, 9.9261255e-05)
        p = fma(p, u, 0.010826856)
        p = fma(p, u, 0.021286348)
        p = fma(p, u, 0.054058902)
        p = fma(p, u, 0.13332675)
        p = fma(u, 0.3333335, u * u * p)
        v = fma(fma(r, r, 0.0 - u) * r, 0.57, v * fma(u, 1.62, 1.0))
        w = fma(p, r, v)
        q = bits(t) & 1
        t = r + w
        w = (r - t) + w
        z = -1.0 / t
        z = fma(z, fma(z, w, fma(z, t, 1.0)), z)
        z = select(q, 1, t, z)
        y[i] = select(abs(x[i]), 0.0001, x[i], z)


@proc
def sin_f32(n: size, x: [f32][n], y: [f32][n]):
    """Near or wide."""
    for i in seq(0, n):
        a: f64[1]
        z: f64[1]
        b: f64[1]
        if abs(x[i]) < 1024.0:
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
        if abs(x[i]) < 1024.0:
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
        if abs(x[i]) < 1024.0:
            tan_near_f32(1, x[i : i + 1], y[i : i + 1])
        else:
            a[0] = f64(x[i])
            z[0] = 0.0
            sin_wide(1, a[0:1], z[0:1], b[0:1])
            z[0] = 1.0
            sin_wide(1, a[0:1], z[0:1], c[0:1])
            y[i] = f32(b[0] / c[0])


@proc
def sin_near_f64(n: size, x: [f64][n], y: [f64][n]):
    """As on f32, with multiples of pi / 16: their fifth bit turns the sign."""
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
        t = fma(x[i], 5.092958178940651, 6755399441055744.0)
        k = t - 6755399441055744.0
        s = fma(k, -0.19634954084936207, x[i])
        p = k * 7.654042492615175e-18
        r = s - p
        v = fma(k, -2.0557821170405322e-27, (s - r) - p)
        q = bits(t)
        u = r * r
        p = fma(u, 2.755165637859979e-06, -0.00019841269410730266)
        p = fma(p, u, 0.0083333333333211)
        p = fma(p, u, -0.16666666666666666)
        v = fma(u * r, p, v)
        c = fma(u, 2.479583788800711e-05, -0.0013888888509247862)
        c = fma(c, u, 0.04166666666658888)
        c = fma(c, u, -0.5) * u
        s = sine_f64(q)
        p = cosine_f64(q)
        c = fma(s, c, sine_rest_f64(q))
        p = s + fma(p, r, fma(p, v, c))
        q = (q << 59) & 9223372036854775808
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
        t = fma(x[i], 5.092958178940651, 6755399441055744.0)
        k = t - 6755399441055744.0
        s = fma(k, -0.19634954084936207, x[i])
        p = k * 7.654042492615175e-18
        r = s - p
        v = fma(k, -2.0557821170405322e-27, (s - r) - p)
        q = bits(t) + 8
        u = r * r
        p = fma(u, 2.755165637859979e-06, -0.00019841269410730266)
        p = fma(p, u, 0.0083333333333211)
        p = fma(p, u, -0.16666666666666666)
        v = fma(u * r, p, v)
        c = fma(u, 2.479583788800711e-05, -0.0013888888509247862)
        c = fma(c, u, 0.04166666666658888)
        c = fma(c, u, -0.5) * u
        s = sine_f64(q)
        p = cosine_f64(q)
        c = fma(s, c, sine_rest_f64(q))
        p = s + fma(p, r, fma(p, v, c))
        y[i] = from_bits(bits(p) ^ ((q << 59) & 9223372036854775808))


@proc
def cos_f64(n: size, x: [f64][n], y: [f64][n]):
    """Near, or the C library's."""
    for i in seq(0, n):
        if abs(x[i]) < 1048576.0:
            cos_near_f64(1, x[i : i + 1], y[i : i + 1])
        else:
            y[i] = cos(x[i])


@proc
def tan_near_f64(n: size, x: [f64][n], y: [f64][n]):
    """As on f32."""
    for i in seq(0, n):
        t: f64
        k: f64
        r: f64
        p: f64
        s: f64
        v: f64
        u: f64
        w: f64
        z: f64
        q: u64
        t = fma(x[i], 0.6366197723675814, 6755399441055744.0)
        k = t - 6755399441055744.0
        s = fma(k, -1.5707963267948966, x[i])
        p = k * 6.12323399409214e-17
        r = s - p
        v = fma(k, -1.6446256936324258e-26, (s - r) - p)
        u = r * r
        w = u * u
        p = fma(w, 9.791894818935884e-06, 4.8606238929887216e-05)
        p = fma(p, w, 6.722971264331181e-05)
        p = fma(p, w, 0.00024376099466362911)
        p = fma(p, w, 0.0014560466061478807)
        p = fma(p, w, 0.008863237942965117)
        p = fma(p, w, 0.0539682539729527)
        s = fma(w, -2.4250336858149457e-05, -2.5620535425964076e-05)
        s = fma(s, w, 8.354425737042903e-05)
        s = fma(s, w, 0.0005888605776370682)
        s = fma(s, w, 0.0035921006966548362)
        s = fma(s, w, 0.021869488397932825)
        s = fma(s, w, 0.13333333333325273)
        p = fma(u, 0.3333333333333338, w * fma(p, u, s))
        v = fma(fma(r, r, 0.0 - u) * r, 0.57, v * fma(u, 1.62, 1.0))
        w = fma(p, r, v)
        q = bits(t) & 1
        t = r + w
        w = (r - t) + w
        z = -1.0 / t
        z = fma(z, fma(z, w, fma(z, t, 1.0)), z)
        z = select(q, 1, t, z)
        y[i] = select(abs(x[i]), 1e-9, x[i], z)


@proc
def tan_f64(n: size, x: [f64][n], y: [f64][n]):
    """Near, or the C library's."""
    for i in seq(0, n):
        if abs(x[i]) < 1048576.0:
            tan_near_f64(1, x[i : i + 1], y[i : i + 1])
        else:
            y[i] = tan(x[i])
