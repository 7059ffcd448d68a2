"""Vector registers as memories: buffers whose last dimension is the lanes of one register.

A buffer `f32[6, 4, 16] @ AVX512` becomes `__m512 name[6][4]`, an array of registers, and a window `name[i, j, 0:16]` the
register `name[i][j]`. A C compiler keeps such an array in registers once the loops over it, whose trip counts are literal, are
unrolled. Plain C cannot touch the lanes; only instructions do. Reference: Reinking 2022, §3.2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from usl_core.errors import BackendError, Span
from usl_core.ir.memory import Memory

ZERO = {
    "__m512": "_mm512_setzero_ps",
    "__m512d": "_mm512_setzero_pd",
    "__m512i": "_mm512_setzero_si512",
    "__m256": "_mm256_setzero_ps",
    "__m256d": "_mm256_setzero_pd",
    "__m256i": "_mm256_setzero_si256",
    "__m128": "_mm_setzero_ps",
    "__m128d": "_mm_setzero_pd",
    "__m128i": "_mm_setzero_si128",
}
"""What clears a register of each vector type."""


class _VectorRegister(Memory):
    """Registers of one width. `registers` maps the C name of an element type to the vector type and its number of lanes."""

    addressable: ClassVar[bool] = False
    registers: ClassVar[dict[str, tuple[str, int]]] = {}
    parts: ClassVar[tuple[type[Memory], ...]] = ()
    """Memories of parts of these registers: where `vectorize` keeps values so narrow that their lanes fill no whole one."""

    @classmethod
    def header(cls) -> str:
        return "#include <immintrin.h>"

    @classmethod
    def alloc(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        vector, lanes = cls._register(name, ctype, span)
        if not shape or shape[-1] != str(lanes):
            found = f"[{', '.join(shape)}]" if shape else "a scalar"
            raise BackendError(
                f"{name}: the last dimension of a buffer in {cls.name} must be {lanes}, the lanes of {vector}; found {found}",
                span=span,
                notes=(f"hint: divide that dimension by {lanes} (divide_dim), or expand the scalar (expand_dim)",),
            )
        extents = cls._literal_extents(name, shape[:-1], span)
        if extents:
            return f"{vector} {name}{extents};"
        return f"{vector} {name} = {ZERO[vector]}();"  # a masked instruction keeps, and so reads, lanes that were never written

    @classmethod
    def _literal_extents(cls, name: str, extents: Sequence[str], span: Span) -> str:
        """C of the dimensions of an array of registers."""
        for extent in extents:
            if not extent.isdecimal():
                raise BackendError(
                    f"{name}: a buffer in {cls.name} needs literal extents, found {extent}",
                    span=span,
                    notes=("registers have no addresses, so their number must be known when the C is written",),
                )
        return "".join(f"[{extent}]" for extent in extents)

    @classmethod
    def window(cls, base: str, ctype: str, indices: Sequence[str], strides: Sequence[str], span: Span) -> str:
        cls._register(base, ctype, span)
        if indices[-1] != "0" or strides[-1] != "1":
            raise BackendError(
                f"a window of {base} in {cls.name} must span whole registers (0:lanes in the last dimension), "
                f"found one that starts at lane {indices[-1]}",
                span=span,
                notes=_without_instruction(indices[-1]),
            )
        return base + "".join(f"[{index}]" for index in indices[:-1])

    @classmethod
    def _register(cls, name: str, ctype: str, span: Span) -> tuple[str, int]:
        if ctype not in cls.registers:
            known = ", ".join(cls.registers)
            raise BackendError(f"{name}: {cls.name} holds no elements of C type {ctype}, only {known}", span=span)
        return cls.registers[ctype]


def _without_instruction(lane: str) -> tuple[str, ...]:
    """What to do about the access to a single lane, in a loop over lanes that no instruction has replaced."""
    if not lane.isidentifier():
        return ()
    return (
        f"the loop {lane} over the lanes was left without an instruction; one replaces a loop around a single statement",
        "hint: usl_stdlib.near_misses(p, instructions) shows which instruction comes closest, what differs and what helps",
    )


_HALVES = {
    "float": ("__m256", 8),
    "double": ("__m256d", 4),
    "int32_t": ("__m256i", 8),
    "uint32_t": ("__m256i", 8),
    "int16_t": ("__m256i", 16),
    "uint16_t": ("__m256i", 16),
    "int8_t": ("__m256i", 32),
    "uint8_t": ("__m256i", 32),
}


class AVX512_YMM(_VectorRegister):
    """The lower halves ymm0 to ymm31, whose lanes widen to as many lanes of an AVX512 register: u16 to u32, f32 to f64."""

    name = "AVX512_YMM"
    features = ("avx",)
    registers: ClassVar[dict[str, tuple[str, int]]] = _HALVES


class AVX512_XMM(_VectorRegister):
    """The lowest quarters xmm0 to xmm31: sixteen lanes of 8 bits, beside as many of 32 bits in an AVX512 register."""

    name = "AVX512_XMM"
    features = ("avx",)
    registers: ClassVar[dict[str, tuple[str, int]]] = {
        ctype: (vector.replace("256", "128"), lanes // 2) for ctype, (vector, lanes) in _HALVES.items()
    }


class AVX512_MASK(_VectorRegister):
    """The mask registers k0 to k7: truth values, a bit for each of 8, 16, 32 or 64 lanes."""

    name = "AVX512_MASK"
    features = ("avx512f",)
    registers: ClassVar[dict[str, tuple[str, int]]] = {"uint8_t": ("__mmask16", 16)}
    widths: ClassVar[tuple[str, ...]] = ("8", "16", "32", "64")

    @classmethod
    def alloc(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        """Its declaration: the last dimension is the lanes of one mask."""
        cls._register(name, ctype, span)
        if not shape or shape[-1] not in cls.widths:
            found = f"[{', '.join(shape)}]" if shape else "a scalar"
            raise BackendError(
                f"{name}: the last dimension of a buffer in {cls.name} must be 8, 16, 32 or 64 lanes; found {found}",
                span=span,
                notes=("hint: divide that dimension (divide_dim), or expand the scalar (expand_dim)",),
            )
        extents = cls._literal_extents(name, shape[:-1], span)
        return f"__mmask{shape[-1]} {name}{extents}{'' if extents else ' = 0'};"


class AVX512(_VectorRegister):
    """The 512-bit registers zmm0 to zmm31."""

    name = "AVX512"
    features = ("avx512f",)
    parts = (AVX512_YMM, AVX512_XMM, AVX512_MASK)
    registers: ClassVar[dict[str, tuple[str, int]]] = {
        "float": ("__m512", 16),
        "double": ("__m512d", 8),
        "int64_t": ("__m512i", 8),
        "uint64_t": ("__m512i", 8),
        "int32_t": ("__m512i", 16),
        "uint32_t": ("__m512i", 16),
        "int16_t": ("__m512i", 32),
        "uint16_t": ("__m512i", 32),
        "int8_t": ("__m512i", 64),
        "uint8_t": ("__m512i", 64),
    }


class AVX2(_VectorRegister):
    """The 256-bit registers ymm0 to ymm15 of processors without AVX-512."""

    name = "AVX2"
    features = ("avx",)
    registers: ClassVar[dict[str, tuple[str, int]]] = _HALVES
