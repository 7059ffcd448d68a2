"""Functions on f32 that are computed in f64, in the object language: `pow`, and `sin`, `cos` and `tan` of large arguments.

Arguments are numbers that an f32 holds; what comes out is rounded to f32 once, by the caller.
"""

from __future__ import annotations

from usl_avx512.externs import logb, mantissa, scaleb
from usl_core import proc


@proc
def sin_wide(n: size, x: [f64][n], z: [f64][n], y: [f64][n]):
    """The sine of x + z pi / 2, z = 0 or 1: that of r, or its cosine, where x = (k + r 2 / pi) pi / 2 and |r| <= pi / 4.

    x has 24 bits, so that it times each of seven parts of 2 / pi of 29 bits is exact, and so is what is left of that without
    multiples of 4. These are added from the largest, as t and e; those after the fourth turn nothing any more.
    """
    for i in seq(0, n):
        p: f64
        s: f64
        t: f64
        b: f64
        e: f64
        k: f64
        r: f64
        u: f64
        c: f64
        q: u64
        s = x[i] * 0.636619770899415
        s = fma(rint(s * 0.25), -4.0, s)
        p = x[i] * 1.4681663246252086e-09
        p = fma(rint(p * 0.25), -4.0, p)
        t = s + p
        b = t - s
        e = (s - (t - b)) + (p - b)
        s = t
        p = x[i] * 2.2760100671971816e-18
        p = fma(rint(p * 0.25), -4.0, p)
        t = s + p
        b = t - s
        e = e + ((s - (t - b)) + (p - b))
        s = t
        p = x[i] * 5.8812147387730434e-27
        p = fma(rint(p * 0.25), -4.0, p)
        t = s + p
        b = t - s
        e = e + ((s - (t - b)) + (p - b))
        s = fma(rint(t * 0.25), -4.0, t)
        p = x[i] * 1.0346868700836215e-35
        p = fma(rint(p * 0.25), -4.0, p)
        t = s + p
        b = t - s
        e = e + ((s - (t - b)) + (p - b))
        s = t
        p = x[i] * 3.783256351091319e-45
        t = s + p
        b = t - s
        e = e + ((s - (t - b)) + (p - b))
        e = fma(x[i], 3.720474878517739e-53, e)
        k = t + 6755399441055744.0
        r = ((t - (k - 6755399441055744.0)) + e) * 1.5707963267948966
        q = bits(k + z[i])
        u = r * r
        p = fma(u, 2.71815641855748e-06, -0.00019839319596601338)
        p = fma(p, u, 0.008333329343438027)
        p = fma(p, u, -0.1666666664133612)
        p = fma(p * u, r, r)
        c = fma(u, -2.7208593194201563e-07, 2.479950057640727e-05)
        c = fma(c, u, -0.0013888883682086003)
        c = fma(c, u, 0.041666666622037996)
        c = fma(c, u, -0.5)
        c = fma(c, u, 1.0)
        p = select(q & 1, 1, p, c)
        q = (q & 2) << 62
        y[i] = from_bits(bits(p) ^ q)


@proc
def pow_wide(n: size, x: [f64][n], z: [f64][n], y: [f64][n]):
    """2^(z log2 |x|), log2 |x| = k + s P(s^2) with |x| = 2^k m and s = (m - 1) / (m + 1).

    1^z = (+-1)^(+-inf) = x^0 = 1 even for NaN. For negative x the result is NaN unless z is whole or x infinite; it has the
    sign of x where z is odd.
    """
    for i in seq(0, n):
        a: f64
        m: f64
        e: f64
        s: f64
        u: f64
        p: f64
        t: f64
        r: f64
        h: f64
        w: f64
        odd: u64
        sign: u64
        a = abs(x[i])
        m = mantissa(a)
        e = logb(a)
        e = select(m, 1.0, e + 1.0, e)
        s = (m - 1.0) / (m + 1.0)
        u = s * s
        p = fma(u, 0.2908886966376706, 0.31927970328187455)
        p = fma(p, u, 0.41222634614358833)
        p = fma(p, u, 0.5770777533178354)
        p = fma(p, u, 0.9617966948359425)
        p = fma(p, u, 2.885390081777417)
        p = fma(s, p, e)
        t = select(x[i], 0.0, min(1.0, abs(z[i])) * 0.0, 0.0)
        t = select(abs(p), 1e-20, t, p * z[i])
        t = max(-300.0, min(300.0, t))
        e = rint(t)
        r = t - e
        p = fma(r, 0.0001546736497289471, 0.0013400432165377564)
        p = fma(p, r, 0.009618035958600904)
        p = fma(p, r, 0.055503272142092296)
        p = fma(p, r, 0.24022651084149668)
        p = fma(p, r, 0.6931472067106199)
        p = fma(p, r, 1.0)
        w = scaleb(p, e)
        w = select(abs(z[i]), 1e-100, 1.0, w)
        h = z[i] * 0.5
        h = abs(abs(h - trunc(h)) - 0.5)
        odd = bits(x[i]) & 9223372036854775808
        sign = select(h, 1e-20, odd, 0)
        h = select(x[i], 0.0, abs(z[i] - trunc(z[i])), 0.0)
        h = select(a, 1e200, h, 0.0)
        sign = select(0.0, h, 9221120237041090560, sign)
        y[i] = from_bits(bits(w) | sign)
