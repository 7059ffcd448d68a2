/* Functions on registers, from the procedures in usl_avx512/functions. Do not edit: `python tools/functions.py` writes this. */

#ifndef USL_AVX512_EXP_PS
#define USL_AVX512_EXP_PS
static inline __m512 usl_avx512_exp_ps(__m512 x)
{
    __m512 v = _mm512_setzero_ps();
    __m512 k = _mm512_setzero_ps();
    __m512 r = _mm512_setzero_ps();
    __m512 p = _mm512_setzero_ps();
    __m512 v1 = _mm512_setzero_ps();
    __m512 x_v = _mm512_setzero_ps();
    __m512 v2 = _mm512_setzero_ps();
    __m512 v3 = _mm512_setzero_ps();
    __m512 v4 = _mm512_setzero_ps();
    __m512 v5 = _mm512_setzero_ps();
    __m512 v6 = _mm512_setzero_ps();
    __m512 v7 = _mm512_setzero_ps();
    __m512 v8 = _mm512_setzero_ps();
    __m512 v9 = _mm512_setzero_ps();
    __m512 v10 = _mm512_setzero_ps();
    __m512 v11 = _mm512_setzero_ps();
    __m512 v12 = _mm512_setzero_ps();
    v1 = _mm512_set1_ps(-104.0f);
    x_v = x;
    v = _mm512_max_ps(v1, x_v);
    v2 = _mm512_mul_ps(_mm512_set1_ps(1.442695f), v);
    k = _mm512_roundscale_ps(v2, _MM_FROUND_TO_NEAREST_INT);
    v3 = _mm512_set1_ps(-0.69314575f);
    r = _mm512_fmadd_ps(k, v3, v);
    v4 = _mm512_set1_ps(-1.4286068e-06f);
    r = _mm512_fmadd_ps(k, v4, r);
    v5 = _mm512_set1_ps(0.001383736f);
    v6 = _mm512_set1_ps(0.008369221f);
    p = _mm512_fmadd_ps(r, v5, v6);
    v7 = _mm512_set1_ps(0.04166818f);
    p = _mm512_fmadd_ps(p, r, v7);
    v8 = _mm512_set1_ps(0.16666523f);
    p = _mm512_fmadd_ps(p, r, v8);
    v9 = _mm512_set1_ps(0.49999994f);
    p = _mm512_fmadd_ps(p, r, v9);
    v10 = _mm512_set1_ps(1.0f);
    p = _mm512_fmadd_ps(p, r, v10);
    v11 = _mm512_set1_ps(1.0f);
    p = _mm512_fmadd_ps(p, r, v11);
    v12 = _mm512_scalef_ps(p, k);
    return v12;
}
#endif
