static int sgemm_avx512_body(
    int64_t M,
    int64_t N,
    int64_t K,
    const float *restrict A,
    const float *restrict B,
    float *restrict C)
{
    float *B_panel = usl_alloc(sizeof(float), 2, (const int64_t[]){K, 64});
    if (B_panel == NULL) {
        return 1;
    }
    for (int64_t jo = 0; jo < N / 64; jo++) {
        for (int64_t i0 = 0; i0 < K; i0++) {
            for (int64_t jt = 0; jt < 4; jt++) {
                _mm512_storeu_ps(&B_panel[i0 * 64 + 16 * jt], _mm512_loadu_ps(&B[i0 * N + (64 * jo + 16 * jt)]));
            }
        }
        for (int64_t io = 0; io < M / 6; io++) {
            __m512 C_tile[6][4];
            for (int64_t i0 = 0; i0 < 6; i0++) {
                for (int64_t jt = 0; jt < 4; jt++) {
                    C_tile[i0][jt] = _mm512_setzero_ps();
                }
            }
            for (int64_t k = 0; k < K; k++) {
                __m512 B_row[4];
                for (int64_t jt = 0; jt < 4; jt++) {
                    B_row[jt] = _mm512_loadu_ps(&B_panel[k * 64 + 16 * jt]);
                }
                for (int64_t ii = 0; ii < 6; ii++) {
                    for (int64_t jt = 0; jt < 4; jt++) {
                        C_tile[ii][jt] = _mm512_fmadd_ps(_mm512_set1_ps(A[(6 * io + ii) * K + k]), B_row[jt], C_tile[ii][jt]);
                    }
                }
            }
            for (int64_t i0 = 0; i0 < 6; i0++) {
                for (int64_t jt = 0; jt < 4; jt++) {
                    _mm512_storeu_ps(&C[(6 * io + i0) * N + (64 * jo + 16 * jt)], _mm512_add_ps(_mm512_loadu_ps(&C[(6 * io + i0) * N + (64 * jo + 16 * jt)]), C_tile[i0][jt]));
                }
            }
        }
        for (int64_t ii = 0; ii < M % 6; ii++) {
            __m512 C_tile[1][4];
            for (int64_t jt = 0; jt < 4; jt++) {
                C_tile[0][jt] = _mm512_setzero_ps();
            }
            for (int64_t k = 0; k < K; k++) {
                __m512 B_row[4];
                for (int64_t jt = 0; jt < 4; jt++) {
                    B_row[jt] = _mm512_loadu_ps(&B_panel[k * 64 + 16 * jt]);
                }
                for (int64_t jt = 0; jt < 4; jt++) {
                    C_tile[0][jt] = _mm512_fmadd_ps(_mm512_set1_ps(A[(ii + 6 * (M / 6)) * K + k]), B_row[jt], C_tile[0][jt]);
                }
            }
            for (int64_t jt = 0; jt < 4; jt++) {
                _mm512_storeu_ps(&C[(6 * (M / 6) + ii) * N + (64 * jo + 16 * jt)], _mm512_add_ps(_mm512_loadu_ps(&C[(6 * (M / 6) + ii) * N + (64 * jo + 16 * jt)]), C_tile[0][jt]));
            }
        }
    }
    free(B_panel);
    for (int64_t jo = 0; jo < (N % 64 + 15) / 16; jo++) {
        for (int64_t io = 0; io < M / 6; io++) {
            __m512 C_tile[6][1];
            for (int64_t i0 = 0; i0 < 6; i0++) {
                C_tile[i0][0] = _mm512_setzero_ps();
            }
            for (int64_t k = 0; k < K; k++) {
                for (int64_t ii = 0; ii < 6; ii++) {
                    C_tile[ii][0] = _mm512_mask3_fmadd_ps(_mm512_set1_ps(A[(6 * io + ii) * K + k]), _mm512_maskz_loadu_ps(USL_AVX512_LANES(N % 64 - 16 * jo), &B[k * N + (16 * jo + 64 * (N / 64))]), C_tile[ii][0], USL_AVX512_LANES(N % 64 - 16 * jo));
                }
            }
            for (int64_t i0 = 0; i0 < 6; i0++) {
                _mm512_mask_storeu_ps(&C[(6 * io + i0) * N + (64 * (N / 64) + 16 * jo)], USL_AVX512_LANES(N % 64 - 16 * jo), _mm512_add_ps(_mm512_maskz_loadu_ps(USL_AVX512_LANES(N % 64 - 16 * jo), &C[(6 * io + i0) * N + (64 * (N / 64) + 16 * jo)]), C_tile[i0][0]));
            }
        }
        for (int64_t ii = 0; ii < M % 6; ii++) {
            __m512 C_tile[1][1];
            C_tile[0][0] = _mm512_setzero_ps();
            for (int64_t k = 0; k < K; k++) {
                C_tile[0][0] = _mm512_mask3_fmadd_ps(_mm512_set1_ps(A[(ii + 6 * (M / 6)) * K + k]), _mm512_maskz_loadu_ps(USL_AVX512_LANES(N % 64 - 16 * jo), &B[k * N + (16 * jo + 64 * (N / 64))]), C_tile[0][0], USL_AVX512_LANES(N % 64 - 16 * jo));
            }
            _mm512_mask_storeu_ps(&C[(6 * (M / 6) + ii) * N + (64 * (N / 64) + 16 * jo)], USL_AVX512_LANES(N % 64 - 16 * jo), _mm512_add_ps(_mm512_maskz_loadu_ps(USL_AVX512_LANES(N % 64 - 16 * jo), &C[(6 * (M / 6) + ii) * N + (64 * (N / 64) + 16 * jo)]), C_tile[0][0]));
        }
    }
    return 0;
}
