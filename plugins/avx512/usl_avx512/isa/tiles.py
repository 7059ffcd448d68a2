"""What the edges of a matrix product need: registers that are filled up with zeros, and products in half a register.

Filling up is the sum of zero and what is loaded, so that the sign of a zero is not specified.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any

from usl_avx512.isa.families import Table, family
from usl_avx512.isa.lanes import HALF_PD, HALF_PS, PD, PS

HALVES = (HALF_PS, HALF_PD)
PS_8 = replace(PS, extra={**PS.extra, "few": "8", "cast": "_mm512_castps512_ps256", "r": "_mm256"})
PS_4 = replace(PS, extra={**PS.extra, "few": "4", "cast": "_mm512_castps512_ps128", "r": "_mm"})
PD_4 = replace(PD, extra={**PD.extra, "few": "4", "cast": "_mm512_castpd512_pd256", "r": "_mm256"})
PD_2 = replace(PD, extra={**PD.extra, "few": "2", "cast": "_mm512_castpd512_pd128", "r": "_mm"})

FILLED = family(
    """
    @instr("{dst} = _${p}_maskz_loadu_$s($mask, {src.ptr});", special="unspecified")
    def ${p}_fill_loadu_$s(n: size, dst: [$t][$l] @ $m, src: [$t][n] @ DRAM):
        for i in seq(0, $l):
            dst[i] = 0.0
            if i < n:
                dst[i] += src[i]
    """,
    PS,
    PD,
    *HALVES,
)

SUMS = chain(
    family(
        """
        @instr("_mm512_storeu_$s({dst.ptr}, _mm512_fmadd_$s(_mm512_set1_$s({a}), {src}, _mm512_loadu_$s({dst.ptr})));",
               roundings=1, special="unspecified")
        def mm512_accumulateu_set1_$s(dst: [$t][$l] @ DRAM, a: $t @ DRAM, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                dst[i] += a * src[i]
        """,
        PS,
        PD,
    ),
    family(
        """
        @instr("_mm512_mask_storeu_$s({dst.ptr}, $mask, "
               "_mm512_fmadd_$s(_mm512_set1_$s({a}), {src}, _mm512_maskz_loadu_$s($mask, {dst.ptr})));",
               roundings=1, special="unspecified")
        def mm512_mask_accumulateu_set1_$s(n: size, dst: [$t][n] @ DRAM, a: $t @ DRAM, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                if i < n:
                    dst[i] += a * src[i]
        """,
        PS,
        PD,
    ),
    family(
        """
        @instr("${r}_storeu_$s({dst.ptr}, ${r}_fmadd_$s(${r}_set1_$s({a}), $cast({src}), ${r}_loadu_$s({dst.ptr})));",
               roundings=1, special="unspecified")
        def mm512_accumulateu${few}_set1_$s(dst: [$t][$few] @ DRAM, a: $t @ DRAM, src: [$t][$l] @ AVX512):
            for i in seq(0, $few):
                dst[i] += a * src[i]
        """,
        *(PS_8, PS_4, PD_4, PD_2),
        features=("fma",),
    ),
    family(
        """
        @instr("_mm_storel_pi((__m64 *){dst.ptr}, _mm_fmadd_ps(_mm_set1_ps({a}), _mm512_castps512_ps128({src}), "
               "_mm_loadl_pi(_mm_setzero_ps(), (const __m64 *){dst.ptr})));",
               roundings=1, special="unspecified")
        def mm512_accumulateu2_set1_ps(dst: [f32][2] @ DRAM, a: f32 @ DRAM, src: [f32][16] @ AVX512):
            for i in seq(0, 2):
                dst[i] += a * src[i]
        """,
        PS,
        features=("fma",),
    ),
)
"""Sums in a tile, times a factor, onto a matrix: all of a register, a part of it, or its first lanes without a mask. A load
that reads what a masked store has left out waits for it."""

FIRST_SUMS = chain(
    family(
        """
        @instr("_mm512_storeu_$s({dst.ptr}, _mm512_mul_$s(_mm512_set1_$s({a}), {src}));", roundings=1, special="unspecified")
        def mm512_setu_set1_$s(dst: [$t][$l] @ DRAM, a: $t @ DRAM, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                dst[i] = 0.0
                dst[i] += a * src[i]
        """,
        PS,
        PD,
    ),
    family(
        """
        @instr("_${p}_mask_storeu_$s({dst.ptr}, $mask, _${p}_mul_$s(_${p}_set1_$s({a}), {src}));",
               roundings=1, special="unspecified")
        def ${p}_mask_setu_set1_$s(n: size, dst: [$t][n] @ DRAM, a: $t @ DRAM, src: [$t][$l] @ $m):
            for i in seq(0, $l):
                if i < n:
                    dst[i] = 0.0
                    dst[i] += a * src[i]
        """,
        PS,
        PD,
        *HALVES,
    ),
)
"""The same for a matrix in which nothing is yet."""

PRODUCTS = chain(
    family(
        """
        @instr("{dst} = _mm256_add_$s({dst}, {src});")
        def mm256_add_$s(dst: [$t][$l] @ $m, src: [$t][$l] @ $m):
            for i in seq(0, $l):
                dst[i] += src[i]
        """,
        *HALVES,
    ),
    family(
        """
        @instr("{dst} = _mm256_setzero_$s();")
        def mm256_setzero_$s(dst: [$t][$l] @ $m):
            for i in seq(0, $l):
                dst[i] = 0.0
        """,
        *HALVES,
    ),
    family(
        """
        @instr("{dst} = _mm256_fmadd_$s(_mm256_set1_$s({a}), {b}, {dst});", roundings=1, special="unspecified")
        def mm256_fmadd_set1_$s(dst: [$t][$l] @ $m, a: $t @ DRAM, b: [$t][$l] @ $m):
            for i in seq(0, $l):
                dst[i] += a * b[i]
        """,
        *HALVES,
    ),
    family(
        """
        @instr("{dst} = _mm256_mask_mov_$s({dst}, $mask, _mm256_add_$s({dst}, _mm256_maskz_loadu_$s($mask, {src.ptr})));")
        def mm256_mask_add_loadu_$s(n: size, dst: [$t][$l] @ $m, src: [$t][n] @ DRAM):
            for i in seq(0, $l):
                if i < n:
                    dst[i] += src[i]
        """,
        *HALVES,
    ),
    family(
        """
        @instr("_mm256_mask_storeu_$s({dst.ptr}, $mask, {src});")
        def mm256_mask_storeu_$s(n: size, dst: [$t][n] @ DRAM, src: [$t][$l] @ $m):
            for i in seq(0, $l):
                if i < n:
                    dst[i] = src[i]
        """,
        *HALVES,
    ),
)

TABLE = Table(__name__, FILLED, SUMS, FIRST_SUMS, PRODUCTS)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
