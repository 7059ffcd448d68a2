"""exp, log and their like on f32, in the object language: what `usl_avx512.functions` schedules and compiles.

Each is correct within 1 ulp for all inputs, NaN, infinities, zeros and subnormal numbers included (docs/functions.md). Only
operations that are rounded once are used, so that vectors and plain C give the same bits. Coefficients are minimax, rounded to
f32 one after another from the lowest.
"""

from __future__ import annotations

from usl_avx512.externs import logb, mantissa, scaleb
from usl_core import proc


@proc
def exp_f32(n: size, x: [f32][n], y: [f32][n]):
    """2^k e^r with k = rint(x / ln 2), so that |r| <= ln 2 / 2. ln 2 is taken in two parts, the first one of 16 bits.

    Below -104 all is 0. Above, k * ln 2 may be far off where 2^k is infinite anyway; e^inf is scaleb(NaN, inf).
    """
    for i in seq(0, n):
        v: f32
        k: f32
        r: f32
        p: f32
        v = max(-104.0, x[i])
        k = rint(v * 1.44269504)
        r = fma(k, -0.693145751953125, v)
        r = fma(k, -1.42860677e-06, r)
        p = fma(r, 0.00138373603, 0.00836922135)
        p = fma(p, r, 0.0416681804)
        p = fma(p, r, 0.166665226)
        p = fma(p, r, 0.49999994)
        p = fma(p, r, 1.0)
        p = fma(p, r, 1.0)
        y[i] = scaleb(p, k)


@proc
def exp2_f32(n: size, x: [f32][n], y: [f32][n]):
    """2^k 2^r with k = rint(x)."""
    for i in seq(0, n):
        v: f32
        k: f32
        r: f32
        p: f32
        v = max(-151.0, x[i])
        k = rint(v)
        r = v - k
        p = fma(r, 0.00015721079, 0.0013409)
        p = fma(p, r, 0.009617211)
        p = fma(p, r, 0.05550289)
        p = fma(p, r, 0.24022655)
        p = fma(p, r, 0.69314724)
        p = fma(p, r, 1.0)
        y[i] = scaleb(p, k)


@proc
def expm1_f32(n: size, x: [f32][n], y: [f32][n]):
    """2^k (e^r - 1 + g) with g = 1 - 2^-k, k and r as in exp; below 2^-25 it is x.

    e^r - 1 is r and something small, w. For k = 1, r + g is exact; for greater k it is r + 1, and w - 2^-k is small; for
    negative k r + w comes first.
    """
    for i in seq(0, n):
        v: f32
        k: f32
        r1: f32
        c: f32
        r: f32
        p: f32
        w: f32
        g: f32
        h: f32
        v = max(-18.0, min(89.0, x[i]))
        k = rint(v * 1.44269504)
        r1 = fma(k, -0.693145751953125, v)
        c = k * -1.42860677e-06
        r = r1 + c
        p = fma(r, 0.00019955076, 0.0013935422)
        p = fma(p, r, 0.008333196)
        p = fma(p, r, 0.04166646)
        p = fma(p, r, 0.16666667)
        p = fma(p, r, 0.5)
        w = fma((r1 - r) + c, r, fma(r * r, p, c))
        h = scaleb(1.0, 0.0 - k)
        g = select(h, 0.3, 1.0, 1.0 - h)
        w = select(h, 0.3, w - h, w)
        w = scaleb(r1 + select(h, 0.7, g, w) + select(h, 0.7, w, g), k)
        y[i] = select(abs(v), 2.9802322e-8, v, w)


@proc
def tanh_f32(n: size, x: [f32][n], y: [f32][n]):
    """x + x^3 P(x^2) below 1, else 1 - 2 / (e^(2 |x|) + 1) with the sign of x."""
    for i in seq(0, n):
        u: f32
        q: f32
        a: f32
        k: f32
        r: f32
        p: f32
        s: u32
        u = x[i] * x[i]
        q = fma(u, 0.00012454254, -0.0008540455)
        q = fma(q, u, 0.0031008003)
        q = fma(q, u, -0.008615206)
        q = fma(q, u, 0.02179493)
        q = fma(q, u, -0.053955954)
        q = fma(q, u, 0.1333324)
        q = fma(q, u, -0.3333333)
        a = abs(x[i])
        q = fma(q * u, a, a)
        k = rint(a * 2.88539008)
        r = fma(k, -0.693145751953125, a + a)
        r = fma(k, -1.42860677e-06, r)
        p = fma(r, 0.00138373603, 0.00836922135)
        p = fma(p, r, 0.0416681804)
        p = fma(p, r, 0.166665226)
        p = fma(p, r, 0.49999994)
        p = fma(p, r, 1.0)
        p = fma(p, r, 1.0)
        p = 1.0 - 2.0 / (scaleb(p, k) + 1.0)
        s = bits(select(a, 1.0, q, p)) | (bits(x[i]) & 2147483648)
        y[i] = from_bits(s)


