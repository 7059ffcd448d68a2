"""What the edges of a matrix product need: registers that are filled up with zeros, and products in half a register.

Filling up is the sum of zero and what is loaded, so that the sign of a zero is not specified.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from usl_avx512.isa.families import Table, family
from usl_avx512.isa.lanes import HALF_PD, HALF_PS, PD, PS

HALVES = (HALF_PS, HALF_PD)

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
)
"""Sums in a tile, times a factor, onto a matrix."""

PRODUCTS = chain(
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

TABLE = Table(__name__, FILLED, SUMS, PRODUCTS)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
