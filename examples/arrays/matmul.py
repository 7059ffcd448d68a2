"""Matrix product (Henriksen 2014)."""

from __future__ import annotations

from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def matmul(A: f32[n, m], B: f32[m, p]) -> f32[n, p]:
    return map(lambda r: map(lambda c: reduce(add, 0.0, map(mul, r, c)), transpose(B)), A)


# -- schedules


def tuned(program: Function) -> Function:
    """In tiles of registers."""
    return program.schedule(schedules.soac_default)
