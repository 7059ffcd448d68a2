"""What usl_avx512 declares. Imports its instructions only when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from usl_core.ir.externs import Extern
from usl_core.ir.memory import Memory
from usl_core.plugins.hookspecs import Emulation, Later, hookimpl

USL_API = 1

INTEGER_KERNELS = tuple(
    """
    mm512_setzero_epu32 mm512_loadu_epu32 mm512_storeu_epu32 mm512_set1_epu32 mm512_add_epu32 mm512_div9_epu32
    mm512_loadu_epu16 mm512_storeu_epu16 mm512_add_epu16 mm256_loadu_epu16 mm256_storeu_epu16
    mm512_cvtepu16_epu32 mm512_cvtepu32_epu16 mm512_loadu_cvtepu16_epu32 mm512_cvtepu32_storeu_epu16
    mm512_mask_loadu_cvtepu16_epu32 mm512_mask_add_epu32 mm512_mask_setzero_epu32 mm512_mask_div9_epu32
    mm512_mask_cvtepu32_storeu_epu16
    """.split()
)
"""The instructions of `kernels_int`, by name: that module parses them when it is imported."""


@hookimpl
def usl_memories() -> Iterable[type[Memory]]:
    """The memories of this plugin."""
    from usl_avx512.memories import AVX2, AVX512, AVX512_MASK, AVX512_XMM, AVX512_YMM

    return (AVX512, AVX512_YMM, AVX512_XMM, AVX512_MASK, AVX2)


@hookimpl
def usl_instructions() -> Iterable[object]:
    """The instructions of this plugin."""
    from usl_avx512 import isa

    def make(name: str) -> object:
        if name in isa.names():
            return getattr(isa, name)
        from usl_avx512 import kernels_int

        return getattr(kernels_int, name)

    return Later((*INTEGER_KERNELS, *isa.names()), make)


@hookimpl
def usl_externs() -> Iterable[Extern]:
    """The functions of this plugin."""
    from usl_avx512.externs import EXTERNS

    return EXTERNS


@hookimpl
def usl_schedules() -> Mapping[str, Callable[..., Any]]:
    """The schedules of this plugin, by name."""
    names = {"sgemm": "sgemm_schedule", "box_blur": "blur_schedule"}

    def make(name: str) -> Callable[..., Any]:
        from usl_avx512 import schedules

        found: Callable[..., Any] = getattr(schedules, names[name])
        return found

    return Later(names, make)


@hookimpl
def usl_emulations() -> Mapping[str, Emulation]:
    """What runs the instructions where the processor lacks them."""
    from usl_avx512.emulation import simde

    found = simde()
    return {} if found is None else {"simde": found}
