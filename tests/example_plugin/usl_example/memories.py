"""The two memories of the accelerator. Both consist of rows of 16 lanes, which only instructions reach."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from usl_core.errors import BackendError, Span
from usl_core.ir.memory import Memory

LANES = 16
MODEL = Path(__file__).with_name("model.h").read_text(encoding="utf-8").strip()
"""The C that stands for the hardware. A package for real hardware has `#include "driver.h"` here."""


class _Rows(Memory):
    """What both have in common: a buffer's last dimension is the lanes of a row, those before it count rows."""

    addressable = False
    element = row = ""

    @classmethod
    def header(cls) -> str:
        return MODEL

    @classmethod
    def alloc(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        if ctype != cls.element or not shape or shape[-1] != str(LANES) or not all(extent.isdigit() for extent in shape):
            want = f"{cls.element} of a constant shape that ends in {LANES}"
            raise BackendError(f"memory {cls.name} holds {want}, not {ctype} of {', '.join(shape) or 'no shape'}", span=span)
        rows = 1
        for extent in shape[:-1]:
            rows *= int(extent)
        return f"{cls.row} {name}[{rows}];"

    @classmethod
    def window(cls, base: str, ctype: str, indices: Sequence[str], strides: Sequence[str], span: Span) -> str:
        if indices[-1] != "0":
            raise BackendError(f"a window of {base} must start at the first lane of a row of {cls.name}", span=span)
        terms = [
            index if stride == str(LANES) else f"({index}) * {int(stride) // LANES}"
            for index, stride in zip(indices[:-1], strides[:-1], strict=True)
            if index != "0"
        ]
        return f"{base}[{' + '.join(terms) or '0'}]"


class SCRATCHPAD(_Rows):
    """Operands: rows of 16 `i8`."""

    name = "SCRATCHPAD"
    element, row = "int8_t", "accel_spad_row"


class ACCUMULATOR(_Rows):
    """Sums: rows of 16 `i32`."""

    name = "ACCUMULATOR"
    element, row = "int32_t", "accel_acc_row"
