
/* The CBLAS-shaped entry, see the header. */

#define USL_SIZE(n) ((n) >= 0 && (n) <= INT32_MAX)
#define USL_RARE static __attribute__((noinline)) int
#define USL_LD(ld, n) ((ld) >= ((n) > 1 ? (n) : 1))

/* Where elements are: the address of the first, the bytes between rows and in one of them, and how many rows there are. */
struct usl_place {
    uintptr_t first;
    uint64_t rows, period, bytes;
};

/* n elements inc apart; the first in memory is at x. Neighbours are one row, others are a row each. */
static inline struct usl_place usl_vector(const @T@ *x, int64_t n, int64_t inc)
{
    const uint64_t size = sizeof(@T@), step = inc < 0 ? -(uint64_t)inc : (uint64_t)inc;
    return step == 1 ? (struct usl_place){(uintptr_t)x, 1, 0, (uint64_t)n * size} : (struct usl_place){(uintptr_t)x, (uint64_t)n, step * size, size};
}

static inline struct usl_place usl_matrix(const @T@ *a, int64_t m, int64_t n, int64_t ld)
{
    return (struct usl_place){(uintptr_t)a, (uint64_t)m, (uint64_t)ld * sizeof(@T@), (uint64_t)n * sizeof(@T@)};
}

/* Whether two places provably share no byte: apart as a whole, or beside each other in rows of one distance. */
static inline bool usl_apart(struct usl_place a, struct usl_place b)
{
    const uint64_t a_bytes = (a.rows - 1) * a.period + a.bytes, b_bytes = (b.rows - 1) * b.period + b.bytes;
    if (a.first < b.first ? b.first - a.first >= a_bytes : a.first - b.first >= b_bytes)
        return true;
    uint64_t period = a.period;
    if (a.rows == 1)
        period = b.period;
    else if (b.rows > 1 && a.period % b.period == 0)
        period = b.period;
    else if (b.rows > 1 && b.period % a.period != 0)
        return false;
    if (period == 0)
        return false;
    const uint64_t distance =
        b.first >= a.first ? (b.first - a.first) % period : (period - (a.first - b.first) % period) % period;
    return distance >= a.bytes && distance + b.bytes <= period;
}

/* Whether n elements inc apart, or a matrix of n rows, can be addressed; inc may be negative, but not 0. */
static inline bool usl_reaches(int64_t n, int64_t inc)
{
    const uint64_t step = inc < 0 ? -(uint64_t)inc : (uint64_t)inc, most = (uint64_t)PTRDIFF_MAX / sizeof(@T@);
    return step != 0 && (step < (uint64_t)1 << 28 /* and n < 2^31: no division */ || n == 0 || step <= most / (uint64_t)n);
}

/* A vector for a kernel: BLAS has x point at the least address; with a negative inc element 0 is the last in memory. */
static inline @READ1@ usl_in(const @T@ *x, int64_t n, int64_t inc)
{
    return (@READ1@){inc < 0 ? x + (1 - n) * inc : x, {(ptrdiff_t)inc}};
}

static inline @WRITE1@ usl_out(@T@ *x, int64_t n, int64_t inc)
{
    return (@WRITE1@){inc < 0 ? x + (1 - n) * inc : x, {(ptrdiff_t)inc}};
}

/* Whether x and y have n elements each, next to each other, and share no byte: what most calls are about, told by few instructions.
 * All others are tested argument by argument. */
static inline bool usl_dense2(int64_t n, const @T@ *x, int64_t incx, const @T@ *y, int64_t incy)
{
    const uint64_t bytes = (uint64_t)n * sizeof(@T@), distance = (uintptr_t)y - (uintptr_t)x;
    return (uint64_t)n - 1 < INT32_MAX && incx == 1 && incy == 1 && x != NULL && y != NULL && distance - bytes <= 0 - 2 * bytes;
}

/* The same of one vector. */
static inline bool usl_dense1(int64_t n, const @T@ *x, int64_t incx)
{
    return (uint64_t)n - 1 < INT32_MAX && incx == 1 && x != NULL;
}

static inline @READ1@ usl_dense_in(const @T@ *x)
{
    return (@READ1@){x, {1}};
}

static inline @WRITE1@ usl_dense_out(@T@ *x)
{
    return (@WRITE1@){x, {1}};
}

/* @scale */
/* y = beta y, where 0 times anything is 0. */
static inline void usl_scale(int64_t n, @T@ beta, @WRITE1@ y)
{
    if (beta == 0)
        for (int64_t i = 0; i < n; i++)
            y.data[i * y.strides[0]] = 0;
    else if (beta != 1)
        @P@scal_body(n, &beta, y);
}

