"""What most kernels of f32 and f64 are made of: loads, stores, broadcasts, sums and multiply-adds, and their masked forms.

Each body says what the instruction computes and is what `replace` matches against. A masked form works on the lanes below n and
leaves the others as they are (the `mask_` intrinsics), or clears them (`maskz_`). Multiply-add rounds once where its body,
read step by step, rounds twice; hence `roundings=1`. The templates follow Intel's Intrinsics Guide.
"""

from __future__ import annotations

from usl_avx512.isa.families import Table, family
from usl_avx512.isa.lanes import PD, PS

ROWS = (PS, PD)


MOVES = (
    """
    @instr("{dst} = _mm512_setzero_$s();")
    def mm512_setzero_$s(dst: [$t][$l] @ AVX512):
        for i in seq(0, $l):
            dst[i] = 0.0
    """,
    """
    @instr("{dst} = _mm512_loadu_$s({src.ptr});")
    def mm512_loadu_$s(dst: [$t][$l] @ AVX512, src: [$t][$l] @ DRAM):
        for i in seq(0, $l):
            dst[i] = src[i]
    """,
    """
    @instr("_mm512_storeu_$s({dst.ptr}, {src});")
    def mm512_storeu_$s(dst: [$t][$l] @ DRAM, src: [$t][$l] @ AVX512):
        for i in seq(0, $l):
            dst[i] = src[i]
    """,
    """
    @instr("{dst} = _mm512_set1_$s({a});")
    def mm512_set1_$s(dst: [$t][$l] @ AVX512, a: $t @ DRAM):
        for i in seq(0, $l):
            dst[i] = a
    """,
    """
    @instr("{dst} = {src};")
    def mm512_mov_$s(dst: [$t][$l] @ AVX512, src: [$t][$l] @ AVX512):
        for i in seq(0, $l):
            dst[i] = src[i]
    """,
    """
    @instr("_mm512_storeu_$s({dst.ptr}, _mm512_loadu_$s({src.ptr}));")
    def mm512_copyu_$s(dst: [$t][$l] @ DRAM, src: [$t][$l] @ DRAM):
        for i in seq(0, $l):
            dst[i] = src[i]
    """,
)
ARITHMETIC = (
    """
    @instr("{dst} = _mm512_add_$s({dst}, {src});")
    def mm512_add_$s(dst: [$t][$l] @ AVX512, src: [$t][$l] @ AVX512):
        for i in seq(0, $l):
            dst[i] += src[i]
    """,
    """
    @instr("{dst} = _mm512_mul_$s({a}, {b});", aliasable=("dst", "a", "b"))
    def mm512_mul_$s(dst: [$t][$l] @ AVX512, a: [$t][$l] @ AVX512, b: [$t][$l] @ AVX512):
        for i in seq(0, $l):
            dst[i] = a[i] * b[i]
    """,
    """
    @instr("{dst} = _mm512_fmadd_$s({a}, {b}, {dst});", roundings=1, special="unspecified")
    def mm512_fmadd_$s(dst: [$t][$l] @ AVX512, a: [$t][$l] @ AVX512, b: [$t][$l] @ AVX512):
        for i in seq(0, $l):
            dst[i] += a[i] * b[i]
    """,
    """
    @instr("{dst} = _mm512_fmadd_$s(_mm512_set1_$s({a}), {b}, {dst});", roundings=1, special="unspecified")
    def mm512_fmadd_set1_$s(dst: [$t][$l] @ AVX512, a: $t @ DRAM, b: [$t][$l] @ AVX512):
        for i in seq(0, $l):
            dst[i] += a * b[i]
    """,
    """
    @instr("_mm512_storeu_$s({dst.ptr}, _mm512_add_$s(_mm512_loadu_$s({dst.ptr}), {src}));")
    def mm512_accumulateu_$s(dst: [$t][$l] @ DRAM, src: [$t][$l] @ AVX512):
        for i in seq(0, $l):
            dst[i] += src[i]
    """,
)
MASKED = (
    """
    @instr("{dst} = _mm512_maskz_mov_$s((__mmask$l)~$mask, {dst});")
    def mm512_mask_setzero_$s(n: size, dst: [$t][$l] @ AVX512):
        for i in seq(0, $l):
            if i < n:
                dst[i] = 0.0
    """,
    """
    @instr("{dst} = _mm512_mask_loadu_$s({dst}, $mask, {src.ptr});")
    def mm512_mask_loadu_$s(n: size, dst: [$t][$l] @ AVX512, src: [$t][n] @ DRAM):
        for i in seq(0, $l):
            if i < n:
                dst[i] = src[i]
    """,
    """
    @instr("{dst} = _mm512_maskz_loadu_$s($mask, {src.ptr});")
    def mm512_maskz_loadu_$s(n: size, dst: [$t][$l] @ AVX512, src: [$t][n] @ DRAM):
        for i in seq(0, $l):
            if i < n:
                dst[i] = src[i]
            else:
                dst[i] = 0.0
    """,
    """
    @instr("_mm512_mask_storeu_$s({dst.ptr}, $mask, {src});")
    def mm512_mask_storeu_$s(n: size, dst: [$t][n] @ DRAM, src: [$t][$l] @ AVX512):
        for i in seq(0, $l):
            if i < n:
                dst[i] = src[i]
    """,
    """
    @instr("{dst} = _mm512_mask_broadcast${d}_$s({dst}, $mask, _mm_set_$d({a}));")
    def mm512_mask_set1_$s(n: size, dst: [$t][$l] @ AVX512, a: $t @ DRAM):
        for i in seq(0, $l):
            if i < n:
                dst[i] = a
    """,
    """
    @instr("{dst} = _mm512_mask3_fmadd_$s({a}, {b}, {dst}, $mask);", roundings=1, special="unspecified")
    def mm512_mask_fmadd_$s(n: size, dst: [$t][$l] @ AVX512, a: [$t][$l] @ AVX512, b: [$t][$l] @ AVX512):
        for i in seq(0, $l):
            if i < n:
                dst[i] += a[i] * b[i]
    """,
    """
    @instr("{dst} = _mm512_mask3_fmadd_$s(_mm512_set1_$s({a}), {b}, {dst}, $mask);", roundings=1, special="unspecified")
    def mm512_mask_fmadd_set1_$s(n: size, dst: [$t][$l] @ AVX512, a: $t @ DRAM, b: [$t][$l] @ AVX512):
        for i in seq(0, $l):
            if i < n:
                dst[i] += a * b[i]
    """,
    """
    @instr(
        "{dst} = _mm512_mask3_fmadd_$s(_mm512_set1_$s({a}), _mm512_maskz_loadu_$s($mask, {b.ptr}), {dst}, $mask);",
        roundings=1,
        special="unspecified",
    )
    def mm512_mask_fmadd_set1_loadu_$s(n: size, dst: [$t][$l] @ AVX512, a: $t @ DRAM, b: [$t][n] @ DRAM):
        for i in seq(0, $l):
            if i < n:
                dst[i] += a * b[i]
    """,
    """
    @instr("_mm512_mask_storeu_$s({dst.ptr}, $mask, _mm512_add_$s(_mm512_maskz_loadu_$s($mask, {dst.ptr}), {src}));")
    def mm512_mask_accumulateu_$s(n: size, dst: [$t][n] @ DRAM, src: [$t][$l] @ AVX512):
        for i in seq(0, $l):
            if i < n:
                dst[i] += src[i]
    """,
    """
    @instr("{dst} = _mm512_mask_add_$s({dst}, $mask, {dst}, _mm512_maskz_loadu_$s($mask, {src.ptr}));")
    def mm512_mask_add_loadu_$s(n: size, dst: [$t][$l] @ AVX512, src: [$t][n] @ DRAM):
        for i in seq(0, $l):
            if i < n:
                dst[i] += src[i]
    """,
)

TABLE = Table(__name__, *(family(text, *ROWS) for text in (*MOVES, *ARITHMETIC, *MASKED)))
