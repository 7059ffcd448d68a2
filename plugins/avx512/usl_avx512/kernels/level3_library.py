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
TIMES = "times.c"
"""Products with a vector, for the levels 2 and 3."""
THREADS = ("threads.c", "level3_threads.c")
"""What follows its common part."""

TRANSPOSES = ("nn", "tn", "nt", "tt")
"""Which of A and B are transposed, as the algorithms of products are called."""

ALONE = ("gemm", "gemm_batch_strided", "symm", "syrk", "syr2k", "trmm", "trsm")
"""The routines, without the letter of the precision."""
ROUTINES = (*ALONE, *(f"{routine}_threads" for routine in ALONE))
"""The entries: each routine, and the same on several threads."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the libraries: its name, which is that of its first entry, and the type of elements."""

    name: str
    precision: Precision


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("usl_sgemm", SINGLE),
        Variant("usl_dgemm", DOUBLE),
    )
}


def entry_name(routine: str, name: str) -> str:
    """The C name of a routine in the library of this name: usl_strsm."""
    return f"usl_{require_known(name).precision.letter}{routine}"


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
    from usl_avx512.gemm import Blocking, gemm_ways
    from usl_avx512.gemm.blocks import InC, few_columns, from_memory
    from usl_avx512.gemm.columns import into_columns
    from usl_avx512.gemm.dots import dots, dots_by_blocks, dots_of_columns, dots_with_columns
    from usl_avx512.gemm.narrow import narrow_row
    from usl_avx512.gemm.outer import outer, outer_together
    from usl_avx512.gemm.triangles import NARROW, WIDE, rows, triangle
    from usl_avx512.gemm.turned import turn
    from usl_core.scheduling import rename

    letter = variant.precision.letter
    typ, lanes = TYPES[letter], SINGLE_LANES if variant.precision is SINGLE else DOUBLE_LANES
    found = []
    for transposes in TRANSPOSES:
        plain = getattr(kernels_algorithms, "gemm_after" if transposes == "nn" else f"gemm_after_{transposes}")
        ways = gemm_ways(plain, lanes, Blocking())
        for name in ("direct", "bands", "bands_far", "panels", "large"):
            found.append(rename(getattr(ways, name).fast, f"{letter}gemm_{transposes}_{name}"))
    for a in (False, True):
        for c in (InC.NOTHING, InC.SOMETHING):
            found += few_columns(lanes, a, c)
        found.append(from_memory(lanes, a))
    found += [into_columns(lanes, turned) for turned in (False, True)]
    found += [
        dots(lanes),
        dots_by_blocks(lanes),
        dots_of_columns(lanes),
        dots_of_columns(lanes, by_blocks=True),
        dots_with_columns(lanes),
        narrow_row(lanes),
        outer(lanes),
        outer_together(lanes),
        rename(turn(typ).fast, f"{letter}turn"),
        rename(turn(typ, adds=True).fast, f"{letter}turn_added"),
        *(triangle(name, lanes, registers) for name in ("solve", "triangle") for registers in (NARROW, WIDE)),
        *(rows(lanes, registers) for registers in (NARROW, WIDE)),
    ]
    vectors = [name for name in blas2.ROUTINES if not name.startswith(("symv", "ger"))]
    return [*found, blas1.kernel("scal", typ), blas2.few_sums(typ), *(blas2.kernel(name, typ) for name in vectors)]


@functools.cache
def sections() -> dict[str, str]:
    """The parts of the template by their markers; the first, before any, is "common"."""
    head, *parts = re.split(r"^/\* @(\w+) \*/\n", TEMPLATE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {"common": head, **dict(zip(parts[::2], parts[1::2], strict=True))}
    for ending in ("", "_threads"):
        triangular = found.pop(f"triangular{ending}").rstrip("\n")
        for name, solve in (("trmm", "false"), ("trsm", "true")):
            text = triangular.replace("@NAME@", name).replace("@SOLVE@", solve)
            found[f"{name}{ending}"] = found[f"{name}{ending}"].replace("@TRIANGULAR@", text)
    return found


def words(variant: Variant) -> dict[str, str]:
    """What stands in the template for the words in it."""
    letter = variant.precision.letter
    chosen = {"T": variant.precision.ctype, "P": letter}
    for rank in (1, 2):
        chosen |= {f"READ{rank}": f"usl_win_{rank}{TYPES[letter]}c", f"WRITE{rank}": f"usl_win_{rank}{TYPES[letter]}"}
    return chosen


def sizes(variant: Variant) -> dict[str, str]:
    """What stands in the template for the sizes from which products go one way or another."""
    from usl_avx512.gemm import DOUBLE as DOUBLE_LANES
    from usl_avx512.gemm import SINGLE as SINGLE_LANES
    from usl_avx512.gemm import Blocking, worth_bands, worth_packing

    blocking, lanes = Blocking(), SINGLE_LANES if variant.precision is SINGLE else DOUBLE_LANES
    conditions = {"WORTH_BANDS": worth_bands(blocking, lanes)}
    for each in TRANSPOSES:
        conditions[f"WORTH_{each.upper()}"] = worth_packing(blocking, lanes, *(letter == "t" for letter in each))
    found = {"MANY_ROWS": str(blocking.many_rows), "BLOCK_N": str(blocking.n)}
    return found | {word: text.replace(" and ", " && ").replace(" or ", " || ") for word, text in conditions.items()}


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
    chosen = words(variant) | sizes(variant)
    entries = [filled(sections()[routine], chosen) for routine in ROUTINES]
    parts = [TEMPLATE.with_name(file).read_text(encoding="utf-8") for file in (TIMES, *THREADS)]
    common = parts[0] + sections()["common"] + "".join(parts[1:])
    source = FIRST + plain.files[f"{name}.c"] + filled(common, chosen) + "\n".join(entries)
    head, end, tail = plain.files[f"{name}.h"].rpartition("#ifdef __cplusplus\n}")
    prototypes = "\n".join(f"{entry.partition(chr(10) + '{')[0]};\n" for entry in entries)
    header = f"{head}{COMMENT}{prototypes}\n{end}{tail}"
    return replace(plain, files=plain.files | {f"{name}.c": source, f"{name}.h": header})


FIRST = """\
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* processors that a thread may run on */
#endif
"""
"""What comes before any header."""

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

    return built_once(name, lambda: gemm_library(name))


@functools.cache
def loaded(name: str) -> tuple[Any, Any]:
    """cffi, and the compiled library."""
    variant, ffi = require_known(name), foreign()
    for routine in ROUTINES:
        ffi.cdef(f"{filled(prototype(routine), words(variant))};")
    # never unloaded: the threads of its teams outlive a call
    return ffi, ffi.dlopen(str(gemm_path(name)), ffi.RTLD_NOW | getattr(ffi, "RTLD_NODELETE", 0))
