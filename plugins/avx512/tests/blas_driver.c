/* Runs every routine of BLAS level 1 and 2 for many sizes, increments and options, against sums with more digits.
 *
 *   driver vectors MAX       every size up to MAX, with every pair of increments
 *   driver matrices MAX      every pair of sizes up to MAX, every option
 *   driver random COUNT MAX  so many of each, of up to MAX rows and columns; vectors of up to 32 MAX elements
 *   driver overlap COUNT     so many pairs of operands near each other: those that share memory are refused
 *
 * Operands are as driver_operands.h says; what must not be read is poison as well: the other triangle, a diagonal of ones, A and x
 * where alpha is 0, y where beta is. Error bounds: an inner product of n terms in any order is off by gamma(n) times the sum of
 * magnitudes, gamma(t) = t u / (1 - t u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.1), and a
 * triangular solve has the residual gamma(n + 1) |A| |z| (section 8.1); factors add a few roundings. long double is the reference
 * for double. Compile with REAL, EPSILON (u), EXACT, P (s or d) and HEADER defined. */
#define _DEFAULT_SOURCE
#include HEADER
#include "driver_operands.h"

#define PASTE(a, b, c) a##b##c
#define JOIN(a, b, c) PASTE(a, b, c)
#define BLAS(routine) JOIN(usl_, P, routine)
#define IAMAX JOIN(usl_i, P, amax)

enum { NO = 111, YES, CONJUGATED, UPPER = 121, LOWER, NONUNIT = 131, UNIT };

static EXACT magnitude(EXACT x)
{
    return x < 0 ? -x : x;
}

/* Whether x is not within gamma(steps) size of want; size is a sum of magnitudes. */
static int off(REAL x, EXACT want, EXACT size, int64_t steps)
{
    const EXACT bound = (EXACT)steps * EPSILON / (1 - (EXACT)steps * EPSILON);
    return !(magnitude(x - want) <= (bound + bound / 1024) * size); /* also NaN; the reference is off too */
}

/* 0, 1, -1, or any */
static REAL factor(void)
{
    const REAL choice[] = {0, 1, -1};
    const int64_t which = below(8);
    return which < 3 ? choice[which] : random_element();
}

/* ---- level 1 */

static int axpy(int64_t n, int64_t incx, int64_t incy)
{
    struct operand x = make(0, n, 1, incx), y = make(1, n, 1, incy);
    const REAL alpha = factor();
    if (alpha == 0)
        poison_all(&x);
    keep(&x), keep(&y);
    int bad = BLAS(axpy)(n, alpha, x.data, incx, y.data, incy) != 0 || changed(&x);
    for (int64_t i = 0; i < n; i++) {
        const EXACT product = alpha == 0 ? 0 : (EXACT)alpha * *at(&x, i, 0), before = old(&y, i, 0);
        bad |= off(*at(&y, i, 0), product + before, magnitude(product) + magnitude(before), 2);
    }
    return bad | changed_beside(&y);
}

static int copy(int64_t n, int64_t incx, int64_t incy)
{
    struct operand x = make(0, n, 1, incx), y = make(1, n, 1, incy);
    poison_all(&y);
    keep(&x), keep(&y);
    int bad = BLAS(copy)(n, x.data, incx, y.data, incy) != 0 || changed(&x);
    for (int64_t i = 0; i < n; i++)
        bad |= *at(&y, i, 0) != *at(&x, i, 0);
    return bad | changed_beside(&y);
}

static int swap(int64_t n, int64_t incx, int64_t incy)
{
    struct operand x = make(0, n, 1, incx), y = make(1, n, 1, incy);
    keep(&x), keep(&y);
    int bad = BLAS(swap)(n, x.data, incx, y.data, incy) != 0;
    for (int64_t i = 0; i < n; i++)
        bad |= *at(&y, i, 0) != old(&x, i, 0) || *at(&x, i, 0) != old(&y, i, 0);
    return bad | changed_beside(&x) | changed_beside(&y);
}

