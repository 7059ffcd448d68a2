"""exp, log and their like on f64, in the object language: as `kernels_f32`, with longer polynomials.

Each is within 1 ulp of the function; NaN, infinities, zeros and subnormal numbers are IEEE's (docs/functions.md).
"""

from __future__ import annotations

from usl_avx512.externs import logb, mantissa, scaleb
from usl_avx512.tables import (
    cbrt_inverse_f64,
    cbrt_root_f64,
    erf_0_f64,
    erf_1_f64,
    erf_2_f64,
    erf_3_f64,
    erf_4_f64,
    erf_5_f64,
    erf_6_f64,
    erf_7_f64,
    erf_8_f64,
    erf_9_f64,
    erf_10_f64,
    erf_11_f64,
    erf_12_f64,
    erf_at_f64,
    ln_high_f64,
    ln_low_f64,
    log2_high_f64,
    log2_low_f64,
    mantissa_inverse_f64,
    root_of_two_f64,
    root_of_two_rest_f64,
)
from usl_core import proc


@proc
def exp_f64(n: size, x: [f64][n], y: [f64][n]):
    """2^k e^r with k = rint(x / ln 2), so that |r| <= ln 2 / 2. ln 2 is taken in two parts, the first one of 42 bits."""
    for i in seq(0, n):
        v: f64
        k: f64
        r: f64
        p: f64
        v = max(-746.0, min(710.0, x[i]))
        k = rint(v * 1.4426950408889634)
        r = fma(k, -0.6931471805598903, v)
        r = fma(k, -5.497923018708371e-14, r)
        p = fma(r, 2.5113331211421618e-08, 2.7631521356475967e-07)
        p = fma(p, r, 2.7557230994522806e-06)
        p = fma(p, r, 2.4801489183438713e-05)
        p = fma(p, r, 0.00019841269900349134)
        p = fma(p, r, 0.0013888888947858557)
        p = fma(p, r, 0.008333333333315466)
        p = fma(p, r, 0.04166666666651159)
        p = fma(p, r, 0.16666666666666685)
        p = fma(p, r, 0.5000000000000013)
        p = fma(p, r, 1.0)
        p = fma(p, r, 1.0)
        y[i] = scaleb(p, k)


@proc
def exp2_f64(n: size, x: [f64][n], y: [f64][n]):
    """2^k 2^r with k = rint(x)."""
    for i in seq(0, n):
        v: f64
        k: f64
        r: f64
        p: f64
        v = max(-1076.0, x[i])
        k = rint(v)
        r = v - k
        p = fma(r, 4.4603637105392504e-10, 7.0735596770334614e-09)
        p = fma(p, r, 1.0178021291886068e-07)
        p = fma(p, r, 1.3215436785188416e-06)
        p = fma(p, r, 1.5252733948813772e-05)
        p = fma(p, r, 0.0001540353045352207)
        p = fma(p, r, 0.0013333558146255413)
        p = fma(p, r, 0.009618129107597668)
        p = fma(p, r, 0.05550410866482261)
        p = fma(p, r, 0.2402265069591012)
        p = fma(p, r, 0.6931471805599453)
        p = fma(p, r, 1.0)
        y[i] = scaleb(p, k)


@proc
def expm1_f64(n: size, x: [f64][n], y: [f64][n]):
    """As on f32; below 2^-54 it is x."""
    for i in seq(0, n):
        v: f64
        t: f64
        k: f64
        r1: f64
        c: f64
        r: f64
        p: f64
        o: f64
        u: f64
        s: f64
        v = max(-40.0, min(709.9, x[i]))
        t = fma(v, 1.4426950408889634, 6755399441055744.0)
        k = t - 6755399441055744.0
        r1 = fma(k, -0.6931471805598903, v)
        c = k * -5.497923018708371e-14
        r = r1 + c
        u = r * r
        p = fma(u, 2.0886982679354775e-09, 2.7557340736901366e-07)
        p = fma(p, u, 2.4801587274733355e-05)
        p = fma(p, u, 0.0013888888888894284)
        p = fma(p, u, 0.041666666666666685)
        o = fma(u, 2.5106841837314753e-08, 2.755724846884736e-06)
        o = fma(o, u, 0.00019841269883717956)
        o = fma(o, u, 0.008333333333322087)
        o = fma(o, u, 0.16666666666666677)
        p = fma(p, u, o * r) + 0.5
        p = fma((r1 - r) + c, r, fma(u, p, c))
        s = from_bits((bits(t) << 52) + 4602678819172646912)
        t = s - 0.5
        k = fma(s, r1, t)
        p = k + fma(s, p, fma(s, r1, (t - k) + ((s - t) - 0.5)))
        y[i] = select(abs(v), 5.551115123125783e-17, v, p + p)


