"""From one type to another: casts of the object language, many lanes at a time, exact or rounded just once as the cast is.

Integers narrow by keeping the low half; where a body says `clamp`, they saturate. f32 to integers saturates and makes NaN 0, as
the cast does, where the processor's own conversion gives the least integer: `usl_avx512_saturate_ps` mends that. Memory may be
one end of a conversion; of sixteen 8-bit elements it always is, as they are a quarter of a register.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from usl_avx512.isa.families import Source, Table, plain

F = ("avx512f",)
BW = ("avx512f", "avx512bw")
BW_VL = ("avx512f", "avx512bw", "avx512vl")

_LOAD = {"u8": "epi8", "i8": "epi8", "u16": "epi16", "i16": "epi16", "i32": "epi32", "f32": "ps"}


def _loading(name: str, source: str, target: str, lanes: int, whole: str, masked: str, convert: str) -> Iterator[Source]:
    """A conversion of elements in memory, of all lanes and of those below n.

    whole and masked are C for what is loaded, `$from` in convert.
    """
    mask = _MASKS[lanes]
    blend = f"_mm512_mask_mov_{_BLENDS[target]}({{dst}}, {mask}, {convert})"
    yield from plain(
        f"""
        @instr("{{dst}} = {convert.replace("$from", whole)};")
        def mm512_loadu_{name}(dst: [{target}][{lanes}] @ AVX512, src: [{source}][{lanes}] @ DRAM):
            for i in seq(0, {lanes}):
                dst[i] = {target}(src[i])
        """,
        *(BW if lanes > 16 else F),
    )
    yield from plain(
        f"""
        @instr("{{dst}} = {blend.replace("$from", masked)};")
        def mm512_mask_loadu_{name}(n: size, dst: [{target}][{lanes}] @ AVX512, src: [{source}][n] @ DRAM):
            for i in seq(0, {lanes}):
                if i < n:
                    dst[i] = {target}(src[i])
        """,
        *BW_VL,
    )


_MASKS = {8: "USL_AVX512_LANES8({n})", 16: "USL_AVX512_LANES({n})", 32: "USL_AVX512_LANES32({n})"}
_BLENDS = {"f32": "ps", "f64": "pd", "i32": "epi32", "u32": "epi32", "i16": "epi16", "u16": "epi16", "i64": "epi64"}


def _widening(name: str, source: str, target: str, lanes: int, convert: str) -> Iterator[Source]:
    """As _loading, from integers or f32 that fill 128 or 256 bits."""
    bits = lanes * int(source[1:])
    suffix, short = _LOAD[source], {128: "_mm", 256: "_mm256"}[bits]
    if suffix == "ps":
        whole, masked = f"{short}_loadu_ps({{src.ptr}})", f"{short}_maskz_loadu_ps({_MASKS[lanes]}, {{src.ptr}})"
    else:
        whole = f"{short}_loadu_si{bits}((const __m{bits}i *)({{src.ptr}}))"
        masked = f"{short}_maskz_loadu_{suffix}({_MASKS[lanes]}, {{src.ptr}})"
    yield from _loading(name, source, target, lanes, whole, masked, convert)


LOADS = chain(
    _widening("cvtepu8_epi32", "u8", "i32", 16, "_mm512_cvtepu8_epi32($from)"),
    _widening("cvtepu8_epu32", "u8", "u32", 16, "_mm512_cvtepu8_epi32($from)"),
    _widening("cvtepi8_epi32", "i8", "i32", 16, "_mm512_cvtepi8_epi32($from)"),
    _widening("cvtepi16_epi32", "i16", "i32", 16, "_mm512_cvtepi16_epi32($from)"),
    _widening("cvtepu8_epu16", "u8", "u16", 32, "_mm512_cvtepu8_epi16($from)"),
    _widening("cvtepi8_epi16", "i8", "i16", 32, "_mm512_cvtepi8_epi16($from)"),
    _widening("cvtepu8_ps", "u8", "f32", 16, "_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32($from))"),
    _widening("cvtepi8_ps", "i8", "f32", 16, "_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32($from))"),
    _widening("cvtepu16_ps", "u16", "f32", 16, "_mm512_cvtepi32_ps(_mm512_cvtepu16_epi32($from))"),
    _widening("cvtepi16_ps", "i16", "f32", 16, "_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32($from))"),
    _widening("cvtps_pd", "f32", "f64", 8, "_mm512_cvtps_pd($from)"),
    _widening("cvtepi32_pd", "i32", "f64", 8, "_mm512_cvtepi32_pd($from)"),
    _widening("cvtepi32_epi64", "i32", "i64", 8, "_mm512_cvtepi32_epi64($from)"),
)


def _register(name: str, source: str, target: str, lanes: int, homes: str, value: str, body: str = "") -> Iterator[Source]:
    """A conversion from register to register, of all lanes. homes: the memories of target and source."""
    to, from_ = homes.split()
    return plain(
        f"""
        @instr("{{dst}} = {value};")
        def mm512_{name}(dst: [{target}][{lanes}] @ {to}, src: [{source}][{lanes}] @ {from_}):
            for i in seq(0, {lanes}):
                dst[i] = {body or f"{target}(src[i])"}
        """,
        *(BW if "epi16_epi8" in value or lanes > 16 else F),
    )


def _same_width(name: str, source: str, target: str, value: str) -> Iterator[Source]:
    """A conversion between sixteen lanes and sixteen lanes, of all of them and of those below n."""
    yield from _register(name, source, target, 16, "AVX512 AVX512", value)
    yield from plain(
        f"""
        @instr("{{dst}} = _mm512_mask_mov_{_BLENDS[target]}({{dst}}, USL_AVX512_LANES({{n}}), {value});")
        def mm512_mask_{name}(n: size, dst: [{target}][16] @ AVX512, src: [{source}][16] @ AVX512):
            for i in seq(0, 16):
                if i < n:
                    dst[i] = {target}(src[i])
        """,
        *F,
    )


REGISTERS = chain(
    _same_width("cvtepi32_ps", "i32", "f32", "_mm512_cvtepi32_ps({src})"),
    _same_width("cvtepu32_ps", "u32", "f32", "_mm512_cvtepu32_ps({src})"),
    _same_width("cvttps_epi32", "f32", "i32", "usl_avx512_saturate_ps({src})"),
    _register("cvtps_pd", "f32", "f64", 8, "AVX512 AVX512_YMM", "_mm512_cvtps_pd({src})"),
    _register("cvtpd_ps", "f64", "f32", 8, "AVX512_YMM AVX512", "_mm512_cvtpd_ps({src})"),
    _register("cvtepi16_epi32", "i16", "i32", 16, "AVX512 AVX512_YMM", "_mm512_cvtepi16_epi32({src})"),
    _register("cvtepi32_epi16", "i32", "i16", 16, "AVX512_YMM AVX512", "_mm512_cvtepi32_epi16({src})"),
    _register("cvtepu8_epu16", "u8", "u16", 32, "AVX512 AVX512_YMM", "_mm512_cvtepu8_epi16({src})"),
    _register("cvtepu16_epu8", "u16", "u8", 32, "AVX512_YMM AVX512", "_mm512_cvtepi16_epi8({src})"),
    _register("cvtepi8_epi16", "i8", "i16", 32, "AVX512 AVX512_YMM", "_mm512_cvtepi8_epi16({src})"),
    _register("cvtepi16_epi8", "i16", "i8", 32, "AVX512_YMM AVX512", "_mm512_cvtepi16_epi8({src})"),
    plain(
        """
        @instr("{low} = _mm512_castps512_ps256({src}); "
               "{high} = _mm512_castps512_ps256(_mm512_shuffle_f32x4({src}, {src}, 0x4e));")
        def mm512_split_ps(low: [f32][8] @ AVX512_YMM, high: [f32][8] @ AVX512_YMM, src: [f32][16] @ AVX512):
            for i in seq(0, 8):
                low[i] = src[i]
            for i in seq(0, 8):
                high[i] = src[8 + i]
        """,
        *F,
    ),
    plain(
        """
        @instr("{dst} = _mm512_castps256_ps512({src});")
        def mm512_castps256_ps512(dst: [f32][16] @ AVX512, src: [f32][8] @ AVX512_YMM):
            undefined: f32
            for i in seq(0, 16):
                if i < 8:
                    dst[i] = src[i]
                else:
                    dst[i] = undefined
        """,
        *F,
    ),
    plain(
        """
        @instr("{dst} = _mm512_castsi256_si512({src});")
        def mm512_castsi256_si512(dst: [u16][32] @ AVX512, src: [u16][16] @ AVX512_YMM):
            undefined: u16
            for i in seq(0, 32):
                if i < 16:
                    dst[i] = src[i]
                else:
                    dst[i] = undefined
        """,
        *F,
    ),
)
"""The last two leave the upper half undefined, which is what their bodies say: a lane that was never written."""


def _storing(name: str, source: str, target: str, lanes: int, value: str, masked: str, body: str) -> Iterator[Source]:
    """A conversion on the way to memory, of all lanes and of those below n."""
    bits = lanes * int(target[1:])
    store = {
        "f32": f"_mm256_storeu_ps({{dst.ptr}}, {value});",
        "u8": f"_mm{'' if bits == 128 else 256}_storeu_si{bits}((__m{bits}i *)({{dst.ptr}}), {value});",
    }
    store |= {"i8": store["u8"], "i16": store["u8"], "u16": store["u8"]}
    yield from plain(
        f"""
        @instr("{store[target]}")
        def mm512_{name}(dst: [{target}][{lanes}] @ DRAM, src: [{source}][{lanes}] @ AVX512):
            for i in seq(0, {lanes}):
                dst[i] = {body}
        """,
        *(BW if lanes > 16 else F),
    )
    yield from plain(
        f"""
        @instr("{masked};")
        def mm512_mask_{name}(n: size, dst: [{target}][n] @ DRAM, src: [{source}][{lanes}] @ AVX512):
            for i in seq(0, {lanes}):
                if i < n:
                    dst[i] = {body}
        """,
        *(BW if lanes > 16 else BW_VL if target == "f32" else F),
    )


def _packing(name: str, source: str, target: str, lanes: int, how: str, src: str, body: str) -> Iterator[Source]:
    """A narrowing store by the instruction that narrows as `how` says."""
    value = f"_mm512_{how}({src})"
    begin, end = how.rsplit("_", 1)
    masked = f"_mm512_mask_{begin}_storeu_{end}({{dst.ptr}}, {_MASKS[lanes]}, {src})"
    return _storing(name, source, target, lanes, value, masked, body)


POSITIVE = "_mm512_max_epi32({src}, _mm512_setzero_si512())"
SATURATED_POSITIVE = "_mm512_max_epi32(usl_avx512_saturate_ps({src}), _mm512_setzero_si512())"

ROUNDED_POSITIVE = "_mm512_cvtps_epu32(_mm512_max_ps({src}, _mm512_setzero_ps()))"
"""Of NaN the maximum is 0; what is too large becomes the largest u32, which is saturated again."""
ROUNDED = (
    "_mm512_maskz_cvtps_epi32(_mm512_cmp_ps_mask({src}, {src}, _CMP_ORD_Q), _mm512_min_ps({src}, _mm512_set1_ps(65536.0f)))"
)
"""What is too small becomes the least i32, which is saturated again; what is too large would, too."""

STORES = chain(
    _packing("cvtepu32_storeu_epu8", "u32", "u8", 16, "cvtepi32_epi8", "{src}", "u8(src[i])"),
    _packing("cvtepi32_storeu_epi8", "i32", "i8", 16, "cvtepi32_epi8", "{src}", "i8(src[i])"),
    _packing("cvtepu16_storeu_epu8", "u16", "u8", 32, "cvtepi16_epi8", "{src}", "u8(src[i])"),
    _packing("cvtsepi32_storeu_epi8", "i32", "i8", 16, "cvtsepi32_epi8", "{src}", "i8(clamp(src[i], -128, 127))"),
    _packing("cvtsepi32_storeu_epi16", "i32", "i16", 16, "cvtsepi32_epi16", "{src}", "i16(clamp(src[i], -32768, 32767))"),
    _packing("cvtusepi32_storeu_epu8", "i32", "u8", 16, "cvtusepi32_epi8", POSITIVE, "u8(clamp(src[i], 0, 255))"),
    _packing("cvtusepi32_storeu_epu16", "i32", "u16", 16, "cvtusepi32_epi16", POSITIVE, "u16(clamp(src[i], 0, 65535))"),
    _packing("cvtusepu16_storeu_epu8", "u16", "u8", 32, "cvtusepi16_epi8", "{src}", "u8(min(src[i], 255))"),
    _packing("cvttps_storeu_epu8", "f32", "u8", 16, "cvtusepi32_epi8", SATURATED_POSITIVE, "u8(src[i])"),
    _packing("cvttps_storeu_epu16", "f32", "u16", 16, "cvtusepi32_epi16", SATURATED_POSITIVE, "u16(src[i])"),
    _packing("cvttps_storeu_epi8", "f32", "i8", 16, "cvtsepi32_epi8", "usl_avx512_saturate_ps({src})", "i8(src[i])"),
    _packing("cvttps_storeu_epi16", "f32", "i16", 16, "cvtsepi32_epi16", "usl_avx512_saturate_ps({src})", "i16(src[i])"),
    _packing("cvtps_storeu_epu8", "f32", "u8", 16, "cvtusepi32_epi8", ROUNDED_POSITIVE, "u8(rint(src[i]))"),
    _packing("cvtps_storeu_epu16", "f32", "u16", 16, "cvtusepi32_epi16", ROUNDED_POSITIVE, "u16(rint(src[i]))"),
    _packing("cvtps_storeu_epi8", "f32", "i8", 16, "cvtsepi32_epi8", ROUNDED, "i8(rint(src[i]))"),
    _packing("cvtps_storeu_epi16", "f32", "i16", 16, "cvtsepi32_epi16", ROUNDED, "i16(rint(src[i]))"),
    _storing(
        "cvtpd_storeu_ps",
        "f64",
        "f32",
        8,
        "_mm512_cvtpd_ps({src})",
        "_mm256_mask_storeu_ps({dst.ptr}, USL_AVX512_LANES8({n}), _mm512_cvtpd_ps({src}))",
        "f32(src[i])",
    ),
)

TABLE = Table(__name__, LOADS, REGISTERS, STORES)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
