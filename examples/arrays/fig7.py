"""Sums and products of rows, of which one matrix is looked at (Henriksen 2014, figure 7)."""

from __future__ import annotations

from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def f(a: f32[N, M]) -> f32[2 * N]:
    sums, products = map(lambda x: (reduce(add, 0.0, x), reduce(mul, 1.0, x)), a)
    return concat(sums, products)


@soac
def every(A: f32[K, N, M]) -> f32[K, _]:
    return map(f, A)


@soac
def fifth(A: f32[K, N, M]) -> f32[_]:
    return map(f, A)[5]


# -- schedules


def tuned(program: Function) -> Function:
    """In vectors."""
    return program.schedule(schedules.soac_default)