@proc
def rsqrt_f32(n: size, x: [f32][n], y: [f32][n]):
    """r = 1 / sqrt(x), and r times half of 1 - x r^2 more; that is NaN where x is 0 or infinite."""
    for i in seq(0, n):
        r: f32
        t: f32
        e: f32
        r = 1.0 / sqrt(x[i])
        t = x[i] * r
        e = fma(fma(x[i], r, 0.0 - t), 0.0 - r, fma(0.0 - t, r, 1.0))
        y[i] = select(abs(e), 0.5, fma(r * 0.5, e, r), r)


@proc
def erf_f32(n: size, x: [f32][n], y: [f32][n]):
    """x + x P(x^2) below 1, else 1 - e^Q(|x|) with the sign of x; from 4 on it is 1."""
    for i in seq(0, n):
        u: f32
        q: f32
        a: f32
        v: f32
        t: f32
        k: f32
        r: f32
        p: f32
        s: u32
        u = x[i] * x[i]
        q = fma(u, 7.8074925e-05, -0.00079979235)
        q = fma(q, u, 0.005187164)
        q = fma(q, u, -0.026853347)
        q = fma(q, u, 0.11283579)
        q = fma(q, u, -0.37612626)
        q = fma(q, u, 0.12837917)
        q = fma(q, x[i], x[i])
        a = abs(x[i])
        a = min(4.0, a)
        v = fma(a, -1.1825596e-07, 4.095721e-07)
        v = fma(v, a, -1.0747946e-05)
        v = fma(v, a, 0.0003238098)
        v = fma(v, a, -0.003668202)
        v = fma(v, a, 0.023838354)
        v = fma(v, a, -0.1063325)
        v = fma(v, a, -0.6350961)
        v = fma(v, a, -1.1286604)
        t = v * a
        k = rint(t * 1.44269504)
        r = fma(k, -0.693145751953125, t)
        r = r + fma(k, -1.42860677e-06, fma(v, a, 0.0 - t))
        p = fma(r, 0.00138373603, 0.00836922135)
        p = fma(p, r, 0.0416681804)
        p = fma(p, r, 0.166665226)
        p = fma(p, r, 0.49999994)
        p = fma(p, r, 1.0)
        p = fma(p, r, 1.0)
        p = 1.0 - scaleb(p, k)
        s = bits(p) | (bits(x[i]) & 2147483648)
        y[i] = select(a, 1.0, q, from_bits(s))


@proc
def log_f32(n: size, x: [f32][n], y: [f32][n]):
    """k ln 2 + (f + f^2 P(f)) with x = 2^k (1 + f) and f in [-1/4, 1/2); both terms are sums of two numbers."""
    for i in seq(0, n):
        m: f32
        e: f32
        k: f32
        f: f32
        p: f32
        g: f32
        m = mantissa(x[i])
        e = logb(x[i])
        k = select(m, 1.0, e + 1.0, e)
        f = m - 1.0
        p = fma(f, -0.0446698, 0.104016826)
        p = fma(p, f, -0.13131146)
        p = fma(p, f, 0.1447665)
        p = fma(p, f, -0.16650014)
        p = fma(p, f, 0.19991419)
        p = fma(p, f, -0.25000048)
        p = fma(p, f, 0.33333436)
        p = fma(p, f, -0.5)
        p = f * f * p
        g = f + p
        p = fma(k, 0.693147182, g) + fma(k, -1.90465421e-09, (f - g) + p)
        y[i] = select(abs(k), 200.0, p, k + f)


@proc
def log2_f32(n: size, x: [f32][n], y: [f32][n]):
    """k + (f + f^2 P(f)) / ln 2, k and f as in log; the second term is a sum of two numbers, f^2 too."""
    for i in seq(0, n):
        m: f32
        e: f32
        k: f32
        f: f32
        p: f32
        g: f32
        h: f32
        t: f32
        m = mantissa(x[i])
        e = logb(x[i])
        k = select(m, 1.0, e + 1.0, e)
        f = m - 1.0
        p = fma(f, -0.0446698, 0.104016826)
        p = fma(p, f, -0.13131146)
        p = fma(p, f, 0.1447665)
        p = fma(p, f, -0.16650014)
        p = fma(p, f, 0.19991419)
        p = fma(p, f, -0.25000048)
        p = fma(p, f, 0.33333436)
        h = f * f
        p = fma(fma(f, f, 0.0 - h), -0.5, h * f * p)
        h = h * -0.5
        g = f + h
        p = ((f - g) + h) + p
        t = g * 1.44269502
        p = fma(g, 1.44269502, 0.0 - t) + fma(g, 1.92596299e-08, p * 1.44269502)
        g = k + t
        p = g + (((k - g) + t) + p)
        y[i] = select(abs(k), 2000.0, p, k + f)


