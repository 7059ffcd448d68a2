"""Flow of a gas through a mesh of tetrahedra (after Rodinia's CFD): fluxes over four faces of each cell from values of the
neighbours, which are gathered; three stages of Runge and Kutta in each step.

A face without a neighbour is a wall (-2), or far away (-1), where the gas streams as it does at the beginning.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from usl_core import Procedure
from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def step_sizes(d: f32[n], x: f32[n], y: f32[n], z: f32[n], e: f32[n], areas: f32[n]) -> f32[n]:
    def at(d, x, y, z, e, area):
        q = (x * x + y * y + z * z) / (d * d)
        sound = sqrt(0.56 * (e - 0.5 * d * q) / d)
        return 0.5 / (sqrt(area) * (sqrt(q) + sound))

    return map(at, d, x, y, z, e, areas)


@soac
def fluxes(
    d: f32[n], x: f32[n], y: f32[n], z: f32[n], e: f32[n], near: i32[4, n], normals: f32[4, 3, n], far: f32[5]
) -> tuple[f32[n], f32[n], f32[n], f32[n], f32[n]]:
    def cell(i, d1, x1, y1, z1, e1):
        u1, v1, w1 = x1 / d1, y1 / d1, z1 / d1
        q1 = u1 * u1 + v1 * v1 + w1 * w1
        p1 = 0.4 * (e1 - 0.5 * d1 * q1)
        fast1 = sqrt(q1) + sqrt(1.4 * p1 / d1)
        fd, fx, fy, fz, fe = f32(0.0), f32(0.0), f32(0.0), f32(0.0), f32(0.0)
        for f in range(4):
            j = f32(near[f, i])  # below 0 is no neighbour
            k = min(max(i64(near[f, i]), 0), n - 1)
            a, b, c = normals[f, 0, i], normals[f, 1, i], normals[f, 2, i]
            dk, xk, yk, zk, ek = d[k], x[k], y[k], z[k], e[k]
            d2, x2, y2 = far[0] if j < 0.0 else dk, far[1] if j < 0.0 else xk, far[2] if j < 0.0 else yk
            z2, e2 = far[3] if j < 0.0 else zk, far[4] if j < 0.0 else ek
            u2, v2, w2 = x2 / d2, y2 / d2, z2 / d2
            q2 = u2 * u2 + v2 * v2 + w2 * w2
            p2 = 0.4 * (e2 - 0.5 * d2 * q2)
            smooth = 0.1 * sqrt(a * a + b * b + c * c) * (fast1 + sqrt(q2) + sqrt(1.4 * p2 / d2))
            smooth = 0.0 if j < 0.0 else smooth
            half = f32(0.0) if j < -1.0 else f32(0.5)
            press = p1 if j < -1.0 else 0.5 * (p1 + p2)
            m1, m2 = half * (a * u1 + b * v1 + c * w1), half * (a * u2 + b * v2 + c * w2)
            fd = fd + m1 * d1 + m2 * d2 + smooth * (d2 - d1)
            fx = fx + m1 * x1 + m2 * x2 + a * press + smooth * (x2 - x1)
            fy = fy + m1 * y1 + m2 * y2 + b * press + smooth * (y2 - y1)
            fz = fz + m1 * z1 + m2 * z2 + c * press + smooth * (z2 - z1)
            fe = fe + m1 * (e1 + p1) + m2 * (e2 + p2) + smooth * (e2 - e1)
        return fd, fx, fy, fz, fe

    return map(cell, iota(n), d, x, y, z, e)


@soac
def cfd(
    d: f32[n], x: f32[n], y: f32[n], z: f32[n], e: f32[n], near: i32[4, n], normals: f32[4, 3, n], areas: f32[n], far: f32[5],
    steps: i64,
) -> tuple[f32[n], f32[n], f32[n], f32[n], f32[n]]:  # fmt: skip
    for _ in range(steps):
        dt = step_sizes(d, x, y, z, e, areas)
        d0, x0, y0, z0, e0 = d, x, y, z, e
        for stage in range(3):
            part = 1.0 / f32(3 - stage)
            fd, fx, fy, fz, fe = fluxes(d, x, y, z, e, near, normals, far)
            d = map(lambda v, h, f: v + part * h * f, d0, dt, fd)
            x = map(lambda v, h, f: v + part * h * f, x0, dt, fx)
            y = map(lambda v, h, f: v + part * h * f, y0, dt, fy)
            z = map(lambda v, h, f: v + part * h * f, z0, dt, fz)
            e = map(lambda v, h, f: v + part * h * f, e0, dt, fe)
    return d, x, y, z, e


# -- schedules


def sixteen_cells(p: Procedure) -> Procedure:
    """The fluxes of sixteen cells at once: values of their neighbours are gathered."""
    return schedules.in_vectors(p, "i")


def tuned(program: Function) -> Function:
    """In vectors."""
    return program.schedule(schedules.soac_default).schedule("k2", sixteen_cells)


# -- data


def cfd_data(n: int, steps: int) -> tuple[Any, ...]:
    """A gas that streams along x and is denser in some cells; neighbours are near, as in a mesh that was numbered well."""
    rng = np.random.default_rng(20)
    speed, pressure = 1.2 * np.sqrt(1.4), 1.0
    far = np.array([1.4, 1.4 * speed, 0, 0, pressure / 0.4 + 0.7 * speed * speed], np.float32)
    state = [np.full(n, each, np.float32) for each in far]
    state[0] *= 1 + 0.1 * rng.random(n, np.float32)
    near = np.arange(n) + rng.choice([-1000, -30, -1, 1, 30, 1000], (4, n)) + rng.integers(-2, 3, (4, n))
    near = np.where((near < 0) | (near >= n), -1, near)
    near = np.where(rng.random((4, n)) < 0.01, -2, near).astype(np.int32)
    normals = rng.standard_normal((4, 3, n)).astype(np.float32) * np.float32(0.02)
    normals[3] = -normals[:3].sum(0)
    return (*state, near, normals, rng.uniform(0.5, 1, n).astype(np.float32), far, steps)
