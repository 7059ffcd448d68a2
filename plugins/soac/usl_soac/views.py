"""Arrays in outer code: parts of flat arrays, whose places are affine in their indices. All numbers are texts of i64s.

Transposing, slicing, reversing and choosing rows copy nothing: they make another view of the same elements. Texts are
numbers or names, so that using one twice computes nothing twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from usl_core.ir.types import ScalarType


@dataclass(frozen=True, slots=True)
class View:
    """The elements `base[offset + i * strides[0] + j * strides[1] + …]` of a flat array, for i, j, … below `dims`."""

    base: str
    scalar: ScalarType
    dims: tuple[str, ...]
    strides: tuple[str, ...]
    offset: str = "0"
    whole: bool = True
    """Whether these are all elements of base, row by row."""
    dense: bool = True
    """Whether they lie side by side, row by row, from offset on."""

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.dims)


def times(*factors: str) -> str:
    """The product; wraps around as the program's own arithmetic does."""
    left = [each for each in factors if each != "1"]
    if "0" in left:
        return "0"
    return " * ".join(left) or "1"


def plus(*terms: str) -> str:
    """The sum."""
    return " + ".join(each for each in terms if each != "0") or "0"


def place(view: View, indices: Sequence[str]) -> str:
    """Where the element, or the first of the row, at these indices is in the base."""
    return plus(view.offset, *(times(i, stride) for i, stride in zip(indices, view.strides, strict=False)))


def row(view: View, offset: str, depth: int) -> View:
    """What `depth` indices choose; offset is the text of its place."""
    return replace(view, dims=view.dims[depth:], strides=view.strides[depth:], offset=offset, whole=False, dense=view.dense)


def rearranged(view: View, order: Sequence[int]) -> View:
    """The view whose dimension d is dimension order[d]."""
    if list(order) == list(range(view.rank)):
        return view
    dims, strides = (tuple(each[d] for d in order) for each in (view.dims, view.strides))
    return replace(view, dims=dims, strides=strides, whole=False, dense=False)
