"""Instructions on integer lanes: u16 in memory, u32 in registers.

Arithmetic wraps modulo 2^32, narrowing keeps the low half, both as the casts and sums of the object language do; every
instruction here is bit-exact with its body for all inputs. A masked form works on the lanes below n.
"""

from __future__ import annotations

from usl_avx512.masks import LANES, LANES_MACRO
from usl_avx512.memories import AVX512, AVX512_YMM
from usl_core import DRAM, instr

HEADER = ("immintrin.h",)
AVX512F = ("avx512f",)
AVX512BW = ("avx512f", "avx512bw")
AVX512BW_VL = ("avx512f", "avx512bw", "avx512vl")

DIV9 = (
    LANES_MACRO
    + """\
static inline __m512i usl_avx512_div9_epu32(__m512i x)
{
    /* floor(x / 9) = (x * 954437177) >> 33 for every 32-bit x; the even and the odd lanes are multiplied apart. */
    const __m512i reciprocal = _mm512_set1_epi32(954437177);
    const __m512i even = _mm512_mul_epu32(x, reciprocal);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), reciprocal);
    return _mm512_srli_epi32(_mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB), 1);
}
"""
)
"""Exact because 9 * 954437177 = 2^33 + 1 and x < 2^32 (Granlund and Montgomery 1994, theorem 4.2). The macro is for the masked
form: a C file has each of these texts once, so both forms name the same."""


# ---- u32 lanes


@instr("{dst} = _mm512_setzero_si512();", includes=HEADER, features=AVX512F)
def mm512_setzero_epu32(dst: [u32][16] @ AVX512):
    assert stride(dst, 0) == 1
    for i in seq(0, 16):
        dst[i] = 0


