"""The C libraries of BLAS level 3: matrix products, and what is made of them, with CBLAS-shaped entries.

A library has all routines of one precision, as all of them are large products for the most part. `level3.c` cuts triangular and
symmetric matrices into halves, quarters and so on, until what is left on the diagonal is small.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from usl_avx512.kernels.arguments import DOUBLE, SINGLE, Precision, foreign
from usl_avx512.kernels.blas_library import TYPES, filled

if TYPE_CHECKING:
    from usl_c11.emit import Library
    from usl_core import Procedure

TEMPLATE = Path(__file__).with_name("level3.c")

ROUTINES = ("gemm", "gemm_batch_strided", "symm", "syrk", "syr2k", "trmm", "trsm")
"""The routines, without the letter of the precision."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the libraries: its name, which is that of its first entry, the type of elements, and whether it uses threads."""

    name: str
    precision: Precision
    parallel: bool


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("usl_sgemm", SINGLE, False),
        Variant("usl_dgemm", DOUBLE, False),
        Variant("usl_sgemm_parallel", SINGLE, True),
        Variant("usl_dgemm_parallel", DOUBLE, True),
    )
}


def entry_name(routine: str, name: str) -> str:
    """The C name of a routine in the library of this name: usl_strsm, usl_dsyrk_parallel."""
    variant = require_known(name)
    return f"usl_{variant.precision.letter}{routine}{'_parallel' if variant.parallel else ''}"


def require_known(name: str) -> Variant:
    """A variant by its name.

    Raises:
        ValueError: there is none.
    """
    if name not in VARIANTS:
        raise ValueError(f"no matrix product is called {name!r}; there are {', '.join(VARIANTS)}")
    return VARIANTS[name]


def kernels(variant: Variant) -> list[Procedure]:
    """The scheduled procedures that the C calls."""
    from usl_avx512 import blas1, blas2, kernels_algorithms
    from usl_avx512.gemm import DOUBLE as DOUBLE_LANES
    from usl_avx512.gemm import SINGLE as SINGLE_LANES
    from usl_avx512.gemm import Blocking, gemm_schedule
    from usl_avx512.gemm.blocks import few_columns, streamed
    from usl_avx512.gemm.columns import into_columns
    from usl_avx512.gemm.dots import dots, dots_by_blocks, dots_of_columns
    from usl_avx512.gemm.narrow import narrow_row
    from usl_avx512.gemm.triangles import triangle
    from usl_avx512.gemm.turned import turn
    from usl_core.scheduling import rename

    letter = variant.precision.letter
    typ, lanes = TYPES[letter], SINGLE_LANES if variant.precision is SINGLE else DOUBLE_LANES
    # small blocks of rows, of which threads get nearly as many each, and few are left over for one thread alone
    blocking = Blocking(m=60, small=512) if variant.parallel else None
    found = []
    for transposes in ("nn", "tn", "nt", "tt"):
        plain = getattr(kernels_algorithms, "gemm" if transposes == "nn" else f"gemm_{transposes}")
        scheduled = gemm_schedule(plain, lanes, blocking, parallel=variant.parallel)
        found += [rename(scheduled, f"{letter}gemm_{transposes}"), streamed(plain, lanes)]
    for a in (False, True):
        found += few_columns(lanes, a)
    found += [into_columns(lanes, turned) for turned in (False, True)]
    found += [
        dots(lanes),
        dots_by_blocks(lanes),
        dots_of_columns(lanes),
        dots_of_columns(lanes, by_blocks=True),
        narrow_row(lanes),
        rename(turn(typ).fast, f"{letter}turn"),
        triangle("solve", lanes),
        triangle("triangle", lanes),
    ]
    return [*found, blas1.kernel("scal", typ), *(blas2.kernel(name, typ) for name in ("gemv_n", "gemv_t", "ger"))]


