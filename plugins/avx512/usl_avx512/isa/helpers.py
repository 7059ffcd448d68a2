"""C functions that templates call, where one expression does not say it. A file may get one twice: each has a guard."""

from __future__ import annotations

import re
from functools import cache
from string import Template
from textwrap import dedent

from usl_avx512.isa.helpers_avx2 import AVX2_FUNCTIONS
from usl_avx512.isa.helpers_bits import BITS_TEXTS
from usl_avx512.isa.helpers_division import DIVISION_TEXTS
from usl_avx512.isa.helpers_lanes import LANE_TEXTS
from usl_avx512.isa.helpers_lookup import LOOKUP_TEXTS
from usl_avx512.isa.helpers_movement import MOVEMENT, STREAM_TEXTS
from usl_avx512.masks import MACROS


def _guarded(name: str, text: str) -> str:
    """The text of one function, which may stand in a file more than once."""
    guard = name.upper()
    return f"#ifndef {guard}\n#define {guard}\n{dedent(text).strip()}\n#endif\n"


def _floats(text: str, name: str) -> dict[str, str]:
    """A function for registers of f32 and of f64; name ends in an underscore, the suffix follows."""
    rows = (
        {"s": "ps", "v": "__m512", "c": "float", "k": "__mmask16", "e": "epi32", "sign": "INT32_MIN", "one": "int"},
        {"s": "pd", "v": "__m512d", "c": "double", "k": "__mmask8", "e": "epi64", "sign": "INT64_MIN", "one": "long long"},
    )
    return {f"{name}{row['s']}": _guarded(f"{name}{row['s']}", Template(text).substitute(row)) for row in rows}


_NEG = """
    static inline $v usl_avx512_neg_$s($v x)
    {
        const __m512i sign = _mm512_set1_$e(($one)$sign);
        return _mm512_castsi512_$s(_mm512_xor_si512(_mm512_cast${s}_si512(x), sign));
    }
"""

_REDUCE = """
    static inline void usl_avx512_reduce_{pick}_$s($c *to, $k lanes, $v x)
    {{
        const $c found = _mm512_mask_reduce_{pick}_$s(lanes, x);
        *to = *to {relation} found ? *to : found;
    }}
"""

_SATURATE = """
    static inline __m512i usl_avx512_saturate_ps(__m512 x)
    {
        /* Towards zero; the instruction gives INT32_MIN where x is no i32: not right where x is too large or NaN. */
        const __mmask16 large = _mm512_cmp_ps_mask(x, _mm512_set1_ps(2147483648.0f), _CMP_GE_OQ);
        const __mmask16 number = _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q);
        const __m512i whole = _mm512_maskz_mov_epi32(number, _mm512_cvttps_epi32(x));
        return _mm512_mask_mov_epi32(whole, large, _mm512_set1_epi32(INT32_MAX));
    }
"""

_BROADCAST4 = """
    #include <string.h>
    static inline __m512i usl_avx512_broadcast4(const void *group)
    {
        int32_t bytes;
        memcpy(&bytes, group, 4);
        return _mm512_set1_epi32(bytes);
    }
"""

_DOT = """
    static inline __m512i usl_avx512_{name}(__m512i sum, __m512i a, __m512i b)
    {{
        /* gcc moves sums of the intrinsic to the stack and back in each round of a loop (11 and 12 do: half the speed). */
    #if defined(__GNUC__) && !defined(__clang__) && !defined(SIMDE_NO_NATIVE)
        __asm__("vp{name} %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
        return sum;
    #else
        return _mm512_{name}_epi32(sum, a, b);
    #endif
    }}
"""

_DPBF16 = """
    static inline __m512 usl_avx512_dpbf16(__m512 sum, __m512i a, __m512i b)
    {
        /* clang 16 crashes on the intrinsic in products of matrices. */
    #if defined(__clang__) && __clang_major__ == 16 && !defined(SIMDE_NO_NATIVE)
        __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
        return sum;
    #else
        return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
    #endif
    }
"""

