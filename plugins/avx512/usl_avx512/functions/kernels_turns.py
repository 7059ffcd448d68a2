"""sin, cos and tan, in the object language: near procedures, and `kernels_wide` for f32 of 1024 and more.

x = k pi / 2 + (r + v), |r| <= pi / 4, with whole k; pi / 2 is taken in three parts, so that only the last product is rounded.
"""

from __future__ import annotations

from usl_avx512.functions.kernels_wide import sin_wide
from usl_avx512.tables import (
    cosine,
    cosine_f64,
    minus_tangent_f64,
    sine,
    sine_f64,
    sine_rest,
    sine_rest_f64,
    tangent_rest_f64,
)
from usl_core import proc


@proc
def sin_near_f32(n: size, x: [f32][n], y: [f32][n]):
    """S cos(r - v) + C sin(r - v) with S, C = sine and cosine of k pi / 8, k mod 16, from tables; S in two parts.

    Zeros keep their sign: v and the fma with 0 are +0 there, both parts of S and what is added to C r are -0.
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
        t = fma(x[i], 2.546479, 12582912.0)
        k = t - 12582912.0
        s = fma(k, -0.39269906282424927, x[i])
        p = k * 1.8873834051191807e-08
        r = s - p
        v = fma(k, 6.408360378986297e-13, (r - s) + p)
        q = bits(t)
        u = r * r
        p = fma(u, -0.008322584, 0.16666654)
        v = fma(u * r, p, v)
        c = fma(fma(u, 0.041585732, -0.4999989), u, 0.0)
        s = sine(q)
        p = cosine(q)
        c = fma(s, c, sine_rest(q))
        y[i] = s + fma(p, r, fma(-p, v, c))


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
        t = fma(x[i], 2.546479, 12582912.0)
        k = t - 12582912.0
        s = fma(k, -0.39269909262657166, x[i])
        p = k * -1.0928488336503506e-08
        r = s - p
        v = fma(k, -6.408360170642724e-13, (s - r) - p)
        q = bits(t) + 4
        u = r * r
        p = fma(u, 0.008322584, -0.16666654)
        v = fma(u * r, p, v)
        c = fma(u, 0.041585732, -0.4999989) * u
        s = sine(q)
        p = cosine(q)
        c = fma(s, c, sine_rest(q))
        p = s + fma(p, r, fma(p, v, c))
        y[i] = p


@proc
def tan_near_f32(n: size, x: [f32][n], y: [f32][n]):
    """t = tan(r - v) = r - (v + u (-r / 2 - r P(u) + 1.6 v)) with u = r^2, or one quarter of a turn on -1 / t.

    t is a sum of two numbers, and so is the quotient. Half of r stands apart, so that what is rounded beside it is small:
    with r (1 / 2 + P(u)) the error would be 1.17 ulp. tan^2 is 1.6 u near enough for what it is multiplied by, v. What is taken
    from r is +0 where x is a zero of either sign, and the first part of pi / 2 is too small, so that r has the sign of x there.
    """
    for i in seq(0, n):
        t: f32
        k: f32
        r: f32
        p: f32
        s: f32
        v: f32
        u: f32
        h: f32
        z: f32
        e: f32
        m: u32
        t = fma(x[i], 0.63661975, 12582912.0)
        k = t - 12582912.0
        s = fma(k, -1.5707962512969971, x[i])
        p = k * 7.549533620476723e-08
        r = s - p
        v = fma(k, 2.563344e-12, (r - s) + p)
        u = r * r
        p = fma(u, -0.004371655, -9.994648e-05)
        p = fma(p, u, -0.010826462)
        p = fma(p, u, -0.021286441)
        p = fma(p, u, -0.054058895)
        p = fma(p, u, -0.13332675)
        p = fma(p, u, 0.16666651)
        p = fma(r, p, v * 1.6)
        v = fma(u, r * -0.5, fma(u, p, v))
        h = r - v
        v = (r - h) - v
        z = -1.0 / h
        e = fma(z, v, fma(z, h, 1.0))
        z = fma(z, e, z)
        m = (bits(t) & 1) - 1
        y[i] = from_bits(bits(z) ^ ((bits(z) ^ bits(h)) & m))


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
        v = fma(k, 2.0557821170405322e-27, (r - s) + p)
        q = bits(t)
        u = r * r
        p = fma(u, -2.755165637859979e-06, 0.00019841269410730266)
        p = fma(p, u, -0.0083333333333211)
        p = fma(p, u, 0.16666666666666666)
        v = fma(u * r, p, v)
        c = fma(u, 2.479583788800711e-05, -0.0013888888509247862)
        c = fma(c, u, 0.04166666666658888)
        c = fma(fma(c, u, -0.5), u, 0.0)
        s = sine_f64(q)
        p = cosine_f64(q)
        c = fma(s, c, sine_rest_f64(q))
        p = s + fma(p, r, fma(-p, v, c))
        y[i] = from_bits(bits(p) ^ ((q << 59) & 9223372036854775808))


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
    """N = T + t and D = 1 - T t with T the tangent of k pi / 16, |k| <= 4, in two parts from tables, t = tan(r + v).

    The tangent is N / D = N + N (1 - D) / D, or one quarter of a turn on -D / N. N, t and 1 / N are sums of two numbers; one of
    the quotients -1 / D and -1 / N is computed, by the bits of m: k is counted from -4, so that its fourth bit tells. p + s is
    what of t is in p, exact, and so is r minus that.
    """
    for i in seq(0, n):
        a: f64
        t: f64
        k: f64
        r: f64
        p: f64
        s: f64
        v: f64
        u: f64
        e: f64
        w: f64
        c: f64
        z: f64
        h: f64
        q: u64
        m: u64
        a = abs(x[i])
        t = fma(a, 5.092958178940651, 6755399441055748.0)
        k = t - 6755399441055748.0
        s = fma(k, -0.19634954084936207, a)
        p = k * 7.654042492615175e-18
        r = s - p
        v = fma(k, -2.0557821170405322e-27, (s - r) - p)
        q = bits(t)
        u = r * r
        p = fma(u, 0.008966704233320489, 0.02186838527385921)
        p = fma(p, u, 0.053968259301645956)
        p = fma(p, u, 0.1333333333220875)
        p = fma(p, u, 0.33333333333334103)
        v = fma(u * r, p, v)
        t = r + v
        s = minus_tangent_f64(q)
        p = t - s
        e = ((r - (p + s)) + v) + tangent_rest_f64(q)
        c = s * t
        w = 1.0 + c
        m = ((q >> 3) & 1) - 1
        z = -1.0 / from_bits(bits(p) ^ ((bits(p) ^ bits(w)) & m))
        h = fma(z, p, 1.0) + fma(z, e, c)
        c = c * z
        h = from_bits(bits(h) ^ ((bits(h) ^ bits(c)) & m))
        z = from_bits(bits(z) ^ ((bits(z) ^ bits(p)) & m))
        e = from_bits(bits(e) & m)
        z = z + fma(z, h, e)
        y[i] = from_bits(bits(z) ^ (bits(x[i]) & 9223372036854775808))


@proc
def tan_f64(n: size, x: [f64][n], y: [f64][n]):
    """Near, or the C library's."""
    for i in seq(0, n):
        if abs(x[i]) < 1048576.0:
            tan_near_f64(1, x[i : i + 1], y[i : i + 1])
        else:
            y[i] = tan(x[i])
