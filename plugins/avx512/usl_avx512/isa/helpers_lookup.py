"""The C functions behind the templates of `lookups`."""

from __future__ import annotations

from collections.abc import Iterator

_INDICES = {16: ("u8", "u16", "i16", "i32", "u32"), 32: ("u8", "u16", "i16"), 64: ("u8",), 8: ("i64",)}
"""Types of the numbers that are looked up by, for each number of lanes."""
BY_BITS = {16: (8, 16, 32), 32: (8, 16), 64: (8,)}
"""Bits of what is found."""

_WIDENED = {
    "u8": "_mm512_cvtepu8_epi32(k)",
    "u16": "_mm512_cvtepu16_epi32(k)",
    "i16": "_mm512_cvtepi16_epi32(k)",
    "i32": "k",
    "u32": "k",
}


def indices(lanes: int) -> tuple[str, ...]:
    """The types of numbers that a table is looked up by in so many lanes."""
    return _INDICES[lanes]


def _i(size: int) -> str:
    return {128: "_mm", 256: "_mm256", 512: "_mm512"}[size]


def _one_by_one(bits: int, lanes: int, k: str) -> str:
    """Lane by lane: there is no instruction that gathers bytes or 16-bit numbers without reading beyond the last."""
    size, keys = bits * lanes, int(k[1:]) * lanes
    c = f"{'u' if k[0] == 'u' else ''}int{k[1:]}_t"
    cast, const = ("" if keys == 512 else f"(__m{keys}i *)"), ("" if size == 512 else f"(const __m{size}i *)")
    return f"""
static inline __m{size}i usl_avx512_lookup_{bits}x{lanes}_{k}(const void *table, __m{keys}i k, int64_t lo, int64_t hi)
{{
    const uint{bits}_t *x = (const uint{bits}_t *)table;
    {c} at[{lanes}];
    uint{bits}_t found[{lanes}];
    {_i(keys)}_storeu_si{keys}({cast}at, k);
    for (int i = 0; i < {lanes}; i++) {{
        const int64_t below = (int64_t)at[i] < hi ? (int64_t)at[i] : hi - 1;
        found[i] = x[below > lo ? below : lo];
    }}
    return {_i(size)}_loadu_si{size}({const}found);
}}
"""


def _gathered(k: str) -> str:
    pick = "epu32" if k == "u32" else "epi32"
    keys = int(k[1:]) * 16
    return f"""
static inline __m512i usl_avx512_gathered_32x16_{k}(const void *table, __m{keys}i k, int64_t lo, int64_t hi)
{{
    if (hi > INT32_MAX)
        return usl_avx512_lookup_32x16_{k}(table, k, lo, hi);
    __m512i at = {_WIDENED[k]};
    at = _mm512_min_{pick}(at, _mm512_set1_epi32((int)(hi - 1)));
    at = _mm512_max_{pick}(at, _mm512_set1_epi32((int)lo));
    return _mm512_i32gather_epi32(at, table, 4);
}}
"""


_GATHERED_WIDE = """
static inline __m512i usl_avx512_gathered_64x8_i64(const void *table, __m512i k, int64_t lo, int64_t hi)
{
    k = _mm512_max_epi64(_mm512_min_epi64(k, _mm512_set1_epi64(hi - 1)), _mm512_set1_epi64(lo));
    return _mm512_i64gather_epi64(k, table, 8);
}
"""

_GATHERED_BY_MEMORY = """
static inline __m512i usl_avx512_gathered_32x16_m64(const void *table, const int64_t *k, __mmask16 m, int64_t lo, int64_t hi)
{
    const __m512i most = _mm512_set1_epi64(hi - 1), least = _mm512_set1_epi64(lo);
    __m512i low = _mm512_maskz_loadu_epi64((__mmask8)m, k), high = _mm512_maskz_loadu_epi64((__mmask8)(m >> 8), k + 8);
    low = _mm512_max_epi64(_mm512_min_epi64(low, most), least);
    high = _mm512_max_epi64(_mm512_min_epi64(high, most), least);
    if (hi > INT32_MAX)
        return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_i64gather_epi32(low, table, 4)),
                                  _mm512_i64gather_epi32(high, table, 4), 1);
    low = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)), _mm512_cvtepi64_epi32(high), 1);
    return _mm512_i32gather_epi32(low, table, 4);
}
"""

_COUNTED = """
static inline __m512 usl_avx512_counted_ps(int64_t start)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    if (start >= INT32_MIN && start <= INT32_MAX - 15)
        return _mm512_cvtepi32_ps(_mm512_add_epi32(_mm512_set1_epi32((int)start), lanes));
    float x[16];
    for (int i = 0; i < 16; i++)
        x[i] = (float)(start + i);
    return _mm512_loadu_ps(x);
}
"""

_COUNTED_PD = """
static inline __m512d usl_avx512_counted_pd(int64_t start)
{
    double x[8];
    for (int i = 0; i < 8; i++)
        x[i] = (double)(start + i);
    return _mm512_loadu_pd(x);
}
"""

_BYTES = """
/* The 256 bytes of a table in four registers: each half of them is looked up in by seven bits, and the eighth chooses. */
static inline __m512i usl_avx512_lookup_bytes(const void *table, __m512i k)
{
    const char *x = (const char *)table;
    const __m512i low = _mm512_permutex2var_epi8(_mm512_loadu_si512(x), k, _mm512_loadu_si512(x + 64));
    const __m512i high = _mm512_permutex2var_epi8(_mm512_loadu_si512(x + 128), k, _mm512_loadu_si512(x + 192));
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(k), high);
}
"""


def _all() -> Iterator[tuple[str, str]]:
    for lanes, widths in BY_BITS.items():
        for bits in widths:
            for k in indices(lanes):
                yield f"lookup_{bits}x{lanes}_{k}", _one_by_one(bits, lanes, k)
    for k in indices(16):
        yield f"gathered_32x16_{k}", _gathered(k)
    yield "gathered_64x8_i64", _GATHERED_WIDE
    yield "gathered_32x16_m64", _GATHERED_BY_MEMORY
    yield "counted_ps", _COUNTED
    yield "counted_pd", _COUNTED_PD
    yield "lookup_bytes", _BYTES


LOOKUP_TEXTS = dict(_all())
"""The functions, without guards, by name without `usl_avx512_`; each stands after those that it calls."""
