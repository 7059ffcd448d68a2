"""The C functions behind the templates of `avx2`."""

from __future__ import annotations

_FUNCTIONS = {
    "usl_avx2_sum_ps": """\
static inline float usl_avx2_sum_ps(__m256 x)
{
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
""",
    "usl_avx2_div9_epu16": """\
static inline __m256i usl_avx2_div9_epu16(__m256i x)
{
    /* floor(x / 9) = (x * 58255) >> 19 for every 16-bit x, as 9 * 58255 = 2^19 + 7. */
    return _mm256_srli_epi16(_mm256_mulhi_epu16(x, _mm256_set1_epi16((short)58255)), 3);
}
""",
    "usl_avx2_div9_epu32": """\
static inline __m256i usl_avx2_div9_epu32(__m256i x)
{
    /* floor(x / 9) = (x * 954437177) >> 33 for every 32-bit x; the even and the odd lanes are multiplied apart. */
    const __m256i reciprocal = _mm256_set1_epi32(954437177);
    const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(x, reciprocal), 32);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), reciprocal);
    return _mm256_srli_epi32(_mm256_blend_epi32(even, odd, 0xaa), 1);
}
""",
    "usl_avx2_pack_epi16": """\
static inline __m128i usl_avx2_pack_epi16(__m256i x)
{
    return _mm_packus_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}
""",
    "usl_avx2_pack_epi32": """\
static inline __m128i usl_avx2_pack_epi32(__m256i x)
{
    return _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}
""",
    "usl_avx2_to_epu8": """\
static inline __m128i usl_avx2_to_epu8(__m256 x)
{
    /* max gives its second operand, 0, where x is NaN. */
    const __m256 inside = _mm256_min_ps(_mm256_max_ps(x, _mm256_setzero_ps()), _mm256_set1_ps(255.0f));
    const __m256i whole = _mm256_cvttps_epi32(inside);
    const __m128i shorts = _mm_packus_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    return _mm_packus_epi16(shorts, shorts);
}
""",
}

AVX2_FUNCTIONS = {name: f"#ifndef {name.upper()}\n#define {name.upper()}\n{text}#endif\n" for name, text in _FUNCTIONS.items()}
"""By name, each with a guard. The divisions are exact by Granlund and Montgomery 1994, theorem 4.2."""
