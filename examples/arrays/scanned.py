"""Running sums."""

from __future__ import annotations

from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def sums(x: f32[n]) -> f32[n]:
    return scan(add, 0.0, x)


# -- schedules


def tuned(program: Function) -> Function:
    """In vectors."""
    return program.schedule(schedules.soac_default)
