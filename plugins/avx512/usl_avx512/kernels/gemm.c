
/* The CBLAS-shaped entry, see the header. */

/* Whether q and p, both with rows of `ld` elements or any distance, share no byte; `bytes` are from the first to the end of the last. */
static inline bool @NAME@_apart(const @TYPE@ *p, int64_t p_rows, int64_t p_columns, int64_t p_ld,
                                const @TYPE@ *q, int64_t q_rows, int64_t q_columns, int64_t q_ld)
{
    const uintptr_t a = (uintptr_t)p, b = (uintptr_t)q;
    const uint64_t a_bytes = ((uint64_t)(p_rows - 1) * (uint64_t)p_ld + (uint64_t)p_columns) * sizeof(@TYPE@);
    const uint64_t b_bytes = ((uint64_t)(q_rows - 1) * (uint64_t)q_ld + (uint64_t)q_columns) * sizeof(@TYPE@);
    if (a < b ? b - a >= a_bytes : a - b >= b_bytes)
        return true;
    if (p_ld != q_ld)
        return false;
    /* Columns of one matrix beside each other: apart modulo the distance of rows. */
    const uint64_t period = (uint64_t)p_ld * sizeof(@TYPE@);
    const uint64_t distance = b >= a ? (b - a) % period : (period - (a - b) % period) % period;
    return distance >= (uint64_t)p_columns * sizeof(@TYPE@) && distance + (uint64_t)q_columns * sizeof(@TYPE@) <= period;
}

/* Whether the bytes of a matrix fit PTRDIFF_MAX. */
static inline bool @NAME@_fits(int64_t rows, int64_t ld)
{
    return ld < (int64_t)1 << 28 /* and rows < 2^31: no division */ || (uint64_t)ld <= (uint64_t)PTRDIFF_MAX / sizeof(@TYPE@) / (uint64_t)rows;
}

int @NAME@(int64_t M, int64_t N, int64_t K, const @TYPE@ *A, int64_t lda, const @TYPE@ *B, int64_t ldb, @TYPE@ *C, int64_t ldc)
{
    if (M < 0 || M > INT32_MAX)
        return 1;
    if (N < 0 || N > INT32_MAX)
        return 2;
    if (K < 0 || K > INT32_MAX)
        return 3;
    const bool empty = M == 0 || N == 0 || K == 0;
    if (A == NULL && !empty)
        return 4;
    if (lda < (K > 1 ? K : 1) || (M > 0 && !@NAME@_fits(M, lda)))
        return 5;
    if (B == NULL && !empty)
        return 6;
    if (ldb < (N > 1 ? N : 1) || (K > 0 && !@NAME@_fits(K, ldb)))
        return 7;
    if (C == NULL && !empty)
        return 8;
    if (ldc < (N > 1 ? N : 1) || (M > 0 && !@NAME@_fits(M, ldc)))
        return 9;
    if (empty)
        return 0;
    if (!@NAME@_apart(A, M, K, lda, C, M, N, ldc) || !@NAME@_apart(B, K, N, ldb, C, M, N, ldc))
        return 8;
    const struct @READ@ a = {A, {(ptrdiff_t)lda, 1}}, b = {B, {(ptrdiff_t)ldb, 1}};
    const struct @WRITE@ c = {C, {(ptrdiff_t)ldc, 1}};
    return @KERNEL@(M, N, K, a, b, c) == 0 ? 0 : -1;
}
