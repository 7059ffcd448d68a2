"""Matrix product (Henriksen 2014)."""

from __future__ import annotations

from usl_soac import soac


@soac
def matmul(A: f32[n, m], B: f32[m, p]) -> f32[n, p]:
    return map(lambda r: map(lambda c: reduce(add, 0.0, map(mul, r, c)), transpose(B)), A)