/* @axpy */
USL_RARE usl_@P@axpy_tested(int64_t n, @T@ alpha, const @T@ *x, int64_t incx, @T@ *y, int64_t incy)
{
    if (!USL_SIZE(n))
        return 1;
    if (x == NULL && n > 0)
        return 3;
    if (!usl_reaches(n, incx))
        return 4;
    if (y == NULL && n > 0)
        return 5;
    if (!usl_reaches(n, incy))
        return 6;
    if (n == 0)
        return 0;
    if (!usl_apart(usl_vector(x, n, incx), usl_vector(y, n, incy)))
        return 5;
    if (alpha != 0)
        @P@axpy_body(n, &alpha, usl_in(x, n, incx), usl_out(y, n, incy));
    return 0;
}

/* y = alpha x + y. */
int usl_@P@axpy(int64_t n, @T@ alpha, const @T@ *x, int64_t incx, @T@ *y, int64_t incy)
{
    if (usl_dense2(n, x, incx, y, incy)) {
        if (alpha != 0)
            @P@axpy_body(n, &alpha, usl_dense_in(x), usl_dense_out(y));
        return 0;
    }
    return usl_@P@axpy_tested(n, alpha, x, incx, y, incy);
}

/* @scal */
USL_RARE usl_@P@scal_tested(int64_t n, @T@ alpha, @T@ *x, int64_t incx)
{
    if (!USL_SIZE(n))
        return 1;
    if (x == NULL && n > 0)
        return 3;
    if (incx < 1 || !usl_reaches(n, incx))
        return 4;
    if (n > 0)
        @P@scal_body(n, &alpha, usl_out(x, n, incx));
    return 0;
}

/* x = alpha x. NaN and infinities stay, also where alpha is 0. incx is at least 1. */
int usl_@P@scal(int64_t n, @T@ alpha, @T@ *x, int64_t incx)
{
    if (usl_dense1(n, x, incx)) {
        @P@scal_body(n, &alpha, usl_dense_out(x));
        return 0;
    }
    return usl_@P@scal_tested(n, alpha, x, incx);
}

/* @dot */
USL_RARE usl_@P@dot_tested(int64_t n, const @T@ *x, int64_t incx, const @T@ *y, int64_t incy, @T@ *result)
{
    if (!USL_SIZE(n))
        return 1;
    if (x == NULL && n > 0)
        return 2;
    if (!usl_reaches(n, incx))
        return 3;
    if (y == NULL && n > 0)
        return 4;
    if (!usl_reaches(n, incy))
        return 5;
    if (result == NULL)
        return 6;
    @T@ sum = 0;
    if (n > 0)
        @P@dot_body(n, usl_in(x, n, incx), usl_in(y, n, incy), &sum);
    *result = sum;
    return 0;
}

/* *result = x . y, 0 where n is 0. */
int usl_@P@dot(int64_t n, const @T@ *x, int64_t incx, const @T@ *y, int64_t incy, @T@ *result)
{
    if (usl_dense1(n, x, incx) && usl_dense1(n, y, incy) && result != NULL) {
        @T@ sum = 0;
        @P@dot_body(n, usl_dense_in(x), usl_dense_in(y), &sum);
        *result = sum;
        return 0;
    }
    return usl_@P@dot_tested(n, x, incx, y, incy, result);
}

/* @asum */
USL_RARE usl_@P@asum_tested(int64_t n, const @T@ *x, int64_t incx, @T@ *result)
{
    if (!USL_SIZE(n))
        return 1;
    if (x == NULL && n > 0)
        return 2;
    if (incx < 1 || !usl_reaches(n, incx))
        return 3;
    if (result == NULL)
        return 4;
    @T@ sum = 0;
    if (n > 0)
        @P@asum_body(n, usl_in(x, n, incx), &sum);
    *result = sum;
    return 0;
}

/* *result = |x[0]| + |x[1]| + ..., 0 where n is 0. incx is at least 1. */
int usl_@P@asum(int64_t n, const @T@ *x, int64_t incx, @T@ *result)
{
    if (usl_dense1(n, x, incx) && result != NULL) {
        @T@ sum = 0;
        @P@asum_body(n, usl_dense_in(x), &sum);
        *result = sum;
        return 0;
    }
    return usl_@P@asum_tested(n, x, incx, result);
}

