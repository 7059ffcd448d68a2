"""Instructions on sixteen f32 lanes.

Each body says what the instruction computes and is what `replace` matches against. A masked form works on the lanes below n and
leaves the others as they are (the `mask_` intrinsics), or clears them (`maskz_`). Multiply-add rounds once where its body,
read step by step, rounds twice; hence `roundings=1`. The templates follow Intel's Intrinsics Guide.
"""

from __future__ import annotations

from usl_avx512.masks import LANES, LANES_MACRO
from usl_avx512.memories import AVX512
from usl_core import DRAM, instr

HEADER = ("immintrin.h",)
AVX512F = ("avx512f",)


@instr("{dst} = _mm512_setzero_ps();", includes=HEADER, features=AVX512F)
def mm512_setzero_ps(dst: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    for i in seq(0, 16):
        dst[i] = 0.0


@instr("{dst} = _mm512_loadu_ps({src.ptr});", includes=HEADER, features=AVX512F)
def mm512_loadu_ps(dst: [f32][16] @ AVX512, src: [f32][16] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[i]


@instr("_mm512_storeu_ps({dst.ptr}, {src});", includes=HEADER, features=AVX512F)
def mm512_storeu_ps(dst: [f32][16] @ DRAM, src: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[i]


@instr("{dst} = _mm512_set1_ps({a});", includes=HEADER, features=AVX512F)
def mm512_set1_ps(dst: [f32][16] @ AVX512, a: f32 @ DRAM):
    assert stride(dst, 0) == 1
    for i in seq(0, 16):
        dst[i] = a


@instr("{dst} = {src};", includes=HEADER, features=AVX512F)
def mm512_mov_ps(dst: [f32][16] @ AVX512, src: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[i]


@instr("_mm512_storeu_ps({dst.ptr}, _mm512_loadu_ps({src.ptr}));", includes=HEADER, features=AVX512F)
def mm512_copyu_ps(dst: [f32][16] @ DRAM, src: [f32][16] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[i]


@instr("{dst} = _mm512_add_ps({dst}, {src});", includes=HEADER, features=AVX512F)
def mm512_add_ps(dst: [f32][16] @ AVX512, src: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] += src[i]


@instr("{dst} = _mm512_mul_ps({a}, {b});", includes=HEADER, features=AVX512F, aliasable=("dst", "a", "b"))
def mm512_mul_ps(dst: [f32][16] @ AVX512, a: [f32][16] @ AVX512, b: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 16):
        dst[i] = a[i] * b[i]


@instr("{dst} = _mm512_fmadd_ps({a}, {b}, {dst});", includes=HEADER, features=AVX512F, roundings=1, special="unspecified")
def mm512_fmadd_ps(dst: [f32][16] @ AVX512, a: [f32][16] @ AVX512, b: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 16):
        dst[i] += a[i] * b[i]


@instr(
    "{dst} = _mm512_fmadd_ps(_mm512_set1_ps({a}), {b}, {dst});",
    includes=HEADER,
    features=AVX512F,
    roundings=1,
    special="unspecified",
)
def mm512_fmadd_set1_ps(dst: [f32][16] @ AVX512, a: f32 @ DRAM, b: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 16):
        dst[i] += a * b[i]


@instr(
    "_mm512_storeu_ps({dst.ptr}, _mm512_add_ps(_mm512_loadu_ps({dst.ptr}), {src}));",
    includes=HEADER,
    features=AVX512F,
)
def mm512_accumulateu_ps(dst: [f32][16] @ DRAM, src: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] += src[i]


# ---- masked forms


@instr(
    "{dst} = _mm512_maskz_mov_ps((__mmask16)~" + LANES + ", {dst});", includes=HEADER, c_global=LANES_MACRO, features=AVX512F
)
def mm512_mask_setzero_ps(n: size, dst: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] = 0.0


@instr(
    "{dst} = _mm512_mask_loadu_ps({dst}, " + LANES + ", {src.ptr});", includes=HEADER, c_global=LANES_MACRO, features=AVX512F
)
def mm512_mask_loadu_ps(n: size, dst: [f32][16] @ AVX512, src: [f32][n] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] = src[i]


@instr("{dst} = _mm512_maskz_loadu_ps(" + LANES + ", {src.ptr});", includes=HEADER, c_global=LANES_MACRO, features=AVX512F)
def mm512_maskz_loadu_ps(n: size, dst: [f32][16] @ AVX512, src: [f32][n] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] = src[i]
        else:
            dst[i] = 0.0


@instr("_mm512_mask_storeu_ps({dst.ptr}, " + LANES + ", {src});", includes=HEADER, c_global=LANES_MACRO, features=AVX512F)
def mm512_mask_storeu_ps(n: size, dst: [f32][n] @ DRAM, src: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] = src[i]


@instr(
    "{dst} = _mm512_mask_broadcastss_ps({dst}, " + LANES + ", _mm_set_ss({a}));",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
)
def mm512_mask_set1_ps(n: size, dst: [f32][16] @ AVX512, a: f32 @ DRAM):
    assert stride(dst, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] = a


@instr(
    "{dst} = _mm512_mask3_fmadd_ps({a}, {b}, {dst}, " + LANES + ");",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
    roundings=1,
    special="unspecified",
)
def mm512_mask_fmadd_ps(n: size, dst: [f32][16] @ AVX512, a: [f32][16] @ AVX512, b: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] += a[i] * b[i]


@instr(
    "{dst} = _mm512_mask3_fmadd_ps(_mm512_set1_ps({a}), {b}, {dst}, " + LANES + ");",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
    roundings=1,
    special="unspecified",
)
def mm512_mask_fmadd_set1_ps(n: size, dst: [f32][16] @ AVX512, a: f32 @ DRAM, b: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] += a * b[i]


@instr(
    "{dst} = _mm512_mask3_fmadd_ps(_mm512_set1_ps({a}), _mm512_maskz_loadu_ps(" + LANES + ", {b.ptr}), {dst}, " + LANES + ");",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
    roundings=1,
    special="unspecified",
)
def mm512_mask_fmadd_set1_loadu_ps(n: size, dst: [f32][16] @ AVX512, a: f32 @ DRAM, b: [f32][n] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] += a * b[i]


@instr(
    "_mm512_mask_storeu_ps({dst.ptr}, " + LANES + ", _mm512_add_ps(_mm512_maskz_loadu_ps(" + LANES + ", {dst.ptr}), {src}));",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
)
def mm512_mask_accumulateu_ps(n: size, dst: [f32][n] @ DRAM, src: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] += src[i]


@instr(
    "{dst} = _mm512_mask_add_ps({dst}, " + LANES + ", {dst}, _mm512_maskz_loadu_ps(" + LANES + ", {src.ptr}));",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
)
def mm512_mask_add_loadu_ps(n: size, dst: [f32][16] @ AVX512, src: [f32][n] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] += src[i]


INSTRUCTIONS = (
    mm512_setzero_ps,
    mm512_loadu_ps,
    mm512_storeu_ps,
    mm512_set1_ps,
    mm512_mov_ps,
    mm512_copyu_ps,
    mm512_add_ps,
    mm512_mul_ps,
    mm512_fmadd_ps,
    mm512_fmadd_set1_ps,
    mm512_accumulateu_ps,
    mm512_mask_setzero_ps,
    mm512_mask_loadu_ps,
    mm512_maskz_loadu_ps,
    mm512_mask_storeu_ps,
    mm512_mask_set1_ps,
    mm512_mask_fmadd_ps,
    mm512_mask_fmadd_set1_ps,
    mm512_mask_fmadd_set1_loadu_ps,
    mm512_mask_accumulateu_ps,
    mm512_mask_add_loadu_ps,
)
