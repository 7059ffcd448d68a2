"""Values that arguments get: random ones, the edges of their type, and special floats."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from usl_core.interp.arrays import dtype_of
from usl_core.ir.types import BF16, ScalarType


class Fill(Enum):
    """Kinds of data; `finite edges` leaves out what `special` may differ in."""

    RANDOM = "random values"
    SMALL = "small values"
    EDGES = "edges of the type"
    SPECIAL = "NaN, infinities, signed zeros"
    GARBAGE = "random values; elements that the body does not read are garbage"


SPECIAL_FLOATS = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan)


def values(scalar: ScalarType, count: int, fill: Fill, source: np.random.Generator) -> Any:
    """count elements of the scalar type as a flat array (bf16: its bits)."""
    dtype = dtype_of(scalar)
    if scalar.is_int:
        return _integers(scalar, dtype, count, fill, source)
    if scalar == BF16:
        as_f32 = _floats(np.dtype(np.float32), count, fill, source)
        return (as_f32.view(np.uint32) >> 16).astype(np.uint16)
    return _floats(dtype, count, fill, source)


def _integers(scalar: ScalarType, dtype: Any, count: int, fill: Fill, source: np.random.Generator) -> Any:
    lo, hi = scalar.int_range()
    if fill is Fill.SMALL:
        return source.integers(max(lo, -4), min(hi, 9), count, dtype, endpoint=True)
    if fill in (Fill.EDGES, Fill.SPECIAL):
        powers = {1 << bit for bit in range(scalar.bits)}
        near = {sign * p + d for p in powers for sign in (1, -1) for d in (-1, 0, 1)} | {lo, lo + 1, hi, hi - 1, 0}
        return source.choice(np.array(sorted(v for v in near if lo <= v <= hi), dtype), count)
    return source.integers(lo, hi, count, dtype, endpoint=True)


def _floats(dtype: Any, count: int, fill: Fill, source: np.random.Generator) -> Any:
    info = np.finfo(dtype)
    if fill is Fill.SMALL:
        return source.integers(-4, 9, count).astype(dtype)
    if fill is Fill.EDGES:
        tiny, huge = info.smallest_subnormal, info.max
        edges = [0, tiny, 3 * tiny, info.tiny, 1, 1 + info.eps, 1.5, 3, huge / 2, huge]
        return source.choice(np.array([*edges, *(-edge for edge in edges[1:])], dtype), count)
    if fill is Fill.SPECIAL:
        edges = [*SPECIAL_FLOATS, info.smallest_subnormal, -info.tiny, info.max]
        return source.choice(np.array(edges, dtype), count)
    scale = source.choice(np.array([1.0, 1.0, 0.01, 100.0]), count)
    return (source.uniform(-1, 1, count) * scale).astype(dtype)


def garbage(scalar: ScalarType) -> Any:
    """The element that spoils whatever depends on it: NaN, or all bits set."""
    dtype = dtype_of(scalar)
    if scalar == BF16:
        return dtype.type(0x7FC1)
    return dtype.type(scalar.int_range()[1] if scalar.is_int else np.nan)
