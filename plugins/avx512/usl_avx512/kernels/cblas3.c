
/* ---- CBLAS: level 3 in the standard's words, see cblas.h */

static inline int usl_threads_allowed(void)
{
    const int threads = usl_cblas_threads;
    return threads != 0 ? threads : usl_cblas_get_num_threads();
}

void cblas_@P@gemm(int layout, int transA, int transB, int M, int N, int K, @T@ alpha, const @T@ *A, int lda, const @T@ *B, int ldb, @T@ beta, @T@ *C, int ldc)
{
    static const char name[] = "cblas_@P@gemm";
    const bool rows = layout == 101;
    if (!USL_LAYOUT(layout))
        USL_REFUSE(1, name);
    if (!USL_TRANS(transA))
        USL_REFUSE(2, name);
    if (!USL_TRANS(transB))
        USL_REFUSE(3, name);
    int bad = M < 0 ? 4 : N < 0 ? 5 : K < 0 ? 6 : 0;
    if (bad == 0) {
        const int a = (transA == 111) == rows ? K : M, b = (transB == 111) == rows ? N : K;
        bad = !USL_LD(lda, a) ? 9 : !USL_LD(ldb, b) ? 11 : !USL_LD(ldc, rows ? N : M) ? 14 : 0;
    }
    if (bad != 0)
        usl_bad(rows, bad < 9 ? 4 : 9, bad < 9 ? 5 : 11, bad, name);
    else if (usl_gemm_of(usl_threads_allowed(), rows, transA, transB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc) != 0)
        usl_no_memory(name);
}

void cblas_@P@gemm_batch_strided(int layout, int transA, int transB, int M, int N, int K, @T@ alpha, const @T@ *A, int lda, int strideA, const @T@ *B, int ldb, int strideB, @T@ beta, @T@ *C, int ldc, int strideC, int count)
{
    static const char name[] = "cblas_@P@gemm_batch_strided";
    const bool rows = layout == 101;
    if (!USL_LAYOUT(layout))
        USL_REFUSE(1, name);
    if (!USL_TRANS(transA))
        USL_REFUSE(2, name);
    if (!USL_TRANS(transB))
        USL_REFUSE(3, name);
    if (M < 0 || N < 0 || K < 0)
        USL_REFUSE(M < 0 ? 4 : N < 0 ? 5 : 6, name);
    const int a = (transA == 111) == rows ? K : M, b = (transB == 111) == rows ? N : K;
    if (!USL_LD(lda, a))
        USL_REFUSE(9, name);
    if (strideA < 0)
        USL_REFUSE(10, name);
    if (!USL_LD(ldb, b))
        USL_REFUSE(12, name);
    if (strideB < 0)
        USL_REFUSE(13, name);
    if (!USL_LD(ldc, rows ? N : M))
        USL_REFUSE(16, name);
    if (strideC < 0)
        USL_REFUSE(17, name);
    if (count < 0)
        USL_REFUSE(18, name);
    if (usl_batch_of(usl_threads_allowed(), rows, transA, transB, M, N, K, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC, count) != 0)
        usl_no_memory(name);
}

void cblas_@P@symm(int layout, int side, int uplo, int M, int N, @T@ alpha, const @T@ *A, int lda, const @T@ *B, int ldb, @T@ beta, @T@ *C, int ldc)
{
    static const char name[] = "cblas_@P@symm";
    const bool rows = layout == 101;
    if (!USL_LAYOUT(layout))
        USL_REFUSE(1, name);
    if (!USL_SIDE(side))
        USL_REFUSE(2, name);
    if (!USL_UPLO(uplo))
        USL_REFUSE(3, name);
    int bad = M < 0 ? 4 : N < 0 ? 5 : 0;
    if (bad == 0)
        bad = !USL_LD(lda, side == 141 ? M : N) ? 8 : !USL_LD(ldb, rows ? N : M) ? 10 : !USL_LD(ldc, rows ? N : M) ? 13 : 0;
    if (bad != 0)
        usl_bad(rows, 4, 5, bad, name);
    else if (usl_symm_of(usl_threads_allowed(), rows, side, uplo, M, N, alpha, A, lda, B, ldb, beta, C, ldc) != 0)
        usl_no_memory(name);
}

