"""Products of short types summed onto 32-bit lanes: u8 by i8 and i16 by i16 (VNNI), bf16 by bf16.

Lane i takes the products of elements 4 i to 4 i + 3 (bytes) or 2 i and 2 i + 1. Where a is in memory, one group of it goes to
every lane, as in a matrix product; b in memory is a panel with the group as its last dimension. The integer sums wrap modulo
2^32 and are exact. `dpbf16` multiplies bf16 exactly, adds the two products one after another, the odd one first, with one
rounding each, and takes subnormal numbers, operands as well as results, for zeros of their sign. Its body does all of that bit
by bit, so a loop that keeps subnormal numbers does not match it; with `loadu_cvtbf16_ps` and a multiply-add on f32 they are
kept. `dpbf16_flushed` is the same text for plain loops: its body is the sum of products, and that it flushes is declared
(`subnormals="flushed"`), so that `assurance()` tells. `fmabf16` is what processors without AVX512_BF16 do instead, in f32: two
multiply-adds, and subnormal numbers are kept. Where no processor with AVX512_BF16 checks them, both rest on the manual
below, from which the emulation is written too. The instruction that rounds f32 to bf16 flushes subnormal numbers too: a vector
with one of these is rounded on the bits, as all are without AVX512_BF16.
Reference: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2, VPDPBUSD, VPDPWSSD, VDPBF16PS, VCVTNEPS2BF16.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from usl_avx512.isa.families import Table, plain

VNNI = ("avx512f", "avx512vnni")
BF16 = ("avx512f", "avx512bf16")
F = ("avx512f",)
BW_VL = ("avx512f", "avx512bw", "avx512vl")

GROUPS = {"dpbusd": ("u8", "i8", 4), "dpwssd": ("i16", "i16", 2)}
"""Types of the factors, and how many products to a lane."""

INTEGERS = chain(
    *(
        chain(
            plain(
                f"""
                @instr("{{dst}} = usl_avx512_{name}({{dst}}, {{a}}, {{b}});")
                def mm512_{name}_epi32(dst: [i32][16] @ AVX512, a: [{ta}][{16 * group}] @ AVX512,
                                       b: [{tb}][{16 * group}] @ AVX512):
                    for i in seq(0, 16):
                        for k in seq(0, {group}):
                            dst[i] += i32(a[{group} * i + k]) * i32(b[{group} * i + k])
                """,
                *VNNI,
            ),
            plain(
                f"""
                @instr("{{dst}} = _mm512_mask_{name}_epi32({{dst}}, USL_AVX512_LANES({{n}}), {{a}}, {{b}});")
                def mm512_mask_{name}_epi32(n: size, dst: [i32][16] @ AVX512, a: [{ta}][{16 * group}] @ AVX512,
                                            b: [{tb}][{16 * group}] @ AVX512):
                    for i in seq(0, 16):
                        if i < n:
                            for k in seq(0, {group}):
                                dst[i] += i32(a[{group} * i + k]) * i32(b[{group} * i + k])
                """,
                *VNNI,
            ),
            plain(
                f"""
                @instr("{{dst}} = usl_avx512_{name}({{dst}}, usl_avx512_broadcast4({{a.ptr}}), {{b}});")
                def mm512_{name}_set1_epi32(dst: [i32][16] @ AVX512, a: [{ta}][{group}] @ DRAM,
                                            b: [{tb}][{16 * group}] @ AVX512):
                    for i in seq(0, 16):
                        for k in seq(0, {group}):
                            dst[i] += i32(a[k]) * i32(b[{group} * i + k])
                """,
                *VNNI,
            ),
            plain(
                f"""
                @instr("{{dst}} = usl_avx512_{name}({{dst}}, usl_avx512_broadcast4({{a.ptr}}), "
                       "_mm512_loadu_si512({{b.ptr}}));")
                def mm512_{name}_set1_loadu_epi32(dst: [i32][16] @ AVX512, a: [{ta}][{group}] @ DRAM,
                                                  b: [{tb}][16, {group}] @ DRAM):
                    assert stride(b, 0) == {group}
                    assert stride(b, 1) == 1
                    for i in seq(0, 16):
                        for k in seq(0, {group}):
                            dst[i] += i32(a[k]) * i32(b[i, k])
                """,
                *VNNI,
            ),
            plain(
                f"""
                @instr("{{dst}} = _mm512_mask_{name}_epi32({{dst}}, USL_AVX512_LANES({{n}}), usl_avx512_broadcast4({{a.ptr}}), "
                       "_mm512_maskz_loadu_epi32(USL_AVX512_LANES({{n}}), {{b.ptr}}));")
                def mm512_mask_{name}_set1_loadu_epi32(n: size, dst: [i32][16] @ AVX512, a: [{ta}][{group}] @ DRAM,
                                                       b: [{tb}][n, {group}] @ DRAM):
                    assert stride(b, 0) == {group}
                    assert stride(b, 1) == 1
                    for i in seq(0, 16):
                        if i < n:
                            for k in seq(0, {group}):
                                dst[i] += i32(a[k]) * i32(b[i, k])
                """,
                *VNNI,
            ),
        )
        for name, (ta, tb, group) in GROUPS.items()
    )
)

LEAST = repr(2.0**-126)
"""The least normal f32."""
LEAST_ROUNDED = repr(2.0**-126 - 2.0**-151)
"""What is less in f64 is subnormal when rounded to 24 bits, of any exponent; the midpoint goes up, to its even neighbour."""

_STEP = f"""\
for k in seq(0, 2):
    x: f32
    y: f32
    z: f64
    x = f32(A)
    y = f32(B)
    z = f64(select(abs(dst[i]), {LEAST}, dst[i] * 0.0, dst[i]))
    z += f64(select(abs(x), {LEAST}, x * 0.0, x)) * f64(select(abs(y), {LEAST}, y * 0.0, y))
    dst[i] = f32(select(abs(z), {LEAST_ROUNDED}, z * 0.0, z))"""
"""In f64 the product is exact, and rounding the sum twice, to f64 and to f32, gives what rounding it once does: where the first
rounding is not exact, product and lane are more than 29 bits apart, and the sum is near no midpoint of f32."""


def _step(a: str, b: str, depth: int) -> str:
    """The loop over a lane's two products, the odd one first; lines after the first are indented."""
    lines = _STEP.replace("(A)", f"({a})").replace("(B)", f"({b})").splitlines()
    return f"\n{' ' * depth}".join(lines)


