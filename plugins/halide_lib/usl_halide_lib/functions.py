"""Directives as functions, one at once: `p = compute_at(p, "blur_x", "blur_y", "x")`.

Names of loops are those of the iterators that the procedure has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from usl_core import Procedure
from usl_halide_lib.applying import schedule
from usl_halide_lib.directives import TailStrategy

AUTO = TailStrategy.Auto


def split(p: Procedure, func: str, old: str, outer: str, inner: str, factor: int, tail: TailStrategy = AUTO) -> Procedure:
    """Divide a loop of a func's first stage."""
    s = schedule(p)
    s[func].split(old, outer, inner, factor, tail)
    return s.apply()


def fuse(p: Procedure, func: str, inner: str, outer: str, fused: str) -> Procedure:
    """Make one loop of two."""
    s = schedule(p)
    s[func].fuse(inner, outer, fused)
    return s.apply()


def reorder(p: Procedure, func: str, *names: str) -> Procedure:
    """Nest loops anew, the innermost first."""
    s = schedule(p)
    s[func].reorder(*names)
    return s.apply()


def tile(p: Procedure, func: str, *args: Any) -> Procedure:
    """Two splits and a reorder."""
    s = schedule(p)
    s[func].tile(*args)
    return s.apply()


def parallel(p: Procedure, func: str, name: str, task_size: int | None = None, tail: TailStrategy = AUTO) -> Procedure:
    """Iterations on several threads."""
    s = schedule(p)
    s[func].parallel(name, task_size, tail)
    return s.apply()


def vectorize(p: Procedure, func: str, name: str, factor: int | None = None, tail: TailStrategy = AUTO) -> Procedure:
    """Iterations at once by vector instructions."""
    s = schedule(p)
    s[func].vectorize(name, factor, tail)
    return s.apply()


def unroll(p: Procedure, func: str, name: str, factor: int | None = None, tail: TailStrategy = AUTO) -> Procedure:
    """A copy of the body for each iteration."""
    s = schedule(p)
    s[func].unroll(name, factor, tail)
    return s.apply()


def compute_at(p: Procedure, func: str, consumer: str, name: str, store: tuple[str, str] | None = None) -> Procedure:
    """Compute what one iteration of a loop of a consumer needs, in it; store is the func and the loop of a store_at."""
    s = schedule(p)
    s[func].compute_at(consumer, name)
    if store is not None:
        s[func].store_at(*store)
    return s.apply()


def compute_inline(p: Procedure, func: str) -> Procedure:
    """Compute a func wherever it is read."""
    s = schedule(p)
    s[func].compute_inline()
    return s.apply()


def store_in(p: Procedure, func: str, memory: Any) -> Procedure:
    """Put a func into a memory."""
    s = schedule(p)
    s[func].store_in(memory)
    return s.apply()


FUNCTIONS: dict[str, Callable[..., Procedure]] = {
    each.__name__: each
    for each in (split, fuse, reorder, tile, parallel, vectorize, unroll, compute_at, compute_inline, store_in)
}
"""By name, as `usl_core.schedules` has them."""
