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
#endif /* USL_AVX512_EXP_PS */

#ifndef USL_AVX512_EXP2_PS
#define USL_AVX512_EXP2_PS
static inline __m512 usl_avx512_exp2_ps(__m512 x)
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
    v1 = _mm512_set1_ps(-151.0f);
    x_v = x;
    v = _mm512_max_ps(v1, x_v);
    k = _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT);
    r = _mm512_sub_ps(v, k);
    v2 = _mm512_set1_ps(0.00015721079f);
    v3 = _mm512_set1_ps(0.0013409f);
    p = _mm512_fmadd_ps(r, v2, v3);
    v4 = _mm512_set1_ps(0.009617211f);
    p = _mm512_fmadd_ps(p, r, v4);
    v5 = _mm512_set1_ps(0.05550289f);
    p = _mm512_fmadd_ps(p, r, v5);
    v6 = _mm512_set1_ps(0.24022655f);
    p = _mm512_fmadd_ps(p, r, v6);
    v7 = _mm512_set1_ps(0.69314724f);
    p = _mm512_fmadd_ps(p, r, v7);
    v8 = _mm512_set1_ps(1.0f);
    p = _mm512_fmadd_ps(p, r, v8);
    v9 = _mm512_scalef_ps(p, k);
    return v9;
}
#endif /* USL_AVX512_EXP2_PS */

#ifndef USL_AVX512_EXPM1_PS
#define USL_AVX512_EXPM1_PS
static inline __m512 usl_avx512_expm1_ps(__m512 x)
{
    __m512 v = _mm512_setzero_ps();
    __m512 t = _mm512_setzero_ps();
    __m512 k = _mm512_setzero_ps();
    __m512 r1 = _mm512_setzero_ps();
    __m512 c = _mm512_setzero_ps();
    __m512 r = _mm512_setzero_ps();
    __m512 p = _mm512_setzero_ps();
    __m512 s = _mm512_setzero_ps();
    __m512 v1 = _mm512_setzero_ps();
    __m512 v2 = _mm512_setzero_ps();
    __m512 v3 = _mm512_setzero_ps();
    __m512 x_v = _mm512_setzero_ps();
    __m512 v4 = _mm512_setzero_ps();
    __m512 v5 = _mm512_setzero_ps();
    __m512 v6 = _mm512_setzero_ps();
    __m512 v7 = _mm512_setzero_ps();
    __m512 v8 = _mm512_setzero_ps();
    __m512 v9 = _mm512_setzero_ps();
    __m512 v10 = _mm512_setzero_ps();
    __m512 v11 = _mm512_setzero_ps();
    __m512 v12 = _mm512_setzero_ps();
    __m512 v13 = _mm512_setzero_ps();
    __m512 v14 = _mm512_setzero_ps();
    __m512i v15 = _mm512_setzero_si512();
    __m512i v16 = _mm512_setzero_si512();
    __m512i v17 = _mm512_setzero_si512();
    __m512i v18 = _mm512_setzero_si512();
    __m512 v19 = _mm512_setzero_ps();
    __m512 v20 = _mm512_setzero_ps();
    __m512 v21 = _mm512_setzero_ps();
    __m512 v22 = _mm512_setzero_ps();
    __m512 v23 = _mm512_setzero_ps();
    __m512 v24 = _mm512_setzero_ps();
    __m512 v25 = _mm512_setzero_ps();
    __m512 v26 = _mm512_setzero_ps();
    __m512 v27 = _mm512_setzero_ps();
    __m512 v28 = _mm512_setzero_ps();
    __m512 v29 = _mm512_setzero_ps();
    __m512 v30 = _mm512_setzero_ps();
    v1 = _mm512_set1_ps(-18.0f);
    v3 = _mm512_set1_ps(89.0f);
    x_v = x;
    v2 = _mm512_min_ps(v3, x_v);
    v = _mm512_max_ps(v1, v2);
    v4 = _mm512_set1_ps(1.442695f);
    v5 = _mm512_set1_ps(12582912.0f);
    t = _mm512_fmadd_ps(v, v4, v5);
    v6 = _mm512_set1_ps(12582912.0f);
    k = _mm512_sub_ps(t, v6);
    v7 = _mm512_set1_ps(-0.69314575f);
    r1 = _mm512_fmadd_ps(k, v7, v);
    c = _mm512_mul_ps(_mm512_set1_ps(-1.4286068e-06f), k);
    r = _mm512_add_ps(r1, c);
    v8 = _mm512_set1_ps(0.00019727905f);
    v9 = _mm512_set1_ps(0.0013932234f);
    p = _mm512_fmadd_ps(r, v8, v9);
    v10 = _mm512_set1_ps(0.008333582f);
    p = _mm512_fmadd_ps(p, r, v10);
    v11 = _mm512_set1_ps(0.041666493f);
    p = _mm512_fmadd_ps(p, r, v11);
    v12 = _mm512_set1_ps(0.16666666f);
    p = _mm512_fmadd_ps(p, r, v12);
    v13 = _mm512_set1_ps(0.5f);
    p = _mm512_fmadd_ps(p, r, v13);
    v14 = _mm512_mul_ps(r, r);
    p = _mm512_fmadd_ps(v14, p, c);
    v17 = _mm512_castps_si512(t);
    v16 = _mm512_sllv_epi32(v17, _mm512_set1_epi32((int)23u));
    v18 = _mm512_set1_epi32((int)1056964608u);
    v15 = _mm512_add_epi32(v16, v18);
    s = _mm512_castsi512_ps(v15);
    v19 = _mm512_set1_ps(0.5f);
    t = _mm512_sub_ps(s, v19);
    k = _mm512_fmadd_ps(s, r1, t);
    v23 = _mm512_sub_ps(t, k);
    v25 = _mm512_sub_ps(s, t);
    v26 = _mm512_set1_ps(0.5f);
    v24 = _mm512_sub_ps(v25, v26);
    v22 = _mm512_add_ps(v23, v24);
    v21 = _mm512_fmadd_ps(s, r1, v22);
    v20 = _mm512_fmadd_ps(s, p, v21);
    p = _mm512_add_ps(k, v20);
    v28 = _mm512_abs_ps(v);
    v29 = _mm512_set1_ps(2.9802322e-08f);
    v30 = _mm512_add_ps(p, p);
    v27 = _mm512_mask_mov_ps(v30, _mm512_cmp_ps_mask(v28, v29, _CMP_LT_OQ), v);
    return v27;
}
#endif /* USL_AVX512_EXPM1_PS */

