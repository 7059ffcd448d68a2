"""Halide's scheduling directives on any procedure, as compositions of operators: no schedule can change a result.

    from usl_halide_lib import TailStrategy, schedule

    s = schedule(blur)
    s["blur_y"].tile("x", "y", "xi", "yi", 256, 32).vectorize("xi", 16).parallel("y")
    s["blur_x"].compute_at("blur_y", "x").vectorize("x", 16)
    p = s.apply()

Each name is loaded when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from usl_halide_lib import hl as hl
    from usl_halide_lib.applying import Schedule as Schedule
    from usl_halide_lib.applying import schedule as schedule
    from usl_halide_lib.directives import LoopAlignStrategy as LoopAlignStrategy
    from usl_halide_lib.directives import Partition as Partition
    from usl_halide_lib.directives import PrefetchBoundStrategy as PrefetchBoundStrategy
    from usl_halide_lib.directives import TailStrategy as TailStrategy
    from usl_halide_lib.errors import DirectiveError as DirectiveError
    from usl_halide_lib.vector import Target as Target

_HOMES = {
    "DirectiveError": "errors",
    "LoopAlignStrategy": "directives",
    "Partition": "directives",
    "PrefetchBoundStrategy": "directives",
    "Schedule": "applying",
    "TailStrategy": "directives",
    "Target": "vector",
    "schedule": "applying",
}
"""By public name the module that has it."""

__all__ = [*sorted(_HOMES), "hl"]


def __getattr__(name: str) -> Any:
    if name == "hl":
        return importlib.import_module("usl_halide_lib.hl")
    if name not in _HOMES:
        raise AttributeError(f"module 'usl_halide_lib' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"usl_halide_lib.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