@proc
def log1p_f32(n: size, x: [f32][n], y: [f32][n]):
    """As log of u = 1 + x, with what u lost, c, added to f; below 2^-25 it is x."""
    for i in seq(0, n):
        u: f32
        c: f32
        m: f32
        e: f32
        k: f32
        f: f32
        p: f32
        g: f32
        u = x[i] + 1.0
        c = select(x[i], 1000000000.0, x[i] - (u - 1.0), 0.0)
        m = mantissa(u)
        e = logb(u)
        k = select(m, 1.0, e + 1.0, e)
        f = (m - 1.0) + scaleb(c, min(30.0, 0.0 - k))
        p = fma(f, -0.0446698, 0.104016826)
        p = fma(p, f, -0.13131146)
        p = fma(p, f, 0.1447665)
        p = fma(p, f, -0.16650014)
        p = fma(p, f, 0.19991419)
        p = fma(p, f, -0.25000048)
        p = fma(p, f, 0.33333436)
        p = fma(p, f, -0.5)
        p = f * f * p
        g = f + p
        p = fma(k, 0.693147182, g) + fma(k, -1.90465421e-09, (f - g) + p)
        p = select(abs(k), 200.0, p, k + f)
        y[i] = select(abs(x[i]), 2.9802322e-8, x[i], p)


@proc
def sigmoid_f32(n: size, x: [f32][n], y: [f32][n]):
    """1 / (1 + E) or E / (1 + E) with E = e^-|x|. E and the denominator are sums of two numbers; the quotient is corrected."""
    for i in seq(0, n):
        v: f32
        k: f32
        r1: f32
        c: f32
        r: f32
        p: f32
        w: f32
        h: f32
        hl: f32
        d: f32
        dl: f32
        q: f32
        z: f32
        v = max(-104.0, 0.0 - abs(x[i]))
        k = rint(v * 1.44269504)
        r1 = fma(k, -0.693145751953125, v)
        c = k * -1.42860677e-06
        r = r1 + c
        p = fma(r, 0.00138373603, 0.00836922135)
        p = fma(p, r, 0.0416681804)
        p = fma(p, r, 0.166665226)
        p = fma(p, r, 0.49999994)
        p = fma(r * r, p, c)
        w = r1 + p
        h = 1.0 + w
        hl = ((1.0 - h) + w) + ((r1 - w) + p)
        h = scaleb(h, k)
        hl = scaleb(hl, k)
        d = 1.0 + h
        dl = ((1.0 - d) + h) + hl
        q = 1.0 / d
        h = select(x[i], 0.0, h, 1.0)
        hl = select(x[i], 0.0, hl, 0.0)
        z = h * q
        hl = fma(0.0 - z, d, h) + fma(0.0 - z, dl, hl)
        y[i] = fma(hl, q, z)


@proc
def cbrt_f32(n: size, x: [f32][n], y: [f32][n]):
    """2^k cbrt(m) with |x| = 2^3k m: a polynomial to 13 bits, then Halley's step from the exact rest d = m - c^3."""
    for i in seq(0, n):
        m: f32
        e: f32
        k: f32
        c: f32
        h: f32
        d: f32
        s: u32
        m = mantissa(abs(x[i]))
        e = logb(x[i])
        e = select(m, 1.0, e + 1.0, e)
        k = floor(fma(e, 0.33333334, 0.1))
        e = fma(k, -3.0, e)
        c = fma(m, 0.049712017, -0.26307243)
        c = fma(c, m, 0.7110651)
        c = fma(c, m, 0.50233436)
        c = c * select(e, 0.5, 1.0, select(e, 1.5, 1.2599211, 1.587401))
        m = scaleb(m, e)
        h = c * c
        d = fma(0.0 - h, c, m)
        d = fma(0.0 - fma(c, c, 0.0 - h), c, d)
        c = fma(c * d, 1.0 / fma(d, -2.0, m * 3.0), c)
        s = bits(scaleb(c, k)) | (bits(x[i]) & 2147483648)
        y[i] = select(abs(k), 60.0, from_bits(s), x[i])
