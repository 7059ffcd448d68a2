"""Values that arguments get: random ones, the edges of their type, and special floats."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from enum import Enum
from typing import Any

import numpy as np

from usl_conformance.bounds import least_normal
from usl_core.interp import format_of, largest, round_float
from usl_core.interp.arrays import dtype_of, numbers
from usl_core.interp.encoding import bits_of
from usl_core.ir.types import B8, SCALARS, FloatFormat, ScalarType


class Fill(Enum):
    """Kinds of data; `finite edges` leaves out what `special` may differ in."""

    RANDOM = "random values"
    SMALL = "small values"
    EDGES = "edges of the type"
    SPECIAL = "NaN, infinities, signed zeros"
    GARBAGE = "random values; elements that the body does not read are garbage"


SPECIAL_FLOATS = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan)


def values(scalar: ScalarType, count: int, fill: Fill, source: np.random.Generator) -> Any:
    """count elements of the scalar type as a flat array (its bits where NumPy lacks it)."""
    if scalar.is_int:
        return _integers(scalar, dtype_of(scalar), count, fill, source)
    return _encoded(scalar, _floats(format_of(scalar), count, fill, source))


def register(scalar: ScalarType, fill: Fill, source: np.random.Generator, *, negative: bool) -> Any:
    """What a register of data holds, a scale, say; without negative a finite number from zero on."""
    (found,) = values(scalar, 1, fill, source)
    number = numbers(np.asarray(found), scalar)[()]
    if negative or 0 <= number < np.inf:
        return found
    if scalar.is_int:
        return type(found)(min(-int(found), np.iinfo(type(found)).max))
    return _encoded(scalar, np.array([abs(float(number)) if np.isfinite(number) else 1.0]))[0]


def _encoded(scalar: ScalarType, found: Any) -> Any:
    """Numbers in f64 as elements. Those that the type lacks are rounded, towards zero where NumPy lacks it too."""
    return bits_of(found, scalar) if scalar.is_encoded else found.astype(dtype_of(scalar))


def _integers(scalar: ScalarType, dtype: Any, count: int, fill: Fill, source: np.random.Generator) -> Any:
    lo, hi = scalar.int_range()
    if scalar == B8 and fill is not Fill.SMALL:  # each byte but 0 is True
        return source.choice(np.array([0, 0, 0, 1, 1, 2, 128, 255], np.uint8), count).view(dtype)
    if fill is Fill.SMALL:
        return source.integers(max(lo, -4), min(hi, 9), count, dtype, endpoint=True)
    if fill in (Fill.EDGES, Fill.SPECIAL):
        powers = {1 << bit for bit in range(scalar.bits)}
        near = {sign * p + d for p in powers for sign in (1, -1) for d in (-1, 0, 1)} | {lo, lo + 1, hi, hi - 1, 0}
        return source.choice(np.array(sorted(v for v in near if lo <= v <= hi), dtype), count)
    return source.integers(lo, hi, count, dtype, endpoint=True)


def _floats(form: FloatFormat, count: int, fill: Fill, source: np.random.Generator) -> Any:
    if fill is Fill.SMALL:
        return source.integers(-4, 9, count).astype(np.float64)
    if fill is Fill.EDGES:
        return source.choice(np.array([*edges(form), *(-edge for edge in edges(form) if edge)]), count)
    if fill is Fill.SPECIAL:
        numbers = (*SPECIAL_FLOATS, math.ldexp(1.0, form.least), -least_normal(form), largest(form))
        return source.choice(np.array(numbers), count)
    scale = source.choice(np.array([1.0, 1.0, 0.01, 100.0]), count)
    return source.uniform(-1, 1, count) * scale


@functools.cache
def edges(form: FloatFormat) -> tuple[float, ...]:
    """The numbers of a format, without signs, at which rounding, underflow and overflow show, as f64.

    Subnormal and least normal numbers, and what makes them of each other by a factor; 1 and its neighbours, with what added to
    them, or multiplied with, lies halfway between two numbers; the largest ones. Then the numbers at which narrower formats
    round, overflow or underflow: halfway between two of them, and next to that.
    """
    least, normal = math.ldexp(1.0, form.least), least_normal(form)
    step = math.ldexp(1.0, 1 - form.precision)  # from 1 to the next number
    found = [0.0, least, 3 * least, normal / 2, normal - least, normal, normal + least, normal * (2 - step)]
    found += [
        math.ldexp(1.0, (form.least + form.precision) // 2),
        step / 2,
        0.5,
        1 - step / 2,
        1.0,
        1 + step,
        1.5,
        2 - step,
        3.0,
    ]
    found += [math.ldexp(1.0, form.infinite - 2), math.ldexp(1.0, form.infinite - 1), largest(form)]
    formats = (typ.format for typ in SCALARS.values() if typ.format)
    for narrow in (other for other in formats if other.precision < form.precision):
        for number in _halfway(narrow):
            beside = math.ldexp(1.0, max(math.frexp(number)[1] - form.precision, form.least))
            found += [number - beside, number, number + beside]
    exact = form.precision == 53
    return tuple(dict.fromkeys(number for number in found if number >= 0 and (exact or round_float(number, form) == number)))


def _halfway(form: FloatFormat) -> Iterator[float]:
    """Midway between two neighbours of a format: above an even and an odd number, among subnormal ones, before infinity."""
    half, least = math.ldexp(1.0, -form.precision), math.ldexp(1.0, form.least)
    yield from (1 + half, 1 + 3 * half, least / 2, least * 1.5, largest(form) + math.ldexp(half, form.infinite - 1))


def garbage(scalar: ScalarType) -> Any:
    """The element that spoils whatever depends on it: NaN, or all bits set."""
    dtype = dtype_of(scalar)
    if scalar.is_encoded:
        return dtype.type((1 << (scalar.bits - 1)) - 1)
    return dtype.type(scalar.int_range()[1] if scalar.is_int else np.nan)
