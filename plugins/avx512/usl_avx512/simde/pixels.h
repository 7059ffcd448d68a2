/* What SIMDe 0.7 lacks of the intrinsics for lanes of 8 and 16 bits, and for elements that are not side by side. */
#ifndef USL_AVX512_SIMDE_PIXELS_H
#define USL_AVX512_SIMDE_PIXELS_H

/* ---- comparisons */

#define USL_COMPARED(NAME, VECTOR, ELEMENT, COUNT, MASK, HOW)                                                                    \
    static inline MASK NAME(VECTOR a, VECTOR b)                                                                                  \
    {                                                                                                                            \
        ELEMENT x[COUNT], y[COUNT];                                                                                              \
        uint64_t found = 0;                                                                                                      \
        memcpy(x, &a, sizeof x);                                                                                                 \
        memcpy(y, &b, sizeof y);                                                                                                 \
        for (int i = 0; i < (COUNT); i++)                                                                                        \
            found |= (uint64_t)(x[i] HOW y[i]) << i;                                                                             \
        return (MASK)found;                                                                                                      \
    }

#undef _mm_cmpeq_epi8_mask
#undef _mm_cmpneq_epi8_mask
#undef _mm_cmple_epi8_mask
#undef _mm_cmple_epu8_mask
#undef _mm256_cmple_epi8_mask
#undef _mm256_cmple_epu8_mask
#undef _mm256_cmple_epi16_mask
#undef _mm256_cmple_epu16_mask
#undef _mm256_cmpeq_epi8_mask
#undef _mm256_cmpneq_epi8_mask
#undef _mm256_cmpeq_epi16_mask
#undef _mm512_cmpneq_epi8_mask
#undef _mm512_cmpeq_epi16_mask
#undef _mm_cmplt_epi8_mask
#undef _mm_cmplt_epu8_mask
#undef _mm256_cmplt_epi8_mask
#undef _mm256_cmplt_epu8_mask
#undef _mm256_cmplt_epi16_mask
#undef _mm256_cmplt_epu16_mask
#undef _mm512_cmplt_epi16_mask
#undef _mm512_cmplt_epu16_mask
#undef _mm512_cmplt_epi32_mask
#undef _mm512_cmplt_epu32_mask
#undef _mm512_cmplt_epi64_mask
USL_COMPARED(_mm_cmplt_epi8_mask, __m128i, int8_t, 16, __mmask16, <)
USL_COMPARED(_mm_cmplt_epu8_mask, __m128i, uint8_t, 16, __mmask16, <)
USL_COMPARED(_mm256_cmplt_epi8_mask, __m256i, int8_t, 32, __mmask32, <)
USL_COMPARED(_mm256_cmplt_epu8_mask, __m256i, uint8_t, 32, __mmask32, <)
USL_COMPARED(_mm256_cmplt_epi16_mask, __m256i, int16_t, 16, __mmask16, <)
USL_COMPARED(_mm256_cmplt_epu16_mask, __m256i, uint16_t, 16, __mmask16, <)
USL_COMPARED(_mm512_cmplt_epi16_mask, __m512i, int16_t, 32, __mmask32, <)
USL_COMPARED(_mm512_cmplt_epu16_mask, __m512i, uint16_t, 32, __mmask32, <)
USL_COMPARED(_mm512_cmplt_epi32_mask, __m512i, int32_t, 16, __mmask16, <)
USL_COMPARED(_mm512_cmplt_epu32_mask, __m512i, uint32_t, 16, __mmask16, <)
USL_COMPARED(_mm512_cmplt_epi64_mask, __m512i, int64_t, 8, __mmask8, <)
USL_COMPARED(_mm_cmpeq_epi8_mask, __m128i, int8_t, 16, __mmask16, ==)
USL_COMPARED(_mm_cmpneq_epi8_mask, __m128i, int8_t, 16, __mmask16, !=)
USL_COMPARED(_mm_cmple_epi8_mask, __m128i, int8_t, 16, __mmask16, <=)
USL_COMPARED(_mm_cmple_epu8_mask, __m128i, uint8_t, 16, __mmask16, <=)
USL_COMPARED(_mm256_cmple_epi8_mask, __m256i, int8_t, 32, __mmask32, <=)
USL_COMPARED(_mm256_cmple_epu8_mask, __m256i, uint8_t, 32, __mmask32, <=)
USL_COMPARED(_mm256_cmple_epi16_mask, __m256i, int16_t, 16, __mmask16, <=)
USL_COMPARED(_mm256_cmple_epu16_mask, __m256i, uint16_t, 16, __mmask16, <=)
USL_COMPARED(_mm256_cmpeq_epi8_mask, __m256i, int8_t, 32, __mmask32, ==)
USL_COMPARED(_mm256_cmpneq_epi8_mask, __m256i, int8_t, 32, __mmask32, !=)
USL_COMPARED(_mm256_cmpeq_epi16_mask, __m256i, int16_t, 16, __mmask16, ==)
USL_COMPARED(_mm512_cmpneq_epi8_mask, __m512i, int8_t, 64, __mmask64, !=)
USL_COMPARED(_mm512_cmpeq_epi16_mask, __m512i, int16_t, 32, __mmask32, ==)

