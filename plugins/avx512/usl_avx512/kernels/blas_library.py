"""The C libraries of BLAS level 1 and 2: kernels with CBLAS-shaped entries."""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from usl_avx512.kernels.arguments import foreign
from usl_core import Procedure

if TYPE_CHECKING:
    from usl_c11.emit import Library

TEMPLATE = Path(__file__).with_name("blas.c")
TYPES = {"s": "f32", "d": "f64"}
"""The letter of a precision in BLAS's names, and the type of elements."""
CTYPES = {"s": "float", "d": "double"}

KERNELS: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("axpy", "scal", "dot", "asum", "nrm2", "copy", "swap", "rot", "ger")},
    "iamax": ("iamax", "amax", "first"),
    "gemv": ("scal", "gemv_n", "gemv_t", "gemv_t_few", "narrow_row"),
    "symv": ("scal", "symv_lower", "symv_upper"),
    "trmv": ("trmv_n_lower", "trmv_n_upper", "trmv_t_lower", "trmv_t_upper"),
    "trsv": ("trsv_n_lower", "trsv_n_upper", "trsv_t_lower", "trsv_t_upper"),
}
"""The routines, each with the kernels that its entry calls."""
WHOLE = "blas"
"""What all of them together are called: the libraries usl_sblas and usl_dblas."""


def blas_kernel(name: str, letter: str) -> Procedure:
    """A scheduled procedure by its name in KERNELS."""
    from usl_avx512 import blas1, blas1_norms, blas2
    from usl_avx512.gemm import DOUBLE, SINGLE
    from usl_avx512.gemm.narrow import narrow_row

    typ = TYPES[letter]
    match name:
        case "narrow_row":
            return narrow_row(SINGLE if letter == "s" else DOUBLE)
        case "gemv_t_few":
            return blas2.few_sums(typ)
        case "nrm2":
            return blas1_norms.nrm2(typ)
        case "iamax" | "amax" | "first":
            found: Procedure = getattr(blas1_norms, name)(typ)
            return found
        case _:
            return blas1.kernel(name, typ) if name in blas1.ROUTINES else blas2.kernel(name, typ)


def entry_name(routine: str, letter: str) -> str:
    """The C name of an entry: usl_saxpy, usl_idamax."""
    return f"usl_i{letter}amax" if routine == "iamax" else f"usl_{letter}{routine}"