_PACK4 = """
    static inline void usl_avx512_pack4(int8_t *to, const int8_t *from, int64_t row)
    {
        const __m128i a = _mm_loadu_si128((const __m128i *)from);
        const __m128i b = _mm_loadu_si128((const __m128i *)(from + row));
        const __m128i c = _mm_loadu_si128((const __m128i *)(from + 2 * row));
        const __m128i d = _mm_loadu_si128((const __m128i *)(from + 3 * row));
        const __m128i ab = _mm_unpacklo_epi8(a, b), cd = _mm_unpacklo_epi8(c, d);
        const __m128i ab_high = _mm_unpackhi_epi8(a, b), cd_high = _mm_unpackhi_epi8(c, d);
        _mm_storeu_si128((__m128i *)to, _mm_unpacklo_epi16(ab, cd));
        _mm_storeu_si128((__m128i *)(to + 16), _mm_unpackhi_epi16(ab, cd));
        _mm_storeu_si128((__m128i *)(to + 32), _mm_unpacklo_epi16(ab_high, cd_high));
        _mm_storeu_si128((__m128i *)(to + 48), _mm_unpackhi_epi16(ab_high, cd_high));
    }
"""

_BEHIND = """
    static inline $v usl_avx512_behind_$s($v from, int64_t d)
    {
        /* Each lane is the one d lanes before; the first d lanes are the last ones. */
        const __m512i lanes = $numbers;
        return _mm512_permutexvar_$s(_mm512_sub_$e(lanes, _mm512_set1_$e(($one)d)), from);
    }
"""
_NUMBERS = {
    "epi32": f"_mm512_setr_epi32({', '.join(map(str, range(16)))})",
    "epi64": f"_mm512_setr_epi64({', '.join(map(str, range(8)))})",
}


def _behind() -> dict[str, str]:
    """`usl_avx512_behind_` for all registers with lanes of 32 and 64 bits."""
    rows = (("ps", "__m512", "epi32"), ("pd", "__m512d", "epi64"), ("epi32", "__m512i", "epi32"), ("epi64", "__m512i", "epi64"))
    names = {s: f"usl_avx512_behind_{s}" for s, _, _ in rows}
    one = {"epi32": "int", "epi64": "long long"}
    text = Template(_BEHIND)
    return {names[s]: _guarded(names[s], text.substitute(s=s, v=v, e=e, one=one[e], numbers=_NUMBERS[e])) for s, v, e in rows}


_COMPRESS = """
    static inline void usl_avx512_compress_ps(int64_t *count, float *to, int64_t size, const float *from, const uint8_t *keep)
    {
        const __m128i wanted = _mm_loadu_si128((const __m128i *)keep);
        const __mmask16 mask = (__mmask16)~_mm_movemask_epi8(_mm_cmpeq_epi8(wanted, _mm_setzero_si128()));
        const int64_t more = __builtin_popcount(mask);
        if (*count >= 0 && *count <= size - more) {
            const __m512 found = _mm512_maskz_compress_ps(mask, _mm512_loadu_ps(from));
            _mm512_mask_storeu_ps(to + *count, (__mmask16)((1u << more) - 1u), found);
            *count += more;
            return;
        }
        for (int i = 0; i < 16; i++) {  /* idx: elements beyond the ends of `to` go to the ends */
            if (keep[i]) {
                to[*count < 0 ? 0 : *count < size ? *count : size - 1] = from[i];
                *count = (int64_t)((uint64_t)*count + 1u);
            }
        }
    }
"""