/* ---- conversions */

#undef _mm256_cvtepi16_epi8
#undef _mm512_cvtepi64_epi16
#undef _mm512_cvtepu16_epi64
#undef _mm512_cvtepu32_epi64
#undef _mm512_cvttps_epu32
USL_CONVERT(_mm256_cvtepi16_epi8, __m128i, uint8_t, __m256i, uint16_t, 16, x)
USL_CONVERT(_mm512_cvtepi64_epi16, __m128i, uint16_t, __m512i, uint64_t, 8, x)
USL_CONVERT(_mm512_cvtepu16_epi64, __m512i, uint64_t, __m128i, uint16_t, 8, x)
USL_CONVERT(_mm512_cvtepu32_epi64, __m512i, uint64_t, __m256i, uint32_t, 8, x)
USL_CONVERT(_mm512_cvttps_epu32, __m512i, uint32_t, __m512, float, 16, x > -1.0f && x < 4294967296.0f ? x : (float)UINT32_MAX)

/* ---- shifts */

#define USL_SHIFT(NAME, VECTOR, ELEMENT, COUNT)                                                                                  \
    static inline VECTOR NAME(VECTOR a, VECTOR b)                                                                                \
    {                                                                                                                            \
        ELEMENT x[COUNT], by[COUNT];                                                                                             \
        memcpy(x, &a, sizeof x);                                                                                                 \
        memcpy(by, &b, sizeof by);                                                                                               \
        for (int i = 0; i < (COUNT); i++)                                                                                        \
            x[i] = (ELEMENT)(x[i] >> (by[i] < 0 || by[i] >= 8 * (int)sizeof *x ? 8 * (int)sizeof *x - 1 : by[i]));               \
        memcpy(&a, x, sizeof x);                                                                                                 \
        return a;                                                                                                                \
    }

#undef _mm256_srav_epi16
#undef _mm512_srav_epi32
#undef _mm512_srai_epi32
USL_SHIFT(_mm256_srav_epi16, __m256i, int16_t, 16)
USL_SHIFT(_mm512_srav_epi32, __m512i, int32_t, 16)
#define _mm512_srai_epi32(x, by) _mm512_srav_epi32(x, _mm512_set1_epi32(by))

/* ---- memory */

#define USL_MASKED_LOAD(NAME, VECTOR, ELEMENT, COUNT, MASK)                                                                      \
    static inline VECTOR NAME(VECTOR old, MASK mask, const void *from)                                                           \
    {                                                                                                                            \
        ELEMENT lanes[COUNT];                                                                                                    \
        memcpy(lanes, &old, sizeof lanes);                                                                                       \
        for (int i = 0; i < (COUNT); i++)                                                                                        \
            if (((uint64_t)mask >> i) & 1u)                                                                                      \
                memcpy(&lanes[i], (const char *)from + (size_t)i * sizeof(ELEMENT), sizeof(ELEMENT));                            \
        memcpy(&old, lanes, sizeof lanes);                                                                                       \
        return old;                                                                                                              \
    }

#undef _mm256_mask_loadu_epi16
#undef _mm256_mask_storeu_epi16
#undef _mm_maskz_loadu_epi16
USL_MASKED_LOAD(_mm256_mask_loadu_epi16, __m256i, int16_t, 16, __mmask16)
USL_MASKED_LOAD(usl_mask_loadu_8x16, __m128i, int16_t, 8, __mmask8)
#define _mm_maskz_loadu_epi16(mask, from) usl_mask_loadu_8x16(_mm_setzero_si128(), mask, from)
#undef _mm_maskz_loadu_ps
#undef _mm_maskz_loadu_pd
USL_MASKED_LOAD(usl_mask_loadu_4x32, __m128, float, 4, __mmask8)
USL_MASKED_LOAD(usl_mask_loadu_2x64, __m128d, double, 2, __mmask8)
#define _mm_maskz_loadu_ps(mask, from) usl_mask_loadu_4x32(_mm_setzero_ps(), mask, from)
#define _mm_maskz_loadu_pd(mask, from) usl_mask_loadu_2x64(_mm_setzero_pd(), mask, from)

static inline void _mm256_mask_storeu_epi16(void *to, __mmask16 mask, __m256i value)
{
    int16_t lanes[16];
    memcpy(lanes, &value, sizeof lanes);
    for (int i = 0; i < 16; i++)
        if (((unsigned)mask >> i) & 1u)
            memcpy((char *)to + 2 * i, &lanes[i], 2);
}

#undef _mm512_i32gather_epi32
static inline __m512i _mm512_i32gather_epi32(__m512i offsets, const void *from, int scale)
{
    int32_t offset[16], lanes[16];
    memcpy(offset, &offsets, sizeof offset);
    for (int i = 0; i < 16; i++)
        memcpy(&lanes[i], (const char *)from + (int64_t)offset[i] * scale, 4);
    memcpy(&offsets, lanes, sizeof lanes);
    return offsets;
}

#endif