/* @nrm2 */
USL_RARE usl_@P@nrm2_tested(int64_t n, const @T@ *x, int64_t incx, @T@ *result)
{
    if (!USL_SIZE(n))
        return 1;
    if (x == NULL && n > 0)
        return 2;
    if (incx < 1 || !usl_reaches(n, incx))
        return 3;
    if (result == NULL)
        return 4;
    @T@ norm = 0;
    if (n > 0)
        @P@nrm2_body(n, usl_in(x, n, incx), &norm);
    *result = norm;
    return 0;
}

/* *result = the Euclidean norm of x, 0 where n is 0; no square over- or underflows. incx is at least 1. */
int usl_@P@nrm2(int64_t n, const @T@ *x, int64_t incx, @T@ *result)
{
    if (usl_dense1(n, x, incx) && result != NULL) {
        @T@ norm = 0;
        @P@nrm2_body(n, usl_dense_in(x), &norm);
        *result = norm;
        return 0;
    }
    return usl_@P@nrm2_tested(n, x, incx, result);
}

/* @iamax */
enum {
    USL_READ_TWICE = 16384 / sizeof(@T@), /* so many elements a first-level cache holds, with what else is in it */
};

/* The position of the first largest magnitude of dense x: what it is, and then where it is. */
static inline int64_t usl_i@P@amax_near(int64_t n, const @T@ *x)
{
    @T@ most = -1;
    @P@amax_body(n, usl_dense_in(x), &most);
    union {
        uint64_t bits;
        @T@ number;
    } before = {0}; /* the number before it, or -1: of positive ones, bits count like integers */
    before.number = most;
    if (most > 0)
        before.bits--;
    else
        before.number = -1;
    const @T@ below = before.number;
    const int64_t some = n <= 128 ? 32 : 64; /* looked at before it is asked whether it is there */
    for (int64_t i = 0; most >= 0 && i < n; i += some) {
        int64_t found = 0;
        @P@first_body(n - i < some ? n - i : some, usl_dense_in(x + i), &below, &found);
        if (found < some)
            return i + found;
    }
    return 0;
}

/* The same in any number. */
static inline int64_t usl_i@P@amax_dense(int64_t n, const @T@ *x)
{
    int64_t position = 0;
    if (n <= USL_READ_TWICE)
        return usl_i@P@amax_near(n, x);
    i@P@amax_body(n, usl_dense_in(x), &position);
    return position;
}

USL_RARE usl_i@P@amax_tested(int64_t n, const @T@ *x, int64_t incx, int64_t *result)
{
    if (!USL_SIZE(n))
        return 1;
    if (x == NULL && n > 0)
        return 2;
    if (incx < 1 || !usl_reaches(n, incx))
        return 3;
    if (result == NULL)
        return 4;
    int64_t position = 0;
    if (n > 0)
        i@P@amax_body(n, usl_in(x, n, incx), &position);
    *result = position;
    return 0;
}

/* *result = the position, from 0, of the first element of the largest magnitude; 0 where n is 0. NaN are passed over; where all
 * are, it is 0. incx is at least 1. */
int usl_i@P@amax(int64_t n, const @T@ *x, int64_t incx, int64_t *result)
{
    if (usl_dense1(n, x, incx) && result != NULL) {
        *result = usl_i@P@amax_dense(n, x);
        return 0;
    }
    return usl_i@P@amax_tested(n, x, incx, result);
}

/* @copy */
USL_RARE usl_@P@copy_tested(int64_t n, const @T@ *x, int64_t incx, @T@ *y, int64_t incy)
{
    if (!USL_SIZE(n))
        return 1;
    if (x == NULL && n > 0)
        return 2;
    if (!usl_reaches(n, incx))
        return 3;
    if (y == NULL && n > 0)
        return 4;
    if (!usl_reaches(n, incy))
        return 5;
    if (n == 0)
        return 0;
    if (!usl_apart(usl_vector(x, n, incx), usl_vector(y, n, incy)))
        return 4;
    @P@copy_body(n, usl_in(x, n, incx), usl_out(y, n, incy));
    return 0;
}

/* y = x. */
int usl_@P@copy(int64_t n, const @T@ *x, int64_t incx, @T@ *y, int64_t incy)
{
    if (usl_dense2(n, x, incx, y, incy)) {
        @P@copy_body(n, usl_dense_in(x), usl_dense_out(y));
        return 0;
    }
    return usl_@P@copy_tested(n, x, incx, y, incy);
}

