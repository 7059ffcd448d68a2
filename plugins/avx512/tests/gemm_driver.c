/* Runs the matrix product for all M, N, K out of a list of sizes, or for random ones, against sums in double precision.
 *
 *   driver list 0,1,2,7      every (M, N, K) of these sizes
 *   driver random COUNT MAX  so many triples of sizes up to MAX
 *
 * Each product has transposes and factors by chance, 0 and 1 among them. Matrices are windows of larger ones, each in memory of exactly its size, so that a sanitizer sees any step outside; what is
 * around C has a known value that must not change. Of more than 100 rows every seventh is looked at, from a random one on, as
 * seven has no factor in common with the rows of tiles and blocks. An element may be off by gamma(K + 3) (|alpha| |A| |B| + |beta C|), and by the error of
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

/* 0, 1 or some other number */
static REAL factor(void)
{
    const uint64_t which = next() % 4;
    return which < 2 ? (REAL)which : element();
}

static int check(int64_t M, int64_t N, int64_t K)
{
    const int64_t pad = (int64_t)(next() % 9), offset = (int64_t)(next() % 5);
    const int ta = 111 + (int)(next() % 3), tb = 111 + (int)(next() % 3);
    const REAL alpha = factor(), beta = factor();
    const int64_t am = ta == 111 ? M : K, an = ta == 111 ? K : M, bm = tb == 111 ? K : N, bn = tb == 111 ? N : K;
    const int64_t lda = (an > 0 ? an : 1) + pad, ldb = (bn > 0 ? bn : 1) + (pad * 5) % 7, ldc = (N > 0 ? N : 1) + (pad * 3) % 8;
    const int64_t ai = ta == 111 ? lda : 1, ak = ta == 111 ? 1 : lda, bk = tb == 111 ? ldb : 1, bj = tb == 111 ? 1 : ldb;
    size_t na, nb, nc;
    REAL *A = matrix(am, an, lda, offset, &na), *B = matrix(bm, bn, ldb, offset / 2, &nb), *C = matrix(M, N, ldc, offset, &nc);
    REAL *old = malloc((nc > 0 ? nc : 1) * sizeof(REAL));
    EXACT *sum = malloc((size_t)(2 * N + 1) * sizeof(EXACT)), *size = sum + N;
    if (old == NULL || sum == NULL)
        exit(2);
    memcpy(old, C, nc * sizeof(REAL));
    if (beta == 0 && M > 0 && N > 0)
        C[offset + next() % (uint64_t)M * (uint64_t)ldc + next() % (uint64_t)N] = (REAL)NAN; /* is not read */
    int bad = GEMM(ta, tb, M, N, K, alpha, A + offset, lda, B + offset / 2, ldb, beta, C + offset, ldc);
    const EXACT bound = (EXACT)(K + 3) * EPSILON / (1 - (EXACT)(K + 3) * EPSILON);
    const int64_t step = M > 100 ? 7 : 1;
    for (int64_t i = (int64_t)(next() % (uint64_t)step); i < M && N > 0; i += step) {
        const REAL *before = old + offset + i * ldc, *after = C + offset + i * ldc;
        for (int64_t j = 0; j < N; j++) {
            sum[j] = (EXACT)beta * before[j];
            size[j] = sum[j] < 0 ? -sum[j] : sum[j];
        }
        for (int64_t k = 0; k < K; k++) {
            const EXACT a = (EXACT)alpha * A[offset + i * ai + k * ak], magnitude = a < 0 ? -a : a;
            const REAL *row = B + offset / 2 + k * bk;
            for (int64_t j = 0; j < N; j++) {
                sum[j] += a * row[j * bj];
                size[j] += magnitude * (row[j * bj] < 0 ? -row[j * bj] : row[j * bj]);
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
    if ((K == 0 || alpha == 0) && beta == 1)
        bad |= memcmp(old, C, nc * sizeof(REAL)) != 0;
    free(A), free(B), free(C), free(old), free(sum);
    if (bad)
        printf("wrong: M = %lld, N = %lld, K = %lld, transposes %d and %d, factors %g and %g\n", (long long)M, (long long)N, (long long)K, ta, tb, (double)alpha, (double)beta);
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
