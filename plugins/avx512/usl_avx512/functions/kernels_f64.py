"""exp, log and their like on f64, in the object language: as `kernels_f32`, with longer polynomials.

Each is within 1 ulp of the function; NaN, infinities, zeros and subnormal numbers are IEEE's (docs/functions.md).
"""

from __future__ import annotations

from usl_avx512.externs import logb, mantissa, scaleb
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
    """2^k (e^r - 1 + g) with g = 1 - 2^-k, added as in `expm1_f32`; below 2^-54 it is x."""
    for i in seq(0, n):
        v: f64
        k: f64
        r1: f64
        c: f64
        r: f64
        p: f64
        w: f64
        g: f64
        h: f64
        v = max(-40.0, min(711.0, x[i]))
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
        w = fma((r1 - r) + c, r, fma(r * r, p, c))
        h = scaleb(1.0, 0.0 - k)
        g = select(h, 0.3, 1.0, 1.0 - h)
        w = select(h, 0.3, w - h, w)
        w = scaleb(r1 + select(h, 0.7, g, w) + select(h, 0.7, w, g), k)
        y[i] = select(abs(v), 5.551115123125783e-17, v, w)


@proc
def log_f64(n: size, x: [f64][n], y: [f64][n]):
    """k ln 2 + log(1 + f), x = 2^k (1 + f), f in [-1/4, 1/2): log(1 + f) = f - (g - s (g + R(s^2))).

    s = f / (2 + f), g = f^2 / 2. g is a sum of two numbers, and so are f - g and k ln 2 + (f - g).
    """
    for i in seq(0, n):
        m: f64
        e: f64
        k: f64
        f: f64
        s: f64
        u: f64
        p: f64
        g: f64
        h: f64
        t: f64
        m = mantissa(x[i])
        e = logb(x[i])
        k = select(m, 1.0, e + 1.0, e)
        f = m - 1.0
        s = f / (m + 1.0)
        u = s * s
        p = fma(u, 0.13803168537955426, 0.13180197284785797)
        p = fma(p, u, 0.15390666373766831)
        p = fma(p, u, 0.1818168162912002)
        p = fma(p, u, 0.22222223986013057)
        p = fma(p, u, 0.285714285591693)
        p = fma(p, u, 0.4000000000003906)
        p = fma(p, u, 0.6666666666666663)
        h = f * 0.5
        g = h * f
        p = fma(p, u, g)
        p = fma(s, p, 0.0 - fma(h, f, 0.0 - g))
        t = k * 0.6931471805598903
        h = f - g
        p = p + ((f - h) - g)
        g = t + h
        p = p + (h - (g - t))
        p = fma(k, 5.497923018708371e-14, p)
        g = g + p
        y[i] = select(abs(k), 2000.0, g, k + f)


@proc
def log2_f64(n: size, x: [f64][n], y: [f64][n]):
    """k + log(1 + f) / ln 2, with log(1 + f) as in the logarithm, a sum of two numbers."""
    for i in seq(0, n):
        m: f64
        e: f64
        k: f64
        f: f64
        s: f64
        u: f64
        p: f64
        g: f64
        h: f64
        t: f64
        m = mantissa(x[i])
        e = logb(x[i])
        k = select(m, 1.0, e + 1.0, e)
        f = m - 1.0
        s = f / (m + 1.0)
        u = s * s
        p = fma(u, 0.13803168537955426, 0.13180197284785797)
        p = fma(p, u, 0.15390666373766831)
        p = fma(p, u, 0.1818168162912002)
        p = fma(p, u, 0.22222223986013057)
        p = fma(p, u, 0.285714285591693)
        p = fma(p, u, 0.4000000000003906)
        p = fma(p, u, 0.6666666666666663)
        h = f * 0.5
        g = h * f
        p = fma(p, u, g)
        p = fma(s, p, 0.0 - fma(h, f, 0.0 - g))
        h = f - g
        p = p + ((f - h) - g)
        t = h * 1.4426950408889634
        p = fma(h, 1.4426950408889634, 0.0 - t) + fma(h, 2.0355273740931033e-17, p * 1.4426950408889634)
        g = k + t
        g = g + (((k - g) + t) + p)
        y[i] = select(abs(k), 2000.0, g, k + f)


