"""What this package adds: the commands `usl plugin new` and `usl plugin check`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from usl_core.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    import click

USL_API = 1


@hookimpl
def usl_commands() -> Mapping[str, click.Command]:
    """`usl plugin new` and `usl plugin check`."""
    from usl_conformance.command import plugin_group

    return {"plugin": plugin_group}
