"""BLAS level 1 and 2 on NumPy arrays, in single (`s`) and double (`d`) precision.

Vectors may be any one-dimensional views, matrices any two-dimensional ones of which the rows or the columns have their elements
next to each other. A vector that is only read, and whose elements overlap or lie at odd addresses, is copied. What is written
shares no memory with the other arguments. Before anything is written all of this is tested:

    TypeError: an argument is no array, or of another type than the routine's; a factor is no real number, an option not True or
    False. ValueError: shapes that do not fit, elements or rows that overlap, an array to be written that is read-only or shares
    memory with another, a finite factor that is infinite in the routine's precision. JitError: the processor has no AVX-512, or
    there is no C compiler. MemoryError: there is none for a dense copy of a vector; the result is then unspecified.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from usl_avx512.kernels.arguments import DOUBLE, SINGLE, Precision, matrix, number, option, vector
from usl_avx512.kernels.blas_library import blas_function, entry_name, sections
from usl_avx512.kernels.quick import quick

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO, YES, UPPER, LOWER, NONUNIT, UNIT = 111, 112, 121, 122, 131, 132
"""What CBLAS calls the options."""


# ---- level 1


def axpy(alpha: float, x: NDArray[Any], y: NDArray[Any], *, _of: Precision = SINGLE) -> None:
    """`y += alpha x`."""
    alpha = number(_of, "alpha", alpha)
    n, first, incx = vector(_of, "x", x)
    size, second, incy = vector(_of, "y", y, written=True)
    _require_same_size(n, size)
    _call(_of, "axpy", n, alpha, first, incx, second, incy)


def scal(alpha: float, x: NDArray[Any], *, _of: Precision = SINGLE) -> None:
    """`x = alpha x`."""
    alpha = number(_of, "alpha", alpha)
    n, least, inc = vector(_of, "x", x, written=True)
    _call(_of, "scal", n, alpha, least, abs(inc))


def dot(x: NDArray[Any], y: NDArray[Any], *, _of: Precision = SINGLE) -> float:
    """The sum of the products of elements; 0 where there are none."""
    n, first, incx = vector(_of, "x", x)
    size, second, incy = vector(_of, "y", y)
    _require_same_size(n, size)
    result = _of.result()
    _call(_of, "dot", n, first, incx, second, incy, result)
    return float(result[0])


def asum(x: NDArray[Any], *, _of: Precision = SINGLE) -> float:
    """The sum of the magnitudes of elements; 0 where there are none."""
    n, least, inc = vector(_of, "x", x)
    result = _of.result()
    _call(_of, "asum", n, least, abs(inc), result)
    return float(result[0])


def nrm2(x: NDArray[Any], *, _of: Precision = SINGLE) -> float:
    """The Euclidean norm; 0 where there are no elements. It over- or underflows only where the norm itself does."""
    n, least, inc = vector(_of, "x", x)
    result = _of.result()
    _call(_of, "nrm2", n, least, abs(inc), result)
    return float(result[0])


def iamax(x: NDArray[Any], *, _of: Precision = SINGLE) -> int:
    """The position of the first element of the largest magnitude. NaN are passed over; where all are, it is 0.

    Raises:
        ValueError: also where x has no elements.
    """
    n, least, inc = vector(_of, "x", x)
    if n == 0:
        raise ValueError("x has no elements, so that none is the largest")
    if inc < 0:  # the first of equals: order matters
        n, least, inc = vector(_of, "x", x.copy())
    result = _of.position()
    _call(_of, "iamax", n, least, inc, result)
    return int(result[0])


def copy(x: NDArray[Any], y: NDArray[Any], *, _of: Precision = SINGLE) -> None:
    """`y = x`."""
    n, first, incx = vector(_of, "x", x)
    size, second, incy = vector(_of, "y", y, written=True)
    _require_same_size(n, size)
    _call(_of, "copy", n, first, incx, second, incy)


def swap(x: NDArray[Any], y: NDArray[Any], *, _of: Precision = SINGLE) -> None:
    """The elements of x and y change places."""
    n, first, incx = vector(_of, "x", x, written=True)
    size, second, incy = vector(_of, "y", y, written=True)
    _require_same_size(n, size)
    _call(_of, "swap", n, first, incx, second, incy)


def rot(x: NDArray[Any], y: NDArray[Any], c: float, s: float, *, _of: Precision = SINGLE) -> None:
    """`x, y = c x + s y, c y - s x`: a plane rotation of each pair of elements."""
    c, s = number(_of, "c", c), number(_of, "s", s)
    n, first, incx = vector(_of, "x", x, written=True)
    size, second, incy = vector(_of, "y", y, written=True)
    _require_same_size(n, size)
    _call(_of, "rot", n, first, incx, second, incy, c, s)


# ---- level 2


def gemv(
    alpha: float,
    A: NDArray[Any],
    x: NDArray[Any],
    beta: float,
    y: NDArray[Any],
    *,
    trans: bool = False,
    _of: Precision = SINGLE,
) -> None:
    """`y = alpha A x + beta y`, or with trans `y = alpha A^T x + beta y`.

    A is (m, n), x has n elements and y has m, with trans the other way round. Where alpha is 0, A and x are not read, and
    where beta is 0, y is not: NaN in them do not count. An A without elements leaves y as it is, whatever beta, as in BLAS.
    """
    alpha, beta, trans = number(_of, "alpha", alpha), number(_of, "beta", beta), option("trans", trans)
    m, n, least, lda, transposed, backwards = matrix(_of, "A", A)
    nx, first, incx = vector(_of, "x", x)
    ny, second, incy = vector(_of, "y", y, written=True)
    _require_size("x", nx, m if trans else n, A)
    _require_size("y", ny, n if trans else m, A)
    if transposed:
        m, n, trans = n, m, not trans
    if backwards and trans:
        incx = -incx
    elif backwards:
        incy = -incy
    _call(_of, "gemv", YES if trans else NO, m, n, alpha, least, lda, first, incx, beta, second, incy)


def ger(alpha: float, x: NDArray[Any], y: NDArray[Any], A: NDArray[Any], *, _of: Precision = SINGLE) -> None:
    """`A += alpha x y^T`: A is (m, n), x has m elements and y has n."""
    alpha = number(_of, "alpha", alpha)
    m, n, least, lda, transposed, backwards = matrix(_of, "A", A, written=True)
    nx, first, incx = vector(_of, "x", x)
    ny, second, incy = vector(_of, "y", y)
    _require_size("x", nx, m, A)
    _require_size("y", ny, n, A)
    if transposed:
        m, n, first, incx, second, incy = n, m, second, incy, first, incx
    if backwards:
        incx = -incx
    _call(_of, "ger", m, n, alpha, first, incx, second, incy, least, lda)


def symv(
    alpha: float,
    A: NDArray[Any],
    x: NDArray[Any],
    beta: float,
    y: NDArray[Any],
    *,
    lower: bool = False,
    _of: Precision = SINGLE,
) -> None:
    """`y = alpha A x + beta y` for symmetric A, of which the upper triangle is read, or the lower one.

    Where alpha is 0, A and x are not read, and where beta is 0, y is not.
    """
    alpha, beta, lower = number(_of, "alpha", alpha), number(_of, "beta", beta), option("lower", lower)
    n, least, lda, transposed = _square(_of, A)
    nx, first, incx = vector(_of, "x", x)
    ny, second, incy = vector(_of, "y", y, written=True)
    _require_size("x", nx, n, A)
    _require_size("y", ny, n, A)
    _call(_of, "symv", LOWER if lower != transposed else UPPER, n, alpha, least, lda, first, incx, beta, second, incy)


def trmv(
    A: NDArray[Any],
    x: NDArray[Any],
    *,
    lower: bool = False,
    trans: bool = False,
    unit: bool = False,
    _of: Precision = SINGLE,
) -> None:
    """`x = A x`, or with trans `x = A^T x`, for triangular A.

    The upper triangle is read, or the lower one; with unit the diagonal is not, and counts as ones.
    """
    _triangular(_of, "trmv", A, x, lower, trans, unit)


def trsv(
    A: NDArray[Any],
    x: NDArray[Any],
    *,
    lower: bool = False,
    trans: bool = False,
    unit: bool = False,
    _of: Precision = SINGLE,
) -> None:
    """Put in the place of x the z with `A z = x`, or with trans `A^T z = x`, for triangular A.

    The upper triangle is read, or the lower one; with unit the diagonal is not, and counts as ones. A zero on the diagonal is
    no error: results are then infinite or NaN.
    """
    _triangular(_of, "trsv", A, x, lower, trans, unit)


def _triangular(of: Precision, routine: str, A: Any, x: Any, lower: bool, trans: bool, unit: bool) -> None:
    lower, trans, unit = option("lower", lower), option("trans", trans), option("unit", unit)
    n, least, lda, transposed = _square(of, A)
    nx, first, incx = vector(of, "x", x, written=True)
    _require_size("x", nx, n, A)
    options = (LOWER if lower != transposed else UPPER, YES if trans != transposed else NO, UNIT if unit else NONUNIT)
    _call(of, routine, *options, n, least, lda, first, incx)


# ---- sizes


def _square(of: Precision, A: Any) -> tuple[int, Any, int, bool]:
    """The size of a square matrix, where it is, and whether that is its transpose."""
    rows, columns, least, lda, transposed, backwards = matrix(of, "A", A)
    if rows != columns:
        raise ValueError(f"A must be square, not {rows} x {columns}")
    if backwards:
        raise ValueError(f"the {'columns' if transposed else 'rows'} of A go backwards; copy it")
    return rows, least, lda, transposed


def _require_same_size(x: int, y: int) -> None:
    if x != y:
        raise ValueError(f"x and y must have as many elements; they have {x} and {y}")


def _require_size(name: str, size: int, wanted: int, A: Any) -> None:
    if size != wanted:
        raise ValueError(f"{name} must have {wanted} elements, as A is {A.shape[0]} x {A.shape[1]}; it has {size}")


# ---- calls


def _call(of: Precision, routine: str, *arguments: Any) -> None:
    """Call the entry of a routine, and say in Python what it says with its status."""
    _, function = blas_function(routine, of.letter)
    status = function(*arguments)
    if status != 0:
        raise _refusal(of, routine, status)


def _refusal(of: Precision, routine: str, status: int) -> Exception:
    """What the status of an entry means, where sizes, strides and options are right."""
    entry = entry_name(routine, of.letter)
    if status == -1:
        return MemoryError(f"{entry}: no memory for a dense copy of a vector")
    name = arguments(routine)[status - 1]
    if name in ("n", "m"):
        return ValueError(f"{entry} takes sizes up to 2^31 - 1")
    if name in ("x", "y", "A"):
        return ValueError(f"{name} shares memory with another argument; give it memory of its own")
    return ValueError(f"{entry} refuses its argument {status}, {name}")


def arguments(routine: str) -> list[str]:
    """The names of the arguments of an entry, from its C."""
    prototype = re.search(r"^int usl_[^(]*\(([^)]*)\)", sections()[routine], flags=re.MULTILINE)
    assert prototype is not None
    return [argument.split()[-1].lstrip("*") for argument in prototype[1].split(",")]


# ---- both precisions

Routine = TypeVar("Routine", bound=Callable[..., Any])


def both(function: Routine) -> tuple[Routine, Routine]:
    """A routine in single and in double precision, under BLAS's names."""
    return _quick(function, SINGLE), _quick(function, DOUBLE)


