"""What usl_gemmini declares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from usl_core.ir.config import Config
from usl_core.ir.externs import Extern
from usl_core.ir.memory import Memory
from usl_core.plugins.hookspecs import Driver, Later, hookimpl

USL_API = 1


@hookimpl
def usl_drivers() -> Mapping[str, Driver]:
    """The headers of the chips of each dimension, with what C that includes them is linked with."""
    from usl_gemmini.driver import SimulatorDriver
    from usl_gemmini.params import DIMENSIONS, GemminiParams

    return {f"dim{dim}": SimulatorDriver(GemminiParams(dim=dim)) for dim in DIMENSIONS}


@hookimpl
def usl_memories() -> Iterable[type[Memory]]:
    """The memories of the default chip."""
    from usl_gemmini.memories import ACC, GEMMINI_OUT, GEMMINI_OUT2, SPAD, SPENT, WEIGHTS

    return (SPAD, ACC, WEIGHTS, SPENT, GEMMINI_OUT, GEMMINI_OUT2)


@hookimpl
def usl_configs() -> Iterable[Config]:
    """The configuration state, which all chips share."""
    from usl_gemmini.kernels_registers import REGISTERS

    return REGISTERS


@hookimpl
def usl_externs() -> Iterable[Extern]:
    """Rounding to the nearest integer."""
    from usl_gemmini.rounding import rne

    return (rne,)


@hookimpl
def usl_instructions() -> Iterable[object]:
    """The instructions of the default chip."""
    from usl_gemmini.chip import chip

    return Later(tuple(chip()), chip().__getitem__)