@proc
def log_f64(n: size, x: [f64][n], y: [f64][n]):
    """As on f32."""
    for i in seq(0, n):
        m: f64
        e: f64
        r: f64
        p: f64
        o: f64
        u: f64
        w: f64
        q: u64
        m = mantissa(x[i])
        e = logb(x[i])
        q = bits(m) >> 48
        r = fma(m, mantissa_inverse_f64(q), -1.0)
        u = r * r
        p = fma(u, -0.10064236189877421, -0.12499886883428103)
        p = fma(p, u, -0.1666666672878027)
        p = fma(p, u, -0.2499999999999248)
        p = fma(p, u, -0.5)
        o = fma(u, 0.0863438205671688, 0.11115388691109507)
        o = fma(o, u, 0.14285704810035857)
        o = fma(o, u, 0.20000000007473004)
        o = fma(o, u, 0.33333333333331555)
        p = fma(o, r, p)
        w = fma(e, 2.8235290563031577e-13, ln_low_f64(q))
        w = fma(u, p, w)
        y[i] = fma(e, 0.693147180559663, ln_high_f64(q)) + (r + w)


@proc
def log2_f64(n: size, x: [f64][n], y: [f64][n]):
    """As on f32."""
    for i in seq(0, n):
        m: f64
        e: f64
        r: f64
        p: f64
        o: f64
        u: f64
        q: u64
        m = mantissa(x[i])
        e = logb(x[i])
        q = bits(m) >> 48
        r = fma(m, mantissa_inverse_f64(q), -1.0)
        u = r * r
        p = fma(u, 0.1602378738943561, 0.20610026169460455)
        p = fma(p, u, 0.28853900704019175)
        p = fma(p, u, 0.48089834696335737)
        p = fma(p, u, 2.833903248369168e-18)
        o = fma(u, -0.1294481305605248, -0.18038311055887593)
        o = fma(o, u, -0.2404491246216135)
        o = fma(o, u, -0.36067376024258474)
        o = fma(o, u, -0.7213475204444791)
        p = fma(o, r, p)
        p = fma(p, r, log2_low_f64(q))
        y[i] = (e + log2_high_f64(q)) + fma(r, 1.4426950408889634, p)


@proc
def log1p_f64(n: size, x: [f64][n], y: [f64][n]):
    """As on f32."""
    for i in seq(0, n):
        v: f64
        m: f64
        e: f64
        h: f64
        c: f64
        r: f64
        p: f64
        o: f64
        u: f64
        w: f64
        s: f64
        q: u64
        v = x[i] + 1.0
        m = mantissa(v)
        e = logb(v)
        q = bits(m)
        s = from_bits((q - bits(v)) + 4607182418800017408)
        c = max((x[i] - (v - 1.0)) * s, -2.220446049250313e-16)
        q = q >> 48
        s = mantissa_inverse_f64(q)
        h = fma(m, s, -1.0)
        c = c * s
        r = h + c
        u = r * r
        p = fma(u, -0.10064236189877421, -0.12499886883428103)
        p = fma(p, u, -0.1666666672878027)
        p = fma(p, u, -0.2499999999999248)
        p = fma(p, u, -0.5)
        o = fma(u, 0.0863438205671688, 0.11115388691109507)
        o = fma(o, u, 0.14285704810035857)
        o = fma(o, u, 0.20000000007473004)
        o = fma(o, u, 0.33333333333331555)
        p = fma(o, r, p)
        w = fma(e, 2.8235290563031577e-13, ln_low_f64(q))
        w = fma(u, p, w) + ((h - r) + c)
        p = fma(e, 0.693147180559663, ln_high_f64(q)) + (r + w)
        y[i] = from_bits(bits(p) | (bits(x[i]) & 9223372036854775808))


@proc
def tanh_f64(n: size, x: [f64][n], y: [f64][n]):
    """-E / (2 + E), E = e^(-2 |x|) - 1, with the sign of x. E and 2 + E are sums of two numbers; the quotient is corrected."""
    for i in seq(0, n):
        v: f64
        k: f64
        r1: f64
        c: f64
        r: f64
        p: f64
        h: f64
        a: f64
        b: f64
        d: f64
        q: f64
        t: f64
        s: u64
        v = max(-40.0, abs(x[i]) * -2.0)
        k = rint(v * 1.4426950408889634)
        r1 = fma(k, -0.6931471805598903, v)
        c = k * -5.497923018708371e-14
        r = r1 + c
        p = fma(r, 2.092557135695336e-09, 2.5111795520180606e-08)
        p = fma(p, r, 2.755723906840232e-07)
        p = fma(p, r, 2.755723569604255e-06)
        p = fma(p, r, 2.4801587364577327e-05)
        p = fma(p, r, 0.000198412698953421)
        p = fma(p, r, 0.0013888888888865473)
        p = fma(p, r, 0.008333333333317585)
        p = fma(p, r, 0.0416666666666667)
        p = fma(p, r, 0.16666666666666682)
        p = fma(p, r, 0.5)
        p = fma((r1 - r) + c, r, fma(r * r, p, c))
        h = scaleb(1.0, k)
        a = h - 1.0
        b = fma(h, r1, h - (a + 1.0))
        p = h * p
        d = a + b
        b = (a - d) + b
        a = d + p
        b = ((d - a) + p) + b
        d = a + 2.0
        c = ((2.0 - d) + a) + b
        q = 1.0 / d
        t = a * q
        p = fma(0.0 - t, d, a) + fma(0.0 - t, c, b)
        t = fma(p, q, t)
        s = (bits(t) & 9223372036854775807) | (bits(x[i]) & 9223372036854775808)
        y[i] = from_bits(s)


