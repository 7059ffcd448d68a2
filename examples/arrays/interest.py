"""Calibration of a short rate (after InterestCalib of Henriksen 2014): mean reversion and volatility such that a strip of
caplets has its prices in the market.

Quasi-random paths, the same for all candidates, are Brownian through a bridge. Each round tries points of Sobol's sequence in
a box around the best candidate so far, and halves the box.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from examples.arrays.options import bridge, directions, inverse_normal
from examples.arrays.sobol import number
from usl_core import Procedure
from usl_core.scheduling import expand_dim, lift_alloc, rearrange_dim
from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def uniform(i: i64, directions: u32[32]) -> f32:
    gray = u32(i + 1) ^ (u32(i + 1) >> 1)
    return (f32(number(gray, directions) >> 9) + 0.5) * 1.1920929e-07


@soac
def steps(n: i64, directions: u32[m, 32], path: f32[m, m]) -> f32[n, m]:
    def walk(i: i64):
        normals = map(lambda row: inverse_normal(uniform(i, row)), directions)
        at = map(lambda row: reduce(add, 0.0, map(mul, row, normals)), path)
        return map(lambda k: at[k] - (at[max(k - 1, 0)] if k > 0 else 0.0), iota(m))

    return map(walk, iota(n))


@soac
def prices(a: f32, sigma: f32, dw: f32[n, m], level: f32[m], strike: f32[m], dt: f32) -> f32[m]:
    total = replicate(m, f32(0.0))
    for p in range(n):
        rate, paid = level[0], f32(0.0)
        for k in range(m):
            rate = rate + a * (level[k] - rate) * dt + sigma * dw[p, k]
            paid = paid + rate * dt
            total = total.set(k, total[k] + max(rate - strike[k], 0.0) * exp(-paid))
    return map(lambda t: t * dt / f32(n), total)


@soac
def errors(a: f32[c], sigma: f32[c], dw: f32[n, m], level: f32[m], strike: f32[m], market: f32[m], dt: f32) -> f32[c]:
    def error(a: f32, sigma: f32):
        found = prices(a, sigma, dw, level, strike, dt)
        return reduce(add, 0.0, map(lambda p, q: (p / q - 1.0) * (p / q - 1.0), found, market))

    return map(error, a, sigma)


@soac
def calibrated(
    n: i64, c: i64, rounds: i64, directions: u32[m, 32], path: f32[m, m], level: f32[m], strike: f32[m], market: f32[m], dt: f32
) -> tuple[f32, f32, f32]:
    assert m > 1, "there are two dates"
    assert n > 0, "there are paths"
    dw = steps(n, directions, path)
    best_a, best_sigma, least, width = f32(0.5), f32(0.02), f32(inf), f32(1.0)
    for r in range(rounds):
        a = map(lambda i: abs(best_a + 0.5 * width * (2.0 * uniform(i + r * c, directions[0]) - 1.0)), iota(c))
        sigma = map(lambda i: abs(best_sigma + 0.02 * width * (2.0 * uniform(i + r * c, directions[1]) - 1.0)), iota(c))
        found = errors(a, sigma, dw, level, strike, market, dt)
        error, at = reduce(lambda x, y: y if y[0] < x[0] else x, (inf, c), found, iota(c))
        if error < least:
            best_a, best_sigma, least = a[at], sigma[at], error
        width = 0.5 * width
    return best_a, best_sigma, least