/* @swap */
USL_RARE usl_@P@swap_tested(int64_t n, @T@ *x, int64_t incx, @T@ *y, int64_t incy)
{
    if (!USL_SIZE(n))
        return 1;
    if (x == NULL && n > 0)
        return 2;
    if (!usl_reaches(n, incx))
        return 3;
    if (y == NULL && n > 0)
        return 4;
    if (!usl_reaches(n, incy))
        return 5;
    if (n == 0)
        return 0;
    if (!usl_apart(usl_vector(x, n, incx), usl_vector(y, n, incy)))
        return 4;
    @P@swap_body(n, usl_out(x, n, incx), usl_out(y, n, incy));
    return 0;
}

/* x and y change places. */
int usl_@P@swap(int64_t n, @T@ *x, int64_t incx, @T@ *y, int64_t incy)
{
    if (usl_dense2(n, x, incx, y, incy)) {
        @P@swap_body(n, usl_dense_out(x), usl_dense_out(y));
        return 0;
    }
    return usl_@P@swap_tested(n, x, incx, y, incy);
}

/* @rot */
USL_RARE usl_@P@rot_tested(int64_t n, @T@ *x, int64_t incx, @T@ *y, int64_t incy, @T@ c, @T@ s)
{
    if (!USL_SIZE(n))
        return 1;
    if (x == NULL && n > 0)
        return 2;
    if (!usl_reaches(n, incx))
        return 3;
    if (y == NULL && n > 0)
        return 4;
    if (!usl_reaches(n, incy))
        return 5;
    if (n == 0)
        return 0;
    if (!usl_apart(usl_vector(x, n, incx), usl_vector(y, n, incy)))
        return 4;
    @P@rot_body(n, &c, &s, usl_out(x, n, incx), usl_out(y, n, incy));
    return 0;
}

/* x = c x + s y, and y = c y - s x with x as it was. */
int usl_@P@rot(int64_t n, @T@ *x, int64_t incx, @T@ *y, int64_t incy, @T@ c, @T@ s)
{
    if (usl_dense2(n, x, incx, y, incy)) {
        @P@rot_body(n, &c, &s, usl_dense_out(x), usl_dense_out(y));
        return 0;
    }
    return usl_@P@rot_tested(n, x, incx, y, incy, c, s);
}

/* @gemv */
/* y = alpha A x + beta y, or with trans 112 (or 113) y = alpha A^T x + beta y; 111 is not transposed. A is row-major, m x n. Where alpha
 * is 0, A and x are not read; where beta is 0, y is not. */
int usl_@P@gemv(int trans, int64_t m, int64_t n, @T@ alpha, const @T@ *A, int64_t lda, const @T@ *x, int64_t incx, @T@ beta, @T@ *y, int64_t incy)
{
    if (trans < 111 || trans > 113)
        return 1;
    if (!USL_SIZE(m))
        return 2;
    if (!USL_SIZE(n))
        return 3;
    const int64_t nx = trans == 111 ? n : m, ny = trans == 111 ? m : n;
    const bool empty = m == 0 || n == 0;
    if (A == NULL && !empty)
        return 5;
    if (!USL_LD(lda, n) || !usl_reaches(m, lda))
        return 6;
    if (x == NULL && !empty)
        return 7;
    if (!usl_reaches(nx, incx))
        return 8;
    if (y == NULL && !empty)
        return 10;
    if (!usl_reaches(ny, incy))
        return 11;
    if (empty)
        return 0;
    const struct usl_place place = usl_vector(y, ny, incy);
    if (!usl_apart(usl_matrix(A, m, n, lda), place) || !usl_apart(usl_vector(x, nx, incx), place))
        return 10;
    const @READ2@ a = {A, {(ptrdiff_t)lda, 1}};
    const @READ1@ in = usl_in(x, nx, incx);
    const @WRITE1@ out = usl_out(y, ny, incy);
    if (beta != 0 || alpha == 0)
        usl_scale(ny, beta, out);
    return alpha == 0 || usl_times(trans != 111, m, n, beta != 0, alpha, a, in, out) == 0 ? 0 : -1;
}

