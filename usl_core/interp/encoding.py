"""The bits of floating numbers that NumPy lacks, and back: bf16, and what plugins declare with a `FloatFormat`."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usl_core.ir.types import FloatFormat, ScalarType

Array = NDArray[Any]


def numbers_of(bits: ArrayLike, scalar: ScalarType) -> Array:
    """The numbers, in f64, whose bits are given."""
    assert scalar.format is not None
    return np.asarray(_numbers(scalar.format, scalar.bits)[np.asarray(bits, dtype=np.intp)])


def bits_of(numbers: ArrayLike, scalar: ScalarType) -> Array:
    """The bits of numbers; those that the type lacks are rounded towards zero, and what is too large has no number."""
    assert scalar.format is not None
    table = _numbers(scalar.format, scalar.bits)
    half = 1 << (scalar.bits - 1)
    count = half - (1 if scalar.format.finite else (1 << (scalar.format.precision - 1)) - 1)  # infinity, but no NaN
    wide = np.asarray(numbers, dtype=np.float64)
    found = np.searchsorted(table[:count], np.abs(wide), side="right") - 1
    if scalar.format.finite:
        found = np.where(np.isinf(wide), half - 1, found)
    quiet = half - 1 if scalar.format.finite else count - 1 + (1 << (scalar.format.precision - 2))
    found = np.where(np.isnan(wide), quiet, found | np.where(np.signbit(wide), half, 0))
    return found.astype(f"u{scalar.bits // 8}")


@functools.cache
def _numbers(form: FloatFormat, bits: int) -> Array:
    """The number of each pattern of bits."""
    digits, half = form.precision - 1, 1 << (bits - 1)
    magnitude = np.arange(half, dtype=np.int64)
    field, fraction = magnitude >> digits, magnitude & ((1 << digits) - 1)
    significand = fraction + np.where(field > 0, 1 << digits, 0)
    table = np.ldexp(significand.astype(np.float64), form.least + np.maximum(field, 1) - 1)
    if form.finite:
        table[-1] = math.nan
    else:
        top = field == field[-1]
        table[top] = np.where(fraction[top] == 0, math.inf, math.nan)
    table = np.concatenate([table, -table])
    table.flags.writeable = False
    return table
