"""The shapes that are scheduled, by name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Shape:
    """One schedule. Its module has `schedule() -> Procedure` and `check(Procedure)`, which raises if a result is wrong.

    peer is the CPU time in seconds and the number of operator calls of Exo main (2026) for its schedule of that kind.
    """

    name: str
    title: str
    module: str
    peer: tuple[float, int] | None = None

    def load(self) -> tuple[Callable[[], Any], Callable[[Any], None]]:
        module = import_module(f"bench.scheduling.{self.module}")
        return module.schedule, module.check

    def load_anew(self) -> tuple[Callable[[], Any], Callable[[Any], None]]:
        """The same with every procedure that is scheduled parsed again; instructions, which come from packages, stay."""
        for name in list(sys.modules):
            if name.startswith("bench.scheduling.kernels_") or name in (f"bench.scheduling.{self.module}", *_SOURCES):
                del sys.modules[name]
        return self.load()


_SOURCES = ("demo.kernels", "demo.two_stage_blur")
"""Modules beside this package whose procedures are scheduled."""

SHAPES = {
    shape.name: shape
    for shape in (
        Shape("gemm", "SGEMM, AVX-512, every edge", "gemm", (20.0, 1724)),
        Shape("blur", "two-stage stencil (box blur)", "two_stages", (3.7, 320)),
        Shape("unsharp", "seven-stage stencil (unsharp mask)", "seven_stages", (102.0, 15011)),
        Shape("conv", "convolution 3x3, NHWC", "convolution", (1.6, 172)),
        Shape("accelerator", "GEMM on an accelerator", "accelerator", (43.0, 1533)),
    )
}
