"""What this package adds: the backend `c11` and the memory `Stack`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from usl_core.ir.memory import Memory
from usl_core.plugins.hookspecs import Backend, Later, hookimpl

USL_API = 1


@hookimpl
def usl_backends() -> Mapping[str, Backend]:
    """The backend of this plugin."""

    def make(_: str) -> Backend:
        from usl_c11.backend import C11

        return C11()

    return Later(("c11",), make)


@hookimpl
def usl_memories() -> Iterable[type[Memory]]:
    """The memories of this plugin."""
    from usl_c11.memory import Stack

    return (Stack,)
