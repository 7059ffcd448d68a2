"""The price of an Asian option by quasi-random paths: Sobol's numbers, normal by the inverse of their distribution, as Brownian
paths through a bridge; and the price of a European option in closed form (Black and Scholes) beside it.

All of it is one kernel, and no array is as long as there are paths.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from examples.arrays.black_scholes import black_scholes
from examples.arrays.sobol import number
from usl_core import Procedure
from usl_core.scheduling import divide_loop, expand_dim, lift_alloc, rearrange_dim
from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def inverse_normal(u: f32) -> f32:
    x = 2.0 * u - 1.0
    far = -log((1.0 - x) * (1.0 + x))
    near = far < 5.0
    w = far - 2.5 if near else sqrt(far) - 3.0
    p = f32(2.81022636e-08) if near else f32(-0.000200214257)
    p = p * w + (f32(3.43273939e-07) if near else f32(0.000100950558))
    p = p * w + (f32(-3.5233877e-06) if near else f32(0.00134934322))
    p = p * w + (f32(-4.39150654e-06) if near else f32(-0.00367342844))
    p = p * w + (f32(0.00021858087) if near else f32(0.00573950773))
    p = p * w + (f32(-0.00125372503) if near else f32(-0.0076224613))
    p = p * w + (f32(-0.00417768164) if near else f32(0.00943887047))
    p = p * w + (f32(0.246640727) if near else f32(1.00167406))
    p = p * w + (f32(1.50140941) if near else f32(2.83297682))
    return 1.41421356 * p * x


@soac
def bridge(times: f32[m + 1], places: i64[m], lefts: i64[m], rights: i64[m]) -> f32[m + 1, m]:
    rows = replicate(m + 1, replicate(m, f32(0.0)))
    for k in range(m):
        t, a, b = times[places[k]], times[lefts[k]], times[rights[k]]
        before = (b - t) / (b - a) if b > a else 0.0
        after = (t - a) / (b - a) if b > a else 0.0
        spread = sqrt((b - t) * (t - a) / (b - a)) if b > a else sqrt(t)
        row = map(
            lambda x, y, j: before * x + after * y + (spread if j == k else 0.0), rows[lefts[k]], rows[rights[k]], iota(m)
        )
        rows = rows.set(places[k], row)
    return rows


@soac
def asian(n: i64, directions: u32[m, 32], path: f32[m, m], drifts: f32[m], start: f32, strike: f32, width: f32) -> f32:
    def payoff(i: i64):
        gray = u32(i + 1) ^ (u32(i + 1) >> 1)
        normals = map(lambda row: inverse_normal((f32(number(gray, row) >> 9) + 0.5) * 1.1920929e-07), directions)
        walk = map(lambda row: reduce(add, 0.0, map(mul, row, normals)), path)
        total = reduce(add, 0.0, map(lambda drift, w: exp(drift + width * w), drifts, walk))
        return max(start * total / f32(m) - strike, 0.0)

    return reduce(add, 0.0, map(payoff, iota(n))) / f32(n)


# -- schedules


def sixteen_paths(p: Procedure) -> Procedure:
    """Sixteen paths at once: of the normal numbers of each a column."""
    p = divide_loop(p, "i", 16, ["io", "ii"], tail="cut")
    p = lift_alloc(rearrange_dim(expand_dim(p, "normals", 16, "ii"), "normals", [1, 0]), "normals", 2)
    return schedules.in_vectors(p, "ii")


def tuned(program: Function) -> Function:
    """In vectors."""
    return program.schedule("k0", sixteen_paths)


# -- data

POLYNOMIALS = (0, 0, 1, 1, 2, 1, 4, 2)
FIRST = ((), (1,), (1, 3), (1, 3, 1), (1, 1, 1), (1, 1, 3, 3), (1, 3, 5, 13), (1, 1, 5, 5, 17))
"""Joe and Kuo's first eight dimensions."""


def directions() -> Any:
    """Sobol's direction numbers in eight dimensions."""
    rows = []
    for polynomial, first in zip(POLYNOMIALS, FIRST, strict=True):
        s, m = len(first), list(first)
        for k in range(s, 32):
            taps = [m[k - j] << j for j in range(1, s) if polynomial >> (s - 1 - j) & 1]
            value = m[k - s] ^ m[k - s] << s if s else 1
            for tap in taps:
                value ^= tap
            m.append(value)
        rows.append([value << (31 - k) for k, value in enumerate(m)])
    return np.array(rows, np.uint32)


def asian_data(years: float, rate: float, volatility: float, start: float, strike: float, n: int = 1 << 20) -> tuple[Any, ...]:
    """The arguments of `asian` for eight dates at equal distances."""
    m = 8
    times = np.linspace(0, years, m + 1).astype(np.float32)
    places = [8, 4, 2, 6, 1, 3, 5, 7]
    lefts, rights = [0, 0, 0, 4, 0, 2, 4, 6], [0, 8, 4, 8, 2, 4, 6, 8]
    path = bridge(times, np.array(places), np.array(lefts), np.array(rights))[1:]
    drifts = ((rate - volatility * volatility / 2) * times[1:]).astype(np.float32)
    return n, directions(), np.ascontiguousarray(path), drifts, start, strike, volatility


def european(price: float, strike: float, years: float, rate: float, volatility: float) -> float:
    """The price in closed form of an option that looks at the last date only."""
    given = (np.array([each], np.float32) for each in (price, strike, years))
    return float(black_scholes(*given, rate, volatility)[0])