#ifndef USL_AVX512_TANH_PS
#define USL_AVX512_TANH_PS
#ifndef USL_AVX512_AT_TANH_AT
#define USL_AVX512_AT_TANH_AT
static inline __m512 usl_avx512_at_tanh_at(__m512i k)
{
    static _Alignas(64) const float at[32] = {2.2499652f, 2.749997f, 3.250013f, 3.7500048f, 4.5000525f, 5.5003595f, 6.5009537f, 7.5009537f, 9.001907f, 11.001907f, 13.0f, 15.0f, 0.0f, 0.08593746f, 0.10156268f, 0.11718713f, 0.14062665f, 0.17187478f, 0.20312424f, 0.2343757f, 0.28124958f, 0.34375155f, 0.40624812f, 0.46875146f, 0.56250656f, 0.68750167f, 0.8124952f, 0.9374976f, 1.1250092f, 1.3749977f, 1.6249952f, 1.875007f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_TANH_AT */

#ifndef USL_AVX512_AT_TANH_5
#define USL_AVX512_AT_TANH_5
static inline __m512 usl_avx512_at_tanh_5(__m512i k)
{
    static _Alignas(64) const float at[32] = {0.00397733f, 0.0019150007f, 0.0007706528f, 0.00029268867f, 6.8310095e-05f, 9.281458e-06f, 1.2033598e-06f, 2.413683e-07f, 6.9192154e-09f, 2.6028318e-10f, 3.2130615e-12f, 5.884931e-14f, 0.13201633f, 13.901451f, 18.200432f, 17.052217f, 0.34681898f, 0.103956416f, 0.63104004f, 1.0825934f, 0.060206674f, -0.016435763f, -0.0027292673f, 0.028432006f, -0.045251563f, -0.06199294f, -0.05868488f, -0.05086468f, -0.032144543f, -0.009493792f, 0.0014092817f, 0.0046273037f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_TANH_5 */

#ifndef USL_AVX512_AT_TANH_4
#define USL_AVX512_AT_TANH_4
static inline __m512 usl_avx512_at_tanh_4(__m512i k)
{
    static _Alignas(64) const float at[32] = {-0.012385921f, -0.005147276f, -0.0019778365f, -0.0007394025f, -0.0001718924f, -2.3281618e-05f, -5.4550005e-06f, 1.4420082e-06f, -2.5873558e-07f, 4.0000434e-09f, 7.345175e-11f, 1.3453156e-12f, 0.00011646821f, 0.025263403f, 0.105328634f, 0.020794474f, 0.08567487f, 0.10168717f, 0.12193002f, 0.14062412f, 0.1492875f, 0.1641276f, 0.17029391f, 0.16913672f, 0.15331253f, 0.11949184f, 0.07995873f, 0.043419834f, 0.0036679616f, -0.021115324f, -0.025127798f, -0.020851279f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_TANH_4 */

#ifndef USL_AVX512_AT_TANH_3
#define USL_AVX512_AT_TANH_3
static inline __m512 usl_avx512_at_tanh_3(__m512i k)
{
    static _Alignas(64) const float at[32] = {0.027089473f, 0.010546314f, 0.003960865f, 0.0014682706f, 0.0003283851f, 4.445048e-05f, 6.0186635e-06f, 7.9898064e-07f, 4.162232e-08f, 6.5889233e-10f, 1.3374253e-11f, 2.4495794e-13f, -0.33333677f, -0.32479846f, -0.32129446f, -0.31685647f, -0.30777562f, -0.29555053f, -0.28159335f, -0.2658346f, -0.2388318f, -0.19932006f, -0.15743265f, -0.115079835f, -0.05431216f, 0.014389793f, 0.06422861f, 0.09476446f, 0.11097703f, 0.09957093f, 0.07516411f, 0.051800564f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_TANH_3 */

#ifndef USL_AVX512_AT_TANH_2
#define USL_AVX512_AT_TANH_2
static inline __m512 usl_avx512_at_tanh_2(__m512i k)
{
    static _Alignas(64) const float at[32] = {-0.042511456f, -0.016081491f, -0.0059771454f, -0.0022072534f, -0.00049274875f, -6.667712e-05f, -8.437781e-06f, -1.6865012e-06f, 1.7490959e-07f, -5.530324e-09f, -1.0167493e-10f, -1.8622413e-12f, 3.002358e-08f, -0.08509523f, -0.1001798f, -0.11506354f, -0.13697946f, -0.16527064f, -0.19233099f, -0.21798278f, -0.25347602f, -0.29461613f, -0.3280904f, -0.35362858f, -0.37731257f, -0.38426653f, -0.36890098f, -0.33851f, -0.2792335f, -0.19875905f, -0.13300557f, -0.08566997f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_TANH_2 */

#ifndef USL_AVX512_AT_TANH_1
#define USL_AVX512_AT_TANH_1
static inline __m512 usl_avx512_at_tanh_1(__m512i k)
{
    static _Alignas(64) const float at[32] = {0.043467876f, 0.01621439f, 0.00599556f, 0.002209872f, 0.00049347663f, 6.675813e-05f, 9.023872e-06f, 1.2216425e-06f, 6.045511e-08f, 1.1197624e-09f, 2.0467983e-11f, 3.748842e-13f, 1.0f, 0.992651f, 0.9897556f, 0.98639196f, 0.980482f, 0.97103125f, 0.9598495f, 0.94701886f, 0.92489046f, 0.89055645f, 0.8515575f, 0.80886495f, 0.74006844f, 0.6443373f, 0.5498068f, 0.46114063f, 0.34502664f, 0.22590588f, 0.14373563f, 0.08979644f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_TANH_1 */

#ifndef USL_AVX512_AT_TANH_0
#define USL_AVX512_AT_TANH_0
static inline __m512 usl_avx512_at_tanh_0(__m512i k)
{
    static _Alignas(64) const float at[32] = {0.9780246f, 0.9918597f, 0.9969977f, 0.99889445f, 0.99975324f, 0.9999666f, 0.99999547f, 0.9999994f, 0.99999994f, 1.0f, 1.0f, 1.0f, 0.0f, 0.08572653f, 0.10121491f, 0.11665362f, 0.13970692f, 0.17020209f, 0.20037599f, 0.23017637f, 0.2740612f, 0.3308225f, 0.38528237f, 0.43718997f, 0.5098348f, 0.59637463f, 0.6709644f, 0.7340704f, 0.80930424f, 0.8798262f, 0.92534554f, 0.9540459f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_TANH_0 */

static inline __m512 usl_avx512_tanh_ps(__m512 x)
{
    __m512 a = _mm512_setzero_ps();
    __m512 d = _mm512_setzero_ps();
    __m512 p = _mm512_setzero_ps();
    __m512i q = _mm512_setzero_si512();
    __m512 v = _mm512_setzero_ps();
    __m512 v1 = _mm512_setzero_ps();
    __m512 x_v = _mm512_setzero_ps();
    __m512i v2 = _mm512_setzero_si512();
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
    __m512 v13 = _mm512_setzero_ps();
    __m512 v14 = _mm512_setzero_ps();
    __m512 v15 = _mm512_setzero_ps();
    __m512i v16 = _mm512_setzero_si512();
    __m512i v17 = _mm512_setzero_si512();
    __m512i v18 = _mm512_setzero_si512();
    __m512i v19 = _mm512_setzero_si512();
    __m512 x_v1 = _mm512_setzero_ps();
    v = _mm512_set1_ps(15.5f);
    x_v = x;
    v1 = _mm512_abs_ps(x_v);
    a = _mm512_min_ps(v, v1);
    v4 = _mm512_set1_ps(0.0625f);
    v3 = _mm512_max_ps(a, v4);
    v2 = _mm512_castps_si512(v3);
    q = _mm512_srlv_epi32(v2, _mm512_set1_epi32((int)21u));
    v5 = usl_avx512_at_tanh_at(q);
    d = _mm512_sub_ps(a, v5);
    v6 = usl_avx512_at_tanh_5(q);
    v7 = usl_avx512_at_tanh_4(q);
    p = _mm512_fmadd_ps(v6, d, v7);
    v8 = usl_avx512_at_tanh_3(q);
    p = _mm512_fmadd_ps(p, d, v8);
    v9 = usl_avx512_at_tanh_2(q);
    p = _mm512_fmadd_ps(p, d, v9);
    v11 = usl_avx512_at_tanh_1(q);
    v13 = _mm512_mul_ps(d, d);
    v12 = _mm512_mul_ps(v13, p);
    v10 = _mm512_fmadd_ps(d, v11, v12);
    v14 = usl_avx512_at_tanh_0(q);
    p = _mm512_add_ps(v10, v14);
    v17 = _mm512_castps_si512(p);
    x_v1 = x;
    v19 = _mm512_castps_si512(x_v1);
    v18 = _mm512_and_si512(v19, _mm512_set1_epi32((int)2147483648u));
    v16 = _mm512_or_si512(v17, v18);
    v15 = _mm512_castsi512_ps(v16);
    return v15;
}
#endif /* USL_AVX512_TANH_PS */

#ifndef USL_AVX512_RSQRT_PS
#define USL_AVX512_RSQRT_PS
static inline __m512 usl_avx512_rsqrt_ps(__m512 x)
{
    __m512 r = _mm512_setzero_ps();
    __m512 t = _mm512_setzero_ps();
    __m512 e = _mm512_setzero_ps();
    __m512 v = _mm512_setzero_ps();
    __m512 v1 = _mm512_setzero_ps();
    __m512 x_v = _mm512_setzero_ps();
    __m512 x_v1 = _mm512_setzero_ps();
    __m512 v2 = _mm512_setzero_ps();
    __m512 x_v2 = _mm512_setzero_ps();
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
    __m512 v13 = _mm512_setzero_ps();
    __m512 v14 = _mm512_setzero_ps();
    __m512 v15 = _mm512_setzero_ps();
    v = _mm512_set1_ps(1.0f);
    x_v = x;
    v1 = _mm512_sqrt_ps(x_v);
    r = _mm512_div_ps(v, v1);
    x_v1 = x;
    t = _mm512_mul_ps(x_v1, r);
    x_v2 = x;
    v4 = _mm512_setzero_ps();
    v3 = _mm512_sub_ps(v4, t);
    v2 = _mm512_fmadd_ps(x_v2, r, v3);
    v6 = _mm512_setzero_ps();
    v5 = _mm512_sub_ps(v6, r);
    v9 = _mm512_setzero_ps();
    v8 = _mm512_sub_ps(v9, t);
    v10 = _mm512_set1_ps(1.0f);
    v7 = _mm512_fmadd_ps(v8, r, v10);
    e = _mm512_fmadd_ps(v2, v5, v7);
    v12 = _mm512_abs_ps(e);
    v13 = _mm512_set1_ps(0.5f);
    v15 = _mm512_mul_ps(_mm512_set1_ps(0.5f), r);
    v14 = _mm512_fmadd_ps(v15, e, r);
    v11 = _mm512_mask_mov_ps(r, _mm512_cmp_ps_mask(v12, v13, _CMP_LT_OQ), v14);
    return v11;
}
#endif /* USL_AVX512_RSQRT_PS */

#ifndef USL_AVX512_ERF_PS
#define USL_AVX512_ERF_PS
static inline __m512 usl_avx512_erf_ps(__m512 x)
{
    __m512 u = _mm512_setzero_ps();
    __m512 q = _mm512_setzero_ps();
    __m512 a = _mm512_setzero_ps();
    __m512 v = _mm512_setzero_ps();
    __m512 t = _mm512_setzero_ps();
    __m512 k = _mm512_setzero_ps();
    __m512 r = _mm512_setzero_ps();
    __m512 p = _mm512_setzero_ps();
    __m512i s = _mm512_setzero_si512();
    __m512 x_v = _mm512_setzero_ps();
    __m512 v1 = _mm512_setzero_ps();
    __m512 v2 = _mm512_setzero_ps();
    __m512 v3 = _mm512_setzero_ps();
    __m512 v4 = _mm512_setzero_ps();
    __m512 v5 = _mm512_setzero_ps();
    __m512 v6 = _mm512_setzero_ps();
    __m512 v7 = _mm512_setzero_ps();
    __m512 x_v1 = _mm512_setzero_ps();
    __m512 x_v2 = _mm512_setzero_ps();
    __m512 v8 = _mm512_setzero_ps();
    __m512 v9 = _mm512_setzero_ps();
    __m512 v10 = _mm512_setzero_ps();
    __m512 v11 = _mm512_setzero_ps();
    __m512 v12 = _mm512_setzero_ps();
    __m512 v13 = _mm512_setzero_ps();
    __m512 v14 = _mm512_setzero_ps();
    __m512 v15 = _mm512_setzero_ps();
    __m512 v16 = _mm512_setzero_ps();
    __m512 v17 = _mm512_setzero_ps();
    __m512 v18 = _mm512_setzero_ps();
    __m512 v19 = _mm512_setzero_ps();
    __m512 v20 = _mm512_setzero_ps();
    __m512 v21 = _mm512_setzero_ps();
    __m512 v22 = _mm512_setzero_ps();
    __m512 v23 = _mm512_setzero_ps();
    __m512 v24 = _mm512_setzero_ps();
    __m512 v25 = _mm512_setzero_ps();
    __m512 v26 = _mm512_setzero_ps();
    __m512 v27 = _mm512_setzero_ps();
    __m512 v28 = _mm512_setzero_ps();
    __m512 v29 = _mm512_setzero_ps();
    __m512 v30 = _mm512_setzero_ps();
    __m512 v31 = _mm512_setzero_ps();
    __m512 v32 = _mm512_setzero_ps();
    __m512 v33 = _mm512_setzero_ps();
    __m512i v34 = _mm512_setzero_si512();
    __m512i v35 = _mm512_setzero_si512();
    __m512i v36 = _mm512_setzero_si512();
    __m512 x_v3 = _mm512_setzero_ps();
    __m512 v37 = _mm512_setzero_ps();
    __m512 v38 = _mm512_setzero_ps();
    __m512 v39 = _mm512_setzero_ps();
    x_v = x;
    u = _mm512_mul_ps(x_v, x_v);
    v1 = _mm512_set1_ps(7.8074925e-05f);
    v2 = _mm512_set1_ps(-0.00079979235f);
    q = _mm512_fmadd_ps(u, v1, v2);
    v3 = _mm512_set1_ps(0.005187164f);
    q = _mm512_fmadd_ps(q, u, v3);
    v4 = _mm512_set1_ps(-0.026853347f);
    q = _mm512_fmadd_ps(q, u, v4);
    v5 = _mm512_set1_ps(0.11283579f);
    q = _mm512_fmadd_ps(q, u, v5);
    v6 = _mm512_set1_ps(-0.37612626f);
    q = _mm512_fmadd_ps(q, u, v6);
    v7 = _mm512_set1_ps(0.12837917f);
    q = _mm512_fmadd_ps(q, u, v7);
    x_v1 = x;
    q = _mm512_fmadd_ps(q, x_v1, x_v1);
    x_v2 = x;
    a = _mm512_abs_ps(x_v2);
    v8 = _mm512_set1_ps(4.0f);
    a = _mm512_min_ps(v8, a);
    v9 = _mm512_set1_ps(-1.1825596e-07f);
    v10 = _mm512_set1_ps(4.095721e-07f);
    v = _mm512_fmadd_ps(a, v9, v10);
    v11 = _mm512_set1_ps(-1.0747946e-05f);
    v = _mm512_fmadd_ps(v, a, v11);
    v12 = _mm512_set1_ps(0.0003238098f);
    v = _mm512_fmadd_ps(v, a, v12);
    v13 = _mm512_set1_ps(-0.003668202f);
    v = _mm512_fmadd_ps(v, a, v13);
    v14 = _mm512_set1_ps(0.023838354f);
    v = _mm512_fmadd_ps(v, a, v14);
    v15 = _mm512_set1_ps(-0.1063325f);
    v = _mm512_fmadd_ps(v, a, v15);
    v16 = _mm512_set1_ps(-0.6350961f);
    v = _mm512_fmadd_ps(v, a, v16);
    v17 = _mm512_set1_ps(-1.1286604f);
    v = _mm512_fmadd_ps(v, a, v17);
    t = _mm512_mul_ps(v, a);
    v18 = _mm512_mul_ps(_mm512_set1_ps(1.442695f), t);
    k = _mm512_roundscale_ps(v18, _MM_FROUND_TO_NEAREST_INT);
    v19 = _mm512_set1_ps(-0.69314575f);
    r = _mm512_fmadd_ps(k, v19, t);
    v21 = _mm512_set1_ps(-1.4286068e-06f);
    v24 = _mm512_setzero_ps();
    v23 = _mm512_sub_ps(v24, t);
    v22 = _mm512_fmadd_ps(v, a, v23);
    v20 = _mm512_fmadd_ps(k, v21, v22);
    r = _mm512_add_ps(r, v20);
    v25 = _mm512_set1_ps(0.001383736f);
    v26 = _mm512_set1_ps(0.008369221f);
    p = _mm512_fmadd_ps(r, v25, v26);
    v27 = _mm512_set1_ps(0.04166818f);
    p = _mm512_fmadd_ps(p, r, v27);
    v28 = _mm512_set1_ps(0.16666523f);
    p = _mm512_fmadd_ps(p, r, v28);
    v29 = _mm512_set1_ps(0.49999994f);
    p = _mm512_fmadd_ps(p, r, v29);
    v30 = _mm512_set1_ps(1.0f);
    p = _mm512_fmadd_ps(p, r, v30);
    v31 = _mm512_set1_ps(1.0f);
    p = _mm512_fmadd_ps(p, r, v31);
    v32 = _mm512_set1_ps(1.0f);
    v33 = _mm512_scalef_ps(p, k);
    p = _mm512_sub_ps(v32, v33);
    v34 = _mm512_castps_si512(p);
    x_v3 = x;
    v36 = _mm512_castps_si512(x_v3);
    v35 = _mm512_and_si512(v36, _mm512_set1_epi32((int)2147483648u));
    s = _mm512_or_si512(v34, v35);
    v38 = _mm512_set1_ps(1.0f);
    v39 = _mm512_castsi512_ps(s);
    v37 = _mm512_mask_mov_ps(v39, _mm512_cmp_ps_mask(a, v38, _CMP_LT_OQ), q);
    return v37;
}
#endif /* USL_AVX512_ERF_PS */

#ifndef USL_AVX512_LOG_PS
#define USL_AVX512_LOG_PS
#ifndef USL_AVX512_AT_MANTISSA_INVERSE
#define USL_AVX512_AT_MANTISSA_INVERSE
static inline __m512 usl_avx512_at_mantissa_inverse(__m512i k)
{
    static _Alignas(64) const float at[32] = {1.0f, 0.953125f, 0.921875f, 0.90625f, 0.875f, 0.859375f, 0.828125f, 0.8125f, 0.796875f, 0.765625f, 0.75f, 0.734375f, 0.71875f, 0.703125f, 0.6875f, 0.671875f, 1.3125f, 1.296875f, 1.265625f, 1.25f, 1.21875f, 1.203125f, 1.171875f, 1.15625f, 1.125f, 1.109375f, 1.09375f, 1.078125f, 1.0625f, 1.046875f, 1.03125f, 1.0f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_MANTISSA_INVERSE */

#ifndef USL_AVX512_AT_LN_LOW
#define USL_AVX512_AT_LN_LOW
static inline __m512 usl_avx512_at_ln_low(__m512i k)
{
    static _Alignas(64) const float at[32] = {0.0f, 5.068796e-06f, 1.0349618e-06f, 5.6245713e-06f, 1.7295386e-06f, -3.9484155e-07f, -7.4630047e-06f, -2.2367842e-06f, 6.669385e-06f, 3.459077e-06f, -7.1365325e-06f, 4.4025483e-06f, -4.284809e-06f, 1.9656597e-06f, -1.3747773e-06f, -6.8516697e-06f, -5.406994e-06f, 7.893428e-06f, 5.4284095e-07f, 2.4085425e-06f, 5.885472e-06f, 3.5476126e-07f, -3.7480543e-06f, 6.796692e-06f, 9.857239e-07f, -5.0818717e-06f, 4.1380813e-06f, 3.8374474e-06f, -2.4264303e-08f, -1.2226589e-06f, 6.7474793e-06f, 1.4286068e-06f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_LN_LOW */

#ifndef USL_AVX512_AT_LN_HIGH
#define USL_AVX512_AT_LN_HIGH
static inline __m512 usl_avx512_at_ln_high(__m512i k)
{
    static _Alignas(64) const float at[32] = {0.0f, 0.04800415f, 0.081344604f, 0.09843445f, 0.13352966f, 0.1515503f, 0.18859863f, 0.2076416f, 0.22705078f, 0.26705933f, 0.2876892f, 0.30873108f, 0.33024597f, 0.35221863f, 0.37469482f, 0.39768982f, 0.42121887f, 0.43318176f, 0.45758057f, 0.47000122f, 0.49531555f, 0.5082245f, 0.5345459f, 0.5479584f, 0.57536316f, 0.58935547f, 0.6035309f, 0.6179199f, 0.6325226f, 0.64733887f, 0.6623688f, 0.69314575f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_LN_HIGH */

static inline __m512 usl_avx512_log_ps(__m512 x)
{
    __m512 m = _mm512_setzero_ps();
    __m512 e = _mm512_setzero_ps();
    __m512 r = _mm512_setzero_ps();
    __m512 p = _mm512_setzero_ps();
    __m512 w = _mm512_setzero_ps();
    __m512i q = _mm512_setzero_si512();
    __m512 x_v = _mm512_setzero_ps();
    __m512 x_v1 = _mm512_setzero_ps();
    __m512i v = _mm512_setzero_si512();
    __m512 v1 = _mm512_setzero_ps();
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
    __m512 v13 = _mm512_setzero_ps();
    x_v = x;
    m = _mm512_getmant_ps(x_v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    x_v1 = x;
    e = _mm512_getexp_ps(x_v1);
    v = _mm512_castps_si512(m);
    q = _mm512_srlv_epi32(v, _mm512_set1_epi32((int)18u));
    v1 = usl_avx512_at_mantissa_inverse(q);
    v2 = _mm512_set1_ps(-1.0f);
    r = _mm512_fmadd_ps(m, v1, v2);
    v3 = _mm512_set1_ps(-0.24596234f);
    v4 = _mm512_set1_ps(0.3334173f);
    p = _mm512_fmadd_ps(r, v3, v4);
    v5 = _mm512_set1_ps(-0.5000011f);
    p = _mm512_fmadd_ps(p, r, v5);
    v6 = _mm512_set1_ps(1.4286068e-06f);
    v7 = usl_avx512_at_ln_low(q);
    w = _mm512_fmadd_ps(e, v6, v7);
    v8 = _mm512_mul_ps(r, r);
    w = _mm512_fmadd_ps(v8, p, w);
    v11 = _mm512_set1_ps(0.69314575f);
    v12 = usl_avx512_at_ln_high(q);
    v10 = _mm512_fmadd_ps(e, v11, v12);
    v13 = _mm512_add_ps(r, w);
    v9 = _mm512_add_ps(v10, v13);
    return v9;
}
#endif /* USL_AVX512_LOG_PS */

#ifndef USL_AVX512_LOG2_PS
#define USL_AVX512_LOG2_PS
#ifndef USL_AVX512_AT_MANTISSA_INVERSE
#define USL_AVX512_AT_MANTISSA_INVERSE
static inline __m512 usl_avx512_at_mantissa_inverse(__m512i k)
{
    static _Alignas(64) const float at[32] = {1.0f, 0.953125f, 0.921875f, 0.90625f, 0.875f, 0.859375f, 0.828125f, 0.8125f, 0.796875f, 0.765625f, 0.75f, 0.734375f, 0.71875f, 0.703125f, 0.6875f, 0.671875f, 1.3125f, 1.296875f, 1.265625f, 1.25f, 1.21875f, 1.203125f, 1.171875f, 1.15625f, 1.125f, 1.109375f, 1.09375f, 1.078125f, 1.0625f, 1.046875f, 1.03125f, 1.0f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_MANTISSA_INVERSE */

#ifndef USL_AVX512_AT_LOG2_LOW
#define USL_AVX512_AT_LOG2_LOW
static inline __m512 usl_avx512_at_log2_low(__m512i k)
{
    static _Alignas(64) const float at[32] = {0.0f, 3.0188824e-06f, 1.6039585e-06f, 5.455068e-06f, 2.8660284e-06f, -2.9020011e-06f, 7.7663366e-08f, -2.650161e-07f, -1.0255652e-06f, 5.7320567e-06f, -1.5632212e-06f, 7.095588e-06f, -2.3857444e-06f, -1.2896891e-06f, -4.7387543e-06f, 4.776548e-06f, 1.3028072e-06f, 6.34502e-06f, -6.2528848e-06f, 1.8367533e-06f, -1.8282373e-06f, -1.8727261e-06f, 2.1102853e-06f, 4.031832e-06f, -3.1264424e-06f, 2.6363548e-06f, 4.7027816e-06f, -3.9489655e-06f, 5.376559e-07f, -3.375028e-06f, -6.3019756e-06f, 0.0f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_LOG2_LOW */

#ifndef USL_AVX512_AT_LOG2_HIGH
#define USL_AVX512_AT_LOG2_HIGH
static inline __m512 usl_avx512_at_log2_high(__m512i k)
{
    static _Alignas(64) const float at[32] = {0.0f, 0.06925964f, 0.11735535f, 0.14201355f, 0.19264221f, 0.21864319f, 0.27207947f, 0.29956055f, 0.32757568f, 0.38528442f, 0.41503906f, 0.44540405f, 0.47644043f, 0.5081482f, 0.5405731f, 0.57373047f, 0.6076813f, 0.6249542f, 0.66015625f, 0.67807007f, 0.7145996f, 0.73321533f, 0.7711792f, 0.7905426f, 0.8300781f, 0.85025024f, 0.8707123f, 0.8914795f, 0.9125366f, 0.9339142f, 0.9556122f, 1.0f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_LOG2_HIGH */

static inline __m512 usl_avx512_log2_ps(__m512 x)
{
    __m512 m = _mm512_setzero_ps();
    __m512 e = _mm512_setzero_ps();
    __m512 r = _mm512_setzero_ps();
    __m512 p = _mm512_setzero_ps();
    __m512i q = _mm512_setzero_si512();
    __m512 x_v = _mm512_setzero_ps();
    __m512 x_v1 = _mm512_setzero_ps();
    __m512i v = _mm512_setzero_si512();
    __m512 v1 = _mm512_setzero_ps();
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
    x_v = x;
    m = _mm512_getmant_ps(x_v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    x_v1 = x;
    e = _mm512_getexp_ps(x_v1);
    v = _mm512_castps_si512(m);
    q = _mm512_srlv_epi32(v, _mm512_set1_epi32((int)18u));
    v1 = usl_avx512_at_mantissa_inverse(q);
    v2 = _mm512_set1_ps(-1.0f);
    r = _mm512_fmadd_ps(m, v1, v2);
    v3 = _mm512_set1_ps(-0.35478887f);
    v4 = _mm512_set1_ps(0.48104316f);
    p = _mm512_fmadd_ps(r, v3, v4);
    v5 = _mm512_set1_ps(-0.72134936f);
    p = _mm512_fmadd_ps(p, r, v5);
    v6 = _mm512_set1_ps(8.220525e-09f);
    p = _mm512_fmadd_ps(p, r, v6);
    v7 = usl_avx512_at_log2_low(q);
    p = _mm512_fmadd_ps(p, r, v7);
    v10 = usl_avx512_at_log2_high(q);
    v9 = _mm512_add_ps(e, v10);
    v12 = _mm512_set1_ps(1.442695f);
    v11 = _mm512_fmadd_ps(r, v12, p);
    v8 = _mm512_add_ps(v9, v11);
    return v8;
}
#endif /* USL_AVX512_LOG2_PS */

#ifndef USL_AVX512_LOG1P_PS
#define USL_AVX512_LOG1P_PS
#ifndef USL_AVX512_AT_MANTISSA_INVERSE
#define USL_AVX512_AT_MANTISSA_INVERSE
static inline __m512 usl_avx512_at_mantissa_inverse(__m512i k)
{
    static _Alignas(64) const float at[32] = {1.0f, 0.953125f, 0.921875f, 0.90625f, 0.875f, 0.859375f, 0.828125f, 0.8125f, 0.796875f, 0.765625f, 0.75f, 0.734375f, 0.71875f, 0.703125f, 0.6875f, 0.671875f, 1.3125f, 1.296875f, 1.265625f, 1.25f, 1.21875f, 1.203125f, 1.171875f, 1.15625f, 1.125f, 1.109375f, 1.09375f, 1.078125f, 1.0625f, 1.046875f, 1.03125f, 1.0f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_MANTISSA_INVERSE */

#ifndef USL_AVX512_AT_LN_LOW
#define USL_AVX512_AT_LN_LOW
static inline __m512 usl_avx512_at_ln_low(__m512i k)
{
    static _Alignas(64) const float at[32] = {0.0f, 5.068796e-06f, 1.0349618e-06f, 5.6245713e-06f, 1.7295386e-06f, -3.9484155e-07f, -7.4630047e-06f, -2.2367842e-06f, 6.669385e-06f, 3.459077e-06f, -7.1365325e-06f, 4.4025483e-06f, -4.284809e-06f, 1.9656597e-06f, -1.3747773e-06f, -6.8516697e-06f, -5.406994e-06f, 7.893428e-06f, 5.4284095e-07f, 2.4085425e-06f, 5.885472e-06f, 3.5476126e-07f, -3.7480543e-06f, 6.796692e-06f, 9.857239e-07f, -5.0818717e-06f, 4.1380813e-06f, 3.8374474e-06f, -2.4264303e-08f, -1.2226589e-06f, 6.7474793e-06f, 1.4286068e-06f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_LN_LOW */

#ifndef USL_AVX512_AT_LN_HIGH
#define USL_AVX512_AT_LN_HIGH
static inline __m512 usl_avx512_at_ln_high(__m512i k)
{
    static _Alignas(64) const float at[32] = {0.0f, 0.04800415f, 0.081344604f, 0.09843445f, 0.13352966f, 0.1515503f, 0.18859863f, 0.2076416f, 0.22705078f, 0.26705933f, 0.2876892f, 0.30873108f, 0.33024597f, 0.35221863f, 0.37469482f, 0.39768982f, 0.42121887f, 0.43318176f, 0.45758057f, 0.47000122f, 0.49531555f, 0.5082245f, 0.5345459f, 0.5479584f, 0.57536316f, 0.58935547f, 0.6035309f, 0.6179199f, 0.6325226f, 0.64733887f, 0.6623688f, 0.69314575f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_LN_HIGH */

static inline __m512 usl_avx512_log1p_ps(__m512 x)
{
    __m512 u = _mm512_setzero_ps();
    __m512 m = _mm512_setzero_ps();
    __m512 e = _mm512_setzero_ps();
    __m512 h = _mm512_setzero_ps();
    __m512 c = _mm512_setzero_ps();
    __m512 r = _mm512_setzero_ps();
    __m512 p = _mm512_setzero_ps();
    __m512 w = _mm512_setzero_ps();
    __m512 s = _mm512_setzero_ps();
    __m512i q = _mm512_setzero_si512();
    __m512 x_v = _mm512_setzero_ps();
    __m512i v = _mm512_setzero_si512();
    __m512i v1 = _mm512_setzero_si512();
    __m512i v2 = _mm512_setzero_si512();
    __m512i v3 = _mm512_setzero_si512();
    __m512 v4 = _mm512_setzero_ps();
    __m512 v5 = _mm512_setzero_ps();
    __m512 x_v1 = _mm512_setzero_ps();
    __m512 v6 = _mm512_setzero_ps();
    __m512 v7 = _mm512_setzero_ps();
    __m512 v8 = _mm512_setzero_ps();
    __m512 v9 = _mm512_setzero_ps();
    __m512 v10 = _mm512_setzero_ps();
    __m512 v11 = _mm512_setzero_ps();
    __m512 v12 = _mm512_setzero_ps();
    __m512 v13 = _mm512_setzero_ps();
    __m512 v14 = _mm512_setzero_ps();
    __m512 v15 = _mm512_setzero_ps();
    __m512 v16 = _mm512_setzero_ps();
    __m512 v17 = _mm512_setzero_ps();
    __m512 v18 = _mm512_setzero_ps();
    __m512 v19 = _mm512_setzero_ps();
    __m512 v20 = _mm512_setzero_ps();
    __m512 v21 = _mm512_setzero_ps();
    __m512 v22 = _mm512_setzero_ps();
    __m512i v23 = _mm512_setzero_si512();
    __m512i v24 = _mm512_setzero_si512();
    __m512i v25 = _mm512_setzero_si512();
    __m512i v26 = _mm512_setzero_si512();
    __m512 x_v2 = _mm512_setzero_ps();
    x_v = x;
    u = _mm512_add_ps(_mm512_set1_ps(1.0f), x_v);
    m = _mm512_getmant_ps(u, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    e = _mm512_getexp_ps(u);
    q = _mm512_castps_si512(m);
    v2 = _mm512_castps_si512(u);
    v1 = _mm512_sub_epi32(q, v2);
    v3 = _mm512_set1_epi32((int)1065353216u);
    v = _mm512_add_epi32(v1, v3);
    s = _mm512_castsi512_ps(v);
    x_v1 = x;
    v7 = _mm512_set1_ps(1.0f);
    v6 = _mm512_sub_ps(u, v7);
    v5 = _mm512_sub_ps(x_v1, v6);
    v4 = _mm512_mul_ps(v5, s);
    v8 = _mm512_set1_ps(-1.1920929e-07f);
    c = _mm512_max_ps(v4, v8);
    q = _mm512_srlv_epi32(q, _mm512_set1_epi32((int)18u));
    s = usl_avx512_at_mantissa_inverse(q);
    v9 = _mm512_set1_ps(-1.0f);
    h = _mm512_fmadd_ps(m, s, v9);
    c = _mm512_mul_ps(c, s);
    r = _mm512_add_ps(h, c);
    v10 = _mm512_set1_ps(-0.24596234f);
    v11 = _mm512_set1_ps(0.3334173f);
    p = _mm512_fmadd_ps(r, v10, v11);
    v12 = _mm512_set1_ps(-0.5000011f);
    p = _mm512_fmadd_ps(p, r, v12);
    v13 = _mm512_set1_ps(1.4286068e-06f);
    v14 = usl_avx512_at_ln_low(q);
    w = _mm512_fmadd_ps(e, v13, v14);
    v15 = _mm512_mul_ps(r, r);
    w = _mm512_fmadd_ps(v15, p, w);
    v17 = _mm512_sub_ps(h, r);
    v16 = _mm512_add_ps(v17, c);
    w = _mm512_add_ps(w, v16);
    v19 = _mm512_set1_ps(0.69314575f);
    v20 = usl_avx512_at_ln_high(q);
    v18 = _mm512_fmadd_ps(e, v19, v20);
    v21 = _mm512_add_ps(r, w);
    p = _mm512_add_ps(v18, v21);
    v24 = _mm512_castps_si512(p);
    x_v2 = x;
    v26 = _mm512_castps_si512(x_v2);
    v25 = _mm512_and_si512(v26, _mm512_set1_epi32((int)2147483648u));
    v23 = _mm512_or_si512(v24, v25);
    v22 = _mm512_castsi512_ps(v23);
    return v22;
}
#endif /* USL_AVX512_LOG1P_PS */

#ifndef USL_AVX512_SIGMOID_PS
#define USL_AVX512_SIGMOID_PS
static inline __m512 usl_avx512_sigmoid_ps(__m512 x)
{
    __m512 v = _mm512_setzero_ps();
    __m512 k = _mm512_setzero_ps();
    __m512 r1 = _mm512_setzero_ps();
    __m512 c = _mm512_setzero_ps();
    __m512 r = _mm512_setzero_ps();
    __m512 p = _mm512_setzero_ps();
    __m512 g = _mm512_setzero_ps();
    __m512 d = _mm512_setzero_ps();
    __m512 z = _mm512_setzero_ps();
    __m512 v1 = _mm512_setzero_ps();
    __m512 v2 = _mm512_setzero_ps();
    __m512 v3 = _mm512_setzero_ps();
    __m512 x_v = _mm512_setzero_ps();
    __m512 v4 = _mm512_setzero_ps();
    __m512 v5 = _mm512_setzero_ps();
    __m512 v6 = _mm512_setzero_ps();
    __m512 v7 = _mm512_setzero_ps();
    __m512 v8 = _mm512_setzero_ps();
    __m512 v9 = _mm512_setzero_ps();
    __m512 v10 = _mm512_setzero_ps();
    __m512 v11 = _mm512_setzero_ps();
    __m512 v12 = _mm512_setzero_ps();
    __m512 v13 = _mm512_setzero_ps();
    __m512 v14 = _mm512_setzero_ps();
    __m512 v15 = _mm512_setzero_ps();
    __m512 v16 = _mm512_setzero_ps();
    __m512 v17 = _mm512_setzero_ps();
    __m512 v18 = _mm512_setzero_ps();
    __m512 v19 = _mm512_setzero_ps();
    __m512 v20 = _mm512_setzero_ps();
    __m512 v21 = _mm512_setzero_ps();
    __m512 v22 = _mm512_setzero_ps();
    __m512 v23 = _mm512_setzero_ps();
    __m512 v24 = _mm512_setzero_ps();
    __m512 v25 = _mm512_setzero_ps();
    __m512 v26 = _mm512_setzero_ps();
    v1 = _mm512_set1_ps(-105.0f);
    v3 = _mm512_set1_ps(17.35f);
    x_v = x;
    v2 = _mm512_min_ps(v3, x_v);
    v = _mm512_max_ps(v1, v2);
    v4 = _mm512_mul_ps(_mm512_set1_ps(1.442695f), v);
    k = _mm512_roundscale_ps(v4, _MM_FROUND_TO_NEAREST_INT);
    v5 = _mm512_set1_ps(0.69314575f);
    v7 = _mm512_setzero_ps();
    v6 = _mm512_sub_ps(v7, v);
    r1 = _mm512_fmadd_ps(k, v5, v6);
    c = _mm512_mul_ps(_mm512_set1_ps(1.4286068e-06f), k);
    r = _mm512_add_ps(r1, c);
    v8 = _mm512_set1_ps(0.0013835597f);
    v9 = _mm512_set1_ps(0.008367129f);
    p = _mm512_fmadd_ps(r, v8, v9);
    v10 = _mm512_set1_ps(0.041667756f);
    p = _mm512_fmadd_ps(p, r, v10);
    v11 = _mm512_set1_ps(0.16666539f);
    p = _mm512_fmadd_ps(p, r, v11);
    v12 = _mm512_set1_ps(0.49999997f);
    p = _mm512_fmadd_ps(p, r, v12);
    v14 = _mm512_mul_ps(r, r);
    v13 = _mm512_fmadd_ps(v14, p, c);
    p = _mm512_add_ps(r1, v13);
    v15 = _mm512_set1_ps(1.0f);
    c = _mm512_scalef_ps(v15, k);
    g = _mm512_add_ps(_mm512_set1_ps(1.0f), c);
    d = _mm512_add_ps(g, p);
    v16 = _mm512_sub_ps(g, d);
    p = _mm512_add_ps(p, v16);
    v19 = _mm512_set1_ps(1.0f);
    v18 = _mm512_sub_ps(g, v19);
    v17 = _mm512_sub_ps(c, v18);
    p = _mm512_add_ps(p, v17);
    v20 = _mm512_set1_ps(1.0f);
    z = _mm512_div_ps(v20, d);
    v22 = _mm512_set1_ps(-1.0f);
    v21 = _mm512_fmadd_ps(z, d, v22);
    p = _mm512_fmadd_ps(z, p, v21);
    v26 = _mm512_setzero_ps();
    v25 = _mm512_sub_ps(v26, z);
    v24 = _mm512_fmadd_ps(v25, p, z);
    v23 = _mm512_scalef_ps(v24, k);
    return v23;
}
#endif /* USL_AVX512_SIGMOID_PS */

#ifndef USL_AVX512_CBRT_PS
#define USL_AVX512_CBRT_PS
#ifndef USL_AVX512_AT_CBRT_INVERSE
#define USL_AVX512_AT_CBRT_INVERSE
static inline __m512 usl_avx512_at_cbrt_inverse(__m512i k)
{
    static _Alignas(64) const float at[32] = {1.0f, 0.9570317f, 0.9257748f, 0.90233684f, 0.87500095f, 0.85155404f, 0.83200574f, 0.8085873f, 0.789009f, 0.76953435f, 0.7539067f, 0.7343961f, 0.7187538f, 0.703122f, 0.68750584f, 0.67186844f, 1.320325f, 1.2929559f, 1.265632f, 1.2421808f, 1.2187687f, 1.1952972f, 1.175777f, 1.1523323f, 1.1328155f, 1.1132822f, 1.0937405f, 1.0742086f, 1.058589f, 1.0390694f, 1.023416f, 0.9999988f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_CBRT_INVERSE */

#ifndef USL_AVX512_AT_CBRT_ROOT
#define USL_AVX512_AT_CBRT_ROOT
static inline __m512 usl_avx512_at_cbrt_root(__m512i k)
{
    static _Alignas(64) const float at[32] = {1.0f, 1.0147473f, 1.0260414f, 1.0348493f, 1.0455155f, 1.0550246f, 1.0632235f, 1.0733904f, 1.0821962f, 1.0912493f, 1.098738f, 1.108383f, 1.116366f, 1.1245785f, 1.1330295f, 1.1417524f, 1.1484613f, 1.1565083f, 1.1647718f, 1.1720561f, 1.1795135f, 1.187184f, 1.1937178f, 1.2017591f, 1.2086214f, 1.2156491f, 1.2228464f, 1.2302134f, 1.2362345f, 1.2439277f, 1.2502377f, 1.2599216f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_CBRT_ROOT */

#ifndef USL_AVX512_AT_ROOT_OF_TWO
#define USL_AVX512_AT_ROOT_OF_TWO
static inline __m512 usl_avx512_at_root_of_two(__m512i k)
{
    static _Alignas(64) const float at[32] = {1.0f, 1.2599211f, 1.587401f, 1.0f, 1.0f, 1.2599211f, 1.587401f, 1.0f, 1.0f, 1.2599211f, 1.587401f, 1.0f, 1.0f, 1.2599211f, 1.587401f, 1.0f, 1.0f, 1.2599211f, 1.587401f, 1.0f, 1.0f, 1.2599211f, 1.587401f, 1.0f, 1.0f, 1.2599211f, 1.587401f, 1.0f, 1.0f, 1.2599211f, 1.587401f, 1.0f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_ROOT_OF_TWO */

static inline __m512 usl_avx512_cbrt_ps(__m512 x)
{
    __m512 m = _mm512_setzero_ps();
    __m512 e = _mm512_setzero_ps();
    __m512 k = _mm512_setzero_ps();
    __m512 r = _mm512_setzero_ps();
    __m512 p = _mm512_setzero_ps();
    __m512 h = _mm512_setzero_ps();
    __m512 f = _mm512_setzero_ps();
    __m512 a = _mm512_setzero_ps();
    __m512i q = _mm512_setzero_si512();
    __m512i j = _mm512_setzero_si512();
    __m512 v = _mm512_setzero_ps();
    __m512 x_v = _mm512_setzero_ps();
    __m512 x_v1 = _mm512_setzero_ps();
    __m512 v1 = _mm512_setzero_ps();
    __m512 v2 = _mm512_setzero_ps();
    __m512 v3 = _mm512_setzero_ps();
    __m512 v4 = _mm512_setzero_ps();
    __m512 v5 = _mm512_setzero_ps();
    __m512 v6 = _mm512_setzero_ps();
    __m512i v7 = _mm512_setzero_si512();
    __m512 v8 = _mm512_setzero_ps();
    __m512 v9 = _mm512_setzero_ps();
    __m512 v10 = _mm512_setzero_ps();
    __m512 v11 = _mm512_setzero_ps();
    __m512 v12 = _mm512_setzero_ps();
    __m512 v13 = _mm512_setzero_ps();
    __m512 v14 = _mm512_setzero_ps();
    __m512 v15 = _mm512_setzero_ps();
    __m512 v16 = _mm512_setzero_ps();
    __m512 v17 = _mm512_setzero_ps();
    __m512i v18 = _mm512_setzero_si512();
    __m512i v19 = _mm512_setzero_si512();
    __m512 v20 = _mm512_setzero_ps();
    __m512i v21 = _mm512_setzero_si512();
    __m512i v22 = _mm512_setzero_si512();
    __m512 x_v2 = _mm512_setzero_ps();
    x_v = x;
    v = _mm512_abs_ps(x_v);
    m = _mm512_getmant_ps(v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    x_v1 = x;
    e = _mm512_getexp_ps(x_v1);
    v2 = _mm512_set1_ps(0.33333334f);
    v3 = _mm512_set1_ps(-0.33333334f);
    v1 = _mm512_fmadd_ps(e, v2, v3);
    k = _mm512_roundscale_ps(v1, _MM_FROUND_TO_NEAREST_INT);
    v6 = _mm512_set1_ps(-3.0f);
    v5 = _mm512_fmadd_ps(k, v6, e);
    v4 = _mm512_add_ps(_mm512_set1_ps(8388608.0f), v5);
    j = _mm512_castps_si512(v4);
    v7 = _mm512_castps_si512(m);
    q = _mm512_srlv_epi32(v7, _mm512_set1_epi32((int)18u));
    v8 = usl_avx512_at_cbrt_inverse(q);
    v9 = _mm512_set1_ps(-1.0f);
    r = _mm512_fmadd_ps(m, v8, v9);
    v10 = _mm512_set1_ps(0.06071139f);
    v11 = _mm512_set1_ps(-0.111124456f);
    p = _mm512_fmadd_ps(r, v10, v11);
    v12 = _mm512_set1_ps(0.33333358f);
    p = _mm512_fmadd_ps(p, r, v12);
    p = _mm512_mul_ps(p, r);
    h = usl_avx512_at_cbrt_root(q);
    f = usl_avx512_at_root_of_two(j);
    a = _mm512_mul_ps(h, f);
    v16 = _mm512_setzero_ps();
    v15 = _mm512_sub_ps(v16, a);
    v14 = _mm512_fmadd_ps(h, f, v15);
    v13 = _mm512_fmadd_ps(a, p, v14);
    a = _mm512_add_ps(a, v13);
    v20 = _mm512_scalef_ps(a, k);
    v19 = _mm512_castps_si512(v20);
    x_v2 = x;
    v22 = _mm512_castps_si512(x_v2);
    v21 = _mm512_and_si512(v22, _mm512_set1_epi32((int)2147483648u));
    v18 = _mm512_or_si512(v19, v21);
    v17 = _mm512_castsi512_ps(v18);
    return v17;
}
#endif /* USL_AVX512_CBRT_PS */

#ifndef USL_AVX512_EXP_PD
#define USL_AVX512_EXP_PD
static inline __m512d usl_avx512_exp_pd(__m512d x)
{
    __m512d v = _mm512_setzero_pd();
    __m512d k = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d x_v = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    v1 = _mm512_set1_pd(-746.0);
    v3 = _mm512_set1_pd(7.1e+02);
    x_v = x;
    v2 = _mm512_min_pd(v3, x_v);
    v = _mm512_max_pd(v1, v2);
    v4 = _mm512_mul_pd(_mm512_set1_pd(1.4426950408889634), v);
    k = _mm512_roundscale_pd(v4, _MM_FROUND_TO_NEAREST_INT);
    v5 = _mm512_set1_pd(-0.6931471805598903);
    r = _mm512_fmadd_pd(k, v5, v);
    v6 = _mm512_set1_pd(-5.497923018708371e-14);
    r = _mm512_fmadd_pd(k, v6, r);
    v7 = _mm512_set1_pd(2.5113331211421618e-08);
    v8 = _mm512_set1_pd(2.7631521356475967e-07);
    p = _mm512_fmadd_pd(r, v7, v8);
    v9 = _mm512_set1_pd(2.7557230994522806e-06);
    p = _mm512_fmadd_pd(p, r, v9);
    v10 = _mm512_set1_pd(2.4801489183438713e-05);
    p = _mm512_fmadd_pd(p, r, v10);
    v11 = _mm512_set1_pd(0.00019841269900349134);
    p = _mm512_fmadd_pd(p, r, v11);
    v12 = _mm512_set1_pd(0.0013888888947858557);
    p = _mm512_fmadd_pd(p, r, v12);
    v13 = _mm512_set1_pd(0.008333333333315466);
    p = _mm512_fmadd_pd(p, r, v13);
    v14 = _mm512_set1_pd(0.04166666666651159);
    p = _mm512_fmadd_pd(p, r, v14);
    v15 = _mm512_set1_pd(0.16666666666666685);
    p = _mm512_fmadd_pd(p, r, v15);
    v16 = _mm512_set1_pd(0.5000000000000013);
    p = _mm512_fmadd_pd(p, r, v16);
    v17 = _mm512_set1_pd(1.0);
    p = _mm512_fmadd_pd(p, r, v17);
    v18 = _mm512_set1_pd(1.0);
    p = _mm512_fmadd_pd(p, r, v18);
    v19 = _mm512_scalef_pd(p, k);
    return v19;
}
#endif /* USL_AVX512_EXP_PD */

#ifndef USL_AVX512_EXP2_PD
#define USL_AVX512_EXP2_PD
static inline __m512d usl_avx512_exp2_pd(__m512d x)
{
    __m512d v = _mm512_setzero_pd();
    __m512d k = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d x_v = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    v1 = _mm512_set1_pd(-1076.0);
    x_v = x;
    v = _mm512_max_pd(v1, x_v);
    k = _mm512_roundscale_pd(v, _MM_FROUND_TO_NEAREST_INT);
    r = _mm512_sub_pd(v, k);
    v2 = _mm512_set1_pd(4.4603637105392504e-10);
    v3 = _mm512_set1_pd(7.0735596770334614e-09);
    p = _mm512_fmadd_pd(r, v2, v3);
    v4 = _mm512_set1_pd(1.0178021291886068e-07);
    p = _mm512_fmadd_pd(p, r, v4);
    v5 = _mm512_set1_pd(1.3215436785188416e-06);
    p = _mm512_fmadd_pd(p, r, v5);
    v6 = _mm512_set1_pd(1.5252733948813772e-05);
    p = _mm512_fmadd_pd(p, r, v6);
    v7 = _mm512_set1_pd(0.0001540353045352207);
    p = _mm512_fmadd_pd(p, r, v7);
    v8 = _mm512_set1_pd(0.0013333558146255413);
    p = _mm512_fmadd_pd(p, r, v8);
    v9 = _mm512_set1_pd(0.009618129107597668);
    p = _mm512_fmadd_pd(p, r, v9);
    v10 = _mm512_set1_pd(0.05550410866482261);
    p = _mm512_fmadd_pd(p, r, v10);
    v11 = _mm512_set1_pd(0.2402265069591012);
    p = _mm512_fmadd_pd(p, r, v11);
    v12 = _mm512_set1_pd(0.6931471805599453);
    p = _mm512_fmadd_pd(p, r, v12);
    v13 = _mm512_set1_pd(1.0);
    p = _mm512_fmadd_pd(p, r, v13);
    v14 = _mm512_scalef_pd(p, k);
    return v14;
}
#endif /* USL_AVX512_EXP2_PD */

#ifndef USL_AVX512_EXPM1_PD
#define USL_AVX512_EXPM1_PD
static inline __m512d usl_avx512_expm1_pd(__m512d x)
{
    __m512d v = _mm512_setzero_pd();
    __m512d t = _mm512_setzero_pd();
    __m512d k = _mm512_setzero_pd();
    __m512d r1 = _mm512_setzero_pd();
    __m512d c = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512d o = _mm512_setzero_pd();
    __m512d u = _mm512_setzero_pd();
    __m512d s = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d x_v = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    __m512d v20 = _mm512_setzero_pd();
    __m512d v21 = _mm512_setzero_pd();
    __m512d v22 = _mm512_setzero_pd();
    __m512i v23 = _mm512_setzero_si512();
    __m512i v24 = _mm512_setzero_si512();
    __m512i v25 = _mm512_setzero_si512();
    __m512i v26 = _mm512_setzero_si512();
    __m512d v27 = _mm512_setzero_pd();
    __m512d v28 = _mm512_setzero_pd();
    __m512d v29 = _mm512_setzero_pd();
    __m512d v30 = _mm512_setzero_pd();
    __m512d v31 = _mm512_setzero_pd();
    __m512d v32 = _mm512_setzero_pd();
    __m512d v33 = _mm512_setzero_pd();
    __m512d v34 = _mm512_setzero_pd();
    __m512d v35 = _mm512_setzero_pd();
    __m512d v36 = _mm512_setzero_pd();
    __m512d v37 = _mm512_setzero_pd();
    __m512d v38 = _mm512_setzero_pd();
    v1 = _mm512_set1_pd(-4e+01);
    v3 = _mm512_set1_pd(709.9);
    x_v = x;
    v2 = _mm512_min_pd(v3, x_v);
    v = _mm512_max_pd(v1, v2);
    v4 = _mm512_set1_pd(1.4426950408889634);
    v5 = _mm512_set1_pd(6755399441055744.0);
    t = _mm512_fmadd_pd(v, v4, v5);
    v6 = _mm512_set1_pd(6755399441055744.0);
    k = _mm512_sub_pd(t, v6);
    v7 = _mm512_set1_pd(-0.6931471805598903);
    r1 = _mm512_fmadd_pd(k, v7, v);
    c = _mm512_mul_pd(_mm512_set1_pd(-5.497923018708371e-14), k);
    r = _mm512_add_pd(r1, c);
    u = _mm512_mul_pd(r, r);
    v8 = _mm512_set1_pd(2.0886982679354775e-09);
    v9 = _mm512_set1_pd(2.7557340736901366e-07);
    p = _mm512_fmadd_pd(u, v8, v9);
    v10 = _mm512_set1_pd(2.4801587274733355e-05);
    p = _mm512_fmadd_pd(p, u, v10);
    v11 = _mm512_set1_pd(0.0013888888888894284);
    p = _mm512_fmadd_pd(p, u, v11);
    v12 = _mm512_set1_pd(0.041666666666666685);
    p = _mm512_fmadd_pd(p, u, v12);
    v13 = _mm512_set1_pd(2.5106841837314753e-08);
    v14 = _mm512_set1_pd(2.755724846884736e-06);
    o = _mm512_fmadd_pd(u, v13, v14);
    v15 = _mm512_set1_pd(0.00019841269883717956);
    o = _mm512_fmadd_pd(o, u, v15);
    v16 = _mm512_set1_pd(0.008333333333322087);
    o = _mm512_fmadd_pd(o, u, v16);
    v17 = _mm512_set1_pd(0.16666666666666677);
    o = _mm512_fmadd_pd(o, u, v17);
    v19 = _mm512_mul_pd(o, r);
    v18 = _mm512_fmadd_pd(p, u, v19);
    p = _mm512_add_pd(_mm512_set1_pd(0.5), v18);
    v21 = _mm512_sub_pd(r1, r);
    v20 = _mm512_add_pd(v21, c);
    v22 = _mm512_fmadd_pd(u, p, c);
    p = _mm512_fmadd_pd(v20, r, v22);
    v25 = _mm512_castpd_si512(t);
    v24 = _mm512_sllv_epi64(v25, _mm512_set1_epi64((long long)UINT64_C(52)));
    v26 = _mm512_set1_epi64((long long)UINT64_C(4602678819172646912));
    v23 = _mm512_add_epi64(v24, v26);
    s = _mm512_castsi512_pd(v23);
    v27 = _mm512_set1_pd(0.5);
    t = _mm512_sub_pd(s, v27);
    k = _mm512_fmadd_pd(s, r1, t);
    v31 = _mm512_sub_pd(t, k);
    v33 = _mm512_sub_pd(s, t);
    v34 = _mm512_set1_pd(0.5);
    v32 = _mm512_sub_pd(v33, v34);
    v30 = _mm512_add_pd(v31, v32);
    v29 = _mm512_fmadd_pd(s, r1, v30);
    v28 = _mm512_fmadd_pd(s, p, v29);
    p = _mm512_add_pd(k, v28);
    v36 = _mm512_abs_pd(v);
    v37 = _mm512_set1_pd(5.551115123125783e-17);
    v38 = _mm512_add_pd(p, p);
    v35 = _mm512_mask_mov_pd(v38, _mm512_cmp_pd_mask(v36, v37, _CMP_LT_OQ), v);
    return v35;
}
#endif /* USL_AVX512_EXPM1_PD */

#ifndef USL_AVX512_LOG_PD
#define USL_AVX512_LOG_PD
#ifndef USL_AVX512_AT_MANTISSA_INVERSE_F64
#define USL_AVX512_AT_MANTISSA_INVERSE_F64
static inline __m512d usl_avx512_at_mantissa_inverse_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {1.0, 0.90625, 0.875, 0.8125, 0.78125, 0.75, 0.71875, 0.6875, 1.3125, 1.25, 1.1875, 1.1875, 1.125, 1.0625, 1.0625, 1.0};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_MANTISSA_INVERSE_F64 */

#ifndef USL_AVX512_AT_LN_LOW_F64
#define USL_AVX512_AT_LN_LOW_F64
static inline __m512d usl_avx512_at_ln_low_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.0, -1.9350243441399066e-13, -1.9551393909415374e-13, 1.839482528479895e-13, -8.899851356560444e-14, -6.292357389008195e-14, 5.4612144489920215e-14, -1.5476901394397567e-13, 1.9630983790222844e-13, 9.667719603235566e-14, 1.4147162625920442e-13, 1.4147162625920442e-13, 3.2890020310630024e-13, 1.0711543657844876e-13, 1.0711543657844876e-13, 2.8235290563031577e-13};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_LN_LOW_F64 */

#ifndef USL_AVX512_AT_LN_HIGH_F64
#define USL_AVX512_AT_LN_HIGH_F64
static inline __m512d usl_avx512_at_ln_high_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.0, 0.09844007281344602, 0.13353139262471814, 0.20763936477806055, 0.2468600779316148, 0.28768207245184385, 0.33024168687052224, 0.37469344944156546, 0.42121346507610724, 0.4700036292456389, 0.5212969236331446, 0.5212969236331446, 0.575364144903233, 0.6325225587434034, 0.6325225587434034, 0.693147180559663};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_LN_HIGH_F64 */

static inline __m512d usl_avx512_log_pd(__m512d x)
{
    __m512d m = _mm512_setzero_pd();
    __m512d e = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512d o = _mm512_setzero_pd();
    __m512d u = _mm512_setzero_pd();
    __m512d w = _mm512_setzero_pd();
    __m512i q = _mm512_setzero_si512();
    __m512d x_v = _mm512_setzero_pd();
    __m512d x_v1 = _mm512_setzero_pd();
    __m512i v = _mm512_setzero_si512();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    x_v = x;
    m = _mm512_getmant_pd(x_v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    x_v1 = x;
    e = _mm512_getexp_pd(x_v1);
    v = _mm512_castpd_si512(m);
    q = _mm512_srlv_epi64(v, _mm512_set1_epi64((long long)UINT64_C(48)));
    v1 = usl_avx512_at_mantissa_inverse_f64(q);
    v2 = _mm512_set1_pd(-1.0);
    r = _mm512_fmadd_pd(m, v1, v2);
    u = _mm512_mul_pd(r, r);
    v3 = _mm512_set1_pd(-0.10064236189877421);
    v4 = _mm512_set1_pd(-0.12499886883428103);
    p = _mm512_fmadd_pd(u, v3, v4);
    v5 = _mm512_set1_pd(-0.1666666672878027);
    p = _mm512_fmadd_pd(p, u, v5);
    v6 = _mm512_set1_pd(-0.2499999999999248);
    p = _mm512_fmadd_pd(p, u, v6);
    v7 = _mm512_set1_pd(-0.5);
    p = _mm512_fmadd_pd(p, u, v7);
    v8 = _mm512_set1_pd(0.0863438205671688);
    v9 = _mm512_set1_pd(0.11115388691109507);
    o = _mm512_fmadd_pd(u, v8, v9);
    v10 = _mm512_set1_pd(0.14285704810035857);
    o = _mm512_fmadd_pd(o, u, v10);
    v11 = _mm512_set1_pd(0.20000000007473004);
    o = _mm512_fmadd_pd(o, u, v11);
    v12 = _mm512_set1_pd(0.33333333333331555);
    o = _mm512_fmadd_pd(o, u, v12);
    p = _mm512_fmadd_pd(o, r, p);
    v13 = _mm512_set1_pd(2.8235290563031577e-13);
    v14 = usl_avx512_at_ln_low_f64(q);
    w = _mm512_fmadd_pd(e, v13, v14);
    w = _mm512_fmadd_pd(u, p, w);
    v17 = _mm512_set1_pd(0.693147180559663);
    v18 = usl_avx512_at_ln_high_f64(q);
    v16 = _mm512_fmadd_pd(e, v17, v18);
    v19 = _mm512_add_pd(r, w);
    v15 = _mm512_add_pd(v16, v19);
    return v15;
}
#endif /* USL_AVX512_LOG_PD */

#ifndef USL_AVX512_LOG2_PD
#define USL_AVX512_LOG2_PD
#ifndef USL_AVX512_AT_MANTISSA_INVERSE_F64
#define USL_AVX512_AT_MANTISSA_INVERSE_F64
static inline __m512d usl_avx512_at_mantissa_inverse_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {1.0, 0.90625, 0.875, 0.8125, 0.78125, 0.75, 0.71875, 0.6875, 1.3125, 1.25, 1.1875, 1.1875, 1.125, 1.0625, 1.0625, 1.0};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_MANTISSA_INVERSE_F64 */

#ifndef USL_AVX512_AT_LOG2_LOW_F64
#define USL_AVX512_AT_LOG2_LOW_F64
static inline __m512d usl_avx512_at_log2_low_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.0, -8.107893466726174e-14, -1.9917399279874596e-14, 2.0474716408719944e-13, 1.266771905137232e-13, 1.4733181985781966e-13, 1.520621696507556e-13, -1.4294083388465032e-13, 1.2741442057794507e-13, 6.33385952568616e-14, 1.7024883460791358e-13, 1.7024883460791358e-13, -1.600837111708248e-13, -6.781363655020842e-14, -6.781363655020842e-14, 0.0};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_LOG2_LOW_F64 */

#ifndef USL_AVX512_AT_LOG2_HIGH_F64
#define USL_AVX512_AT_LOG2_HIGH_F64
static inline __m512d usl_avx512_at_log2_high_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.0, 0.14201900487250896, 0.1926450779424158, 0.2995602818587031, 0.3561438102251486, 0.4150374992786965, 0.47643804394283507, 0.5405683813628457, 0.6076825772211123, 0.6780719051125743, 0.7520724865562443, 0.7520724865562443, 0.8300749985578477, 0.9125371587497284, 0.9125371587497284, 1.0};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_LOG2_HIGH_F64 */

static inline __m512d usl_avx512_log2_pd(__m512d x)
{
    __m512d m = _mm512_setzero_pd();
    __m512d e = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512d o = _mm512_setzero_pd();
    __m512d u = _mm512_setzero_pd();
    __m512i q = _mm512_setzero_si512();
    __m512d x_v = _mm512_setzero_pd();
    __m512d x_v1 = _mm512_setzero_pd();
    __m512i v = _mm512_setzero_si512();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    x_v = x;
    m = _mm512_getmant_pd(x_v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    x_v1 = x;
    e = _mm512_getexp_pd(x_v1);
    v = _mm512_castpd_si512(m);
    q = _mm512_srlv_epi64(v, _mm512_set1_epi64((long long)UINT64_C(48)));
    v1 = usl_avx512_at_mantissa_inverse_f64(q);
    v2 = _mm512_set1_pd(-1.0);
    r = _mm512_fmadd_pd(m, v1, v2);
    u = _mm512_mul_pd(r, r);
    v3 = _mm512_set1_pd(0.1602378738943561);
    v4 = _mm512_set1_pd(0.20610026169460455);
    p = _mm512_fmadd_pd(u, v3, v4);
    v5 = _mm512_set1_pd(0.28853900704019175);
    p = _mm512_fmadd_pd(p, u, v5);
    v6 = _mm512_set1_pd(0.48089834696335737);
    p = _mm512_fmadd_pd(p, u, v6);
    v7 = _mm512_set1_pd(2.833903248369168e-18);
    p = _mm512_fmadd_pd(p, u, v7);
    v8 = _mm512_set1_pd(-0.1294481305605248);
    v9 = _mm512_set1_pd(-0.18038311055887593);
    o = _mm512_fmadd_pd(u, v8, v9);
    v10 = _mm512_set1_pd(-0.2404491246216135);
    o = _mm512_fmadd_pd(o, u, v10);
    v11 = _mm512_set1_pd(-0.36067376024258474);
    o = _mm512_fmadd_pd(o, u, v11);
    v12 = _mm512_set1_pd(-0.7213475204444791);
    o = _mm512_fmadd_pd(o, u, v12);
    p = _mm512_fmadd_pd(o, r, p);
    v13 = usl_avx512_at_log2_low_f64(q);
    p = _mm512_fmadd_pd(p, r, v13);
    v16 = usl_avx512_at_log2_high_f64(q);
    v15 = _mm512_add_pd(e, v16);
    v18 = _mm512_set1_pd(1.4426950408889634);
    v17 = _mm512_fmadd_pd(r, v18, p);
    v14 = _mm512_add_pd(v15, v17);
    return v14;
}
#endif /* USL_AVX512_LOG2_PD */

#ifndef USL_AVX512_LOG1P_PD
#define USL_AVX512_LOG1P_PD
#ifndef USL_AVX512_AT_MANTISSA_INVERSE_F64
#define USL_AVX512_AT_MANTISSA_INVERSE_F64
static inline __m512d usl_avx512_at_mantissa_inverse_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {1.0, 0.90625, 0.875, 0.8125, 0.78125, 0.75, 0.71875, 0.6875, 1.3125, 1.25, 1.1875, 1.1875, 1.125, 1.0625, 1.0625, 1.0};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_MANTISSA_INVERSE_F64 */

#ifndef USL_AVX512_AT_LN_LOW_F64
#define USL_AVX512_AT_LN_LOW_F64
static inline __m512d usl_avx512_at_ln_low_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.0, -1.9350243441399066e-13, -1.9551393909415374e-13, 1.839482528479895e-13, -8.899851356560444e-14, -6.292357389008195e-14, 5.4612144489920215e-14, -1.5476901394397567e-13, 1.9630983790222844e-13, 9.667719603235566e-14, 1.4147162625920442e-13, 1.4147162625920442e-13, 3.2890020310630024e-13, 1.0711543657844876e-13, 1.0711543657844876e-13, 2.8235290563031577e-13};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_LN_LOW_F64 */

#ifndef USL_AVX512_AT_LN_HIGH_F64
#define USL_AVX512_AT_LN_HIGH_F64
static inline __m512d usl_avx512_at_ln_high_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.0, 0.09844007281344602, 0.13353139262471814, 0.20763936477806055, 0.2468600779316148, 0.28768207245184385, 0.33024168687052224, 0.37469344944156546, 0.42121346507610724, 0.4700036292456389, 0.5212969236331446, 0.5212969236331446, 0.575364144903233, 0.6325225587434034, 0.6325225587434034, 0.693147180559663};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_LN_HIGH_F64 */

static inline __m512d usl_avx512_log1p_pd(__m512d x)
{
    __m512d v = _mm512_setzero_pd();
    __m512d m = _mm512_setzero_pd();
    __m512d e = _mm512_setzero_pd();
    __m512d h = _mm512_setzero_pd();
    __m512d c = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512d o = _mm512_setzero_pd();
    __m512d u = _mm512_setzero_pd();
    __m512d w = _mm512_setzero_pd();
    __m512d s = _mm512_setzero_pd();
    __m512i q = _mm512_setzero_si512();
    __m512d x_v = _mm512_setzero_pd();
    __m512i v1 = _mm512_setzero_si512();
    __m512i v2 = _mm512_setzero_si512();
    __m512i v3 = _mm512_setzero_si512();
    __m512i v4 = _mm512_setzero_si512();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d x_v1 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    __m512d v20 = _mm512_setzero_pd();
    __m512d v21 = _mm512_setzero_pd();
    __m512d v22 = _mm512_setzero_pd();
    __m512d v23 = _mm512_setzero_pd();
    __m512d v24 = _mm512_setzero_pd();
    __m512d v25 = _mm512_setzero_pd();
    __m512d v26 = _mm512_setzero_pd();
    __m512d v27 = _mm512_setzero_pd();
    __m512d v28 = _mm512_setzero_pd();
    __m512d v29 = _mm512_setzero_pd();
    __m512d v30 = _mm512_setzero_pd();
    __m512i v31 = _mm512_setzero_si512();
    __m512i v32 = _mm512_setzero_si512();
    __m512i v33 = _mm512_setzero_si512();
    __m512i v34 = _mm512_setzero_si512();
    __m512d x_v2 = _mm512_setzero_pd();
    x_v = x;
    v = _mm512_add_pd(_mm512_set1_pd(1.0), x_v);
    m = _mm512_getmant_pd(v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    e = _mm512_getexp_pd(v);
    q = _mm512_castpd_si512(m);
    v3 = _mm512_castpd_si512(v);
    v2 = _mm512_sub_epi64(q, v3);
    v4 = _mm512_set1_epi64((long long)UINT64_C(4607182418800017408));
    v1 = _mm512_add_epi64(v2, v4);
    s = _mm512_castsi512_pd(v1);
    x_v1 = x;
    v8 = _mm512_set1_pd(1.0);
    v7 = _mm512_sub_pd(v, v8);
    v6 = _mm512_sub_pd(x_v1, v7);
    v5 = _mm512_mul_pd(v6, s);
    v9 = _mm512_set1_pd(-2.220446049250313e-16);
    c = _mm512_max_pd(v5, v9);
    q = _mm512_srlv_epi64(q, _mm512_set1_epi64((long long)UINT64_C(48)));
    s = usl_avx512_at_mantissa_inverse_f64(q);
    v10 = _mm512_set1_pd(-1.0);
    h = _mm512_fmadd_pd(m, s, v10);
    c = _mm512_mul_pd(c, s);
    r = _mm512_add_pd(h, c);
    u = _mm512_mul_pd(r, r);
    v11 = _mm512_set1_pd(-0.10064236189877421);
    v12 = _mm512_set1_pd(-0.12499886883428103);
    p = _mm512_fmadd_pd(u, v11, v12);
    v13 = _mm512_set1_pd(-0.1666666672878027);
    p = _mm512_fmadd_pd(p, u, v13);
    v14 = _mm512_set1_pd(-0.2499999999999248);
    p = _mm512_fmadd_pd(p, u, v14);
    v15 = _mm512_set1_pd(-0.5);
    p = _mm512_fmadd_pd(p, u, v15);
    v16 = _mm512_set1_pd(0.0863438205671688);
    v17 = _mm512_set1_pd(0.11115388691109507);
    o = _mm512_fmadd_pd(u, v16, v17);
    v18 = _mm512_set1_pd(0.14285704810035857);
    o = _mm512_fmadd_pd(o, u, v18);
    v19 = _mm512_set1_pd(0.20000000007473004);
    o = _mm512_fmadd_pd(o, u, v19);
    v20 = _mm512_set1_pd(0.33333333333331555);
    o = _mm512_fmadd_pd(o, u, v20);
    p = _mm512_fmadd_pd(o, r, p);
    v21 = _mm512_set1_pd(2.8235290563031577e-13);
    v22 = usl_avx512_at_ln_low_f64(q);
    w = _mm512_fmadd_pd(e, v21, v22);
    v23 = _mm512_fmadd_pd(u, p, w);
    v25 = _mm512_sub_pd(h, r);
    v24 = _mm512_add_pd(v25, c);
    w = _mm512_add_pd(v23, v24);
    v27 = _mm512_set1_pd(0.693147180559663);
    v28 = usl_avx512_at_ln_high_f64(q);
    v26 = _mm512_fmadd_pd(e, v27, v28);
    v29 = _mm512_add_pd(r, w);
    p = _mm512_add_pd(v26, v29);
    v32 = _mm512_castpd_si512(p);
    x_v2 = x;
    v34 = _mm512_castpd_si512(x_v2);
    v33 = _mm512_and_si512(v34, _mm512_set1_epi64((long long)UINT64_C(9223372036854775808)));
    v31 = _mm512_or_si512(v32, v33);
    v30 = _mm512_castsi512_pd(v31);
    return v30;
}
#endif /* USL_AVX512_LOG1P_PD */

#ifndef USL_AVX512_TANH_PD
#define USL_AVX512_TANH_PD
static inline __m512d usl_avx512_tanh_pd(__m512d x)
{
    __m512d v = _mm512_setzero_pd();
    __m512d k = _mm512_setzero_pd();
    __m512d r1 = _mm512_setzero_pd();
    __m512d c = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512d h = _mm512_setzero_pd();
    __m512d a = _mm512_setzero_pd();
    __m512d b = _mm512_setzero_pd();
    __m512d d = _mm512_setzero_pd();
    __m512d q = _mm512_setzero_pd();
    __m512d t = _mm512_setzero_pd();
    __m512i s = _mm512_setzero_si512();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d x_v = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    __m512d v20 = _mm512_setzero_pd();
    __m512d v21 = _mm512_setzero_pd();
    __m512d v22 = _mm512_setzero_pd();
    __m512d v23 = _mm512_setzero_pd();
    __m512d v24 = _mm512_setzero_pd();
    __m512d v25 = _mm512_setzero_pd();
    __m512d v26 = _mm512_setzero_pd();
    __m512d v27 = _mm512_setzero_pd();
    __m512d v28 = _mm512_setzero_pd();
    __m512d v29 = _mm512_setzero_pd();
    __m512d v30 = _mm512_setzero_pd();
    __m512d v31 = _mm512_setzero_pd();
    __m512d v32 = _mm512_setzero_pd();
    __m512d v33 = _mm512_setzero_pd();
    __m512d v34 = _mm512_setzero_pd();
    __m512d v35 = _mm512_setzero_pd();
    __m512d v36 = _mm512_setzero_pd();
    __m512d v37 = _mm512_setzero_pd();
    __m512i v38 = _mm512_setzero_si512();
    __m512i v39 = _mm512_setzero_si512();
    __m512i v40 = _mm512_setzero_si512();
    __m512i v41 = _mm512_setzero_si512();
    __m512d x_v1 = _mm512_setzero_pd();
    __m512d v42 = _mm512_setzero_pd();
    v1 = _mm512_set1_pd(-4e+01);
    x_v = x;
    v3 = _mm512_abs_pd(x_v);
    v2 = _mm512_mul_pd(_mm512_set1_pd(-2.0), v3);
    v = _mm512_max_pd(v1, v2);
    v4 = _mm512_mul_pd(_mm512_set1_pd(1.4426950408889634), v);
    k = _mm512_roundscale_pd(v4, _MM_FROUND_TO_NEAREST_INT);
    v5 = _mm512_set1_pd(-0.6931471805598903);
    r1 = _mm512_fmadd_pd(k, v5, v);
    c = _mm512_mul_pd(_mm512_set1_pd(-5.497923018708371e-14), k);
    r = _mm512_add_pd(r1, c);
    v6 = _mm512_set1_pd(2.092557135695336e-09);
    v7 = _mm512_set1_pd(2.5111795520180606e-08);
    p = _mm512_fmadd_pd(r, v6, v7);
    v8 = _mm512_set1_pd(2.755723906840232e-07);
    p = _mm512_fmadd_pd(p, r, v8);
    v9 = _mm512_set1_pd(2.755723569604255e-06);
    p = _mm512_fmadd_pd(p, r, v9);
    v10 = _mm512_set1_pd(2.4801587364577327e-05);
    p = _mm512_fmadd_pd(p, r, v10);
    v11 = _mm512_set1_pd(0.000198412698953421);
    p = _mm512_fmadd_pd(p, r, v11);
    v12 = _mm512_set1_pd(0.0013888888888865473);
    p = _mm512_fmadd_pd(p, r, v12);
    v13 = _mm512_set1_pd(0.008333333333317585);
    p = _mm512_fmadd_pd(p, r, v13);
    v14 = _mm512_set1_pd(0.0416666666666667);
    p = _mm512_fmadd_pd(p, r, v14);
    v15 = _mm512_set1_pd(0.16666666666666682);
    p = _mm512_fmadd_pd(p, r, v15);
    v16 = _mm512_set1_pd(0.5);
    p = _mm512_fmadd_pd(p, r, v16);
    v18 = _mm512_sub_pd(r1, r);
    v17 = _mm512_add_pd(v18, c);
    v20 = _mm512_mul_pd(r, r);
    v19 = _mm512_fmadd_pd(v20, p, c);
    p = _mm512_fmadd_pd(v17, r, v19);
    v21 = _mm512_set1_pd(1.0);
    h = _mm512_scalef_pd(v21, k);
    v22 = _mm512_set1_pd(1.0);
    a = _mm512_sub_pd(h, v22);
    v24 = _mm512_add_pd(_mm512_set1_pd(1.0), a);
    v23 = _mm512_sub_pd(h, v24);
    b = _mm512_fmadd_pd(h, r1, v23);
    p = _mm512_mul_pd(h, p);
    d = _mm512_add_pd(a, b);
    v25 = _mm512_sub_pd(a, d);
    b = _mm512_add_pd(b, v25);
    a = _mm512_add_pd(d, p);
    v27 = _mm512_sub_pd(d, a);
    v26 = _mm512_add_pd(v27, p);
    b = _mm512_add_pd(b, v26);
    d = _mm512_add_pd(_mm512_set1_pd(2.0), a);
    v30 = _mm512_set1_pd(2.0);
    v29 = _mm512_sub_pd(v30, d);
    v28 = _mm512_add_pd(v29, a);
    c = _mm512_add_pd(v28, b);
    v31 = _mm512_set1_pd(1.0);
    q = _mm512_div_pd(v31, d);
    t = _mm512_mul_pd(a, q);
    v34 = _mm512_setzero_pd();
    v33 = _mm512_sub_pd(v34, t);
    v32 = _mm512_fmadd_pd(v33, d, a);
    v37 = _mm512_setzero_pd();
    v36 = _mm512_sub_pd(v37, t);
    v35 = _mm512_fmadd_pd(v36, c, b);
    p = _mm512_add_pd(v32, v35);
    t = _mm512_fmadd_pd(p, q, t);
    v39 = _mm512_castpd_si512(t);
    v38 = _mm512_and_si512(v39, _mm512_set1_epi64((long long)UINT64_C(9223372036854775807)));
    x_v1 = x;
    v41 = _mm512_castpd_si512(x_v1);
    v40 = _mm512_and_si512(v41, _mm512_set1_epi64((long long)UINT64_C(9223372036854775808)));
    s = _mm512_or_si512(v38, v40);
    v42 = _mm512_castsi512_pd(s);
    return v42;
}
#endif /* USL_AVX512_TANH_PD */

#ifndef USL_AVX512_ERF_PD
#define USL_AVX512_ERF_PD
#ifndef USL_AVX512_AT_ERF_AT_F64
#define USL_AVX512_AT_ERF_AT_F64
static inline __m512d usl_avx512_at_erf_at_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.0, 0.500000006929497, 0.8749999970120825, 1.2499999999997158, 1.6249999999986358, 1.99999999999568, 2.3750000000034674, 2.750000000000682, 3.124999999996362, 3.499999999991004, 3.8750000001531437, 4.249999986245993, 4.624999358761822, 5.00000154976297, 5.374956658473848, 5.74609375};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_AT_F64 */

#ifndef USL_AVX512_AT_ERF_12_F64
#define USL_AVX512_AT_ERF_12_F64
static inline __m512d usl_avx512_at_erf_12_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.0002109787707693183, 0.00019649788992972717, -0.00018897630369043303, -5.34553034661882e-05, 8.660910194668122e-05, 5.70381239889102e-06, -2.059258650651213e-05, -1.221020703201105e-06, 3.083589254928749e-06, -6.542701779229151e-07, -1.6763030288633865e-06, -1.1229738599235423e-06, 2.255735913253418e-08, -1.4496405633388368e-06, -1.2125476645273175e-06, -9.692469786113354e-07};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_12_F64 */

#ifndef USL_AVX512_AT_ERF_11_F64
#define USL_AVX512_AT_ERF_11_F64
static inline __m512d usl_avx512_at_erf_11_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {-0.0010250781096721704, 0.00048811956113792266, 0.00038688738337200275, -0.00031789113957104607, -0.0001261100685717888, 0.00010199562833082659, 3.1945675106372335e-05, -1.5553717650773048e-05, -6.402432340849924e-06, 4.1790557717172556e-07, 5.956679034525353e-07, 1.3926596002954142e-07, 1.720805079521853e-08, 1.3134910601220523e-09, 4.925740004145532e-11, -5.329519866900553e-11};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_11_F64 */

#ifndef USL_AVX512_AT_ERF_10_F64
#define USL_AVX512_AT_ERF_10_F64
static inline __m512d usl_avx512_at_erf_10_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {8.073836945789277e-05, -0.0015696404746271273, 0.0008979418280313428, 0.0007935665169742436, -0.0003559100189488032, -0.00026282394276629166, 5.469605365758262e-05, 5.500705284194194e-05, 3.833749033022995e-06, -4.52360922708992e-06, -1.4902578162354119e-06, -1.624832448711241e-07, -3.095310164336632e-08, 1.5098939218789078e-07, 1.2786281371525428e-07, 1.0653935687492384e-07};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_10_F64 */

#ifndef USL_AVX512_AT_ERF_9_F64
#define USL_AVX512_AT_ERF_9_F64
static inline __m512d usl_avx512_at_erf_9_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.005199406372457675, -0.00216703230014809, -0.0032567325374195646, 0.0008773859419891461, 0.001410703207365858, -5.004529603398082e-05, -0.00033754166423767925, -7.123488299101532e-05, 2.545185524681362e-05, 1.533162498731071e-05, 3.474668809318392e-06, 4.569588976259447e-07, 3.8886963594697525e-08, 2.248114393914886e-09, 9.210613007548233e-11, 5.941544557361985e-12};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_9_F64 */

#ifndef USL_AVX512_AT_ERF_8_F64
#define USL_AVX512_AT_ERF_8_F64
static inline __m512d usl_avx512_at_erf_8_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {4.973039869429238e-06, 0.010047595354579816, -0.0018461412775549696, -0.005697679972136149, -0.0005765271900021023, 0.0015910302617641392, 0.0005941115313531969, -8.901192243102377e-05, -0.00011126200357598722, -3.426386591261031e-05, -5.855461564879908e-06, -6.422870484186785e-07, -4.688615889632722e-08, -8.457992267204024e-09, -5.150824526322047e-09, -4.3939217127246494e-09};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_8_F64 */

#ifndef USL_AVX512_AT_ERF_7_F64
#define USL_AVX512_AT_ERF_7_F64
static inline __m512d usl_avx512_at_erf_7_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {-0.026866844931212136, 0.00540520360591917, 0.018595724326337795, 0.0036259874104273334, -0.006184261862185401, -0.0033788894831564527, 0.00012326989274268746, 0.0006460411766336259, 0.00026648103422999416, 5.819273878042028e-05, 8.033147145758601e-06, 7.477259296637419e-07, 4.848000253196783e-08, 2.232062537380729e-09, 7.389853416899764e-11, 1.787120070765083e-12};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_7_F64 */

#ifndef USL_AVX512_AT_ERF_6_F64
#define USL_AVX512_AT_ERF_6_F64
static inline __m512d usl_avx512_at_erf_6_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {6.034915107498468e-08, -0.05004178561220599, -0.010367786203307937, 0.021301272996354793, 0.014414781154420702, 0.00045926633819808624, -0.003114079045355674, -0.0016573273969437176, -0.00045231520850904435, -7.774416010018728e-05, -9.020971637359031e-06, -7.308388429449945e-07, -4.2171643027841024e-08, -1.6440658526719654e-09, 3.923357623116133e-11, 8.220174912014989e-11};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_6_F64 */

#ifndef USL_AVX512_AT_ERF_5_F64
#define USL_AVX512_AT_ERF_5_F64
static inline __m512d usl_avx512_at_erf_5_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.11283791327924446, 0.007323186139959541, -0.06721587717614637, -0.04718103644662143, -0.002134924837709251, 0.013089090736428886, 0.008357392831420344, 0.002755808412231444, 0.00057696150157961, 8.211628230946301e-05, 8.208845464505482e-06, 5.872462366777354e-07, 3.042375840275845e-08, 1.1507479053334403e-09, 3.198034831142354e-11, 6.835309999541897e-13};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_5_F64 */

#ifndef USL_AVX512_AT_ERF_4_F64
#define USL_AVX512_AT_ERF_4_F64
static inline __m512d usl_avx512_at_erf_4_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {1.1518204703153546e-10, 0.18307970419957129, 0.11239656343971371, -0.006159404230601384, -0.049718863159227474, -0.034444975590450705, -0.013133213563332554, -0.0032581136596887233, -0.0005575739488222788, -6.771781155413448e-05, -5.932512138372434e-06, -3.787959794789472e-07, -1.775274295675962e-08, -6.146745371360393e-10, -1.6481746653052105e-11, -1.0281879611972363e-12};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_4_F64 */

#ifndef USL_AVX512_AT_ERF_3_F64
#define USL_AVX512_AT_ERF_3_F64
static inline __m512d usl_avx512_at_erf_3_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {-0.3761263890338372, -0.1464637580814933, 0.09292360042674125, 0.16753579506696387, 0.11484061964697079, 0.04822296582677318, 0.01373053350492376, 0.0027603887050628804, 0.0004000197829057245, 4.229550975851642e-05, 3.2884895033901727e-06, 1.890192806442821e-07, 8.062825939418753e-09, 2.5595368057318114e-10, 6.063101510422772e-12, 1.1197488377893394e-13};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_3_F64 */

#ifndef USL_AVX512_AT_ERF_2_F64
#define USL_AVX512_AT_ERF_2_F64
static inline __m512d usl_avx512_at_erf_2_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {1.3604009696948196e-14, -0.4393912925124849, -0.459151915461824, -0.2956514030592554, -0.13076742091205024, -0.04133397070880884, -0.009515384921323903, -0.001612262429501979, -0.00020237088511366352, -1.8897993719807198e-05, -1.3168117249727276e-06, -6.861197908778011e-08, -2.6775582032777555e-09, -7.835040690885839e-11, -1.7195471171386809e-12, -2.7430703961508304e-14};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_2_F64 */

#ifndef USL_AVX512_AT_ERF_1_F64
#define USL_AVX512_AT_ERF_1_F64
static inline __m512d usl_avx512_at_erf_1_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.12837916709551256, 0.8787825728459235, 0.5247450480339643, 0.23652112244745885, 0.08047225902286796, 0.020666985354449188, 0.004006477861604231, 0.0005862772470915928, 6.475868323618542e-05, 5.399426777724792e-06, 3.398223813775925e-07, 1.6143995606886617e-08, 5.789315705538117e-10, 1.5670623671574937e-11, 3.2034532420185494e-13, 5.165310664389445e-15};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_1_F64 */

#ifndef USL_AVX512_AT_ERF_0_F64
#define USL_AVX512_AT_ERF_0_F64
static inline __m512d usl_avx512_at_erf_0_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.0, 0.5204998839025677, 0.7840750594919648, 0.922900128256391, 0.9784437332398739, 0.9953222650188635, 0.9992170617821228, 0.9998993780778808, 0.9999901032653745, 0.9999992569016276, 0.999999957486056, 0.9999999981494256, 0.9999999999387835, 0.9999999999984626, 0.9999999999999707, 0.9999999999999996};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ERF_0_F64 */

static inline __m512d usl_avx512_erf_pd(__m512d x)
{
    __m512d a = _mm512_setzero_pd();
    __m512d d = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512i q = _mm512_setzero_si512();
    __m512d v = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d x_v = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    __m512d v20 = _mm512_setzero_pd();
    __m512d v21 = _mm512_setzero_pd();
    __m512d v22 = _mm512_setzero_pd();
    __m512d v23 = _mm512_setzero_pd();
    __m512i v24 = _mm512_setzero_si512();
    __m512i v25 = _mm512_setzero_si512();
    __m512i v26 = _mm512_setzero_si512();
    __m512i v27 = _mm512_setzero_si512();
    __m512d x_v1 = _mm512_setzero_pd();
    v = _mm512_set1_pd(5.93);
    x_v = x;
    v1 = _mm512_abs_pd(x_v);
    a = _mm512_min_pd(v, v1);
    v4 = _mm512_set1_pd(0.125);
    v3 = _mm512_sub_pd(a, v4);
    v5 = _mm512_set1_pd(2.6666666666666665);
    v6 = _mm512_set1_pd(6755399441055744.0);
    v2 = _mm512_fmadd_pd(v3, v5, v6);
    q = _mm512_castpd_si512(v2);
    v7 = usl_avx512_at_erf_at_f64(q);
    d = _mm512_sub_pd(a, v7);
    v8 = usl_avx512_at_erf_12_f64(q);
    v9 = usl_avx512_at_erf_11_f64(q);
    p = _mm512_fmadd_pd(v8, d, v9);
    v10 = usl_avx512_at_erf_10_f64(q);
    p = _mm512_fmadd_pd(p, d, v10);
    v11 = usl_avx512_at_erf_9_f64(q);
    p = _mm512_fmadd_pd(p, d, v11);
    v12 = usl_avx512_at_erf_8_f64(q);
    p = _mm512_fmadd_pd(p, d, v12);
    v13 = usl_avx512_at_erf_7_f64(q);
    p = _mm512_fmadd_pd(p, d, v13);
    v14 = usl_avx512_at_erf_6_f64(q);
    p = _mm512_fmadd_pd(p, d, v14);
    v15 = usl_avx512_at_erf_5_f64(q);
    p = _mm512_fmadd_pd(p, d, v15);
    v16 = usl_avx512_at_erf_4_f64(q);
    p = _mm512_fmadd_pd(p, d, v16);
    v17 = usl_avx512_at_erf_3_f64(q);
    p = _mm512_fmadd_pd(p, d, v17);
    v18 = usl_avx512_at_erf_2_f64(q);
    p = _mm512_fmadd_pd(p, d, v18);
    v19 = usl_avx512_at_erf_1_f64(q);
    p = _mm512_fmadd_pd(p, d, v19);
    v21 = _mm512_set1_pd(0.3125);
    v22 = usl_avx512_at_erf_0_f64(q);
    v20 = _mm512_mask_mov_pd(a, _mm512_cmp_pd_mask(v21, a, _CMP_LT_OQ), v22);
    p = _mm512_fmadd_pd(p, d, v20);
    v25 = _mm512_castpd_si512(p);
    x_v1 = x;
    v27 = _mm512_castpd_si512(x_v1);
    v26 = _mm512_and_si512(v27, _mm512_set1_epi64((long long)UINT64_C(9223372036854775808)));
    v24 = _mm512_or_si512(v25, v26);
    v23 = _mm512_castsi512_pd(v24);
    return v23;
}
#endif /* USL_AVX512_ERF_PD */

#ifndef USL_AVX512_SIGMOID_PD
#define USL_AVX512_SIGMOID_PD
static inline __m512d usl_avx512_sigmoid_pd(__m512d x)
{
    __m512d v = _mm512_setzero_pd();
    __m512d k = _mm512_setzero_pd();
    __m512d r1 = _mm512_setzero_pd();
    __m512d c = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512d o = _mm512_setzero_pd();
    __m512d u = _mm512_setzero_pd();
    __m512d g = _mm512_setzero_pd();
    __m512d d = _mm512_setzero_pd();
    __m512d z = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d x_v = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    __m512d v20 = _mm512_setzero_pd();
    __m512d v21 = _mm512_setzero_pd();
    __m512d v22 = _mm512_setzero_pd();
    __m512d v23 = _mm512_setzero_pd();
    __m512d v24 = _mm512_setzero_pd();
    __m512d v25 = _mm512_setzero_pd();
    __m512d v26 = _mm512_setzero_pd();
    __m512d v27 = _mm512_setzero_pd();
    __m512d v28 = _mm512_setzero_pd();
    __m512d v29 = _mm512_setzero_pd();
    __m512d v30 = _mm512_setzero_pd();
    __m512d v31 = _mm512_setzero_pd();
    __m512d v32 = _mm512_setzero_pd();
    v1 = _mm512_set1_pd(-746.0);
    v3 = _mm512_set1_pd(37.45);
    x_v = x;
    v2 = _mm512_min_pd(v3, x_v);
    v = _mm512_max_pd(v1, v2);
    v4 = _mm512_mul_pd(_mm512_set1_pd(1.4426950408889634), v);
    k = _mm512_roundscale_pd(v4, _MM_FROUND_TO_NEAREST_INT);
    v5 = _mm512_set1_pd(0.6931471805598903);
    v7 = _mm512_setzero_pd();
    v6 = _mm512_sub_pd(v7, v);
    r1 = _mm512_fmadd_pd(k, v5, v6);
    c = _mm512_mul_pd(_mm512_set1_pd(5.497923018708371e-14), k);
    r = _mm512_add_pd(r1, c);
    u = _mm512_mul_pd(r, r);
    v8 = _mm512_set1_pd(2.0886982679354775e-09);
    v9 = _mm512_set1_pd(2.7557340736901366e-07);
    p = _mm512_fmadd_pd(u, v8, v9);
    v10 = _mm512_set1_pd(2.4801587274733355e-05);
    p = _mm512_fmadd_pd(p, u, v10);
    v11 = _mm512_set1_pd(0.0013888888888894284);
    p = _mm512_fmadd_pd(p, u, v11);
    v12 = _mm512_set1_pd(0.041666666666666685);
    p = _mm512_fmadd_pd(p, u, v12);
    v13 = _mm512_set1_pd(0.5);
    p = _mm512_fmadd_pd(p, u, v13);
    v14 = _mm512_set1_pd(2.5106841837314753e-08);
    v15 = _mm512_set1_pd(2.755724846884736e-06);
    o = _mm512_fmadd_pd(u, v14, v15);
    v16 = _mm512_set1_pd(0.00019841269883717956);
    o = _mm512_fmadd_pd(o, u, v16);
    v17 = _mm512_set1_pd(0.008333333333322087);
    o = _mm512_fmadd_pd(o, u, v17);
    v18 = _mm512_set1_pd(0.16666666666666677);
    o = _mm512_fmadd_pd(o, u, v18);
    v20 = _mm512_fmadd_pd(o, r, p);
    v19 = _mm512_fmadd_pd(u, v20, c);
    p = _mm512_add_pd(r1, v19);
    v21 = _mm512_set1_pd(1.0);
    c = _mm512_scalef_pd(v21, k);
    g = _mm512_add_pd(_mm512_set1_pd(1.0), c);
    d = _mm512_add_pd(g, p);
    v22 = _mm512_sub_pd(g, d);
    p = _mm512_add_pd(p, v22);
    v25 = _mm512_set1_pd(1.0);
    v24 = _mm512_sub_pd(g, v25);
    v23 = _mm512_sub_pd(c, v24);
    p = _mm512_add_pd(p, v23);
    v26 = _mm512_set1_pd(1.0);
    z = _mm512_div_pd(v26, d);
    v28 = _mm512_set1_pd(-1.0);
    v27 = _mm512_fmadd_pd(z, d, v28);
    p = _mm512_fmadd_pd(z, p, v27);
    v32 = _mm512_setzero_pd();
    v31 = _mm512_sub_pd(v32, z);
    v30 = _mm512_fmadd_pd(v31, p, z);
    v29 = _mm512_scalef_pd(v30, k);
    return v29;
}
#endif /* USL_AVX512_SIGMOID_PD */

#ifndef USL_AVX512_RSQRT_PD
#define USL_AVX512_RSQRT_PD
static inline __m512d usl_avx512_rsqrt_pd(__m512d x)
{
    __m512d r = _mm512_setzero_pd();
    __m512d t = _mm512_setzero_pd();
    __m512d e = _mm512_setzero_pd();
    __m512d v = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d x_v = _mm512_setzero_pd();
    __m512d x_v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d x_v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    v = _mm512_set1_pd(1.0);
    x_v = x;
    v1 = _mm512_sqrt_pd(x_v);
    r = _mm512_div_pd(v, v1);
    x_v1 = x;
    t = _mm512_mul_pd(x_v1, r);
    x_v2 = x;
    v4 = _mm512_setzero_pd();
    v3 = _mm512_sub_pd(v4, t);
    v2 = _mm512_fmadd_pd(x_v2, r, v3);
    v6 = _mm512_setzero_pd();
    v5 = _mm512_sub_pd(v6, r);
    v9 = _mm512_setzero_pd();
    v8 = _mm512_sub_pd(v9, t);
    v10 = _mm512_set1_pd(1.0);
    v7 = _mm512_fmadd_pd(v8, r, v10);
    e = _mm512_fmadd_pd(v2, v5, v7);
    v12 = _mm512_abs_pd(e);
    v13 = _mm512_set1_pd(0.5);
    v15 = _mm512_mul_pd(_mm512_set1_pd(0.5), r);
    v14 = _mm512_fmadd_pd(v15, e, r);
    v11 = _mm512_mask_mov_pd(r, _mm512_cmp_pd_mask(v12, v13, _CMP_LT_OQ), v14);
    return v11;
}
#endif /* USL_AVX512_RSQRT_PD */

#ifndef USL_AVX512_CBRT_PD
#define USL_AVX512_CBRT_PD
#ifndef USL_AVX512_AT_CBRT_INVERSE_F64
#define USL_AVX512_AT_CBRT_INVERSE_F64
static inline __m512d usl_avx512_at_cbrt_inverse_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {1.0, 0.9140624998917701, 0.8632812500554792, 0.8203124999272404, 0.7812499999672582, 0.7460937499126885, 0.7109374999954525, 0.6796874995916369, 1.3046875002910383, 1.2539062500318323, 1.2070312499108695, 1.1640624999499778, 1.1210937499145075, 1.085937500007276, 1.050781250174623, 1.0000000000509317};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_CBRT_INVERSE_F64 */

#ifndef USL_AVX512_AT_CBRT_ROOT_F64
#define USL_AVX512_AT_CBRT_ROOT_F64
static inline __m512d usl_avx512_at_cbrt_root_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {1.0, 1.0304051864065715, 1.0502255118497197, 1.0682516120705137, 1.0857670466531306, 1.1025599157165222, 1.1204423758970592, 1.1373572642088923, 1.1530314803963315, 1.1683912866076085, 1.1833244204047622, 1.1977087774417292, 1.2128190821990683, 1.2257683074053318, 1.2392889012942332, 1.2599210498734832};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_CBRT_ROOT_F64 */

#ifndef USL_AVX512_AT_ROOT_OF_TWO_F64
#define USL_AVX512_AT_ROOT_OF_TWO_F64
static inline __m512d usl_avx512_at_root_of_two_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {1.0, 1.2599210498948732, 1.5874010519681996, 1.0, 1.0, 1.2599210498948732, 1.5874010519681996, 1.0, 1.0, 1.2599210498948732, 1.5874010519681996, 1.0, 1.0, 1.2599210498948732, 1.5874010519681996, 1.0};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ROOT_OF_TWO_F64 */

#ifndef USL_AVX512_AT_ROOT_OF_TWO_REST_F64
#define USL_AVX512_AT_ROOT_OF_TWO_REST_F64
static inline __m512d usl_avx512_at_root_of_two_rest_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.0, -2.589933375300507e-17, -1.0869008194197823e-16, 0.0, 0.0, -2.589933375300507e-17, -1.0869008194197823e-16, 0.0, 0.0, -2.589933375300507e-17, -1.0869008194197823e-16, 0.0, 0.0, -2.589933375300507e-17, -1.0869008194197823e-16, 0.0};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_ROOT_OF_TWO_REST_F64 */

static inline __m512d usl_avx512_cbrt_pd(__m512d x)
{
    __m512d m = _mm512_setzero_pd();
    __m512d e = _mm512_setzero_pd();
    __m512d k = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512d h = _mm512_setzero_pd();
    __m512d f = _mm512_setzero_pd();
    __m512d a = _mm512_setzero_pd();
    __m512i q = _mm512_setzero_si512();
    __m512i j = _mm512_setzero_si512();
    __m512d v = _mm512_setzero_pd();
    __m512d x_v = _mm512_setzero_pd();
    __m512d x_v1 = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512i v7 = _mm512_setzero_si512();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    __m512d v20 = _mm512_setzero_pd();
    __m512d v21 = _mm512_setzero_pd();
    __m512d v22 = _mm512_setzero_pd();
    __m512d v23 = _mm512_setzero_pd();
    __m512d v24 = _mm512_setzero_pd();
    __m512i v25 = _mm512_setzero_si512();
    __m512i v26 = _mm512_setzero_si512();
    __m512d v27 = _mm512_setzero_pd();
    __m512i v28 = _mm512_setzero_si512();
    __m512i v29 = _mm512_setzero_si512();
    __m512d x_v2 = _mm512_setzero_pd();
    x_v = x;
    v = _mm512_abs_pd(x_v);
    m = _mm512_getmant_pd(v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    x_v1 = x;
    e = _mm512_getexp_pd(x_v1);
    v2 = _mm512_set1_pd(0.3333333333333333);
    v3 = _mm512_set1_pd(-0.3333333333333333);
    v1 = _mm512_fmadd_pd(e, v2, v3);
    k = _mm512_roundscale_pd(v1, _MM_FROUND_TO_NEAREST_INT);
    v6 = _mm512_set1_pd(-3.0);
    v5 = _mm512_fmadd_pd(k, v6, e);
    v4 = _mm512_add_pd(_mm512_set1_pd(4503599627370496.0), v5);
    j = _mm512_castpd_si512(v4);
    v7 = _mm512_castpd_si512(m);
    q = _mm512_srlv_epi64(v7, _mm512_set1_epi64((long long)UINT64_C(48)));
    v8 = usl_avx512_at_cbrt_inverse_f64(q);
    v9 = _mm512_set1_pd(-1.0);
    r = _mm512_fmadd_pd(m, v8, v9);
    v10 = _mm512_set1_pd(0.012119862204610152);
    v11 = _mm512_set1_pd(-0.01582493310624371);
    p = _mm512_fmadd_pd(r, v10, v11);
    v12 = _mm512_set1_pd(0.019005343068358327);
    p = _mm512_fmadd_pd(p, r, v12);
    v13 = _mm512_set1_pd(-0.02347212781997129);
    p = _mm512_fmadd_pd(p, r, v13);
    v14 = _mm512_set1_pd(0.030178322222202687);
    p = _mm512_fmadd_pd(p, r, v14);
    v15 = _mm512_set1_pd(-0.041152263269400885);
    p = _mm512_fmadd_pd(p, r, v15);
    v16 = _mm512_set1_pd(0.06172839506339657);
    p = _mm512_fmadd_pd(p, r, v16);
    v17 = _mm512_set1_pd(-0.11111111111114011);
    p = _mm512_fmadd_pd(p, r, v17);
    v18 = _mm512_set1_pd(0.33333333333333315);
    p = _mm512_fmadd_pd(p, r, v18);
    p = _mm512_mul_pd(p, r);
    h = usl_avx512_at_cbrt_root_f64(q);
    f = usl_avx512_at_root_of_two_f64(j);
    a = _mm512_mul_pd(h, f);
    v19 = usl_avx512_at_root_of_two_rest_f64(j);
    v22 = _mm512_setzero_pd();
    v21 = _mm512_sub_pd(v22, a);
    v20 = _mm512_fmadd_pd(h, f, v21);
    f = _mm512_fmadd_pd(h, v19, v20);
    v23 = _mm512_fmadd_pd(a, p, f);
    a = _mm512_add_pd(a, v23);
    v27 = _mm512_scalef_pd(a, k);
    v26 = _mm512_castpd_si512(v27);
    x_v2 = x;
    v29 = _mm512_castpd_si512(x_v2);
    v28 = _mm512_and_si512(v29, _mm512_set1_epi64((long long)UINT64_C(9223372036854775808)));
    v25 = _mm512_or_si512(v26, v28);
    v24 = _mm512_castsi512_pd(v25);
    return v24;
}
#endif /* USL_AVX512_CBRT_PD */

#ifndef USL_AVX512_SIN_PS
#define USL_AVX512_SIN_PS
#ifndef USL_AVX512_SIN_WIDE_PD
#define USL_AVX512_SIN_WIDE_PD
static inline __m512d usl_avx512_sin_wide_pd(__m512d x, __m512d z)
{
    __m512d p = _mm512_setzero_pd();
    __m512d s = _mm512_setzero_pd();
    __m512d t = _mm512_setzero_pd();
    __m512d b = _mm512_setzero_pd();
    __m512d e = _mm512_setzero_pd();
    __m512d k = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d u = _mm512_setzero_pd();
    __m512d c = _mm512_setzero_pd();
    __m512i q = _mm512_setzero_si512();
    __m512d x_v = _mm512_setzero_pd();
    __m512d v = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d x_v1 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d x_v2 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d x_v3 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    __m512d v20 = _mm512_setzero_pd();
    __m512d v21 = _mm512_setzero_pd();
    __m512d v22 = _mm512_setzero_pd();
    __m512d v23 = _mm512_setzero_pd();
    __m512d v24 = _mm512_setzero_pd();
    __m512d v25 = _mm512_setzero_pd();
    __m512d x_v4 = _mm512_setzero_pd();
    __m512d v26 = _mm512_setzero_pd();
    __m512d v27 = _mm512_setzero_pd();
    __m512d v28 = _mm512_setzero_pd();
    __m512d v29 = _mm512_setzero_pd();
    __m512d v30 = _mm512_setzero_pd();
    __m512d v31 = _mm512_setzero_pd();
    __m512d v32 = _mm512_setzero_pd();
    __m512d x_v5 = _mm512_setzero_pd();
    __m512d v33 = _mm512_setzero_pd();
    __m512d v34 = _mm512_setzero_pd();
    __m512d v35 = _mm512_setzero_pd();
    __m512d v36 = _mm512_setzero_pd();
    __m512d x_v6 = _mm512_setzero_pd();
    __m512d v37 = _mm512_setzero_pd();
    __m512d v38 = _mm512_setzero_pd();
    __m512d v39 = _mm512_setzero_pd();
    __m512d v40 = _mm512_setzero_pd();
    __m512d v41 = _mm512_setzero_pd();
    __m512d v42 = _mm512_setzero_pd();
    __m512d z_v = _mm512_setzero_pd();
    __m512d v43 = _mm512_setzero_pd();
    __m512d v44 = _mm512_setzero_pd();
    __m512d v45 = _mm512_setzero_pd();
    __m512d v46 = _mm512_setzero_pd();
    __m512d v47 = _mm512_setzero_pd();
    __m512d v48 = _mm512_setzero_pd();
    __m512d v49 = _mm512_setzero_pd();
    __m512d v50 = _mm512_setzero_pd();
    __m512d v51 = _mm512_setzero_pd();
    __m512d v52 = _mm512_setzero_pd();
    __m512d v53 = _mm512_setzero_pd();
    __m512i v54 = _mm512_setzero_si512();
    __m512i v55 = _mm512_setzero_si512();
    __m512i v56 = _mm512_setzero_si512();
    __m512d v57 = _mm512_setzero_pd();
    __m512i v58 = _mm512_setzero_si512();
    __m512i v59 = _mm512_setzero_si512();
    x_v = x;
    s = _mm512_mul_pd(_mm512_set1_pd(0.636619770899415), x_v);
    v1 = _mm512_mul_pd(_mm512_set1_pd(0.25), s);
    v = _mm512_roundscale_pd(v1, _MM_FROUND_TO_NEAREST_INT);
    v2 = _mm512_set1_pd(-4.0);
    s = _mm512_fmadd_pd(v, v2, s);
    x_v1 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(1.4681663246252086e-09), x_v1);
    v4 = _mm512_mul_pd(_mm512_set1_pd(0.25), p);
    v3 = _mm512_roundscale_pd(v4, _MM_FROUND_TO_NEAREST_INT);
    v5 = _mm512_set1_pd(-4.0);
    p = _mm512_fmadd_pd(v3, v5, p);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v7 = _mm512_sub_pd(t, b);
    v6 = _mm512_sub_pd(s, v7);
    v8 = _mm512_sub_pd(p, b);
    e = _mm512_add_pd(v6, v8);
    s = t;
    x_v2 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(2.2760100671971816e-18), x_v2);
    v10 = _mm512_mul_pd(_mm512_set1_pd(0.25), p);
    v9 = _mm512_roundscale_pd(v10, _MM_FROUND_TO_NEAREST_INT);
    v11 = _mm512_set1_pd(-4.0);
    p = _mm512_fmadd_pd(v9, v11, p);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v14 = _mm512_sub_pd(t, b);
    v13 = _mm512_sub_pd(s, v14);
    v15 = _mm512_sub_pd(p, b);
    v12 = _mm512_add_pd(v13, v15);
    e = _mm512_add_pd(e, v12);
    s = t;
    x_v3 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(5.8812147387730434e-27), x_v3);
    v17 = _mm512_mul_pd(_mm512_set1_pd(0.25), p);
    v16 = _mm512_roundscale_pd(v17, _MM_FROUND_TO_NEAREST_INT);
    v18 = _mm512_set1_pd(-4.0);
    p = _mm512_fmadd_pd(v16, v18, p);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v21 = _mm512_sub_pd(t, b);
    v20 = _mm512_sub_pd(s, v21);
    v22 = _mm512_sub_pd(p, b);
    v19 = _mm512_add_pd(v20, v22);
    e = _mm512_add_pd(e, v19);
    v24 = _mm512_mul_pd(_mm512_set1_pd(0.25), t);
    v23 = _mm512_roundscale_pd(v24, _MM_FROUND_TO_NEAREST_INT);
    v25 = _mm512_set1_pd(-4.0);
    s = _mm512_fmadd_pd(v23, v25, t);
    x_v4 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(1.0346868700836215e-35), x_v4);
    v27 = _mm512_mul_pd(_mm512_set1_pd(0.25), p);
    v26 = _mm512_roundscale_pd(v27, _MM_FROUND_TO_NEAREST_INT);
    v28 = _mm512_set1_pd(-4.0);
    p = _mm512_fmadd_pd(v26, v28, p);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v31 = _mm512_sub_pd(t, b);
    v30 = _mm512_sub_pd(s, v31);
    v32 = _mm512_sub_pd(p, b);
    v29 = _mm512_add_pd(v30, v32);
    e = _mm512_add_pd(e, v29);
    s = t;
    x_v5 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(3.783256351091319e-45), x_v5);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v35 = _mm512_sub_pd(t, b);
    v34 = _mm512_sub_pd(s, v35);
    v36 = _mm512_sub_pd(p, b);
    v33 = _mm512_add_pd(v34, v36);
    e = _mm512_add_pd(e, v33);
    x_v6 = x;
    v37 = _mm512_set1_pd(3.720474878517739e-53);
    e = _mm512_fmadd_pd(x_v6, v37, e);
    k = _mm512_add_pd(_mm512_set1_pd(6755399441055744.0), t);
    v41 = _mm512_set1_pd(6755399441055744.0);
    v40 = _mm512_sub_pd(k, v41);
    v39 = _mm512_sub_pd(t, v40);
    v38 = _mm512_add_pd(v39, e);
    r = _mm512_mul_pd(_mm512_set1_pd(1.5707963267948966), v38);
    z_v = z;
    v42 = _mm512_add_pd(k, z_v);
    q = _mm512_castpd_si512(v42);
    u = _mm512_mul_pd(r, r);
    v43 = _mm512_set1_pd(2.71815641855748e-06);
    v44 = _mm512_set1_pd(-0.00019839319596601338);
    p = _mm512_fmadd_pd(u, v43, v44);
    v45 = _mm512_set1_pd(0.008333329343438027);
    p = _mm512_fmadd_pd(p, u, v45);
    v46 = _mm512_set1_pd(-0.1666666664133612);
    p = _mm512_fmadd_pd(p, u, v46);
    v47 = _mm512_mul_pd(p, u);
    p = _mm512_fmadd_pd(v47, r, r);
    v48 = _mm512_set1_pd(-2.7208593194201563e-07);
    v49 = _mm512_set1_pd(2.479950057640727e-05);
    c = _mm512_fmadd_pd(u, v48, v49);
    v50 = _mm512_set1_pd(-0.0013888883682086003);
    c = _mm512_fmadd_pd(c, u, v50);
    v51 = _mm512_set1_pd(0.041666666622037996);
    c = _mm512_fmadd_pd(c, u, v51);
    v52 = _mm512_set1_pd(-0.5);
    c = _mm512_fmadd_pd(c, u, v52);
    v53 = _mm512_set1_pd(1.0);
    c = _mm512_fmadd_pd(c, u, v53);
    v54 = _mm512_and_si512(q, _mm512_set1_epi64((long long)UINT64_C(1)));
    v55 = _mm512_set1_epi64((long long)UINT64_C(1));
    p = _mm512_mask_mov_pd(c, _mm512_cmplt_epu64_mask(v54, v55), p);
    v56 = _mm512_and_si512(q, _mm512_set1_epi64((long long)UINT64_C(2)));
    q = _mm512_sllv_epi64(v56, _mm512_set1_epi64((long long)UINT64_C(62)));
    v59 = _mm512_castpd_si512(p);
    v58 = _mm512_xor_si512(v59, q);
    v57 = _mm512_castsi512_pd(v58);
    return v57;
}
#endif /* USL_AVX512_SIN_WIDE_PD */

static __attribute__((noinline, cold, unused)) __m512 usl_avx512_sin_far_ps(__m512 x)
{
    const __m256 low = _mm512_cvtpd_ps(usl_avx512_sin_wide_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(x)), _mm512_setzero_pd()));
    const __m256 high = _mm512_cvtpd_ps(usl_avx512_sin_wide_pd(_mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1))), _mm512_setzero_pd()));
    return _mm512_castpd_ps(_mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low)), _mm256_castps_pd(high), 1));
}

#ifndef USL_AVX512_AT_SINE
#define USL_AVX512_AT_SINE
static inline __m512 usl_avx512_at_sine(__m512i k)
{
    static _Alignas(64) const float at[16] = {-0.0f, 0.38268343f, 0.70710677f, 0.9238795f, 1.0f, 0.9238795f, 0.70710677f, 0.38268343f, 0.0f, -0.38268343f, -0.70710677f, -0.9238795f, -1.0f, -0.9238795f, -0.70710677f, -0.38268343f};
    return _mm512_permutexvar_ps(k, _mm512_load_ps(at));
}
#endif /* USL_AVX512_AT_SINE */

#ifndef USL_AVX512_AT_COSINE
#define USL_AVX512_AT_COSINE
static inline __m512 usl_avx512_at_cosine(__m512i k)
{
    static _Alignas(64) const float at[16] = {1.0f, 0.9238795f, 0.70710677f, 0.38268343f, 0.0f, -0.38268343f, -0.70710677f, -0.9238795f, -1.0f, -0.9238795f, -0.70710677f, -0.38268343f, 0.0f, 0.38268343f, 0.70710677f, 0.9238795f};
    return _mm512_permutexvar_ps(k, _mm512_load_ps(at));
}
#endif /* USL_AVX512_AT_COSINE */

#ifndef USL_AVX512_AT_SINE_REST
#define USL_AVX512_AT_SINE_REST
static inline __m512 usl_avx512_at_sine_rest(__m512i k)
{
    static _Alignas(64) const float at[16] = {-0.0f, 6.2233507e-09f, 1.21016175e-08f, 2.830749e-08f, 0.0f, 2.830749e-08f, 1.21016175e-08f, 6.2233507e-09f, 0.0f, -6.2233507e-09f, -1.21016175e-08f, -2.830749e-08f, 0.0f, -2.830749e-08f, -1.21016175e-08f, -6.2233507e-09f};
    return _mm512_permutexvar_ps(k, _mm512_load_ps(at));
}
#endif /* USL_AVX512_AT_SINE_REST */

static inline __m512 usl_avx512_sin_near_ps(__m512 x)
{
    __m512 t = _mm512_setzero_ps();
    __m512 k = _mm512_setzero_ps();
    __m512 r = _mm512_setzero_ps();
    __m512 p = _mm512_setzero_ps();
    __m512 s = _mm512_setzero_ps();
    __m512 v = _mm512_setzero_ps();
    __m512 u = _mm512_setzero_ps();
    __m512 c = _mm512_setzero_ps();
    __m512i q = _mm512_setzero_si512();
    __m512 x_v = _mm512_setzero_ps();
    __m512 v1 = _mm512_setzero_ps();
    __m512 v2 = _mm512_setzero_ps();
    __m512 v3 = _mm512_setzero_ps();
    __m512 v4 = _mm512_setzero_ps();
    __m512 x_v1 = _mm512_setzero_ps();
    __m512 v5 = _mm512_setzero_ps();
    __m512 v6 = _mm512_setzero_ps();
    __m512 v7 = _mm512_setzero_ps();
    __m512 v8 = _mm512_setzero_ps();
    __m512 v9 = _mm512_setzero_ps();
    __m512 v10 = _mm512_setzero_ps();
    __m512 v11 = _mm512_setzero_ps();
    __m512 v12 = _mm512_setzero_ps();
    __m512 v13 = _mm512_setzero_ps();
    __m512 v14 = _mm512_setzero_ps();
    __m512 v15 = _mm512_setzero_ps();
    __m512 v16 = _mm512_setzero_ps();
    __m512 v17 = _mm512_setzero_ps();
    __m512 v18 = _mm512_setzero_ps();
    x_v = x;
    v1 = _mm512_set1_ps(2.546479f);
    v2 = _mm512_set1_ps(12582912.0f);
    t = _mm512_fmadd_ps(x_v, v1, v2);
    v3 = _mm512_set1_ps(12582912.0f);
    k = _mm512_sub_ps(t, v3);
    v4 = _mm512_set1_ps(-0.39269906f);
    x_v1 = x;
    s = _mm512_fmadd_ps(k, v4, x_v1);
    p = _mm512_mul_ps(_mm512_set1_ps(1.8873834e-08f), k);
    r = _mm512_sub_ps(s, p);
    v5 = _mm512_set1_ps(6.40836e-13f);
    v7 = _mm512_sub_ps(r, s);
    v6 = _mm512_add_ps(v7, p);
    v = _mm512_fmadd_ps(k, v5, v6);
    q = _mm512_castps_si512(t);
    u = _mm512_mul_ps(r, r);
    v8 = _mm512_set1_ps(-0.008322584f);
    v9 = _mm512_set1_ps(0.16666654f);
    p = _mm512_fmadd_ps(u, v8, v9);
    v10 = _mm512_mul_ps(u, r);
    v = _mm512_fmadd_ps(v10, p, v);
    v12 = _mm512_set1_ps(0.041585732f);
    v13 = _mm512_set1_ps(-0.4999989f);
    v11 = _mm512_fmadd_ps(u, v12, v13);
    v14 = _mm512_setzero_ps();
    c = _mm512_fmadd_ps(v11, u, v14);
    s = usl_avx512_at_sine(q);
    p = usl_avx512_at_cosine(q);
    v15 = usl_avx512_at_sine_rest(q);
    c = _mm512_fmadd_ps(s, c, v15);
    v18 = _mm512_fnmadd_ps(p, v, c);
    v17 = _mm512_fmadd_ps(p, r, v18);
    v16 = _mm512_add_ps(s, v17);
    return v16;
}

static inline __m512 usl_avx512_sin_ps(__m512 x)
{
    __m512 y = usl_avx512_sin_near_ps(x);
    const __mmask16 far = _mm512_cmp_ps_mask(_mm512_abs_ps(x), _mm512_set1_ps(1024.0f), _CMP_NLT_UQ);
    if (far)
        y = _mm512_mask_mov_ps(y, far, usl_avx512_sin_far_ps(x));
    return y;
}
#endif /* USL_AVX512_SIN_PS */

#ifndef USL_AVX512_COS_PS
#define USL_AVX512_COS_PS
#ifndef USL_AVX512_SIN_WIDE_PD
#define USL_AVX512_SIN_WIDE_PD
static inline __m512d usl_avx512_sin_wide_pd(__m512d x, __m512d z)
{
    __m512d p = _mm512_setzero_pd();
    __m512d s = _mm512_setzero_pd();
    __m512d t = _mm512_setzero_pd();
    __m512d b = _mm512_setzero_pd();
    __m512d e = _mm512_setzero_pd();
    __m512d k = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d u = _mm512_setzero_pd();
    __m512d c = _mm512_setzero_pd();
    __m512i q = _mm512_setzero_si512();
    __m512d x_v = _mm512_setzero_pd();
    __m512d v = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d x_v1 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d x_v2 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d x_v3 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    __m512d v20 = _mm512_setzero_pd();
    __m512d v21 = _mm512_setzero_pd();
    __m512d v22 = _mm512_setzero_pd();
    __m512d v23 = _mm512_setzero_pd();
    __m512d v24 = _mm512_setzero_pd();
    __m512d v25 = _mm512_setzero_pd();
    __m512d x_v4 = _mm512_setzero_pd();
    __m512d v26 = _mm512_setzero_pd();
    __m512d v27 = _mm512_setzero_pd();
    __m512d v28 = _mm512_setzero_pd();
    __m512d v29 = _mm512_setzero_pd();
    __m512d v30 = _mm512_setzero_pd();
    __m512d v31 = _mm512_setzero_pd();
    __m512d v32 = _mm512_setzero_pd();
    __m512d x_v5 = _mm512_setzero_pd();
    __m512d v33 = _mm512_setzero_pd();
    __m512d v34 = _mm512_setzero_pd();
    __m512d v35 = _mm512_setzero_pd();
    __m512d v36 = _mm512_setzero_pd();
    __m512d x_v6 = _mm512_setzero_pd();
    __m512d v37 = _mm512_setzero_pd();
    __m512d v38 = _mm512_setzero_pd();
    __m512d v39 = _mm512_setzero_pd();
    __m512d v40 = _mm512_setzero_pd();
    __m512d v41 = _mm512_setzero_pd();
    __m512d v42 = _mm512_setzero_pd();
    __m512d z_v = _mm512_setzero_pd();
    __m512d v43 = _mm512_setzero_pd();
    __m512d v44 = _mm512_setzero_pd();
    __m512d v45 = _mm512_setzero_pd();
    __m512d v46 = _mm512_setzero_pd();
    __m512d v47 = _mm512_setzero_pd();
    __m512d v48 = _mm512_setzero_pd();
    __m512d v49 = _mm512_setzero_pd();
    __m512d v50 = _mm512_setzero_pd();
    __m512d v51 = _mm512_setzero_pd();
    __m512d v52 = _mm512_setzero_pd();
    __m512d v53 = _mm512_setzero_pd();
    __m512i v54 = _mm512_setzero_si512();
    __m512i v55 = _mm512_setzero_si512();
    __m512i v56 = _mm512_setzero_si512();
    __m512d v57 = _mm512_setzero_pd();
    __m512i v58 = _mm512_setzero_si512();
    __m512i v59 = _mm512_setzero_si512();
    x_v = x;
    s = _mm512_mul_pd(_mm512_set1_pd(0.636619770899415), x_v);
    v1 = _mm512_mul_pd(_mm512_set1_pd(0.25), s);
    v = _mm512_roundscale_pd(v1, _MM_FROUND_TO_NEAREST_INT);
    v2 = _mm512_set1_pd(-4.0);
    s = _mm512_fmadd_pd(v, v2, s);
    x_v1 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(1.4681663246252086e-09), x_v1);
    v4 = _mm512_mul_pd(_mm512_set1_pd(0.25), p);
    v3 = _mm512_roundscale_pd(v4, _MM_FROUND_TO_NEAREST_INT);
    v5 = _mm512_set1_pd(-4.0);
    p = _mm512_fmadd_pd(v3, v5, p);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v7 = _mm512_sub_pd(t, b);
    v6 = _mm512_sub_pd(s, v7);
    v8 = _mm512_sub_pd(p, b);
    e = _mm512_add_pd(v6, v8);
    s = t;
    x_v2 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(2.2760100671971816e-18), x_v2);
    v10 = _mm512_mul_pd(_mm512_set1_pd(0.25), p);
    v9 = _mm512_roundscale_pd(v10, _MM_FROUND_TO_NEAREST_INT);
    v11 = _mm512_set1_pd(-4.0);
    p = _mm512_fmadd_pd(v9, v11, p);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v14 = _mm512_sub_pd(t, b);
    v13 = _mm512_sub_pd(s, v14);
    v15 = _mm512_sub_pd(p, b);
    v12 = _mm512_add_pd(v13, v15);
    e = _mm512_add_pd(e, v12);
    s = t;
    x_v3 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(5.8812147387730434e-27), x_v3);
    v17 = _mm512_mul_pd(_mm512_set1_pd(0.25), p);
    v16 = _mm512_roundscale_pd(v17, _MM_FROUND_TO_NEAREST_INT);
    v18 = _mm512_set1_pd(-4.0);
    p = _mm512_fmadd_pd(v16, v18, p);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v21 = _mm512_sub_pd(t, b);
    v20 = _mm512_sub_pd(s, v21);
    v22 = _mm512_sub_pd(p, b);
    v19 = _mm512_add_pd(v20, v22);
    e = _mm512_add_pd(e, v19);
    v24 = _mm512_mul_pd(_mm512_set1_pd(0.25), t);
    v23 = _mm512_roundscale_pd(v24, _MM_FROUND_TO_NEAREST_INT);
    v25 = _mm512_set1_pd(-4.0);
    s = _mm512_fmadd_pd(v23, v25, t);
    x_v4 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(1.0346868700836215e-35), x_v4);
    v27 = _mm512_mul_pd(_mm512_set1_pd(0.25), p);
    v26 = _mm512_roundscale_pd(v27, _MM_FROUND_TO_NEAREST_INT);
    v28 = _mm512_set1_pd(-4.0);
    p = _mm512_fmadd_pd(v26, v28, p);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v31 = _mm512_sub_pd(t, b);
    v30 = _mm512_sub_pd(s, v31);
    v32 = _mm512_sub_pd(p, b);
    v29 = _mm512_add_pd(v30, v32);
    e = _mm512_add_pd(e, v29);
    s = t;
    x_v5 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(3.783256351091319e-45), x_v5);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v35 = _mm512_sub_pd(t, b);
    v34 = _mm512_sub_pd(s, v35);
    v36 = _mm512_sub_pd(p, b);
    v33 = _mm512_add_pd(v34, v36);
    e = _mm512_add_pd(e, v33);
    x_v6 = x;
    v37 = _mm512_set1_pd(3.720474878517739e-53);
    e = _mm512_fmadd_pd(x_v6, v37, e);
    k = _mm512_add_pd(_mm512_set1_pd(6755399441055744.0), t);
    v41 = _mm512_set1_pd(6755399441055744.0);
    v40 = _mm512_sub_pd(k, v41);
    v39 = _mm512_sub_pd(t, v40);
    v38 = _mm512_add_pd(v39, e);
    r = _mm512_mul_pd(_mm512_set1_pd(1.5707963267948966), v38);
    z_v = z;
    v42 = _mm512_add_pd(k, z_v);
    q = _mm512_castpd_si512(v42);
    u = _mm512_mul_pd(r, r);
    v43 = _mm512_set1_pd(2.71815641855748e-06);
    v44 = _mm512_set1_pd(-0.00019839319596601338);
    p = _mm512_fmadd_pd(u, v43, v44);
    v45 = _mm512_set1_pd(0.008333329343438027);
    p = _mm512_fmadd_pd(p, u, v45);
    v46 = _mm512_set1_pd(-0.1666666664133612);
    p = _mm512_fmadd_pd(p, u, v46);
    v47 = _mm512_mul_pd(p, u);
    p = _mm512_fmadd_pd(v47, r, r);
    v48 = _mm512_set1_pd(-2.7208593194201563e-07);
    v49 = _mm512_set1_pd(2.479950057640727e-05);
    c = _mm512_fmadd_pd(u, v48, v49);
    v50 = _mm512_set1_pd(-0.0013888883682086003);
    c = _mm512_fmadd_pd(c, u, v50);
    v51 = _mm512_set1_pd(0.041666666622037996);
    c = _mm512_fmadd_pd(c, u, v51);
    v52 = _mm512_set1_pd(-0.5);
    c = _mm512_fmadd_pd(c, u, v52);
    v53 = _mm512_set1_pd(1.0);
    c = _mm512_fmadd_pd(c, u, v53);
    v54 = _mm512_and_si512(q, _mm512_set1_epi64((long long)UINT64_C(1)));
    v55 = _mm512_set1_epi64((long long)UINT64_C(1));
    p = _mm512_mask_mov_pd(c, _mm512_cmplt_epu64_mask(v54, v55), p);
    v56 = _mm512_and_si512(q, _mm512_set1_epi64((long long)UINT64_C(2)));
    q = _mm512_sllv_epi64(v56, _mm512_set1_epi64((long long)UINT64_C(62)));
    v59 = _mm512_castpd_si512(p);
    v58 = _mm512_xor_si512(v59, q);
    v57 = _mm512_castsi512_pd(v58);
    return v57;
}
#endif /* USL_AVX512_SIN_WIDE_PD */

static __attribute__((noinline, cold, unused)) __m512 usl_avx512_cos_far_ps(__m512 x)
{
    const __m256 low = _mm512_cvtpd_ps(usl_avx512_sin_wide_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(x)), _mm512_set1_pd(1.0)));
    const __m256 high = _mm512_cvtpd_ps(usl_avx512_sin_wide_pd(_mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1))), _mm512_set1_pd(1.0)));
    return _mm512_castpd_ps(_mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low)), _mm256_castps_pd(high), 1));
}

#ifndef USL_AVX512_AT_SINE
#define USL_AVX512_AT_SINE
static inline __m512 usl_avx512_at_sine(__m512i k)
{
    static _Alignas(64) const float at[16] = {-0.0f, 0.38268343f, 0.70710677f, 0.9238795f, 1.0f, 0.9238795f, 0.70710677f, 0.38268343f, 0.0f, -0.38268343f, -0.70710677f, -0.9238795f, -1.0f, -0.9238795f, -0.70710677f, -0.38268343f};
    return _mm512_permutexvar_ps(k, _mm512_load_ps(at));
}
#endif /* USL_AVX512_AT_SINE */

#ifndef USL_AVX512_AT_COSINE
#define USL_AVX512_AT_COSINE
static inline __m512 usl_avx512_at_cosine(__m512i k)
{
    static _Alignas(64) const float at[16] = {1.0f, 0.9238795f, 0.70710677f, 0.38268343f, 0.0f, -0.38268343f, -0.70710677f, -0.9238795f, -1.0f, -0.9238795f, -0.70710677f, -0.38268343f, 0.0f, 0.38268343f, 0.70710677f, 0.9238795f};
    return _mm512_permutexvar_ps(k, _mm512_load_ps(at));
}
#endif /* USL_AVX512_AT_COSINE */

#ifndef USL_AVX512_AT_SINE_REST
#define USL_AVX512_AT_SINE_REST
static inline __m512 usl_avx512_at_sine_rest(__m512i k)
{
    static _Alignas(64) const float at[16] = {-0.0f, 6.2233507e-09f, 1.21016175e-08f, 2.830749e-08f, 0.0f, 2.830749e-08f, 1.21016175e-08f, 6.2233507e-09f, 0.0f, -6.2233507e-09f, -1.21016175e-08f, -2.830749e-08f, 0.0f, -2.830749e-08f, -1.21016175e-08f, -6.2233507e-09f};
    return _mm512_permutexvar_ps(k, _mm512_load_ps(at));
}
#endif /* USL_AVX512_AT_SINE_REST */

static inline __m512 usl_avx512_cos_near_ps(__m512 x)
{
    __m512 t = _mm512_setzero_ps();
    __m512 k = _mm512_setzero_ps();
    __m512 r = _mm512_setzero_ps();
    __m512 p = _mm512_setzero_ps();
    __m512 s = _mm512_setzero_ps();
    __m512 v = _mm512_setzero_ps();
    __m512 u = _mm512_setzero_ps();
    __m512 c = _mm512_setzero_ps();
    __m512i q = _mm512_setzero_si512();
    __m512 x_v = _mm512_setzero_ps();
    __m512 v1 = _mm512_setzero_ps();
    __m512 v2 = _mm512_setzero_ps();
    __m512 v3 = _mm512_setzero_ps();
    __m512 v4 = _mm512_setzero_ps();
    __m512 x_v1 = _mm512_setzero_ps();
    __m512 v5 = _mm512_setzero_ps();
    __m512 v6 = _mm512_setzero_ps();
    __m512 v7 = _mm512_setzero_ps();
    __m512i v8 = _mm512_setzero_si512();
    __m512i v9 = _mm512_setzero_si512();
    __m512 v10 = _mm512_setzero_ps();
    __m512 v11 = _mm512_setzero_ps();
    __m512 v12 = _mm512_setzero_ps();
    __m512 v13 = _mm512_setzero_ps();
    __m512 v14 = _mm512_setzero_ps();
    __m512 v15 = _mm512_setzero_ps();
    __m512 v16 = _mm512_setzero_ps();
    __m512 v17 = _mm512_setzero_ps();
    __m512 v18 = _mm512_setzero_ps();
    x_v = x;
    v1 = _mm512_set1_ps(2.546479f);
    v2 = _mm512_set1_ps(12582912.0f);
    t = _mm512_fmadd_ps(x_v, v1, v2);
    v3 = _mm512_set1_ps(12582912.0f);
    k = _mm512_sub_ps(t, v3);
    v4 = _mm512_set1_ps(-0.3926991f);
    x_v1 = x;
    s = _mm512_fmadd_ps(k, v4, x_v1);
    p = _mm512_mul_ps(_mm512_set1_ps(-1.0928488e-08f), k);
    r = _mm512_sub_ps(s, p);
    v5 = _mm512_set1_ps(-6.40836e-13f);
    v7 = _mm512_sub_ps(s, r);
    v6 = _mm512_sub_ps(v7, p);
    v = _mm512_fmadd_ps(k, v5, v6);
    v8 = _mm512_castps_si512(t);
    v9 = _mm512_set1_epi32((int)4u);
    q = _mm512_add_epi32(v8, v9);
    u = _mm512_mul_ps(r, r);
    v10 = _mm512_set1_ps(0.008322584f);
    v11 = _mm512_set1_ps(-0.16666654f);
    p = _mm512_fmadd_ps(u, v10, v11);
    v12 = _mm512_mul_ps(u, r);
    v = _mm512_fmadd_ps(v12, p, v);
    v14 = _mm512_set1_ps(0.041585732f);
    v15 = _mm512_set1_ps(-0.4999989f);
    v13 = _mm512_fmadd_ps(u, v14, v15);
    c = _mm512_mul_ps(v13, u);
    s = usl_avx512_at_sine(q);
    p = usl_avx512_at_cosine(q);
    v16 = usl_avx512_at_sine_rest(q);
    c = _mm512_fmadd_ps(s, c, v16);
    v18 = _mm512_fmadd_ps(p, v, c);
    v17 = _mm512_fmadd_ps(p, r, v18);
    p = _mm512_add_ps(s, v17);
    return p;
}

static inline __m512 usl_avx512_cos_ps(__m512 x)
{
    __m512 y = usl_avx512_cos_near_ps(x);
    const __mmask16 far = _mm512_cmp_ps_mask(_mm512_abs_ps(x), _mm512_set1_ps(1024.0f), _CMP_NLT_UQ);
    if (far)
        y = _mm512_mask_mov_ps(y, far, usl_avx512_cos_far_ps(x));
    return y;
}
#endif /* USL_AVX512_COS_PS */

#ifndef USL_AVX512_TAN_PS
#define USL_AVX512_TAN_PS
#ifndef USL_AVX512_SIN_WIDE_PD
#define USL_AVX512_SIN_WIDE_PD
static inline __m512d usl_avx512_sin_wide_pd(__m512d x, __m512d z)
{
    __m512d p = _mm512_setzero_pd();
    __m512d s = _mm512_setzero_pd();
    __m512d t = _mm512_setzero_pd();
    __m512d b = _mm512_setzero_pd();
    __m512d e = _mm512_setzero_pd();
    __m512d k = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d u = _mm512_setzero_pd();
    __m512d c = _mm512_setzero_pd();
    __m512i q = _mm512_setzero_si512();
    __m512d x_v = _mm512_setzero_pd();
    __m512d v = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d x_v1 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d x_v2 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d x_v3 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    __m512d v20 = _mm512_setzero_pd();
    __m512d v21 = _mm512_setzero_pd();
    __m512d v22 = _mm512_setzero_pd();
    __m512d v23 = _mm512_setzero_pd();
    __m512d v24 = _mm512_setzero_pd();
    __m512d v25 = _mm512_setzero_pd();
    __m512d x_v4 = _mm512_setzero_pd();
    __m512d v26 = _mm512_setzero_pd();
    __m512d v27 = _mm512_setzero_pd();
    __m512d v28 = _mm512_setzero_pd();
    __m512d v29 = _mm512_setzero_pd();
    __m512d v30 = _mm512_setzero_pd();
    __m512d v31 = _mm512_setzero_pd();
    __m512d v32 = _mm512_setzero_pd();
    __m512d x_v5 = _mm512_setzero_pd();
    __m512d v33 = _mm512_setzero_pd();
    __m512d v34 = _mm512_setzero_pd();
    __m512d v35 = _mm512_setzero_pd();
    __m512d v36 = _mm512_setzero_pd();
    __m512d x_v6 = _mm512_setzero_pd();
    __m512d v37 = _mm512_setzero_pd();
    __m512d v38 = _mm512_setzero_pd();
    __m512d v39 = _mm512_setzero_pd();
    __m512d v40 = _mm512_setzero_pd();
    __m512d v41 = _mm512_setzero_pd();
    __m512d v42 = _mm512_setzero_pd();
    __m512d z_v = _mm512_setzero_pd();
    __m512d v43 = _mm512_setzero_pd();
    __m512d v44 = _mm512_setzero_pd();
    __m512d v45 = _mm512_setzero_pd();
    __m512d v46 = _mm512_setzero_pd();
    __m512d v47 = _mm512_setzero_pd();
    __m512d v48 = _mm512_setzero_pd();
    __m512d v49 = _mm512_setzero_pd();
    __m512d v50 = _mm512_setzero_pd();
    __m512d v51 = _mm512_setzero_pd();
    __m512d v52 = _mm512_setzero_pd();
    __m512d v53 = _mm512_setzero_pd();
    __m512i v54 = _mm512_setzero_si512();
    __m512i v55 = _mm512_setzero_si512();
    __m512i v56 = _mm512_setzero_si512();
    __m512d v57 = _mm512_setzero_pd();
    __m512i v58 = _mm512_setzero_si512();
    __m512i v59 = _mm512_setzero_si512();
    x_v = x;
    s = _mm512_mul_pd(_mm512_set1_pd(0.636619770899415), x_v);
    v1 = _mm512_mul_pd(_mm512_set1_pd(0.25), s);
    v = _mm512_roundscale_pd(v1, _MM_FROUND_TO_NEAREST_INT);
    v2 = _mm512_set1_pd(-4.0);
    s = _mm512_fmadd_pd(v, v2, s);
    x_v1 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(1.4681663246252086e-09), x_v1);
    v4 = _mm512_mul_pd(_mm512_set1_pd(0.25), p);
    v3 = _mm512_roundscale_pd(v4, _MM_FROUND_TO_NEAREST_INT);
    v5 = _mm512_set1_pd(-4.0);
    p = _mm512_fmadd_pd(v3, v5, p);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v7 = _mm512_sub_pd(t, b);
    v6 = _mm512_sub_pd(s, v7);
    v8 = _mm512_sub_pd(p, b);
    e = _mm512_add_pd(v6, v8);
    s = t;
    x_v2 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(2.2760100671971816e-18), x_v2);
    v10 = _mm512_mul_pd(_mm512_set1_pd(0.25), p);
    v9 = _mm512_roundscale_pd(v10, _MM_FROUND_TO_NEAREST_INT);
    v11 = _mm512_set1_pd(-4.0);
    p = _mm512_fmadd_pd(v9, v11, p);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v14 = _mm512_sub_pd(t, b);
    v13 = _mm512_sub_pd(s, v14);
    v15 = _mm512_sub_pd(p, b);
    v12 = _mm512_add_pd(v13, v15);
    e = _mm512_add_pd(e, v12);
    s = t;
    x_v3 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(5.8812147387730434e-27), x_v3);
    v17 = _mm512_mul_pd(_mm512_set1_pd(0.25), p);
    v16 = _mm512_roundscale_pd(v17, _MM_FROUND_TO_NEAREST_INT);
    v18 = _mm512_set1_pd(-4.0);
    p = _mm512_fmadd_pd(v16, v18, p);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v21 = _mm512_sub_pd(t, b);
    v20 = _mm512_sub_pd(s, v21);
    v22 = _mm512_sub_pd(p, b);
    v19 = _mm512_add_pd(v20, v22);
    e = _mm512_add_pd(e, v19);
    v24 = _mm512_mul_pd(_mm512_set1_pd(0.25), t);
    v23 = _mm512_roundscale_pd(v24, _MM_FROUND_TO_NEAREST_INT);
    v25 = _mm512_set1_pd(-4.0);
    s = _mm512_fmadd_pd(v23, v25, t);
    x_v4 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(1.0346868700836215e-35), x_v4);
    v27 = _mm512_mul_pd(_mm512_set1_pd(0.25), p);
    v26 = _mm512_roundscale_pd(v27, _MM_FROUND_TO_NEAREST_INT);
    v28 = _mm512_set1_pd(-4.0);
    p = _mm512_fmadd_pd(v26, v28, p);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v31 = _mm512_sub_pd(t, b);
    v30 = _mm512_sub_pd(s, v31);
    v32 = _mm512_sub_pd(p, b);
    v29 = _mm512_add_pd(v30, v32);
    e = _mm512_add_pd(e, v29);
    s = t;
    x_v5 = x;
    p = _mm512_mul_pd(_mm512_set1_pd(3.783256351091319e-45), x_v5);
    t = _mm512_add_pd(s, p);
    b = _mm512_sub_pd(t, s);
    v35 = _mm512_sub_pd(t, b);
    v34 = _mm512_sub_pd(s, v35);
    v36 = _mm512_sub_pd(p, b);
    v33 = _mm512_add_pd(v34, v36);
    e = _mm512_add_pd(e, v33);
    x_v6 = x;
    v37 = _mm512_set1_pd(3.720474878517739e-53);
    e = _mm512_fmadd_pd(x_v6, v37, e);
    k = _mm512_add_pd(_mm512_set1_pd(6755399441055744.0), t);
    v41 = _mm512_set1_pd(6755399441055744.0);
    v40 = _mm512_sub_pd(k, v41);
    v39 = _mm512_sub_pd(t, v40);
    v38 = _mm512_add_pd(v39, e);
    r = _mm512_mul_pd(_mm512_set1_pd(1.5707963267948966), v38);
    z_v = z;
    v42 = _mm512_add_pd(k, z_v);
    q = _mm512_castpd_si512(v42);
    u = _mm512_mul_pd(r, r);
    v43 = _mm512_set1_pd(2.71815641855748e-06);
    v44 = _mm512_set1_pd(-0.00019839319596601338);
    p = _mm512_fmadd_pd(u, v43, v44);
    v45 = _mm512_set1_pd(0.008333329343438027);
    p = _mm512_fmadd_pd(p, u, v45);
    v46 = _mm512_set1_pd(-0.1666666664133612);
    p = _mm512_fmadd_pd(p, u, v46);
    v47 = _mm512_mul_pd(p, u);
    p = _mm512_fmadd_pd(v47, r, r);
    v48 = _mm512_set1_pd(-2.7208593194201563e-07);
    v49 = _mm512_set1_pd(2.479950057640727e-05);
    c = _mm512_fmadd_pd(u, v48, v49);
    v50 = _mm512_set1_pd(-0.0013888883682086003);
    c = _mm512_fmadd_pd(c, u, v50);
    v51 = _mm512_set1_pd(0.041666666622037996);
    c = _mm512_fmadd_pd(c, u, v51);
    v52 = _mm512_set1_pd(-0.5);
    c = _mm512_fmadd_pd(c, u, v52);
    v53 = _mm512_set1_pd(1.0);
    c = _mm512_fmadd_pd(c, u, v53);
    v54 = _mm512_and_si512(q, _mm512_set1_epi64((long long)UINT64_C(1)));
    v55 = _mm512_set1_epi64((long long)UINT64_C(1));
    p = _mm512_mask_mov_pd(c, _mm512_cmplt_epu64_mask(v54, v55), p);
    v56 = _mm512_and_si512(q, _mm512_set1_epi64((long long)UINT64_C(2)));
    q = _mm512_sllv_epi64(v56, _mm512_set1_epi64((long long)UINT64_C(62)));
    v59 = _mm512_castpd_si512(p);
    v58 = _mm512_xor_si512(v59, q);
    v57 = _mm512_castsi512_pd(v58);
    return v57;
}
#endif /* USL_AVX512_SIN_WIDE_PD */

static __attribute__((noinline, cold, unused)) __m512 usl_avx512_tan_far_ps(__m512 x)
{
    const __m256 low = _mm512_cvtpd_ps(_mm512_div_pd(usl_avx512_sin_wide_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(x)), _mm512_setzero_pd()), usl_avx512_sin_wide_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(x)), _mm512_set1_pd(1.0))));
    const __m256 high = _mm512_cvtpd_ps(_mm512_div_pd(usl_avx512_sin_wide_pd(_mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1))), _mm512_setzero_pd()), usl_avx512_sin_wide_pd(_mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1))), _mm512_set1_pd(1.0))));
    return _mm512_castpd_ps(_mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low)), _mm256_castps_pd(high), 1));
}

