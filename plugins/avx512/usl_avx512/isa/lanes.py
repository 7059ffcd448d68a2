"""The kinds of registers that families are made for."""

from __future__ import annotations

from usl_avx512.isa.families import Lanes

AVX512F = ("avx512f",)
AVX512BW = ("avx512f", "avx512bw")


def _zmm(s: str, t: str, lanes: int, mask: str, mov: str, **extra: str) -> Lanes:
    """Registers of 512 bits. mov is the intrinsic that copies the lanes of a mask."""
    features = AVX512F if lanes <= 16 else AVX512BW
    chosen = f"{mask}({{n}})"
    return Lanes(s, t, lanes, "AVX512", "mm512", f"{mov}({{dst}}, {chosen}, $value)", features, {"mask": chosen, **extra})


PS = _zmm(
    *("ps", "f32", 16, "USL_AVX512_LANES", "_mm512_mask_mov_ps"),
    d="ss",
    add="5",
    e="epi32",
    j="i32",
    all="(__mmask16)0xffff",
    reversed="_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)",
)
PD = _zmm(
    *("pd", "f64", 8, "USL_AVX512_LANES8", "_mm512_mask_mov_pd"),
    d="sd",
    add="4",
    e="epi64",
    j="i64",
    all="(__mmask8)0xff",
    reversed="_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0)",
)
"""d: the suffix of intrinsics for a single number. add: how many roundings a sum of all lanes onto a scalar has on the way from
any of them. j, e: integers of that width."""

HALF_PS, HALF_PD = (
    Lanes(s, t, lanes, "AVX512_YMM", "mm256", "", ("avx512f", "avx512vl", "fma"), {"mask": "USL_AVX512_LANES8({n})"})
    for s, t, lanes in (("ps", "f32", 8), ("pd", "f64", 4))
)
"""Lower halves, with the masks of AVX-512."""

EPI64 = _zmm("epi64", "i64", 8, "USL_AVX512_LANES8", "_mm512_mask_mov_epi64", b="epi64", u="epi64")
EPI32 = _zmm("epi32", "i32", 16, "USL_AVX512_LANES", "_mm512_mask_mov_epi32", b="epi32", u="epi32")
EPU32 = _zmm("epu32", "u32", 16, "USL_AVX512_LANES", "_mm512_mask_mov_epi32", b="epi32", u="epu32")
EPI16 = _zmm("epi16", "i16", 32, "USL_AVX512_LANES32", "_mm512_mask_mov_epi16", b="epi16", u="epi16")
EPU16 = _zmm("epu16", "u16", 32, "USL_AVX512_LANES32", "_mm512_mask_mov_epi16", b="epi16", u="epu16", w="u32", greatest="65535")
EPI8 = _zmm("epi8", "i8", 64, "USL_AVX512_LANES64", "_mm512_mask_mov_epi8", b="epi8", u="epi8")
EPU8 = _zmm("epu8", "u8", 64, "USL_AVX512_LANES64", "_mm512_mask_mov_epi8", b="epi8", u="epu8", w="u16", greatest="255")
"""b: the suffix of operations that do not tell signed from unsigned; u: of those that do."""


def _ymm(s: str, t: str, lanes: int, blend: str, features: tuple[str, ...], **extra: str) -> Lanes:
    """Registers of 256 bits."""
    return Lanes(s, t, lanes, "AVX2", "avx2", blend, features, extra)


_AVX = ("avx",)
_AVX2 = ("avx", "avx2")

YMM_PS = _ymm("ps", "f32", 8, "_mm256_blendv_ps({dst}, $value, _mm256_castsi256_ps(USL_AVX2_LANES({n})))", _AVX)
YMM_EPI32 = _ymm("epi32", "i32", 8, "_mm256_blendv_epi8({dst}, $value, USL_AVX2_LANES({n}))", _AVX2, b="epi32", u="epi32")
YMM_EPU32 = _ymm("epu32", "u32", 8, "_mm256_blendv_epi8({dst}, $value, USL_AVX2_LANES({n}))", _AVX2, b="epi32", u="epu32")
YMM_EPU16 = _ymm("epu16", "u16", 16, "", _AVX2, b="epi16", u="epu16", w="u32", greatest="65535")
YMM_EPU8 = _ymm("epu8", "u8", 32, "", _AVX2, b="epi8", u="epu8", w="u16", greatest="255")
"""Without a blend: AVX2 masks nothing narrower than 32 bits, so these have no masked forms."""
