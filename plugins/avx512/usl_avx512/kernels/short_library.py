"""The C of products of short types: entries with checks around the schedules; weights are packed, rows copied where need be.

    from usl_avx512.kernels.short_library import short_library

Each is a file and a header of its own, `short_path` its compiled library.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from usl_avx512.kernels.arguments import SINGLE as FLOAT
from usl_avx512.kernels.arguments import Precision, foreign
from usl_avx512.short_products import SUMS, TYPES

if TYPE_CHECKING:
    from usl_c11.emit import Library

HERE = Path(__file__).parent

ELEMENTS = {
    "u8": Precision("", "uint8_t", "uint8", math.inf),
    "i8": Precision("", "int8_t", "int8", math.inf),
    "i16": Precision("", "int16_t", "int16", math.inf),
    "i32": Precision("", "int32_t", "int32", math.inf),
    "bf16": Precision("", "uint16_t", "uint16", math.inf),
    "f32": FLOAT,
}
"""By their names in programs: how C and NumPy hold them. bf16 is its bits."""

RESULTS = {"u8s8": ("f32", "u8", "i8"), "s8s8": ("f32", "u8", "i8"), "bf16": ("f32", "bf16")}
"""What a layer's results may be."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A C function: what it does (`pack`, `gemm`, `linear`), for which of TYPES, and what its results are.

    widened: products of bf16 in f32, for processors that lack AVX512_BF16.
    """

    does: str
    kind: str
    result: str = ""
    widened: bool = False

    @property
    def signed(self) -> bool:
        """Whether A becomes unsigned: `A B = (A + 128) B - 128 (sums of B's columns)`."""
        return self.kind == "s8s8"

    @property
    def group(self) -> int:
        """How many neighbours along a sum the instruction takes at once."""
        return TYPES[self.kind][2]

    @property
    def sums(self) -> str:
        """The type of the sums."""
        return SUMS[self.kind]

    @property
    def kernel(self) -> str:
        """The scheduled procedure."""
        match self.does:
            case "pack":
                return f"pack_{self.kind}"
            case "linear":
                return f"linear_{self.kind}{self.result}"
            case _:
                return f"gemm_{self.kind}{'f32' if self.sums == 'f32' else 's32'}"


def gemm_entry(kind: str) -> str:
    """The name of a product."""
    return f"usl_gemm_{kind}{'f32' if kind == 'bf16' else 's32'}"


def _entries() -> dict[str, Entry]:
    found = {f"usl_pack_{kind}": Entry("pack", kind) for kind in TYPES}
    found |= {gemm_entry(kind): Entry("gemm", kind, SUMS[kind]) for kind in TYPES}
    found |= {f"usl_linear_{kind}{to}": Entry("linear", kind, to) for kind, results in RESULTS.items() for to in results}
    wide = {f"{name}_widened": replace(entry, widened=True) for name, entry in found.items() if entry.kind == "bf16"}
    return found | {name: entry for name, entry in wide.items() if entry.does != "pack"}


ENTRIES = _entries()


@functools.cache
def short_library(name: str) -> Library:
    """The C of one of ENTRIES: NAME.c and NAME.h, and what a build needs to know. Only the entry has external linkage.

    Raises:
        ValueError: there is no such entry.
    """
    from usl_c11.emit import library

    entry = _known(name)
    plain = library([_scheduled(entry).ir], name, exported=False)
    words = _words(name, entry)
    source = Template((HERE / ("short_pack.c" if entry.does == "pack" else "short.c")).read_text(encoding="utf-8"))
    head, end, tail = plain.files[f"{name}.h"].rpartition("#ifdef __cplusplus\n}")
    declared = f"/* {_about(entry)} */\n{_prototype(name, entry)};\n"
    files = {
        f"{name}.c": f"#include <stdlib.h>\n#include <string.h>\n{plain.files[f'{name}.c']}{source.substitute(words)}",
        f"{name}.h": f"{head}{declared}\n{end}{tail}",
    }
    return replace(plain, files=plain.files | files)


def _scheduled(entry: Entry) -> Any:
    from usl_avx512 import isa, short_products
    from usl_avx512.gemm import short

    groups = {"u8s8": short.BYTES, "s8s8": short.SIGNED_BYTES, "s16s16": short.SHORTS, "bf16": short.BFLOATS}
    group = short.BFLOATS_IN_SINGLE if entry.widened else groups[entry.kind]
    if entry.does == "pack":
        return short.packing_schedule(short_products.packing(entry.kind), group)
    if entry.does == "linear":
        lanes = isa.for_lanes(16, types=(entry.sums, "f32", entry.result))
        return short.with_sums_used(short_products.linear(entry.kind, entry.result), group, lanes)
    if entry.signed:
        return short.with_sums_used(short_products.signed_product(), group, isa.for_lanes(16, types=("i32",)))
    return short.short_gemm(short_products.product(entry.kind), group).fast


@dataclass(frozen=True, slots=True)
class Extra:
    """An argument between W and C: a vector with an element for each column, or a number."""

    name: str
    type: str
    vector: bool = True

    @property
    def parameter(self) -> str:
        """Its declaration in C."""
        ctype = ELEMENTS[self.type].ctype
        return f"const {ctype} *{self.name}" if self.vector else f"{ctype} {self.name}"


def _extras(entry: Entry) -> tuple[Extra, ...]:
    if entry.does == "linear":
        scale = (Extra("scale", "f32"),) if entry.sums == "i32" else ()
        return Extra("bias", entry.sums), *scale, Extra("low", "f32", False), Extra("high", "f32", False)
    return (Extra("sums", "i32"),) if entry.does == "gemm" and entry.signed else ()


def _words(name: str, entry: Entry) -> dict[str, str | int]:
    """The blanks of the templates."""
    a, b, group = TYPES[entry.kind]
    if entry.does == "pack":
        sums = entry.signed
        return {
            "entry": name,
            "kernel": entry.kernel,
            "b": b,
            "b_type": ELEMENTS[b].ctype,
            "group": group,
            "sums": ", int32_t *sums" if sums else "",
            "sums_missing": "if (N > 0 && sums == NULL)\n        return 6;\n    " if sums else "",
            "sum_up": SUM_UP if sums else "",
        }
    extras = _extras(entry)
    vectors = [(number, extra) for number, extra in enumerate(extras, 7) if extra.vector]
    arguments = [f"{extra.name}_columns" if extra.vector else f"&{extra.name}" for extra in extras]
    return {
        "entry": name,
        "entry_fits": f"{name}_fits",
        "entry_apart": f"{name}_apart",
        "kernel": entry.kernel,
        "a": a,
        "b": b,
        "c": entry.result,
        "a_type": ELEMENTS[a].ctype,
        "b_type": ELEMENTS[b].ctype,
        "c_type": ELEMENTS[entry.result].ctype,
        "group": group,
        "c_number": 7 + len(extras),
        "extra_parameters": "".join(f"{extra.parameter}, " for extra in extras),
        "extra_checks": "".join(
            f"if ({extra.name} == NULL && !empty)\n        return {number};\n    " for number, extra in vectors
        ),
        "extra_apart": "".join(
            f"if (!{name}_apart({extra.name}, (size_t)N * sizeof *{extra.name}, C, c_bytes))\n"
            f"        return {7 + len(extras)};\n    "
            for _, extra in vectors
        ),
        "extra_windows": "".join(
            f"const struct usl_win_1{extra.type}c {extra.name}_columns = {{{extra.name}, {{1}}}};\n    " for _, extra in vectors
        ),
        "least": 1 if entry.does == "linear" else 0,
        "arguments": "".join(f"{argument}, " for argument in arguments),
    }


SUM_UP = """\
for (int64_t j = 0; j < N; j++)
        sums[j] = 0;
    for (int64_t k = 0; k < K; k++)
        for (int64_t j = 0; j < N; j++)
            sums[j] = (int32_t)((uint32_t)sums[j] + (uint32_t)B[k * ldb + j]);
    """


def prototype(name: str) -> str:
    """The declaration of an entry."""
    return _prototype(name, _known(name))


def _prototype(name: str, entry: Entry) -> str:
    words = _words(name, entry)
    if entry.does == "pack":
        return Template("int $entry(int64_t K, int64_t N, const $b_type *B, int64_t ldb, $b_type *W$sums)").substitute(words)
    return Template(
        "int $entry(int64_t M, int64_t N, int64_t K, const $a_type *A, int64_t lda, const $b_type *W, "
        "$extra_parameters$c_type *C, int64_t ldc)"
    ).substitute(words)


def _about(entry: Entry) -> str:
    """What the header says of an entry."""
    group = entry.group
    bad = "The result is 0, or the number (from 1) of the first argument that is bad; then nothing has been written."
    if entry.does == "pack":
        room = f"(N + 63) / 64 * 64 * {group} * ((K + {group - 1}) / {group}) elements"
        sums = " sums becomes the sum of each column, modulo 2^32." if entry.signed else ""
        return f"B, K x N with rows ldb elements apart, packed for {entry.kind}: W has room for {room}.{sums} {bad}"
    does = "C += A B"
    if entry.does == "linear":
        does = (
            "C = A B + bias, between low and high" if entry.sums == "f32" else "C = (A B + bias) * scale, between low and high"
        )
        does += "" if entry.result == "f32" else ", to the nearest"
    taken = ""
    if entry.signed:
        taken = (
            " sums are those of usl_pack_s8s8."
            if entry.does == "gemm"
            else " 128 * sums, of usl_pack_s8s8, are taken off bias before."
        )
    bits = " bf16 is given as its bits." if entry.kind == "bf16" else ""
    flushed = ""
    if entry.kind == "bf16":
        flushed = " Subnormal numbers are kept." if entry.widened else " Subnormal numbers count as zeros."
    return (
        f"{does}, for row-major A (M x K) and C (M x N), whose rows are lda and ldc elements apart, and B packed by "
        f"usl_pack_{entry.kind}.{taken}{bits}{flushed} {bad} -1: no memory for rows of A; C is then unspecified. "
        "May be called by several threads at a time."
    )


def _known(name: str) -> Entry:
    if name not in ENTRIES:
        raise ValueError(f"no product of short types is called {name!r}; there are {', '.join(ENTRIES)}")
    return ENTRIES[name]


@functools.cache
def short_path(name: str) -> Path:
    """The compiled library of one of ENTRIES; scheduled and compiled only if the build cache has none of the same sources.

    Raises:
        ValueError: there is no such entry. JitError: the processor lacks what it needs, or there is no C compiler.
    """
    from usl_avx512.kernels.sources import built_once

    _known(name)
    return built_once(name, lambda: short_library(name))


@functools.cache
def short_entry(name: str) -> Any:
    """The C function."""
    ffi = foreign()
    ffi.cdef(prototype(name) + ";")
    library = ffi.dlopen(str(short_path(name)))
    _KEPT.append((ffi, library))
    return getattr(library, name)


_KEPT: list[Any] = []
"""Libraries stay loaded as long as their instances of cffi live."""
