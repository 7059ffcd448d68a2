"""The C11 backend's own memory, and which memories it allocates itself."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import BackendError, Span
from usl_core.ir.memory import DRAM, Memory, MemoryClass

STACK_LIMIT = 1 << 20
"""Bytes that one buffer in `Stack` may have."""


class Stack(DRAM):
    """A local array of the C function: its size must be a constant, and nothing is allocated at run time."""

    name = "Stack"

    @classmethod
    def alloc(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        extents = [_constant(extent, name, span) for extent in shape]
        total = 1
        for extent in extents:
            total *= extent
        if total * 8 > STACK_LIMIT:
            raise BackendError(
                f"{name} has {total} elements, which is too much for the stack",
                span=span,
                notes=("use DRAM for large buffers",),
            )
        return f"_Alignas(64) {ctype} {name}[{' * '.join(shape)}];"


def _constant(extent: str, name: str, span: Span) -> int:
    if not extent.isdigit():
        raise BackendError(
            f"{name} in memory Stack needs constant extents, not {extent}", span=span, notes=("use DRAM, or resize it first",)
        )
    return int(extent)


def overrides(memory: MemoryClass, method: str) -> bool:
    """Whether the class replaces one of the C-producing class methods of `Memory`."""
    return getattr(memory, method).__func__ is not getattr(Memory, method).__func__


def is_managed(memory: MemoryClass) -> bool:
    """Whether the backend emits the allocation itself: main memory without an `alloc` of its own."""
    return issubclass(memory, DRAM) and not overrides(memory, "alloc")
