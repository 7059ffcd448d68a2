"""Schedules of the image kernels. They read as Halide's do; what they may not do is change a pixel."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from usl_core import Procedure
from usl_halide_lib.applying import Schedule, schedule
from usl_halide_lib.directives import TailStrategy
from usl_halide_lib.kernels_images import box_blur, harris, unsharp

SHIFT = TailStrategy.ShiftInwards


def box_blur_schedule(p: Procedure) -> Schedule:
    """Strips of rows in parallel; in each, three rows of sums along rows are kept."""
    s = schedule(p)
    s["blur_y"].split("y", "y", "yi", 64, TailStrategy.GuardWithIf).parallel("y").vectorize("x", 32, SHIFT)
    s["blur_x"].store_at("blur_y", "y").compute_at("blur_y", "yi").vectorize("x", 32)
    return s


def unsharp_schedule(p: Procedure) -> Schedule:
    """Strips of rows in parallel; in each, eight grey rows and one of the vertical blur and of the ratio are kept."""
    s = schedule(p, default="inline")
    s["output"].split("y", "yo", "yi", 32, TailStrategy.GuardWithIf).parallel("yo").reorder("x", "c", "yi", "yo")
    s["output"].vectorize("x", 16, SHIFT).unroll("c")
    s["gray"].compute_at("output", "yi").store_at("output", "yo").vectorize("x", 16)
    s["blur_y"].compute_at("output", "yi").store_at("output", "yo").vectorize("x", 16)
    s["ratio"].compute_at("output", "yi").store_at("output", "yo").vectorize("x", 16)
    return s


def harris_schedule(p: Procedure) -> Schedule:
    """Strips of rows in parallel; in each, rows of the gradients slide."""
    s = schedule(p)
    s["response"].split("y", "yo", "yi", 32, TailStrategy.GuardWithIf).parallel("yo").vectorize("x", 16, SHIFT)
    for gradient in ("gx", "gy"):
        s[gradient].compute_at("response", "yi").store_at("response", "yo").vectorize("x", 16)
    for product in ("xx", "xy", "yy"):
        s[product].compute_at("response", "yi").vectorize("x", 16)
    return s


KERNELS: dict[str, tuple[Procedure, Callable[[Procedure], Schedule]]] = {
    "box_blur": (box_blur, box_blur_schedule),
    "unsharp": (unsharp, unsharp_schedule),
    "harris": (harris, harris_schedule),
}
"""By name what is computed, and how."""


@cache
def scheduled(name: str) -> Procedure:
    """A kernel after its schedule."""
    algorithm, how = KERNELS[name]
    return how(algorithm).apply()
