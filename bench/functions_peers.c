/* Loops over functions in vectors of SLEEF (-DSLEEF) and libmvec: sleef_exp_f32(n, x, z, y) and so on; pow alone has two operands. */
#include <immintrin.h>
#include <stdint.h>
#ifdef SLEEF
#include <sleef.h>
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#define LOOPS(prefix, function, single_of, double_of)\
    void JOIN(prefix, function##_f32)(int64_t n, const float *x, const float *z, float *y)    \
    {                                                                                         \
        (void)z;                                                                              \
        for (int64_t i = 0; i < n; i += 16)                                                   \
            _mm512_storeu_ps(y + i, single_of);                                               \
    }                                                                                         \
    void JOIN(prefix, function##_f64)(int64_t n, const double *x, const double *z, double *y) \
    {                                                                                         \
        (void)z;                                                                              \
        for (int64_t i = 0; i < n; i += 8)                                                    \
            _mm512_storeu_pd(y + i, double_of);                                               \
    }

#define X _mm512_loadu_ps(x + i)
#define Z _mm512_loadu_ps(z + i)
#define XD _mm512_loadu_pd(x + i)
#define ZD _mm512_loadu_pd(z + i)

#define MVEC(g)                       \
    __m512 _ZGVeN16v_##g##f(__m512);  \
    __m512d _ZGVeN8v_##g(__m512d);    \
    LOOPS(mvec_, g, _ZGVeN16v_##g##f(X), _ZGVeN8v_##g(XD))
#ifndef SLEEF
MVEC(exp) MVEC(exp2) MVEC(expm1) MVEC(log) MVEC(log2) MVEC(log1p) MVEC(sin) MVEC(cos) MVEC(tan) MVEC(tanh) MVEC(erf) MVEC(cbrt)
__m512 _ZGVeN16vv_powf(__m512, __m512);
__m512d _ZGVeN8vv_pow(__m512d, __m512d);
LOOPS(mvec_, pow, _ZGVeN16vv_powf(X, Z), _ZGVeN8vv_pow(XD, ZD))
#else
#define S(f) LOOPS(sleef_, f, Sleef_##f##f16_u10avx512f(X), Sleef_##f##d8_u10avx512f(XD))
S(exp) S(exp2) S(expm1) S(log) S(log2) S(log1p) S(sin) S(cos) S(tan) S(tanh) S(erf) S(cbrt)
LOOPS(sleef_, pow, Sleef_powf16_u10avx512f(X, Z), Sleef_powd8_u10avx512f(XD, ZD))
#endif
