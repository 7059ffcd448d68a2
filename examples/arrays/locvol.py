"""Calibration of a local volatility model (LocVolCalib of Henriksen 2014): for each strike a diffusion in two dimensions,
backwards in time, by steps that are implicit along one dimension and explicit along the other (Crank and Nicolson).

All strikes are one kernel, which keeps planes of the present strikes only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from usl_core import Procedure
from usl_core.scheduling import divide_loop, expand_dim, lift_alloc, rearrange_dim
from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def second_differences(x: f32[n]) -> f32[n, 3]:
    def at(i: i64):
        inside = i > 0 and i < n - 1
        before = x[i] - x[max(i - 1, 0)]
        after = x[min(i + 1, n - 1)] - x[i]
        lo = 2.0 / (before * (before + after)) if inside else 0.0
        hi = 2.0 / (after * (before + after)) if inside else 0.0
        return [lo, -(lo + hi), hi]

    return map(at, iota(n))


@soac
def solved(w: f32[n], per: f32, d: f32[n, 3], y: f32[n]) -> f32[n]:
    u = map(lambda v, e: per - v * e[1], w, d)
    for k in range(n - 1):
        beta = w[k + 1] * d[k + 1, 0] / u[k]
        u = u.set(k + 1, u[k + 1] - beta * (w[k] * d[k, 2]))
        y = y.set(k + 1, y[k + 1] + beta * y[k])
    for k in range(n):
        i = n - 1 - k
        y = y.set(i, (y[i] + w[i] * d[i, 2] * y[min(i + 1, n - 1)]) / u[i])
    return y


@soac
def locvol(strikes: f32[o], x: f32[n], y: f32[m], times: f32[t], alpha: f32, beta: f32, nu: f32) -> f32[o]:
    assert n > 0, "there are points"
    assert m > 0, "there are points"
    dxx, dyy = second_differences(x), second_differences(y)
    variance = map(lambda q: map(lambda p: 0.25 * alpha * alpha * exp(2.0 * (beta * log(p) + q)), x), y)
    half_y = replicate(m, 0.25 * nu * nu)

    def price(strike: f32):
        r = map(lambda p: replicate(m, max(p - strike, 0.0)), x)
        for step in range(t - 1):
            k = t - 2 - step
            per = 1.0 / (times[k + 1] - times[k])
            fade = exp(-nu * nu * times[k])

            def along_y(i, j):
                e = dyy[j]
                return half_y[j] * (e[0] * r[i, max(j - 1, 0)] + e[1] * r[i, j] + e[2] * r[i, min(j + 1, m - 1)])

            def right(j, i, v, e):
                along_x = e[0] * r[max(i - 1, 0), j] + e[1] * r[i, j] + e[2] * r[min(i + 1, n - 1), j]
                return per * r[i, j] + 2.0 * along_y(i, j) + fade * v * along_x

            half = map(
                lambda j, row: solved(
                    map(lambda v: fade * v, row), per, dxx, map(lambda i, v, e: right(j, i, v, e), iota(n), row, dxx)
                ),
                iota(m),
                variance,
            )
            r = map(lambda i: solved(half_y, per, dyy, map(lambda j: per * half[j, i] - along_y(i, j), iota(m))), iota(n))
        return r[n // 2, m // 2]

    return map(price, strikes)


# -- schedules


KEPT = {1: ("r", "r_2"), 2: ("next", "half"), 3: ("t_13", "y", "u", "y_2", "u_2")}
"""Planes and rows that are kept for each strike, by the loops around them in the loop over strikes."""


def sixteen_strikes(p: Procedure) -> Procedure:
    """Sixteen strikes at once: their numbers of the same place stand side by side."""
    p = divide_loop(p, "i", 16, ["io", "ii"], tail="cut")
    for depth, names in KEPT.items():
        for name in names:
            p = expand_dim(p, name, 16, "ii")
            p = rearrange_dim(p, name, [1, 2, 0] if depth < 3 else [1, 0])
            p = lift_alloc(p, name, depth)
    return schedules.in_vectors(p, "ii")


def tuned(program: Function) -> Function:
    """In vectors."""
    return program.schedule("k3", sixteen_strikes)


# -- data


def locvol_data(strikes: int, n: int, m: int, times: int, rng: np.random.Generator | None = None) -> tuple[Any, ...]:
    """The arguments of `locvol` for so many strikes, points and times: denser points around today's price."""
    rng = rng if rng is not None else np.random.default_rng(0)
    share = np.linspace(-1, 1, n)
    x = 0.03 * np.exp(share + 0.2 * share**3)
    y = 0.6 * np.linspace(-1, 1, m) ** 3 + 0.2 * np.linspace(-1, 1, m)
    chosen = np.sort(rng.uniform(0.5, 1.5, strikes)) * 0.03
    return (*(np.asarray(each, np.float32) for each in (chosen, x, y, np.linspace(0, 1, times))), 0.2, 0.6, 0.6)
