"""The C11 backend's own memory, and which memories it allocates itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from usl_core.errors import BackendError, Span, UslError
from usl_core.ir.memory import DRAM, Memory, MemoryClass

STACK_LIMIT = 1 << 20
"""Bytes that one buffer in `Stack` may have."""


class Stack(DRAM):
    """A local array of the C function: its size must be a constant, and nothing is allocated at run time."""

    name = "Stack"

    @classmethod
    def alloc(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        """C that declares an array on the stack."""
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


def features_of(memory: MemoryClass, span: Span) -> tuple[str, ...]:
    """The CPU features that a memory declares.

    Raises:
        BackendError: it declares something else than a tuple of names.
    """
    declared: Any = memory.features
    if not isinstance(declared, tuple) or not all(isinstance(feature, str) for feature in declared):
        message = f"features of memory {memory.__name__} must be a tuple of names of CPU features, not {declared!r}"
        raise BackendError(message, span=span, notes=('hint: features = ("avx512f",)',))
    return declared


def ask(memory: MemoryClass, method: str, *arguments: Any) -> str:
    """The C text that a class method of a memory gives. Plugins bring memories, so whatever goes wrong in one is said of it.

    Raises:
        BackendError: the method refuses, fails, or gives no text; the place is the span among the arguments.
    """
    span = next((argument for argument in arguments if isinstance(argument, Span)), None)
    try:
        text = getattr(memory, method)(*arguments)
    except UslError:
        raise
    except Exception as error:  # a plugin's code may fail in any way
        message = f"{method} of memory {memory.__name__} failed: {type(error).__name__}: {error}"
        raise BackendError(
            message, span=span, notes=("see docs/targets.md for what the methods of a memory get and give",)
        ) from error
    if not isinstance(text, str):
        raise BackendError(f"{method} of memory {memory.__name__} must give C text, not {text!r}", span=span)
    return text
