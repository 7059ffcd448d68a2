"""k-means: Lloyd's rounds (Rodinia's and Futhark's k-means)."""

from __future__ import annotations

from usl_core import Procedure
from usl_core.scheduling import divide_loop, lift_alloc, rearrange_dim, stage_mem
from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def nearest(point: f32[d], centres: f32[k, d]) -> i32:
    least, found, number = f32(inf), i32(0), i32(0)
    for i in range(k):
        far = reduce(add, 0.0, map(lambda x, y: (x - y) * (x - y), point, centres[i]))
        found = number if far < least else found
        least = far if far < least else least
        number = number + 1
    return found


@soac
def kmeans(points: f32[n, d], centres: f32[k, d], rounds: i64) -> f32[k, d]:
    c = centres
    for _ in range(rounds):
        nearby = map(lambda p: nearest(p, c), points)
        counts = reduce_by_index(replicate(k, f32(0.0)), add, 0.0, i64(nearby), replicate(n, f32(1.0)))
        sums = reduce_by_index(
            replicate(k, replicate(d, f32(0.0))), lambda a, b: map(add, a, b), replicate(d, f32(0.0)), i64(nearby), points
        )
        c = map(lambda s, count, old: map(lambda x, o: x / count if count > 0.0 else o, s, old), sums, counts, c)
    return c


# -- schedules


def sixteen_points(p: Procedure) -> Procedure:
    """Sixteen points at once look for the nearest centre; they are copied, so that their coordinates stand side by side."""
    p = divide_loop(p, "i", 16, ["io", "ii"], tail="cut")
    p = stage_mem(p, p.find_loop("io").body(), "points[16 * io:16 * io + 16, 0:d]", "tile")
    p = lift_alloc(rearrange_dim(p, "tile", [1, 0]), "tile")
    return schedules.in_vectors(p, "ii")


def tuned(program: Function) -> Function:
    """The search in vectors, which takes nearly all of the time."""
    return program.schedule("k0", sixteen_points)
