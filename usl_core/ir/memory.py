"""Memories: where a buffer lives, as a class whose class methods return C text.

The core only carries the class along; a backend calls its methods. Reference: Reinking 2022, §3.2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from usl_core.errors import BackendError, Span


class Memory:
    """Base of all memories; subclasses override what they need. The defaults are those of ordinary addressable memory.

    Arguments: `name` C identifier of the buffer, `ctype` C name of the element type, `shape` C expressions of the
    extents (empty for a scalar), `base` C text of a pointer (or of the name), `indices` and `strides` C expressions, one
    per dimension, strides in elements.
    """

    name: ClassVar[str] = "Memory"
    addressable: ClassVar[bool] = True
    """Whether plain C may read and write elements; otherwise only instructions touch the memory."""
    features: ClassVar[tuple[str, ...]] = ()
    """CPU features, by the compiler's names, that the C of the other members needs; what allocates here compiles with them."""

    @classmethod
    def header(cls) -> str:
        """C text that the generated file needs once (includes, helper functions)."""
        return ""

    @classmethod
    def alloc(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        """Statement(s) that declare the buffer; scalars are plain locals."""
        raise BackendError(f"memory {cls.name} cannot be allocated", span=span)

    @classmethod
    def free(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        """Statement(s) at the end of the buffer's scope, or empty text."""
        return ""

    @classmethod
    def window(cls, base: str, ctype: str, indices: Sequence[str], strides: Sequence[str], span: Span) -> str:
        """An lvalue: the element of the buffer at `indices`; its address is the window's data pointer."""
        terms = [
            index if stride == "1" else f"({index}) * ({stride})"
            for index, stride in zip(indices, strides, strict=True)
            if index != "0"
        ]
        return f"{base}[{' + '.join(terms) or '0'}]"

    @classmethod
    def read(cls, access: str, ctype: str, span: Span) -> str:
        """C expression reading the lvalue `access`."""
        if not cls.addressable:
            raise BackendError(f"memory {cls.name} cannot be read by plain C; use an instruction", span=span)
        return access

    @classmethod
    def write(cls, access: str, ctype: str, value: str, span: Span) -> str:
        """C statement storing `value` into the lvalue `access`."""
        if not cls.addressable:
            raise BackendError(f"memory {cls.name} cannot be written by plain C; use an instruction", span=span)
        return f"{access} = {value};"

    @classmethod
    def reduce(cls, access: str, ctype: str, value: str, span: Span) -> str:
        """C statement adding `value` to the lvalue `access`."""
        if not cls.addressable:
            raise BackendError(f"memory {cls.name} does not support `+=` in plain C; use an instruction", span=span)
        return f"{access} += {value};"


class DRAM(Memory):
    """Main memory: arrays on the heap. The default memory of formals and allocations.

    The backend emits its allocation (checked `malloc`, or a local array where the size is a small constant).
    """

    name = "DRAM"


MemoryClass = type[Memory]
