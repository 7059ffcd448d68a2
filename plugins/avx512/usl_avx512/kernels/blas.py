"""BLAS level 1 and 2 on NumPy arrays, in single (`s`) and double (`d`) precision.

Vectors may be any one-dimensional views, matrices any two-dimensional ones whose rows have their elements next to each other.
What is written shares no memory with the other arguments. Before anything is written all of this is tested:

    TypeError: an argument is no array, or of another type than the routine's. ValueError: shapes that do not fit, elements or
    rows that overlap, an array to be written that is read-only or shares memory with another. JitError: the processor has no
    AVX-512, or there is no C compiler. MemoryError: there is none for a dense copy of a vector; the result is then unspecified.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from usl_avx512.kernels.blas_library import CTYPES, blas_function, entry_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

DTYPES = {"s": "float32", "d": "float64"}
NO, YES, UPPER, LOWER, NONUNIT, UNIT = 111, 112, 121, 122, 131, 132
"""What CBLAS calls the options."""


# ---- level 1


def axpy(letter: str, alpha: float, x: NDArray[Any], y: NDArray[Any]) -> None:
    """`y += alpha x`."""
    n = _same_size(_vector(letter, "x", x), _vector(letter, "y", y, written=True))
    _call(letter, "axpy", n, alpha, x, y, written="y")


def scal(letter: str, alpha: float, x: NDArray[Any]) -> None:
    """`x = alpha x`."""
    _vector(letter, "x", x, written=True)
    _call(letter, "scal", len(x), alpha, _forwards(x), written="x")


def dot(letter: str, x: NDArray[Any], y: NDArray[Any]) -> float:
    """The sum of the products of elements; 0 where there are none."""
    n = _same_size(_vector(letter, "x", x), _vector(letter, "y", y))
    return float(_result(letter, "dot", n, x, y))


def asum(letter: str, x: NDArray[Any]) -> float:
    """The sum of the magnitudes of elements; 0 where there are none."""
    return float(_result(letter, "asum", len(_vector(letter, "x", x)), _forwards(x)))


def nrm2(letter: str, x: NDArray[Any]) -> float:
    """The Euclidean norm; 0 where there are no elements. It over- or underflows only where the norm itself does."""
    return float(_result(letter, "nrm2", len(_vector(letter, "x", x)), _forwards(x)))


def iamax(letter: str, x: NDArray[Any]) -> int:
    """The position of the first element of the largest magnitude. NaN are passed over; where all are, it is 0.

    Raises:
        ValueError: also where x has no elements.
    """
    import numpy as np

    if len(_vector(letter, "x", x)) == 0:
        raise ValueError("x has no elements, so that none is the largest")
    forwards = x if len(x) == 1 or x.strides[0] > 0 else np.ascontiguousarray(x)  # the first of equals: order matters
    return int(_result(letter, "iamax", len(x), forwards))


def copy(letter: str, x: NDArray[Any], y: NDArray[Any]) -> None:
    """`y = x`."""
    n = _same_size(_vector(letter, "x", x), _vector(letter, "y", y, written=True))
    _call(letter, "copy", n, x, y, written="y")


def swap(letter: str, x: NDArray[Any], y: NDArray[Any]) -> None:
    """The elements of x and y change places."""
    n = _same_size(_vector(letter, "x", x, written=True), _vector(letter, "y", y, written=True))
    _call(letter, "swap", n, x, y, written="y")


def rot(letter: str, x: NDArray[Any], y: NDArray[Any], c: float, s: float) -> None:
    """`x, y = c x + s y, c y - s x`: a plane rotation of each pair of elements."""
    n = _same_size(_vector(letter, "x", x, written=True), _vector(letter, "y", y, written=True))
    _call(letter, "rot", n, x, y, c, s, written="y")


# ---- level 2


def gemv(
    letter: str, alpha: float, A: NDArray[Any], x: NDArray[Any], beta: float, y: NDArray[Any], *, trans: bool = False
) -> None:
    """`y = alpha A x + beta y`, or with trans `y = alpha A^T x + beta y`.

    A is (m, n), x has n elements and y has m, with trans the other way round. Where alpha is 0, A and x are not read, and
    where beta is 0, y is not: NaN in them do not count. An A without elements leaves y as it is.
    """
    m, n = _matrix(letter, "A", A)
    _size("x", _vector(letter, "x", x), m if trans else n, A)
    _size("y", _vector(letter, "y", y, written=True), n if trans else m, A)
    _call(letter, "gemv", YES if trans else NO, m, n, alpha, A, x, beta, y, written="y")


def ger(letter: str, alpha: float, x: NDArray[Any], y: NDArray[Any], A: NDArray[Any]) -> None:
    """`A += alpha x y^T`: A is (m, n), x has m elements and y has n."""
    m, n = _matrix(letter, "A", A, written=True)
    _size("x", _vector(letter, "x", x), m, A)
    _size("y", _vector(letter, "y", y), n, A)
    _call(letter, "ger", m, n, alpha, x, y, A, written="A")


def symv(
    letter: str, alpha: float, A: NDArray[Any], x: NDArray[Any], beta: float, y: NDArray[Any], *, lower: bool = False
) -> None:
    """`y = alpha A x + beta y` for symmetric A, of which the upper triangle is read, or the lower one.

    Where alpha is 0, A and x are not read, and where beta is 0, y is not.
    """
    n = _square(letter, A)
    _size("x", _vector(letter, "x", x), n, A)
    _size("y", _vector(letter, "y", y, written=True), n, A)
    _call(letter, "symv", LOWER if lower else UPPER, n, alpha, A, x, beta, y, written="y")


def trmv(
    letter: str, A: NDArray[Any], x: NDArray[Any], *, lower: bool = False, trans: bool = False, unit: bool = False
) -> None:
    """`x = A x`, or with trans `x = A^T x`, for triangular A.

    The upper triangle is read, or the lower one; with unit the diagonal is not, and counts as ones.
    """
    _triangular(letter, "trmv", A, x, lower, trans, unit)


def trsv(
    letter: str, A: NDArray[Any], x: NDArray[Any], *, lower: bool = False, trans: bool = False, unit: bool = False
) -> None:
    """Put in the place of x the z with `A z = x`, or with trans `A^T z = x`, for triangular A.

    The upper triangle is read, or the lower one; with unit the diagonal is not, and counts as ones. A zero on the diagonal is
    no error: results are then infinite or NaN.
    """
    _triangular(letter, "trsv", A, x, lower, trans, unit)


def _triangular(letter: str, routine: str, A: Any, x: Any, lower: bool, trans: bool, unit: bool) -> None:
    n = _square(letter, A)
    _size("x", _vector(letter, "x", x, written=True), n, A)
    options = (LOWER if lower else UPPER, YES if trans else NO, UNIT if unit else NONUNIT)
    _call(letter, routine, *options, n, A, x, written="x")


# ---- what arguments must be


def _array(letter: str, name: str, array: Any, written: bool, dimensions: int) -> Any:
    import numpy as np

    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array, not {type(array).__name__}")
    if array.dtype != DTYPES[letter]:
        raise TypeError(f"{name} must be of dtype {DTYPES[letter]}, not {array.dtype}; convert it with astype")
    if array.ndim != dimensions:
        raise ValueError(f"{name} must have {dimensions} dimension{'s' * (dimensions > 1)}, not {array.ndim}")
    if array.ctypes.data % array.itemsize:
        raise ValueError(f"{name} does not start at a multiple of {array.itemsize} bytes; copy it")
    if written and not array.flags.writeable:
        raise ValueError(f"{name} is to be changed, but the array is read-only")
    return array


def _vector(letter: str, name: str, array: Any, written: bool = False) -> Any:
    array = _array(letter, name, array, written, 1)
    if len(array) > 1 and (array.strides[0] == 0 or array.strides[0] % array.itemsize):
        raise ValueError(f"the elements of {name} overlap or lie at odd addresses (stride {array.strides[0]} bytes); copy it")
    return array


def _matrix(letter: str, name: str, array: Any, written: bool = False) -> tuple[int, int]:
    array = _array(letter, name, array, written, 2)
    rows, columns = array.shape
    if rows > 0 and columns > 1 and array.strides[1] != array.itemsize:
        raise ValueError(f"the elements of a row of {name} must be next to each other; copy it with numpy.ascontiguousarray")
    apart, odd = divmod(array.strides[0], array.itemsize)
    if rows > 1 and columns > 0 and (odd or apart < columns):
        raise ValueError(f"the rows of {name} overlap or go backwards (stride {array.strides[0]} bytes); copy it")
    return rows, columns


def _square(letter: str, A: Any) -> int:
    rows, columns = _matrix(letter, "A", A)
    if rows != columns:
        raise ValueError(f"A must be square, not {rows} x {columns}")
    return rows


def _same_size(x: Any, y: Any) -> int:
    if len(x) != len(y):
        raise ValueError(f"x and y must have as many elements; they have {len(x)} and {len(y)}")
    return len(x)


def _size(name: str, vector: Any, wanted: int, A: Any) -> None:
    if len(vector) != wanted:
        raise ValueError(f"{name} must have {wanted} elements, as A is {A.shape[0]} x {A.shape[1]}; it has {len(vector)}")


# ---- calls


def _forwards(x: Any) -> Any:
    """The same elements with a positive stride."""
    return x[::-1] if len(x) > 1 and x.strides[0] < 0 else x


def _passed(letter: str, ffi: Any, value: Any) -> list[Any]:
    """An argument as C has it: numbers as they are, of an array the least address and the stride or distance of rows."""
    import numpy as np

    if not isinstance(value, np.ndarray):
        return [value]
    address, size = value.ctypes.data, value.itemsize
    if value.ndim == 2:
        apart = value.strides[0] // size if value.shape[0] > 1 and value.shape[1] > 0 else max(value.shape[1], 1)
    else:
        apart = value.strides[0] // size if len(value) > 1 else 1
        address += min(apart, 0) * (len(value) - 1) * size
    return [ffi.cast(f"{CTYPES[letter]} *", address), apart]


def _call(letter: str, routine: str, *values: Any, written: str = "", into: Any = None) -> None:
    """Call the entry of a routine, and say in Python what it says with its status."""
    import numpy as np

    if any(isinstance(value, np.ndarray) and value.size == 0 for value in values) and into is None:
        return
    ffi, function = blas_function(routine, letter)
    arguments = [each for value in values for each in _passed(letter, ffi, value)]
    status = function(*arguments, *(() if into is None else (into,)))
    if status == -1:
        raise MemoryError(f"{entry_name(routine, letter)}: no memory for a dense copy of a vector")
    if status != 0:
        names = [name for name, value in zip(_names(values), values, strict=True) for _ in _passed(letter, ffi, value)]
        if names[status - 1] == "array":
            raise ValueError(f"{written} shares memory with another argument; give it memory of its own")
        raise ValueError(f"{entry_name(routine, letter)} refuses its argument {status}")


def _names(values: tuple[Any, ...]) -> list[str]:
    import numpy as np

    return ["array" if isinstance(value, np.ndarray) else "number" for value in values]


def _result(letter: str, routine: str, *values: Any) -> Any:
    """Call an entry that gives a number through its last argument."""
    ffi, _ = blas_function(routine, letter)
    into = ffi.new("int64_t *" if routine == "iamax" else f"{CTYPES[letter]} *")
    _call(letter, routine, *values, into=into)
    return into[0]


# ---- both precisions


def _both(function: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A routine in single and in double precision, under BLAS's names."""

    def precise(letter: str) -> Callable[..., Any]:
        def routine(*arguments: Any, **options: Any) -> Any:
            return function(letter, *arguments, **options)

        name = function.__name__
        routine.__name__ = routine.__qualname__ = f"i{letter}amax" if name == "iamax" else f"{letter}{name}"
        routine.__doc__ = function.__doc__
        return routine

    return precise("s"), precise("d")


saxpy, daxpy = _both(axpy)
sscal, dscal = _both(scal)
sdot, ddot = _both(dot)
sasum, dasum = _both(asum)
snrm2, dnrm2 = _both(nrm2)
isamax, idamax = _both(iamax)
scopy, dcopy = _both(copy)
sswap, dswap = _both(swap)
srot, drot = _both(rot)
sgemv, dgemv = _both(gemv)
sger, dger = _both(ger)
ssymv, dsymv = _both(symv)
strmv, dtrmv = _both(trmv)
strsv, dtrsv = _both(trsv)
