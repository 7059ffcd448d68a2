
/* ---- CBLAS: levels 1 and 2 in the standard's words, see cblas.h */

#include <math.h>

static inline @READ1@ usl_read(const @T@ *x, int n, int inc)
{
    return (@READ1@){inc < 0 ? x + (ptrdiff_t)(1 - n) * inc : x, {inc}};
}

static inline @WRITE1@ usl_write(@T@ *x, int n, int inc)
{
    return (@WRITE1@){inc < 0 ? x + (ptrdiff_t)(1 - n) * inc : x, {inc}};
}

void cblas_@P@axpy(int n, @T@ alpha, const @T@ *x, int incx, @T@ *y, int incy)
{
    if (n < 1 || alpha == 0)
        return;
    if (incy != 0)
        @P@axpy_body(n, &alpha, usl_read(x, n, incx), usl_write(y, n, incy));
    else
        for (int i = 0; i < n; i++)
            *y += alpha * usl_read(x, n, incx).data[(ptrdiff_t)i * incx];
}

void cblas_@P@scal(int n, @T@ alpha, @T@ *x, int incx)
{
    if (n > 0 && incx > 0)
        @P@scal_body(n, &alpha, usl_write(x, n, incx));
}

@T@ cblas_@P@dot(int n, const @T@ *x, int incx, const @T@ *y, int incy)
{
    @T@ sum = 0;
    if (n > 0)
        @P@dot_body(n, usl_read(x, n, incx), usl_read(y, n, incy), &sum);
    return sum;
}

@T@ cblas_@P@asum(int n, const @T@ *x, int incx)
{
    @T@ sum = 0;
    if (n > 0 && incx > 0)
        @P@asum_body(n, usl_read(x, n, incx), &sum);
    return sum;
}

@T@ cblas_@P@nrm2(int n, const @T@ *x, int incx)
{
    @T@ norm = 0;
    if (n > 0 && incx != 0)
        @P@nrm2_body(n, usl_read(x, n, incx), &norm);
    else if (n > 0)
        norm = (@T@)sqrt((double)n) * (*x < 0 ? -*x : *x);
    return norm;
}

size_t cblas_i@P@amax(int n, const @T@ *x, int incx)
{
    int64_t position = 0;
    if (n > 0 && incx == 1)
        position = usl_i@P@amax_dense(n, x);
    else if (n > 0 && incx > 0)
        i@P@amax_body(n, usl_read(x, n, incx), &position);
    return (size_t)position;
}

void cblas_@P@copy(int n, const @T@ *x, int incx, @T@ *y, int incy)
{
    if (n > 0)
        @P@copy_body(n, usl_read(x, n, incx), usl_write(y, n, incy));
}

void cblas_@P@swap(int n, @T@ *x, int incx, @T@ *y, int incy)
{
    if (n > 0)
        @P@swap_body(n, usl_write(x, n, incx), usl_write(y, n, incy));
}

void cblas_@P@rot(int n, @T@ *x, int incx, @T@ *y, int incy, @T@ c, @T@ s)
{
    if (n > 0)
        @P@rot_body(n, &c, &s, usl_write(x, n, incx), usl_write(y, n, incy));
}

/* x, y = h11 x + h12 y, h21 x + h22 y; the first parameter says which of the others are there, and which are 0, 1 and -1. */
void cblas_@P@rotm(int n, @T@ *x, int incx, @T@ *y, int incy, const @T@ *parameters)
{
    const @T@ flag = parameters[0];
    if (n < 1 || flag == -2)
        return;
    const @T@ h11 = flag == 0 ? 1 : parameters[1], h22 = flag == 0 ? 1 : parameters[4];
    const @T@ h21 = flag > 0 ? -1 : parameters[2], h12 = flag > 0 ? 1 : parameters[3];
    const @WRITE1@ X = usl_write(x, n, incx), Y = usl_write(y, n, incy);
    for (ptrdiff_t i = 0; i < n; i++) {
        const @T@ u = X.data[i * X.strides[0]], v = Y.data[i * Y.strides[0]];
        X.data[i * X.strides[0]] = h11 * u + h12 * v;
        Y.data[i * Y.strides[0]] = h21 * u + h22 * v;
    }
}

/* Keep a scale of a modified rotation between gam^-2 and gam^2: so many times as is needed, d gets gam^2 (or its inverse), and the
 * row of the matrix, and x, the inverse of gam (or gam). */
