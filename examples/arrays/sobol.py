"""Sobol's numbers in Gray code's order, point by point (OptionPricing of Henriksen 2014)."""

from __future__ import annotations

from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def number(gray: u32, directions: u32[32]) -> u32:
    x, g = u32(0), gray
    for bit in range(32):
        x = x ^ (directions[bit] & (0 - (g & 1)))
        g = g >> 1
    return x


@soac
def sobol(n: i64, directions: u32[dims, 32]) -> u32[n, dims]:
    return map(lambda i: map(lambda row: number(u32(i) ^ (u32(i) >> 1), row), directions), iota(n))


# -- schedules


def tuned(program: Function) -> Function:
    """Sixteen points at once."""
    return program.schedule("k0", lambda p: schedules.in_vectors(p, "i"))