void cblas_@P@syrk(int layout, int uplo, int trans, int N, int K, @T@ alpha, const @T@ *A, int lda, @T@ beta, @T@ *C, int ldc)
{
    static const char name[] = "cblas_@P@syrk";
    const bool rows = layout == 101;
    if (!USL_LAYOUT(layout))
        USL_REFUSE(1, name);
    if (!USL_UPLO(uplo))
        USL_REFUSE(2, name);
    if (!USL_TRANS(trans))
        USL_REFUSE(3, name);
    const int a = (trans == 111) == rows ? K : N;
    const int bad = N < 0 ? 4 : K < 0 ? 5 : !USL_LD(lda, a) ? 8 : !USL_LD(ldc, N) ? 11 : 0;
    if (bad != 0)
        usl_bad(rows, 0, 0, bad, name);
    else if (usl_rank_of(usl_threads_allowed(), false, rows, uplo, trans, N, K, alpha, A, lda, A, lda, beta, C, ldc) != 0)
        usl_no_memory(name);
}

void cblas_@P@syr2k(int layout, int uplo, int trans, int N, int K, @T@ alpha, const @T@ *A, int lda, const @T@ *B, int ldb, @T@ beta, @T@ *C, int ldc)
{
    static const char name[] = "cblas_@P@syr2k";
    const bool rows = layout == 101;
    if (!USL_LAYOUT(layout))
        USL_REFUSE(1, name);
    if (!USL_UPLO(uplo))
        USL_REFUSE(2, name);
    if (!USL_TRANS(trans))
        USL_REFUSE(3, name);
    const int a = (trans == 111) == rows ? K : N;
    const int bad = N < 0 ? 4 : K < 0 ? 5 : !USL_LD(lda, a) ? 8 : !USL_LD(ldb, a) ? 10 : !USL_LD(ldc, N) ? 13 : 0;
    if (bad != 0)
        usl_bad(rows, 0, 0, bad, name);
    else if (usl_rank_of(usl_threads_allowed(), true, rows, uplo, trans, N, K, alpha, A, lda, B, ldb, beta, C, ldc) != 0)
        usl_no_memory(name);
}

static void usl_cblas_triangular(bool solve, const char *name, int layout, int side, int uplo, int trans, int diag, int M, int N, @T@ alpha, const @T@ *A, int lda, @T@ *B, int ldb)
{
    const bool rows = layout == 101;
    if (!USL_LAYOUT(layout))
        USL_REFUSE(1, name);
    if (!USL_SIDE(side))
        USL_REFUSE(2, name);
    if (!USL_UPLO(uplo))
        USL_REFUSE(3, name);
    if (!USL_TRANS(trans))
        USL_REFUSE(4, name);
    if (!USL_DIAG(diag))
        USL_REFUSE(5, name);
    const int bad = M < 0 ? 6 : N < 0 ? 7 : !USL_LD(lda, side == 141 ? M : N) ? 10 : !USL_LD(ldb, rows ? N : M) ? 12 : 0;
    if (bad != 0)
        usl_bad(rows, 6, 7, bad, name);
    else if (usl_triangular_of(usl_threads_allowed(), solve, rows, side, uplo, trans, diag, M, N, alpha, A, lda, B, ldb) != 0)
        usl_no_memory(name);
}

void cblas_@P@trmm(int layout, int side, int uplo, int trans, int diag, int M, int N, @T@ alpha, const @T@ *A, int lda, @T@ *B, int ldb)
{
    usl_cblas_triangular(false, "cblas_@P@trmm", layout, side, uplo, trans, diag, M, N, alpha, A, lda, B, ldb);
}

void cblas_@P@trsm(int layout, int side, int uplo, int trans, int diag, int M, int N, @T@ alpha, const @T@ *A, int lda, @T@ *B, int ldb)
{
    usl_cblas_triangular(true, "cblas_@P@trsm", layout, side, uplo, trans, diag, M, N, alpha, A, lda, B, ldb);
}