static int rot(int64_t n, int64_t incx, int64_t incy)
{
    struct operand x = make(0, n, 1, incx), y = make(1, n, 1, incy);
    const REAL c = factor(), s = factor();
    keep(&x), keep(&y);
    int bad = BLAS(rot)(n, x.data, incx, y.data, incy, c, s) != 0;
    for (int64_t i = 0; i < n; i++) {
        const EXACT a = old(&x, i, 0), b = old(&y, i, 0);
        bad |= off(*at(&x, i, 0), c * a + s * b, magnitude(c * a) + magnitude(s * b), 3);
        bad |= off(*at(&y, i, 0), c * b - s * a, magnitude(c * b) + magnitude(s * a), 3);
    }
    return bad | changed_beside(&x) | changed_beside(&y);
}

static int dot(int64_t n, int64_t incx, int64_t incy)
{
    struct operand x = make(0, n, 1, incx), y = make(1, n, 1, incy), result = make(2, 1, 1, 1);
    poison_all(&result);
    keep(&x), keep(&y), keep(&result);
    int bad = BLAS(dot)(n, x.data, incx, y.data, incy, result.data) != 0 || changed(&x) || changed(&y);
    EXACT sum = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        const EXACT product = (EXACT)*at(&x, i, 0) * *at(&y, i, 0);
        sum += product;
        size += magnitude(product);
    }
    return bad | off(*result.data, sum, size, n + 1) | changed_beside(&result);
}

static int scal(int64_t n, int64_t inc)
{
    struct operand x = make(0, n, 1, inc);
    const REAL alpha = factor();
    keep(&x);
    int bad = BLAS(scal)(n, alpha, x.data, inc) != 0;
    for (int64_t i = 0; i < n; i++)
        bad |= *at(&x, i, 0) != (REAL)(alpha * old(&x, i, 0));
    return bad | changed_beside(&x);
}

static int asum(int64_t n, int64_t inc)
{
    struct operand x = make(0, n, 1, inc), result = make(2, 1, 1, 1);
    poison_all(&result);
    keep(&x), keep(&result);
    int bad = BLAS(asum)(n, x.data, inc, result.data) != 0 || changed(&x);
    EXACT sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += magnitude(*at(&x, i, 0));
    return bad | off(*result.data, sum, sum, n + 1) | changed_beside(&result);
}

/* Also of elements whose squares over- or underflow. */
static int nrm2(int64_t n, int64_t inc)
{
    struct operand x = make(0, n, 1, inc), result = make(2, 1, 1, 1);
    const int most = sizeof(REAL) == 4 ? 90 : 600, power = (int)(below(3) - 1) * most;
    for (int64_t i = 0; i < n; i++)
        *at(&x, i, 0) = (REAL)ldexp((double)*at(&x, i, 0), power);
    poison_all(&result);
    keep(&x), keep(&result);
    int bad = BLAS(nrm2)(n, x.data, inc, result.data) != 0 || changed(&x);
    EXACT sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const EXACT scaled = (EXACT)ldexp((double)*at(&x, i, 0), -power);
        sum += scaled * scaled;
    }
    const EXACT norm = (EXACT)sqrtl((long double)sum);
    const REAL got = (REAL)ldexp((double)*result.data, -power);
    return bad | off(got, norm, norm, sizeof(REAL) == 4 ? 2 : n / 2 + 8) | changed_beside(&result);
}

/* Of few values, so that many are equal, and of some that are NaN. */
static int iamax(int64_t n, int64_t inc)
{
    poison = INFINITY; /* which would be the largest */
    struct operand x = make(0, n, 1, inc);
    poison = NAN;
    int64_t best = 0, place = -1;
    for (int64_t i = 0; i < n; i++)
        *at(&x, i, 0) = next() % 9 == 0 ? (REAL)NAN : (REAL)(below(9) - 4);
    keep(&x);
    int bad = IAMAX(n, x.data, inc, &place) != 0 || changed(&x);
    REAL largest = -1;
    for (int64_t i = 0; i < n; i++)
        if ((REAL)magnitude(*at(&x, i, 0)) > largest) {
            largest = (REAL)magnitude(*at(&x, i, 0));
            best = i;
        }
    return bad | (place != best);
}

