"""What this package adds: the command `usl soac`, and the schedule for any kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from usl_core.plugins.hookspecs import Later, hookimpl

if TYPE_CHECKING:
    import click

USL_API = 1


@hookimpl
def usl_commands() -> Mapping[str, click.Command]:
    """`usl soac`."""
    from usl_soac.command import soac_command

    return {"soac": soac_command}


@hookimpl
def usl_schedules() -> Mapping[str, Callable[..., Any]]:
    """`soac_default`; loaded when it is asked for."""

    def made(name: str) -> Callable[..., Any]:
        from usl_soac import schedules

        found: Callable[..., Any] = getattr(schedules, name)
        return found

    return Later(("soac_default",), made)
