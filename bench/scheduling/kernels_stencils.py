"""The stencils that are scheduled, and vector instructions of three operands, which their expressions fall into."""

from __future__ import annotations

from usl_avx512.memories import AVX512
from usl_core import instr, proc

HEADER = ("immintrin.h",)
FEATURES = ("avx512f",)


@proc
def unsharp_mask(H: size, W: size, rgb: f32[3, H + 6, W + 6], sharp: f32[3, H, W]):
    grey: f32[H + 6, W + 6]
    for y in seq(0, H + 6):
        for x in seq(0, W + 6):
            grey[y, x] = 0.25 * rgb[0, y, x] + 0.5 * rgb[1, y, x] + 0.25 * rgb[2, y, x]
    down: f32[H, W + 6]
    for y in seq(0, H):
        for x in seq(0, W + 6):
            down[y, x] = (
                0.5 * grey[y + 3, x]
                + 0.125 * (grey[y + 2, x] + grey[y + 4, x])
                + 0.0625 * (grey[y + 1, x] + grey[y + 5, x])
                + 0.0625 * (grey[y, x] + grey[y + 6, x])
            )
    blurred: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            blurred[y, x] = (
                0.5 * down[y, x + 3]
                + 0.125 * (down[y, x + 2] + down[y, x + 4])
                + 0.0625 * (down[y, x + 1] + down[y, x + 5])
                + 0.0625 * (down[y, x] + down[y, x + 6])
            )
    detail: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            detail[y, x] = grey[y + 3, x + 3] - blurred[y, x]
    stronger: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            stronger[y, x] = grey[y + 3, x + 3] + 1.5 * detail[y, x]
    ratio: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            ratio[y, x] = stronger[y, x] / grey[y + 3, x + 3]
    for y in seq(0, H):
        for c in seq(0, 3):
            for x in seq(0, W):
                sharp[c, y, x] = ratio[y, x] * rgb[c, y + 3, x + 3]


@instr("{dst} = _mm512_add_ps({a}, {b});", includes=HEADER, features=FEATURES)
def add_ps(dst: [f32][16] @ AVX512, a: [f32][16] @ AVX512, b: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 16):
        dst[i] = a[i] + b[i]


@instr("{dst} = _mm512_sub_ps({a}, {b});", includes=HEADER, features=FEATURES)
def sub_ps(dst: [f32][16] @ AVX512, a: [f32][16] @ AVX512, b: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 16):
        dst[i] = a[i] - b[i]


@instr("{dst} = _mm512_div_ps({a}, {b});", includes=HEADER, features=FEATURES)
def div_ps(dst: [f32][16] @ AVX512, a: [f32][16] @ AVX512, b: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 16):
        dst[i] = a[i] / b[i]


@instr("{dst} = _mm512_add_epi32({a}, {b});", includes=HEADER, features=FEATURES)
def add_epu32(dst: [u32][16] @ AVX512, a: [u32][16] @ AVX512, b: [u32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 16):
        dst[i] = a[i] + b[i]
