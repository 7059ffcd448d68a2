"""pow, in the object language: where x is positive, and what is special."""

from __future__ import annotations

from usl_avx512.externs import logb, mantissa, scaleb
from usl_avx512.tables import (
    log2_high,
    log2_high_f64,
    log2_low,
    log2_low_f64,
    mantissa_inverse,
    mantissa_inverse_f64,
)
from usl_core import proc


@proc
def pow_near_f32(n: size, x: [f32][n], z: [f32][n], y: [f32][n]):
    """2^(z log2 |x|), or NaN.

    log2 |x| = k - log2 c + (r - r^2 / 2 + r^3 / 2 P(r)) / ln 2, c and r as in log, is a sum of two numbers, and z times that.
    """
    for i in seq(0, n):
        m: f32
        e: f32
        r: f32
        p: f32
        h: f32
        g: f32
        w: f32
        s: f32
        t: f32
        q: u32
        m = mantissa(abs(x[i]))
        e = logb(x[i])
        q = bits(m) >> 18
        r = fma(m, mantissa_inverse(q), -1.0)
        p = fma(r, 0.39172584, -0.50013363)
        p = fma(p, r, 0.6666694)
        h = r * 0.5
        g = h * r
        s = r - g
        h = ((r - s) - g) - fma(h, r, 0.0 - g)
        h = fma(g * r, p, h)
        g = s * 1.442695
        w = fma(s, 1.442695, 0.0 - g)
        w = fma(h, 1.442695, fma(s, 1.925963e-08, w)) + log2_low(q)
        p = e + log2_high(q)
        h = p + g
        w = ((p - h) + g) + w
        t = z[i] * h
        w = fma(z[i], w, fma(z[i], h, 0.0 - t))
        w = select(abs(t), 300.0, w, 0.0)
        t = max(-300.0, min(300.0, t))
        e = rint(t + w)
        r = (t - e) + w
        p = fma(r, 0.00015721079, 0.0013409)
        p = fma(p, r, 0.009617211)
        p = fma(p, r, 0.05550289)
        p = fma(p, r, 0.24022655)
        p = fma(p, r, 0.69314724)
        p = fma(p, r, 1.0)
        y[i] = scaleb(p, e)


@proc
def pow_special_f32(n: size, x: [f32][n], z: [f32][n], p: [f32][n], y: [f32][n]):
    """x^z, given p = |x|^z. 1^z = (+-1)^(+-inf) = x^0 = 1 even for NaN.

    For negative x the result is NaN unless z is whole or x infinite; it has the sign of x where z is odd.
    """
    for i in seq(0, n):
        a: f32
        h: f32
        t: f32
        w: f32
        odd: u32
        sign: u32
        a = abs(x[i])
        t = select(x[i], 0.0, fma(min(1.0, abs(z[i])), 0.0, 1.0), 1.0)
        w = select(abs(a - 1.0), 1e-45, t, p[i])
        w = select(abs(z[i]), 1e-45, 1.0, w)
        h = z[i] * 0.5
        h = abs(abs(h - trunc(h)) - 0.5)
        odd = bits(x[i]) & 2147483648
        sign = select(h, 1e-45, odd, 0)
        h = select(x[i], 0.0, abs(z[i] - trunc(z[i])), 0.0)
        h = select(3.4028235e38, a, 0.0, h)
        sign = select(0.0, h, 2143289344, sign)
        y[i] = from_bits(bits(w) | sign)


@proc
def pow_f32(n: size, x: [f32][n], z: [f32][n], y: [f32][n]):
    """As `pow_special` says where x has a sign or |x|^z is NaN, else |x|^z."""
    for i in seq(0, n):
        p: f32[1]
        pow_near_f32(1, x[i : i + 1], z[i : i + 1], p[0:1])
        if bits(x[i]) < 2147483648 and p[0] >= 0.0:
            y[i] = p[0]
        else:
            pow_special_f32(1, x[i : i + 1], z[i : i + 1], p[0:1], y[i : i + 1])