static void usl_rescale(@T@ *d, @T@ *x, @T@ *one, @T@ *other)
{
    const @T@ gam = 4096, square = gam * gam;
    for (@T@ size = *d < 0 ? -*d : *d; size != 0 && (size <= 1 / square || size >= square); size = *d < 0 ? -*d : *d) {
        const bool small = size <= 1 / square;
        const @T@ by = small ? 1 / gam : gam;
        *d *= small ? square : 1 / square;
        *one *= by;
        *other *= by;
        if (x != NULL)
            *x *= by;
    }
}

/* The modified rotation that makes the second of (sqrt(d1) x1, sqrt(d2) y1) zero (Lawson, Hanson, Kincaid, Krogh 1979). */
void cblas_@P@rotmg(@T@ *d1, @T@ *d2, @T@ *x1, @T@ y1, @T@ *parameters)
{
    const @T@ p1 = *d1 * *x1, p2 = *d2 * y1, q1 = p1 * *x1, q2 = p2 * y1;
    const @T@ size1 = q1 < 0 ? -q1 : q1, size2 = q2 < 0 ? -q2 : q2;
    @T@ h11 = 1, h12 = 1, h21 = -1, h22 = 1, flag;
    if (*d1 >= 0 && p2 == 0) {
        parameters[0] = -2;
        return;
    }
    if (size1 > size2)
        h21 = -y1 / *x1, h12 = p2 / p1;
    const @T@ u = 1 - h12 * h21;
    if (*d1 < 0 || (size1 > size2 ? u <= 0 : q2 < 0)) { /* no rotation does it */
        parameters[0] = -1, parameters[1] = 0, parameters[2] = 0, parameters[3] = 0, parameters[4] = 0;
        *d1 = 0, *d2 = 0, *x1 = 0;
        return;
    }
    if (size1 > size2) {
        flag = 0;
        *d1 /= u, *d2 /= u, *x1 *= u;
    } else {
        flag = 1;
        h11 = p1 / p2, h22 = *x1 / y1;
        const @T@ w = 1 + h11 * h22, before = *d1;
        *d1 = *d2 / w, *d2 = before / w, *x1 = y1 * w;
    }
    const @T@ first = *d1, second = *d2;
    usl_rescale(d1, x1, &h11, &h12);
    usl_rescale(d2, NULL, &h21, &h22);
    if (*d1 != first || *d2 != second)
        flag = -1; /* none of the elements is 1 or -1 any more */
    parameters[0] = flag;
    if (flag < 0)
        parameters[1] = h11, parameters[2] = h21, parameters[3] = h12, parameters[4] = h22;
    else if (flag == 0)
        parameters[2] = h21, parameters[3] = h12;
    else
        parameters[1] = h11, parameters[4] = h22;
}

/* The rotation that takes (a, b) to (r, 0), r in the place of a, and what it can be found from again in that of b (Lawson, Hanson,
 * Kincaid, Krogh 1979). */
void cblas_@P@rotg(@T@ *a, @T@ *b, @T@ *c, @T@ *s)
{
    const @T@ size_a = *a < 0 ? -*a : *a, size_b = *b < 0 ? -*b : *b, scale = size_a + size_b;
    if (scale == 0) {
        *c = 1, *s = 0, *a = 0, *b = 0;
        return;
    }
    const @T@ left = *a / scale, right = *b / scale;
    @T@ r = scale * (@T@)sqrt((double)(left * left + right * right));
    if ((size_a > size_b ? *a : *b) < 0)
        r = -r;
    *c = *a / r;
    *s = *b / r;
    *b = size_a > size_b ? *s : *c != 0 ? 1 / *c : 1;
    *a = r;
}

void cblas_@P@gemv(int layout, int trans, int m, int n, @T@ alpha, const @T@ *a, int lda, const @T@ *x, int incx, @T@ beta, @T@ *y, int incy)
{
    static const char name[] = "cblas_@P@gemv";
    const bool rows = layout == 101, plain = (trans == 111) == rows; /* whether what is in memory as rows times x is asked for */
    if (!USL_LAYOUT(layout))
        USL_REFUSE(1, name);
    if (trans < 111 || trans > 113)
        USL_REFUSE(2, name);
    const int bad = m < 0 ? 3 : n < 0 ? 4 : !USL_LD(lda, rows ? n : m) ? 7 : incx == 0 ? 9 : incy == 0 ? 12 : 0;
    if (bad != 0)
        usl_bad(rows, 3, 4, bad, name);
    if (bad != 0 || m == 0 || n == 0)
        return;
    const int high = rows ? m : n, wide = rows ? n : m, nx = plain ? wide : high, ny = plain ? high : wide;
    const @READ2@ A = {a, {lda, 1}};
    const @READ1@ X = usl_read(x, nx, incx);
    const @WRITE1@ Y = usl_write(y, ny, incy);
    if (beta != 0 || alpha == 0)
        usl_scale(ny, beta, Y);
    if (alpha != 0 && usl_times(!plain, high, wide, beta != 0, alpha, A, X, Y) != 0)
        usl_no_memory(name);
}

