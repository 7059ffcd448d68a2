"""Accelerations of bodies that attract each other."""

from __future__ import annotations

from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def accelerations(x: f32[n], y: f32[n], z: f32[n], mass: f32[n]) -> tuple[f32[n], f32[n], f32[n]]:
    def pulled(xi: f32, yi: f32, zi: f32):
        def pull(xj: f32, yj: f32, zj: f32, m: f32):
            dx, dy, dz = xj - xi, yj - yi, zj - zi
            r2 = dx * dx + dy * dy + dz * dz + 0.01
            s = m / (r2 * sqrt(r2))
            return dx * s, dy * s, dz * s

        return reduce(lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] + b[2]), (0.0, 0.0, 0.0), map(pull, x, y, z, mass))

    return map(pulled, x, y, z)


# -- schedules


def tuned(program: Function) -> Function:
    """Sixteen bodies at once, on each of which all others pull one after the other."""
    return program.schedule("k0", lambda p: schedules.in_vectors(p, "i"))
