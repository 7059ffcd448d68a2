"""What usl_halide_lib declares: directives as schedules, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from usl_core.plugins.hookspecs import Later, hookimpl

USL_API = 1

SCHEDULES = ("split", "fuse", "reorder", "tile", "parallel", "vectorize", "unroll", "compute_at", "compute_inline", "store_in")


@hookimpl
def usl_schedules() -> Later:
    """Directives that are given one at once; loaded when one is asked for."""

    def made(name: str) -> Callable[..., Any]:
        from usl_halide_lib.functions import FUNCTIONS

        return FUNCTIONS[name]

    return Later(SCHEDULES, made)