@proc
def erf_f64(n: size, x: [f64][n], y: [f64][n]):
    """A polynomial in |x| - b of 12th degree, its coefficients and b from tables, on slices of 3 / 8 from 5 / 16 on.

    Below, where b is 0, it is that of erf x - x. From 5.93 on the value is 1. b is such that erf b and its derivative are
    nearly f64.
    """
    for i in seq(0, n):
        a: f64
        d: f64
        p: f64
        q: u64
        a = min(5.93, abs(x[i]))
        q = bits(fma(a - 0.125, 2.6666666666666665, 6755399441055744.0))
        d = a - erf_at_f64(q)
        p = fma(erf_12_f64(q), d, erf_11_f64(q))
        p = fma(p, d, erf_10_f64(q))
        p = fma(p, d, erf_9_f64(q))
        p = fma(p, d, erf_8_f64(q))
        p = fma(p, d, erf_7_f64(q))
        p = fma(p, d, erf_6_f64(q))
        p = fma(p, d, erf_5_f64(q))
        p = fma(p, d, erf_4_f64(q))
        p = fma(p, d, erf_3_f64(q))
        p = fma(p, d, erf_2_f64(q))
        p = fma(p, d, erf_1_f64(q))
        p = fma(p, d, select(0.3125, a, erf_0_f64(q), a))
        y[i] = from_bits(bits(p) | (bits(x[i]) & 9223372036854775808))


@proc
def sigmoid_f64(n: size, x: [f64][n], y: [f64][n]):
    """As on f32; above 37.45 it is 1."""
    for i in seq(0, n):
        v: f64
        k: f64
        r1: f64
        c: f64
        r: f64
        p: f64
        o: f64
        u: f64
        g: f64
        d: f64
        z: f64
        v = max(-746.0, min(37.45, x[i]))
        k = rint(v * 1.4426950408889634)
        r1 = fma(k, 0.6931471805598903, 0.0 - v)
        c = k * 5.497923018708371e-14
        r = r1 + c
        u = r * r
        p = fma(u, 2.0886982679354775e-09, 2.7557340736901366e-07)
        p = fma(p, u, 2.4801587274733355e-05)
        p = fma(p, u, 0.0013888888888894284)
        p = fma(p, u, 0.041666666666666685)
        p = fma(p, u, 0.5)
        o = fma(u, 2.5106841837314753e-08, 2.755724846884736e-06)
        o = fma(o, u, 0.00019841269883717956)
        o = fma(o, u, 0.008333333333322087)
        o = fma(o, u, 0.16666666666666677)
        p = r1 + fma(u, fma(o, r, p), c)
        c = scaleb(1.0, k)
        g = c + 1.0
        d = g + p
        p = (g - d) + p
        p = p + (c - (g - 1.0))
        z = 1.0 / d
        p = fma(z, p, fma(z, d, -1.0))
        y[i] = scaleb(fma(0.0 - z, p, z), k)


@proc
def rsqrt_f64(n: size, x: [f64][n], y: [f64][n]):
    """As on f32."""
    for i in seq(0, n):
        r: f64
        t: f64
        e: f64
        r = 1.0 / sqrt(x[i])
        t = x[i] * r
        e = fma(fma(x[i], r, 0.0 - t), 0.0 - r, fma(0.0 - t, r, 1.0))
        y[i] = select(abs(e), 0.5, fma(r * 0.5, e, r), r)


@proc
def cbrt_f64(n: size, x: [f64][n], y: [f64][n]):
    """As on f32."""
    for i in seq(0, n):
        m: f64
        e: f64
        k: f64
        r: f64
        p: f64
        h: f64
        f: f64
        a: f64
        q: u64
        j: u64
        m = mantissa(abs(x[i]))
        e = logb(x[i])
        k = rint(fma(e, 0.3333333333333333, -0.3333333333333333))
        j = bits(fma(k, -3.0, e) + 4503599627370496.0)
        q = bits(m) >> 48
        r = fma(m, cbrt_inverse_f64(q), -1.0)
        p = fma(r, 0.012119862204610152, -0.01582493310624371)
        p = fma(p, r, 0.019005343068358327)
        p = fma(p, r, -0.02347212781997129)
        p = fma(p, r, 0.030178322222202687)
        p = fma(p, r, -0.041152263269400885)
        p = fma(p, r, 0.06172839506339657)
        p = fma(p, r, -0.11111111111114011)
        p = fma(p, r, 0.33333333333333315)
        p = p * r
        h = cbrt_root_f64(q)
        f = root_of_two_f64(j)
        a = h * f
        f = fma(h, root_of_two_rest_f64(j), fma(h, f, 0.0 - a))
        a = a + fma(a, p, f)
        y[i] = from_bits(bits(scaleb(a, k)) | (bits(x[i]) & 9223372036854775808))
