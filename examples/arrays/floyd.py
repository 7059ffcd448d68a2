"""Shortest paths between all pairs (Henriksen 2014)."""

from __future__ import annotations

from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def floyd(D: f32[n, n]) -> f32[n, n]:
    for k in range(n):
        D = map(lambda row, to_k: map(lambda d, from_k: min(d, to_k + from_k), row, D[k]), D, D[:, k])
    return D


# -- schedules


def tuned(program: Function) -> Function:
    """In vectors."""
    return program.schedule(schedules.soac_default)
