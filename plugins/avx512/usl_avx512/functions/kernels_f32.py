"""exp, log and their like on f32, in the object language: what `usl_avx512.functions` schedules and compiles.

Each is correct within 1 ulp for all inputs, NaN, infinities, zeros and subnormal numbers included (docs/functions.md). Only
operations that are rounded once are used, so that vectors and plain C give the same bits. Coefficients are minimax, rounded to
f32 one after another from the lowest.
"""

from __future__ import annotations

from usl_avx512.externs import logb, mantissa, scaleb
from usl_avx512.tables import (
    cbrt_inverse,
    cbrt_root,
    ln_high,
    ln_low,
    log2_high,
    log2_low,
    mantissa_inverse,
    root_of_two,
    tanh_0,
    tanh_1,
    tanh_2,
    tanh_3,
    tanh_4,
    tanh_5,
    tanh_at,
)
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
    """2 (s (e^r - 1) + (s - 1/2)) with s = 2^(k-1), k and r as in exp; below 2^-25 it is x.

    e^r - 1 is r1 and something small; s - 1/2 is a sum of two numbers, and so is s r1 + s - 1/2.
    """
    for i in seq(0, n):
        v: f32
        t: f32
        k: f32
        r1: f32
        c: f32
        r: f32
        p: f32
        s: f32
        v = max(-18.0, min(89.0, x[i]))
        t = fma(v, 1.44269504, 12582912.0)
        k = t - 12582912.0
        r1 = fma(k, -0.693145751953125, v)
        c = k * -1.42860677e-06
        r = r1 + c
        p = fma(r, 0.00019727905, 0.0013932234)
        p = fma(p, r, 0.008333582)
        p = fma(p, r, 0.041666493)
        p = fma(p, r, 0.16666666)
        p = fma(p, r, 0.5)
        p = fma(r * r, p, c)
        s = from_bits((bits(t) << 23) + 1056964608)
        t = s - 0.5
        k = fma(s, r1, t)
        p = k + fma(s, p, fma(s, r1, (t - k) + ((s - t) - 0.5)))
        y[i] = select(abs(v), 2.9802322e-8, v, p + p)


@proc
def tanh_f32(n: size, x: [f32][n], y: [f32][n]):
    """A polynomial in d = |x| - b for each of 32 slices of |x|, with the sign of x: t0 + (t1 d + d^2 P(d)), t0 = tanh b."""
    for i in seq(0, n):
        a: f32
        d: f32
        p: f32
        q: u32
        a = min(15.5, abs(x[i]))
        q = bits(max(a, 0.0625)) >> 21
        d = a - tanh_at(q)
        p = fma(tanh_5(q), d, tanh_4(q))
        p = fma(p, d, tanh_3(q))
        p = fma(p, d, tanh_2(q))
        p = fma(d, tanh_1(q), d * d * p) + tanh_0(q)
        y[i] = from_bits(bits(p) | (bits(x[i]) & 2147483648))


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
    """k ln 2 - log c + log(1 + r): x = 2^k m, c near 1 / m from a table, r = m c - 1 exactly, log(1 + r) = r + r^2 P(r).

    k ln 2 - log c is a sum of two numbers, the first one of which is exact.
    """
    for i in seq(0, n):
        m: f32
        e: f32
        r: f32
        p: f32
        w: f32
        q: u32
        m = mantissa(x[i])
        e = logb(x[i])
        q = bits(m) >> 18
        r = fma(m, mantissa_inverse(q), -1.0)
        p = fma(r, -0.24596234, 0.3334173)
        p = fma(p, r, -0.5000011)
        w = fma(e, 1.4286068e-06, ln_low(q))
        w = fma(r * r, p, w)
        y[i] = fma(e, 0.693145751953125, ln_high(q)) + (r + w)


