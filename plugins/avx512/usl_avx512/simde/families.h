/* The rest of what SIMDe 0.7 lacks: intrinsics that differ in types only, each row of a table a function. */
#ifndef USL_AVX512_SIMDE_FAMILIES_H
#define USL_AVX512_SIMDE_FAMILIES_H

typedef simde__mmask32 __mmask32;
typedef simde__mmask64 __mmask64;

/* Later versions of SIMDe may have some: these are used all the same. */
#undef _mm256_mask_loadu_epi32
#undef _mm256_mask_loadu_epi8
#undef _mm256_mask_loadu_pd
#undef _mm256_mask_loadu_ps
#undef _mm256_mask_storeu_epi32
#undef _mm256_mask_storeu_epi8
#undef _mm256_mask_storeu_pd
#undef _mm256_mask_storeu_ps
#undef _mm256_maskz_loadu_epi32
#undef _mm256_maskz_loadu_epi8
#undef _mm256_maskz_loadu_pd
#undef _mm256_maskz_loadu_ps
#undef _mm512_cvtepi16_epi32
#undef _mm512_cvtepi32_epi64
#undef _mm512_cvtepi32_epi8
#undef _mm512_cvtepi32_pd
#undef _mm512_cvtepi32_ps
#undef _mm512_cvtepi8_epi32
#undef _mm512_cvtepu32_ps
#undef _mm512_cvtepu8_epi16
#undef _mm512_cvtepu8_epi32
#undef _mm512_cvtpd_ps
#undef _mm512_cvtps_epi32
#undef _mm512_cvtps_epu32
#undef _mm512_cvtps_pd
#undef _mm512_cvttps_epi32
#undef _mm512_cvtusepi16_epi8
#undef _mm512_cvtusepi32_epi16
#undef _mm512_cvtusepi32_epi8
#undef _mm512_maskz_cvtps_epi32
#undef _mm512_cvtsd_f64
#undef _mm512_cvtss_f32
#undef _mm512_i64gather_epi32
#undef _mm512_i64gather_epi64
#undef _mm512_i64gather_pd
#undef _mm512_i64gather_ps
#undef _mm512_mask_cvtepi16_storeu_epi8
#undef _mm512_mask_cvtepi32_storeu_epi8
#undef _mm512_mask_cvtsepi32_storeu_epi16
#undef _mm512_mask_cvtsepi32_storeu_epi8
#undef _mm512_mask_cvtusepi16_storeu_epi8
#undef _mm512_mask_cvtusepi32_storeu_epi16
#undef _mm512_mask_cvtusepi32_storeu_epi8
#undef _mm512_mask_i64gather_epi32
#undef _mm512_mask_i64gather_epi64
#undef _mm512_mask_i64gather_pd
#undef _mm512_mask_i64gather_ps
#undef _mm512_mask_i64scatter_epi32
#undef _mm512_mask_i64scatter_epi64
#undef _mm512_mask_i64scatter_pd
#undef _mm512_mask_i64scatter_ps
#undef _mm512_mask_loadu_epi16
#undef _mm512_mask_loadu_epi32
#undef _mm512_mask_loadu_epi64
#undef _mm512_mask_loadu_epi8
#undef _mm512_mask_reduce_add_pd
#undef _mm512_mask_reduce_add_ps
#undef _mm512_mask_reduce_max_pd
#undef _mm512_mask_reduce_max_ps
#undef _mm512_mask_reduce_min_pd
#undef _mm512_mask_reduce_min_ps
#undef _mm512_mask_storeu_epi16
#undef _mm512_mask_storeu_epi32
#undef _mm512_mask_storeu_epi64
#undef _mm512_mask_storeu_epi8
#undef _mm512_maskz_loadu_epi16
#undef _mm512_maskz_loadu_epi32
#undef _mm512_maskz_loadu_epi64
#undef _mm512_maskz_loadu_epi8
#undef _mm512_mulhi_epu16
#undef _mm512_reduce_add_epi32
#undef _mm512_reduce_add_pd
#undef _mm512_reduce_add_ps
#undef _mm512_shuffle_f32x4
#undef _mm512_shuffle_f64x2
#undef _mm512_stream_pd
#undef _mm512_stream_ps
#undef _mm512_stream_si512
#undef _mm_mask_loadu_epi8
#undef _mm_mask_storeu_epi8
#undef _mm_maskz_loadu_epi8

/* ---- masked loads and stores */

