"""Numbers that are positive."""

from __future__ import annotations

from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def positive(x: f32[n]) -> f32[_]:
    return filter(lambda v: v > 0.0, x)


# -- schedules


def tuned(program: Function) -> Function:
    """In blocks of sixteen."""
    return program.schedule(schedules.soac_default)
