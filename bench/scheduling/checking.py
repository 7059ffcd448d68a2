"""Running what a schedule gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from usl_core import Procedure


def kernel_of(p: Procedure) -> Callable[..., Any]:
    """A callable on NumPy arrays that changes them in place: compiled where the processor can run it, else interpreted."""
    from usl_avx512 import has_avx512
    from usl_core.interp import run

    if has_avx512():
        return p.jit()
    names = [arg.name() for arg in p.args()]
    return lambda *values: run(p.ir, dict(zip(names, values, strict=True)))