@proc
def log2_f32(n: size, x: [f32][n], y: [f32][n]):
    """k - log2 c + log2(1 + r), c and r as in log; log2(1 + r) = r / ln 2 + r Q(r), Q being small."""
    for i in seq(0, n):
        m: f32
        e: f32
        r: f32
        p: f32
        q: u32
        m = mantissa(x[i])
        e = logb(x[i])
        q = bits(m) >> 18
        r = fma(m, mantissa_inverse(q), -1.0)
        p = fma(r, -0.35478887, 0.48104316)
        p = fma(p, r, -0.72134936)
        p = fma(p, r, 8.220525e-09)
        p = fma(p, r, log2_low(q))
        y[i] = (e + log2_high(q)) + fma(r, 1.442695, p)


@proc
def log1p_f32(n: size, x: [f32][n], y: [f32][n]):
    """As log of u = 1 + x, with what u lost, c, added to r, in the size of m; where u is infinite, c is not."""
    for i in seq(0, n):
        u: f32
        m: f32
        e: f32
        h: f32
        c: f32
        r: f32
        p: f32
        w: f32
        s: f32
        q: u32
        u = x[i] + 1.0
        m = mantissa(u)
        e = logb(u)
        q = bits(m)
        s = from_bits((q - bits(u)) + 1065353216)
        c = max((x[i] - (u - 1.0)) * s, -1.1920929e-07)
        q = q >> 18
        s = mantissa_inverse(q)
        h = fma(m, s, -1.0)
        c = c * s
        r = h + c
        p = fma(r, -0.24596234, 0.3334173)
        p = fma(p, r, -0.5000011)
        w = fma(e, 1.4286068e-06, ln_low(q))
        w = fma(r * r, p, w)
        w = w + ((h - r) + c)
        p = fma(e, 0.693145751953125, ln_high(q)) + (r + w)
        y[i] = from_bits(bits(p) | (bits(x[i]) & 2147483648))


@proc
def sigmoid_f32(n: size, x: [f32][n], y: [f32][n]):
    """2^-k / (2^-k + e^r) with e^-x = 2^k e^r. The denominator is a sum of two numbers; its inverse is corrected.

    2^-k + 1 is a sum of two numbers, too. Above 17.35 it is 1.
    """
    for i in seq(0, n):
        v: f32
        k: f32
        r1: f32
        c: f32
        r: f32
        p: f32
        g: f32
        d: f32
        z: f32
        v = max(-105.0, min(17.35, x[i]))
        k = rint(v * 1.44269504)
        r1 = fma(k, 0.693145751953125, 0.0 - v)
        c = k * 1.42860677e-06
        r = r1 + c
        p = fma(r, 0.0013835597, 0.008367129)
        p = fma(p, r, 0.041667756)
        p = fma(p, r, 0.16666539)
        p = fma(p, r, 0.49999997)
        p = r1 + fma(r * r, p, c)
        c = scaleb(1.0, k)
        g = c + 1.0
        d = g + p
        p = (g - d) + p
        p = p + (c - (g - 1.0))
        z = 1.0 / d
        p = fma(z, p, fma(z, d, -1.0))
        y[i] = scaleb(fma(0.0 - z, p, z), k)


@proc
def cbrt_f32(n: size, x: [f32][n], y: [f32][n]):
    """2^k 2^(j/3) m^(1/3) with |x| = 2^(3k + j) m; m^(1/3) = c^(-1/3) (1 + r P(r)) with r = m c - 1, the rest from tables.

    The product of the two roots in tables is a sum of two numbers.
    """
    for i in seq(0, n):
        m: f32
        e: f32
        k: f32
        r: f32
        p: f32
        h: f32
        f: f32
        a: f32
        q: u32
        j: u32
        m = mantissa(abs(x[i]))
        e = logb(x[i])
        k = rint(fma(e, 0.33333334, -0.33333334))
        j = bits(fma(k, -3.0, e) + 8388608.0)
        q = bits(m) >> 18
        r = fma(m, cbrt_inverse(q), -1.0)
        p = fma(r, 0.06071139, -0.111124456)
        p = fma(p, r, 0.33333358)
        p = p * r
        h = cbrt_root(q)
        f = root_of_two(j)
        a = h * f
        a = a + fma(a, p, fma(h, f, 0.0 - a))
        y[i] = from_bits(bits(scaleb(a, k)) | (bits(x[i]) & 2147483648))
