"""BLAS level 3 on NumPy arrays beside matrix products, in single (`s`) and double (`d`) precision.

Matrices may be any two-dimensional views of which the rows or the columns have their elements next to each other; none is
copied. What is written shares no memory with the other arguments. threads is as for `sgemm`. Before anything is written all
of this is tested:

    TypeError: an argument is no array, or of another type than the routine's; a factor is no real number, an option not True or
    False, threads no integer. ValueError: shapes that do not fit, elements or rows that overlap, an array to be written that
    is read-only or shares memory with another, a finite factor that is infinite in the routine's precision, B with its rows
    next to each other where C has its columns so, or the other way round, threads below 1. JitError: the processor has no
    AVX-512, or there is no C compiler. MemoryError: there is none for a copy of a part of a matrix; the result is then
    unspecified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from usl_avx512.kernels.arguments import DOUBLE, SINGLE, Precision, number, option
from usl_avx512.kernels.blas import LOWER, NO, NONUNIT, UNIT, UPPER, YES, precise
from usl_avx512.kernels.gemm import call, in_c, placed, threads_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEFT, RIGHT = 141, 142
"""What CBLAS calls the sides."""


def symm(
    alpha: float,
    A: NDArray[Any],
    B: NDArray[Any],
    beta: float,
    C: NDArray[Any],
    *,
    right: bool = False,
    lower: bool = False,
    threads: int | None = 1,
    _of: Precision = SINGLE,
) -> None:
    """`C = alpha A B + beta C`, or with right `C = alpha B A + beta C`, for symmetric A.

    Of A the upper triangle is read, or the lower one. B and C are (m, n). Where alpha is 0, A and B are not read, and where
    beta is 0, C is not.
    """
    threads = threads_of(threads)
    alpha, beta = number(_of, "alpha", alpha), number(_of, "beta", beta)
    right, lower = option("right", right), option("lower", lower)
    size, a, lda, a_turned = _square(_of, "A", A)
    m, n, b, ldb, b_turned = placed(_of, "B", B)
    height, width, c, ldc, c_turned = placed(_of, "C", C, written=True)
    _require_shape("B", (m, n), "C", (height, width))
    _require_side(size, m, n, right)
    _require_alike("B", b_turned, "C", c_turned)
    if c_turned:
        m, n, right = n, m, not right
    options = (RIGHT if right else LEFT, LOWER if lower != a_turned else UPPER)
    _call(_of, "symm", threads, *options, m, n, alpha, a, lda, b, ldb, beta, c, ldc)


def syrk(
    alpha: float,
    A: NDArray[Any],
    beta: float,
    C: NDArray[Any],
    *,
    lower: bool = False,
    trans: bool = False,
    threads: int | None = 1,
    _of: Precision = SINGLE,
) -> None:
    """`C = alpha A A^T + beta C`, or with trans `C = alpha A^T A + beta C`, of which the upper triangle is read and written,
    or the lower one.

    C is (n, n), A (n, k), with trans (k, n). Where alpha is 0, A is not read, and where beta is 0, C is not.
    """
    threads = threads_of(threads)
    alpha, beta, lower, trans = _of_rank(_of, alpha, beta, lower, trans)
    rows, columns, a, lda, turned = placed(_of, "A", A, trans)
    n, c, ldc, c_turned = _square(_of, "C", C, written=True)
    if rows != n:
        raise ValueError(f"C must be {rows} x {rows}, as A is {A.shape[0]} x {A.shape[1]}; it is {n} x {n}")
    options = (LOWER if lower != c_turned else UPPER, YES if turned else NO)
    _call(_of, "syrk", threads, *options, n, columns, alpha, a, lda, beta, c, ldc)


def syr2k(
    alpha: float,
    A: NDArray[Any],
    B: NDArray[Any],
    beta: float,
    C: NDArray[Any],
    *,
    lower: bool = False,
    trans: bool = False,
    threads: int | None = 1,
    _of: Precision = SINGLE,
) -> None:
    """`C = alpha (A B^T + B A^T) + beta C`, or with trans `C = alpha (A^T B + B^T A) + beta C`, of which the upper triangle is
    read and written, or the lower one.

    C is (n, n), A and B (n, k), with trans (k, n). Where alpha is 0, A and B are not read, and where beta is 0, C is not.
    """
    threads = threads_of(threads)
    alpha, beta, lower, trans = _of_rank(_of, alpha, beta, lower, trans)
    rows, columns, a, lda, turned = placed(_of, "A", A, trans)
    height, width, b, ldb, b_turned = placed(_of, "B", B, trans)
    n, c, ldc, c_turned = _square(_of, "C", C, written=True)
    _require_shape("B", (height, width), "A", (rows, columns))
    if rows != n:
        raise ValueError(f"C must be {rows} x {rows}, as A is {A.shape[0]} x {A.shape[1]}; it is {n} x {n}")
    _require_alike("A", turned, "B", b_turned)
    options = (LOWER if lower != c_turned else UPPER, YES if turned else NO)
    _call(_of, "syr2k", threads, *options, n, columns, alpha, a, lda, b, ldb, beta, c, ldc)


def trmm(
    alpha: float,
    A: NDArray[Any],
    B: NDArray[Any],
    *,
    right: bool = False,
    lower: bool = False,
    trans: bool = False,
    unit: bool = False,
    threads: int | None = 1,
    _of: Precision = SINGLE,
) -> None:
    """`B = alpha A B`, or with right `B = alpha B A`, for triangular A; with trans A^T stands for A.

    The upper triangle is read, or the lower one; with unit the diagonal is not, and counts as ones. Where alpha is 0, A and B
    are not read.
    """
    _triangular(_of, "trmm", alpha, A, B, right, lower, trans, unit, threads)


def trsm(
    alpha: float,
    A: NDArray[Any],
    B: NDArray[Any],
    *,
    right: bool = False,
    lower: bool = False,
    trans: bool = False,
    unit: bool = False,
    threads: int | None = 1,
    _of: Precision = SINGLE,
) -> None:
    """Put in the place of B the X with `A X = alpha B`, or with right `X A = alpha B`, for triangular A; with trans A^T stands
    for A.

    The upper triangle is read, or the lower one; with unit the diagonal is not, and counts as ones. Products with reciprocals
    of the diagonal stand for quotients. A zero on the diagonal is no error: results are then infinite or NaN. Where alpha is
    0, A and B are not read.
    """
    _triangular(_of, "trsm", alpha, A, B, right, lower, trans, unit, threads)


def _triangular(
    of: Precision, routine: str, alpha: Any, A: Any, B: Any, right: Any, lower: Any, trans: Any, unit: Any, threads: Any
) -> None:
    threads = threads_of(threads)
    alpha, right, lower = number(of, "alpha", alpha), option("right", right), option("lower", lower)
    trans, unit = option("trans", trans), option("unit", unit)
    size, a, lda, a_turned = _square(of, "A", A)
    m, n, b, ldb, b_turned = placed(of, "B", B, written=True)
    _require_side(size, m, n, right)
    if a_turned:
        lower, trans = not lower, not trans
    if b_turned:  # the transposed equation
        m, n, right, trans = n, m, not right, not trans
    options = (RIGHT if right else LEFT, LOWER if lower else UPPER, YES if trans else NO, UNIT if unit else NONUNIT)
    _call(of, routine, threads, *options, m, n, alpha, a, lda, b, ldb)


def _of_rank(of: Precision, alpha: Any, beta: Any, lower: Any, trans: Any) -> tuple[float, float, bool, bool]:
    return number(of, "alpha", alpha), number(of, "beta", beta), option("lower", lower), option("trans", trans)


def _square(of: Precision, name: str, array: Any, written: bool = False) -> tuple[int, Any, int, bool]:
    """The size of a square matrix, where it is, the distance of its rows in memory, and whether these are its columns."""
    rows, columns, least, distance, turned = placed(of, name, array, written=written)
    if rows != columns:
        raise ValueError(f"{name} must be square, not {rows} x {columns}")
    return rows, least, distance, turned


def _require_shape(name: str, shape: tuple[int, int], other: str, wanted: tuple[int, int]) -> None:
    if shape != wanted:
        raise ValueError(f"{name} must be as large as {other}, {wanted[0]} x {wanted[1]}; it is {shape[0]} x {shape[1]}")


def _require_side(size: int, m: int, n: int, right: bool) -> None:
    if size != (n if right else m):
        raise ValueError(f"A must be {n if right else m} x {n if right else m}, as B is {m} x {n}; it is {size} x {size}")


def _require_alike(name: str, turned: bool, other: str, other_turned: bool) -> None:
    if turned != other_turned:
        way, others = ("columns", "rows") if turned else ("rows", "columns")
        raise ValueError(
            f"{name} has its {way} next to each other and {other} its {others}; copy one, with numpy.ascontiguousarray "
            "or numpy.asfortranarray"
        )


def _call(of: Precision, routine: str, *values: Any) -> None:
    call(f"usl_{of.letter}gemm", f"{routine}_threads", *values)


def _both(function: Any) -> tuple[Any, Any]:
    single, double = (
        in_c(precise(function, of), f"usl_{of.letter}gemm", f"{function.__name__}_threads") for of in (SINGLE, DOUBLE)
    )
    return single, double


ssymm, dsymm = _both(symm)
ssyrk, dsyrk = _both(syrk)
ssyr2k, dsyr2k = _both(syr2k)
strmm, dtrmm = _both(trmm)
strsm, dtrsm = _both(trsm)
