"""What this package adds: the backend `c11`, the memory `Stack`, and the command `usl fun`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from usl_core.ir.memory import Memory
from usl_core.plugins.hookspecs import Backend, hookimpl

if TYPE_CHECKING:
    import click

USL_API = 1


@hookimpl
def usl_backends() -> Mapping[str, Backend]:
    from usl_c11.backend import C11

    return {"c11": C11()}


@hookimpl
def usl_commands() -> Mapping[str, click.Command]:
    from usl_c11.perceus.command import fun_command

    return {"fun": fun_command}


@hookimpl
def usl_memories() -> Iterable[type[Memory]]:
    from usl_c11.memory import Stack

    return (Stack,)
