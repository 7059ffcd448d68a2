
/* C += A B for row-major A (M x K), B (K x N) and C (M x N), whose rows are lda, ldb and ldc elements apart.
 *
 * Sizes are at least 0; if one is 0, nothing is done. The result is 0, or the number (from 1) of the first argument that is bad:
 * negative or above 2^31 - 1, NULL, a distance of rows that is smaller than a row or too large to address, or C (8) where it
 * shares memory with A or B; then nothing has been written. -1: no memory for a copy of a part of B; C is then unspecified.
 * May be called by several threads at a time. */
int @NAME@(int64_t M, int64_t N, int64_t K, const @TYPE@ *A, int64_t lda, const @TYPE@ *B, int64_t ldb, @TYPE@ *C, int64_t ldc);
