/* Powers of two in floats: what SIMDe 0.7 lacks, or does otherwise where the exponent is infinite. */
#ifndef USL_AVX512_SIMDE_EXPONENTS_H
#define USL_AVX512_SIMDE_EXPONENTS_H
#include <math.h>

#undef _mm512_scalef_ps
#undef _mm512_scalef_pd
#undef _mm512_getexp_ps
#undef _mm512_getexp_pd
#undef _mm512_getmant_ps
#undef _mm512_getmant_pd
#define _mm512_scalef_ps usl_scalef_ps
#define _mm512_scalef_pd usl_scalef_pd
#define _mm512_getexp_ps usl_getexp_ps
#define _mm512_getexp_pd usl_getexp_pd
#define _mm512_getmant_ps(x, interval, sign) usl_getmant_ps(x)
#define _mm512_getmant_pd(x, interval, sign) usl_getmant_pd(x)

static inline double usl_scaled(double x, double n, int single)
{
    if (n != n || (isfinite(n) && x != x))
        return NAN;
    if (!isfinite(n))
        return x != x ? (n > 0 ? INFINITY : 0) : x * (n > 0 ? INFINITY : 0);
    const int by = (int)fmin(fmax(floor(n), -9999), 9999);
    return single ? (double)ldexpf((float)x, by) : ldexp(x, by);
}

static inline double usl_mantissa(double x)
{
    int exponent;
    if (x != x || x < 0)
        return NAN;
    if (x == 0 || isinf(x))
        return copysign(1, x);
    const double fraction = frexp(x, &exponent);
    return fraction < 0.75 ? 2 * fraction : fraction;
}

#define USL_EXPONENTS(S, VECTOR, ELEMENT, COUNT)                                                                                 \
    static inline VECTOR usl_scalef_##S(VECTOR a, VECTOR b)                                                                      \
    {                                                                                                                            \
        USL_UNPACK(ELEMENT, COUNT, x, a);                                                                                        \
        USL_UNPACK(ELEMENT, COUNT, n, b);                                                                                        \
        USL_LANES(ELEMENT, COUNT, a, 0xffff, (ELEMENT)usl_scaled(x[i], n[i], (COUNT) == 16), 0);                                 \
        return a;                                                                                                                \
    }                                                                                                                            \
    static inline VECTOR usl_getexp_##S(VECTOR a)                                                                                \
    {                                                                                                                            \
        USL_UNPACK(ELEMENT, COUNT, x, a);                                                                                        \
        USL_LANES(ELEMENT, COUNT, a, 0xffff, (ELEMENT)logb(x[i]), 0);                                                            \
        return a;                                                                                                                \
    }                                                                                                                            \
    static inline VECTOR usl_getmant_##S(VECTOR a)                                                                               \
    {                                                                                                                            \
        USL_UNPACK(ELEMENT, COUNT, x, a);                                                                                        \
        USL_LANES(ELEMENT, COUNT, a, 0xffff, (ELEMENT)usl_mantissa(x[i]), 0);                                                    \
        return a;                                                                                                                \
    }

USL_EXPONENTS(ps, __m512, float, 16)
USL_EXPONENTS(pd, __m512d, double, 8)

#endif
