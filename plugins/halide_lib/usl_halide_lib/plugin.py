"""What usl_halide_lib declares: directives as schedules, by name, and the command `usl halide`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from usl_core.plugins.hookspecs import Later, hookimpl

if TYPE_CHECKING:
    import click

USL_API = 1

SCHEDULES = ("split", "fuse", "reorder", "tile", "parallel", "vectorize", "unroll", "compute_at", "compute_inline", "store_in")


@hookimpl
def usl_schedules() -> Later:
    """Directives that are given one at once; loaded when one is asked for."""

    def made(name: str) -> Callable[..., Any]:
        from usl_halide_lib.functions import FUNCTIONS

        return FUNCTIONS[name]

    return Later(SCHEDULES, made)


@hookimpl
def usl_commands() -> Mapping[str, click.Command]:
    """`usl halide`."""
    from usl_halide_lib.command import halide_command

    return {"halide": halide_command}
