"""Instructions on eight f64 lanes.

The twins of `kernels_f32`; what is said there of masks and of roundings holds here.
"""

from __future__ import annotations

from usl_avx512.masks import LANES8 as LANES
from usl_avx512.masks import LANES8_MACRO as LANES_MACRO
from usl_avx512.memories import AVX512
from usl_core import DRAM, instr

HEADER = ("immintrin.h",)
AVX512F = ("avx512f",)


@instr("{dst} = _mm512_setzero_pd();", includes=HEADER, features=AVX512F)
def mm512_setzero_pd(dst: [f64][8] @ AVX512):
    assert stride(dst, 0) == 1
    for i in seq(0, 8):
        dst[i] = 0.0


@instr("{dst} = _mm512_loadu_pd({src.ptr});", includes=HEADER, features=AVX512F)
def mm512_loadu_pd(dst: [f64][8] @ AVX512, src: [f64][8] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 8):
        dst[i] = src[i]


@instr("_mm512_storeu_pd({dst.ptr}, {src});", includes=HEADER, features=AVX512F)
def mm512_storeu_pd(dst: [f64][8] @ DRAM, src: [f64][8] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 8):
        dst[i] = src[i]


@instr("{dst} = _mm512_set1_pd({a});", includes=HEADER, features=AVX512F)
def mm512_set1_pd(dst: [f64][8] @ AVX512, a: f64 @ DRAM):
    assert stride(dst, 0) == 1
    for i in seq(0, 8):
        dst[i] = a


@instr("{dst} = {src};", includes=HEADER, features=AVX512F)
def mm512_mov_pd(dst: [f64][8] @ AVX512, src: [f64][8] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 8):
        dst[i] = src[i]


@instr("_mm512_storeu_pd({dst.ptr}, _mm512_loadu_pd({src.ptr}));", includes=HEADER, features=AVX512F)
def mm512_copyu_pd(dst: [f64][8] @ DRAM, src: [f64][8] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 8):
        dst[i] = src[i]


@instr("{dst} = _mm512_add_pd({dst}, {src});", includes=HEADER, features=AVX512F)
def mm512_add_pd(dst: [f64][8] @ AVX512, src: [f64][8] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 8):
        dst[i] += src[i]


@instr("{dst} = _mm512_mul_pd({a}, {b});", includes=HEADER, features=AVX512F, aliasable=("dst", "a", "b"))
def mm512_mul_pd(dst: [f64][8] @ AVX512, a: [f64][8] @ AVX512, b: [f64][8] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 8):
        dst[i] = a[i] * b[i]


@instr("{dst} = _mm512_fmadd_pd({a}, {b}, {dst});", includes=HEADER, features=AVX512F, roundings=1, special="unspecified")
def mm512_fmadd_pd(dst: [f64][8] @ AVX512, a: [f64][8] @ AVX512, b: [f64][8] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 8):
        dst[i] += a[i] * b[i]


@instr(
    "{dst} = _mm512_fmadd_pd(_mm512_set1_pd({a}), {b}, {dst});",
    includes=HEADER,
    features=AVX512F,
    roundings=1,
    special="unspecified",
)
def mm512_fmadd_set1_pd(dst: [f64][8] @ AVX512, a: f64 @ DRAM, b: [f64][8] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 8):
        dst[i] += a * b[i]


@instr(
    "_mm512_storeu_pd({dst.ptr}, _mm512_add_pd(_mm512_loadu_pd({dst.ptr}), {src}));",
    includes=HEADER,
    features=AVX512F,
)
def mm512_accumulateu_pd(dst: [f64][8] @ DRAM, src: [f64][8] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 8):
        dst[i] += src[i]


# ---- masked forms


@instr("{dst} = _mm512_maskz_mov_pd((__mmask8)~" + LANES + ", {dst});", includes=HEADER, c_global=LANES_MACRO, features=AVX512F)
def mm512_mask_setzero_pd(n: size, dst: [f64][8] @ AVX512):
    assert stride(dst, 0) == 1
    for i in seq(0, 8):
        if i < n:
            dst[i] = 0.0


@instr(
    "{dst} = _mm512_mask_loadu_pd({dst}, " + LANES + ", {src.ptr});", includes=HEADER, c_global=LANES_MACRO, features=AVX512F
)
def mm512_mask_loadu_pd(n: size, dst: [f64][8] @ AVX512, src: [f64][n] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 8):
        if i < n:
            dst[i] = src[i]


