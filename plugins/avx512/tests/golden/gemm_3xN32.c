static void gemm_3xN32_body(
    int64_t N,
    int64_t K,
    const float *restrict alpha,
    struct usl_win_2f32c A,
    struct usl_win_2f32c B,
    struct usl_win_2f32 C)
{
    __m512 C_tile[3][2];
    C_tile[0][0] = _mm512_setzero_ps();
    C_tile[0][1] = _mm512_setzero_ps();
    C_tile[1][0] = _mm512_setzero_ps();
    C_tile[1][1] = _mm512_setzero_ps();
    C_tile[2][0] = _mm512_setzero_ps();
    C_tile[2][1] = _mm512_setzero_ps();
    for (int64_t k = 0; k < K; k++) {
        __m512 B_row[1];
        B_row[0] = usl_avx512_kept_ps(_mm512_loadu_ps(&B.data[k * B.strides[0]]));
        __m512 B_last[1];
        B_last[0] = _mm512_maskz_loadu_ps(USL_AVX512_LANES(N - 16), &B.data[k * B.strides[0] + 16]);
        C_tile[0][0] = _mm512_fmadd_ps(_mm512_set1_ps(A.data[k]), B_row[0], C_tile[0][0]);
        C_tile[0][1] = _mm512_fmadd_ps(_mm512_set1_ps(A.data[k]), B_last[0], C_tile[0][1]);
        C_tile[1][0] = _mm512_fmadd_ps(_mm512_set1_ps(A.data[A.strides[0] + k]), B_row[0], C_tile[1][0]);
        C_tile[1][1] = _mm512_fmadd_ps(_mm512_set1_ps(A.data[A.strides[0] + k]), B_last[0], C_tile[1][1]);
        C_tile[2][0] = _mm512_fmadd_ps(_mm512_set1_ps(A.data[2 * A.strides[0] + k]), B_row[0], C_tile[2][0]);
        C_tile[2][1] = _mm512_fmadd_ps(_mm512_set1_ps(A.data[2 * A.strides[0] + k]), B_last[0], C_tile[2][1]);
    }
    _mm512_storeu_ps(C.data, _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[0][0], _mm512_loadu_ps(C.data)));
    _mm512_storeu_ps(&C.data[C.strides[0]], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[1][0], _mm512_loadu_ps(&C.data[C.strides[0]])));
    _mm512_storeu_ps(&C.data[2 * C.strides[0]], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[2][0], _mm512_loadu_ps(&C.data[2 * C.strides[0]])));
    _mm512_mask_storeu_ps(&C.data[16], USL_AVX512_LANES(N - 16), _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[0][1], _mm512_maskz_loadu_ps(USL_AVX512_LANES(N - 16), &C.data[16])));
    _mm512_mask_storeu_ps(&C.data[C.strides[0] + 16], USL_AVX512_LANES(N - 16), _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[1][1], _mm512_maskz_loadu_ps(USL_AVX512_LANES(N - 16), &C.data[C.strides[0] + 16])));
    _mm512_mask_storeu_ps(&C.data[2 * C.strides[0] + 16], USL_AVX512_LANES(N - 16), _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[2][1], _mm512_maskz_loadu_ps(USL_AVX512_LANES(N - 16), &C.data[2 * C.strides[0] + 16])));
}