/* ---- level 2 */

/* Terms added up, and their magnitudes. */
struct sum {
    EXACT value, size;
};

static struct sum scaled(REAL beta, REAL y)
{
    const EXACT value = beta == 0 ? 0 : (EXACT)beta * y;
    return (struct sum){value, magnitude(value)};
}

static void add(struct sum *sum, EXACT term)
{
    sum->value += term;
    sum->size += magnitude(term);
}

static int gemv(int trans, int64_t m, int64_t n, int64_t ld, int64_t incx, int64_t incy)
{
    const int64_t nx = trans == NO ? n : m, ny = trans == NO ? m : n;
    struct operand A = make(0, m, n, ld), x = make(1, nx, 1, incx), y = make(2, ny, 1, incy);
    const REAL alpha = factor(), beta = factor();
    if (alpha == 0)
        poison_all(&A), poison_all(&x);
    if (beta == 0)
        poison_all(&y);
    keep(&A), keep(&x), keep(&y);
    int bad = BLAS(gemv)(trans, m, n, alpha, A.data, ld, x.data, incx, beta, y.data, incy) != 0 || changed(&A) || changed(&x);
    if (m == 0 || n == 0)
        return bad | changed(&y);
    for (int64_t i = 0; i < ny; i++) {
        struct sum sum = scaled(beta, old(&y, i, 0));
        for (int64_t j = 0; j < nx && alpha != 0; j++)
            add(&sum, (EXACT)alpha * (trans == NO ? *at(&A, i, j) : *at(&A, j, i)) * *at(&x, j, 0));
        bad |= off(*at(&y, i, 0), sum.value, sum.size, nx + 4);
    }
    return bad | changed_beside(&y);
}

static int ger(int64_t m, int64_t n, int64_t ld, int64_t incx, int64_t incy)
{
    struct operand A = make(0, m, n, ld), x = make(1, m, 1, incx), y = make(2, n, 1, incy);
    const REAL alpha = factor();
    if (alpha == 0)
        poison_all(&x), poison_all(&y);
    keep(&A), keep(&x), keep(&y);
    int bad = BLAS(ger)(m, n, alpha, x.data, incx, y.data, incy, A.data, ld) != 0 || changed(&x) || changed(&y);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            const EXACT product = alpha == 0 ? 0 : (EXACT)alpha * *at(&x, i, 0) * *at(&y, j, 0), before = old(&A, i, j);
            bad |= off(*at(&A, i, j), before + product, magnitude(before) + magnitude(product), 3);
        }
    return bad | changed_beside(&A);
}

/* Make the other triangle poison, and with diag 132 the diagonal; elements beside the diagonal small, so that solving is stable. */
static void make_triangle(struct operand *A, int uplo, int diag)
{
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t j = 0; j < A->columns; j++) {
            REAL *element = at(A, i, j);
            if (i == j)
                *element = diag == UNIT ? poison : 1 + *element / 2;
            else if ((j > i) == (uplo == UPPER))
                *element /= (REAL)A->rows;
            else
                *element = poison;
        }
}

/* Element (i, j) of the triangle as a matrix, or of its transpose. */
static EXACT triangle(const struct operand *A, int uplo, int trans, int diag, int64_t i, int64_t j)
{
    if (i == j)
        return diag == UNIT ? 1 : *at(A, i, i);
    const int64_t row = trans == NO ? i : j, column = trans == NO ? j : i;
    return (column > row) == (uplo == UPPER) ? *at(A, row, column) : 0;
}