_FILTER = """
    static inline void usl_avx512_filter_{s}(int64_t *count, {c} *to, int64_t size, {v} from, __m512i keep)
    {{
        const uint32_t mask = _mm512_cmpgt_epi{b}_mask(keep, _mm512_setzero_si512());
        const int64_t kept = __builtin_popcount(mask), written = kept + (mask >> {last} == 0);
        if (*count >= 0 && *count <= size - written) {{
            /* A lane that is not kept is overwritten by the next: the last one stays behind the others if it is not kept. */
            const {v} others = _mm512_permutexvar_{s}(_mm512_set1_epi{b}({last}), from);
            const {v} found = _mm512_mask_compress_{s}(others, (__mmask{l})mask, from);
            _mm512_mask_storeu_{s}(to + *count, (__mmask{l})((1u << written) - 1u), found);
            *count += kept;
            return;
        }}
        {c} items[{l}];
        _mm512_storeu_{p}(items, from);
        for (int i = 0; i < {l}; i++) {{ /* idx: elements beyond the ends of `to` go to the ends */
            to[*count < 0 ? 0 : *count < size ? *count : size - 1] = items[i];
            *count = (int64_t)((uint64_t)*count + (mask >> i & 1u));
        }}
    }}
"""
_FILTERS = (
    {"s": "ps", "c": "float", "v": "__m512", "b": 32, "l": 16, "last": 15, "p": "ps"},
    {"s": "pd", "c": "double", "v": "__m512d", "b": 64, "l": 8, "last": 7, "p": "pd"},
    {"s": "epi32", "c": "int32_t", "v": "__m512i", "b": 32, "l": 16, "last": 15, "p": "si512"},
    {"s": "epi64", "c": "int64_t", "v": "__m512i", "b": 64, "l": 8, "last": 7, "p": "si512"},
)

_TRANSPOSE_PAIRS = """
    static inline void usl_avx512_turned_pairs(uint16_t *to, int64_t to_row, const uint16_t *from, int64_t from_row)
    {
        __m512 r[16];
        for (int i = 0; i < 16; i++)
            r[i] = _mm512_castsi512_ps(_mm512_loadu_si512(from + i * from_row));
        usl_avx512_transpose_in_place_ps(r);
        for (int i = 0; i < 16; i++)
            _mm512_storeu_si512(to + i * to_row, _mm512_castps_si512(r[i]));
    }
"""

_PACK2 = """
    static inline void usl_avx512_pack2(int16_t *to, const int16_t *from, int64_t row)
    {
        for (int i = 0; i < 16; i += 8) {
            const __m128i a = _mm_loadu_si128((const __m128i *)(from + i));
            const __m128i b = _mm_loadu_si128((const __m128i *)(from + row + i));
            _mm_storeu_si128((__m128i *)(to + 2 * i), _mm_unpacklo_epi16(a, b));
            _mm_storeu_si128((__m128i *)(to + 2 * i + 8), _mm_unpackhi_epi16(a, b));
        }
    }
"""

_FROM_BF16 = """
    static inline __m512 usl_avx512_from_bf16(__m256i x)
    {
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
    }
"""

_FMABF16 = """
    static inline __m512 usl_avx512_fmabf16(__m512 sum, __m512i a, __m512i b)
    {
        /* A bf16 is the upper half of an f32. */
        const __m512i upper = _mm512_set1_epi32((int32_t)0xffff0000u);
        const __m512 a0 = _mm512_castsi512_ps(_mm512_slli_epi32(a, 16)), a1 = _mm512_castsi512_ps(_mm512_and_si512(a, upper));
        const __m512 b0 = _mm512_castsi512_ps(_mm512_slli_epi32(b, 16)), b1 = _mm512_castsi512_ps(_mm512_and_si512(b, upper));
        return _mm512_fmadd_ps(a1, b1, _mm512_fmadd_ps(a0, b0, sum));
    }
"""

_TO_BF16 = """
    static inline __m512i usl_avx512_to_bf16(__m512 x)
    {
        /* To nearest, ties to even: add half of what is cut off, less one bit unless the kept part is odd. A NaN stays one. */
        const __m512i bits = _mm512_castps_si512(x), kept = _mm512_srli_epi32(bits, 16);
        const __m512i half = _mm512_add_epi32(_mm512_and_si512(kept, _mm512_set1_epi32(1)), _mm512_set1_epi32(0x7fff));
        const __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(bits, half), 16);
        const __mmask16 number = _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q);
        return _mm512_mask_mov_epi32(_mm512_or_si512(kept, _mm512_set1_epi32(0x40)), number, rounded);
    }
"""

