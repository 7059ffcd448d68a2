"""Copies of rows: a procedure for each type of elements."""

from __future__ import annotations

import functools

from usl_core import Procedure, build
from usl_core.ir.types import ScalarType

MOST = (1 << 31) - 1
"""The most elements that a procedure takes."""


@functools.cache
def copy_procedure(scalar: ScalarType) -> Procedure:
    """`copied_f64(n, x, y)`: y becomes what x is."""
    b = build.ProcBuilder(f"copied_{scalar.name}")
    n = b.size("n")
    x = b.tensor("x", scalar, (n,))
    y = b.tensor("y", scalar, (n,))
    with b.for_("i", 0, n) as i:
        b.assign(y, (i,), build.read(x, i))
    made: Procedure = b.finish()
    return made
