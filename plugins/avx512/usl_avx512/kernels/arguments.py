"""What kernels take from Python: arrays, numbers and options as C has them, or an error that names the argument.

This is most of what a call on small arrays costs. An address comes from the buffer protocol, which is several times as fast as
NumPy's `ctypes` attribute; it wants elements that follow each other, so that a part of the array that has them is asked.
"""

from __future__ import annotations

import functools
import math
import numbers
import operator
from typing import TYPE_CHECKING, Any

from usl_core.errors import JitError

if TYPE_CHECKING:
    from collections.abc import Callable

DIMENSIONS = {1: "one dimension", 2: "two dimensions", 3: "three dimensions"}


class Precision:
    """Single or double: the element type of a routine's arrays, with what checks need of NumPy, imported when it is used."""

    def __init__(self, letter: str, ctype: str, name: str, limit: float) -> None:
        self.letter = letter
        """In BLAS's names."""
        self.ctype = ctype
        self.name = name
        """What NumPy calls it."""
        self.limit = limit
        """The least number that is rounded to infinity."""

    def __repr__(self) -> str:
        return f"Precision({self.name})"

    @functools.cached_property
    def array(self) -> type[Any]:
        """The type of arrays."""
        import numpy as np

        return np.ndarray

    @functools.cached_property
    def dtype(self) -> Any:
        """Of elements."""
        import numpy as np

        return np.dtype(self.name)

    @functools.cached_property
    def size(self) -> int:
        """Of an element, in bytes."""
        return int(self.dtype.itemsize)

    @functools.cached_property
    def address(self) -> Callable[[Any], Any]:
        """Where an array of neighbours begins, for C. It keeps the array.

        Raises:
            JitError: cffi is not installed.
        """
        ffi = foreign()
        return functools.partial(ffi.from_buffer, ffi.typeof(f"{self.ctype}[]"))

    @functools.cached_property
    def result(self) -> Callable[[], Any]:
        """Memory for a number."""
        ffi = foreign()
        return functools.partial(ffi.new, ffi.typeof(f"{self.ctype} *"))

    @functools.cached_property
    def position(self) -> Callable[[], Any]:
        """Memory for the position of an element."""
        ffi = foreign()
        return functools.partial(ffi.new, ffi.typeof("int64_t *"))


SINGLE = Precision("s", "float", "float32", math.ldexp(1 - math.ldexp(1, -25), 128))
DOUBLE = Precision("d", "double", "float64", math.inf)


def foreign() -> Any:
    """An instance of cffi: its own declarations, and libraries that stay loaded as long as it lives.

    Raises:
        JitError: it is not installed.
    """
    try:
        import cffi
    except ImportError:
        raise JitError("kernels need the package cffi", notes=("pip install cffi numpy",)) from None
    return cffi.FFI()


# ---- arrays


Vector = tuple[int, Any, int]
"""How many elements; the least address of one; how far each is from the one before, in elements, which is not 0."""

Matrix = tuple[int, int, Any, int, bool, bool]
"""Rows and columns; the least address of an element; the distance of rows in memory, in elements, at least their
length; whether rows in memory are the matrix's columns; whether they go backwards."""


def vector(precision: Precision, name: str, array: Any, written: bool = False) -> Vector:
    """A vector; of one that is only read, and whose elements overlap or lie at odd addresses, a copy.

    Raises:
        TypeError, ValueError: it is no such array, or to be written and read-only, or C could not write to it.
    """
    array = _array(precision, name, array, 1, written)
    flags = array.flags
    if flags.aligned:
        if flags.c_contiguous:
            return len(array), precision.address(array), 1
        step = array.strides[0] // precision.size
        if step != 0:
            return len(array), precision.address(array[:1] if step > 0 else array[-1:]), step
        if written:
            raise ValueError(f"the elements of {name}, which is to be changed, are all one; copy it")
    elif written:
        raise _misaligned(precision, name)
    return len(array), precision.address(array.copy()), 1


def matrix(precision: Precision, name: str, array: Any, written: bool = False, by_columns: bool = True) -> Matrix:
    """A matrix whose rows have their elements next to each other, or, with by_columns, its columns.

    Raises:
        TypeError, ValueError: it is no such array, or to be written and read-only; its rows overlap.
    """
    array = _array(precision, name, array, 2, written)
    flags = array.flags
    if not flags.aligned:
        raise _misaligned(precision, name)
    rows, columns = array.shape
    if flags.c_contiguous:
        return rows, columns, precision.address(array), columns or 1, False, False
    size, (down, along) = precision.size, array.strides
    if along == size or columns == 1:
        transposed, length, apart = False, columns, down // size
    elif by_columns and (down == size or rows == 1):
        transposed, length, apart, array = True, rows, along // size, array.T
    else:
        what = f"a row of {name}, or of a column," if by_columns else f"a row of {name}"
        raise ValueError(f"the elements of {what} must be next to each other; copy it with numpy.ascontiguousarray")
    if abs(apart) < length:
        what = "columns" if transposed else "rows"
        raise ValueError(f"the {what} of {name} overlap (stride {apart * size} bytes); copy it")
    return rows, columns, precision.address(array[:1] if apart > 0 else array[-1:]), abs(apart), transposed, apart < 0