static inline __m512 usl_avx512_tan_near_ps(__m512 x)
{
    __m512 t = _mm512_setzero_ps();
    __m512 k = _mm512_setzero_ps();
    __m512 r = _mm512_setzero_ps();
    __m512 p = _mm512_setzero_ps();
    __m512 s = _mm512_setzero_ps();
    __m512 v = _mm512_setzero_ps();
    __m512 u = _mm512_setzero_ps();
    __m512 h = _mm512_setzero_ps();
    __m512 z = _mm512_setzero_ps();
    __m512 e = _mm512_setzero_ps();
    __m512i m = _mm512_setzero_si512();
    __m512 x_v = _mm512_setzero_ps();
    __m512 v1 = _mm512_setzero_ps();
    __m512 v2 = _mm512_setzero_ps();
    __m512 v3 = _mm512_setzero_ps();
    __m512 v4 = _mm512_setzero_ps();
    __m512 x_v1 = _mm512_setzero_ps();
    __m512 v5 = _mm512_setzero_ps();
    __m512 v6 = _mm512_setzero_ps();
    __m512 v7 = _mm512_setzero_ps();
    __m512 v8 = _mm512_setzero_ps();
    __m512 v9 = _mm512_setzero_ps();
    __m512 v10 = _mm512_setzero_ps();
    __m512 v11 = _mm512_setzero_ps();
    __m512 v12 = _mm512_setzero_ps();
    __m512 v13 = _mm512_setzero_ps();
    __m512 v14 = _mm512_setzero_ps();
    __m512 v15 = _mm512_setzero_ps();
    __m512 v16 = _mm512_setzero_ps();
    __m512 v17 = _mm512_setzero_ps();
    __m512 v18 = _mm512_setzero_ps();
    __m512 v19 = _mm512_setzero_ps();
    __m512 v20 = _mm512_setzero_ps();
    __m512 v21 = _mm512_setzero_ps();
    __m512i v22 = _mm512_setzero_si512();
    __m512i v23 = _mm512_setzero_si512();
    __m512i v24 = _mm512_setzero_si512();
    __m512 v25 = _mm512_setzero_ps();
    __m512i v26 = _mm512_setzero_si512();
    __m512i v27 = _mm512_setzero_si512();
    __m512i v28 = _mm512_setzero_si512();
    x_v = x;
    v1 = _mm512_set1_ps(0.63661975f);
    v2 = _mm512_set1_ps(12582912.0f);
    t = _mm512_fmadd_ps(x_v, v1, v2);
    v3 = _mm512_set1_ps(12582912.0f);
    k = _mm512_sub_ps(t, v3);
    v4 = _mm512_set1_ps(-1.5707963f);
    x_v1 = x;
    s = _mm512_fmadd_ps(k, v4, x_v1);
    p = _mm512_mul_ps(_mm512_set1_ps(7.5495336e-08f), k);
    r = _mm512_sub_ps(s, p);
    v5 = _mm512_set1_ps(2.563344e-12f);
    v7 = _mm512_sub_ps(r, s);
    v6 = _mm512_add_ps(v7, p);
    v = _mm512_fmadd_ps(k, v5, v6);
    u = _mm512_mul_ps(r, r);
    v8 = _mm512_set1_ps(-0.004371655f);
    v9 = _mm512_set1_ps(-9.994648e-05f);
    p = _mm512_fmadd_ps(u, v8, v9);
    v10 = _mm512_set1_ps(-0.010826462f);
    p = _mm512_fmadd_ps(p, u, v10);
    v11 = _mm512_set1_ps(-0.021286441f);
    p = _mm512_fmadd_ps(p, u, v11);
    v12 = _mm512_set1_ps(-0.054058895f);
    p = _mm512_fmadd_ps(p, u, v12);
    v13 = _mm512_set1_ps(-0.13332675f);
    p = _mm512_fmadd_ps(p, u, v13);
    v14 = _mm512_set1_ps(0.16666651f);
    p = _mm512_fmadd_ps(p, u, v14);
    v15 = _mm512_mul_ps(_mm512_set1_ps(1.6f), v);
    p = _mm512_fmadd_ps(r, p, v15);
    v16 = _mm512_mul_ps(_mm512_set1_ps(-0.5f), r);
    v17 = _mm512_fmadd_ps(u, p, v);
    v = _mm512_fmadd_ps(u, v16, v17);
    h = _mm512_sub_ps(r, v);
    v18 = _mm512_sub_ps(r, h);
    v = _mm512_sub_ps(v18, v);
    v19 = _mm512_set1_ps(-1.0f);
    z = _mm512_div_ps(v19, h);
    v21 = _mm512_set1_ps(1.0f);
    v20 = _mm512_fmadd_ps(z, h, v21);
    e = _mm512_fmadd_ps(z, v, v20);
    z = _mm512_fmadd_ps(z, e, z);
    v23 = _mm512_castps_si512(t);
    v22 = _mm512_and_si512(v23, _mm512_set1_epi32((int)1u));
    v24 = _mm512_set1_epi32((int)1u);
    m = _mm512_sub_epi32(v22, v24);
    v27 = _mm512_castps_si512(z);
    v28 = _mm512_castps_si512(h);
    v26 = _mm512_ternarylogic_epi32(v27, v28, m, 0xd8);
    v25 = _mm512_castsi512_ps(v26);
    return v25;
}