@instr("{dst} = _mm512_maskz_loadu_pd(" + LANES + ", {src.ptr});", includes=HEADER, c_global=LANES_MACRO, features=AVX512F)
def mm512_maskz_loadu_pd(n: size, dst: [f64][8] @ AVX512, src: [f64][n] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 8):
        if i < n:
            dst[i] = src[i]
        else:
            dst[i] = 0.0


@instr("_mm512_mask_storeu_pd({dst.ptr}, " + LANES + ", {src});", includes=HEADER, c_global=LANES_MACRO, features=AVX512F)
def mm512_mask_storeu_pd(n: size, dst: [f64][n] @ DRAM, src: [f64][8] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 8):
        if i < n:
            dst[i] = src[i]


@instr(
    "{dst} = _mm512_mask_broadcastsd_pd({dst}, " + LANES + ", _mm_set_sd({a}));",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
)
def mm512_mask_set1_pd(n: size, dst: [f64][8] @ AVX512, a: f64 @ DRAM):
    assert stride(dst, 0) == 1
    for i in seq(0, 8):
        if i < n:
            dst[i] = a


@instr(
    "{dst} = _mm512_mask3_fmadd_pd({a}, {b}, {dst}, " + LANES + ");",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
    roundings=1,
    special="unspecified",
)
def mm512_mask_fmadd_pd(n: size, dst: [f64][8] @ AVX512, a: [f64][8] @ AVX512, b: [f64][8] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 8):
        if i < n:
            dst[i] += a[i] * b[i]


@instr(
    "{dst} = _mm512_mask3_fmadd_pd(_mm512_set1_pd({a}), {b}, {dst}, " + LANES + ");",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
    roundings=1,
    special="unspecified",
)
def mm512_mask_fmadd_set1_pd(n: size, dst: [f64][8] @ AVX512, a: f64 @ DRAM, b: [f64][8] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 8):
        if i < n:
            dst[i] += a * b[i]


@instr(
    "{dst} = _mm512_mask3_fmadd_pd(_mm512_set1_pd({a}), _mm512_maskz_loadu_pd(" + LANES + ", {b.ptr}), {dst}, " + LANES + ");",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
    roundings=1,
    special="unspecified",
)
def mm512_mask_fmadd_set1_loadu_pd(n: size, dst: [f64][8] @ AVX512, a: f64 @ DRAM, b: [f64][n] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 8):
        if i < n:
            dst[i] += a * b[i]


@instr(
    "_mm512_mask_storeu_pd({dst.ptr}, " + LANES + ", _mm512_add_pd(_mm512_maskz_loadu_pd(" + LANES + ", {dst.ptr}), {src}));",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
)
def mm512_mask_accumulateu_pd(n: size, dst: [f64][n] @ DRAM, src: [f64][8] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 8):
        if i < n:
            dst[i] += src[i]


@instr(
    "{dst} = _mm512_mask_add_pd({dst}, " + LANES + ", {dst}, _mm512_maskz_loadu_pd(" + LANES + ", {src.ptr}));",
    includes=HEADER,
    c_global=LANES_MACRO,
    features=AVX512F,
)
def mm512_mask_add_loadu_pd(n: size, dst: [f64][8] @ AVX512, src: [f64][n] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 8):
        if i < n:
            dst[i] += src[i]


INSTRUCTIONS = (
    mm512_setzero_pd,
    mm512_loadu_pd,
    mm512_storeu_pd,
    mm512_set1_pd,
    mm512_mov_pd,
    mm512_copyu_pd,
    mm512_add_pd,
    mm512_mul_pd,
    mm512_fmadd_pd,
    mm512_fmadd_set1_pd,
    mm512_accumulateu_pd,
    mm512_mask_setzero_pd,
    mm512_mask_loadu_pd,
    mm512_maskz_loadu_pd,
    mm512_mask_storeu_pd,
    mm512_mask_set1_pd,
    mm512_mask_fmadd_pd,
    mm512_mask_fmadd_set1_pd,
    mm512_mask_fmadd_set1_loadu_pd,
    mm512_mask_accumulateu_pd,
    mm512_mask_add_loadu_pd,
)
