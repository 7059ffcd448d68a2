"""Matrix products: `C += A B` on NumPy arrays, and the C library behind them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from usl_avx512.kernels.arguments import DOUBLE, SINGLE, Precision, foreign, forward_matrix, integer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from usl_c11.emit import Library

HERE = Path(__file__).parent
ARGUMENTS = ("M", "N", "K", "A", "lda", "B", "ldb", "C", "ldc")


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the products: the name of its entry in C, the type of elements, and whether it uses threads."""

    name: str
    precision: Precision
    parallel: bool


ONE_THREAD = nullcontext()

VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("usl_sgemm", SINGLE, False),
        Variant("usl_dgemm", DOUBLE, False),
        Variant("usl_sgemm_parallel", SINGLE, True),
        Variant("usl_dgemm_parallel", DOUBLE, True),
    )
}


def sgemm(A: NDArray[np.float32], B: NDArray[np.float32], C: NDArray[np.float32], *, threads: int | None = 1) -> None:
    """`C += A B` in single precision.

    A is (M, K), B is (K, N), C is (M, N), all float32. Each may be a view of a larger array, as long as the elements of a
    row are next to each other. Sums are taken in another order than a loop would, and each product is fused with its sum.

    Blocks of rows are shared among so many threads of OpenMP; None stands for as many as it gives by itself, OMP_NUM_THREADS
    or one for each core. Where the compiler has no OpenMP, one thread does all.

    Raises:
        TypeError: an argument is no array, or of another type, or threads no integer. ValueError: shapes that do not fit,
        elements of a row that are not neighbours, C that cannot be written or shares memory with A or B, threads below 1. Then
        nothing has been written.
        JitError: the processor has no AVX-512, or there is no C compiler.
        MemoryError: there is none for the copy of a part of B; C is then unspecified.
    """
    multiply("usl_sgemm", A, B, C, threads)


def dgemm(A: NDArray[np.float64], B: NDArray[np.float64], C: NDArray[np.float64], *, threads: int | None = 1) -> None:
    """`C += A B` in double precision, like `sgemm`."""
    multiply("usl_dgemm", A, B, C, threads)


def multiply(name: str, A: Any, B: Any, C: Any, threads: int | None) -> None:
    """Check the arguments and call the entry of this name, or its parallel one."""
    threads = None if threads is None else integer("threads", threads, " or None")
    name = name if threads == 1 else f"{name}_parallel"
    precision = VARIANTS[name].precision
    m, k, a, lda = forward_matrix(precision, "A", A)
    rows, n, b, ldb = forward_matrix(precision, "B", B)
    height, width, c, ldc = forward_matrix(precision, "C", C, written=True)
    if rows != k:
        raise ValueError(f"the shapes do not fit: A is {m} x {k}, so that B must have {k} rows, not {rows}")
    if (height, width) != (m, n):
        raise ValueError(f"C must be {m} x {n}, as A is {m} x {k} and B {k} x {n}; it is {height} x {width}")
    if 0 in (m, n, k):
        return
    _, library = _loaded(name)
    with ONE_THREAD if threads == 1 else _sharing(library, threads):
        status = getattr(library, name)(m, n, k, a, lda, b, ldb, c, ldc)
    if status != 0:
        raise _refusal(name, status)


def _refusal(name: str, status: int) -> Exception:
    """What the status of an entry means, where distances of rows are right."""
    if status == -1:
        return MemoryError(f"{name}: no memory for the copy of a part of B")
    if status == 8:
        return ValueError("C shares memory with A or B; give it memory of its own")
    if status <= 3:
        return ValueError(f"{name} takes sizes up to 2^31 - 1")
    return ValueError(f"{name} refuses its argument {status}, {ARGUMENTS[status - 1]}")


@contextmanager
def _sharing(library: Any, threads: int | None) -> Iterator[None]:
    """Give the parallel loops that this thread starts so many threads. The setting is OpenMP's, for this thread alone."""
    if threads is None or not hasattr(library, "omp_set_num_threads"):
        yield
        return
    before = library.omp_get_max_threads()
    library.omp_set_num_threads(threads)
    try:
        yield
    finally:
        library.omp_set_num_threads(before)


# ---- the library


@functools.cache
def gemm_library(name: str) -> Library:
    """The C of one of VARIANTS, with its CBLAS-shaped entry: NAME.c and NAME.h, and what a build needs to know.

    Only the entry has external linkage: libraries can be linked with each other and with any BLAS.

    Raises:
        ValueError: there is no such variant.
    """
    from usl_avx512.gemm import DOUBLE as DOUBLE_LANES
    from usl_avx512.gemm import SINGLE as SINGLE_LANES
    from usl_avx512.gemm import Blocking, gemm_schedule
    from usl_avx512.kernels_algorithms import gemm
    from usl_c11.emit import library
    from usl_core.scheduling import rename

    variant = _variant(name)
    lanes, typ = (SINGLE_LANES, "f32") if variant.precision is SINGLE else (DOUBLE_LANES, "f64")
    # small blocks of rows, of which threads get nearly as many each, and few are left over for one thread alone
    blocking = Blocking(m=60, small=512) if variant.parallel else None
    scheduled = gemm_schedule(gemm, lanes, blocking, parallel=variant.parallel)
    kernel = rename(scheduled, f"{name.removeprefix('usl_')}_kernel")
    plain = library([kernel.ir], name, exported=False)
    window = f"usl_win_2{typ}"
    words = {
        "NAME": name,
        "TYPE": variant.precision.ctype,
        "READ": f"{window}c",
        "WRITE": window,
        "KERNEL": f"{kernel.name()}_body",
    }
    source, header = (_filled(HERE / f"gemm.{suffix}", words) for suffix in "ch")
    head, end, tail = plain.files[f"{name}.h"].rpartition("#ifdef __cplusplus\n}")
    files = plain.files | {f"{name}.c": plain.files[f"{name}.c"] + source, f"{name}.h": f"{head}{header.lstrip()}\n{end}{tail}"}
    return replace(plain, files=files)


def _variant(name: str) -> Variant:
    if name not in VARIANTS:
        raise ValueError(f"no matrix product is called {name!r}; there are {', '.join(VARIANTS)}")
    return VARIANTS[name]


def _filled(file: Path, words: dict[str, str]) -> str:
    return re.sub(r"@(\w+)@", lambda match: words[match[1]], file.read_text(encoding="utf-8"))


@functools.cache
def _loaded(name: str) -> tuple[Any, Any]:
    """cffi, and the compiled library, with the functions of the OpenMP runtime that it is linked with."""
    ctype, ffi = VARIANTS[name].precision.ctype, foreign()
    data = f"const {ctype} *A, int64_t lda, const {ctype} *B, int64_t ldb, {ctype} *C, int64_t ldc"
    ffi.cdef(f"int {name}(int64_t M, int64_t N, int64_t K, {data});")
    ffi.cdef("int omp_get_max_threads(void); void omp_set_num_threads(int);")
    # never unloaded: the threads of an OpenMP runtime outlive a call
    return ffi, ffi.dlopen(str(gemm_path(name)), ffi.RTLD_NOW | getattr(ffi, "RTLD_NODELETE", 0))


@functools.cache
def gemm_path(name: str) -> Path:
    """The compiled library of one of VARIANTS; scheduled and compiled only if the build cache has none of the same sources.

    Raises:
        ValueError: there is no such variant. JitError: the processor has no AVX-512, or there is no C compiler.
    """
    from usl_avx512.kernels.sources import built_once

    return built_once(name, lambda: gemm_library(name), _variant(name).parallel)