static inline __m512 usl_avx512_tan_ps(__m512 x)
{
    __m512 y = usl_avx512_tan_near_ps(x);
    const __mmask16 far = _mm512_cmp_ps_mask(_mm512_abs_ps(x), _mm512_set1_ps(1024.0f), _CMP_NLT_UQ);
    if (far)
        y = _mm512_mask_mov_ps(y, far, usl_avx512_tan_far_ps(x));
    return y;
}
#endif /* USL_AVX512_TAN_PS */

#ifndef USL_AVX512_SIN_PD
#define USL_AVX512_SIN_PD
#include <math.h>
static __attribute__((noinline, cold, unused)) __m512d usl_avx512_sin_far_pd(__m512d x)
{
    double of[8];
    _mm512_storeu_pd(of, x);
    for (int i = 0; i < 8; i++)
        of[i] = sin(of[i]);
    return _mm512_loadu_pd(of);
}

#ifndef USL_AVX512_AT_SINE_F64
#define USL_AVX512_AT_SINE_F64
static inline __m512d usl_avx512_at_sine_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {-0.0, 0.19509032201612828, 0.3826834323650898, 0.5555702330196022, 0.7071067811865476, 0.8314696123025452, 0.9238795325112867, 0.9807852804032304, 1.0, 0.9807852804032304, 0.9238795325112867, 0.8314696123025452, 0.7071067811865476, 0.5555702330196022, 0.3826834323650898, 0.19509032201612828};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_SINE_F64 */

