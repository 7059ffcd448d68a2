"""Numbers that are positive."""

from __future__ import annotations

from usl_soac import soac


@soac
def positive(x: f32[n]) -> f32[_]:
    return filter(lambda v: v > 0.0, x)
