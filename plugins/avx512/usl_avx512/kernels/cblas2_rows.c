
/* ---- CBLAS: level 2 on banded and packed matrices, and symmetric updates: a row at a time, by the kernels of level 1
 *
 * A column-major matrix is its row-major transpose. Element (i, c) of a triangle or band is at row(i) + c, and those that are there,
 * in row i, go from first(i) to last(i). */

enum usl_storage { USL_FULL, USL_BAND, USL_PACKED };

struct usl_rows {
    enum usl_storage storage;
    int n, below, above; /* columns; how many elements of a row are at most before and after the diagonal */
    ptrdiff_t ld;
};

static inline ptrdiff_t usl_row(const struct usl_rows *m, int i)
{
    if (m->storage == USL_FULL)
        return i * m->ld;
    if (m->storage == USL_BAND)
        return i * m->ld + m->below - i;
    return m->below == 0 ? (ptrdiff_t)i * (2 * (ptrdiff_t)m->n - i - 1) / 2 : (ptrdiff_t)i * (i + 1) / 2;
}

static inline int usl_first(const struct usl_rows *m, int i)
{
    return i > m->below ? i - m->below : 0;
}

static inline int usl_last(const struct usl_rows *m, int i)
{
    return m->n - 1 - i > m->above ? i + m->above : m->n - 1;
}

/* Triangles of n rows of which k elements beside the diagonal are stored. */
static inline struct usl_rows usl_triangle_rows(enum usl_storage storage, bool upper, int n, int k, ptrdiff_t ld)
{
    return (struct usl_rows){storage, n, upper ? 0 : k, upper ? k : 0, ld};
}

/* Elements from number `from` on of a vector. */
static inline @READ1@ usl_read_from(@WRITE1@ x, int from)
{
    return (@READ1@){x.data + from * x.strides[0], {x.strides[0]}};
}

static inline @WRITE1@ usl_write_from(@WRITE1@ x, int from)
{
    return (@WRITE1@){x.data + from * x.strides[0], {x.strides[0]}};
}

static inline @WRITE1@ usl_row_from(@T@ *row, int from)
{
    return (@WRITE1@){row + from, {1}};
}

static inline @T@ usl_sum(const @T@ *row, @WRITE1@ x, int from, int to)
{
    @T@ sum = 0;
    if (to > from)
        @P@dot_body(to - from, (@READ1@){row + from, {1}}, usl_read_from(x, from), &sum);
    return sum;
}

static inline void usl_add(@T@ factor, const @T@ *row, @WRITE1@ y, int from, int to)
{
    if (to > from && factor != 0)
        @P@axpy_body(to - from, &factor, (@READ1@){row + from, {1}}, usl_write_from(y, from));
}

/* x as a vector whose elements could be written, which they are not. */
static inline @WRITE1@ usl_window(const @T@ *x, int n, int inc)
{
    return usl_write((@T@ *)(uintptr_t)x, n, inc);
}

/* y = alpha A x + beta y, A symmetric. */
static void usl_symmetric(const struct usl_rows *m, @T@ alpha, const @T@ *a, const @T@ *x, int incx, @T@ beta, @T@ *y, int incy)
{
    const @WRITE1@ X = usl_window(x, m->n, incx), Y = usl_write(y, m->n, incy);
    usl_scale(m->n, beta, Y);
    for (int i = 0; alpha != 0 && i < m->n; i++) {
        const @T@ *row = a + usl_row(m, i), factor = alpha * X.data[i * X.strides[0]];
        const int from = m->below == 0 ? i + 1 : usl_first(m, i), to = m->below == 0 ? usl_last(m, i) + 1 : i;
        usl_add(factor, row, Y, from, to);
        Y.data[i * Y.strides[0]] += factor * row[i] + alpha * usl_sum(row, X, from, to);
    }
}

/* x = A x, or A^T x, or x with which A (or A^T) gives what x was; A is triangular. */
static void usl_triangular(const struct usl_rows *m, bool solve, bool trans, bool unit, const @T@ *a, @T@ *x, int incx)
{
    const @WRITE1@ X = usl_write(x, m->n, incx);
    const bool upper = m->below == 0, up = (upper == trans) != solve; /* whether from the last row to the first */
    for (int k = 0; k < m->n; k++) {
        const int i = up ? m->n - 1 - k : k;
        const @T@ *row = a + usl_row(m, i);
        @T@ *const own = &X.data[i * X.strides[0]];
        const int from = upper ? i + 1 : usl_first(m, i), to = upper ? usl_last(m, i) + 1 : i;
        if (solve) {
            if (!trans)
                *own -= usl_sum(row, X, from, to);
            if (!unit)
                *own /= row[i];
            if (trans)
                usl_add(-*own, row, X, from, to);
        } else {
            if (trans)
                usl_add(*own, row, X, from, to);
            if (!unit)
                *own *= row[i];
            if (!trans)
                *own += usl_sum(row, X, from, to);
        }
    }
}