void cblas_@P@ger(int layout, int m, int n, @T@ alpha, const @T@ *x, int incx, const @T@ *y, int incy, @T@ *a, int lda)
{
    static const char name[] = "cblas_@P@ger";
    const bool rows = layout == 101;
    if (!USL_LAYOUT(layout))
        USL_REFUSE(1, name);
    const int bad = m < 0 ? 2 : n < 0 ? 3 : incx == 0 ? 6 : incy == 0 ? 8 : !USL_LD(lda, rows ? n : m) ? 10 : 0;
    if (bad != 0)
        usl_bad(rows, bad < 4 ? 2 : 6, bad < 4 ? 3 : 8, bad, name);
    if (bad != 0 || m == 0 || n == 0 || alpha == 0)
        return;
    const @READ1@ X = usl_read(x, m, incx), Y = usl_read(y, n, incy);
    if (@P@ger_body(rows ? m : n, rows ? n : m, &alpha, rows ? X : Y, rows ? Y : X, (@WRITE2@){a, {lda, 1}}) != 0)
        usl_no_memory(name);
}

void cblas_@P@symv(int layout, int uplo, int n, @T@ alpha, const @T@ *a, int lda, const @T@ *x, int incx, @T@ beta, @T@ *y, int incy)
{
    static const char name[] = "cblas_@P@symv";
    const bool rows = layout == 101;
    if (!USL_LAYOUT(layout))
        USL_REFUSE(1, name);
    if (uplo != 121 && uplo != 122)
        USL_REFUSE(2, name);
    const int bad = n < 0 ? 3 : !USL_LD(lda, n) ? 6 : incx == 0 ? 8 : incy == 0 ? 11 : 0;
    if (bad != 0)
        usl_bad(rows, 0, 0, bad, name);
    if (bad != 0 || n == 0)
        return;
    const @READ2@ A = {a, {lda, 1}};
    const @READ1@ X = usl_read(x, n, incx);
    const @WRITE1@ Y = usl_write(y, n, incy);
    usl_scale(n, beta, Y);
    if (alpha != 0 && ((uplo == 121) == rows ? @P@symv_upper_body(n, &alpha, A, X, Y) : @P@symv_lower_body(n, &alpha, A, X, Y)) != 0)
        usl_no_memory(name);
}

typedef int usl_triangle_kernel(int64_t, int64_t, @READ2@, @WRITE1@);

/* kernels: of a matrix as it is, upper and lower, and of the transposed one */
static void usl_cblas_triangle(usl_triangle_kernel *const kernels[4], const char *name, int layout, int uplo, int trans, int diag, int n, const @T@ *a, int lda, @T@ *x, int incx)
{
    const bool rows = layout == 101;
    if (!USL_LAYOUT(layout))
        USL_REFUSE(1, name);
    if (uplo != 121 && uplo != 122)
        USL_REFUSE(2, name);
    if (trans < 111 || trans > 113)
        USL_REFUSE(3, name);
    if (diag != 131 && diag != 132)
        USL_REFUSE(4, name);
    const int bad = n < 0 ? 5 : !USL_LD(lda, n) ? 7 : incx == 0 ? 9 : 0;
    if (bad != 0)
        usl_bad(rows, 0, 0, bad, name);
    if (bad != 0 || n == 0)
        return;
    const int kernel = 2 * ((trans != 111) == rows) + ((uplo == 122) == rows);
    if (kernels[kernel](n, diag == 132, (@READ2@){a, {lda, 1}}, usl_write(x, n, incx)) != 0)
        usl_no_memory(name);
}

void cblas_@P@trmv(int layout, int uplo, int trans, int diag, int n, const @T@ *a, int lda, @T@ *x, int incx)
{
    static usl_triangle_kernel *const kernels[] = {@P@trmv_n_upper_body, @P@trmv_n_lower_body, @P@trmv_t_upper_body, @P@trmv_t_lower_body};
    usl_cblas_triangle(kernels, "cblas_@P@trmv", layout, uplo, trans, diag, n, a, lda, x, incx);
}

void cblas_@P@trsv(int layout, int uplo, int trans, int diag, int n, const @T@ *a, int lda, @T@ *x, int incx)
{
    static usl_triangle_kernel *const kernels[] = {@P@trsv_n_upper_body, @P@trsv_n_lower_body, @P@trsv_t_upper_body, @P@trsv_t_lower_body};
    usl_cblas_triangle(kernels, "cblas_@P@trsv", layout, uplo, trans, diag, n, a, lda, x, incx);
}
