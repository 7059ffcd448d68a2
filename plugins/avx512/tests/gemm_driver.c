/* Runs the matrix product for all M, N, K out of a list of sizes, or for random ones, against sums in double precision.
 *
 *   driver list 0,1,2,7      every (M, N, K) of these sizes
 *   driver random COUNT MAX  so many triples of sizes up to MAX
 *
 * Matrices are windows of larger ones, each in memory of exactly its size, so that a sanitizer sees any step outside; what is
 * around C has a known value that must not change. An element may be off by gamma(K + 1) (|A| |B| + |C|), and by the error of
 * the reference; gamma(t) = t u / (1 - t u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.1),
 * where long double is the reference for double. Compile with REAL, EPSILON (u), EXACT, GEMM and HEADER defined. */
#include HEADER
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 88172645463325252u;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static REAL element(void)
{
    return (REAL)((double)(int64_t)(next() >> 40) / 8388608.0 - 1.0);
}

/* rows x ld elements after `offset` others, without the part of the last row that is not used */
static REAL *matrix(int64_t rows, int64_t columns, int64_t ld, int64_t offset, size_t *count)
{
    *count = (size_t)(offset + (rows > 0 && columns > 0 ? (rows - 1) * ld + columns : 0));
    REAL *x = malloc((*count > 0 ? *count : 1) * sizeof(REAL));
    if (x == NULL)
        exit(2);
    for (size_t i = 0; i < *count; i++)
        x[i] = element();
    return x;
}

static int check(int64_t M, int64_t N, int64_t K)
{
    const int64_t pad = (int64_t)(next() % 9), offset = (int64_t)(next() % 5);
    const int64_t lda = (K > 0 ? K : 1) + pad, ldb = (N > 0 ? N : 1) + (pad * 5) % 7, ldc = (N > 0 ? N : 1) + (pad * 3) % 8;
    size_t na, nb, nc;
    REAL *A = matrix(M, K, lda, offset, &na), *B = matrix(K, N, ldb, offset / 2, &nb), *C = matrix(M, N, ldc, offset, &nc);
    REAL *old = malloc((nc > 0 ? nc : 1) * sizeof(REAL));
    EXACT *sum = malloc((size_t)(2 * N + 1) * sizeof(EXACT)), *size = sum + N;
    if (old == NULL || sum == NULL)
        exit(2);
    memcpy(old, C, nc * sizeof(REAL));
    int bad = GEMM(M, N, K, A + offset, lda, B + offset / 2, ldb, C + offset, ldc);
    const EXACT bound = (EXACT)(K + 1) * EPSILON / (1 - (EXACT)(K + 1) * EPSILON);
    for (int64_t i = 0; i < M && N > 0; i++) {
        const REAL *before = old + offset + i * ldc, *after = C + offset + i * ldc;
        for (int64_t j = 0; j < N; j++) {
            sum[j] = before[j];
            size[j] = before[j] < 0 ? -before[j] : before[j];
        }
        for (int64_t k = 0; k < K; k++) {
            const EXACT a = A[offset + i * lda + k], magnitude = a < 0 ? -a : a;
            const REAL *row = B + offset / 2 + k * ldb;
            for (int64_t j = 0; j < N; j++) {
                sum[j] += a * row[j];
                size[j] += magnitude * (row[j] < 0 ? -row[j] : row[j]);
            }
        }
        for (int64_t j = 0; j < N; j++) {
            const EXACT error = after[j] > sum[j] ? after[j] - sum[j] : sum[j] - after[j];
            bad |= !(error <= (bound + bound / 1024) * size[j]);
        }
        if (i + 1 < M)
            bad |= memcmp(before + N, after + N, (size_t)(ldc - N) * sizeof(REAL)) != 0;
    }
    bad |= memcmp(old, C, (size_t)offset * sizeof(REAL)) != 0;
    if (K == 0)
        bad |= memcmp(old, C, nc * sizeof(REAL)) != 0;
    free(A), free(B), free(C), free(old), free(sum);
    if (bad)
        printf("wrong: M = %lld, N = %lld, K = %lld\n", (long long)M, (long long)N, (long long)K);
    return bad != 0;
}

int main(int argc, char **argv)
{
    long long wrong = 0, done = 0;
    if (argc == 3 && strcmp(argv[1], "list") == 0) {
        int64_t sizes[256];
        int count = 0;
        for (char *text = strtok(argv[2], ","); text != NULL && count < 256; text = strtok(NULL, ","))
            sizes[count++] = atoll(text);
        for (int m = 0; m < count; m++)
            for (int n = 0; n < count; n++)
                for (int k = 0; k < count; k++, done++)
                    wrong += check(sizes[m], sizes[n], sizes[k]);
    } else if (argc == 4 && strcmp(argv[1], "random") == 0) {
        const uint64_t most = (uint64_t)atoll(argv[3]);
        for (; done < atoll(argv[2]); done++) {
            const int64_t m = (int64_t)(1 + next() % most), n = (int64_t)(1 + next() % most), k = (int64_t)(1 + next() % most);
            wrong += check(m, n, k);
        }
    } else {
        return 2;
    }
    printf("%lld products, %lld wrong\n", done, wrong);
    return wrong != 0;
}
