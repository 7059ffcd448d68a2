"""The two memories of the accelerator. Both consist of rows of 16 lanes, which only instructions reach."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from usl_core.errors import BackendError, Span
from usl_core.placement import PlacedMemory

LANES = 16
MODEL = Path(__file__).with_name("model.h").read_text(encoding="utf-8").strip()
"""The C that stands for the hardware. A package for real hardware has `#include "driver.h"` here."""


class _Rows(PlacedMemory):
    """What both have in common: a buffer's last dimension is the lanes of a row, those before it count rows.

    Which rows a buffer gets is decided for all buffers at once. In C a row is an element of an array of the device.
    """

    lanes = LANES
    element = array = ""

    @classmethod
    def header(cls) -> str:
        return MODEL

    @classmethod
    def declare(cls, name: str, ctype: str, row: int, span: Span) -> str:
        if ctype != cls.element:
            raise BackendError(f"memory {cls.name} holds {cls.element}, not {ctype}", span=span)
        return super().declare(name, ctype, row, span)

    @classmethod
    def window(cls, base: str, ctype: str, indices: Sequence[str], strides: Sequence[str], span: Span) -> str:
        return f"accel.{cls.array}[{cls.row(base, indices, strides, span)}]"


class SCRATCHPAD(_Rows):
    """Operands: rows of 16 `i8`, in four banks, of which each can be read or written at a time."""

    name = "SCRATCHPAD"
    rows, banks = 1024, 4
    element, array = "int8_t", "spad"


class ACCUMULATOR(_Rows):
    """Sums: rows of 16 `i32`."""

    name = "ACCUMULATOR"
    rows, banks = 256, 2
    element, array = "int32_t", "acc"
