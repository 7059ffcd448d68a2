"""Procedures as C under chosen compiler flags: the baselines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from usl_core import Procedure

PLAIN: Mapping[str, Any] = {"flags": ("-O3",)}
SCALAR: Mapping[str, Any] = {"flags": ("-O3", "-fno-tree-vectorize")}
NATIVE: Mapping[str, Any] = {"flags": ("-O3",), "march": "native"}


def native(procedure: Procedure, options: Mapping[str, Any]) -> Callable[..., None]:
    """The procedure's C compiled with these optimisation flags, callable on NumPy arrays as what `jit` gives."""
    kernel: Callable[..., None] = procedure.jit(**options)
    return kernel