_CVTPS_BF16 = """
    static inline __m256i usl_avx512_cvtps_bf16(__m512 x)
    {
    #if defined(__AVX512BF16__) && !defined(SIMDE_NO_NATIVE)
        /* The instruction takes subnormal numbers for zeros, and is right otherwise. No intrinsics: types of bf16 differ among
         * compilers, and the test is of AVX512_DQ, which processors with AVX512_BF16 have and compilers may not know. */
        __mmask16 subnormal;
        __asm__("vfpclassps $0x20, %1, %0" : "=k"(subnormal) : "v"(x));
        if (__builtin_expect(subnormal == 0, 1)) {
            __m256i rounded;
            __asm__("vcvtneps2bf16 %1, %0" : "=v"(rounded) : "v"(x));
            return rounded;
        }
    #endif
        return _mm512_cvtepi32_epi16(usl_avx512_to_bf16(x));
    }
"""

_DIV9_EPU16 = """
    static inline __m512i usl_avx512_div9_epu16(__m512i x)
    {
        /* floor(x / 9) = (x * 58255) >> 19 for every 16-bit x, as 9 * 58255 = 2^19 + 7 (Granlund and Montgomery 1994). */
        return _mm512_srli_epi16(_mm512_mulhi_epu16(x, _mm512_set1_epi16((short)58255)), 3);
    }
"""

_SUMS = """\
/* Sums of lanes of two registers each, until a register has those of all: what is to be added to one half of each goes to the
 * other, by one blend and one permutation. Halves, then quarters, then eighths. */
static inline $v usl_avx512_halves_$s($v a, $v b)
{
    return _mm512_add_$s(_mm512_mask_blend_$s($upper, a, b), _mm512_shuffle_$quarters(a, b, 0x4e));
}

static inline __m512d usl_avx512_bits_$s($v a)
{
    return $as_pd;
}

static inline $v usl_avx512_floats_$s(__m512d a)
{
    return $from_pd;
}

static inline $v usl_avx512_quarters_of_$s($v a, $v b)
{
    const __m512i across = _mm512_setr_epi64(2, 3, 8, 9, 6, 7, 12, 13);
    const __m512d p = usl_avx512_bits_$s(a), q = usl_avx512_bits_$s(b);
    return _mm512_add_$s(
        usl_avx512_floats_$s(_mm512_mask_blend_pd(0xcc, p, q)), usl_avx512_floats_$s(_mm512_permutex2var_pd(p, across, q)));
}

static inline $v usl_avx512_eighths_$s($v a, $v b)
{
    const __m512d p = usl_avx512_bits_$s(a), q = usl_avx512_bits_$s(b);
    return _mm512_add_$s(
        usl_avx512_floats_$s(_mm512_mask_blend_pd(0xaa, p, q)), usl_avx512_floats_$s(_mm512_shuffle_pd(p, q, 0x55)));
}

/* The lanes of a register beside each other: as many sums in the first lanes, zeros or more sums behind them. */
static inline $v usl_avx512_sums8_$s($eight)
{
    const $v odd = usl_avx512_quarters_of_$s(usl_avx512_halves_$s(a, e), usl_avx512_halves_$s(c, g));
    const $v even = usl_avx512_quarters_of_$s(usl_avx512_halves_$s(b, f), usl_avx512_halves_$s(d, h));
    const $v sums = usl_avx512_eighths_$s(odd, even);
    $last8
}

static inline $v usl_avx512_sums4_$s($v a, $v b, $v c, $v d)
{
    const $v four = usl_avx512_quarters_of_$s(usl_avx512_halves_$s(a, c), usl_avx512_halves_$s(b, d));
    const $v sums = usl_avx512_eighths_$s(four, four);
    $last4
}
"""