@instr("{dst} = _mm512_loadu_si512({src.ptr});", includes=HEADER, features=AVX512F)
def mm512_loadu_epu32(dst: [u32][16] @ AVX512, src: [u32][16] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[i]


@instr("_mm512_storeu_si512({dst.ptr}, {src});", includes=HEADER, features=AVX512F)
def mm512_storeu_epu32(dst: [u32][16] @ DRAM, src: [u32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[i]


@instr("{dst} = _mm512_set1_epi32((int){a});", includes=HEADER, features=AVX512F)
def mm512_set1_epu32(dst: [u32][16] @ AVX512, a: u32 @ DRAM):
    assert stride(dst, 0) == 1
    for i in seq(0, 16):
        dst[i] = a


@instr("{dst} = _mm512_add_epi32({dst}, {src});", includes=HEADER, features=AVX512F)
def mm512_add_epu32(dst: [u32][16] @ AVX512, src: [u32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] += src[i]


@instr("{dst} = usl_avx512_div9_epu32({src});", includes=HEADER, features=AVX512F, c_global=DIV9)
def mm512_div9_epu32(dst: [u32][16] @ AVX512, src: [u32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[i] / 9


# ---- u16 lanes


@instr("{dst} = _mm512_loadu_si512({src.ptr});", includes=HEADER, features=AVX512F)
def mm512_loadu_epu16(dst: [u16][32] @ AVX512, src: [u16][32] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 32):
        dst[i] = src[i]


@instr("_mm512_storeu_si512({dst.ptr}, {src});", includes=HEADER, features=AVX512F)
def mm512_storeu_epu16(dst: [u16][32] @ DRAM, src: [u16][32] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 32):
        dst[i] = src[i]


@instr("{dst} = _mm512_add_epi16({dst}, {src});", includes=HEADER, features=AVX512BW)
def mm512_add_epu16(dst: [u16][32] @ AVX512, src: [u16][32] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 32):
        dst[i] += src[i]


@instr("{dst} = _mm256_loadu_si256((const __m256i *)({src.ptr}));", includes=HEADER, features=("avx",))
def mm256_loadu_epu16(dst: [u16][16] @ AVX512_YMM, src: [u16][16] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[i]


@instr("_mm256_storeu_si256((__m256i *)({dst.ptr}), {src});", includes=HEADER, features=("avx",))
def mm256_storeu_epu16(dst: [u16][16] @ DRAM, src: [u16][16] @ AVX512_YMM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[i]


# ---- between u16 and u32


@instr("{dst} = _mm512_cvtepu16_epi32({src});", includes=HEADER, features=AVX512F)
def mm512_cvtepu16_epu32(dst: [u32][16] @ AVX512, src: [u16][16] @ AVX512_YMM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = u32(src[i])


@instr("{dst} = _mm512_cvtepi32_epi16({src});", includes=HEADER, features=AVX512F)
def mm512_cvtepu32_epu16(dst: [u16][16] @ AVX512_YMM, src: [u32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = u16(src[i])


@instr(
    "{dst} = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)({src.ptr})));",
    includes=HEADER,
    features=AVX512F,
)
def mm512_loadu_cvtepu16_epu32(dst: [u32][16] @ AVX512, src: [u16][16] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = u32(src[i])


@instr(
    "_mm256_storeu_si256((__m256i *)({dst.ptr}), _mm512_cvtepi32_epi16({src}));",
    includes=HEADER,
    features=AVX512F,
)
def mm512_cvtepu32_storeu_epu16(dst: [u16][16] @ DRAM, src: [u32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = u16(src[i])


# ---- masked forms


@instr(
    "{dst} = _mm512_mask_cvtepu16_epi32({dst}, " + LANES + ", _mm256_maskz_loadu_epi16(" + LANES + ", {src.ptr}));",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512BW_VL,
)
def mm512_mask_loadu_cvtepu16_epu32(n: size, dst: [u32][16] @ AVX512, src: [u16][n] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] = u32(src[i])


@instr(
    "{dst} = _mm512_mask_add_epi32({dst}, " + LANES + ", {dst}, {src});",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
)
def mm512_mask_add_epu32(n: size, dst: [u32][16] @ AVX512, src: [u32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] += src[i]


@instr(
    "{dst} = _mm512_maskz_mov_epi32((__mmask16)~" + LANES + ", {dst});", includes=HEADER, c_global=LANES_MACRO, features=AVX512F
)
def mm512_mask_setzero_epu32(n: size, dst: [u32][16] @ AVX512):
    assert stride(dst, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] = 0


@instr(
    "{dst} = _mm512_mask_mov_epi32({dst}, " + LANES + ", usl_avx512_div9_epu32({src}));",
    includes=HEADER,
    features=AVX512F,
    c_global=DIV9,
)
def mm512_mask_div9_epu32(n: size, dst: [u32][16] @ AVX512, src: [u32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] = src[i] / 9


@instr(
    "_mm512_mask_cvtepi32_storeu_epi16({dst.ptr}, " + LANES + ", {src});",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
)
def mm512_mask_cvtepu32_storeu_epu16(n: size, dst: [u16][n] @ DRAM, src: [u32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] = u16(src[i])


INSTRUCTIONS = (
    mm512_setzero_epu32,
    mm512_loadu_epu32,
    mm512_storeu_epu32,
    mm512_set1_epu32,
    mm512_add_epu32,
    mm512_div9_epu32,
    mm512_loadu_epu16,
    mm512_storeu_epu16,
    mm512_add_epu16,
    mm256_loadu_epu16,
    mm256_storeu_epu16,
    mm512_cvtepu16_epu32,
    mm512_cvtepu32_epu16,
    mm512_loadu_cvtepu16_epu32,
    mm512_cvtepu32_storeu_epu16,
    mm512_mask_loadu_cvtepu16_epu32,
    mm512_mask_add_epu32,
    mm512_mask_setzero_epu32,
    mm512_mask_div9_epu32,
    mm512_mask_cvtepu32_storeu_epu16,
)
