/* Stands in for the compiler's <immintrin.h> where instructions are tested: AVX-512 on any processor, through SIMDe (Debian: libsimde-dev).
 * What SIMDe 0.7 lacks of our instructions follows below, written lane by lane. */
#ifndef USL_AVX512_SIMDE_IMMINTRIN_H
#define USL_AVX512_SIMDE_IMMINTRIN_H

#include <simde/x86/avx512.h>
#include <stdint.h>
#include <string.h>

typedef simde__mmask16 __mmask16;
typedef uint8_t __mmask8;

#ifndef _MM_FROUND_NO_EXC
#define _MM_FROUND_NO_EXC SIMDE_MM_FROUND_NO_EXC
#endif

/* One function per missing intrinsic; LANE is the value of lane i, KEPT what a lane has whose mask bit is 0. */
#define USL_LANES(ELEMENT, COUNT, RESULT, MASK, LANE, KEPT)                                                                      \
    ELEMENT lanes[COUNT];                                                                                                        \
    for (int i = 0; i < (COUNT); i++)                                                                                            \
        lanes[i] = (((unsigned)(MASK) >> i) & 1u) != 0 ? (LANE) : (KEPT);                                                        \
    memcpy(&(RESULT), lanes, sizeof lanes)

#define USL_UNPACK(ELEMENT, COUNT, NAME, FROM)                                                                                   \
    ELEMENT NAME[COUNT];                                                                                                         \
    memcpy(NAME, &(FROM), sizeof NAME)

#ifndef _mm512_mask_loadu_ps
static inline __m512 _mm512_mask_loadu_ps(__m512 src, __mmask16 mask, const void *from)
{
    const float *x = (const float *)from;
    USL_UNPACK(float, 16, old, src);
    USL_LANES(float, 16, src, mask, x[i], old[i]);
    return src;
}
#endif

#ifndef _mm512_maskz_loadu_ps
static inline __m512 _mm512_maskz_loadu_ps(__mmask16 mask, const void *from)
{
    return _mm512_mask_loadu_ps(_mm512_setzero_ps(), mask, from);
}
#endif

#ifndef _mm512_mask_storeu_ps
static inline void _mm512_mask_storeu_ps(void *to, __mmask16 mask, __m512 value)
{
    USL_UNPACK(float, 16, x, value);
    for (int i = 0; i < 16; i++)
        if (((unsigned)mask >> i) & 1u)
            ((float *)to)[i] = x[i];
}
#endif

#ifndef _mm512_mask3_fmadd_ps
static inline __m512 _mm512_mask3_fmadd_ps(__m512 a, __m512 b, __m512 c, __mmask16 mask)
{
    const __m512 sum = _mm512_fmadd_ps(a, b, c);
    USL_UNPACK(float, 16, x, sum);
    USL_UNPACK(float, 16, old, c);
    USL_LANES(float, 16, c, mask, x[i], old[i]);
    return c;
}
#endif

#ifndef _mm512_mask_loadu_pd
static inline __m512d _mm512_mask_loadu_pd(__m512d src, __mmask8 mask, const void *from)
{
    const double *x = (const double *)from;
    USL_UNPACK(double, 8, old, src);
    USL_LANES(double, 8, src, mask, x[i], old[i]);
    return src;
}
#endif

#ifndef _mm512_maskz_loadu_pd
static inline __m512d _mm512_maskz_loadu_pd(__mmask8 mask, const void *from)
{
    return _mm512_mask_loadu_pd(_mm512_setzero_pd(), mask, from);
}
#endif

#ifndef _mm512_mask_storeu_pd
static inline void _mm512_mask_storeu_pd(void *to, __mmask8 mask, __m512d value)
{
    USL_UNPACK(double, 8, x, value);
    for (int i = 0; i < 8; i++)
        if (((unsigned)mask >> i) & 1u)
            ((double *)to)[i] = x[i];
}
#endif

#ifndef _mm512_mask3_fmadd_pd
static inline __m512d _mm512_mask3_fmadd_pd(__m512d a, __m512d b, __m512d c, __mmask8 mask)
{
    const __m512d sum = _mm512_fmadd_pd(a, b, c);
    USL_UNPACK(double, 8, x, sum);
    USL_UNPACK(double, 8, old, c);
    USL_LANES(double, 8, c, mask, x[i], old[i]);
    return c;
}
#endif

