"""Matrix products on NumPy arrays: `C = alpha A B + beta C`, one product or many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from usl_avx512.kernels.arguments import Precision, batch, integer, matrix, number, option
from usl_avx512.kernels.level3_library import (
    VARIANTS,
    arguments,
    entry_name,
    gemm_library,
    gemm_path,
    loaded,
)
from usl_avx512.kernels.quick import Function, quick

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["VARIANTS", "dgemm", "dgemm_batch_strided", "gemm_library", "gemm_path", "sgemm", "sgemm_batch_strided"]

NO, YES = 111, 112
"""What CBLAS calls matrices as they are, and transposed."""


def sgemm(
    A: NDArray[np.float32],
    B: NDArray[np.float32],
    C: NDArray[np.float32],
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: bool = False,
    transB: bool = False,
    threads: int | None = 1,
) -> None:
    """`C = alpha A B + beta C` in single precision, by default `C += A B`; with transA A^T stands for A, with transB B^T for B.

    A is (M, K), B is (K, N), C is (M, N), all float32. Each may be a view of a larger array, as long as the elements of each
    row are next to each other, or those of each column: `A.T` is used where it is. Sums are taken in another order than a loop
    would, and each product is fused with its sum. Where alpha is 0, A and B are not read, and where beta is 0, C is not: NaN
    in them do not count.

    At most so many threads share the work, the calling one among them: as many as pay, and no more than there are processors.
    None stands for as many as USL_NUM_THREADS says, or else OMP_NUM_THREADS, or there are processors. The result has the same
    bits whatever their number is.

    Raises:
        TypeError: an argument is no array, or of another type, a factor no real number, an option not True or False, or threads
        no integer. ValueError: shapes that do not fit, neither rows nor columns of neighbours, C that cannot be written or
        shares memory with A or B, a finite factor that is infinite in this precision, threads below 1. Then nothing has been
        written. JitError: the processor has no AVX-512, or there is no C compiler. MemoryError: there is none for the copy of
        a part of a matrix; C is then unspecified.
    """
    multiply("usl_sgemm", A, B, C, alpha, beta, transA, transB, threads)


def dgemm(
    A: NDArray[np.float64],
    B: NDArray[np.float64],
    C: NDArray[np.float64],
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: bool = False,
    transB: bool = False,
    threads: int | None = 1,
) -> None:
    """`C = alpha A B + beta C` in double precision, like `sgemm`."""
    multiply("usl_dgemm", A, B, C, alpha, beta, transA, transB, threads)


def multiply(name: str, A: Any, B: Any, C: Any, alpha: Any, beta: Any, transA: Any, transB: Any, threads: int | None) -> None:
    """Check the arguments and call the entry of this name, or the one that has threads."""
    threads = threads_of(threads)
    of = VARIANTS[name].precision
    alpha, beta = number(of, "alpha", alpha), number(of, "beta", beta)
    transA, transB = option("transA", transA), option("transB", transB)
    m, k, a, lda, a_turned = placed(of, "A", A, transA)
    rows, n, b, ldb, b_turned = placed(of, "B", B, transB)
    height, width, c, ldc, c_turned = placed(of, "C", C, written=True)
    require_shapes(m, k, rows, n, height, width)
    if c_turned:  # the transposed product
        m, n, a, lda, a_turned, b, ldb, b_turned = n, m, b, ldb, not b_turned, a, lda, not a_turned
    values = (YES if a_turned else NO, YES if b_turned else NO, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
    call(name, "gemm_threads", threads, *values)


def threads_of(threads: Any) -> int:
    """How many threads C is told that a call may have: 0 for None, which is as many as are usual.

    Raises:
        TypeError: it is no integer. ValueError: it is below 1.
    """
    return 0 if threads is None else min(integer("threads", threads, " or None"), 2**31 - 1)


def require_shapes(m: int, k: int, rows: int, n: int, height: int, width: int) -> None:
    """A is m x k, B rows x n and C height x width; they have to fit."""
    if rows != k:
        raise ValueError(f"the shapes do not fit: A is {m} x {k}, so that B must have {k} rows, not {rows}")
    if (height, width) != (m, n):
        raise ValueError(f"C must be {m} x {n}, as A is {m} x {k} and B {k} x {n}; it is {height} x {width}")


def placed(of: Precision, name: str, array: Any, trans: bool = False, written: bool = False) -> tuple[int, int, Any, int, bool]:
    """Rows and columns of a matrix, of its transpose with trans; where it is, the distance of rows in memory, and whether these
    are its columns.

    Raises:
        TypeError, ValueError: it is no such array, or to be written and read-only.
    """
    rows, columns, least, distance, turned, backwards = matrix(of, name, array, written)
    if backwards:
        raise ValueError(f"the {'columns' if turned else 'rows'} of {name} go backwards; copy it")
    return (columns, rows, least, distance, not turned) if trans else (rows, columns, least, distance, turned)


def sgemm_batch_strided(
    A: NDArray[np.float32],
    B: NDArray[np.float32],
    C: NDArray[np.float32],
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: bool = False,
    transB: bool = False,
    threads: int | None = 1,
) -> None:
    """`C[i] = alpha A[i] B[i] + beta C[i]` for each i in single precision, by default `C[i] += A[i] B[i]`.

    A is (count, M, K), B is (count, K, N), C is (count, M, N), all float32; what `sgemm` takes as a matrix each of them may
    be. Of A and B all matrices may be one: `np.broadcast_to(B, (count, K, N))`.

    Raises:
        As `sgemm`; ValueError also for matrices that go backwards, or of C that share memory.
    """
    multiply_batch("usl_sgemm", A, B, C, alpha, beta, transA, transB, threads)


def dgemm_batch_strided(
    A: NDArray[np.float64],
    B: NDArray[np.float64],
    C: NDArray[np.float64],
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: bool = False,
    transB: bool = False,
    threads: int | None = 1,
) -> None:
    """`C[i] = alpha A[i] B[i] + beta C[i]` for each i in double precision, like `sgemm_batch_strided`."""
    multiply_batch("usl_dgemm", A, B, C, alpha, beta, transA, transB, threads)


def multiply_batch(
    name: str, A: Any, B: Any, C: Any, alpha: Any, beta: Any, transA: Any, transB: Any, threads: int | None
) -> None:
    """Check the arguments and call the entry."""
    threads = threads_of(threads)
    of = VARIANTS[name].precision
    alpha, beta = number(of, "alpha", alpha), number(of, "beta", beta)
    trans = {"A": option("transA", transA), "B": option("transB", transB), "C": False}
    counts, places, steps = [], {}, {}
    for each, array in (("A", A), ("B", B), ("C", C)):
        count, first, step = batch(of, each, array, written=each == "C")
        counts.append(count)
        steps[each] = step
        if count:
            places[each] = placed(of, each, first, trans[each], written=each == "C")
    if len(set(counts)) > 1:
        raise ValueError(f"A, B and C must have as many matrices; they have {counts[0]}, {counts[1]} and {counts[2]}")
    if not counts[0]:
        return
    (m, k, a, lda, a_turned), (rows, n, b, ldb, b_turned), (height, width, c, ldc, c_turned) = places.values()
    require_shapes(m, k, rows, n, height, width)
    one, other = (a, lda, steps["A"]), (b, ldb, steps["B"])
    if c_turned:
        m, n, one, other, a_turned, b_turned = n, m, other, one, not b_turned, not a_turned
    options = (YES if a_turned else NO, YES if b_turned else NO)
    call(
        name, "gemm_batch_strided_threads", threads, *options, m, n, k, alpha, *one, *other, beta, c, ldc, steps["C"], counts[0]
    )


# ---- calls


def call(name: str, routine: str, *values: Any) -> None:
    """Call the entry of a routine of level 3, and say in Python what it says with its status."""
    status = getattr(loaded(name)[1], entry_name(routine, name))(*values)
    if status != 0:
        raise _refusal(routine, name, status)


def _refusal(routine: str, name: str, status: int) -> Exception:
    """What the status of an entry means, where options and distances of rows are right."""
    entry = entry_name(routine, name)
    if status == -1:
        return MemoryError(f"{entry}: no memory for the copy of a part of a matrix")
    argument = arguments(routine)[status - 1]
    if argument in ("B", "C"):
        others = "A" if argument == "B" else "A or B"
        return ValueError(f"{argument} shares memory with {others}; give it memory of its own")
    if argument == "strideC":
        return ValueError("the matrices of C share memory")
    if argument in ("M", "N", "K", "count"):
        return ValueError(f"{entry} takes sizes up to 2^31 - 1")
    return ValueError(f"{entry} refuses its argument {status}, {argument}")


def in_c(function: Function, name: str, routine: str) -> Function:
    """The same, called without Python where arguments are plainly right; name is that of the library."""
    letter = VARIANTS[name].precision.letter

    def refused(status: int) -> NoReturn:
        raise _refusal(routine, name, status)

    return quick(
        function,
        letter + routine.removesuffix("_threads"),
        lambda: getattr(loaded(name)[1], entry_name(routine, name)),
        refused,
    )


sgemm, dgemm = in_c(sgemm, "usl_sgemm", "gemm_threads"), in_c(dgemm, "usl_dgemm", "gemm_threads")
sgemm_batch_strided = in_c(sgemm_batch_strided, "usl_sgemm", "gemm_batch_strided_threads")
dgemm_batch_strided = in_c(dgemm_batch_strided, "usl_dgemm", "gemm_batch_strided_threads")