#define USL_MASKED_MOVES(PREFIX, SUFFIX, VECTOR, ELEMENT, COUNT, MASK)                                                           \
    static inline VECTOR PREFIX##_mask_loadu_##SUFFIX(VECTOR old, MASK mask, const void *from)                                   \
    {                                                                                                                            \
        ELEMENT lanes[COUNT];                                                                                                    \
        memcpy(lanes, &old, sizeof lanes);                                                                                       \
        for (int i = 0; i < (COUNT); i++)                                                                                        \
            if (((uint64_t)mask >> i) & 1u)                                                                                      \
                memcpy(&lanes[i], (const char *)from + (size_t)i * sizeof(ELEMENT), sizeof(ELEMENT));                            \
        memcpy(&old, lanes, sizeof lanes);                                                                                       \
        return old;                                                                                                              \
    }                                                                                                                            \
    static inline VECTOR PREFIX##_maskz_loadu_##SUFFIX(MASK mask, const void *from)                                              \
    {                                                                                                                            \
        VECTOR zero;                                                                                                             \
        memset(&zero, 0, sizeof zero);                                                                                           \
        return PREFIX##_mask_loadu_##SUFFIX(zero, mask, from);                                                                   \
    }                                                                                                                            \
    static inline void PREFIX##_mask_storeu_##SUFFIX(void *to, MASK mask, VECTOR value)                                          \
    {                                                                                                                            \
        ELEMENT lanes[COUNT];                                                                                                    \
        memcpy(lanes, &value, sizeof lanes);                                                                                     \
        for (int i = 0; i < (COUNT); i++)                                                                                        \
            if (((uint64_t)mask >> i) & 1u)                                                                                      \
                memcpy((char *)to + (size_t)i * sizeof(ELEMENT), &lanes[i], sizeof(ELEMENT));                                    \
    }

USL_MASKED_MOVES(_mm, epi8, __m128i, int8_t, 16, __mmask16)
USL_MASKED_MOVES(_mm256, epi8, __m256i, int8_t, 32, __mmask32)
USL_MASKED_MOVES(_mm256, epi32, __m256i, int32_t, 8, __mmask8)
USL_MASKED_MOVES(_mm256, ps, __m256, float, 8, __mmask8)
USL_MASKED_MOVES(_mm256, pd, __m256d, double, 4, __mmask8)
USL_MASKED_MOVES(_mm512, epi8, __m512i, int8_t, 64, __mmask64)
USL_MASKED_MOVES(_mm512, epi16, __m512i, int16_t, 32, __mmask32)
USL_MASKED_MOVES(_mm512, epi32, __m512i, int32_t, 16, __mmask16)
USL_MASKED_MOVES(_mm512, epi64, __m512i, int64_t, 8, __mmask8)

/* ---- conversions; VALUE is that of lane x */

#define USL_CONVERT(NAME, TO_VECTOR, TO, FROM_VECTOR, FROM, COUNT, VALUE)                                                        \
    static inline TO_VECTOR NAME(FROM_VECTOR value)                                                                              \
    {                                                                                                                            \
        FROM from[COUNT];                                                                                                        \
        TO to[COUNT];                                                                                                            \
        TO_VECTOR result;                                                                                                        \
        memcpy(from, &value, sizeof from);                                                                                       \
        for (int i = 0; i < (COUNT); i++) {                                                                                      \
            const FROM x = from[i];                                                                                              \
            to[i] = (TO)(VALUE);                                                                                                 \
        }                                                                                                                        \
        memcpy(&result, to, sizeof to);                                                                                          \
        return result;                                                                                                           \
    }

USL_CONVERT(_mm512_cvtepu8_epi16, __m512i, uint16_t, __m256i, uint8_t, 32, x)
USL_CONVERT(_mm512_cvtepu8_epi32, __m512i, uint32_t, __m128i, uint8_t, 16, x)
USL_CONVERT(_mm512_cvtepi8_epi32, __m512i, int32_t, __m128i, int8_t, 16, x)
USL_CONVERT(_mm512_cvtepi16_epi32, __m512i, int32_t, __m256i, int16_t, 16, x)
USL_CONVERT(_mm512_cvtepi32_epi64, __m512i, int64_t, __m256i, int32_t, 8, x)
USL_CONVERT(_mm512_cvtepi32_pd, __m512d, double, __m256i, int32_t, 8, x)
USL_CONVERT(_mm512_cvtepi32_ps, __m512, float, __m512i, int32_t, 16, x)
USL_CONVERT(_mm512_cvtepu32_ps, __m512, float, __m512i, uint32_t, 16, x)
USL_CONVERT(_mm512_cvtps_pd, __m512d, double, __m256, float, 8, x)
USL_CONVERT(_mm512_cvtpd_ps, __m256, float, __m512d, double, 8, x)
USL_CONVERT(_mm512_cvttps_epi32, __m512i, int32_t, __m512, float, 16, x >= -2147483648.0f && x < 2147483648.0f ? x : INT32_MIN)
USL_CONVERT(_mm512_cvtps_epi32, __m512i, int32_t, __m512, float, 16, x >= -2147483648.0f && x < 2147483648.0f ? rintf(x) : INT32_MIN)
USL_CONVERT(_mm512_cvtps_epu32, __m512i, uint32_t, __m512, float, 16, x >= -0.5f && x < 4294967296.0f ? rintf(x) : UINT32_MAX)

