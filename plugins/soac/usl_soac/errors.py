"""Mistakes in array programs, and how running ones fail. Codes are stable and listed in docs/errors.md."""

from __future__ import annotations

from usl_core.errors import UslError


class SoacError(UslError):
    """A mistake in a program of `@soac` functions, found before it runs."""


class ShapeError(ValueError):
    """A program failed since arrays do not have the sizes that they must have. The text names the place in the program."""


class TooLargeError(ShapeError, MemoryError):
    """An array would be larger than memory, or than a size of a kernel can be: a failure of its size, and of memory."""