#ifndef USL_AVX512_AT_COSINE_F64
#define USL_AVX512_AT_COSINE_F64
static inline __m512d usl_avx512_at_cosine_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {1.0, 0.9807852804032304, 0.9238795325112867, 0.8314696123025452, 0.7071067811865476, 0.5555702330196022, 0.3826834323650898, 0.19509032201612828, 0.0, -0.19509032201612828, -0.3826834323650898, -0.5555702330196022, -0.7071067811865476, -0.8314696123025452, -0.9238795325112867, -0.9807852804032304};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_COSINE_F64 */

#ifndef USL_AVX512_AT_SINE_REST_F64
#define USL_AVX512_AT_SINE_REST_F64
static inline __m512d usl_avx512_at_sine_rest_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {-0.0, -7.991079068461731e-18, -1.0050772696461588e-17, 4.709410940561677e-17, -4.833646656726457e-17, 1.4073856984728024e-18, 1.7645047084336677e-17, 1.8546939997825006e-17, 0.0, 1.8546939997825006e-17, 1.7645047084336677e-17, 1.4073856984728024e-18, -4.833646656726457e-17, 4.709410940561677e-17, -1.0050772696461588e-17, -7.991079068461731e-18};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_SINE_REST_F64 */

static inline __m512d usl_avx512_sin_near_pd(__m512d x)
{
    __m512d t = _mm512_setzero_pd();
    __m512d k = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512d s = _mm512_setzero_pd();
    __m512d v = _mm512_setzero_pd();
    __m512d u = _mm512_setzero_pd();
    __m512d c = _mm512_setzero_pd();
    __m512i q = _mm512_setzero_si512();
    __m512d x_v = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d x_v1 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    __m512d v20 = _mm512_setzero_pd();
    __m512d v21 = _mm512_setzero_pd();
    __m512d v22 = _mm512_setzero_pd();
    __m512i v23 = _mm512_setzero_si512();
    __m512i v24 = _mm512_setzero_si512();
    __m512i v25 = _mm512_setzero_si512();
    __m512i v26 = _mm512_setzero_si512();
    x_v = x;
    v1 = _mm512_set1_pd(5.092958178940651);
    v2 = _mm512_set1_pd(6755399441055744.0);
    t = _mm512_fmadd_pd(x_v, v1, v2);
    v3 = _mm512_set1_pd(6755399441055744.0);
    k = _mm512_sub_pd(t, v3);
    v4 = _mm512_set1_pd(-0.19634954084936207);
    x_v1 = x;
    s = _mm512_fmadd_pd(k, v4, x_v1);
    p = _mm512_mul_pd(_mm512_set1_pd(7.654042492615175e-18), k);
    r = _mm512_sub_pd(s, p);
    v5 = _mm512_set1_pd(2.0557821170405322e-27);
    v7 = _mm512_sub_pd(r, s);
    v6 = _mm512_add_pd(v7, p);
    v = _mm512_fmadd_pd(k, v5, v6);
    q = _mm512_castpd_si512(t);
    u = _mm512_mul_pd(r, r);
    v8 = _mm512_set1_pd(-2.755165637859979e-06);
    v9 = _mm512_set1_pd(0.00019841269410730266);
    p = _mm512_fmadd_pd(u, v8, v9);
    v10 = _mm512_set1_pd(-0.0083333333333211);
    p = _mm512_fmadd_pd(p, u, v10);
    v11 = _mm512_set1_pd(0.16666666666666666);
    p = _mm512_fmadd_pd(p, u, v11);
    v12 = _mm512_mul_pd(u, r);
    v = _mm512_fmadd_pd(v12, p, v);
    v13 = _mm512_set1_pd(2.479583788800711e-05);
    v14 = _mm512_set1_pd(-0.0013888888509247862);
    c = _mm512_fmadd_pd(u, v13, v14);
    v15 = _mm512_set1_pd(0.04166666666658888);
    c = _mm512_fmadd_pd(c, u, v15);
    v17 = _mm512_set1_pd(-0.5);
    v16 = _mm512_fmadd_pd(c, u, v17);
    v18 = _mm512_setzero_pd();
    c = _mm512_fmadd_pd(v16, u, v18);
    s = usl_avx512_at_sine_f64(q);
    p = usl_avx512_at_cosine_f64(q);
    v19 = usl_avx512_at_sine_rest_f64(q);
    c = _mm512_fmadd_pd(s, c, v19);
    v21 = _mm512_fnmadd_pd(p, v, c);
    v20 = _mm512_fmadd_pd(p, r, v21);
    p = _mm512_add_pd(s, v20);
    v24 = _mm512_castpd_si512(p);
    v26 = _mm512_sllv_epi64(q, _mm512_set1_epi64((long long)UINT64_C(59)));
    v25 = _mm512_and_si512(v26, _mm512_set1_epi64((long long)UINT64_C(9223372036854775808)));
    v23 = _mm512_xor_si512(v24, v25);
    v22 = _mm512_castsi512_pd(v23);
    return v22;
}