static inline __m512i _mm512_maskz_cvtps_epi32(__mmask16 mask, __m512 value)
{
    return _mm512_maskz_mov_epi32(mask, _mm512_cvtps_epi32(value));
}

static inline double _mm512_cvtsd_f64(__m512d value)
{
    double first;
    memcpy(&first, &value, sizeof first);
    return first;
}

static inline float _mm512_cvtss_f32(__m512 value)
{
    float first;
    memcpy(&first, &value, sizeof first);
    return first;
}

/* ---- narrowing, to a register and to memory; VALUE is that of lane x */

#define USL_NARROW(HOW, FROM_SUFFIX, TO_SUFFIX, VECTOR, TO, FROM, COUNT, MASK, VALUE)                                            \
    static inline void _mm512_mask_##HOW##FROM_SUFFIX##_storeu_##TO_SUFFIX(void *to, MASK mask, __m512i value)                   \
    {                                                                                                                            \
        FROM from[COUNT];                                                                                                        \
        memcpy(from, &value, sizeof from);                                                                                       \
        for (int i = 0; i < (COUNT); i++) {                                                                                      \
            const FROM x = from[i];                                                                                              \
            const TO narrow = (TO)(VALUE);                                                                                       \
            if (((uint64_t)mask >> i) & 1u)                                                                                      \
                memcpy((char *)to + (size_t)i * sizeof narrow, &narrow, sizeof narrow);                                          \
        }                                                                                                                        \
    }                                                                                                                            \
    static inline VECTOR usl_##HOW##FROM_SUFFIX##_##TO_SUFFIX(__m512i value)                                                     \
    {                                                                                                                            \
        VECTOR result;                                                                                                           \
        _mm512_mask_##HOW##FROM_SUFFIX##_storeu_##TO_SUFFIX(&result, (MASK)-1, value);                                           \
        return result;                                                                                                           \
    }

USL_NARROW(cvt, epi32, epi8, __m128i, uint8_t, uint32_t, 16, __mmask16, x)
USL_NARROW(cvt, epi16, epi8, __m256i, uint8_t, uint16_t, 32, __mmask32, x)
USL_NARROW(cvts, epi32, epi8, __m128i, int8_t, int32_t, 16, __mmask16, x < -128 ? -128 : x > 127 ? 127 : x)
USL_NARROW(cvts, epi32, epi16, __m256i, int16_t, int32_t, 16, __mmask16, x < -32768 ? -32768 : x > 32767 ? 32767 : x)
USL_NARROW(cvtus, epi32, epi8, __m128i, uint8_t, uint32_t, 16, __mmask16, x > 255 ? 255 : x)
USL_NARROW(cvtus, epi32, epi16, __m256i, uint16_t, uint32_t, 16, __mmask16, x > 65535 ? 65535 : x)
USL_NARROW(cvtus, epi16, epi8, __m256i, uint8_t, uint16_t, 32, __mmask32, x > 255 ? 255 : x)

#undef _mm512_cvtepi32_epi8
#define _mm512_cvtepi32_epi8 usl_cvtepi32_epi8
#undef _mm512_cvtepi16_epi8
#define _mm512_cvtepi16_epi8 usl_cvtepi16_epi8
#undef _mm512_cvtsepi32_epi8
#define _mm512_cvtsepi32_epi8 usl_cvtsepi32_epi8
#undef _mm512_cvtsepi32_epi16
#define _mm512_cvtsepi32_epi16 usl_cvtsepi32_epi16
#define _mm512_cvtusepi32_epi8 usl_cvtusepi32_epi8
#define _mm512_cvtusepi32_epi16 usl_cvtusepi32_epi16
#define _mm512_cvtusepi16_epi8 usl_cvtusepi16_epi8

/* ---- all lanes into one: halves upon halves, as the compilers' intrinsics do */