static int symv(int uplo, int64_t n, int64_t ld, int64_t incx, int64_t incy)
{
    struct operand A = make(0, n, n, ld), x = make(1, n, 1, incx), y = make(2, n, 1, incy);
    const REAL alpha = factor(), beta = factor();
    make_triangle(&A, uplo, NONUNIT);
    if (alpha == 0)
        poison_all(&A), poison_all(&x);
    if (beta == 0)
        poison_all(&y);
    keep(&A), keep(&x), keep(&y);
    int bad = BLAS(symv)(uplo, n, alpha, A.data, ld, x.data, incx, beta, y.data, incy) != 0 || changed(&A) || changed(&x);
    for (int64_t i = 0; i < n; i++) {
        struct sum sum = scaled(beta, old(&y, i, 0));
        for (int64_t j = 0; j < n && alpha != 0; j++)
            add(&sum, (EXACT)alpha * ((j > i) == (uplo == UPPER) || i == j ? *at(&A, i, j) : *at(&A, j, i)) * *at(&x, j, 0));
        bad |= off(*at(&y, i, 0), sum.value, sum.size, n + 5);
    }
    return bad | changed_beside(&y);
}

static int trmv(int uplo, int trans, int diag, int64_t n, int64_t ld, int64_t incx)
{
    struct operand A = make(0, n, n, ld), x = make(1, n, 1, incx);
    make_triangle(&A, uplo, diag);
    keep(&A), keep(&x);
    int bad = BLAS(trmv)(uplo, trans, diag, n, A.data, ld, x.data, incx) != 0 || changed(&A);
    for (int64_t i = 0; i < n; i++) {
        struct sum sum = {0, 0};
        for (int64_t j = 0; j < n; j++)
            add(&sum, triangle(&A, uplo, trans, diag, i, j) * old(&x, j, 0));
        bad |= off(*at(&x, i, 0), sum.value, sum.size, n + 2);
    }
    return bad | changed_beside(&x);
}

static int trsv(int uplo, int trans, int diag, int64_t n, int64_t ld, int64_t incx)
{
    struct operand A = make(0, n, n, ld), x = make(1, n, 1, incx);
    make_triangle(&A, uplo, diag);
    keep(&A), keep(&x);
    int bad = BLAS(trsv)(uplo, trans, diag, n, A.data, ld, x.data, incx) != 0 || changed(&A);
    for (int64_t i = 0; i < n; i++) {
        struct sum sum = {0, 0};
        for (int64_t j = 0; j < n; j++)
            add(&sum, triangle(&A, uplo, trans, diag, i, j) * *at(&x, j, 0));
        bad |= off(old(&x, i, 0), sum.value, sum.size, n + 2);
    }
    return bad | changed_beside(&x);
}

/* ---- cases */

static long long done, wrong;

#define CHECK(call, ...)                                                                                                         \
    do {                                                                                                                         \
        snprintf(what, sizeof what, __VA_ARGS__);                                                                                \
        done++;                                                                                                                  \
        if (call) {                                                                                                              \
            wrong++;                                                                                                             \
            printf("wrong: %s\n", what);                                                                                         \
        }                                                                                                                        \
    } while (0)

static void check_one(int64_t n, int64_t inc)
{
    static int (*const routines[])(int64_t, int64_t) = {scal, asum, nrm2, iamax};
    static const char *const names[] = {"scal", "asum", "nrm2", "iamax"};
    for (size_t r = 0; r < sizeof routines / sizeof *routines; r++)
        CHECK(routines[r](n, inc), "%s: n = %lld, inc = %lld", names[r], (long long)n, (long long)inc);
}

static void check_two(int64_t n, int64_t incx, int64_t incy)
{
    static int (*const routines[])(int64_t, int64_t, int64_t) = {axpy, copy, swap, rot, dot};
    static const char *const names[] = {"axpy", "copy", "swap", "rot", "dot"};
    for (size_t r = 0; r < sizeof routines / sizeof *routines; r++)
        CHECK(routines[r](n, incx, incy), "%s: n = %lld, incx = %lld, incy = %lld", names[r], (long long)n, (long long)incx, (long long)incy);
}

