"""What this package adds: the backend `c11`, the memory `Stack`, and scalar types of low precision with their functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from usl_core.ir.externs import Extern
from usl_core.ir.memory import Memory
from usl_core.ir.types import ScalarType
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


@hookimpl
def usl_types() -> Iterable[ScalarType]:
    """The scalar types of this plugin."""
    from usl_c11.low_precision import f8e4m3, f8e5m2, i4x2

    return (f8e4m3, f8e5m2, i4x2)


@hookimpl
def usl_externs() -> Iterable[Extern]:
    """The functions of this plugin."""
    from usl_c11.low_precision import i4_high, i4_low, i4_pair

    return (i4_low, i4_high, i4_pair)
