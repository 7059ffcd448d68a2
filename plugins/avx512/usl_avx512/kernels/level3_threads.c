
/* ---- products on several threads: pieces of C, each by the way that the whole goes, so that every sum is added up as by one thread */

enum {
    USL_PIECES = 8,            /* pieces for each thread, so that who is slower does fewer, */
    USL_LEAST = 80000,         /* but none of fewer products of registers, of which a cycle has one or two: about 20 us; */
    USL_WORTH = 200000,        /* a whole that is shared has so many: a call of a sleeping worker takes about 10 us, too */
    USL_ROW_UNIT = 24,         /* rows of a piece: tiles have 6 or 8; */
    USL_ROWS_REPEATED = 10,    /* so many times that, where all pieces beside each other copy the same */
    USL_PANEL = 4 * USL_LANES, /* columns of a panel; high tiles have three registers */
    USL_HIGH_TILES = 128,      /* columns from which there are high tiles; */
    USL_BLOCK_K = 384,         /* longer sums of matrices as they are may be added up in blocks */
};

/* Products of few operations, which usl_product asks about before the way, are not shared. */
_Static_assert((int)USL_FEW < (int)USL_WORTH, "small products are not shared");

struct usl_pieces {
    enum usl_way way;
    bool vector; /* not by way: what usl_product does with one row or one column */
    int64_t m, n, k, rows, columns, row_unit, column_unit; /* so many pieces below each other and beside each other */
    int64_t before; /* whether something is in c */
    @T@ alpha, *a, *b, *c;
    ptrdiff_t a_row, a_column, b_row, b_column, c_row;
};

/* Where a piece begins, of so many of a length in units; the last one has what is no unit. */
static inline int64_t usl_begins(int64_t piece, int64_t pieces, int64_t unit, int64_t length)
{
    return piece == pieces ? length : piece * (length / unit) / pieces * unit;
}

static int usl_piece(const void *work, int64_t number)
{
    const struct usl_pieces *p = work;
    const int64_t row = number / p->columns, column = number % p->columns;
    const int64_t i = usl_begins(row, p->rows, p->row_unit, p->m), m = usl_begins(row + 1, p->rows, p->row_unit, p->m) - i;
    const int64_t j = usl_begins(column, p->columns, p->column_unit, p->n), n = usl_begins(column + 1, p->columns, p->column_unit, p->n) - j;
    @T@ *a = p->a + i * p->a_row, *b = p->b + j * p->b_column, *c = p->c + i * p->c_row + j;
    if (p->vector)
        return usl_product(m, n, p->k, p->before, p->alpha, a, p->a_row, p->a_column, b, p->b_row, p->b_column, c, p->c_row);
    return usl_by_way(p->way, m, n, p->k, p->before, p->alpha, a, p->a_row, p->a_column, b, p->b_row, p->b_column, c, p->c_row);
}

/* In how many pieces a length is cut: at most so many, each of so many units at least, but in one at least. */
static inline int64_t usl_cut(int64_t most, int64_t length, int64_t unit, int64_t least)
{
    const int64_t pieces = length / (unit * least);
    return pieces < 1 ? 1 : pieces < most ? pieces : most;
}

static int usl_in_pieces(int threads, int64_t pieces, struct usl_pieces p)
{
    const bool a_turned = p.a_column != 1, b_turned = p.b_column != 1;
    int64_t rows_least = 2, columns_least = 1; /* in units */
    bool rows_first = p.m > p.n;
    p.row_unit = USL_ROW_UNIT;
    p.column_unit = USL_PANEL;
    if (p.vector) {
        rows_least = 1;
        p.row_unit = p.column_unit = 4 * USL_PANEL;
    } else if (p.way == USL_DOTS || p.way == USL_DOTS_BY_BLOCKS) { /* tiles of 3 or 4 by 8 or 4, blocks of 16 and of 24 */
        p.row_unit = p.column_unit = 2 * USL_ROW_UNIT;
    } else if (p.way == USL_COLUMNS) { /* blocks of so many rows */
        p.row_unit = 8 * USL_PANEL;
    } else if (p.way == USL_AHEAD) { /* parts of rows of b that are not too short */
        columns_least = 4;
    } else if (p.way == USL_PANELS || ((p.way == USL_ROWS || p.way == USL_BANDS || p.way == USL_BANDS_FAR) && b_turned)) { /* pieces below each other copy the same of b */
        rows_first = false;
        rows_least = USL_ROWS_REPEATED;
        columns_least = 2;
    } else if (p.way == USL_BANDS || p.way == USL_BANDS_FAR) {
        rows_first = true;
    } else if (p.way == USL_ROWS && !a_turned) {
        p.column_unit = 3 * USL_PANEL < USL_HIGH_TILES ? 6 * USL_PANEL : 3 * USL_PANEL;
        if (p.k > USL_BLOCK_K && p.n >= 2 * USL_PANEL) /* what is left of columns depends on rows there */
            p.row_unit = p.m + 1;
    }
    for (int turn = 0; turn < 2 && (turn == 0 || p.rows * p.columns < threads); turn++, rows_least = columns_least = 1) {
        if (rows_first) {
            p.rows = usl_cut(pieces, p.m, p.row_unit, rows_least);
            p.columns = usl_cut((pieces + p.rows - 1) / p.rows, p.n, p.column_unit, columns_least);
        } else {
            p.columns = usl_cut(pieces, p.n, p.column_unit, columns_least);
            p.rows = usl_cut((pieces + p.columns - 1) / p.columns, p.m, p.row_unit, rows_least);
        }
    }
    return usl_share(threads, p.rows * p.columns, usl_piece, &p);
}

