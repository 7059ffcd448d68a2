"""Cells of a heart muscle (after Rodinia's Myocyte): for each cell the eight differential equations of Beeler and Reuter, with
a stimulus of its own, by the classic method of Runge and Kutta. Two of the equations are 0/0 at a voltage: the limit is taken
there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from usl_core import Procedure
from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def rates(v: f32, ca: f32, m: f32, h: f32, j: f32, d: f32, f: f32, x: f32) -> tuple[f32, f32, f32, f32, f32, f32, f32, f32]:
    opens_m = (v + 47.0) / (1.0 - exp(-0.1 * (v + 47.0)))
    opens_m = opens_m if v < -47.0 or v > -47.0 else 10.0
    closes_m = 40.0 * exp(-0.056 * (v + 72.0))
    opens_h = 0.126 * exp(-0.25 * (v + 77.0))
    closes_h = 1.7 / (exp(-0.082 * (v + 22.5)) + 1.0)
    opens_j = 0.055 * exp(-0.25 * (v + 78.0)) / (exp(-0.2 * (v + 78.0)) + 1.0)
    closes_j = 0.3 / (exp(-0.1 * (v + 32.0)) + 1.0)
    opens_d = 0.095 * exp(-0.01 * (v - 5.0)) / (exp(-0.072 * (v - 5.0)) + 1.0)
    closes_d = 0.07 * exp(-0.017 * (v + 44.0)) / (exp(0.05 * (v + 44.0)) + 1.0)
    opens_f = 0.012 * exp(-0.008 * (v + 28.0)) / (exp(0.15 * (v + 28.0)) + 1.0)
    closes_f = 0.0065 * exp(-0.02 * (v + 30.0)) / (exp(-0.2 * (v + 30.0)) + 1.0)
    opens_x = 0.0005 * exp(0.083 * (v + 50.0)) / (exp(0.057 * (v + 50.0)) + 1.0)
    closes_x = 0.0013 * exp(-0.06 * (v + 20.0)) / (exp(-0.04 * (v + 20.0)) + 1.0)
    potassium = 4.0 * (exp(0.04 * (v + 85.0)) - 1.0) / (exp(0.08 * (v + 53.0)) + exp(0.04 * (v + 53.0)))
    leak = 0.2 * (v + 23.0) / (1.0 - exp(-0.04 * (v + 23.0)))
    leak = leak if v < -23.0 or v > -23.0 else 5.0
    potassium = 0.35 * (potassium + leak)
    outward = 0.8 * x * (exp(0.04 * (v + 77.0)) - 1.0) * exp(-0.04 * (v + 35.0))
    sodium = (4.0 * m * m * m * h * j + 0.003) * (v - 50.0)
    calcium = 0.09 * d * f * (v + 82.3 + 13.0287 * log(ca))
    dv = -(potassium + outward + sodium + calcium)
    dca = 0.07 * (1e-07 - ca) - 1e-07 * calcium
    dm, dh, dj = opens_m * (1.0 - m) - closes_m * m, opens_h * (1.0 - h) - closes_h * h, opens_j * (1.0 - j) - closes_j * j
    dd, df, dx = opens_d * (1.0 - d) - closes_d * d, opens_f * (1.0 - f) - closes_f * f, opens_x * (1.0 - x) - closes_x * x
    return dv, dca, dm, dh, dj, dd, df, dx


@soac
def myocyte(start: f32[8], stimulus: f32[n], steps: i64, dt: f32) -> f32[n]:
    aheads, parts = [0.5 * dt, 0.5 * dt, dt, f32(0.0)], [dt / 6.0, dt / 3.0, dt / 3.0, dt / 6.0]

    def cell(pulse: f32):
        time = f32(0.0)
        v, ca, m, h, j, d, f, x = start[0], start[1], start[2], start[3], start[4], start[5], start[6], start[7]
        for _ in range(steps):
            push = pulse if time < 2.0 else f32(0.0)
            v1, ca1, m1, h1, j1, d1, f1, x1 = v, ca, m, h, j, d, f, x
            v2, ca2, m2, h2, j2, d2, f2, x2 = v, ca, m, h, j, d, f, x
            for stage in range(4):
                ahead, part = aheads[stage], parts[stage]
                dv, dca, dm, dh, dj, dd, df, dx = rates(v1, ca1, m1, h1, j1, d1, f1, x1)
                dv = dv + push
                v2, ca2, m2, h2 = v2 + part * dv, ca2 + part * dca, m2 + part * dm, h2 + part * dh
                j2, d2, f2, x2 = j2 + part * dj, d2 + part * dd, f2 + part * df, x2 + part * dx
                v1, ca1, m1, h1 = v + ahead * dv, ca + ahead * dca, m + ahead * dm, h + ahead * dh
                j1, d1, f1, x1 = j + ahead * dj, d + ahead * dd, f + ahead * df, x + ahead * dx
            v, ca, m, h, j, d, f, x = v2, ca2, m2, h2, j2, d2, f2, x2
            time = time + dt
        return v

    return map(cell, stimulus)


# -- schedules


def sixteen_cells(p: Procedure) -> Procedure:
    """Sixteen cells at once."""
    return schedules.in_vectors(p, "i")


def tuned(program: Function) -> Function:
    """In vectors."""
    return program.schedule("k2", sixteen_cells)


# -- data


def myocyte_data(n: int, steps: int) -> tuple[Any, ...]:
    """Cells at rest, with stimuli of different strength."""
    start = np.array([-84.6, 2e-7, 0.011, 0.988, 0.975, 0.003, 0.994, 0.0001], np.float32)
    return start, np.random.default_rng(20).uniform(5, 60, n).astype(np.float32), steps, 0.02
