"""Input images: `ImageParam`, given when the pipeline runs, and `Buffer`, given at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from usl_halide_lib.lang.errors import here, refuse
from usl_halide_lib.lang.expr import Expr, as_node, converted, wrap
from usl_halide_lib.lang.nodes import ImageRead, Name, Node, Op, Sort, number, show
from usl_halide_lib.lang.types import BOOL, I32, Float, Int, Type, UInt
from usl_halide_lib.lang.variables import named


class Dimension:
    """One dimension of an input: `min()` and `extent()`, startup expressions."""

    def __init__(self, extent: Expr, low: Expr) -> None:
        self._extent, self._min = extent, low

    def min(self) -> Expr:
        """The first place."""
        return self._min

    def extent(self) -> Expr:
        """The number of places."""
        return self._extent

    def max(self) -> Expr:
        """The last place."""
        return self._extent + (self._min - 1)


class Image:
    """What ImageParam and Buffer share: reading, and extents."""

    _name: str
    _type: Type
    _array: np.ndarray[Any, Any] | None
    _mins: tuple[int, ...] = ()

    def name(self) -> str:
        """Its name."""
        return self._name

    def type(self) -> Type:
        """The type of an element."""
        return self._type

    def dimensions(self) -> int:
        """The number of dimensions."""
        raise NotImplementedError

    def dim(self, index: int) -> Dimension:
        """A dimension; 0 is x."""
        if not 0 <= index < self.dimensions():
            raise refuse(f"{self._name} has {self.dimensions()} dimensions, and {index} is none of them")
        extent = wrap(Name(f"{self._name}.extent.{index}", Sort.PARAM, I32, self))
        return Dimension(extent, self._first(index))

    def _first(self, index: int) -> Expr:
        """The first place of a dimension."""
        return Expr(self._mins[index] if self._mins else 0)

    def width(self) -> Expr:
        """The extent of dimension 0."""
        return self.dim(0).extent()

    def height(self) -> Expr:
        """The extent of dimension 1."""
        return self.dim(1).extent()

    def channels(self) -> Expr:
        """The extent of dimension 2."""
        return self.dim(2).extent()

    def firsts(self) -> dict[str, int]:
        """The first places that it has now, by the names that they have in expressions."""
        mins = self._mins or (0,) * self.dimensions()
        return {first_of(self._name, dim): low for dim, low in enumerate(mins)}

    def array(self) -> np.ndarray[Any, Any] | None:
        """The NumPy array, dimensions in NumPy's order; None if there is none yet."""
        return self._array

    def __getitem__(self, index: Any) -> Any:
        nodes = indices(index, self.dimensions(), self._name)
        if any(self._mins) and isinstance(self, Buffer):
            nodes = tuple(Op("sub", (node, number(low)), I32) for node, low in zip(nodes, self._mins, strict=True))
        return wrap(ImageRead(self._name, nodes, self._type, here(), self))


class ImageParam(Image):
    """An input image of a type and a number of dimensions, given when the pipeline runs (`set`).

    It begins at 0, and code is made for that, until it is given a buffer that begins elsewhere; or from the first if anywhere
    is true, as C entries need it.
    """

    def __init__(self, typ: Type, dimensions: int, name: str | None = None, anywhere: bool = False) -> None:
        self._name, self._type, self._dimensions = named(name, "im"), typ, dimensions
        self._array = None
        self.is_anywhere = anywhere

    def dimensions(self) -> int:
        """The number of dimensions."""
        return self._dimensions

    def _first(self, index: int) -> Expr:
        return wrap(Name(first_of(self._name, index), Sort.PARAM, I32, self))

    def set(self, value: Any) -> None:
        """Give the image for later runs: a NumPy array (`[y, x]`), which begins at 0, or a Buffer.

        Raises:
            AlgorithmError: it has another type or number of dimensions.
        """
        array = value.array() if isinstance(value, Buffer) else np.asarray(value)
        if array is None or array.ndim != self._dimensions or _type_of(array) != self._type:
            shown = f"{array.ndim} dimensions of {array.dtype}" if array is not None else "nothing"
            raise refuse(f"{self._name} needs {self._dimensions} dimensions of {self._type}, and was given {shown}")
        self._array, self._mins = array, value._mins if isinstance(value, Buffer) else ()
        self.is_anywhere = self.is_anywhere or any(self._mins)


def first_of(image: str, dim: int) -> str:
    """What the first place of a dimension of an image is called in expressions."""
    return f"{image}.first.{dim}"


class Buffer(Image):
    """A NumPy array as an input; `[y, x]` there is `[x, y]` here. Read with numbers it gives numbers."""

    def __init__(self, array: Any, name: str | None = None) -> None:
        self._array = np.asarray(array)
        self._name, self._type = named(name, "b"), _type_of(self._array)

    def dimensions(self) -> int:
        """The number of dimensions."""
        assert self._array is not None
        return self._array.ndim

    def __getitem__(self, index: Any) -> Any:
        places = index if isinstance(index, tuple) else (index,)
        if self._array is not None and all(isinstance(place, int) for place in places):
            mins = self._mins or (0,) * len(places)
            return self._array[tuple(place - low for place, low in reversed(list(zip(places, mins, strict=True))))]
        return super().__getitem__(index)

    def set_min(self, mins: Any) -> None:
        """Say which place the first element of each dimension is, x first; before the buffer is read in a definition."""
        if len(mins) != self.dimensions():
            raise refuse(f"{self._name} has {self.dimensions()} dimensions, and {len(mins)} mins are given")
        for low, extent in zip(mins, reversed(self._array.shape if self._array is not None else ()), strict=False):
            if low < -(2**31) or low + extent > 2**31:
                raise refuse(f"{self._name}: {low}:{low + extent} is no range of 32-bit places", code="E787")
        self._mins = tuple(int(each) for each in mins)

    def box(self) -> list[tuple[int, int]]:
        """Its places, as (min, extent) per dimension, x first."""
        assert self._array is not None
        mins = self._mins or (0,) * self._array.ndim
        return list(zip(mins, reversed(self._array.shape), strict=True))

    def shown(self) -> str:
        """What messages say of it."""
        return f"{self.dimensions()} dimensions of {self._type}"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        assert self._array is not None
        return self._array if dtype is None else self._array.astype(dtype)


def _type_of(array: np.ndarray[Any, Any]) -> Type:
    kind, bits = array.dtype.kind, array.dtype.itemsize * 8
    match kind:
        case "b":
            return BOOL
        case "i":
            return Int(bits)
        case "u":
            return UInt(bits)
        case "f":
            return Float(bits)
        case _:
            raise refuse(f"an array of {array.dtype} is no image")


def indices(index: Any, arity: int, name: str) -> tuple[Node, ...]:
    """The indices of an access as i32 nodes."""
    places = index if isinstance(index, tuple) else (index,)
    if len(places) != arity:
        raise refuse(f"{name} has {arity} dimensions; {len(places)} indices are given", code="E788")
    nodes = tuple(as_node(place) for place in places)
    for node in nodes:
        if not node.type.is_int:
            raise refuse(f"{name}: the index {show(node)} is {node.type}; indices are integers: cast it to Int(32)")
    return tuple(converted(node, I32) for node in nodes)
