"""What usl_example_schedules declares. Nothing is imported before it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from usl_core.plugins.hookspecs import hookimpl

USL_API = 1


@hookimpl
def usl_schedules() -> Mapping[str, Callable[..., Any]]:
    from usl_example_schedules.loops import parallelize_outermost
    from usl_example_schedules.tiling import stage_locally, tile_to_fit

    return {each.__name__: each for each in (parallelize_outermost, stage_locally, tile_to_fit)}
