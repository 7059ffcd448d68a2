"""Sobol's numbers in Gray code's order, point by point (OptionPricing of Henriksen 2014)."""

from __future__ import annotations

from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def sobol(n: i64, directions: u32[dims, 32]) -> u32[n, dims]:
    def number(gray: u32, row: u32[32]):
        x = u32(0)
        for bit in range(32):
            x = x ^ (row[bit] & (0 - (gray & 1)))
            gray = gray >> 1
        return x

    return map(lambda i: map(lambda row: number(u32(i) ^ (u32(i) >> 1), row), directions), iota(n))


# -- schedules


def tuned(program: Function) -> Function:
    """Sixteen points at once."""
    return program.schedule("k0", lambda p: schedules.in_vectors(p, "i"))
