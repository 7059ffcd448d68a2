"""256-bit instructions for processors without AVX-512: f32, and the integers that image kernels work on.

Sixteen lanes of u16, 32 of u8, eight of f32 and of 32-bit integers. AVX2 masks 32-bit lanes only; on narrower ones the elements
that do not fill a register are left to plain C. Names begin with `avx2` and end as those of the
512-bit forms. Reference: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from usl_avx512.isa.families import Table, family, lanewise, plain
from usl_avx512.isa.lanes import YMM_EPI32, YMM_EPU8, YMM_EPU16, YMM_EPU32, YMM_PS

AVX2 = ("avx", "avx2")
FMA = ("fma",)
FUSED = 'roundings=1, special="unspecified"'

WORDS = (YMM_EPI32, YMM_EPU32)
SHORTS = (YMM_EPU16,)
BYTES = (YMM_EPU8,)
INTEGERS = (*WORDS, *SHORTS, *BYTES)
UNSIGNED = (*SHORTS, *BYTES)

ALL = ("",)

FLOAT_MOVES = chain(
    family(
        """
        @instr("{dst} = _mm256_loadu_ps({src.ptr});")
        def avx2_loadu_ps(dst: [f32][8] @ AVX2, src: [f32][8] @ DRAM):
            for i in seq(0, 8):
                dst[i] = src[i]
        """,
        YMM_PS,
    ),
    family(
        """
        @instr("_mm256_storeu_ps({dst.ptr}, {src});")
        def avx2_storeu_ps(dst: [f32][8] @ DRAM, src: [f32][8] @ AVX2):
            for i in seq(0, 8):
                dst[i] = src[i]
        """,
        YMM_PS,
    ),
    family(
        """
        @instr("_mm256_storeu_ps({dst.ptr}, _mm256_add_ps(_mm256_loadu_ps({dst.ptr}), {src}));")
        def avx2_accumulateu_ps(dst: [f32][8] @ DRAM, src: [f32][8] @ AVX2):
            for i in seq(0, 8):
                dst[i] += src[i]
        """,
        YMM_PS,
    ),
    plain(
        """
        @instr("{dst} = _mm256_blendv_ps({dst}, _mm256_maskload_ps({src.ptr}, USL_AVX2_LANES({n})), "
               "_mm256_castsi256_ps(USL_AVX2_LANES({n})));")
        def avx2_mask_loadu_ps(n: size, dst: [f32][8] @ AVX2, src: [f32][n] @ DRAM):
            for i in seq(0, 8):
                if i < n:
                    dst[i] = src[i]
        """,
        *AVX2,
    ),
    plain(
        """
        @instr("{dst} = _mm256_maskload_ps({src.ptr}, USL_AVX2_LANES({n}));")
        def avx2_maskz_loadu_ps(n: size, dst: [f32][8] @ AVX2, src: [f32][n] @ DRAM):
            for i in seq(0, 8):
                if i < n:
                    dst[i] = src[i]
                else:
                    dst[i] = 0.0
        """,
        *AVX2,
    ),
    plain(
        """
        @instr("_mm256_maskstore_ps({dst.ptr}, USL_AVX2_LANES({n}), {src});")
        def avx2_mask_storeu_ps(n: size, dst: [f32][n] @ DRAM, src: [f32][8] @ AVX2):
            for i in seq(0, 8):
                if i < n:
                    dst[i] = src[i]
        """,
        *AVX2,
    ),
    plain(
        """
        @instr("_mm256_maskstore_ps({dst.ptr}, USL_AVX2_LANES({n}), "
               "_mm256_add_ps(_mm256_maskload_ps({dst.ptr}, USL_AVX2_LANES({n})), {src}));")
        def avx2_mask_accumulateu_ps(n: size, dst: [f32][n] @ DRAM, src: [f32][8] @ AVX2):
            for i in seq(0, 8):
                if i < n:
                    dst[i] += src[i]
        """,
        *AVX2,
    ),
)

ABSOLUTE = "_mm256_andnot_ps(_mm256_set1_ps(-0.0f), {src})"

FLOATS = chain(
    *(
        lanewise(name, statement, value, YMM_PS, features=AVX2, alias=alias)
        for name, statement, value, alias in (
            ("setzero", "dst[i] = 0.0", "_mm256_setzero_ps()", True),
            ("set1", "dst[i] = a", "_mm256_set1_ps({a})", True),
            ("mov", "dst[i] = src[i]", "{src}", True),
            ("add", "dst[i] += src[i]", "_mm256_add_ps({dst}, {src})", False),
            ("add3", "dst[i] = a[i] + b[i]", "_mm256_add_ps({a}, {b})", True),
            ("sub", "dst[i] = a[i] - b[i]", "_mm256_sub_ps({a}, {b})", True),
            ("mul", "dst[i] = a[i] * b[i]", "_mm256_mul_ps({a}, {b})", True),
            ("div", "dst[i] = a[i] / b[i]", "_mm256_div_ps({a}, {b})", True),
            ("min", "dst[i] = min(a[i], b[i])", "_mm256_min_ps({a}, {b})", True),
            ("max", "dst[i] = max(a[i], b[i])", "_mm256_max_ps({a}, {b})", True),
            ("min_into", "dst[i] @= min(src[i])", "_mm256_min_ps({dst}, {src})", False),
            ("max_into", "dst[i] @= max(src[i])", "_mm256_max_ps({dst}, {src})", False),
            ("mul_into", "dst[i] *= src[i]", "_mm256_mul_ps({dst}, {src})", False),
            ("relu", "dst[i] = relu(src[i])", "_mm256_max_ps({src}, _mm256_setzero_ps())", True),
            ("neg", "dst[i] = -src[i]", "_mm256_xor_ps({src}, _mm256_set1_ps(-0.0f))", True),
            ("abs", "dst[i] = abs(src[i])", ABSOLUTE, True),
            ("sqrt", "dst[i] = sqrt(src[i])", "_mm256_sqrt_ps({src})", True),
            ("add_set1", "dst[i] = a + src[i]", "_mm256_add_ps(_mm256_set1_ps({a}), {src})", True),
            ("mul_set1", "dst[i] = a * src[i]", "_mm256_mul_ps(_mm256_set1_ps({a}), {src})", True),
        )
    ),
    lanewise(
        "select",
        "dst[i] = select(a[i], b[i], x[i], y[i])",
        "_mm256_blendv_ps({y}, {x}, _mm256_cmp_ps({a}, {b}, _CMP_LT_OQ))",
        YMM_PS,
        features=AVX2,
    ),
    *(
        lanewise(name, statement, value, YMM_PS, features=(*AVX2, *FMA), options=FUSED, alias=alias)
        for name, statement, value, alias in (
            ("fmadd", "dst[i] += a[i] * b[i]", "_mm256_fmadd_ps({a}, {b}, {dst})", False),
            ("fmadd_set1", "dst[i] += a * b[i]", "_mm256_fmadd_ps(_mm256_set1_ps({a}), {b}, {dst})", False),
            ("fnmadd", "dst[i] += -a[i] * b[i]", "_mm256_fnmadd_ps({a}, {b}, {dst})", False),
            ("fmadd3", "dst[i] = a[i] * b[i] + c[i]", "_mm256_fmadd_ps({a}, {b}, {c})", True),
            ("fmadd3_set1", "dst[i] = a * b[i] + c[i]", "_mm256_fmadd_ps(_mm256_set1_ps({a}), {b}, {c})", True),
        )
    ),
    plain(
        """
        @instr("*{dst.ptr} += usl_avx2_sum_ps({src});", roundings=4, special="unspecified")
        def avx2_reduce_add_ps(dst: f32 @ DRAM, src: [f32][8] @ AVX2):
            for i in seq(0, 8):
                dst += src[i]
        """,
        "avx",
    ),
)

INTEGER_MOVES = chain(
    family(
        """
        @instr("{dst} = _mm256_loadu_si256((const __m256i *)({src.ptr}));")
        def avx2_loadu_$s(dst: [$t][$l] @ AVX2, src: [$t][$l] @ DRAM):
            for i in seq(0, $l):
                dst[i] = src[i]
        """,
        *INTEGERS,
    ),
    family(
        """
        @instr("_mm256_storeu_si256((__m256i *)({dst.ptr}), {src});")
        def avx2_storeu_$s(dst: [$t][$l] @ DRAM, src: [$t][$l] @ AVX2):
            for i in seq(0, $l):
                dst[i] = src[i]
        """,
        *INTEGERS,
    ),
    family(
        """
        @instr("{dst} = _mm256_maskload_epi32((const int *)({src.ptr}), USL_AVX2_LANES({n}));")
        def avx2_maskz_loadu_$s(n: size, dst: [$t][8] @ AVX2, src: [$t][n] @ DRAM):
            for i in seq(0, 8):
                if i < n:
                    dst[i] = src[i]
                else:
                    dst[i] = 0
        """,
        *WORDS,
    ),
    family(
        """
        @instr("_mm256_maskstore_epi32((int *)({dst.ptr}), USL_AVX2_LANES({n}), {src});")
        def avx2_mask_storeu_$s(n: size, dst: [$t][n] @ DRAM, src: [$t][8] @ AVX2):
            for i in seq(0, 8):
                if i < n:
                    dst[i] = src[i]
        """,
        *WORDS,
    ),
    lanewise("setzero", "dst[i] = 0", "_mm256_setzero_si256()", *INTEGERS, forms=ALL),
    lanewise("mov", "dst[i] = src[i]", "{src}", *INTEGERS, forms=ALL),
    lanewise("set1", "dst[i] = a", "_mm256_set1_epi8((char){a})", *BYTES, forms=ALL),
    lanewise("set1", "dst[i] = a", "_mm256_set1_epi16((short){a})", *SHORTS, forms=ALL),
    lanewise("set1", "dst[i] = a", "_mm256_set1_epi32((int){a})", *WORDS, forms=ALL),
)

ARITHMETIC = chain(
    lanewise("add", "dst[i] += src[i]", "_mm256_add_$b({dst}, {src})", *INTEGERS, forms=ALL, alias=False),
    lanewise("add3", "dst[i] = a[i] + b[i]", "_mm256_add_$b({a}, {b})", *INTEGERS, forms=ALL),
    lanewise("sub", "dst[i] = a[i] - b[i]", "_mm256_sub_$b({a}, {b})", *INTEGERS, forms=ALL),
    lanewise("mul", "dst[i] = a[i] * b[i]", "_mm256_mullo_$b({a}, {b})", *WORDS, *SHORTS, forms=ALL),
    lanewise(
        "muladd",
        "dst[i] += a[i] * b[i]",
        "_mm256_add_$b({dst}, _mm256_mullo_$b({a}, {b}))",
        *WORDS,
        *SHORTS,
        forms=ALL,
        alias=False,
    ),
    lanewise("min", "dst[i] = min(a[i], b[i])", "_mm256_min_$u({a}, {b})", *INTEGERS, forms=ALL),
    lanewise("max", "dst[i] = max(a[i], b[i])", "_mm256_max_$u({a}, {b})", *INTEGERS, forms=ALL),
    lanewise("min_into", "dst[i] @= min(src[i])", "_mm256_min_$u({dst}, {src})", *INTEGERS, forms=ALL, alias=False),
    lanewise("max_into", "dst[i] @= max(src[i])", "_mm256_max_$u({dst}, {src})", *INTEGERS, forms=ALL, alias=False),
    lanewise("avg", "dst[i] = $t(($w(a[i]) + $w(b[i]) + 1) / 2)", "_mm256_avg_$u({a}, {b})", *UNSIGNED, forms=ALL),
    lanewise("adds", "dst[i] = $t(min($w(a[i]) + $w(b[i]), $greatest))", "_mm256_adds_$u({a}, {b})", *UNSIGNED, forms=ALL),
    lanewise("subs", "dst[i] = max(a[i], b[i]) - b[i]", "_mm256_subs_$u({a}, {b})", *UNSIGNED, forms=ALL),
    *(
        lanewise(f"srli{k}", f"dst[i] = src[i] / {1 << k}", f"_mm256_srli_$b({{src}}, {k})", YMM_EPU16, YMM_EPU32, forms=ALL)
        for k in (1, 2, 3, 4, 8)
    ),
    lanewise("div9", "dst[i] = src[i] / 9", "usl_avx2_div9_$u({src})", YMM_EPU16, YMM_EPU32, forms=ALL),
)

CONVERSIONS = chain(
    *(
        plain(
            f"""
            @instr("{{dst}} = {value};")
            def avx2_loadu_{name}(dst: [{target}][{lanes}] @ AVX2, src: [{source}][{lanes}] @ DRAM):
                for i in seq(0, {lanes}):
                    dst[i] = {target}(src[i])
            """,
            *AVX2,
        )
        for name, source, target, lanes, value in (
            ("cvtepu8_epu16", "u8", "u16", 16, "_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)({src.ptr})))"),
            ("cvtepu8_epu32", "u8", "u32", 8, "_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)({src.ptr})))"),
            ("cvtepu8_epi32", "u8", "i32", 8, "_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)({src.ptr})))"),
            ("cvtepu16_epu32", "u16", "u32", 8, "_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)({src.ptr})))"),
            (
                *("cvtepu8_ps", "u8", "f32", 8),
                "_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)({src.ptr}))))",
            ),
            (
                *("cvtepu16_ps", "u16", "f32", 8),
                "_mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)({src.ptr}))))",
            ),
        )
    ),
    *(
        plain(
            f"""
            @instr("{store}")
            def avx2_{name}(dst: [{target}][{lanes}] @ DRAM, src: [{source}][{lanes}] @ AVX2):
                for i in seq(0, {lanes}):
                    dst[i] = {body}
            """,
            *AVX2,
        )
        for name, source, target, lanes, store, body in (
            (
                *("cvtepu16_storeu_epu8", "u16", "u8", 16),
                "_mm_storeu_si128((__m128i *)({dst.ptr}), "
                "usl_avx2_pack_epi16(_mm256_and_si256({src}, _mm256_set1_epi16(255))));",
                "u8(src[i])",
            ),
            (
                *("cvtusepu16_storeu_epu8", "u16", "u8", 16),
                "_mm_storeu_si128((__m128i *)({dst.ptr}), "
                "usl_avx2_pack_epi16(_mm256_min_epu16({src}, _mm256_set1_epi16(255))));",
                "u8(min(src[i], 255))",
            ),
            (
                *("cvtepu32_storeu_epu16", "u32", "u16", 8),
                "_mm_storeu_si128((__m128i *)({dst.ptr}), "
                "usl_avx2_pack_epi32(_mm256_and_si256({src}, _mm256_set1_epi32(65535))));",
                "u16(src[i])",
            ),
            (
                *("cvttps_storeu_epu8", "f32", "u8", 8),
                "_mm_storel_epi64((__m128i *)({dst.ptr}), usl_avx2_to_epu8({src}));",
                "u8(src[i])",
            ),
        )
    ),
    plain(
        """
        @instr("{dst} = _mm256_cvtepi32_ps({src});")
        def avx2_cvtepi32_ps(dst: [f32][8] @ AVX2, src: [i32][8] @ AVX2):
            for i in seq(0, 8):
                dst[i] = f32(src[i])
        """,
        "avx",
    ),
)

TABLE = Table(__name__, FLOAT_MOVES, FLOATS, INTEGER_MOVES, ARITHMETIC, CONVERSIONS)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