@functools.cache
def sections() -> dict[str, str]:
    """The parts of the template by their markers; the first, before any, is "common"."""
    head, *parts = re.split(r"^/\* @(\w+) \*/\n", TEMPLATE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {"common": head, **dict(zip(parts[::2], parts[1::2], strict=True))}
    triangular = found.pop("triangular").rstrip("\n")
    for name, solve in (("trmm", "false"), ("trsm", "true")):
        text = triangular.replace("@NAME@", name).replace("@SOLVE@", solve)
        found[name] = found[name].replace("@TRIANGULAR@", text)
    return found


def words(variant: Variant) -> dict[str, str]:
    """What stands in the template for the words in it."""
    letter = variant.precision.letter
    chosen = {"T": variant.precision.ctype, "P": letter, "S": "_parallel" if variant.parallel else ""}
    for rank in (1, 2):
        chosen |= {f"READ{rank}": f"usl_win_{rank}{TYPES[letter]}c", f"WRITE{rank}": f"usl_win_{rank}{TYPES[letter]}"}
    return chosen


@functools.cache
def gemm_library(name: str) -> Library:
    """The C of one of VARIANTS, with its CBLAS-shaped entries: NAME.c and NAME.h, and what a build needs to know.

    Only the entries have external linkage: libraries can be linked with each other and with any BLAS.

    Raises:
        ValueError: there is no such variant.
    """
    from usl_c11.emit import library

    variant = require_known(name)
    plain = library([kernel.ir for kernel in kernels(variant)], name, exported=False)
    chosen = words(variant)
    entries = [filled(sections()[routine], chosen) for routine in ROUTINES]
    source = plain.files[f"{name}.c"] + filled(sections()["common"], chosen) + "\n".join(entries)
    head, end, tail = plain.files[f"{name}.h"].rpartition("#ifdef __cplusplus\n}")
    prototypes = "\n".join(f"{entry.partition(chr(10) + '{')[0]};\n" for entry in entries)
    header = f"{head}{COMMENT}{prototypes}\n{end}{tail}"
    return replace(plain, files=plain.files | {f"{name}.c": source, f"{name}.h": header})


COMMENT = """\
/* Matrices are row-major; those that are written share no memory with the others. The result is 0, or the number (from 1) of
 * the
 * first argument that is bad: a size that is negative or above 2^31 - 1, NULL, a distance of rows that is smaller than a row
 * or too large to address, an option that is none of CBLAS's, or what is written where it shares memory with another argument;
 * then nothing has been written. Sizes of 0 are no error. -1: no memory for a copy of a part of a matrix; what is to be
 * written is then unspecified. May be called by several threads at a time. */

"""


def arguments(routine: str) -> list[str]:
    """The names of the arguments of an entry, from its C."""
    return [argument.split()[-1].lstrip("*") for argument in prototype(routine).partition("(")[2].rstrip(")").split(",")]


def prototype(routine: str) -> str:
    """The declaration of an entry in C, with the words of the template."""
    found = re.search(r"^int usl_[^(]*\([^)]*\)", sections()[routine], flags=re.MULTILINE)
    assert found is not None
    return found[0]


@functools.cache
def gemm_path(name: str) -> Path:
    """The compiled library of one of VARIANTS; scheduled and compiled only if the build cache has none of the same sources.

    Raises:
        ValueError: there is no such variant. JitError: the processor has no AVX-512, or there is no C compiler.
    """
    from usl_avx512.kernels.sources import built_once

    return built_once(name, lambda: gemm_library(name), require_known(name).parallel)


@functools.cache
def loaded(name: str) -> tuple[Any, Any]:
    """cffi, and the compiled library, with the functions of the OpenMP runtime that it is linked with."""
    variant, ffi = require_known(name), foreign()
    for routine in ROUTINES:
        ffi.cdef(f"{filled(prototype(routine), words(variant))};")
    ffi.cdef("int omp_get_max_threads(void); void omp_set_num_threads(int);")
    # never unloaded: the threads of an OpenMP runtime outlive a call
    return ffi, ffi.dlopen(str(gemm_path(name)), ffi.RTLD_NOW | getattr(ffi, "RTLD_NODELETE", 0))