#define USL_REDUCE(NAME, SUFFIX, VECTOR, ELEMENT, COUNT, MASK, NEUTRAL, PICK)                                                    \
    static inline ELEMENT _mm512_mask_reduce_##NAME##_##SUFFIX(MASK mask, VECTOR value)                                          \
    {                                                                                                                            \
        ELEMENT lanes[COUNT];                                                                                                    \
        memcpy(lanes, &value, sizeof lanes);                                                                                     \
        for (int i = 0; i < (COUNT); i++)                                                                                        \
            if (!(((unsigned)mask >> i) & 1u))                                                                                   \
                lanes[i] = (NEUTRAL);                                                                                            \
        for (int half = (COUNT) / 2; half > 0; half /= 2)                                                                        \
            for (int i = 0; i < half; i++) {                                                                                     \
                const ELEMENT x = lanes[i], y = lanes[i + half];                                                                 \
                lanes[i] = (PICK);                                                                                               \
            }                                                                                                                    \
        return lanes[0];                                                                                                         \
    }

USL_REDUCE(add, ps, __m512, float, 16, __mmask16, 0.0f, x + y)
USL_REDUCE(add, pd, __m512d, double, 8, __mmask8, 0.0, x + y)
USL_REDUCE(min, ps, __m512, float, 16, __mmask16, SIMDE_MATH_INFINITYF, x < y ? x : y)
USL_REDUCE(max, ps, __m512, float, 16, __mmask16, -SIMDE_MATH_INFINITYF, x > y ? x : y)
USL_REDUCE(min, pd, __m512d, double, 8, __mmask8, SIMDE_MATH_INFINITY, x < y ? x : y)
USL_REDUCE(max, pd, __m512d, double, 8, __mmask8, -SIMDE_MATH_INFINITY, x > y ? x : y)
USL_REDUCE(sum, epu32, __m512i, uint32_t, 16, __mmask16, 0, x + y)

#define _mm512_reduce_add_ps(value) _mm512_mask_reduce_add_ps(0xffff, value)
#define _mm512_reduce_add_pd(value) _mm512_mask_reduce_add_pd(0xff, value)
#define _mm512_reduce_add_epi32(value) ((int)_mm512_mask_reduce_sum_epu32(0xffff, value))

/* ---- elements any distance apart */

#define USL_GATHER(SUFFIX, VECTOR, ELEMENT, PLAIN)                                                                               \
    static inline VECTOR _mm512_mask_i64gather_##SUFFIX(VECTOR old, __mmask8 mask, __m512i offsets, const void *from, int scale) \
    {                                                                                                                            \
        ELEMENT lanes[8];                                                                                                        \
        int64_t offset[8];                                                                                                       \
        memcpy(lanes, &old, sizeof lanes);                                                                                       \
        memcpy(offset, &offsets, sizeof offset);                                                                                 \
        for (int i = 0; i < 8; i++)                                                                                              \
            if (((unsigned)mask >> i) & 1u)                                                                                      \
                memcpy(&lanes[i], (const char *)from + offset[i] * scale, sizeof(ELEMENT));                                      \
        memcpy(&old, lanes, sizeof lanes);                                                                                       \
        return old;                                                                                                              \
    }                                                                                                                            \
    static inline VECTOR _mm512_i64gather_##SUFFIX(__m512i offsets, const void *from, int scale)                                 \
    {                                                                                                                            \
        return _mm512_mask_i64gather_##SUFFIX(PLAIN, 0xff, offsets, from, scale);                                                \
    }                                                                                                                            \
    static inline void _mm512_mask_i64scatter_##SUFFIX(void *to, __mmask8 mask, __m512i offsets, VECTOR value, int scale)        \
    {                                                                                                                            \
        ELEMENT lanes[8];                                                                                                        \
        int64_t offset[8];                                                                                                       \
        memcpy(lanes, &value, sizeof lanes);                                                                                     \
        memcpy(offset, &offsets, sizeof offset);                                                                                 \
        for (int i = 0; i < 8; i++)                                                                                              \
            if (((unsigned)mask >> i) & 1u)                                                                                      \
                memcpy((char *)to + offset[i] * scale, &lanes[i], sizeof(ELEMENT));                                              \
    }

USL_GATHER(ps, __m256, float, _mm256_setzero_ps())
USL_GATHER(pd, __m512d, double, _mm512_setzero_pd())
USL_GATHER(epi32, __m256i, int32_t, _mm256_setzero_si256())
USL_GATHER(epi64, __m512i, int64_t, _mm512_setzero_si512())