@proc
def log1p_f64(n: size, x: [f64][n], y: [f64][n]):
    """As the logarithm of u = 1 + x, with what u lost, c, added in the first order: c / u; below 2^-54 it is x."""
    for i in seq(0, n):
        v: f64
        c: f64
        m: f64
        e: f64
        k: f64
        f: f64
        s: f64
        u: f64
        p: f64
        g: f64
        h: f64
        t: f64
        v = x[i] + 1.0
        c = select(x[i], 1e18, select(x[i], 1.0, x[i] - (v - 1.0), 1.0 - (v - x[i])), 0.0)
        m = mantissa(v)
        e = logb(v)
        k = select(m, 1.0, e + 1.0, e)
        c = scaleb(c, min(60.0, 0.0 - k))
        f = m - 1.0
        h = f + c
        c = (f - h) + c
        f = h
        s = f / (f + 2.0)
        u = s * s
        p = fma(u, 0.13803168537955426, 0.13180197284785797)
        p = fma(p, u, 0.15390666373766831)
        p = fma(p, u, 0.1818168162912002)
        p = fma(p, u, 0.22222223986013057)
        p = fma(p, u, 0.285714285591693)
        p = fma(p, u, 0.4000000000003906)
        p = fma(p, u, 0.6666666666666663)
        h = f * 0.5
        g = h * f
        p = fma(p, u, g)
        p = fma(s, p, c - fma(h, f, 0.0 - g))
        t = k * 0.6931471805598903
        h = f - g
        p = p + ((f - h) - g)
        g = t + h
        p = p + (h - (g - t))
        p = fma(k, 5.497923018708371e-14, p)
        g = g + p
        g = select(abs(k), 2000.0, g, k + f)
        y[i] = select(abs(x[i]), 5.551115123125783e-17, x[i], g)


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
    """x + x P(x^2 - 1/2) below 1, else 1 - e^(L - x^2) with the sign of x, L a polynomial in |x| - 3; from 6 on it is 1.

    L - x^2 is a sum of two numbers.
    """
    for i in seq(0, n):
        u: f64
        q: f64
        a: f64
        t: f64
        p: f64
        h: f64
        v: f64
        k: f64
        r: f64
        s: u64
        u = fma(x[i], x[i], -0.5)
        q = fma(u, 5.449276275623966e-11, -7.818680155261204e-10)
        q = fma(q, u, 9.391580644871422e-09)
        q = fma(q, u, -1.0420230035451927e-07)
        q = fma(q, u, 1.0536437929484908e-06)
        q = fma(q, u, -9.614809037091533e-06)
        q = fma(q, u, 7.829649541358275e-05)
        q = fma(q, u, -0.0005611894220776507)
        q = fma(q, u, 0.003480274496655588)
        q = fma(q, u, -0.018283884489154606)
        q = fma(q, u, 0.07940998675593507)
        q = fma(q, u, -0.2810721780454342)
        q = fma(q, u, -0.03453126133013269)
        q = fma(q, x[i], x[i])
        a = min(6.0, abs(x[i]))
        t = a - 3.0
        p = fma(t, 8.855365168866678e-15, -1.9844527984066038e-14)
        p = fma(p, t, -1.7073062928001356e-13)
        p = fma(p, t, 2.3387417202195005e-13)
        p = fma(p, t, 4.0135839390880035e-13)
        p = fma(p, t, 9.90699409703287e-12)
        p = fma(p, t, -5.338035776787317e-11)
        p = fma(p, t, 1.7252603908277386e-10)
        p = fma(p, t, -5.923128158061742e-10)
        p = fma(p, t, 7.013488757860785e-10)
        p = fma(p, t, 1.1485278660226727e-08)
        p = fma(p, t, -1.362739502706374e-07)
        p = fma(p, t, 1.0692663203797637e-06)
        p = fma(p, t, -7.115474987231819e-06)
        p = fma(p, t, 4.308186424068365e-05)
        p = fma(p, t, -0.0002456920861039238)
        p = fma(p, t, 0.0013533104401191119)
        p = fma(p, t, -0.007411891803090541)
        p = fma(p, t, 0.042605781196515945)
        p = fma(p, t, -0.3037536890032917)
        p = fma(p, t, -1.7203630419810862)
        h = a * a
        v = p - h
        h = (p - (h + v)) - fma(a, a, 0.0 - h)
        k = rint(v * 1.4426950408889634)
        r = fma(k, -0.6931471805598903, v)
        r = r + fma(k, -5.497923018708371e-14, h)
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
        p = 1.0 - scaleb(p, k)
        s = bits(p) | (bits(x[i]) & 9223372036854775808)
        y[i] = select(a, 1.0, q, from_bits(s))


@proc
def sigmoid_f64(n: size, x: [f64][n], y: [f64][n]):
    """1 / (1 + E) or E / (1 + E), E = e^-|x|. E and the denominator are sums of two numbers; the quotient is corrected."""
    for i in seq(0, n):
        v: f64
        k: f64
        r1: f64
        c: f64
        r: f64
        p: f64
        w: f64
        h: f64
        hl: f64
        d: f64
        dl: f64
        q: f64
        z: f64
        v = max(-746.0, 0.0 - abs(x[i]))
        k = rint(v * 1.4426950408889634)
        r1 = fma(k, -0.6931471805598903, v)
        c = k * -5.497923018708371e-14
        r = r1 + c
        p = fma(r, 2.5113331211421618e-08, 2.7631521356475967e-07)
        p = fma(p, r, 2.7557230994522806e-06)
        p = fma(p, r, 2.4801489183438713e-05)
        p = fma(p, r, 0.00019841269900349134)
        p = fma(p, r, 0.0013888888947858557)
        p = fma(p, r, 0.008333333333315466)
        p = fma(p, r, 0.04166666666651159)
        p = fma(p, r, 0.16666666666666685)
        p = fma(p, r, 0.5000000000000013)
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
    """As on f32, with one more step of Halley's before."""
    for i in seq(0, n):
        m: f64
        e: f64
        k: f64
        c: f64
        h: f64
        d: f64
        s: u64
        m = mantissa(abs(x[i]))
        e = logb(x[i])
        e = select(m, 1.0, e + 1.0, e)
        k = floor(fma(e, 0.3333333333333333, 0.1))
        e = fma(k, -3.0, e)
        c = fma(m, 0.049712017, -0.26307243)
        c = fma(c, m, 0.7110651)
        c = fma(c, m, 0.50233436)
        c = c * select(e, 0.5, 1.0, select(e, 1.5, 1.2599210498948732, 1.5874010519681994))
        m = scaleb(m, e)
        d = fma(0.0 - c * c, c, m)
        c = fma(c * d, 1.0 / fma(d, -2.0, m * 3.0), c)
        h = c * c
        d = fma(0.0 - h, c, m)
        d = fma(0.0 - fma(c, c, 0.0 - h), c, d)
        c = fma(c * d, 1.0 / (m * 3.0), c)
        s = bits(scaleb(c, k)) | (bits(x[i]) & 9223372036854775808)
        y[i] = select(abs(k), 400.0, from_bits(s), x[i])
