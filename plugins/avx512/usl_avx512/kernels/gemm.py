"""Matrix products: `C += A B` on NumPy arrays, and the C library behind them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from usl_core.errors import JitError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from usl_c11.emit import Library

HERE = Path(__file__).parent
ARGUMENTS = ("M", "N", "K", "A", "lda", "B", "ldb", "C", "ldc")


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the products: the name of its entry in C, its element type there and in NumPy, and whether it uses threads."""

    name: str
    ctype: str
    dtype: str
    parallel: bool


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("usl_sgemm", "float", "float32", False),
        Variant("usl_dgemm", "double", "float64", False),
        Variant("usl_sgemm_parallel", "float", "float32", True),
        Variant("usl_dgemm_parallel", "double", "float64", True),
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
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool)):
        raise TypeError(f"threads must be an integer or None, not {type(threads).__name__}")
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}; None stands for as many as OpenMP gives")
    name = name if threads == 1 else f"{name}_parallel"
    variant = VARIANTS[name]
    distances = [_row_distance(array, letter, variant) for letter, array in zip("ABC", (A, B, C), strict=True)]
    (m, k), (rows, n) = A.shape, B.shape
    if rows != k:
        raise ValueError(f"the shapes do not fit: A is {m} x {k}, so that B must have {k} rows, not {rows}")
    if C.shape != (m, n):
        raise ValueError(f"C must be {m} x {n}, as A is {m} x {k} and B {k} x {n}; it is {C.shape[0]} x {C.shape[1]}")
    if not C.flags.writeable:
        raise ValueError("C is to be changed, but the array is read-only")
    if 0 in (m, n, k):
        return
    ffi, library = _loaded(name)
    pointers = [ffi.cast(f"{variant.ctype} *", array.ctypes.data) for array in (A, B, C)]
    arguments = [value for pair in zip(pointers, distances, strict=True) for value in pair]
    with _sharing(library, threads):
        status = getattr(library, name)(m, n, k, *arguments)
    if status == -1:
        raise MemoryError(f"{name}: no memory for the copy of a part of B")
    if status == 8:
        raise ValueError("C shares memory with A or B; give it memory of its own")
    if status != 0:
        raise ValueError(f"{name} refuses its argument {status}, {ARGUMENTS[status - 1]}")


@contextmanager
def _sharing(library: Any, threads: int | None) -> Iterator[None]:
    """Give the parallel loops that this thread starts so many threads. The setting is OpenMP's, for this thread alone."""
    if threads in (None, 1) or not hasattr(library, "omp_set_num_threads"):
        yield
        return
    before = library.omp_get_max_threads()
    library.omp_set_num_threads(threads)
    try:
        yield
    finally:
        library.omp_set_num_threads(before)


def _row_distance(array: Any, letter: str, variant: Variant) -> int:
    """How many elements the rows of a matrix are apart."""
    import numpy as np

    if not isinstance(array, np.ndarray):
        raise TypeError(f"{letter} must be a NumPy array, not {type(array).__name__}")
    if array.dtype != variant.dtype:
        raise TypeError(f"{letter} must be of dtype {variant.dtype}, not {array.dtype}; convert it with astype")
    if array.ndim != 2:
        raise ValueError(f"{letter} must have two dimensions, not {array.ndim}")
    rows, columns = array.shape
    size = array.itemsize
    if array.ctypes.data % size:
        raise ValueError(f"{letter} does not start at a multiple of {size} bytes; copy it")
    if rows > 0 and columns > 1 and array.strides[1] != size:
        raise ValueError(f"the elements of a row of {letter} must be next to each other; copy it with numpy.ascontiguousarray")
    if rows <= 1 or columns == 0:
        return max(int(columns), 1)
    distance, odd = divmod(array.strides[0], size)
    if odd or distance < max(columns, 1):
        raise ValueError(f"the rows of {letter} overlap or go backwards (stride {array.strides[0]} bytes); copy it")
    return int(distance)


# ---- the library


@functools.cache
def gemm_library(name: str) -> Library:
    """The C of one of VARIANTS, with its CBLAS-shaped entry: NAME.c and NAME.h, and what a build needs to know.

    Only the entry has external linkage: libraries can be linked with each other and with any BLAS.

    Raises:
        ValueError: there is no such variant.
    """
    from usl_avx512.gemm import DOUBLE, SINGLE, gemm_schedule
    from usl_avx512.kernels_algorithms import gemm
    from usl_c11.emit import library
    from usl_core.scheduling import rename

    variant = _variant(name)
    scheduled = gemm_schedule(gemm, SINGLE if variant.ctype == "float" else DOUBLE, parallel=variant.parallel)
    kernel = rename(scheduled, f"{name.removeprefix('usl_')}_kernel")
    plain = library([kernel.ir], name, exported=False)
    window = f"usl_win_2{'f32' if variant.ctype == 'float' else 'f64'}"
    words = {"NAME": name, "TYPE": variant.ctype, "READ": f"{window}c", "WRITE": window, "KERNEL": f"{kernel.name()}_body"}
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
    try:
        import cffi
    except ImportError:
        raise JitError("kernels need the package cffi", notes=("pip install cffi numpy",)) from None
    variant, ffi = VARIANTS[name], cffi.FFI()
    data = f"const {variant.ctype} *A, int64_t lda, const {variant.ctype} *B, int64_t ldb, {variant.ctype} *C, int64_t ldc"
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
