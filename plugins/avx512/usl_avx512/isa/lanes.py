"""The kinds of registers that families are made for."""

from __future__ import annotations

from usl_avx512.isa.families import Lanes

AVX512F = ("avx512f",)
AVX512BW = ("avx512f", "avx512bw")
AVX512BW_VL = ("avx512f", "avx512bw", "avx512vl")

_FLOATS = {"f32": "ps", "f64": "pd"}
MACROS = {8: "USL_AVX512_LANES8", 16: "USL_AVX512_LANES", 32: "USL_AVX512_LANES32", 64: "USL_AVX512_LANES64"}


def _spelt(t: str, lanes: int, i: str) -> dict[str, str]:
    """How the intrinsics of a kind of register are spelt, i being how they begin."""
    bits, size = int(t[1:]), lanes * int(t[1:])
    floats = _FLOATS.get(t)
    b = f"epi{bits}"
    if floats is not None:
        begins = {"whole": f"{i}_loadu_{floats}({{src.ptr}})", "put": f"{i}_storeu_{floats}({{dst.ptr}}, {{src}})"}
        less, one = f"{i}_cmp_{floats}_mask({{a}}, {{b}}, _CMP_LT_OQ)", f"{i}_set1_{floats}({{a}})"
    else:
        sign = "u" if t[0] == "u" else "i"
        type_ = f"__m{size}i"
        pointers = ("", "") if size == 512 else (f"(const {type_} *)", f"({type_} *)")
        whole = f"{i}_loadu_si{size}({pointers[0]}({{src.ptr}}))" if pointers[0] else f"{i}_loadu_si512({{src.ptr}})"
        put = (
            f"{i}_storeu_si{size}({pointers[1]}({{dst.ptr}}), {{src}})"
            if pointers[1]
            else f"{i}_storeu_si512({{dst.ptr}}, {{src}})"
        )
        begins = {"whole": whole, "put": put}
        less = f"{i}_cmplt_ep{sign}{bits}_mask({{a}}, {{b}})"
        cast = {8: "(char)", 16: "(short)", 32: "(int)", 64: "(long long)"}[bits]
        one = f"{i}_set1_epi{bits}{'x' if size < 512 and bits == 64 else ''}({cast}{{a}})"
    vector = f"__m{size}" + {"ps": "", "pd": "d", None: "i"}[floats]
    as_int, as_own = ("$x", "$x") if floats is None else (f"{i}_cast{floats}_si{size}($x)", f"{i}_castsi{size}_{floats}($x)")
    return {
        **begins,
        "i": i,
        "v": vector,
        "bits": str(bits),
        "c": {"f32": "float", "f64": "double"}.get(t, f"{'u' if t[0] == 'u' else ''}int{bits}_t"),
        "x": f"{bits}x{lanes}",
        "lanes": MACROS[lanes],
        "k": f"__mmask{lanes}",
        "mov": f"{i}_mask_mov_{floats or b}",
        "masked": f"{i}_mask_loadu_{floats or b}",
        "put_masked": f"{i}_mask_storeu_{floats or b}",
        "less": less,
        "one": one,
        "as_int": as_int,
        "as_own": as_own,
    }


def _zmm(s: str, t: str, lanes: int, mask: str, mov: str, **extra: str) -> Lanes:
    """Registers of 512 bits. mov is the intrinsic that copies the lanes of a mask."""
    features = AVX512F if lanes <= 16 else AVX512BW
    chosen = f"{mask}({{n}})"
    blanks = {**_spelt(t, lanes, "_mm512"), "mask": chosen, **extra}
    return Lanes(s, t, lanes, "AVX512", "mm512", f"{mov}({{dst}}, {chosen}, $value)", features, blanks)


def _part(s: str, t: str, lanes: int, memory: str, p: str, **extra: str) -> Lanes:
    """Parts of registers, of 256 or 128 bits, with the masks of AVX-512."""
    blanks = _spelt(t, lanes, f"_{p}")
    chosen = f"{MACROS[lanes]}({{n}})"
    blend = f"{blanks['mov']}({{dst}}, {chosen}, $value)"
    return Lanes(s, t, lanes, memory, p, blend, AVX512BW_VL, {**blanks, "mask": chosen, **extra})


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

_U8 = {"b": "epi8", "u": "epu8", "w": "u16", "ws": "i16", "greatest": "255"}
_I8 = {"b": "epi8", "u": "epi8", "w": "i16", "least": "-128", "greatest": "127"}
_U16 = {"b": "epi16", "u": "epu16", "w": "u32", "ws": "i32", "greatest": "65535"}
_I16 = {"b": "epi16", "u": "epi16", "w": "i32", "least": "-32768", "greatest": "32767"}

EPI64 = _zmm("epi64", "i64", 8, "USL_AVX512_LANES8", "_mm512_mask_mov_epi64", b="epi64", u="epi64")
EPU64 = _zmm("epu64", "u64", 8, "USL_AVX512_LANES8", "_mm512_mask_mov_epi64", b="epi64", u="epu64")
EPI32 = _zmm("epi32", "i32", 16, "USL_AVX512_LANES", "_mm512_mask_mov_epi32", b="epi32", u="epi32")
EPU32 = _zmm("epu32", "u32", 16, "USL_AVX512_LANES", "_mm512_mask_mov_epi32", b="epi32", u="epu32")
EPI16 = _zmm("epi16", "i16", 32, "USL_AVX512_LANES32", "_mm512_mask_mov_epi16", **_I16)
EPU16 = _zmm("epu16", "u16", 32, "USL_AVX512_LANES32", "_mm512_mask_mov_epi16", **_U16)
EPI8 = _zmm("epi8", "i8", 64, "USL_AVX512_LANES64", "_mm512_mask_mov_epi8", **_I8)
EPU8 = _zmm("epu8", "u8", 64, "USL_AVX512_LANES64", "_mm512_mask_mov_epi8", **_U8)

Y_EPU16 = _part("epu16", "u16", 16, "AVX512_YMM", "mm256", **_U16)
Y_EPI16 = _part("epi16", "i16", 16, "AVX512_YMM", "mm256", **_I16)
Y_EPU8 = _part("epu8", "u8", 32, "AVX512_YMM", "mm256", **_U8)
Y_EPI8 = _part("epi8", "i8", 32, "AVX512_YMM", "mm256", **_I8)
X_EPU8 = _part("epu8", "u8", 16, "AVX512_XMM", "mm", **_U8)
X_EPI8 = _part("epi8", "i8", 16, "AVX512_XMM", "mm", **_I8)
PARTS = (Y_EPU16, Y_EPI16, Y_EPU8, Y_EPI8, X_EPU8, X_EPI8)
"""Halves and quarters of registers: what 8- and 16-bit lanes fill beside as many wider ones."""

OF_LANES = {
    8: (PD, EPI64, EPU64),
    16: (PS, EPI32, EPU32, Y_EPI16, Y_EPU16, X_EPI8, X_EPU8),
    32: (EPI16, EPU16, Y_EPI8, Y_EPU8),
    64: (EPI8, EPU8),
}
"""The registers of so many lanes, for each type of which there is one."""
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