static inline __m512d usl_avx512_sin_pd(__m512d x)
{
    __m512d y = usl_avx512_sin_near_pd(x);
    const __mmask8 far = _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(1048576.0), _CMP_NLT_UQ);
    if (far)
        y = _mm512_mask_mov_pd(y, far, usl_avx512_sin_far_pd(x));
    return y;
}
#endif /* USL_AVX512_SIN_PD */

#ifndef USL_AVX512_COS_PD
#define USL_AVX512_COS_PD
#include <math.h>
static __attribute__((noinline, cold, unused)) __m512d usl_avx512_cos_far_pd(__m512d x)
{
    double of[8];
    _mm512_storeu_pd(of, x);
    for (int i = 0; i < 8; i++)
        of[i] = cos(of[i]);
    return _mm512_loadu_pd(of);
}

#ifndef USL_AVX512_AT_SINE_F64
#define USL_AVX512_AT_SINE_F64
static inline __m512d usl_avx512_at_sine_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {-0.0, 0.19509032201612828, 0.3826834323650898, 0.5555702330196022, 0.7071067811865476, 0.8314696123025452, 0.9238795325112867, 0.9807852804032304, 1.0, 0.9807852804032304, 0.9238795325112867, 0.8314696123025452, 0.7071067811865476, 0.5555702330196022, 0.3826834323650898, 0.19509032201612828};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_SINE_F64 */

