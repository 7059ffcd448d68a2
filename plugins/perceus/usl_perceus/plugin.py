"""What this package adds: the command `usl fun`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from usl_core.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    import click

USL_API = 1


@hookimpl
def usl_commands() -> Mapping[str, click.Command]:
    """`usl fun`."""
    from usl_perceus.command import fun_command

    return {"fun": fun_command}
