"""Heat in a chip (Rodinia's HotSpot): a five point stencil with power, edges repeated."""

from __future__ import annotations

from usl_core import Procedure
from usl_core.scheduling import cut_loop, simplify, specialize
from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def hotspot(temperature: f32[n, m], power: f32[n, m], steps: i64, cap: f32, rx: f32, ry: f32, rz: f32) -> f32[n, m]:
    def cell(p, c, north, south, west, east):
        return c + cap * (p + (south + north - 2.0 * c) * ry + (east + west - 2.0 * c) * rx + (80.0 - c) * rz)

    t = temperature
    for _ in range(steps):
        t = map(
            lambda i, heat: map(
                lambda j, p: cell(
                    p, t[i, j], t[max(i - 1, 0), j], t[min(i + 1, n - 1), j], t[i, max(j - 1, 0)], t[i, min(j + 1, m - 1)]
                ),
                iota(m),
                heat,
            ),
            iota(n),
            power,
        )
    return t


# -- schedules


def apart(p: Procedure) -> Procedure:
    """The first and the last column apart, where neighbours are repeated; what is between them in vectors."""
    p = specialize(p, p.find_loop("i_2"), "m > 2")
    p = cut_loop(p, "i_2", 1)
    p = cut_loop(p, "i_2 #1", "m - 1")
    between = p.find_loop("i_2 #1")
    p = simplify(p)
    return schedules.in_vectors(p, p.forward(between))


def tuned(program: Function) -> Function:
    """In vectors."""
    return program.schedule("k0", apart)
