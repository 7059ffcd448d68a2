"""Data of the interpreter: a flat list of values, seen through a shape, an offset and strides."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from usl_core.errors import InterpError
from usl_core.interp.exponentials import Quotient
from usl_core.interp.values import POISON, Fault, Value
from usl_core.ir.nodes import Arg
from usl_core.ir.types import ScalarType, TensorType


def dense_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Row-major strides in elements."""
    strides = [1]
    for size in reversed(shape[1:]):
        strides.append(strides[-1] * size)
    return tuple(reversed(strides)) if shape else ()


@dataclass(slots=True, eq=False)
class Buffer:
    """A tensor of scalar type `scalar`, or with shape () one scalar. Element (i, j) is data[offset + i*s0 + j*s1].

    Views share the data list. Values are as in `values`; a new buffer is all poison.
    """

    scalar: ScalarType
    shape: tuple[int, ...]
    data: list[Value]
    offset: int
    strides: tuple[int, ...]

    def __init__(
        self,
        scalar: ScalarType,
        shape: Sequence[int] = (),
        data: list[Value] | None = None,
        offset: int = 0,
        strides: Sequence[int] | None = None,
    ) -> None:
        self.scalar = scalar
        self.shape = tuple(shape)
        self.data = [POISON] * math.prod(self.shape) if data is None else data
        self.offset = offset
        self.strides = dense_strides(self.shape) if strides is None else tuple(strides)

    @classmethod
    def of(cls, scalar: ScalarType, values: object, shape: Sequence[int] | None = None) -> Buffer:
        """A buffer for exact mode from a number or nested sequences; with shape, from a flat iterable in row-major order.

        Floats become the rationals that they are; integers of integer types must lie in their range.
        """
        flat, found = _flatten(values)
        wanted = found if shape is None else tuple(shape)
        if len(flat) != math.prod(wanted):
            raise ValueError(f"{len(flat)} values do not fill the shape {wanted}")
        return cls(scalar, wanted, [_exact(scalar, value) for value in flat])

    def offsets(self) -> Iterator[int]:
        """Where the elements lie in data, in row-major order."""
        spans = [range(0, size * stride, stride) if stride else [0] * size for size, stride in zip(self.shape, self.strides)]  # noqa: B905
        for point in itertools.product(*spans):
            yield self.offset + sum(point)

    def has_distinct_elements(self) -> bool:
        """Whether no two indices show the same place."""
        if self.strides == dense_strides(self.shape):
            return True
        return len(set(self.offsets())) == math.prod(self.shape)

    def values(self) -> list[Value]:
        """The elements in row-major order."""
        if self.offset == 0 and len(self.data) == math.prod(self.shape) and self.strides == dense_strides(self.shape):
            return list(self.data)
        return [self.data[offset] for offset in self.offsets()]

    def fill(self, values: Iterable[Value]) -> None:
        """Replaces the elements, in row-major order."""
        for offset, value in zip(self.offsets(), values, strict=True):
            self.data[offset] = value

    def copy(self) -> Buffer:
        """A dense buffer with the same elements and a list of its own."""
        return Buffer(self.scalar, self.shape, self.values())

    def __getitem__(self, index: int | tuple[int, ...]) -> Value:
        return self.data[self.at(index if isinstance(index, tuple) else (index,))]

    def __setitem__(self, index: int | tuple[int, ...], value: Value) -> None:
        self.data[self.at(index if isinstance(index, tuple) else (index,))] = value

    def at(self, index: tuple[int, ...]) -> int:
        """The place of one element in data; a Fault if there is no such element."""
        if len(index) != len(self.shape) or not all(0 <= i < n for i, n in zip(index, self.shape, strict=True)):
            raise Fault(out_of_bounds("buffer", index, self.shape))
        return self.offset + sum(i * s for i, s in zip(index, self.strides, strict=True))

    def window(self, *index: int | slice) -> Buffer:
        """The view `buffer[lo:hi, pt, ...]`; slices have both ends and no step."""
        ranges = [(i.start, i.stop) if isinstance(i, slice) else i for i in index]
        return view("buffer", self, tuple(ranges))


def view(name: str, buffer: Buffer, index: tuple[int | tuple[int, int], ...]) -> Buffer:
    """The window of buffer at points and intervals (lo, hi); a Fault unless each lies inside and intervals are not empty."""
    offset = buffer.offset
    shape: list[int] = []
    strides: list[int] = []
    for dim, (where, extent, stride) in enumerate(zip(index, buffer.shape, buffer.strides, strict=True)):
        lo, hi = where if isinstance(where, tuple) else (where, where + 1)
        if not 0 <= lo < hi <= extent:
            what = f"the interval {lo}:{hi}" if isinstance(where, tuple) else f"the index {lo}"
            raise Fault(f"window of {name}: {what} in dimension {dim} is empty or outside of 0..{extent}")
        offset += lo * stride
        if isinstance(where, tuple):
            shape.append(hi - lo)
            strides.append(stride)
    return Buffer(buffer.scalar, shape, buffer.data, offset, strides)


def overlap(a: Buffer, b: Buffer) -> bool:
    """Whether two buffers share an element."""
    if a.data is not b.data:
        return False
    (a_lo, a_hi), (b_lo, b_hi) = _hull(a), _hull(b)
    if a_hi < b_lo or b_hi < a_lo:
        return False
    return not set(a.offsets()).isdisjoint(b.offsets())


def _hull(buffer: Buffer) -> tuple[int, int]:
    """Least and greatest place of an element in data."""
    reach = [(n - 1) * s for n, s in zip(buffer.shape, buffer.strides, strict=True)]
    return buffer.offset + sum(min(0, r) for r in reach), buffer.offset + sum(max(0, r) for r in reach)


def out_of_bounds(name: str, index: Sequence[int], shape: Sequence[int]) -> str:
    """The message about an index outside of a shape."""
    place = ", ".join(map(str, index))
    extents = ", ".join(map(str, shape))
    return f"out of bounds: {name}[{place}] of {name}[{extents}]"


def _flatten(values: object) -> tuple[list[object], tuple[int, ...]]:
    if isinstance(values, (list, tuple, range)):
        parts = [_flatten(value) for value in values]
        shapes = {shape for _, shape in parts}
        if len(shapes) > 1:
            raise ValueError("rows have different lengths")
        inner = shapes.pop() if shapes else ()
        return [leaf for leaves, _ in parts for leaf in leaves], (len(parts), *inner)
    return [values], ()


def _exact(scalar: ScalarType, value: object) -> Value:
    if value is POISON:
        return POISON
    if scalar.is_int:
        lo, hi = scalar.int_range()
        if not isinstance(value, int) or not lo <= value <= hi:
            raise ValueError(f"{value!r} is not a value of {scalar}")
        return int(value)
    if isinstance(value, (int, float, Fraction)):
        return int(value) if isinstance(value, int) else Fraction(value)
    if isinstance(value, Quotient):
        return cast(Value, value)  # it has arithmetic, an order, `float`
    raise ValueError(f"{value!r} is not a value of {scalar}")


def require_rank(formal: Arg, shape: tuple[int, ...]) -> None:
    """An argument has as many dimensions as its formal. Raises: InterpError."""
    rank = len(formal.type.shape) if isinstance(formal.type, TensorType) else 0
    if len(shape) != rank:
        raise InterpError(f"argument {formal.name.name} must have {rank} dimensions, got shape {shape}", span=formal.span)
