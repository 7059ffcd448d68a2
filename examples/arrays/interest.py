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
from usl_core.scheduling import divide_loop, expand_dim, fission, lift_alloc, rearrange_dim
from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def uniform(i: i64, numbers: u32[32]) -> f32:
    gray = u32(i + 1) ^ (u32(i + 1) >> 1)
    return (f32(number(gray, numbers) >> 9) + 0.5) * 1.1920929e-07


@soac
def steps(n: i64, numbers: u32[m, 32], path: f32[m, m]) -> f32[n, m]:
    apart = concat(path[:1], map(lambda a, b: map(lambda x, y: x - y, a, b), path[1:], path[: m - 1]))

    def walk(i: i64):
        normals = map(lambda row: inverse_normal(uniform(i, row)), numbers)
        return map(lambda row: reduce(add, 0.0, map(mul, row, normals)), apart)

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
    n: i64, c: i64, rounds: i64, numbers: u32[m, 32], path: f32[m, m], level: f32[m], strike: f32[m], market: f32[m], dt: f32
) -> tuple[f32, f32, f32]:
    assert m > 1, "there are two dates"
    assert n > 0, "there are paths"
    dw = steps(n, numbers, path)
    best_a, best_sigma, least, width = f32(0.5), f32(0.02), f32(inf), f32(1.0)
    for r in range(rounds):
        a = map(lambda i: abs(best_a + 0.5 * width * (2.0 * uniform(i + r * c, numbers[0]) - 1.0)), iota(c))
        sigma = map(lambda i: abs(best_sigma + 0.02 * width * (2.0 * uniform(i + r * c, numbers[1]) - 1.0)), iota(c))
        found = errors(a, sigma, dw, level, strike, market, dt)
        error, at = reduce(lambda x, y: y if y[0] < x[0] else x, (inf, c), found, iota(c))
        if error < least:
            best_a, best_sigma, least = a[at], sigma[at], error
        width = 0.5 * width
    return best_a, best_sigma, least


# -- schedules


def sixteen_paths(p: Procedure) -> Procedure:
    """Sixteen paths at once."""
    p = divide_loop(p, "i", 16, ["io", "ii"], tail="cut")
    p = lift_alloc(rearrange_dim(expand_dim(p, "normals", 16, "ii"), "normals", [1, 0]), "normals")
    return schedules.in_vectors(p, "ii")


def sixteen_candidates(p: Procedure) -> Procedure:
    """The errors of sixteen candidates at once, and then the least of them."""
    p = divide_loop(p, "i", 16, ["io", "ii"], tail="cut")
    for name, depth in (("total_3", 1), ("next", 2)):
        p = lift_alloc(rearrange_dim(expand_dim(p, name, 16, "ii"), name, [1, 0]), name, depth)
    p = lift_alloc(expand_dim(p, "t_5", 16, "ii"), "t_5")
    p = fission(p, p.find_loop("i_2").after(), 1)
    return schedules.in_vectors(p, "ii", 16)


def tuned(program: Function) -> Function:
    """In vectors."""
    return program.schedule("k1", sixteen_paths).schedule("k4", sixteen_candidates)


# -- data


def interest_data(n: int, c: int, rounds: int) -> tuple[Any, ...]:
    """The arguments of `calibrated` for eight dates; prices in the market are those of a model, with noise from a seed."""
    rng = np.random.default_rng(20)
    m, dt = 8, np.float32(0.5)
    times = (np.arange(m + 1) * dt).astype(np.float32)
    places, lefts, rights = [8, 4, 2, 6, 1, 3, 5, 7], [0, 0, 0, 4, 0, 2, 4, 6], [0, 8, 4, 8, 2, 4, 6, 8]
    path = np.ascontiguousarray(bridge(times, np.array(places), np.array(lefts), np.array(rights))[1:])
    level = (0.03 + 0.002 * np.arange(m)).astype(np.float32)
    strike = (0.9 * level).astype(np.float32)
    numbers = directions()
    market = prices(0.3, 0.012, steps(4096, numbers, path), level, strike, float(dt))
    market = (market * rng.uniform(0.999, 1.001, m)).astype(np.float32)
    return n, c, rounds, numbers, path, level, strike, market, float(dt)
