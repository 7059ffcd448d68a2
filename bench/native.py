"""Procedures as C under chosen compiler flags: the baselines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from usl_core import Procedure

PLAIN = ("-O3",)
SCALAR = ("-O3", "-fno-tree-vectorize")
NATIVE = ("-O3", "-march=native")


def native(procedure: Procedure, flags: tuple[str, ...]) -> Callable[..., None]:
    """The procedure's C compiled with exactly these optimisation flags, callable on NumPy arrays as what `jit` gives."""
    kernel: Callable[..., None] = procedure.jit(flags=flags)
    return kernel