#define SIZES "m = %lld, n = %lld, lda = %lld, incx = %lld, incy = %lld"
#define VALUES (long long)m, (long long)n, (long long)ld, (long long)incx, (long long)incy

static void check_matrix(int64_t m, int64_t n, int64_t pad, int64_t incx, int64_t incy)
{
    const int64_t ld = (n > 0 ? n : 1) + pad;
    for (int trans = NO; trans <= CONJUGATED; trans++)
        CHECK(gemv(trans, m, n, ld, incx, incy), "gemv: trans = %d, " SIZES, trans, VALUES);
    CHECK(ger(m, n, ld, incx, incy), "ger: " SIZES, VALUES);
}

static void check_square(int64_t n, int64_t pad, int64_t incx, int64_t incy)
{
    const int64_t m = n, ld = (n > 0 ? n : 1) + pad;
    for (int uplo = UPPER; uplo <= LOWER; uplo++) {
        CHECK(symv(uplo, n, ld, incx, incy), "symv: uplo = %d, " SIZES, uplo, VALUES);
        for (int trans = NO; trans <= CONJUGATED; trans++)
            for (int diag = NONUNIT; diag <= UNIT; diag++) {
                CHECK(trmv(uplo, trans, diag, n, ld, incx), "trmv: options %d, %d, %d, " SIZES, uplo, trans, diag, VALUES);
                CHECK(trsv(uplo, trans, diag, n, ld, incx), "trsv: options %d, %d, %d, " SIZES, uplo, trans, diag, VALUES);
            }
    }
}

static const int64_t increments[] = {1, 2, 3, 7, -1, -2, -5};
enum { INCREMENTS = sizeof increments / sizeof *increments };

static void check_vectors(int64_t most)
{
    for (int64_t n = 0; n <= most; n++)
        for (int i = 0; i < INCREMENTS; i++) {
            if (increments[i] > 0)
                check_one(n, increments[i]);
            for (int j = 0; j < INCREMENTS; j++)
                check_two(n, increments[i], increments[j]);
        }
}

/* All pairs of sizes; every second without strides, as only then no copies are made. */
static void check_matrices(int64_t most)
{
    for (int64_t m = 0; m <= most; m++)
        for (int64_t n = 0; n <= most; n++) {
            const int64_t pad = below(2) * below(20);
            check_matrix(m, n, pad, 1, 1);
            check_matrix(m, n, pad, increments[below(INCREMENTS)], increments[below(INCREMENTS)]);
        }
    for (int64_t n = 0; n <= most; n++)
        for (int i = 0; i < INCREMENTS; i++)
            check_square(n, below(2) * below(20), increments[i], increments[below(INCREMENTS)]);
}

static void check_random(int64_t count, int64_t most)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t incx = below(2) ? 1 : increments[below(INCREMENTS)], incy = incx == 1 ? 1 : increments[below(INCREMENTS)];
        check_one(below(32 * most), 1 + below(2) * below(9));
        check_two(below(32 * most), incx, incy);
        check_matrix(below(most), below(most), below(2) * below(20), incx, incy);
        check_square(below(most), below(2) * below(20), incx, incy);
    }
}

/* ---- operands that share memory */

static int64_t near_step(void)
{
    return (1 + below(5)) * (below(2) ? 1 : -1);
}

static void mark(const REAL *base, unsigned char *used, const REAL *data, int64_t rows, int64_t columns, int64_t step)
{
    const int64_t apart = step < 0 ? -step : step;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            used[data - base + i * apart + j]++;
}

/* What a routine says to x and y in one array: it must refuse them if they share an element, and then change nothing; it must
 * take them if one ends before the other begins, or both have the same increment and share none. */
