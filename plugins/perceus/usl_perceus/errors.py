"""Mistakes in functional programs. Codes are stable and listed in docs/errors.md."""

from __future__ import annotations

from usl_core.errors import UslError


class PerceusError(UslError):
    """A mistake in a program of `@data` and `@fun` definitions."""

    code = "E710"
