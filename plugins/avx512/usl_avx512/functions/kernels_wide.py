"""`sin`, `cos` and `tan` of large f32, computed in f64, in the object language.

Arguments are numbers that an f32 holds; what comes out is rounded to f32 once, by the caller.
"""

from __future__ import annotations

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