#ifndef USL_AVX512_AT_COSINE_F64
#define USL_AVX512_AT_COSINE_F64
static inline __m512d usl_avx512_at_cosine_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {1.0, 0.9807852804032304, 0.9238795325112867, 0.8314696123025452, 0.7071067811865476, 0.5555702330196022, 0.3826834323650898, 0.19509032201612828, 0.0, -0.19509032201612828, -0.3826834323650898, -0.5555702330196022, -0.7071067811865476, -0.8314696123025452, -0.9238795325112867, -0.9807852804032304};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_COSINE_F64 */

#ifndef USL_AVX512_AT_SINE_REST_F64
#define USL_AVX512_AT_SINE_REST_F64
static inline __m512d usl_avx512_at_sine_rest_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {-0.0, -7.991079068461731e-18, -1.0050772696461588e-17, 4.709410940561677e-17, -4.833646656726457e-17, 1.4073856984728024e-18, 1.7645047084336677e-17, 1.8546939997825006e-17, 0.0, 1.8546939997825006e-17, 1.7645047084336677e-17, 1.4073856984728024e-18, -4.833646656726457e-17, 4.709410940561677e-17, -1.0050772696461588e-17, -7.991079068461731e-18};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_SINE_REST_F64 */

static inline __m512d usl_avx512_cos_near_pd(__m512d x)
{
    __m512d t = _mm512_setzero_pd();
    __m512d k = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512d s = _mm512_setzero_pd();
    __m512d v = _mm512_setzero_pd();
    __m512d u = _mm512_setzero_pd();
    __m512d c = _mm512_setzero_pd();
    __m512i q = _mm512_setzero_si512();
    __m512d x_v = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d x_v1 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512i v8 = _mm512_setzero_si512();
    __m512i v9 = _mm512_setzero_si512();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    __m512d v20 = _mm512_setzero_pd();
    __m512d v21 = _mm512_setzero_pd();
    __m512d v22 = _mm512_setzero_pd();
    __m512d v23 = _mm512_setzero_pd();
    __m512i v24 = _mm512_setzero_si512();
    __m512i v25 = _mm512_setzero_si512();
    __m512i v26 = _mm512_setzero_si512();
    __m512i v27 = _mm512_setzero_si512();
    x_v = x;
    v1 = _mm512_set1_pd(5.092958178940651);
    v2 = _mm512_set1_pd(6755399441055744.0);
    t = _mm512_fmadd_pd(x_v, v1, v2);
    v3 = _mm512_set1_pd(6755399441055744.0);
    k = _mm512_sub_pd(t, v3);
    v4 = _mm512_set1_pd(-0.19634954084936207);
    x_v1 = x;
    s = _mm512_fmadd_pd(k, v4, x_v1);
    p = _mm512_mul_pd(_mm512_set1_pd(7.654042492615175e-18), k);
    r = _mm512_sub_pd(s, p);
    v5 = _mm512_set1_pd(-2.0557821170405322e-27);
    v7 = _mm512_sub_pd(s, r);
    v6 = _mm512_sub_pd(v7, p);
    v = _mm512_fmadd_pd(k, v5, v6);
    v8 = _mm512_castpd_si512(t);
    v9 = _mm512_set1_epi64((long long)UINT64_C(8));
    q = _mm512_add_epi64(v8, v9);
    u = _mm512_mul_pd(r, r);
    v10 = _mm512_set1_pd(2.755165637859979e-06);
    v11 = _mm512_set1_pd(-0.00019841269410730266);
    p = _mm512_fmadd_pd(u, v10, v11);
    v12 = _mm512_set1_pd(0.0083333333333211);
    p = _mm512_fmadd_pd(p, u, v12);
    v13 = _mm512_set1_pd(-0.16666666666666666);
    p = _mm512_fmadd_pd(p, u, v13);
    v14 = _mm512_mul_pd(u, r);
    v = _mm512_fmadd_pd(v14, p, v);
    v15 = _mm512_set1_pd(2.479583788800711e-05);
    v16 = _mm512_set1_pd(-0.0013888888509247862);
    c = _mm512_fmadd_pd(u, v15, v16);
    v17 = _mm512_set1_pd(0.04166666666658888);
    c = _mm512_fmadd_pd(c, u, v17);
    v19 = _mm512_set1_pd(-0.5);
    v18 = _mm512_fmadd_pd(c, u, v19);
    c = _mm512_mul_pd(v18, u);
    s = usl_avx512_at_sine_f64(q);
    p = usl_avx512_at_cosine_f64(q);
    v20 = usl_avx512_at_sine_rest_f64(q);
    c = _mm512_fmadd_pd(s, c, v20);
    v22 = _mm512_fmadd_pd(p, v, c);
    v21 = _mm512_fmadd_pd(p, r, v22);
    p = _mm512_add_pd(s, v21);
    v25 = _mm512_castpd_si512(p);
    v27 = _mm512_sllv_epi64(q, _mm512_set1_epi64((long long)UINT64_C(59)));
    v26 = _mm512_and_si512(v27, _mm512_set1_epi64((long long)UINT64_C(9223372036854775808)));
    v24 = _mm512_xor_si512(v25, v26);
    v23 = _mm512_castsi512_pd(v24);
    return v23;
}

static inline __m512d usl_avx512_cos_pd(__m512d x)
{
    __m512d y = usl_avx512_cos_near_pd(x);
    const __mmask8 far = _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(1048576.0), _CMP_NLT_UQ);
    if (far)
        y = _mm512_mask_mov_pd(y, far, usl_avx512_cos_far_pd(x));
    return y;
}
#endif /* USL_AVX512_COS_PD */

#ifndef USL_AVX512_TAN_PD
#define USL_AVX512_TAN_PD
#include <math.h>
static __attribute__((noinline, cold, unused)) __m512d usl_avx512_tan_far_pd(__m512d x)
{
    double of[8];
    _mm512_storeu_pd(of, x);
    for (int i = 0; i < 8; i++)
        of[i] = tan(of[i]);
    return _mm512_loadu_pd(of);
}

#ifndef USL_AVX512_AT_MINUS_TANGENT_F64
#define USL_AVX512_AT_MINUS_TANGENT_F64
static inline __m512d usl_avx512_at_minus_tangent_f64(__m512i k)
{
    static _Alignas(64) const double at[8] = {1.0, 0.6681786379192989, 0.41421356237309503, 0.198912367379658, 0.0, -0.198912367379658, -0.41421356237309503, -0.6681786379192989};
    return _mm512_permutexvar_pd(k, _mm512_load_pd(at));
}
#endif /* USL_AVX512_AT_MINUS_TANGENT_F64 */

#ifndef USL_AVX512_AT_TANGENT_REST_F64
#define USL_AVX512_AT_TANGENT_REST_F64
static inline __m512d usl_avx512_at_tangent_rest_f64(__m512i k)
{
    static _Alignas(64) const double at[8] = {0.0, -4.1042270233610004e-17, -1.4349369327986523e-17, -8.391794477636538e-19, 0.0, 8.391794477636538e-19, 1.4349369327986523e-17, 4.1042270233610004e-17};
    return _mm512_permutexvar_pd(k, _mm512_load_pd(at));
}
#endif /* USL_AVX512_AT_TANGENT_REST_F64 */

static inline __m512d usl_avx512_tan_near_pd(__m512d x)
{
    __m512d a = _mm512_setzero_pd();
    __m512d t = _mm512_setzero_pd();
    __m512d k = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512d s = _mm512_setzero_pd();
    __m512d v = _mm512_setzero_pd();
    __m512d u = _mm512_setzero_pd();
    __m512d e = _mm512_setzero_pd();
    __m512d w = _mm512_setzero_pd();
    __m512d c = _mm512_setzero_pd();
    __m512d z = _mm512_setzero_pd();
    __m512d h = _mm512_setzero_pd();
    __m512i q = _mm512_setzero_si512();
    __m512i m = _mm512_setzero_si512();
    __m512d x_v = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512i v18 = _mm512_setzero_si512();
    __m512i v19 = _mm512_setzero_si512();
    __m512i v20 = _mm512_setzero_si512();
    __m512d v21 = _mm512_setzero_pd();
    __m512d v22 = _mm512_setzero_pd();
    __m512i v23 = _mm512_setzero_si512();
    __m512i v24 = _mm512_setzero_si512();
    __m512i v25 = _mm512_setzero_si512();
    __m512d v26 = _mm512_setzero_pd();
    __m512d v27 = _mm512_setzero_pd();
    __m512d v28 = _mm512_setzero_pd();
    __m512i v29 = _mm512_setzero_si512();
    __m512i v30 = _mm512_setzero_si512();
    __m512i v31 = _mm512_setzero_si512();
    __m512i v32 = _mm512_setzero_si512();
    __m512i v33 = _mm512_setzero_si512();
    __m512i v34 = _mm512_setzero_si512();
    __m512i v35 = _mm512_setzero_si512();
    __m512i v36 = _mm512_setzero_si512();
    __m512d v37 = _mm512_setzero_pd();
    __m512d v38 = _mm512_setzero_pd();
    __m512i v39 = _mm512_setzero_si512();
    __m512i v40 = _mm512_setzero_si512();
    __m512i v41 = _mm512_setzero_si512();
    __m512i v42 = _mm512_setzero_si512();
    __m512d x_v1 = _mm512_setzero_pd();
    x_v = x;
    a = _mm512_abs_pd(x_v);
    v1 = _mm512_set1_pd(5.092958178940651);
    v2 = _mm512_set1_pd(6755399441055748.0);
    t = _mm512_fmadd_pd(a, v1, v2);
    v3 = _mm512_set1_pd(6755399441055748.0);
    k = _mm512_sub_pd(t, v3);
    v4 = _mm512_set1_pd(-0.19634954084936207);
    s = _mm512_fmadd_pd(k, v4, a);
    p = _mm512_mul_pd(_mm512_set1_pd(7.654042492615175e-18), k);
    r = _mm512_sub_pd(s, p);
    v5 = _mm512_set1_pd(-2.0557821170405322e-27);
    v7 = _mm512_sub_pd(s, r);
    v6 = _mm512_sub_pd(v7, p);
    v = _mm512_fmadd_pd(k, v5, v6);
    q = _mm512_castpd_si512(t);
    u = _mm512_mul_pd(r, r);
    v8 = _mm512_set1_pd(0.008966704233320489);
    v9 = _mm512_set1_pd(0.02186838527385921);
    p = _mm512_fmadd_pd(u, v8, v9);
    v10 = _mm512_set1_pd(0.053968259301645956);
    p = _mm512_fmadd_pd(p, u, v10);
    v11 = _mm512_set1_pd(0.1333333333220875);
    p = _mm512_fmadd_pd(p, u, v11);
    v12 = _mm512_set1_pd(0.33333333333334103);
    p = _mm512_fmadd_pd(p, u, v12);
    v13 = _mm512_mul_pd(u, r);
    v = _mm512_fmadd_pd(v13, p, v);
    t = _mm512_add_pd(r, v);
    s = usl_avx512_at_minus_tangent_f64(q);
    p = _mm512_sub_pd(t, s);
    v16 = _mm512_add_pd(p, s);
    v15 = _mm512_sub_pd(r, v16);
    v14 = _mm512_add_pd(v15, v);
    v17 = usl_avx512_at_tangent_rest_f64(q);
    e = _mm512_add_pd(v14, v17);
    c = _mm512_mul_pd(s, t);
    w = _mm512_add_pd(_mm512_set1_pd(1.0), c);
    v19 = _mm512_srlv_epi64(q, _mm512_set1_epi64((long long)UINT64_C(3)));
    v18 = _mm512_and_si512(v19, _mm512_set1_epi64((long long)UINT64_C(1)));
    v20 = _mm512_set1_epi64((long long)UINT64_C(1));
    m = _mm512_sub_epi64(v18, v20);
    v21 = _mm512_set1_pd(-1.0);
    v24 = _mm512_castpd_si512(p);
    v25 = _mm512_castpd_si512(w);
    v23 = _mm512_ternarylogic_epi32(v24, v25, m, 0xd8);
    v22 = _mm512_castsi512_pd(v23);
    z = _mm512_div_pd(v21, v22);
    v27 = _mm512_set1_pd(1.0);
    v26 = _mm512_fmadd_pd(z, p, v27);
    v28 = _mm512_fmadd_pd(z, e, c);
    h = _mm512_add_pd(v26, v28);
    c = _mm512_mul_pd(c, z);
    v30 = _mm512_castpd_si512(h);
    v31 = _mm512_castpd_si512(c);
    v29 = _mm512_ternarylogic_epi32(v30, v31, m, 0xd8);
    h = _mm512_castsi512_pd(v29);
    v33 = _mm512_castpd_si512(z);
    v34 = _mm512_castpd_si512(p);
    v32 = _mm512_ternarylogic_epi32(v33, v34, m, 0xd8);
    z = _mm512_castsi512_pd(v32);
    v36 = _mm512_castpd_si512(e);
    v35 = _mm512_and_si512(v36, m);
    e = _mm512_castsi512_pd(v35);
    v37 = _mm512_fmadd_pd(z, h, e);
    z = _mm512_add_pd(z, v37);
    v40 = _mm512_castpd_si512(z);
    x_v1 = x;
    v42 = _mm512_castpd_si512(x_v1);
    v41 = _mm512_and_si512(v42, _mm512_set1_epi64((long long)UINT64_C(9223372036854775808)));
    v39 = _mm512_xor_si512(v40, v41);
    v38 = _mm512_castsi512_pd(v39);
    return v38;
}

static inline __m512d usl_avx512_tan_pd(__m512d x)
{
    __m512d y = usl_avx512_tan_near_pd(x);
    const __mmask8 far = _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(1048576.0), _CMP_NLT_UQ);
    if (far)
        y = _mm512_mask_mov_pd(y, far, usl_avx512_tan_far_pd(x));
    return y;
}
#endif /* USL_AVX512_TAN_PD */

