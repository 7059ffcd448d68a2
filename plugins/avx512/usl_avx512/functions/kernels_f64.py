"""exp, log and their like on f64, in the object language: as `kernels_f32`, with longer polynomials.

Each is within 1 ulp of the function; NaN, infinities, zeros and subnormal numbers are IEEE's (docs/functions.md).
"""

from __future__ import annotations

from usl_avx512.externs import scaleb
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
