"""What usl_avx512 declares. Imports its instructions only when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from usl_core.ir.memory import Memory
from usl_core.plugins.hookspecs import Emulation, hookimpl

USL_API = 1


@hookimpl
def usl_memories() -> Iterable[type[Memory]]:
    """The memories of this plugin."""
    from usl_avx512.memories import AVX2, AVX512, AVX512_YMM

    return (AVX512, AVX512_YMM, AVX2)


@hookimpl
def usl_instructions() -> Iterable[object]:
    """The instructions of this plugin."""
    from usl_avx512 import isa, kernels_int

    return (*kernels_int.INSTRUCTIONS, *(each for table in isa.TABLES for each in isa.instructions(table)))


@hookimpl
def usl_schedules() -> Mapping[str, Callable[..., Any]]:
    """The schedules of this plugin, by name."""
    from usl_avx512.schedules import blur_schedule, sgemm_schedule

    return {"sgemm": sgemm_schedule, "box_blur": blur_schedule}


@hookimpl
def usl_emulations() -> Mapping[str, Emulation]:
    """What runs the instructions where the processor lacks them."""
    from usl_avx512.emulation import simde

    found = simde()
    return {} if found is None else {"simde": found}
