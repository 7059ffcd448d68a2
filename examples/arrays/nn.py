"""The ten nearest records (Rodinia's NN): the least of each row of distances, then the least of these, k times."""

from __future__ import annotations

from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def nn(lat: f32[n], lng: f32[n], y: f32, x: f32, k: i64) -> tuple[i64[k], f32[k]]:
    def closer(a, b):
        return b if b[0] < a[0] else a

    rows = (n + 1023) // 1024
    distances = map(lambda a, b: sqrt((a - y) * (a - y) + (b - x) * (b - x)), lat, lng)
    grid = reshape(concat(distances, replicate(rows * 1024 - n, f32(inf))), (rows, 1024))
    least = map(lambda r: reduce(min, inf, r), grid)
    places, found = replicate(k, n), replicate(k, f32(inf))
    for i in range(k):
        d, row = reduce(closer, (inf, 0), least, iota(rows))
        at = reduce(closer, (inf, 0), grid[row], iota(1024))[1]
        places, found = places.set(i, row * 1024 + at), found.set(i, d)
        grid = grid.set((row, at), inf)
        least = least.set(row, reduce(min, inf, grid[row]))
    return places, found


# -- schedules


def tuned(program: Function) -> Function:
    """In vectors."""
    return program.schedule(schedules.soac_default)