@functools.cache
def sections() -> dict[str, str]:
    """The parts of the template by their markers; the first, before any, is "common". `trmv` and `trsv` have one text."""
    head, *parts = re.split(r"^/\* @(\w+) \*/\n", TEMPLATE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {"common": head, **dict(zip(parts[::2], parts[1::2], strict=True))}
    triangular = found.pop("triangular").rstrip("\n")
    return found | {name: found[name].replace("@TRIANGULAR@", triangular.replace("@NAME@", name)) for name in ("trmv", "trsv")}


@functools.cache
def blas_library(routine: str, letter: str) -> Library:
    """The C of a routine of KERNELS in single ("s") or double ("d") precision, called as `entry_name` says; of all for WHOLE.

    Only the entries have external linkage: libraries can be linked with each other and with any BLAS.

    Raises:
        ValueError: there is no such routine or precision.
    """
    from usl_c11.emit import library

    _require_known(routine, letter)
    name, typ = entry_name(routine, letter), TYPES[letter]
    routines = tuple(KERNELS) if routine == WHOLE else (routine,)
    kernels = [blas_kernel(each, letter) for each in dict.fromkeys(each for routine in routines for each in KERNELS[routine])]
    plain = library([kernel.ir for kernel in kernels], name, exported=False)
    words = {"T": CTYPES[letter], "P": letter}
    words |= {f"READ{rank}": f"struct usl_win_{rank}{typ}c" for rank in (1, 2)}
    words |= {f"WRITE{rank}": f"struct usl_win_{rank}{typ}" for rank in (1, 2)}
    entries = [filled(sections()[each], words) for each in routines]
    common, source = filled(sections()["common"], words), "\n".join(entries)
    if "usl_times(" in source:
        bare = {word: text.removeprefix("struct ") for word, text in words.items()}
        source = filled(TEMPLATE.with_name("times.c").read_text(encoding="utf-8"), bare) + source
    if "usl_scale(" in source:
        source = filled(sections()["scale"], words) + source
    source = plain.files[f"{name}.c"] + _mentioned(common, source) + source
    head, end, tail = plain.files[f"{name}.h"].rpartition("#ifdef __cplusplus\n}")
    prototypes = "\n".join(f"{described(entry)};\n" for entry in entries)
    header = f"{head}{entry_comment()}{prototypes}\n{end}{tail}"
    return replace(plain, files=plain.files | {f"{name}.c": source, f"{name}.h": header})


def prototype(routine: str) -> str:
    """The declaration of an entry in C, with the words of the template."""
    found = re.search(r"^int usl_[^{]*\)(?=\n\{)", sections()[routine], flags=re.MULTILINE)
    assert found is not None
    return found[0]


def entry_comment() -> str:
    """What holds for every entry."""
    return """\
/* The result is 0, or the number (from 1) of the first argument that is bad: a size that is negative or above 2^31 - 1, NULL,
 * an increment of 0 or too large to address, a distance of rows that is smaller than a row, an option that is none of CBLAS's,
 * or what is written where it shares memory with another argument; then nothing has been written. A size of 0 is no error:
 * nothing is done. -1: no memory for a dense copy of a vector; what is to be written is then unspecified. With a negative
 * increment elements go backwards from the end, as BLAS has it. May be called by several threads at a time. */

"""


def described(section: str) -> str:
    """The prototype of the entry in a section, with the comment before it."""
    found = re.search(r"^/\*(?:(?!\*/).)*\*/\nint usl_[^{]*\)(?=\n\{)", section, flags=re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[0]


def _mentioned(common: str, text: str) -> str:
    """The common C, of which paragraphs are functions, without the functions that a text does not need."""
    kept: list[str] = []
    for paragraph in reversed(common.split("\n\n")):
        function = re.search(r"^static inline [^(]*?(\w+)\(", paragraph, flags=re.MULTILINE)
        if function is None or f"{function[1]}(" in text + "".join(kept):
            kept.insert(0, paragraph)
    return "\n\n".join(kept)


def filled(text: str, words: dict[str, str]) -> str:
    """A text with `@WORD@` replaced."""
    return re.sub(r"@(\w+)@", lambda match: words[match[1]], text)


def _require_known(routine: str, letter: str) -> None:
    if letter not in TYPES:
        raise ValueError(f'the precision must be "s" or "d", not {letter!r}')
    if routine not in (*KERNELS, WHOLE):
        known = ", ".join(KERNELS)
        raise ValueError(
            f'no routine is called {routine!r}, without the precision; there are {known}, and "{WHOLE}" for all of them'
        )


@functools.cache
def blas_path(routine: str, letter: str) -> Path:
    """The compiled library of a routine; scheduled and compiled only if the build cache has none of the same sources.

    Raises:
        ValueError: there is no such routine or precision. JitError: the processor has no AVX-512, or there is no C compiler.
    """
    from usl_avx512.kernels.sources import built_once

    _require_known(routine, letter)
    return built_once(entry_name(routine, letter), lambda: blas_library(routine, letter))


@functools.cache
def blas_function(routine: str, letter: str) -> tuple[Any, Any]:
    """cffi, which keeps the library loaded, and the compiled entry.

    Raises:
        JitError: as `blas_path`, or cffi is not installed.
    """
    ffi = foreign()
    ffi.cdef(f"{filled(prototype(routine), {'T': CTYPES[letter], 'P': letter})};")
    handle = ffi.dlopen(str(blas_path(routine, letter)), ffi.RTLD_NOW)
    return ffi, getattr(handle, entry_name(routine, letter))