/* ---- others */

#define USL_SHUFFLE_QUARTERS(SUFFIX, VECTOR)                                                                                     \
    static inline VECTOR _mm512_shuffle_##SUFFIX(VECTOR a, VECTOR b, int order)                                                  \
    {                                                                                                                            \
        VECTOR result;                                                                                                           \
        for (int i = 0; i < 4; i++)                                                                                              \
            memcpy((char *)&result + 16 * i, (const char *)(i < 2 ? &a : &b) + 16 * ((order >> (2 * i)) & 3), 16);               \
        return result;                                                                                                           \
    }

USL_SHUFFLE_QUARTERS(f32x4, __m512)
USL_SHUFFLE_QUARTERS(f64x2, __m512d)

#undef _mm512_shuffle_pd
static inline __m512d _mm512_shuffle_pd(__m512d a, __m512d b, int order)
{
    double x[8], y[8], lanes[8];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < 8; i++)
        lanes[i] = (i % 2 == 0 ? x : y)[i - i % 2 + ((order >> i) & 1)];
    memcpy(&a, lanes, sizeof lanes);
    return a;
}

static inline __m512i _mm512_mulhi_epu16(__m512i a, __m512i b)
{
    uint16_t x[32], y[32];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < 32; i++)
        x[i] = (uint16_t)(((uint32_t)x[i] * y[i]) >> 16);
    memcpy(&a, x, sizeof x);
    return a;
}

#define _mm512_stream_ps(to, value) _mm512_storeu_ps(to, value)
#define _mm512_stream_pd(to, value) _mm512_storeu_pd(to, value)
#define _mm512_stream_si512(to, value) _mm512_storeu_si512(to, value)

/* ---- what SIMDe has, but not as the processor does it */

/* It keeps the sign of zero. */
#undef _mm512_abs_ps
static inline __m512 _mm512_abs_ps(__m512 x)
{
    uint32_t bits[16];
    memcpy(bits, &x, sizeof bits);
    for (int i = 0; i < 16; i++)
        bits[i] &= 0x7fffffffu;
    memcpy(&x, bits, sizeof x);
    return x;
}

#undef _mm512_abs_pd
static inline __m512d _mm512_abs_pd(__m512d x)
{
    uint64_t bits[8];
    memcpy(bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++)
        bits[i] &= 0x7fffffffffffffffu;
    memcpy(&x, bits, sizeof x);
    return x;
}

/* It reads the elements that the mask leaves out, which need not exist. */
#undef _mm256_maskload_epi32
static inline __m256i _mm256_maskload_epi32(const int *from, __m256i mask)
{
    int32_t chosen[8], lanes[8];
    memcpy(chosen, &mask, sizeof chosen);
    for (int i = 0; i < 8; i++)
        lanes[i] = chosen[i] < 0 ? from[i] : 0;
    memcpy(&mask, lanes, sizeof mask);
    return mask;
}

#undef _mm256_maskload_ps
static inline __m256 _mm256_maskload_ps(const float *from, __m256i mask)
{
    int32_t chosen[8];
    float lanes[8];
    __m256 result;
    memcpy(chosen, &mask, sizeof chosen);
    for (int i = 0; i < 8; i++)
        lanes[i] = chosen[i] < 0 ? from[i] : 0.0f;
    memcpy(&result, lanes, sizeof result);
    return result;
}

/* It does not round after each of the two products, and keeps subnormal numbers (the body in `dot_products` says more). */
static inline float usl_flush(float x)
{
    return (x < 0 ? -x : x) < 0x1p-126f ? x * 0.0f : x;
}

static inline float usl_bf16(uint16_t upper)
{
    const uint32_t bits = (uint32_t)upper << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return usl_flush(x);
}

#undef __m512bh
#define __m512bh __m512i
#undef _mm512_dpbf16_ps
static inline __m512 _mm512_dpbf16_ps(__m512 sums, __m512i a, __m512i b)
{
    float lanes[16];
    uint16_t x[32], y[32];
    memcpy(lanes, &sums, sizeof lanes);
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < 16; i++)
        for (int k = 1; k >= 0; k--) {
            const double product = (double)usl_bf16(x[2 * i + k]) * (double)usl_bf16(y[2 * i + k]);
            const double sum = (double)usl_flush(lanes[i]) + product;
            lanes[i] = (float)((sum < 0 ? -sum : sum) < 0x1p-126 - 0x1p-151 ? sum * 0.0 : sum);
        }
    memcpy(&sums, lanes, sizeof sums);
    return sums;
}

#endif