#ifndef USL_AVX512_POW_PS
#define USL_AVX512_POW_PS
#ifndef USL_AVX512_AT_MANTISSA_INVERSE
#define USL_AVX512_AT_MANTISSA_INVERSE
static inline __m512 usl_avx512_at_mantissa_inverse(__m512i k)
{
    static _Alignas(64) const float at[32] = {1.0f, 0.953125f, 0.921875f, 0.90625f, 0.875f, 0.859375f, 0.828125f, 0.8125f, 0.796875f, 0.765625f, 0.75f, 0.734375f, 0.71875f, 0.703125f, 0.6875f, 0.671875f, 1.3125f, 1.296875f, 1.265625f, 1.25f, 1.21875f, 1.203125f, 1.171875f, 1.15625f, 1.125f, 1.109375f, 1.09375f, 1.078125f, 1.0625f, 1.046875f, 1.03125f, 1.0f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_MANTISSA_INVERSE */

#ifndef USL_AVX512_AT_LOG2_LOW
#define USL_AVX512_AT_LOG2_LOW
static inline __m512 usl_avx512_at_log2_low(__m512i k)
{
    static _Alignas(64) const float at[32] = {0.0f, 3.0188824e-06f, 1.6039585e-06f, 5.455068e-06f, 2.8660284e-06f, -2.9020011e-06f, 7.7663366e-08f, -2.650161e-07f, -1.0255652e-06f, 5.7320567e-06f, -1.5632212e-06f, 7.095588e-06f, -2.3857444e-06f, -1.2896891e-06f, -4.7387543e-06f, 4.776548e-06f, 1.3028072e-06f, 6.34502e-06f, -6.2528848e-06f, 1.8367533e-06f, -1.8282373e-06f, -1.8727261e-06f, 2.1102853e-06f, 4.031832e-06f, -3.1264424e-06f, 2.6363548e-06f, 4.7027816e-06f, -3.9489655e-06f, 5.376559e-07f, -3.375028e-06f, -6.3019756e-06f, 0.0f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_LOG2_LOW */

#ifndef USL_AVX512_AT_LOG2_HIGH
#define USL_AVX512_AT_LOG2_HIGH
static inline __m512 usl_avx512_at_log2_high(__m512i k)
{
    static _Alignas(64) const float at[32] = {0.0f, 0.06925964f, 0.11735535f, 0.14201355f, 0.19264221f, 0.21864319f, 0.27207947f, 0.29956055f, 0.32757568f, 0.38528442f, 0.41503906f, 0.44540405f, 0.47644043f, 0.5081482f, 0.5405731f, 0.57373047f, 0.6076813f, 0.6249542f, 0.66015625f, 0.67807007f, 0.7145996f, 0.73321533f, 0.7711792f, 0.7905426f, 0.8300781f, 0.85025024f, 0.8707123f, 0.8914795f, 0.9125366f, 0.9339142f, 0.9556122f, 1.0f};
    return _mm512_permutex2var_ps(_mm512_load_ps(at), k, _mm512_load_ps(at + 16));
}
#endif /* USL_AVX512_AT_LOG2_HIGH */

static inline __m512 usl_avx512_pow_near_ps(__m512 x, __m512 z)
{
    __m512 m = _mm512_setzero_ps();
    __m512 e = _mm512_setzero_ps();
    __m512 r = _mm512_setzero_ps();
    __m512 p = _mm512_setzero_ps();
    __m512 h = _mm512_setzero_ps();
    __m512 g = _mm512_setzero_ps();
    __m512 w = _mm512_setzero_ps();
    __m512 s = _mm512_setzero_ps();
    __m512 t = _mm512_setzero_ps();
    __m512i q = _mm512_setzero_si512();
    __m512 v = _mm512_setzero_ps();
    __m512 x_v = _mm512_setzero_ps();
    __m512 x_v1 = _mm512_setzero_ps();
    __m512i v1 = _mm512_setzero_si512();
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
    __m512 v13 = _mm512_setzero_ps();
    __m512 v14 = _mm512_setzero_ps();
    __m512 v15 = _mm512_setzero_ps();
    __m512 v16 = _mm512_setzero_ps();
    __m512 v17 = _mm512_setzero_ps();
    __m512 v18 = _mm512_setzero_ps();
    __m512 v19 = _mm512_setzero_ps();
    __m512 v20 = _mm512_setzero_ps();
    __m512 v21 = _mm512_setzero_ps();
    __m512 v22 = _mm512_setzero_ps();
    __m512 v23 = _mm512_setzero_ps();
    __m512 z_v = _mm512_setzero_ps();
    __m512 z_v1 = _mm512_setzero_ps();
    __m512 v24 = _mm512_setzero_ps();
    __m512 z_v2 = _mm512_setzero_ps();
    __m512 v25 = _mm512_setzero_ps();
    __m512 v26 = _mm512_setzero_ps();
    __m512 v27 = _mm512_setzero_ps();
    __m512 v28 = _mm512_setzero_ps();
    __m512 v29 = _mm512_setzero_ps();
    __m512 v30 = _mm512_setzero_ps();
    __m512 v31 = _mm512_setzero_ps();
    __m512 v32 = _mm512_setzero_ps();
    __m512 v33 = _mm512_setzero_ps();
    __m512 v34 = _mm512_setzero_ps();
    __m512 v35 = _mm512_setzero_ps();
    __m512 v36 = _mm512_setzero_ps();
    __m512 v37 = _mm512_setzero_ps();
    __m512 v38 = _mm512_setzero_ps();
    __m512 v39 = _mm512_setzero_ps();
    __m512 v40 = _mm512_setzero_ps();
    __m512 v41 = _mm512_setzero_ps();
    __m512 v42 = _mm512_setzero_ps();
    x_v = x;
    v = _mm512_abs_ps(x_v);
    m = _mm512_getmant_ps(v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    x_v1 = x;
    e = _mm512_getexp_ps(x_v1);
    v1 = _mm512_castps_si512(m);
    q = _mm512_srlv_epi32(v1, _mm512_set1_epi32((int)18u));
    v2 = usl_avx512_at_mantissa_inverse(q);
    v3 = _mm512_set1_ps(-1.0f);
    r = _mm512_fmadd_ps(m, v2, v3);
    v4 = _mm512_set1_ps(0.39172584f);
    v5 = _mm512_set1_ps(-0.50013363f);
    p = _mm512_fmadd_ps(r, v4, v5);
    v6 = _mm512_set1_ps(0.6666694f);
    p = _mm512_fmadd_ps(p, r, v6);
    h = _mm512_mul_ps(_mm512_set1_ps(0.5f), r);
    g = _mm512_mul_ps(h, r);
    s = _mm512_sub_ps(r, g);
    v8 = _mm512_sub_ps(r, s);
    v7 = _mm512_sub_ps(v8, g);
    v11 = _mm512_setzero_ps();
    v10 = _mm512_sub_ps(v11, g);
    v9 = _mm512_fmadd_ps(h, r, v10);
    h = _mm512_sub_ps(v7, v9);
    v12 = _mm512_mul_ps(g, r);
    h = _mm512_fmadd_ps(v12, p, h);
    g = _mm512_mul_ps(_mm512_set1_ps(1.442695f), s);
    v13 = _mm512_set1_ps(1.442695f);
    v15 = _mm512_setzero_ps();
    v14 = _mm512_sub_ps(v15, g);
    w = _mm512_fmadd_ps(s, v13, v14);
    v17 = _mm512_set1_ps(1.442695f);
    v19 = _mm512_set1_ps(1.925963e-08f);
    v18 = _mm512_fmadd_ps(s, v19, w);
    v16 = _mm512_fmadd_ps(h, v17, v18);
    v20 = usl_avx512_at_log2_low(q);
    w = _mm512_add_ps(v16, v20);
    v21 = usl_avx512_at_log2_high(q);
    p = _mm512_add_ps(e, v21);
    h = _mm512_add_ps(p, g);
    v23 = _mm512_sub_ps(p, h);
    v22 = _mm512_add_ps(v23, g);
    w = _mm512_add_ps(w, v22);
    z_v = z;
    t = _mm512_mul_ps(z_v, h);
    z_v1 = z;
    z_v2 = z;
    v26 = _mm512_setzero_ps();
    v25 = _mm512_sub_ps(v26, t);
    v24 = _mm512_fmadd_ps(z_v2, h, v25);
    w = _mm512_fmadd_ps(z_v1, w, v24);
    v27 = _mm512_abs_ps(t);
    v28 = _mm512_set1_ps(3e+02f);
    v29 = _mm512_setzero_ps();
    w = _mm512_mask_mov_ps(v29, _mm512_cmp_ps_mask(v27, v28, _CMP_LT_OQ), w);
    v30 = _mm512_set1_ps(-3e+02f);
    v32 = _mm512_set1_ps(3e+02f);
    v31 = _mm512_min_ps(v32, t);
    t = _mm512_max_ps(v30, v31);
    v33 = _mm512_add_ps(t, w);
    e = _mm512_roundscale_ps(v33, _MM_FROUND_TO_NEAREST_INT);
    v34 = _mm512_sub_ps(t, e);
    r = _mm512_add_ps(v34, w);
    v35 = _mm512_set1_ps(0.00015721079f);
    v36 = _mm512_set1_ps(0.0013409f);
    p = _mm512_fmadd_ps(r, v35, v36);
    v37 = _mm512_set1_ps(0.009617211f);
    p = _mm512_fmadd_ps(p, r, v37);
    v38 = _mm512_set1_ps(0.05550289f);
    p = _mm512_fmadd_ps(p, r, v38);
    v39 = _mm512_set1_ps(0.24022655f);
    p = _mm512_fmadd_ps(p, r, v39);
    v40 = _mm512_set1_ps(0.69314724f);
    p = _mm512_fmadd_ps(p, r, v40);
    v41 = _mm512_set1_ps(1.0f);
    p = _mm512_fmadd_ps(p, r, v41);
    v42 = _mm512_scalef_ps(p, e);
    return v42;
}

static __attribute__((noinline, cold, unused)) __m512 usl_avx512_pow_special_ps(__m512 x, __m512 z, __m512 p)
{
    __m512 a = _mm512_setzero_ps();
    __m512 h = _mm512_setzero_ps();
    __m512 t = _mm512_setzero_ps();
    __m512 w = _mm512_setzero_ps();
    __m512i odd = _mm512_setzero_si512();
    __m512i sign = _mm512_setzero_si512();
    __m512 x_v = _mm512_setzero_ps();
    __m512 x_v1 = _mm512_setzero_ps();
    __m512 v = _mm512_setzero_ps();
    __m512 v1 = _mm512_setzero_ps();
    __m512 v2 = _mm512_setzero_ps();
    __m512 v3 = _mm512_setzero_ps();
    __m512 v4 = _mm512_setzero_ps();
    __m512 z_v = _mm512_setzero_ps();
    __m512 v5 = _mm512_setzero_ps();
    __m512 v6 = _mm512_setzero_ps();
    __m512 v7 = _mm512_setzero_ps();
    __m512 v8 = _mm512_setzero_ps();
    __m512 v9 = _mm512_setzero_ps();
    __m512 v10 = _mm512_setzero_ps();
    __m512 v11 = _mm512_setzero_ps();
    __m512 p_v = _mm512_setzero_ps();
    __m512 v12 = _mm512_setzero_ps();
    __m512 z_v1 = _mm512_setzero_ps();
    __m512 v13 = _mm512_setzero_ps();
    __m512 v14 = _mm512_setzero_ps();
    __m512 z_v2 = _mm512_setzero_ps();
    __m512 v15 = _mm512_setzero_ps();
    __m512 v16 = _mm512_setzero_ps();
    __m512 v17 = _mm512_setzero_ps();
    __m512 v18 = _mm512_setzero_ps();
    __m512 v19 = _mm512_setzero_ps();
    __m512i v20 = _mm512_setzero_si512();
    __m512 x_v2 = _mm512_setzero_ps();
    __m512 v21 = _mm512_setzero_ps();
    __m512i v22 = _mm512_setzero_si512();
    __m512 x_v3 = _mm512_setzero_ps();
    __m512 v23 = _mm512_setzero_ps();
    __m512 v24 = _mm512_setzero_ps();
    __m512 v25 = _mm512_setzero_ps();
    __m512 z_v3 = _mm512_setzero_ps();
    __m512 v26 = _mm512_setzero_ps();
    __m512 z_v4 = _mm512_setzero_ps();
    __m512 v27 = _mm512_setzero_ps();
    __m512 v28 = _mm512_setzero_ps();
    __m512 v29 = _mm512_setzero_ps();
    __m512i v30 = _mm512_setzero_si512();
    __m512 v31 = _mm512_setzero_ps();
    __m512i v32 = _mm512_setzero_si512();
    __m512i v33 = _mm512_setzero_si512();
    x_v = x;
    a = _mm512_abs_ps(x_v);
    x_v1 = x;
    v = _mm512_setzero_ps();
    v3 = _mm512_set1_ps(1.0f);
    z_v = z;
    v4 = _mm512_abs_ps(z_v);
    v2 = _mm512_min_ps(v3, v4);
    v5 = _mm512_setzero_ps();
    v6 = _mm512_set1_ps(1.0f);
    v1 = _mm512_fmadd_ps(v2, v5, v6);
    v7 = _mm512_set1_ps(1.0f);
    t = _mm512_mask_mov_ps(v7, _mm512_cmp_ps_mask(x_v1, v, _CMP_LT_OQ), v1);
    v10 = _mm512_set1_ps(1.0f);
    v9 = _mm512_sub_ps(a, v10);
    v8 = _mm512_abs_ps(v9);
    v11 = _mm512_set1_ps(1e-45f);
    p_v = p;
    w = _mm512_mask_mov_ps(p_v, _mm512_cmp_ps_mask(v8, v11, _CMP_LT_OQ), t);
    z_v1 = z;
    v12 = _mm512_abs_ps(z_v1);
    v13 = _mm512_set1_ps(1e-45f);
    v14 = _mm512_set1_ps(1.0f);
    w = _mm512_mask_mov_ps(w, _mm512_cmp_ps_mask(v12, v13, _CMP_LT_OQ), v14);
    z_v2 = z;
    h = _mm512_mul_ps(_mm512_set1_ps(0.5f), z_v2);
    v18 = _mm512_roundscale_ps(h, _MM_FROUND_TO_ZERO);
    v17 = _mm512_sub_ps(h, v18);
    v16 = _mm512_abs_ps(v17);
    v19 = _mm512_set1_ps(0.5f);
    v15 = _mm512_sub_ps(v16, v19);
    h = _mm512_abs_ps(v15);
    x_v2 = x;
    v20 = _mm512_castps_si512(x_v2);
    odd = _mm512_and_si512(v20, _mm512_set1_epi32((int)2147483648u));
    v21 = _mm512_set1_ps(1e-45f);
    v22 = _mm512_set1_epi32((int)0u);
    sign = _mm512_mask_mov_epi32(v22, _mm512_cmp_ps_mask(h, v21, _CMP_LT_OQ), odd);
    x_v3 = x;
    v23 = _mm512_setzero_ps();
    z_v3 = z;
    z_v4 = z;
    v26 = _mm512_roundscale_ps(z_v4, _MM_FROUND_TO_ZERO);
    v25 = _mm512_sub_ps(z_v3, v26);
    v24 = _mm512_abs_ps(v25);
    h = _mm512_mask_mov_ps(v23, _mm512_cmp_ps_mask(x_v3, v23, _CMP_LT_OQ), v24);
    v27 = _mm512_set1_ps(3.402823466e+38f);
    v28 = _mm512_setzero_ps();
    h = _mm512_mask_mov_ps(h, _mm512_cmp_ps_mask(v27, a, _CMP_LT_OQ), v28);
    v29 = _mm512_setzero_ps();
    v30 = _mm512_set1_epi32((int)2143289344u);
    sign = _mm512_mask_mov_epi32(sign, _mm512_cmp_ps_mask(v29, h, _CMP_LT_OQ), v30);
    v33 = _mm512_castps_si512(w);
    v32 = _mm512_or_si512(v33, sign);
    v31 = _mm512_castsi512_ps(v32);
    return v31;
}

static inline __m512 usl_avx512_pow_ps(__m512 x, __m512 z)
{
    __m512 y = usl_avx512_pow_near_ps(x, z);
    const __mmask16 sign = _mm512_cmplt_epi32_mask(_mm512_castps_si512(x), _mm512_setzero_si512());
    const __mmask16 special = (__mmask16)(sign | _mm512_cmp_ps_mask(y, y, _CMP_UNORD_Q));
    if (special)
        y = usl_avx512_pow_special_ps(x, z, y);
    return y;
}
#endif /* USL_AVX512_POW_PS */

#ifndef USL_AVX512_POW_PD
#define USL_AVX512_POW_PD
#ifndef USL_AVX512_AT_MANTISSA_INVERSE_F64
#define USL_AVX512_AT_MANTISSA_INVERSE_F64
static inline __m512d usl_avx512_at_mantissa_inverse_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {1.0, 0.90625, 0.875, 0.8125, 0.78125, 0.75, 0.71875, 0.6875, 1.3125, 1.25, 1.1875, 1.1875, 1.125, 1.0625, 1.0625, 1.0};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_MANTISSA_INVERSE_F64 */

#ifndef USL_AVX512_AT_LOG2_LOW_F64
#define USL_AVX512_AT_LOG2_LOW_F64
static inline __m512d usl_avx512_at_log2_low_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.0, -8.107893466726174e-14, -1.9917399279874596e-14, 2.0474716408719944e-13, 1.266771905137232e-13, 1.4733181985781966e-13, 1.520621696507556e-13, -1.4294083388465032e-13, 1.2741442057794507e-13, 6.33385952568616e-14, 1.7024883460791358e-13, 1.7024883460791358e-13, -1.600837111708248e-13, -6.781363655020842e-14, -6.781363655020842e-14, 0.0};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_LOG2_LOW_F64 */

#ifndef USL_AVX512_AT_LOG2_HIGH_F64
#define USL_AVX512_AT_LOG2_HIGH_F64
static inline __m512d usl_avx512_at_log2_high_f64(__m512i k)
{
    static _Alignas(64) const double at[16] = {0.0, 0.14201900487250896, 0.1926450779424158, 0.2995602818587031, 0.3561438102251486, 0.4150374992786965, 0.47643804394283507, 0.5405683813628457, 0.6076825772211123, 0.6780719051125743, 0.7520724865562443, 0.7520724865562443, 0.8300749985578477, 0.9125371587497284, 0.9125371587497284, 1.0};
    return _mm512_permutex2var_pd(_mm512_load_pd(at), k, _mm512_load_pd(at + 8));
}
#endif /* USL_AVX512_AT_LOG2_HIGH_F64 */

static inline __m512d usl_avx512_pow_near_pd(__m512d x, __m512d z)
{
    __m512d m = _mm512_setzero_pd();
    __m512d e = _mm512_setzero_pd();
    __m512d r = _mm512_setzero_pd();
    __m512d p = _mm512_setzero_pd();
    __m512d h = _mm512_setzero_pd();
    __m512d g = _mm512_setzero_pd();
    __m512d w = _mm512_setzero_pd();
    __m512d s = _mm512_setzero_pd();
    __m512d t = _mm512_setzero_pd();
    __m512i q = _mm512_setzero_si512();
    __m512d v = _mm512_setzero_pd();
    __m512d x_v = _mm512_setzero_pd();
    __m512d x_v1 = _mm512_setzero_pd();
    __m512i v1 = _mm512_setzero_si512();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    __m512d v20 = _mm512_setzero_pd();
    __m512d v21 = _mm512_setzero_pd();
    __m512d v22 = _mm512_setzero_pd();
    __m512d v23 = _mm512_setzero_pd();
    __m512d v24 = _mm512_setzero_pd();
    __m512d v25 = _mm512_setzero_pd();
    __m512d v26 = _mm512_setzero_pd();
    __m512d v27 = _mm512_setzero_pd();
    __m512d v28 = _mm512_setzero_pd();
    __m512d v29 = _mm512_setzero_pd();
    __m512d v30 = _mm512_setzero_pd();
    __m512d v31 = _mm512_setzero_pd();
    __m512d v32 = _mm512_setzero_pd();
    __m512d v33 = _mm512_setzero_pd();
    __m512d v34 = _mm512_setzero_pd();
    __m512d v35 = _mm512_setzero_pd();
    __m512d v36 = _mm512_setzero_pd();
    __m512d v37 = _mm512_setzero_pd();
    __m512d z_v = _mm512_setzero_pd();
    __m512d z_v1 = _mm512_setzero_pd();
    __m512d v38 = _mm512_setzero_pd();
    __m512d z_v2 = _mm512_setzero_pd();
    __m512d v39 = _mm512_setzero_pd();
    __m512d v40 = _mm512_setzero_pd();
    __m512d v41 = _mm512_setzero_pd();
    __m512d v42 = _mm512_setzero_pd();
    __m512d v43 = _mm512_setzero_pd();
    __m512d v44 = _mm512_setzero_pd();
    __m512d v45 = _mm512_setzero_pd();
    __m512d v46 = _mm512_setzero_pd();
    __m512d v47 = _mm512_setzero_pd();
    __m512d v48 = _mm512_setzero_pd();
    __m512d v49 = _mm512_setzero_pd();
    __m512d v50 = _mm512_setzero_pd();
    __m512d v51 = _mm512_setzero_pd();
    __m512d v52 = _mm512_setzero_pd();
    __m512d v53 = _mm512_setzero_pd();
    __m512d v54 = _mm512_setzero_pd();
    __m512d v55 = _mm512_setzero_pd();
    __m512d v56 = _mm512_setzero_pd();
    __m512d v57 = _mm512_setzero_pd();
    __m512d v58 = _mm512_setzero_pd();
    __m512d v59 = _mm512_setzero_pd();
    __m512d v60 = _mm512_setzero_pd();
    __m512d v61 = _mm512_setzero_pd();
    x_v = x;
    v = _mm512_abs_pd(x_v);
    m = _mm512_getmant_pd(v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    x_v1 = x;
    e = _mm512_getexp_pd(x_v1);
    v1 = _mm512_castpd_si512(m);
    q = _mm512_srlv_epi64(v1, _mm512_set1_epi64((long long)UINT64_C(48)));
    v2 = usl_avx512_at_mantissa_inverse_f64(q);
    v3 = _mm512_set1_pd(-1.0);
    r = _mm512_fmadd_pd(m, v2, v3);
    v4 = _mm512_set1_pd(-0.1463393879178187);
    v5 = _mm512_set1_pd(0.18149303183438797);
    p = _mm512_fmadd_pd(r, v4, v5);
    v6 = _mm512_set1_pd(-0.200065912058718);
    p = _mm512_fmadd_pd(p, r, v6);
    v7 = _mm512_set1_pd(0.222224605404791);
    p = _mm512_fmadd_pd(p, r, v7);
    v8 = _mm512_set1_pd(-0.24999992883076744);
    p = _mm512_fmadd_pd(p, r, v8);
    v9 = _mm512_set1_pd(0.28571428231716217);
    p = _mm512_fmadd_pd(p, r, v9);
    v10 = _mm512_set1_pd(-0.33333333336271564);
    p = _mm512_fmadd_pd(p, r, v10);
    v11 = _mm512_set1_pd(0.4000000000017412);
    p = _mm512_fmadd_pd(p, r, v11);
    v12 = _mm512_set1_pd(-0.4999999999999962);
    p = _mm512_fmadd_pd(p, r, v12);
    v13 = _mm512_set1_pd(0.6666666666666664);
    p = _mm512_fmadd_pd(p, r, v13);
    h = _mm512_mul_pd(_mm512_set1_pd(0.5), r);
    g = _mm512_mul_pd(h, r);
    s = _mm512_sub_pd(r, g);
    v15 = _mm512_setzero_pd();
    v14 = _mm512_sub_pd(v15, g);
    w = _mm512_fmadd_pd(h, r, v14);
    v17 = _mm512_sub_pd(r, s);
    v16 = _mm512_sub_pd(v17, g);
    h = _mm512_sub_pd(v16, w);
    t = _mm512_mul_pd(g, r);
    v20 = _mm512_setzero_pd();
    v19 = _mm512_sub_pd(v20, t);
    v18 = _mm512_fmadd_pd(g, r, v19);
    w = _mm512_fmadd_pd(w, r, v18);
    g = _mm512_mul_pd(t, p);
    v23 = _mm512_setzero_pd();
    v22 = _mm512_sub_pd(v23, g);
    v21 = _mm512_fmadd_pd(t, p, v22);
    w = _mm512_fmadd_pd(w, p, v21);
    r = _mm512_add_pd(s, g);
    v26 = _mm512_sub_pd(s, r);
    v25 = _mm512_add_pd(v26, g);
    v24 = _mm512_add_pd(v25, w);
    h = _mm512_add_pd(h, v24);
    g = _mm512_mul_pd(_mm512_set1_pd(1.4426950408889634), r);
    v27 = _mm512_set1_pd(1.4426950408889634);
    v29 = _mm512_setzero_pd();
    v28 = _mm512_sub_pd(v29, g);
    w = _mm512_fmadd_pd(r, v27, v28);
    v31 = _mm512_set1_pd(1.4426950408889634);
    v33 = _mm512_set1_pd(2.0355273740931033e-17);
    v32 = _mm512_fmadd_pd(r, v33, w);
    v30 = _mm512_fmadd_pd(h, v31, v32);
    v34 = usl_avx512_at_log2_low_f64(q);
    w = _mm512_add_pd(v30, v34);
    v35 = usl_avx512_at_log2_high_f64(q);
    p = _mm512_add_pd(e, v35);
    h = _mm512_add_pd(p, g);
    v37 = _mm512_sub_pd(p, h);
    v36 = _mm512_add_pd(v37, g);
    w = _mm512_add_pd(w, v36);
    z_v = z;
    t = _mm512_mul_pd(z_v, h);
    z_v1 = z;
    z_v2 = z;
    v40 = _mm512_setzero_pd();
    v39 = _mm512_sub_pd(v40, t);
    v38 = _mm512_fmadd_pd(z_v2, h, v39);
    w = _mm512_fmadd_pd(z_v1, w, v38);
    v41 = _mm512_abs_pd(t);
    v42 = _mm512_set1_pd(3e+03);
    v43 = _mm512_setzero_pd();
    w = _mm512_mask_mov_pd(v43, _mm512_cmp_pd_mask(v41, v42, _CMP_LT_OQ), w);
    v44 = _mm512_set1_pd(-3e+03);
    v46 = _mm512_set1_pd(3e+03);
    v45 = _mm512_min_pd(v46, t);
    t = _mm512_max_pd(v44, v45);
    v47 = _mm512_add_pd(t, w);
    e = _mm512_roundscale_pd(v47, _MM_FROUND_TO_NEAREST_INT);
    v48 = _mm512_sub_pd(t, e);
    r = _mm512_add_pd(v48, w);
    v49 = _mm512_set1_pd(4.4603637105392504e-10);
    v50 = _mm512_set1_pd(7.0735596770334614e-09);
    p = _mm512_fmadd_pd(r, v49, v50);
    v51 = _mm512_set1_pd(1.0178021291886068e-07);
    p = _mm512_fmadd_pd(p, r, v51);
    v52 = _mm512_set1_pd(1.3215436785188416e-06);
    p = _mm512_fmadd_pd(p, r, v52);
    v53 = _mm512_set1_pd(1.5252733948813772e-05);
    p = _mm512_fmadd_pd(p, r, v53);
    v54 = _mm512_set1_pd(0.0001540353045352207);
    p = _mm512_fmadd_pd(p, r, v54);
    v55 = _mm512_set1_pd(0.0013333558146255413);
    p = _mm512_fmadd_pd(p, r, v55);
    v56 = _mm512_set1_pd(0.009618129107597668);
    p = _mm512_fmadd_pd(p, r, v56);
    v57 = _mm512_set1_pd(0.05550410866482261);
    p = _mm512_fmadd_pd(p, r, v57);
    v58 = _mm512_set1_pd(0.2402265069591012);
    p = _mm512_fmadd_pd(p, r, v58);
    v59 = _mm512_set1_pd(0.6931471805599453);
    p = _mm512_fmadd_pd(p, r, v59);
    v60 = _mm512_set1_pd(1.0);
    p = _mm512_fmadd_pd(p, r, v60);
    v61 = _mm512_scalef_pd(p, e);
    return v61;
}

static __attribute__((noinline, cold, unused)) __m512d usl_avx512_pow_special_pd(__m512d x, __m512d z, __m512d p)
{
    __m512d a = _mm512_setzero_pd();
    __m512d h = _mm512_setzero_pd();
    __m512d t = _mm512_setzero_pd();
    __m512d w = _mm512_setzero_pd();
    __m512i odd = _mm512_setzero_si512();
    __m512i sign = _mm512_setzero_si512();
    __m512d x_v = _mm512_setzero_pd();
    __m512d x_v1 = _mm512_setzero_pd();
    __m512d v = _mm512_setzero_pd();
    __m512d v1 = _mm512_setzero_pd();
    __m512d v2 = _mm512_setzero_pd();
    __m512d v3 = _mm512_setzero_pd();
    __m512d v4 = _mm512_setzero_pd();
    __m512d z_v = _mm512_setzero_pd();
    __m512d v5 = _mm512_setzero_pd();
    __m512d v6 = _mm512_setzero_pd();
    __m512d v7 = _mm512_setzero_pd();
    __m512d v8 = _mm512_setzero_pd();
    __m512d v9 = _mm512_setzero_pd();
    __m512d v10 = _mm512_setzero_pd();
    __m512d v11 = _mm512_setzero_pd();
    __m512d p_v = _mm512_setzero_pd();
    __m512d v12 = _mm512_setzero_pd();
    __m512d z_v1 = _mm512_setzero_pd();
    __m512d v13 = _mm512_setzero_pd();
    __m512d v14 = _mm512_setzero_pd();
    __m512d z_v2 = _mm512_setzero_pd();
    __m512d v15 = _mm512_setzero_pd();
    __m512d v16 = _mm512_setzero_pd();
    __m512d v17 = _mm512_setzero_pd();
    __m512d v18 = _mm512_setzero_pd();
    __m512d v19 = _mm512_setzero_pd();
    __m512i v20 = _mm512_setzero_si512();
    __m512d x_v2 = _mm512_setzero_pd();
    __m512d v21 = _mm512_setzero_pd();
    __m512i v22 = _mm512_setzero_si512();
    __m512d x_v3 = _mm512_setzero_pd();
    __m512d v23 = _mm512_setzero_pd();
    __m512d v24 = _mm512_setzero_pd();
    __m512d v25 = _mm512_setzero_pd();
    __m512d z_v3 = _mm512_setzero_pd();
    __m512d v26 = _mm512_setzero_pd();
    __m512d z_v4 = _mm512_setzero_pd();
    __m512d v27 = _mm512_setzero_pd();
    __m512d v28 = _mm512_setzero_pd();
    __m512d v29 = _mm512_setzero_pd();
    __m512i v30 = _mm512_setzero_si512();
    __m512d v31 = _mm512_setzero_pd();
    __m512i v32 = _mm512_setzero_si512();
    __m512i v33 = _mm512_setzero_si512();
    x_v = x;
    a = _mm512_abs_pd(x_v);
    x_v1 = x;
    v = _mm512_setzero_pd();
    v3 = _mm512_set1_pd(1.0);
    z_v = z;
    v4 = _mm512_abs_pd(z_v);
    v2 = _mm512_min_pd(v3, v4);
    v5 = _mm512_setzero_pd();
    v6 = _mm512_set1_pd(1.0);
    v1 = _mm512_fmadd_pd(v2, v5, v6);
    v7 = _mm512_set1_pd(1.0);
    t = _mm512_mask_mov_pd(v7, _mm512_cmp_pd_mask(x_v1, v, _CMP_LT_OQ), v1);
    v10 = _mm512_set1_pd(1.0);
    v9 = _mm512_sub_pd(a, v10);
    v8 = _mm512_abs_pd(v9);
    v11 = _mm512_set1_pd(5e-324);
    p_v = p;
    w = _mm512_mask_mov_pd(p_v, _mm512_cmp_pd_mask(v8, v11, _CMP_LT_OQ), t);
    z_v1 = z;
    v12 = _mm512_abs_pd(z_v1);
    v13 = _mm512_set1_pd(5e-324);
    v14 = _mm512_set1_pd(1.0);
    w = _mm512_mask_mov_pd(w, _mm512_cmp_pd_mask(v12, v13, _CMP_LT_OQ), v14);
    z_v2 = z;
    h = _mm512_mul_pd(_mm512_set1_pd(0.5), z_v2);
    v18 = _mm512_roundscale_pd(h, _MM_FROUND_TO_ZERO);
    v17 = _mm512_sub_pd(h, v18);
    v16 = _mm512_abs_pd(v17);
    v19 = _mm512_set1_pd(0.5);
    v15 = _mm512_sub_pd(v16, v19);
    h = _mm512_abs_pd(v15);
    x_v2 = x;
    v20 = _mm512_castpd_si512(x_v2);
    odd = _mm512_and_si512(v20, _mm512_set1_epi64((long long)UINT64_C(9223372036854775808)));
    v21 = _mm512_set1_pd(5e-324);
    v22 = _mm512_setzero_si512();
    sign = _mm512_mask_mov_epi64(v22, _mm512_cmp_pd_mask(h, v21, _CMP_LT_OQ), odd);
    x_v3 = x;
    v23 = _mm512_setzero_pd();
    z_v3 = z;
    z_v4 = z;
    v26 = _mm512_roundscale_pd(z_v4, _MM_FROUND_TO_ZERO);
    v25 = _mm512_sub_pd(z_v3, v26);
    v24 = _mm512_abs_pd(v25);
    h = _mm512_mask_mov_pd(v23, _mm512_cmp_pd_mask(x_v3, v23, _CMP_LT_OQ), v24);
    v27 = _mm512_set1_pd(1.7976931348623157e+308);
    v28 = _mm512_setzero_pd();
    h = _mm512_mask_mov_pd(h, _mm512_cmp_pd_mask(v27, a, _CMP_LT_OQ), v28);
    v29 = _mm512_setzero_pd();
    v30 = _mm512_set1_epi64((long long)UINT64_C(9221120237041090560));
    sign = _mm512_mask_mov_epi64(sign, _mm512_cmp_pd_mask(v29, h, _CMP_LT_OQ), v30);
    v33 = _mm512_castpd_si512(w);
    v32 = _mm512_or_si512(v33, sign);
    v31 = _mm512_castsi512_pd(v32);
    return v31;
}

static inline __m512d usl_avx512_pow_pd(__m512d x, __m512d z)
{
    __m512d y = usl_avx512_pow_near_pd(x, z);
    const __mmask8 sign = _mm512_cmplt_epi64_mask(_mm512_castpd_si512(x), _mm512_setzero_si512());
    const __mmask8 special = (__mmask8)(sign | _mm512_cmp_pd_mask(y, y, _CMP_UNORD_Q));
    if (special)
        y = usl_avx512_pow_special_pd(x, z, y);
    return y;
}
#endif /* USL_AVX512_POW_PD */
