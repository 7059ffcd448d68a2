"""What this package adds: the command `usl soac`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from usl_core.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    import click

USL_API = 1


@hookimpl
def usl_commands() -> Mapping[str, click.Command]:
    """`usl soac`."""
    from usl_soac.command import soac_command

    return {"soac": soac_command}
