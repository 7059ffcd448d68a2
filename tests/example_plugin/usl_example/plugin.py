"""What usl_example declares. Nothing is imported before it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from usl_core.ir.config import Config
from usl_core.ir.memory import Memory
from usl_core.plugins.hookspecs import hookimpl

USL_API = 1


@hookimpl
def usl_memories() -> Iterable[type[Memory]]:
    from usl_example.memories import ACCUMULATOR, SCRATCHPAD

    return (SCRATCHPAD, ACCUMULATOR)


@hookimpl
def usl_configs() -> Iterable[Config]:
    from usl_example.kernels import REGISTERS

    return REGISTERS


@hookimpl
def usl_instructions() -> Iterable[object]:
    from usl_example.kernels import INSTRUCTIONS

    return INSTRUCTIONS


@hookimpl
def usl_schedules() -> Mapping[str, Callable[..., Any]]:
    from usl_example.schedules import accelerate_gemm, accelerate_gemm_ahead

    return {"accelerate_gemm": accelerate_gemm, "accelerate_gemm_ahead": accelerate_gemm_ahead}


@hookimpl
def usl_selfcheck() -> Iterable[str]:
    return ()