FLUSHED = 'roundings=2, special="unspecified", subnormals="flushed"'
"""Each of the two products is added with one rounding, the odd one first, which matters where a sum overflows."""

SIGNED = plain(
    """
    @instr("{dst} = usl_avx512_dpbusd({dst}, _mm512_xor_si512(usl_avx512_broadcast4({a.ptr}), "
           "_mm512_set1_epi8((char)128)), {b});")
    def mm512_dpbusd_above_set1_epi32(dst: [i32][16] @ AVX512, a: [i8][4] @ DRAM, b: [i8][64] @ AVX512):
        for i in seq(0, 16):
            for k in seq(0, 4):
                dst[i] += (i32(a[k]) + 128) * i32(b[4 * i + k])
    """,
    *VNNI,
)
"""Signed bytes by signed ones: with 128 added the first is unsigned, and 128 times the sum of b is to be taken off."""

BFLOAT = chain(
    plain(
        f"""
        @instr("{{dst}} = usl_avx512_dpbf16({{dst}}, {{a}}, {{b}});")
        def mm512_dpbf16_ps(dst: [f32][16] @ AVX512, a: [bf16][32] @ AVX512, b: [bf16][32] @ AVX512):
            for i in seq(0, 16):
                {_step("a[2 * i + 1 - k]", "b[2 * i + 1 - k]", 16)}
        """,
        *BF16,
    ),
    plain(
        f"""
        @instr("{{dst}} = usl_avx512_dpbf16({{dst}}, usl_avx512_broadcast4({{a.ptr}}), {{b}});")
        def mm512_dpbf16_set1_ps(dst: [f32][16] @ AVX512, a: [bf16][2] @ DRAM, b: [bf16][32] @ AVX512):
            for i in seq(0, 16):
                {_step("a[1 - k]", "b[2 * i + 1 - k]", 16)}
        """,
        *BF16,
    ),
    plain(
        f"""
        @instr("{{dst}} = usl_avx512_dpbf16({{dst}}, {{a}}, {{b}});", {FLUSHED})
        def mm512_dpbf16_flushed_ps(dst: [f32][16] @ AVX512, a: [bf16][32] @ AVX512, b: [bf16][32] @ AVX512):
            for i in seq(0, 16):
                for k in seq(0, 2):
                    dst[i] += f32(a[2 * i + k]) * f32(b[2 * i + k])
        """,
        *BF16,
    ),
    plain(
        f"""
        @instr("{{dst}} = usl_avx512_dpbf16({{dst}}, usl_avx512_broadcast4({{a.ptr}}), {{b}});",
               {FLUSHED})
        def mm512_dpbf16_flushed_set1_ps(dst: [f32][16] @ AVX512, a: [bf16][2] @ DRAM, b: [bf16][32] @ AVX512):
            for i in seq(0, 16):
                for k in seq(0, 2):
                    dst[i] += f32(a[k]) * f32(b[2 * i + k])
        """,
        *BF16,
    ),
    plain(
        """
        @instr("{dst} = usl_avx512_fmabf16({dst}, usl_avx512_broadcast4({a.ptr}), {b});", roundings=2, special="unspecified")
        def mm512_fmabf16_set1_ps(dst: [f32][16] @ AVX512, a: [bf16][2] @ DRAM, b: [bf16][32] @ AVX512):
            for i in seq(0, 16):
                for k in seq(0, 2):
                    dst[i] += f32(a[k]) * f32(b[2 * i + k])
        """,
        *F,
    ),
    plain(
        """
        @instr("{dst} = _mm512_loadu_si512({src.ptr});")
        def mm512_loadu_bf16(dst: [bf16][32] @ AVX512, src: [bf16][32] @ DRAM):
            for i in seq(0, 32):
                dst[i] = src[i]
        """,
        *F,
    ),
    plain(
        """
        @instr("_mm512_storeu_si512({dst.ptr}, {src});")
        def mm512_storeu_bf16(dst: [bf16][32] @ DRAM, src: [bf16][32] @ AVX512):
            for i in seq(0, 32):
                dst[i] = src[i]
        """,
        *F,
    ),
    plain(
        """
        @instr("{dst} = usl_avx512_from_bf16(_mm256_loadu_si256((const __m256i *)({src.ptr})));")
        def mm512_loadu_cvtbf16_ps(dst: [f32][16] @ AVX512, src: [bf16][16] @ DRAM):
            for i in seq(0, 16):
                dst[i] = f32(src[i])
        """,
        *F,
    ),
    plain(
        """
        @instr("{dst} = _mm512_mask_mov_ps({dst}, USL_AVX512_LANES({n}), "
               "usl_avx512_from_bf16(_mm256_maskz_loadu_epi16(USL_AVX512_LANES({n}), {src.ptr})));")
        def mm512_mask_loadu_cvtbf16_ps(n: size, dst: [f32][16] @ AVX512, src: [bf16][n] @ DRAM):
            for i in seq(0, 16):
                if i < n:
                    dst[i] = f32(src[i])
        """,
        *BW_VL,
    ),
    plain(
        """
        @instr("_mm256_storeu_si256((__m256i *)({dst.ptr}), usl_avx512_cvtps_bf16({src}));")
        def mm512_cvtps_storeu_bf16(dst: [bf16][16] @ DRAM, src: [f32][16] @ AVX512):
            for i in seq(0, 16):
                dst[i] = bf16(src[i])
        """,
        *F,
    ),
    plain(
        """
        @instr("_mm512_mask_cvtepi32_storeu_epi16({dst.ptr}, USL_AVX512_LANES({n}), usl_avx512_to_bf16({src}));")
        def mm512_mask_cvtps_storeu_bf16(n: size, dst: [bf16][n] @ DRAM, src: [f32][16] @ AVX512):
            for i in seq(0, 16):
                if i < n:
                    dst[i] = bf16(src[i])
        """,
        *F,
    ),
)