/* c += alpha a b like usl_product, on at most so many threads, if that pays. */
static int usl_product_shared(int threads, int64_t m, int64_t n, int64_t k, int64_t before, @T@ alpha, @T@ *a, ptrdiff_t a_row, ptrdiff_t a_column, @T@ *b,
                              ptrdiff_t b_row, ptrdiff_t b_column, @T@ *c, ptrdiff_t c_row)
{
    const double products = (double)m * (double)n * (double)k / USL_LANES;
    const bool strewn = m == 1 ? b_column == 1 : n == 1 && a_column != 1; /* a part of each row of a matrix for each piece */
    threads = products < USL_WORTH || k == 1 || strewn ? 1 : usl_granted(threads);
    if (threads == 1)
        return usl_product(m, n, k, before, alpha, a, a_row, a_column, b, b_row, b_column, c, c_row);
    const double most = products / USL_LEAST;
    const int64_t pieces = most < threads * USL_PIECES ? (int64_t)most : threads * USL_PIECES;
    struct usl_pieces p = {USL_ROWS, m == 1 || n == 1, m, n, k, 1, 1, 1, 1, before, alpha, a, b, c, a_row, a_column, b_row, b_column, c_row};
    if (p.vector)
        return usl_in_pieces(threads, pieces, p);
    p.way = usl_way(a_column != 1, b_column != 1, m, n, k);
    if (usl_one_column_left(p.way, m, n, k)) { /* as usl_product does it */
        const int bad = usl_product_shared(threads, m, n - 1, k, before, alpha, a, a_row, a_column, b, b_row, b_column, c, c_row);
        return usl_product_shared(threads, m, 1, k, before, alpha, a, a_row, a_column, b + (n - 1) * b_column, b_row, b_column, c + n - 1, c_row) | bad;
    }
    int bad = 0;
    if (p.way == USL_LARGE) { /* in blocks of columns; what is left, if it is no panel, goes by rows */
        const int64_t left = n % (m >= @MANY_ROWS@ ? @BLOCK_N@ : 2 * USL_PANEL);
        p.way = USL_PANELS;
        if (left > 0 && left < USL_PANEL) {
            struct usl_pieces last = p;
            last.way = USL_ROWS;
            last.n = left;
            last.b += (n - left) * b_column;
            last.c += n - left;
            bad = usl_in_pieces(threads, pieces, last);
            p.n -= left;
        }
    }
    return usl_in_pieces(threads, pieces, p) | bad;
}

static int usl_multiply_shared(int threads, int64_t m, int64_t n, int64_t k, int64_t before, @T@ alpha, struct usl_view a, struct usl_view b, struct usl_view c)
{
    if (n > 1 && c.column != 1)
        return usl_product_shared(threads, n, m, k, before, alpha, b.data, b.column, b.row, a.data, a.column, a.row, c.data, c.column);
    return usl_product_shared(threads, m, n, k, before, alpha, a.data, a.row, a.column, b.data, b.row, b.column, c.data, c.row);
}

/* ---- batches: each product is one piece, or, where they are few and large, cut into pieces */

struct usl_batch {
    bool rows;
    int trans_a, trans_b;
    int64_t m, n, k, lda, ldb, ldc, stride_a, stride_b, stride_c;
    @T@ alpha, beta, *c;
    const @T@ *a, *b;
    int64_t some, count; /* products of a piece, and of all */
};

static int usl_some_of_batch(const void *work, int64_t piece)
{
    const struct usl_batch *p = work;
    int bad = 0;
    for (int64_t i = piece * p->some; i < (piece + 1) * p->some && i < p->count; i++)
        bad |= usl_gemm_of(1, p->rows, p->trans_a, p->trans_b, p->m, p->n, p->k, p->alpha, p->a + i * p->stride_a, p->lda, p->b + i * p->stride_b, p->ldb,
                           p->beta, p->c + i * p->stride_c, p->ldc);
    return bad;
}

static int usl_batch_of(int threads, bool rows, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, @T@ alpha, const @T@ *a, int64_t lda,
                        int64_t stride_a, const @T@ *b, int64_t ldb, int64_t stride_b, @T@ beta, @T@ *c, int64_t ldc, int64_t stride_c, int64_t count)
{
    const double products = (double)m * (double)n * (double)k / USL_LANES;
    if (threads > 1 && count < 2 * threads && products >= USL_WORTH) {
        int bad = 0;
        for (int64_t i = 0; i < count; i++)
            bad |= usl_gemm_of(threads, rows, trans_a, trans_b, m, n, k, alpha, a + i * stride_a, lda, b + i * stride_b, ldb, beta, c + i * stride_c, ldc);
        return bad;
    }
    struct usl_batch p = {rows, trans_a, trans_b, m, n, k, lda, ldb, ldc, stride_a, stride_b, stride_c, alpha, beta, c, a, b, count, count};
    threads = products * (double)count < USL_WORTH ? 1 : usl_granted(threads);
    if (threads > 1 && stride_c > 0) {
        const double least = USL_LEAST / (products < 1 ? 1 : products), each = (double)count / threads / USL_PIECES;
        p.some = (int64_t)(least > each ? least : each) + 1;
    }
    return usl_share(threads, (count + p.some - 1) / p.some, usl_some_of_batch, &p);
}
