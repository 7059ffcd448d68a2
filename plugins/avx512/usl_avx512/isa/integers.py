"""Lanes of integers of 8, 16, 32 and 64 bits. Arithmetic wraps modulo 2^N, so every template is exact.

What `kernels_int` has (sixteen lanes of u32, for the box blur) is not repeated. There is no product of 8-bit lanes in AVX-512.
Operations on bits are in `bits`.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from usl_avx512.isa.families import Table, family, lanewise
from usl_avx512.isa.lanes import EPI8, EPI16, EPI32, EPI64, EPU8, EPU16, EPU32, EPU64

NEW = (EPI64, EPU64, EPI32, EPI16, EPI8, EPU8)
"""Lanes of which `kernels_int` has nothing."""
ALL = (EPI64, EPU64, EPI32, EPU32, EPI16, EPU16, EPI8, EPU8)
WIDE = (EPI64, EPI32, EPU32)

LOAD_STORE = chain(
    family(
        """
        @instr("{dst} = _mm512_loadu_si512({src.ptr});")
        def mm512_loadu_$s(dst: [$t][$l] @ AVX512, src: [$t][$l] @ DRAM):
            for i in seq(0, $l):
                dst[i] = src[i]
        """,
        *NEW,
    ),
    family(
        """
        @instr("_mm512_storeu_si512({dst.ptr}, {src});")
        def mm512_storeu_$s(dst: [$t][$l] @ DRAM, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                dst[i] = src[i]
        """,
        *NEW,
    ),
    family(
        """
        @instr("{dst} = _mm512_mask_loadu_$b({dst}, $mask, {src.ptr});")
        def mm512_mask_loadu_$s(n: size, dst: [$t][$l] @ AVX512, src: [$t][n] @ DRAM):
            for i in seq(0, $l):
                if i < n:
                    dst[i] = src[i]
        """,
        *ALL,
    ),
    family(
        """
        @instr("{dst} = _mm512_maskz_loadu_$b($mask, {src.ptr});")
        def mm512_maskz_loadu_$s(n: size, dst: [$t][$l] @ AVX512, src: [$t][n] @ DRAM):
            for i in seq(0, $l):
                if i < n:
                    dst[i] = src[i]
                else:
                    dst[i] = 0
        """,
        *ALL,
    ),
    family(
        """
        @instr("_mm512_mask_storeu_$b({dst.ptr}, $mask, {src});")
        def mm512_mask_storeu_$s(n: size, dst: [$t][n] @ DRAM, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                if i < n:
                    dst[i] = src[i]
        """,
        *ALL,
    ),
    family(
        """
        @instr("_mm512_storeu_si512({dst.ptr}, _mm512_add_$b(_mm512_loadu_si512({dst.ptr}), {src}));")
        def mm512_accumulateu_$s(dst: [$t][$l] @ DRAM, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                dst[i] += src[i]
        """,
        *WIDE,
    ),
    family(
        """
        @instr("_mm512_mask_storeu_$b({dst.ptr}, $mask, _mm512_add_$b(_mm512_maskz_loadu_$b($mask, {dst.ptr}), {src}));")
        def mm512_mask_accumulateu_$s(n: size, dst: [$t][n] @ DRAM, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                if i < n:
                    dst[i] += src[i]
        """,
        *WIDE,
    ),
)

ONE_VALUE = chain(
    lanewise("setzero", "dst[i] = 0", "_mm512_setzero_si512()", *NEW, EPU16, forms=("",)),
    lanewise("setzero", "dst[i] = 0", "_mm512_setzero_si512()", EPI32, EPI64, forms=("mask_",)),
    lanewise("set1", "dst[i] = a", "_mm512_set1_epi8((char){a})", EPI8, EPU8, forms=("",)),
    lanewise("set1", "dst[i] = a", "_mm512_set1_epi16((short){a})", EPI16, EPU16, forms=("",)),
    lanewise("set1", "dst[i] = a", "_mm512_set1_epi32({a})", EPI32),
    lanewise("set1", "dst[i] = a", "_mm512_set1_epi64((long long){a})", EPI64, EPU64),
    lanewise("mov", "dst[i] = src[i]", "{src}", *NEW, EPU32, EPU16, forms=("",)),
    family(
        """
        @instr("{dst} = _mm512_add_epi32(_mm512_set1_epi32((int)(uint32_t){start}), "
               "_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));")
        def mm512_iota_epi32(start: index, dst: [i32][16] @ AVX512):
            for i in seq(0, 16):
                dst[i] = i32(start + i)
        """,
        EPI32,
    ),
    family(
        """
        @instr("{dst} = _mm512_add_epi64(_mm512_set1_epi64({start}), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));")
        def mm512_iota_epi64(start: index, dst: [i64][8] @ AVX512):
            for i in seq(0, 8):
                dst[i] = i64(start + i)
        """,
        EPI64,
    ),
)
"""`iota` counts upwards: the positions of elements, for a search that remembers where."""

ARITHMETIC = chain(
    lanewise("add", "dst[i] += src[i]", "_mm512_add_$b({dst}, {src})", EPI64, EPU64, EPI32, alias=False),
    lanewise("add", "dst[i] += src[i]", "_mm512_add_$b({dst}, {src})", EPI16, EPI8, EPU8, forms=("",), alias=False),
    lanewise("add3", "dst[i] = a[i] + b[i]", "_mm512_add_$b({a}, {b})", EPI64, EPU64, EPI32, EPU32),
    lanewise("add3", "dst[i] = a[i] + b[i]", "_mm512_add_$b({a}, {b})", EPI16, EPU16, EPI8, EPU8, forms=("",)),
    lanewise("sub", "dst[i] = a[i] - b[i]", "_mm512_sub_$b({a}, {b})", EPI64, EPU64, EPI32, EPU32),
    lanewise("sub", "dst[i] = a[i] - b[i]", "_mm512_sub_$b({a}, {b})", EPI16, EPU16, EPI8, EPU8, forms=("",)),
    lanewise("mul", "dst[i] = a[i] * b[i]", "_mm512_mullo_$b({a}, {b})", EPI32, EPU32),
    lanewise("mul", "dst[i] = a[i] * b[i]", "_mm512_mullo_$b({a}, {b})", EPI16, EPU16, forms=("",)),
    lanewise(
        "muladd",
        "dst[i] += a[i] * b[i]",
        "_mm512_add_$b({dst}, _mm512_mullo_$b({a}, {b}))",
        EPI32,
        EPI16,
        EPU16,
        forms=("",),
        alias=False,
    ),
    lanewise("min", "dst[i] = min(a[i], b[i])", "_mm512_min_$u({a}, {b})", EPI32, EPU32),
    lanewise("max", "dst[i] = max(a[i], b[i])", "_mm512_max_$u({a}, {b})", EPI32, EPU32),
    lanewise("min", "dst[i] = min(a[i], b[i])", "_mm512_min_$u({a}, {b})", EPI16, EPU16, EPI8, EPU8, forms=("",)),
    lanewise("max", "dst[i] = max(a[i], b[i])", "_mm512_max_$u({a}, {b})", EPI16, EPU16, EPI8, EPU8, forms=("",)),
    lanewise("min_into", "dst[i] @= min(src[i])", "_mm512_min_$u({dst}, {src})", EPI32, EPU32, alias=False),
    lanewise("max_into", "dst[i] @= max(src[i])", "_mm512_max_$u({dst}, {src})", EPI32, EPU32, alias=False),
    *(
        lanewise(
            f"{pick}_into",
            f"dst[i] @= {pick}(src[i])",
            f"_mm512_{pick}_$u({{dst}}, {{src}})",
            EPI16,
            EPU16,
            EPI8,
            EPU8,
            forms=("",),
            alias=False,
        )
        for pick in ("min", "max")
    ),
    lanewise("relu", "dst[i] = relu(src[i])", "_mm512_max_$u({src}, _mm512_setzero_si512())", EPI32),
    lanewise("abs", "dst[i] = abs(src[i])", "_mm512_abs_$b({src})", EPI32),
    lanewise("avg", "dst[i] = $t(($w(a[i]) + $w(b[i]) + 1) / 2)", "_mm512_avg_$u({a}, {b})", EPU8, EPU16, forms=("",)),
    lanewise("adds", "dst[i] = $t(min($w(a[i]) + $w(b[i]), $greatest))", "_mm512_adds_$u({a}, {b})", EPU8, EPU16, forms=("",)),
    *(
        lanewise(f"srli{k}", f"dst[i] = src[i] / {1 << k}", f"_mm512_srli_$b({{src}}, {k})", EPU16, EPU32, forms=("",))
        for k in (1, 2, 3, 4, 8)
    ),
    lanewise("div9", "dst[i] = src[i] / 9", "usl_avx512_div9_epu16({src})", EPU16, forms=("",)),
    lanewise("subs", "dst[i] = max(a[i], b[i]) - b[i]", "_mm512_subs_$u({a}, {b})", EPU8, EPU16, forms=("",)),
)
"""`adds` and `subs` saturate, as their bodies say; `srli` shifts right, which is a division by a power of two."""

REDUCTIONS = chain(
    *(
        family(
            f"""
            @instr("*{{dst.ptr}} = _mm_cvtsi128_si32(_mm_{op}_epi32("
                   "_mm_cvtsi32_si128(*{{dst.ptr}}), _mm_cvtsi32_si128(_mm512_reduce_{op}_epi32({{src}}))));")
            def mm512_reduce_{op}_epi32(dst: i32 @ DRAM, src: [i32][16] @ AVX512):
                for i in seq(0, 16):
                    dst @= {op}(src[i])
            """,
            EPI32,
        )
        for op in ("min", "max")
    ),
    family(
        """
        @instr("*{dst.ptr} = (int32_t)((uint32_t)*{dst.ptr} + (uint32_t)_mm512_reduce_add_epi32({src}));")
        def mm512_reduce_add_epi32(dst: i32 @ DRAM, src: [i32][16] @ AVX512):
            for i in seq(0, 16):
                dst += src[i]
        """,
        EPI32,
    ),
    family(
        """
        @instr("*{dst.ptr} += (uint32_t)_mm512_reduce_add_epi32({src});")
        def mm512_reduce_add_epu32(dst: u32 @ DRAM, src: [u32][16] @ AVX512):
            for i in seq(0, 16):
                dst += src[i]
        """,
        EPU32,
    ),
)

TABLE = Table(__name__, LOAD_STORE, ONE_VALUE, ARITHMETIC, REDUCTIONS)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