def _quick(function: Any, of: Precision) -> Any:
    name = function.__name__

    def refused(status: int) -> NoReturn:
        raise _refusal(of, name, status)

    return quick(precise(function, of), of.letter + name, lambda: blas_function(name, of.letter)[1], refused)


def precise(function: Any, precision: Precision) -> Any:
    """A copy of a routine, under BLAS's name, that differs in a default."""
    name = entry_name(function.__name__, precision.letter).removeprefix("usl_")
    routine = FunctionType(function.__code__, function.__globals__, name)
    routine.__kwdefaults__ = {**function.__kwdefaults__, "_of": precision}
    routine.__qualname__, routine.__module__ = name, function.__module__
    routine.__annotations__ = {key: value for key, value in function.__annotations__.items() if key != "_of"}
    routine.__doc__ = f"{inspect.getdoc(function)}\n\nArrays are of dtype {precision.name}."
    signature = inspect.signature(function)
    shown = [parameter for parameter in signature.parameters.values() if parameter.name != "_of"]
    routine.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    return routine


saxpy, daxpy = both(axpy)
sscal, dscal = both(scal)
sdot, ddot = both(dot)
sasum, dasum = both(asum)
snrm2, dnrm2 = both(nrm2)
isamax, idamax = both(iamax)
scopy, dcopy = both(copy)
sswap, dswap = both(swap)
srot, drot = both(rot)
sgemv, dgemv = both(gemv)
sger, dger = both(ger)
ssymv, dsymv = both(symv)
strmv, dtrmv = both(trmv)
strsv, dtrsv = both(trsv)
