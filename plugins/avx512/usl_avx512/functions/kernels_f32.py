"""exp, log and their like on f32, in the object language: what `usl_avx512.functions` schedules and compiles.

Each is correct within 1 ulp for all inputs, NaN, infinities, zeros and subnormal numbers included (docs/functions.md). Only
operations that are rounded once are used, so that vectors and plain C give the same bits. Coefficients are minimax, rounded to
f32 one after another from the lowest.
"""

from __future__ import annotations

from usl_avx512.externs import scaleb
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
