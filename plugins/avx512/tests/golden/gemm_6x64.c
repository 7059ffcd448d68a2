static void gemm_6x64_body(
    int64_t K,
    const float *restrict alpha,
    struct usl_win_2f32c A,
    struct usl_win_2f32c B,
    struct usl_win_2f32 C)
{
    __m512 C_tile[6][4];
    C_tile[0][0] = _mm512_setzero_ps();
    C_tile[0][1] = _mm512_setzero_ps();
    C_tile[0][2] = _mm512_setzero_ps();
    C_tile[0][3] = _mm512_setzero_ps();
    C_tile[1][0] = _mm512_setzero_ps();
    C_tile[1][1] = _mm512_setzero_ps();
    C_tile[1][2] = _mm512_setzero_ps();
    C_tile[1][3] = _mm512_setzero_ps();
    C_tile[2][0] = _mm512_setzero_ps();
    C_tile[2][1] = _mm512_setzero_ps();
    C_tile[2][2] = _mm512_setzero_ps();
    C_tile[2][3] = _mm512_setzero_ps();
    C_tile[3][0] = _mm512_setzero_ps();
    C_tile[3][1] = _mm512_setzero_ps();
    C_tile[3][2] = _mm512_setzero_ps();
    C_tile[3][3] = _mm512_setzero_ps();
    C_tile[4][0] = _mm512_setzero_ps();
    C_tile[4][1] = _mm512_setzero_ps();
    C_tile[4][2] = _mm512_setzero_ps();
    C_tile[4][3] = _mm512_setzero_ps();
    C_tile[5][0] = _mm512_setzero_ps();
    C_tile[5][1] = _mm512_setzero_ps();
    C_tile[5][2] = _mm512_setzero_ps();
    C_tile[5][3] = _mm512_setzero_ps();
    for (int64_t k = 0; k < K; k++) {
        __m512 B_row[4];
        for (int64_t jt = 0; jt < 4; jt++) {
            B_row[jt] = _mm512_loadu_ps(&B.data[k * B.strides[0] + 16 * jt]);
        }
        for (int64_t jt = 0; jt < 4; jt++) {
            C_tile[0][jt] = _mm512_fmadd_ps(_mm512_set1_ps(A.data[k]), B_row[jt], C_tile[0][jt]);
        }
        for (int64_t jt = 0; jt < 4; jt++) {
            C_tile[1][jt] = _mm512_fmadd_ps(_mm512_set1_ps(A.data[A.strides[0] + k]), B_row[jt], C_tile[1][jt]);
        }
        for (int64_t jt = 0; jt < 4; jt++) {
            C_tile[2][jt] = _mm512_fmadd_ps(_mm512_set1_ps(A.data[2 * A.strides[0] + k]), B_row[jt], C_tile[2][jt]);
        }
        for (int64_t jt = 0; jt < 4; jt++) {
            C_tile[3][jt] = _mm512_fmadd_ps(_mm512_set1_ps(A.data[3 * A.strides[0] + k]), B_row[jt], C_tile[3][jt]);
        }
        for (int64_t jt = 0; jt < 4; jt++) {
            C_tile[4][jt] = _mm512_fmadd_ps(_mm512_set1_ps(A.data[4 * A.strides[0] + k]), B_row[jt], C_tile[4][jt]);
        }
        for (int64_t jt = 0; jt < 4; jt++) {
            C_tile[5][jt] = _mm512_fmadd_ps(_mm512_set1_ps(A.data[5 * A.strides[0] + k]), B_row[jt], C_tile[5][jt]);
        }
    }
    _mm512_storeu_ps(C.data, _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[0][0], _mm512_loadu_ps(C.data)));
    _mm512_storeu_ps(&C.data[16], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[0][1], _mm512_loadu_ps(&C.data[16])));
    _mm512_storeu_ps(&C.data[32], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[0][2], _mm512_loadu_ps(&C.data[32])));
    _mm512_storeu_ps(&C.data[48], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[0][3], _mm512_loadu_ps(&C.data[48])));
    _mm512_storeu_ps(&C.data[C.strides[0]], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[1][0], _mm512_loadu_ps(&C.data[C.strides[0]])));
    _mm512_storeu_ps(&C.data[C.strides[0] + 16], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[1][1], _mm512_loadu_ps(&C.data[C.strides[0] + 16])));
    _mm512_storeu_ps(&C.data[C.strides[0] + 32], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[1][2], _mm512_loadu_ps(&C.data[C.strides[0] + 32])));
    _mm512_storeu_ps(&C.data[C.strides[0] + 48], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[1][3], _mm512_loadu_ps(&C.data[C.strides[0] + 48])));
    _mm512_storeu_ps(&C.data[2 * C.strides[0]], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[2][0], _mm512_loadu_ps(&C.data[2 * C.strides[0]])));
    _mm512_storeu_ps(&C.data[2 * C.strides[0] + 16], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[2][1], _mm512_loadu_ps(&C.data[2 * C.strides[0] + 16])));
    _mm512_storeu_ps(&C.data[2 * C.strides[0] + 32], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[2][2], _mm512_loadu_ps(&C.data[2 * C.strides[0] + 32])));
    _mm512_storeu_ps(&C.data[2 * C.strides[0] + 48], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[2][3], _mm512_loadu_ps(&C.data[2 * C.strides[0] + 48])));
    _mm512_storeu_ps(&C.data[3 * C.strides[0]], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[3][0], _mm512_loadu_ps(&C.data[3 * C.strides[0]])));
    _mm512_storeu_ps(&C.data[3 * C.strides[0] + 16], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[3][1], _mm512_loadu_ps(&C.data[3 * C.strides[0] + 16])));
    _mm512_storeu_ps(&C.data[3 * C.strides[0] + 32], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[3][2], _mm512_loadu_ps(&C.data[3 * C.strides[0] + 32])));
    _mm512_storeu_ps(&C.data[3 * C.strides[0] + 48], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[3][3], _mm512_loadu_ps(&C.data[3 * C.strides[0] + 48])));
    _mm512_storeu_ps(&C.data[4 * C.strides[0]], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[4][0], _mm512_loadu_ps(&C.data[4 * C.strides[0]])));
    _mm512_storeu_ps(&C.data[4 * C.strides[0] + 16], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[4][1], _mm512_loadu_ps(&C.data[4 * C.strides[0] + 16])));
    _mm512_storeu_ps(&C.data[4 * C.strides[0] + 32], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[4][2], _mm512_loadu_ps(&C.data[4 * C.strides[0] + 32])));
    _mm512_storeu_ps(&C.data[4 * C.strides[0] + 48], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[4][3], _mm512_loadu_ps(&C.data[4 * C.strides[0] + 48])));
    _mm512_storeu_ps(&C.data[5 * C.strides[0]], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[5][0], _mm512_loadu_ps(&C.data[5 * C.strides[0]])));
    _mm512_storeu_ps(&C.data[5 * C.strides[0] + 16], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[5][1], _mm512_loadu_ps(&C.data[5 * C.strides[0] + 16])));
    _mm512_storeu_ps(&C.data[5 * C.strides[0] + 32], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[5][2], _mm512_loadu_ps(&C.data[5 * C.strides[0] + 32])));
    _mm512_storeu_ps(&C.data[5 * C.strides[0] + 48], _mm512_fmadd_ps(_mm512_set1_ps(*alpha), C_tile[5][3], _mm512_loadu_ps(&C.data[5 * C.strides[0] + 48])));
}