#ifndef _mm512_mask_cvtepu16_epi32
static inline __m512i _mm512_mask_cvtepu16_epi32(__m512i src, __mmask16 mask, __m256i value)
{
    USL_UNPACK(uint16_t, 16, x, value);
    USL_UNPACK(uint32_t, 16, old, src);
    USL_LANES(uint32_t, 16, src, mask, x[i], old[i]);
    return src;
}
#endif

#ifndef _mm512_cvtepu16_epi32
static inline __m512i _mm512_cvtepu16_epi32(__m256i value)
{
    return _mm512_mask_cvtepu16_epi32(_mm512_setzero_si512(), 0xffff, value);
}
#endif

#ifndef _mm512_mask_cvtepi32_storeu_epi16
static inline void _mm512_mask_cvtepi32_storeu_epi16(void *to, __mmask16 mask, __m512i value)
{
    USL_UNPACK(uint32_t, 16, x, value);
    for (int i = 0; i < 16; i++)
        if (((unsigned)mask >> i) & 1u)
            ((uint16_t *)to)[i] = (uint16_t)x[i];
}
#endif

#ifndef _mm512_cvtepi32_epi16
static inline __m256i _mm512_cvtepi32_epi16(__m512i value)
{
    __m256i narrow;
    _mm512_mask_cvtepi32_storeu_epi16(&narrow, 0xffff, value);
    return narrow;
}
#endif

#ifndef _mm256_maskz_loadu_epi16
static inline __m256i _mm256_maskz_loadu_epi16(__mmask16 mask, const void *from)
{
    const uint16_t *x = (const uint16_t *)from;
    __m256i loaded;
    USL_LANES(uint16_t, 16, loaded, mask, x[i], 0);
    return loaded;
}
#endif

#ifndef _mm512_mask_shuffle_epi32
#define _MM_PERM_DDBB 0xf5
static inline __m512i _mm512_mask_shuffle_epi32(__m512i src, __mmask16 mask, __m512i value, int order)
{
    USL_UNPACK(uint32_t, 16, x, value);
    USL_UNPACK(uint32_t, 16, old, src);
    USL_LANES(uint32_t, 16, src, mask, x[i / 4 * 4 + ((order >> (2 * (i % 4))) & 3)], old[i]);
    return src;
}
#endif

#ifndef _mm512_cmplt_epu64_mask
static inline __mmask8 _mm512_cmplt_epu64_mask(__m512i a, __m512i b)
{
    USL_UNPACK(uint64_t, 8, x, a);
    USL_UNPACK(uint64_t, 8, y, b);
    unsigned mask = 0;
    for (int i = 0; i < 8; i++)
        mask |= (unsigned)(x[i] < y[i]) << i;
    return (__mmask8)mask;
}
#endif

#ifndef _mm512_srav_epi64
static inline __m512i _mm512_srav_epi64(__m512i value, __m512i by)
{
    USL_UNPACK(int64_t, 8, x, value);
    USL_UNPACK(uint64_t, 8, count, by);
    USL_LANES(int64_t, 8, value, 0xff, x[i] >> (count[i] < 63 ? count[i] : 63), 0);
    return value;
}
#endif

#ifndef _mm512_reduce_min_epi32
static inline int _mm512_reduce_min_epi32(__m512i value)
{
    USL_UNPACK(int32_t, 16, x, value);
    int32_t least = x[0];
    for (int i = 1; i < 16; i++)
        least = x[i] < least ? x[i] : least;
    return least;
}
#endif

#ifndef _mm512_reduce_max_epi32
static inline int _mm512_reduce_max_epi32(__m512i value)
{
    USL_UNPACK(int32_t, 16, x, value);
    int32_t greatest = x[0];
    for (int i = 1; i < 16; i++)
        greatest = x[i] > greatest ? x[i] : greatest;
    return greatest;
}
#endif

#ifndef _mm512_alignr_epi32
static inline __m512i _mm512_alignr_epi32(__m512i high, __m512i low, int by)
{
    USL_UNPACK(int32_t, 16, x, low);
    USL_UNPACK(int32_t, 16, y, high);
    USL_LANES(int32_t, 16, low, 0xffff, i + by < 16 ? x[i + by] : y[i + by - 16], 0);
    return low;
}
#endif

#include "exponents.h"
#include "families.h"
#include "pixels.h"

#endif