def _sums(s: str) -> str:
    """Sums of the lanes of eight and of four registers."""
    single = s == "ps"
    register = "__m512" if single else "__m512d"
    eight = ", ".join(f"{register} {name}" for name in "abcdefgh")
    pairs = (
        "const __m512i evens = _mm512_setr_epi32({0}), odds = _mm512_setr_epi32({1});\n"
        "    return _mm512_add_ps(_mm512_permutexvar_ps(evens, sums), _mm512_permutexvar_ps(odds, sums));"
    )
    eights = [", ".join(str((2 * lane + odd) % 16) for lane in range(16)) for odd in (0, 1)]
    fours = [", ".join(str((4 * lane + odd) % 16) for lane in range(16)) for odd in (0, 1)]
    last4 = "return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), sums);"
    chosen = {
        "s": s,
        "v": register,
        "upper": "0xff00" if single else "0xf0",
        "quarters": "f32x4" if single else "f64x2",
        "as_pd": "_mm512_castps_pd(a)" if single else "a",
        "from_pd": "_mm512_castpd_ps(a)" if single else "a",
        "eight": eight,
        "last8": pairs.format(*eights) if single else "return sums;",
        "last4": pairs.format(*fours) if single else last4,
    }
    return Template(_SUMS).substitute(chosen)


_TEXTS = {**LANE_TEXTS, **DIVISION_TEXTS, **LOOKUP_TEXTS, **STREAM_TEXTS}


@cache
def _with_callees(name: str) -> str:
    """A function, with the macros and functions that it names before it."""
    text = _TEXTS[name]
    called = dict.fromkeys(re.findall(r"\busl_avx512_(\w+)(?=\()", text))
    macros = [macro for use, macro in MACROS.items() if use in text]
    callees = [_with_callees(each) for each in called if each != name]
    return "".join(dict.fromkeys([*macros, *callees, _guarded(f"usl_avx512_{name}", text)]))


HELPERS: dict[str, str] = {
    "usl_avx512_div9_epu16": _guarded("usl_avx512_div9_epu16", _DIV9_EPU16),
    "usl_avx512_broadcast4": _guarded("usl_avx512_broadcast4", _BROADCAST4),
    "usl_avx512_dpbf16": _guarded("usl_avx512_dpbf16", _DPBF16),
    **{f"usl_avx512_{name}": _guarded(f"usl_avx512_{name}", _DOT.format(name=name)) for name in ("dpbusd", "dpwssd")},
    **{f"usl_avx512_sums{count}_{s}": _guarded(f"usl_avx512_sums_{s}", _sums(s)) for count in (4, 8) for s in ("ps", "pd")},
    "usl_avx512_pack4": _guarded("usl_avx512_pack4", _PACK4),
    "usl_avx512_pack2": _guarded("usl_avx512_pack2", _PACK2),
    "usl_avx512_compress_ps": _guarded("usl_avx512_compress_ps", _COMPRESS),
    **{f"usl_avx512_filter_{row['s']}": _guarded(f"usl_avx512_filter_{row['s']}", _FILTER.format_map(row)) for row in _FILTERS},
    "usl_avx512_turned_pairs": MOVEMENT["usl_avx512_transpose_ps"] + _guarded("usl_avx512_turned_pairs", _TRANSPOSE_PAIRS),
    **_behind(),
    "usl_avx512_from_bf16": _guarded("usl_avx512_from_bf16", _FROM_BF16),
    "usl_avx512_fmabf16": _guarded("usl_avx512_fmabf16", _FMABF16),
    "usl_avx512_to_bf16": _guarded("usl_avx512_to_bf16", _TO_BF16),
    "usl_avx512_cvtps_bf16": _guarded("usl_avx512_to_bf16", _TO_BF16) + _guarded("usl_avx512_cvtps_bf16", _CVTPS_BF16),
    **MOVEMENT,
    **AVX2_FUNCTIONS,
    **BITS_TEXTS,
    **{f"usl_avx512_{name}": _with_callees(name) for name in _TEXTS},
    "usl_avx512_saturate_ps": _guarded("usl_avx512_saturate_ps", _SATURATE),
    **_floats(_NEG, "usl_avx512_neg_"),
    **_floats(_REDUCE.format(pick="min", relation="<"), "usl_avx512_reduce_min_"),
    **_floats(_REDUCE.format(pick="max", relation=">"), "usl_avx512_reduce_max_"),
}
"""By the name of the function."""