static int shares(int64_t n, int64_t incx, int64_t incy, int64_t distance)
{
    unsigned char used[256] = {0};
    struct operand all = make(0, 256, 1, 1);
    REAL *x = all.data + 96, *y = x + distance;
    mark(all.data, used, x, n, 1, incx);
    mark(all.data, used, y, n, 1, incy);
    const int64_t last_x = (n - 1) * llabs(incx), last_y = (n - 1) * llabs(incy);
    const int common = memchr(used, 2, sizeof used) != NULL, apart = distance > last_x || -distance > last_y;
    keep(&all);
    const int status[] = {
        BLAS(axpy)(n, 1, x, incx, y, incy),
        BLAS(copy)(n, x, incx, y, incy),
        BLAS(swap)(n, x, incx, y, incy),
        BLAS(rot)(n, x, incx, y, incy, 1, 0),
    };
    static const int numbers[] = {5, 4, 4, 4};
    int bad = common && changed(&all);
    for (size_t r = 0; r < sizeof status / sizeof *status; r++) {
        bad |= status[r] != 0 && status[r] != numbers[r];
        bad |= common && status[r] == 0;
        bad |= !common && (apart || llabs(incx) == llabs(incy)) && status[r] != 0;
    }
    return bad;
}

/* The same of a matrix and a vector, one of which is written. */
static int shares_matrix(int64_t n, int64_t pad, int64_t inc, int64_t distance)
{
    unsigned char used[512] = {0};
    struct operand all = make(0, 512, 1, 1), other = make(1, n, 1, 1);
    const int64_t ld = n + pad;
    REAL *A = all.data + 192, *y = A + distance;
    mark(all.data, used, A, n, n, ld);
    mark(all.data, used, y, n, 1, inc);
    const int common = memchr(used, 2, sizeof used) != NULL;
    const int apart = distance > (n - 1) * ld + n - 1 || -distance > (n - 1) * llabs(inc);
    keep(&all), keep(&other);
    const int status[] = {
        BLAS(gemv)(NO, n, n, 1, A, ld, other.data, 1, 1, y, inc),  BLAS(symv)(UPPER, n, 1, A, ld, other.data, 1, 1, y, inc),
        BLAS(ger)(n, n, 0, other.data, 1, y, inc, A, ld),          BLAS(ger)(n, n, 0, y, inc, other.data, 1, A, ld),
        BLAS(trmv)(LOWER, YES, NONUNIT, n, A, ld, y, inc),         BLAS(trsv)(LOWER, NO, UNIT, n, A, ld, y, inc),
    };
    static const int numbers[] = {10, 9, 8, 8, 7, 7};
    int bad = changed(&other) || (common && changed(&all));
    for (size_t r = 0; r < sizeof status / sizeof *status; r++) {
        bad |= status[r] != 0 && status[r] != numbers[r];
        bad |= common && status[r] == 0;
        bad |= apart && status[r] != 0;
    }
    return bad;
}

static void check_overlap(int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t n = 1 + below(8), incx = near_step(), incy = near_step(), distance = below(90) - 45, pad = below(4);
        CHECK(shares(n, incx, incy, distance), "overlap: n = %lld, incx = %lld, incy = %lld, distance = %lld", (long long)n,
              (long long)incx, (long long)incy, (long long)distance);
        CHECK(shares_matrix(n, pad, incy, 2 * distance), "overlap: n = %lld, lda = n + %lld, inc = %lld, distance = %lld",
              (long long)n, (long long)pad, (long long)incy, (long long)(2 * distance));
    }
}

int main(int argc, char **argv)
{
    const int64_t number = argc > 2 ? atoll(argv[2]) : 0;
    make_slots();
    if (argc == 3 && strcmp(argv[1], "vectors") == 0)
        check_vectors(number);
    else if (argc == 3 && strcmp(argv[1], "matrices") == 0)
        check_matrices(number);
    else if (argc == 4 && strcmp(argv[1], "random") == 0)
        check_random(number, atoll(argv[3]));
    else if (argc == 3 && strcmp(argv[1], "overlap") == 0)
        check_overlap(number);
    else
        return 2;
    printf("%lld calls, %lld wrong\n", done, wrong);
    return wrong != 0;
}