def forward_matrix(precision: Precision, name: str, array: Any, written: bool = False) -> tuple[int, int, Any, int]:
    """The first parts of a matrix whose rows have their elements next to each other, and follow each other without overlap.

    Raises:
        TypeError, ValueError: it is no such array, or to be written and read-only.
    """
    rows, columns, least, distance, _, backwards = matrix(precision, name, array, written, by_columns=False)
    if backwards:
        raise ValueError(f"the rows of {name} go backwards (stride {array.strides[0]} bytes); copy it")
    return rows, columns, least, distance


def batch(precision: Precision, name: str, array: Any, written: bool = False) -> tuple[int, Any, int]:
    """Matrices of one shape: how many, the first one, and how far each is from the one before, in elements, at least 0.

    Raises:
        TypeError, ValueError: it is no such array, or to be written and read-only; the matrices go backwards or lie at odd
        distances.
    """
    array = _array(precision, name, array, 3, written)
    apart = array.strides[0]
    if len(array) > 1 and (apart < 0 or apart % precision.size):
        what = "go backwards" if apart < 0 else f"do not lie at multiples of {precision.size} bytes"
        raise ValueError(f"the matrices of {name} {what}; copy it")
    return len(array), array[0] if len(array) else None, apart // precision.size if len(array) > 1 else 0


def _array(precision: Precision, name: str, array: Any, dimensions: int, written: bool) -> Any:
    if type(array) is not precision.array:
        array = _plain(precision, name, array)
    if array.dtype is not precision.dtype and array.dtype != precision.dtype:
        raise wrong_type(name, precision.name, array.dtype)
    if array.ndim != dimensions:
        raise ValueError(f"{name} must have {DIMENSIONS[dimensions]}, not {array.ndim}")
    if written and not array.flags.writeable:
        raise ValueError(f"{name} is to be changed, but the array is read-only")
    return array


def wrong_type(name: str, wanted: str, found: Any) -> TypeError:
    """What is uint16 here are bits of bf16, which no conversion of numbers gives."""
    hint = "it holds bf16 as its bits, which astype does not give" if wanted == "uint16" else "convert it with astype"
    return TypeError(f"{name} must be of dtype {wanted}, not {found}; {hint}")


def _plain(precision: Precision, name: str, array: Any) -> Any:
    """An array of a class derived from NumPy's, as one of NumPy's. Masks would be lost."""
    import numpy as np

    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be a masked array; fill it with numpy.ma.filled")
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array, not {type(array).__name__}")
    return array.view(np.ndarray)


def _misaligned(precision: Precision, name: str) -> ValueError:
    return ValueError(f"the elements of {name} do not lie at multiples of {precision.size} bytes; copy it")


# ---- numbers and options


def number(precision: Precision, name: str, value: Any) -> float:
    """A factor. C rounds it to the precision.

    Raises:
        TypeError: it is no real number. ValueError: it is finite, but not in this precision.
    """
    if type(value) is not float:
        if not isinstance(value, numbers.Real):
            hint = "; take its element with item()" if isinstance(value, precision.array) else ""
            raise TypeError(f"{name} must be a real number, not {type(value).__name__}{hint}")
        try:
            value = float(value)
        except OverflowError:
            raise ValueError(f"{name} is out of the range of float64") from None
    if -precision.limit < value < precision.limit or math.isinf(value) or math.isnan(value):
        return float(value)
    raise ValueError(f"{name} is {value:g}, out of the range of {precision.name}")


def option(name: str, value: Any) -> bool:
    """A choice, which is True or False: BLAS's letters and CBLAS's numbers, of which most are true, would be misread.

    Raises:
        TypeError: it is something else.
    """
    if value is True or value is False:
        return value
    import numpy as np

    if isinstance(value, np.bool_):
        return bool(value)
    raise TypeError(f"{name} must be True or False, not {value!r}")


def integer(name: str, value: Any, otherwise: str = "") -> int:
    """A count; otherwise is what else the argument may be.

    Raises:
        TypeError: it is no integer. ValueError: it is below 1.
    """
    import numpy as np

    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer{otherwise}, not {type(value).__name__}") from None
    if found < 1:
        raise ValueError(f"{name} must be at least 1, not {found}")
    return found