/* A = alpha x y^T + alpha y x^T + A, or alpha x x^T + A where y is NULL, the stored half. */
static void usl_update(const struct usl_rows *m, @T@ alpha, const @T@ *x, int incx, const @T@ *y, int incy, @T@ *a)
{
    const @WRITE1@ X = usl_window(x, m->n, incx), Y = y == NULL ? X : usl_window(y, m->n, incy);
    for (int i = 0; alpha != 0 && i < m->n; i++) {
        const int from = usl_first(m, i), count = usl_last(m, i) + 1 - from;
        const @T@ by_x = alpha * X.data[i * X.strides[0]], by_y = alpha * Y.data[i * Y.strides[0]];
        const @WRITE1@ row = usl_row_from(a + usl_row(m, i), from);
        if (by_x != 0)
            @P@axpy_body(count, &by_x, usl_read_from(Y, from), row);
        if (y != NULL && by_y != 0)
            @P@axpy_body(count, &by_y, usl_read_from(X, from), row);
    }
}

void cblas_@P@gbmv(int layout, int trans, int m, int n, int kl, int ku, @T@ alpha, const @T@ *a, int lda, const @T@ *x, int incx, @T@ beta, @T@ *y, int incy)
{
    static const char name[] = "cblas_@P@gbmv";
    const bool rows = layout == 101, plain = (trans == 111) == rows;
    if (!USL_LAYOUT(layout))
        USL_REFUSE(1, name);
    if (trans < 111 || trans > 113)
        USL_REFUSE(2, name);
    const int bad = m < 0 ? 3 : n < 0 ? 4 : kl < 0 ? 5 : ku < 0 ? 6 : lda < (int64_t)kl + ku + 1 ? 9 : incx == 0 ? 11 : incy == 0 ? 14 : 0;
    if (bad != 0)
        usl_bad(rows, bad < 5 ? 3 : 5, bad < 5 ? 4 : 6, bad, name);
    if (bad != 0 || m == 0 || n == 0)
        return;
    const int high = rows ? m : n, wide = rows ? n : m, nx = plain ? wide : high, ny = plain ? high : wide;
    const struct usl_rows band = {USL_BAND, wide, rows ? kl : ku, rows ? ku : kl, lda};
    const @WRITE1@ X = usl_window(x, nx, incx), Y = usl_write(y, ny, incy);
    usl_scale(ny, beta, Y);
    for (int i = 0; alpha != 0 && i < high; i++) {
        const @T@ *row = a + usl_row(&band, i);
        const int from = usl_first(&band, i), to = usl_last(&band, i) + 1;
        if (plain)
            Y.data[i * Y.strides[0]] += alpha * usl_sum(row, X, from, to);
        else
            usl_add(alpha * X.data[i * X.strides[0]], row, Y, from, to);
    }
}

#define USL_HALF(routine, checks) \
    const bool rows = layout == 101, upper = (uplo == 121) == rows; \
    static const char name[] = routine; \
    if (!USL_LAYOUT(layout)) \
        USL_REFUSE(1, name); \
    if (uplo != 121 && uplo != 122) \
        USL_REFUSE(2, name); \
    const int bad = checks; \
    if (bad != 0) \
        usl_bad(rows, 0, 0, bad, name); \
    if (bad != 0 || n == 0) \
        return

void cblas_@P@sbmv(int layout, int uplo, int n, int k, @T@ alpha, const @T@ *a, int lda, const @T@ *x, int incx, @T@ beta, @T@ *y, int incy)
{
    USL_HALF("cblas_@P@sbmv", n < 0 ? 3 : k < 0 ? 4 : lda < (int64_t)k + 1 ? 7 : incx == 0 ? 9 : incy == 0 ? 12 : 0);
    const struct usl_rows band = usl_triangle_rows(USL_BAND, upper, n, k, lda);
    usl_symmetric(&band, alpha, a, x, incx, beta, y, incy);
}

void cblas_@P@spmv(int layout, int uplo, int n, @T@ alpha, const @T@ *ap, const @T@ *x, int incx, @T@ beta, @T@ *y, int incy)
{
    USL_HALF("cblas_@P@spmv", n < 0 ? 3 : incx == 0 ? 7 : incy == 0 ? 10 : 0);
    const struct usl_rows packed = usl_triangle_rows(USL_PACKED, upper, n, n, 0);
    usl_symmetric(&packed, alpha, ap, x, incx, beta, y, incy);
}

void cblas_@P@syr(int layout, int uplo, int n, @T@ alpha, const @T@ *x, int incx, @T@ *a, int lda)
{
    USL_HALF("cblas_@P@syr", n < 0 ? 3 : incx == 0 ? 6 : !USL_LD(lda, n) ? 8 : 0);
    const struct usl_rows full = usl_triangle_rows(USL_FULL, upper, n, n, lda);
    usl_update(&full, alpha, x, incx, NULL, 1, a);
}