@proc
def pow_near_f64(n: size, x: [f64][n], z: [f64][n], y: [f64][n]):
    """2^(z log2 |x|), or NaN.

    log2 |x| = k - log2 c + (r - r^2 / 2 + r^3 / 2 P(r)) / ln 2, c and r as in log, is a sum of two numbers, and z times that.
    """
    for i in seq(0, n):
        m: f64
        e: f64
        r: f64
        p: f64
        h: f64
        g: f64
        w: f64
        s: f64
        t: f64
        q: u64
        m = mantissa(abs(x[i]))
        e = logb(x[i])
        q = bits(m) >> 48
        r = fma(m, mantissa_inverse_f64(q), -1.0)
        p = fma(r, -0.1463393879178187, 0.18149303183438797)
        p = fma(p, r, -0.200065912058718)
        p = fma(p, r, 0.222224605404791)
        p = fma(p, r, -0.24999992883076744)
        p = fma(p, r, 0.28571428231716217)
        p = fma(p, r, -0.33333333336271564)
        p = fma(p, r, 0.4000000000017412)
        p = fma(p, r, -0.4999999999999962)
        p = fma(p, r, 0.6666666666666664)
        h = r * 0.5
        g = h * r
        s = r - g
        w = fma(h, r, 0.0 - g)
        h = ((r - s) - g) - w
        t = g * r
        w = fma(w, r, fma(g, r, 0.0 - t))
        g = t * p
        w = fma(w, p, fma(t, p, 0.0 - g))
        r = s + g
        h = h + (((s - r) + g) + w)
        g = r * 1.4426950408889634
        w = fma(r, 1.4426950408889634, 0.0 - g)
        w = fma(h, 1.4426950408889634, fma(r, 2.0355273740931033e-17, w)) + log2_low_f64(q)
        p = e + log2_high_f64(q)
        h = p + g
        w = ((p - h) + g) + w
        t = z[i] * h
        w = fma(z[i], w, fma(z[i], h, 0.0 - t))
        w = select(abs(t), 3000.0, w, 0.0)
        t = max(-3000.0, min(3000.0, t))
        e = rint(t + w)
        r = (t - e) + w
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
        y[i] = scaleb(p, e)


@proc
def pow_special_f64(n: size, x: [f64][n], z: [f64][n], p: [f64][n], y: [f64][n]):
    """x^z, given p = |x|^z. 1^z = (+-1)^(+-inf) = x^0 = 1 even for NaN.

    For negative x the result is NaN unless z is whole or x infinite; it has the sign of x where z is odd.
    """
    for i in seq(0, n):
        a: f64
        h: f64
        t: f64
        w: f64
        odd: u64
        sign: u64
        a = abs(x[i])
        t = select(x[i], 0.0, fma(min(1.0, abs(z[i])), 0.0, 1.0), 1.0)
        w = select(abs(a - 1.0), 5e-324, t, p[i])
        w = select(abs(z[i]), 5e-324, 1.0, w)
        h = z[i] * 0.5
        h = abs(abs(h - trunc(h)) - 0.5)
        odd = bits(x[i]) & 9223372036854775808
        sign = select(h, 5e-324, odd, 0)
        h = select(x[i], 0.0, abs(z[i] - trunc(z[i])), 0.0)
        h = select(1.7976931348623157e308, a, 0.0, h)
        sign = select(0.0, h, 9221120237041090560, sign)
        y[i] = from_bits(bits(w) | sign)


@proc
def pow_f64(n: size, x: [f64][n], z: [f64][n], y: [f64][n]):
    """As `pow_special` says where x has a sign or |x|^z is NaN, else |x|^z."""
    for i in seq(0, n):
        p: f64[1]
        pow_near_f64(1, x[i : i + 1], z[i : i + 1], p[0:1])
        if bits(x[i]) < 9223372036854775808 and p[0] >= 0.0:
            y[i] = p[0]
        else:
            pow_special_f64(1, x[i : i + 1], z[i : i + 1], p[0:1], y[i : i + 1])