PACKING = chain(
    plain(
        """
        @instr("usl_avx512_pack4({dst.ptr}, {src.ptr}, {src.stride0});")
        def mm_pack4_epi8(dst: [i8][64] @ DRAM, src: [i8][4, 16] @ DRAM):
            assert stride(dst, 0) == 1
            assert stride(src, 1) == 1
            for k in seq(0, 4):
                for i in seq(0, 16):
                    dst[4 * i + k] = src[k, i]
        """,
        "sse2",
    ),
    plain(
        """
        @instr("usl_avx512_pack2({dst.ptr}, {src.ptr}, {src.stride0});")
        def mm_pack2_epi16(dst: [i16][32] @ DRAM, src: [i16][2, 16] @ DRAM):
            assert stride(dst, 0) == 1
            assert stride(src, 1) == 1
            for k in seq(0, 2):
                for i in seq(0, 16):
                    dst[2 * i + k] = src[k, i]
        """,
        "sse2",
    ),
    plain(
        """
        @instr("usl_avx512_pack2((int16_t *){dst.ptr}, (const int16_t *){src.ptr}, {src.stride0});")
        def mm_pack2_bf16(dst: [bf16][32] @ DRAM, src: [bf16][2, 16] @ DRAM):
            assert stride(dst, 0) == 1
            assert stride(src, 1) == 1
            for k in seq(0, 2):
                for i in seq(0, 16):
                    dst[2 * i + k] = src[k, i]
        """,
        "sse2",
    ),
    plain(
        """
        @instr("usl_avx512_turned_pairs({dst.ptr}, {dst.stride0}, {src.ptr}, {src.stride0});")
        def mm512_transposeu_pairs_bf16(dst: [bf16][16, 32] @ DRAM, src: [bf16][16, 32] @ DRAM):
            assert stride(dst, 1) == 1
            assert stride(src, 1) == 1
            for i in seq(0, 16):
                for j in seq(0, 16):
                    for k in seq(0, 2):
                        dst[j, 2 * i + k] = src[i, 2 * j + k]
        """,
        *F,
    ),
)
"""A few rows of a matrix, the groups that an instruction takes side by side."""

TABLE = Table(__name__, INTEGERS, SIGNED, BFLOAT, PACKING)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
