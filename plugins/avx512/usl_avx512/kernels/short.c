
/* The entry, see the header. */

/* Whether a matrix fits PTRDIFF_MAX, if its rows are as far apart; rows and the distance are at most 2^31 - 1 and 2^60. */
static inline bool $entry_fits(int64_t rows, int64_t ld, size_t size)
{
    return rows == 0 || (uint64_t)ld <= (uint64_t)PTRDIFF_MAX / size / (uint64_t)rows;
}

/* Whether two blocks of memory share no byte. */
static inline bool $entry_apart(const void *p, size_t p_bytes, const void *q, size_t q_bytes)
{
    const uintptr_t a = (uintptr_t)p, b = (uintptr_t)q;
    return a < b ? b - a >= p_bytes : a - b >= q_bytes;
}

int $entry(int64_t M, int64_t N, int64_t K, const $a_type *A, int64_t lda, const $b_type *W, $extra_parameters$c_type *C, int64_t ldc)
{
    if (M < 0 || M > INT32_MAX)
        return 1;
    if (N < 0 || N > INT32_MAX)
        return 2;
    if (K < $least || K > INT32_MAX - $group)
        return 3;
    const bool empty = M == 0 || N == 0 || K == 0;
    if (A == NULL && !empty)
        return 4;
    if (lda < (K > 1 ? K : 1) || !$entry_fits(M, lda, sizeof *A))
        return 5;
    if (W == NULL && !empty)
        return 6;
    ${extra_checks}if (C == NULL && !empty)
        return $c_number;
    if (ldc < (N > 1 ? N : 1) || !$entry_fits(M, ldc, sizeof *C))
        return $c_number + 1;
    if (empty)
        return 0;
    const int64_t G = (K + $group - 1) / $group, row = $group * G;
    const size_t a_bytes = ((size_t)(M - 1) * (size_t)lda + (size_t)K) * sizeof *A;
    const size_t c_bytes = ((size_t)(M - 1) * (size_t)ldc + (size_t)N) * sizeof *C;
    const size_t w_bytes = (size_t)((N + 63) / 64) * (size_t)G * ($group * 64 * sizeof *W);
    if (!$entry_apart(A, a_bytes, C, c_bytes) || !$entry_apart(W, w_bytes, C, c_bytes))
        return $c_number;
    ${extra_apart}const struct usl_win_3${b}c w = {W, {(ptrdiff_t)(64 * row), (ptrdiff_t)(64 * $group), 1}};
    ${extra_windows}if (row == K) {
        const struct usl_win_2${a}c a = {A, {(ptrdiff_t)lda, 1}};
        const struct usl_win_2${c} c = {C, {(ptrdiff_t)ldc, 1}};
        ${kernel}_body(M, N, G, a, w, ${arguments}c);
        return 0;
    }
    /* Some rows at a time are copied: the last group of each would reach beyond it. */
    int64_t some = 262144 / ((int64_t)sizeof *A * (row + 1)) / 6 * 6;
    some = some < 6 ? 6 : some > 384 ? 384 : some;
    some = some < M ? some : M;
    $a_type *copy = ($a_type *)calloc((size_t)some, (size_t)(row + 1) * sizeof *copy);
    if (copy == NULL)
        return -1;
    for (int64_t first = 0; first < M; first += some) {
        const int64_t rows = some < M - first ? some : M - first;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t k = 0; k < K; k++)
                copy[i * row + k] = A[(first + i) * lda + k];
        const struct usl_win_2${a}c a = {copy, {(ptrdiff_t)row, 1}};
        const struct usl_win_2${c} c = {C + first * ldc, {(ptrdiff_t)ldc, 1}};
        ${kernel}_body(rows, N, G, a, w, ${arguments}c);
    }
    free(copy);
    return 0;
}
