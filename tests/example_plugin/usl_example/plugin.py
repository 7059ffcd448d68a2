"""What usl_example declares. Nothing is imported before it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from usl_core.ir.memory import Memory
from usl_core.plugins.hookspecs import hookimpl

USL_API = 1


@hookimpl
def usl_memories() -> Iterable[type[Memory]]:
    from usl_example.memories import LANES4

    return (LANES4,)


@hookimpl
def usl_instructions() -> Iterable[object]:
    from usl_example.kernels import INSTRUCTIONS

    return INSTRUCTIONS


@hookimpl
def usl_schedules() -> Mapping[str, Callable[..., Any]]:
    return {"keep": keep}


@hookimpl
def usl_selfcheck() -> Iterable[str]:
    return ()


def keep(procedure: Any) -> Any:
    """The schedule that changes nothing."""
    return procedure