void cblas_@P@syr2(int layout, int uplo, int n, @T@ alpha, const @T@ *x, int incx, const @T@ *y, int incy, @T@ *a, int lda)
{
    USL_HALF("cblas_@P@syr2", n < 0 ? 3 : incx == 0 ? 6 : incy == 0 ? 8 : !USL_LD(lda, n) ? 10 : 0);
    const struct usl_rows full = usl_triangle_rows(USL_FULL, upper, n, n, lda);
    usl_update(&full, alpha, x, incx, y, incy, a);
}

void cblas_@P@spr(int layout, int uplo, int n, @T@ alpha, const @T@ *x, int incx, @T@ *ap)
{
    USL_HALF("cblas_@P@spr", n < 0 ? 3 : incx == 0 ? 6 : 0);
    const struct usl_rows packed = usl_triangle_rows(USL_PACKED, upper, n, n, 0);
    usl_update(&packed, alpha, x, incx, NULL, 1, ap);
}

void cblas_@P@spr2(int layout, int uplo, int n, @T@ alpha, const @T@ *x, int incx, const @T@ *y, int incy, @T@ *ap)
{
    USL_HALF("cblas_@P@spr2", n < 0 ? 3 : incx == 0 ? 6 : incy == 0 ? 8 : 0);
    const struct usl_rows packed = usl_triangle_rows(USL_PACKED, upper, n, n, 0);
    usl_update(&packed, alpha, x, incx, y, incy, ap);
}

/* What is wrong with the options of a triangle, 0 if nothing is. */
static inline int usl_bad_options(int layout, int uplo, int trans, int diag)
{
    return !USL_LAYOUT(layout) ? 1 : uplo != 121 && uplo != 122 ? 2 : trans < 111 || trans > 113 ? 3 : diag != 131 && diag != 132 ? 4 : 0;
}

static void usl_band_triangle(bool solve, const char *name, int layout, int uplo, int trans, int diag, int n, int k, const @T@ *a, int lda, @T@ *x, int incx)
{
    const bool rows = layout == 101;
    const int options = usl_bad_options(layout, uplo, trans, diag);
    if (options != 0)
        USL_REFUSE(options, name);
    const int bad = n < 0 ? 5 : k < 0 ? 6 : lda < (int64_t)k + 1 ? 8 : incx == 0 ? 10 : 0;
    if (bad != 0)
        usl_bad(rows, 0, 0, bad, name);
    if (bad != 0 || n == 0)
        return;
    const struct usl_rows band = usl_triangle_rows(USL_BAND, (uplo == 121) == rows, n, k, lda);
    usl_triangular(&band, solve, (trans != 111) == rows, diag == 132, a, x, incx);
}

static void usl_packed_triangle(bool solve, const char *name, int layout, int uplo, int trans, int diag, int n, const @T@ *ap, @T@ *x, int incx)
{
    const bool rows = layout == 101;
    const int options = usl_bad_options(layout, uplo, trans, diag);
    if (options != 0)
        USL_REFUSE(options, name);
    const int bad = n < 0 ? 5 : incx == 0 ? 8 : 0;
    if (bad != 0)
        usl_bad(rows, 0, 0, bad, name);
    if (bad != 0 || n == 0)
        return;
    const struct usl_rows packed = usl_triangle_rows(USL_PACKED, (uplo == 121) == rows, n, n, 0);
    usl_triangular(&packed, solve, (trans != 111) == rows, diag == 132, ap, x, incx);
}

void cblas_@P@tbmv(int layout, int uplo, int trans, int diag, int n, int k, const @T@ *a, int lda, @T@ *x, int incx)
{
    usl_band_triangle(false, "cblas_@P@tbmv", layout, uplo, trans, diag, n, k, a, lda, x, incx);
}

void cblas_@P@tbsv(int layout, int uplo, int trans, int diag, int n, int k, const @T@ *a, int lda, @T@ *x, int incx)
{
    usl_band_triangle(true, "cblas_@P@tbsv", layout, uplo, trans, diag, n, k, a, lda, x, incx);
}

void cblas_@P@tpmv(int layout, int uplo, int trans, int diag, int n, const @T@ *ap, @T@ *x, int incx)
{
    usl_packed_triangle(false, "cblas_@P@tpmv", layout, uplo, trans, diag, n, ap, x, incx);
}

void cblas_@P@tpsv(int layout, int uplo, int trans, int diag, int n, const @T@ *ap, @T@ *x, int incx)
{
    usl_packed_triangle(true, "cblas_@P@tpsv", layout, uplo, trans, diag, n, ap, x, incx);
}