/* @ger */
/* A = alpha x y^T + A. A is row-major, m x n. */
int usl_@P@ger(int64_t m, int64_t n, @T@ alpha, const @T@ *x, int64_t incx, const @T@ *y, int64_t incy, @T@ *A, int64_t lda)
{
    if (!USL_SIZE(m))
        return 1;
    if (!USL_SIZE(n))
        return 2;
    const bool empty = m == 0 || n == 0;
    if (x == NULL && !empty)
        return 4;
    if (!usl_reaches(m, incx))
        return 5;
    if (y == NULL && !empty)
        return 6;
    if (!usl_reaches(n, incy))
        return 7;
    if (A == NULL && !empty)
        return 8;
    if (!USL_LD(lda, n) || !usl_reaches(m, lda))
        return 9;
    if (empty)
        return 0;
    const struct usl_place place = usl_matrix(A, m, n, lda);
    if (!usl_apart(usl_vector(x, m, incx), place) || !usl_apart(usl_vector(y, n, incy), place))
        return 8;
    if (alpha == 0)
        return 0;
    const @WRITE2@ a = {A, {(ptrdiff_t)lda, 1}};
    return @P@ger_body(m, n, &alpha, usl_in(x, m, incx), usl_in(y, n, incy), a) == 0 ? 0 : -1;
}

/* @symv */
/* y = alpha A x + beta y for symmetric A, row-major, n x n, of which the upper (uplo 121) or lower (122) triangle is read. Where
 * alpha is 0, A and x are not read; where beta is 0, y is not. */
int usl_@P@symv(int uplo, int64_t n, @T@ alpha, const @T@ *A, int64_t lda, const @T@ *x, int64_t incx, @T@ beta, @T@ *y, int64_t incy)
{
    if (uplo != 121 && uplo != 122)
        return 1;
    if (!USL_SIZE(n))
        return 2;
    if (A == NULL && n > 0)
        return 4;
    if (!USL_LD(lda, n) || !usl_reaches(n, lda))
        return 5;
    if (x == NULL && n > 0)
        return 6;
    if (!usl_reaches(n, incx))
        return 7;
    if (y == NULL && n > 0)
        return 9;
    if (!usl_reaches(n, incy))
        return 10;
    if (n == 0)
        return 0;
    const struct usl_place place = usl_vector(y, n, incy);
    if (!usl_apart(usl_matrix(A, n, n, lda), place) || !usl_apart(usl_vector(x, n, incx), place))
        return 9;
    const @READ2@ a = {A, {(ptrdiff_t)lda, 1}};
    const @READ1@ in = usl_in(x, n, incx);
    const @WRITE1@ out = usl_out(y, n, incy);
    usl_scale(n, beta, out);
    if (alpha == 0)
        return 0;
    return (uplo == 121 ? @P@symv_upper_body(n, &alpha, a, in, out) : @P@symv_lower_body(n, &alpha, a, in, out)) == 0 ? 0 : -1;
}

/* @triangular */
int usl_@P@@NAME@(int uplo, int trans, int diag, int64_t n, const @T@ *A, int64_t lda, @T@ *x, int64_t incx)
{
    if (uplo != 121 && uplo != 122)
        return 1;
    if (trans < 111 || trans > 113)
        return 2;
    if (diag != 131 && diag != 132)
        return 3;
    if (!USL_SIZE(n))
        return 4;
    if (A == NULL && n > 0)
        return 5;
    if (!USL_LD(lda, n) || !usl_reaches(n, lda))
        return 6;
    if (x == NULL && n > 0)
        return 7;
    if (!usl_reaches(n, incx))
        return 8;
    if (n == 0)
        return 0;
    if (!usl_apart(usl_matrix(A, n, n, lda), usl_vector(x, n, incx)))
        return 7;
    const @READ2@ a = {A, {(ptrdiff_t)lda, 1}};
    const @WRITE1@ out = usl_out(x, n, incx);
    const int64_t unit = diag == 132;
    if (trans == 111)
        return (uplo == 121 ? @P@@NAME@_n_upper_body(n, unit, a, out) : @P@@NAME@_n_lower_body(n, unit, a, out)) == 0 ? 0 : -1;
    return (uplo == 121 ? @P@@NAME@_t_upper_body(n, unit, a, out) : @P@@NAME@_t_lower_body(n, unit, a, out)) == 0 ? 0 : -1;
}

/* @trmv */
/* x = A x, or with trans 112 (or 113) x = A^T x, for triangular A, row-major, n x n, of which the upper (uplo 121) or lower (122)
 * triangle is read; with diag 132 the diagonal is not read but all ones, with 131 it is. */
@TRIANGULAR@

/* @trsv */
/* Solves A z = x, or with trans 112 (or 113) A^T z = x, for z, and puts it in the place of x; A is triangular, row-major, n x n: the
 * upper (uplo 121) or lower (122) triangle is read; with diag 132 the diagonal is not read but all ones, with 131 it is. No test
 * is made of whether A is singular. */
@TRIANGULAR@
