"""Many tridiagonal systems (the inner step of LocVolCalib), each by elimination along its row."""

from __future__ import annotations

from usl_core import Procedure
from usl_core.scheduling import divide_loop, expand_dim, lift_alloc, rearrange_dim, stage_mem
from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def solved(a: f32[m], b: f32[m], c: f32[m], d: f32[m]) -> f32[m]:
    u, y = b, d
    for k in range(m - 1):
        beta = a[k + 1] / u[k]
        u = u.set(k + 1, b[k + 1] - beta * c[k])
        y = y.set(k + 1, d[k + 1] - beta * y[k])
    x = y.set(m - 1, y[m - 1] / u[m - 1])
    for k in range(m - 1):
        i = m - 2 - k
        x = x.set(i, (y[i] - c[i] * x[i + 1]) / u[i])
    return x


@soac
def tridag(a: f32[n, m], b: f32[n, m], c: f32[n, m], d: f32[n, m]) -> f32[n, m]:
    return map(solved, a, b, c, d)


# -- schedules


def sixteen_systems(p: Procedure) -> Procedure:
    """Sixteen systems at once; their rows are copied first, so that numbers of the same place stand side by side."""
    p = divide_loop(p, "i", 16, ["io", "ii"], tail="cut")
    for name in ("u", "y", "x"):
        p = lift_alloc(rearrange_dim(expand_dim(p, name, 16, "ii"), name, [1, 0]), name, 2)
    for name in ("a", "b", "c", "d", "t"):
        p = stage_mem(p, p.find_loop("ii").as_block(), f"{name}[16 * io:16 * io + 16, 0:m]", f"{name}_tile")
        p = lift_alloc(rearrange_dim(p, f"{name}_tile", [1, 0]), f"{name}_tile")
    return schedules.in_vectors(p, "ii")


def tuned(program: Function) -> Function:
    """In vectors."""
    return program.schedule("k0", sixteen_systems)
