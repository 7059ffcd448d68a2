
/* The CBLAS-shaped entries, see the header. */

#include <string.h>

#define USL_SIZE(n) ((n) >= 0 && (n) <= INT32_MAX)
#define USL_LD(ld, n) ((ld) >= ((n) > 1 ? (n) : 1))
#define USL_TRANS(t) ((t) >= 111 && (t) <= 113)
#define USL_UPLO(u) ((u) == 121 || (u) == 122)
#define USL_DIAG(d) ((d) == 131 || (d) == 132)
#define USL_SIDE(s) ((s) == 141 || (s) == 142)

#if defined(__GNUC__)
#define USL_NOINLINE __attribute__((noinline))
#define USL_WITHIN static inline __attribute__((always_inline))
#else
#define USL_NOINLINE
#define USL_WITHIN static inline
#endif

enum {
    USL_LANES = 64 / sizeof(@T@), /* elements of a register */
    USL_BLOCK = 64,   /* rows of a triangle that is done by itself */
    USL_ALONE = 2048, /* rows of one that is done by itself with a single column: what is beside it is too small for threads */
    USL_SQUARE = 96,  /* rows of a square on the diagonal of a symmetric matrix, */
    USL_UPDATED = 48, /* and of one that is updated, of which half is for nothing */
    USL_WIDTH = 256 / sizeof(@T@), /* columns of a right-hand side that are done at a time */
    USL_FAR = (16 << 20) / sizeof(@T@), /* elements of a c that is too large for a part of a cache that others use as well */
    USL_NEAR = (20 << 20) / sizeof(@T@), /* elements of a c from which rows that are only written come faster eight at a time, */
    USL_OF_Y = 8192 / sizeof(@T@), /* elements of a vector that stay in the first-level cache beside c */
    USL_BEGUN = 4,    /* rows that are begun before any of them is done to its end: their lines may go to the same place of a cache */
    USL_MANY = 256,
    USL_FEW = 280,    /* products of registers up to which rows of C in registers are fastest without a question asked */
    USL_FEW_DOWN = sizeof(@T@) == 8 ? 4 * USL_LANES : USL_LANES + 1, /* columns of one that is turned over at its end */
    USL_SUMS_APART = 16, /* terms from which tiles of few sums have partial ones (`gemm.tiles`) */
    USL_LONG_SUMS = 64, /* terms from which sums are long, */
    USL_THIN = 24,    /* and up to so many rows or columns C has few */
    USL_SAME_PLACES = 4096, /* bytes apart is at the same place of a first-level cache */
    USL_NARROW = 64,  /* up to so many columns of C, or twice as many rows if both others are turned, registers may hold columns */
};

/* A matrix anywhere in memory: where its first element is, and how far rows and columns are apart; one of the two is 1. */
struct usl_view {
    @T@ *data;
    ptrdiff_t row, column;
};

static inline struct usl_view usl_view(const @T@ *data, int64_t ld, bool turned)
{
    return turned ? (struct usl_view){(@T@ *)data, 1, (ptrdiff_t)ld} : (struct usl_view){(@T@ *)data, (ptrdiff_t)ld, 1};
}

static inline struct usl_view usl_turned(struct usl_view a)
{
    return (struct usl_view){a.data, a.column, a.row};
}

/* The part that begins at row i and column j. */
static inline struct usl_view usl_from(struct usl_view a, int64_t i, int64_t j)
{
    return (struct usl_view){a.data + (ptrdiff_t)i * a.row + (ptrdiff_t)j * a.column, a.row, a.column};
}

static inline @T@ *usl_at(struct usl_view a, int64_t i, int64_t j)
{
    return a.data + (ptrdiff_t)i * a.row + (ptrdiff_t)j * a.column;
}

enum usl_way {
    USL_ROWS,    /* a register holds part of a row of C */
    USL_COLUMNS, /* part of a column */
    USL_DOTS,    /* terms of one sum: rows of a are multiplied with rows of b, a few at a time with all of b, */
    USL_DOTS_BY_BLOCKS,  /* or all of them with a few of b, where b comes from far away */
    USL_AHEAD,   /* like USL_ROWS, some rows of b at a time, and the next ones are asked for: b comes from memory */
    USL_BANDS,   /* like USL_ROWS, a few rows at a time from their beginning to their end, */
    USL_BANDS_FAR, /* or a few more, as c comes from memory */
    USL_LARGE,   /* like USL_ROWS, and panels of b are packed */
    USL_PANELS,  /* a part of a large product, of at least one panel */
};

/* Whether bands of rows pay, by `gemm.blocks.worth_bands`. */
static inline bool usl_bands_pay(int64_t N, int64_t K)
{
    return @WORTH_BANDS@;
}

/* Whether packing pays, by `gemm.blocks.worth_packing`. */
static inline bool usl_packing_pays(bool a_turned, bool b_turned, int64_t M, int64_t N, int64_t K)
{
    if (a_turned)
        return b_turned ? @WORTH_TT@ : @WORTH_TN@;
    return b_turned ? @WORTH_NT@ : @WORTH_NN@;
}

/* Whether n x k numbers that m rows are multiplied with are so many that they come from far away, and more than once. */
static inline bool usl_far(int64_t m, int64_t n, int64_t k)
{
    return m > 4 && n >= USL_MANY && k >= USL_MANY;
}

/* Whether n x k numbers come from memory, for so few rows that packing does not pay and so small a C that it stays near: it is read
 * and written once for every few terms. What the third-level cache holds, few rows and short sums read as fast panel by panel. */
static inline bool usl_asks_ahead(int64_t m, int64_t n, int64_t k)
{
    const int64_t size = sizeof(@T@), least = m < 8 || n > 2 * k ? 10 << 20 : 6 << 20;
    return k >= USL_MANY && n >= 4 * USL_LANES && n * k * size > least && (m <= 64 || (m <= 192 && m * n * size <= 768 << 10));
}

/* Halves of a quarter of a cycle that a step of a register takes in a product of rows with rows. Few columns wait for loads; rows a
 * multiple of 4 KiB long go to the same places of a cache; what fills the first-level cache comes from the second. */
static inline int64_t usl_dots_rate(int64_t m, int64_t n, int64_t k)
{
    const int64_t bytes = k * (int64_t)sizeof(@T@), rate = n == 2 ? 14 : n == 3 ? 11 : 9;
    return rate + (bytes % 4096 == 0 && m > 4 && n > 4 ? 4 : 0) + (m * bytes > 128 << 10 && n * bytes > 32 << 10 ? 2 : 0);
}

/* Cycles, times 32, of rows of C in registers, for k of at least USL_LONG_SUMS: products of registers or of halves, which take less
 * and have an end for each row; seven or eight rows, which are two tiles: both read all of b, at so much more a register; elements
 * of a that are spread over registers from rows that begin at the same places of a cache, or that come one by one; what comes from
 * far away (1) or very far away (2). */
static inline int64_t usl_into_rows(bool a_turned, int64_t m, int64_t n, int64_t k, int far, int64_t two_tiles)
{
    const int64_t registers = m * ((n + USL_LANES - 1) / USL_LANES), size = (int64_t)sizeof(@T@);
    int64_t cycles = 2 * n <= USL_LANES ? 21 * (m < 2 ? 2 : m) * k + 264 * m : 35 * (registers < 4 ? 4 : registers) * k + 13 * registers;
    if (n > USL_LANES && m >= 7 && m <= 8)
        cycles += two_tiles * registers * k;
    if (a_turned)
        cycles += (m * size % USL_SAME_PLACES == 0 ? 9 : 4) * m * k / 2;
    else if (2 * n <= USL_LANES && m > 8 && k * size % USL_SAME_PLACES == 0)
        cycles += 34 * m * k;
    if (far > 0)
        cycles += ((a_turned ? 3 : 1) * m + n) * k * size * 3 / 10;
    if (far > 1)
        cycles += (a_turned ? 3 : 1) * m * k * size;
    return cycles;
}

/* The fastest way for long sums and a C of few rows or columns, by estimates as above. They were fitted to 1,350 shapes in both
 * precisions: the choice loses 0.6 % of the time of the best one for each. */
USL_WITHIN enum usl_way usl_way_of_long_sums(bool a_turned, bool b_turned, int64_t m, int64_t n, int64_t k)
{
    const int64_t size = (int64_t)sizeof(@T@), all = (m * k + n * k + m * n) * size, none = INT64_MAX;
    const int far = all > 12 << 20 ? 2 : all > 1 << 20 ? 1 : 0;
    if (!b_turned && usl_asks_ahead(m, n, k))
        return USL_AHEAD;
    int64_t rows = usl_into_rows(a_turned, m, n, k, far, 2) + 5600, columns = none, dots = none;
    if (b_turned)
        rows += (n * k * size > 8 << 20 ? 80 : 27) * n * k;
    if (a_turned)
        columns = usl_into_rows(!b_turned, n, m, k, far, 6) + 6900 + 43 * m * n + (far > 1 ? 4 * m * k * size : 0);
    if (b_turned || !a_turned) {
        int64_t rate = n == 2 ? 38 : n == 3 ? 68 : 74;
        rate += (b_turned && k * size % USL_SAME_PLACES == 0 && m + n > 8 ? 2 : 0) + ((m + n) * k * size > 28 << 10 ? 6 : 0);
        dots = m * n * (rate * ((k + USL_LANES - 1) / USL_LANES) / 2 + 77) + (n < 4 ? 531 * m : 0) + 6070;
        if (a_turned == b_turned)
            dots += 19 * k * (a_turned ? m : n) + 470;
        if (far > 0)
            dots += (a_turned ? 12 * m * k : 0) * size / 5 + n * k * size * 3 / 8;
        if (far > 1)
            dots += (a_turned ? 20 * n : (b_turned ? 7 : 60) * m) * k * size / 10;
    }
    if (dots < rows && dots < columns)
        return b_turned && usl_far(m, n, k) ? USL_DOTS_BY_BLOCKS : USL_DOTS;
    if (columns < rows)
        return USL_COLUMNS;
    return usl_packing_pays(a_turned, b_turned, m, n, k) ? USL_LARGE : USL_ROWS;
}

/* The fastest way for a transposed a and short sums, by estimates in 32nds of a cycle: products of registers, of which fewer than
 * four wait for the sums before, the end of a row or a column of a tile, elements that are turned over, sums whose lanes are added
 * up, and constants. Fitted to 700 shapes in both precisions, for which the choice loses 0.6 % against the best one for each. */
USL_WITHIN enum usl_way usl_way_of_turned(bool b_turned, int64_t m, int64_t n, int64_t k)
{
    const int64_t halves = m * ((2 * n + USL_LANES - 1) / USL_LANES), halves_down = n * ((2 * m + USL_LANES - 1) / USL_LANES);
    const int64_t across = (n + USL_LANES - 1) / USL_LANES, down = (m + USL_LANES - 1) / USL_LANES, along = (k + USL_LANES - 1) / USL_LANES;
    const int64_t least = k < USL_SUMS_APART || 2 * n > USL_LANES ? 8 : 4, least_down = k < USL_SUMS_APART || 2 * m > USL_LANES ? 8 : 4;
    int64_t rows = 17 * (halves < least ? least : halves) * k + 78 * m * across + 2450;
    if (b_turned)
        rows += 8 * n * k + 630 * across * along + 630;
    int64_t columns = INT64_MAX, dots = INT64_MAX;
    if (n <= USL_NARROW || (b_turned && m >= USL_LANES && m <= 2 * USL_NARROW))
        columns = 17 * (halves_down < least_down ? least_down : halves_down) * k + 276 * n * down + 7 * m * across + 2680;
    if (b_turned)
        dots = 32 * m * n * along + 40 * m * n + 22 * m * k + 230 * down * along + 4200;
    if (dots < rows && dots < columns)
        return USL_DOTS;
    if (columns < rows)
        return USL_COLUMNS;
    return usl_packing_pays(true, b_turned, m, n, k) ? USL_LARGE : USL_ROWS;
}

/* The fastest way, by estimates in quarters of a cycle of the same things. Measured on 420 shapes in both precisions, for which the
 * choice loses 1 % against the best one for each. */
USL_WITHIN enum usl_way usl_way(bool a_turned, bool b_turned, int64_t m, int64_t n, int64_t k)
{
    if (k >= USL_LONG_SUMS && (m <= USL_THIN || n <= USL_THIN))
        return usl_way_of_long_sums(a_turned, b_turned, m, n, k);
    if (a_turned && k < USL_LONG_SUMS && !usl_bands_pay(n, k))
        return usl_way_of_turned(b_turned, m, n, k);
    const int64_t halves = m * ((2 * n + USL_LANES - 1) / USL_LANES), down = n * ((m + USL_LANES - 1) / USL_LANES);
    const int64_t along = (k + USL_LANES - 1) / USL_LANES, turned = a_turned == b_turned ? k * (a_turned ? m : n) : 0;
    const int64_t least = k < USL_SUMS_APART || 2 * n > USL_LANES ? 8 : 4;
    const int64_t rows = 5 * (halves < least ? least : halves) * k / 2 + 200 + (b_turned ? 5 * n * k / 2 + 350 : 0);
    const bool by_columns = n <= USL_NARROW || (b_turned && m >= USL_LANES && m <= 2 * USL_NARROW && k >= USL_MANY);
    const int64_t columns = a_turned && by_columns ? 4 * (down < 4 ? 4 : down) * k + 10 * m * n + 650 : rows;
    const int64_t dots = m * n * (usl_dots_rate(m, n, k) * along / 2 + 9) + 440 + (turned > 0 ? 3 * turned + 350 : 0);
    if ((b_turned || !a_turned) && dots < rows && dots < columns)
        return b_turned && usl_far(m, n, k) ? USL_DOTS_BY_BLOCKS : USL_DOTS;
    if (columns < rows)
        return USL_COLUMNS;
    if (usl_bands_pay(n, k))
        return m * n > USL_FAR ? USL_BANDS_FAR : USL_BANDS;
    if (!b_turned && usl_asks_ahead(m, n, k))
        return USL_AHEAD;
    return usl_packing_pays(a_turned, b_turned, m, n, k) ? USL_LARGE : USL_ROWS;
}

/* Whether there is one column more than fills registers: by itself it costs less than a register of its own. */
static inline bool usl_one_column_left(enum usl_way way, int64_t m, int64_t n, int64_t k)
{
    return way == USL_ROWS && n % USL_LANES == 1 && n > USL_LANES && n < 4 * USL_LANES && m >= 8 && k > 64;
}

/* c = 0. */
static inline void usl_clear(int64_t m, int64_t n, @T@ *c, ptrdiff_t c_row)
{
    if (c_row == n || m == 1)
        memset(c, 0, (size_t)(m * n) * sizeof(@T@));
    else if (n == 1)
        for (int64_t i = 0; i < m; i++)
            c[i * c_row] = 0;
    else
        for (int64_t i = 0; i < m; i++)
            memset(c + i * c_row, 0, (size_t)n * sizeof(@T@));
}

/* What a product is given: c += alpha a b, or c = alpha a b where `before`, the number of terms that are in c already, is 0, for m x k
 * a and k x n b whose rows and columns are a_row and a_column, b_row and b_column apart, and c whose columns are neighbours; sizes
 * are at least 1. The result is -1 if there is no memory. The functions below that take the same are jumped to, so that what one
 * of them needs of the stack costs the others no time. No structures: what was stored word by word and is then loaded as a whole
 * keeps a processor waiting, for as long as a small product takes. */
#define USL_A_PRODUCT                                                                                                                \
    int64_t m, int64_t n, int64_t k, int64_t before, @T@ alpha, @T@ *a, ptrdiff_t a_row, ptrdiff_t a_column, @T@ *b, ptrdiff_t b_row, \
        ptrdiff_t b_column, @T@ *c, ptrdiff_t c_row
/* The same, handed on. */
#define USL_THE_PRODUCT m, n, k, before, alpha, a, a_row, a_column, b, b_row, b_column, c, c_row

/* A schedule by which matrices are transposed. */
#define USL_OF(name) \
    (a_turned ? (b_turned ? @P@gemm_tt_##name##_body : @P@gemm_tn_##name##_body) : b_turned ? @P@gemm_nt_##name##_body : @P@gemm_nn_##name##_body)(m, n, k, before, &alpha, A, B, C)

/* The ways that keep copies of parts of b on the stack. Not inlined: they would cost all others time. */
USL_NOINLINE static void usl_on_copies(enum usl_way way, USL_A_PRODUCT)
{
    const bool a_turned = a_column != 1, b_turned = b_column != 1;
    const struct @READ2@ A = {a, {a_turned ? a_column : a_row, 1}}, B = {b, {b_turned ? b_column : b_row, 1}};
    const struct @WRITE2@ C = {c, {c_row, 1}};
    if (way == USL_BANDS_FAR)
        USL_OF(bands_far);
    else if (way == USL_BANDS)
        USL_OF(bands);
    else if (a_turned)
        @P@gemm_tt_direct_body(m, n, k, before, &alpha, A, B, C);
    else
        @P@gemm_nt_direct_body(m, n, k, before, &alpha, A, B, C);
}

/* A product, or a part of one, by the way that is chosen. */
USL_WITHIN int usl_by_way(enum usl_way way, USL_A_PRODUCT)
{
    const bool a_turned = a_column != 1, b_turned = b_column != 1;
    const struct @READ2@ A = {a, {a_turned ? a_column : a_row, 1}}, B = {b, {b_turned ? b_column : b_row, 1}};
    const struct @WRITE2@ C = {c, {c_row, 1}};
    if (before == 0 && (way == USL_DOTS || way == USL_DOTS_BY_BLOCKS || way == USL_AHEAD)) /* the others write c */
        usl_clear(m, n, c, c_row);
    switch (way) {
    case USL_DOTS:
        (!b_turned ? @P@dots_with_columns_body : a_turned ? @P@dots_of_columns_body : @P@dots_body)(m, n, k, &alpha, A, B, C);
        return 0;
    case USL_DOTS_BY_BLOCKS:
        (a_turned ? @P@dots_of_columns_by_blocks_body : @P@dots_by_blocks_body)(m, n, k, &alpha, A, B, C);
        return 0;
    case USL_COLUMNS:
        if (b_turned)
            @P@into_columns_body(n, m, k, before, &alpha, B, A, C);
        else
            @P@into_columns_of_turned_body(n, m, k, before, &alpha, B, A, C);
        return 0;
    case USL_AHEAD:
        (a_turned ? @P@ahead_tn_body : @P@ahead_nn_body)(m, n, k, &alpha, A, B, C);
        return 0;
    case USL_BANDS:
    case USL_BANDS_FAR:
        usl_on_copies(way, USL_THE_PRODUCT);
        return 0;
    case USL_LARGE:
        return USL_OF(large);
    case USL_PANELS:
        return USL_OF(panels);
    case USL_ROWS:
        break;
    }
    if (b_turned)
        usl_on_copies(way, USL_THE_PRODUCT);
    else if (a_turned) /* called by name: what pointers are made of takes structures as such, and waits for what was stored word by word */
        @P@gemm_tn_direct_body(m, n, k, before, &alpha, A, B, C);
    else
        @P@gemm_nn_direct_body(m, n, k, before, &alpha, A, B, C);
    return 0;
}

/* A product of few operations with b as it is in memory and c of at most four registers of columns: nothing is asked but which. */
USL_NOINLINE static int usl_few(USL_A_PRODUCT)
{
    (void)b_column;
    const struct @READ2@ A = {a, {a_column == 1 ? a_row : a_column, 1}}, B = {b, {b_row, 1}};
    const struct @WRITE2@ C = {c, {c_row, 1}};
    if (before == 0) {
        if (a_column == 1) {
            if (2 * n <= USL_LANES)
                @P@half_first_nn_body(m, n, k, &alpha, A, B, C);
            else if (n <= USL_LANES)
                @P@one_first_nn_body(m, n, k, &alpha, A, B, C);
            else
                @P@four_first_nn_body(m, n, k, &alpha, A, B, C);
        } else if (2 * n <= USL_LANES)
            @P@half_first_tn_body(m, n, k, &alpha, A, B, C);
        else if (n <= USL_LANES)
            @P@one_first_tn_body(m, n, k, &alpha, A, B, C);
        else
            @P@four_first_tn_body(m, n, k, &alpha, A, B, C);
        return 0;
    }
    if (a_column == 1) {
        if (2 * n <= USL_LANES)
            @P@half_nn_body(m, n, k, &alpha, A, B, C);
        else if (n <= USL_LANES)
            @P@one_nn_body(m, n, k, &alpha, A, B, C);
        else
            @P@four_nn_body(m, n, k, &alpha, A, B, C);
    } else if (2 * n <= USL_LANES)
        @P@half_tn_body(m, n, k, &alpha, A, B, C);
    else if (n <= USL_LANES)
        @P@one_tn_body(m, n, k, &alpha, A, B, C);
    else
        @P@four_tn_body(m, n, k, &alpha, A, B, C);
    return 0;
}

/* Whether columns of C in registers are fastest for a product of few operations whose a is transposed. Turning over more columns
 * than a register has pays for doubles only. */
static inline bool usl_few_down(bool b_turned, int64_t m, int64_t n, int64_t k)
{
    const bool fits = n <= USL_LANES ? m <= 2 * USL_LANES && m * n <= 16 * USL_LANES : b_turned && k > 1 && m <= USL_LANES && n <= USL_FEW_DOWN;
    return fits && n > 1 && m > 1 && k <= USL_FEW / 8 && n * k * ((m + USL_LANES - 1) / USL_LANES) <= USL_FEW &&
           (b_turned || (4 * n <= USL_LANES && m >= 2 * n && k > 2));
}

/* The same for a that is transposed, of at most two registers of rows: they are columns of the product of the transposed matrices,
 * which is turned over on its way to c. */
USL_NOINLINE static int usl_few_columns(USL_A_PRODUCT)
{
    (void)a_row;
    @T@ sums[USL_FEW_DOWN * 2 * USL_LANES];
    const ptrdiff_t width = m <= USL_LANES ? USL_LANES : 2 * USL_LANES;
    const struct @READ2@ from = {sums, {width, 1}};
    const struct @WRITE2@ to = {c, {c_row, 1}};
    usl_few(n, m, k, 0, alpha, b, b_column, b_row, a, a_column, 1, sums, width);
    if (before == 0)
        @P@turn_body(n, m, from, to);
    else
        @P@turn_added_body(n, m, from, to);
    return 0;
}

/* Whether an outer product goes row by row of c: of narrow rows that end within a register, a load would wait for the masked store
 * before it, which reaches over the start of its row. */
static inline bool usl_outer_pays(int64_t m, int64_t n, int64_t before)
{
    return before == 0 ? n >= USL_LANES : n >= 8 * USL_LANES || (n % USL_LANES == 0 && m * n <= USL_FEW * USL_LANES);
}

/* c += alpha x y^T, or c = alpha x y^T. In blocks of columns, for which y stays in the first-level cache, unless c comes from memory.
 * Where all rows begin at the same place of a line, which is not its beginning, some at a time are done to the end of that line
 * first: a store that reaches over two lines takes twice as long. */
USL_NOINLINE static int usl_outer(int64_t m, int64_t n, int64_t before, @T@ alpha, const @T@ *x, ptrdiff_t x_step, const @T@ *y, ptrdiff_t y_step, @T@ *c,
                                  ptrdiff_t c_row)
{
    const bool far = m * n > (before == 0 ? USL_NEAR : 3 * USL_NEAR);
    if (y_step != 1 || (n > USL_OF_Y && !far)) {
        @T@ row[USL_OF_Y];
        for (int64_t j = 0; j < n; j += USL_OF_Y) {
            const int64_t columns = n - j < USL_OF_Y ? n - j : USL_OF_Y;
            for (int64_t q = 0; y_step != 1 && q < columns; q++)
                row[q] = y[(j + q) * y_step];
            usl_outer(m, columns, before, alpha, x, x_step, y_step != 1 ? row : y + j, 1, c + j, c_row);
        }
        return 0;
    }
    const struct @READ1@ X = {x, {x_step}}, Y = {y, {1}};
    const struct @WRITE2@ C = {c, {c_row, 1}};
    if (far) {
        @P@outer_together_body(m, n, before, &alpha, X, Y, C);
        return 0;
    }
    const int64_t first = (64 - (int64_t)((uintptr_t)c % 64)) / (int64_t)sizeof(@T@);
    if (n < 32 * USL_LANES || first == USL_LANES || c_row % USL_LANES != 0) {
        @P@outer_body(m, n, before, &alpha, X, Y, C);
        return 0;
    }
    for (int64_t i = 0; i < m; i += USL_BEGUN) {
        const int64_t rows = m - i < USL_BEGUN ? m - i : USL_BEGUN;
        const struct @READ1@ from = {x + i * x_step, {x_step}};
        @P@outer_body(rows, first, before, &alpha, from, Y, (struct @WRITE2@){c + i * c_row, {c_row, 1}});
        @P@outer_body(rows, n - first, before, &alpha, from, (struct @READ1@){y + first, {1}}, (struct @WRITE2@){c + i * c_row + first, {c_row, 1}});
    }
    return 0;
}

/* A product with one column or one row. */
USL_NOINLINE static int usl_vector(USL_A_PRODUCT)
{
    if (n == 1) {
        const bool turned = a_row == 1 && (k == 1 || a_column != 1);
        const struct @READ2@ A = {a, {turned ? a_column : a_row, 1}};
        return usl_times(turned, turned ? k : m, turned ? m : k, before, alpha, A, (struct @READ1@){b, {b_row}}, (struct @WRITE1@){c, {c_row}});
    }
    const bool turned = b_column == 1;
    const struct @READ2@ B = {b, {turned ? b_row : b_column, 1}};
    return usl_times(turned, turned ? k : n, turned ? n : k, before, alpha, B, (struct @READ1@){a, {a_column}}, (struct @WRITE1@){c, {1}});
}

static int usl_product(USL_A_PRODUCT);

/* A product of which the way depends on estimates. */
USL_NOINLINE static int usl_estimated(USL_A_PRODUCT)
{
    const bool a_turned = a_column != 1, b_turned = b_column != 1;
    const enum usl_way way = usl_way(a_turned, b_turned, m, n, k);
    if (usl_one_column_left(way, m, n, k)) {
        const int bad = usl_product(m, n - 1, k, before, alpha, a, a_row, a_column, b, b_row, b_column, c, c_row);
        if (bad != 0)
            return bad;
        return usl_product(m, 1, k, before, alpha, a, a_row, a_column, b + (n - 1) * b_column, b_row, b_column, c + n - 1, c_row);
    }
    return usl_by_way(way, USL_THE_PRODUCT);
}

USL_NOINLINE static int usl_product(USL_A_PRODUCT)
{
    if (k == 1 && m > 1 && n > 1 && usl_outer_pays(m, n, before))
        return usl_outer(m, n, before, alpha, a, a_row, b, b_column, c, c_row);
    if (a_column != 1 && usl_few_down(b_column != 1, m, n, k))
        return usl_few_columns(USL_THE_PRODUCT);
    if (b_column == 1 && n > 1 && n <= 4 * USL_LANES && m > 1 && k <= USL_FEW / 8 && m * k * ((n + USL_LANES - 1) / USL_LANES) <= USL_FEW)
        return usl_few(USL_THE_PRODUCT);
    if (n == 1 || m == 1)
        return usl_vector(USL_THE_PRODUCT);
    return usl_estimated(USL_THE_PRODUCT);
}

/* c += alpha a b, or c = alpha a b where before is 0, for matrices of any layout. */
USL_WITHIN int usl_multiply(int64_t m, int64_t n, int64_t k, int64_t before, @T@ alpha, struct usl_view a, struct usl_view b, struct usl_view c)
{
    if (n > 1 && c.column != 1)
        return usl_product(n, m, k, before, alpha, b.data, b.column, b.row, a.data, a.column, a.row, c.data, c.column);
    return usl_product(m, n, k, before, alpha, a.data, a.row, a.column, b.data, b.row, b.column, c.data, c.row);
}

/* The same on at most so many threads, if that pays: see level3_threads.c. */
static int usl_multiply_shared(int threads, int64_t m, int64_t n, int64_t k, int64_t before, @T@ alpha, struct usl_view a, struct usl_view b, struct usl_view c);

USL_NOINLINE static int usl_multiply_on(int threads, int64_t m, int64_t n, int64_t k, @T@ alpha, struct usl_view a, struct usl_view b, struct usl_view c)
{
    return threads == 1 ? usl_multiply(m, n, k, 1, alpha, a, b, c) : usl_multiply_shared(threads, m, n, k, 1, alpha, a, b, c);
}

/* c = beta c, where 0 times anything is 0. triangle: 0 for the whole of c, 121 for the upper and 122 for the lower triangle. */
static void usl_scale(int triangle, int64_t m, int64_t n, @T@ beta, struct usl_view c)
{
    if (beta == 1)
        return;
    if (c.column != 1) {
        usl_scale(triangle == 0 ? 0 : 243 - triangle, n, m, beta, usl_turned(c));
        return;
    }
    if (beta == 0 && triangle == 0) {
        usl_clear(m, n, c.data, c.row);
        return;
    }
    for (int64_t i = 0; i < m; i++) {
        const int64_t first = triangle == 121 ? i : 0, last = triangle == 122 ? i + 1 : n;
        if (beta == 0)
            memset(usl_at(c, i, first), 0, (size_t)(last - first) * sizeof(@T@));
        else
            @P@scal_body(last - first, &beta, (struct @WRITE1@){usl_at(c, i, first), {1}});
    }
}

/* The columns of b to rows of x next to each other, of so many columns (one register or four), with zeros beyond; and back. */
static void usl_columns_to(@T@ *x, int64_t width, int64_t m, int64_t n, struct usl_view b)
{
    const struct @WRITE2@ to = {x, {width, 1}};
    if (n < width)
        memset(x, 0, (size_t)(m * width) * sizeof(@T@));
    if (b.column != 1)
        @P@turn_body(n, m, (struct @READ2@){b.data, {b.column, 1}}, to);
    else if (width == USL_LANES)
        @P@rows_narrow_body(m, n, (struct @READ2@){b.data, {b.row, 1}}, to);
    else
        @P@rows_wide_body(m, n, (struct @READ2@){b.data, {b.row, 1}}, to);
}

static void usl_columns_from(@T@ *x, int64_t width, int64_t m, int64_t n, struct usl_view b)
{
    const struct @READ2@ from = {x, {width, 1}};
    if (b.column != 1)
        @P@turn_body(m, n, from, (struct @WRITE2@){b.data, {b.column, 1}});
    else if (width == USL_LANES)
        @P@rows_narrow_body(m, n, from, (struct @WRITE2@){b.data, {b.row, 1}});
    else
        @P@rows_wide_body(m, n, from, (struct @WRITE2@){b.data, {b.row, 1}});
}

/* b = a^-1 b (solve), or b = a b, for a triangle of at most USL_BLOCK rows. An upper one is a lower one from its last element back. */
static void usl_triangle_block(bool solve, bool lower, bool unit, int64_t m, int64_t n, struct usl_view a, struct usl_view b)
{
    @T@ d[USL_BLOCK], x[USL_BLOCK * USL_WIDTH], y[USL_BLOCK * USL_WIDTH];
    const ptrdiff_t last = lower ? 0 : m - 1, step = lower ? 1 : -1;
    for (ptrdiff_t i = 0; i < m; i++) {
        const @T@ diagonal = unit ? 1 : *usl_at(a, last + step * i, last + step * i);
        d[i] = solve ? 1 / diagonal : diagonal;
    }
    const struct @READ2@ L = {usl_at(a, last, last), {step * a.row, step * a.column}};
    const struct @READ1@ D = {d, {1}};
    int64_t width;
    for (int64_t j = 0; j < n; j += width) {
        width = n - j > 2 * USL_LANES ? USL_WIDTH : USL_LANES;
        const int64_t columns = n - j < width ? n - j : width;
        const struct usl_view part = usl_from(b, 0, j);
        usl_columns_to(x, width, m, columns, part);
        const struct @WRITE2@ X = {x + last * width, {step * width, 1}}, Y = {y + last * width, {step * width, 1}};
        const struct @READ2@ of = {X.data, {step * width, 1}};
        if (solve && width == USL_WIDTH)
            @P@solve_wide_body(m, L, D, X);
        else if (solve)
            @P@solve_narrow_body(m, L, D, X);
        else if (width == USL_WIDTH)
            @P@triangle_wide_body(m, L, D, of, Y);
        else
            @P@triangle_narrow_body(m, L, D, of, Y);
        usl_columns_from(solve ? x : y, width, m, columns, part);
    }
}

/* The same for one column and a triangle of any size: what level 2 does. */
static int usl_triangle_vector(bool solve, bool lower, bool unit, int64_t m, struct usl_view a, struct usl_view b)
{
    const struct @READ2@ A = {a.data, {a.column == 1 ? a.row : a.column, 1}};
    const struct @WRITE1@ x = {b.data, {b.row}};
    if (a.column == 1 && lower)
        return (solve ? @P@trsv_n_lower_body : @P@trmv_n_lower_body)(m, unit, A, x);
    if (a.column == 1)
        return (solve ? @P@trsv_n_upper_body : @P@trmv_n_upper_body)(m, unit, A, x);
    if (lower)
        return (solve ? @P@trsv_t_upper_body : @P@trmv_t_upper_body)(m, unit, A, x);
    return (solve ? @P@trsv_t_lower_body : @P@trmv_t_lower_body)(m, unit, A, x);
}

/* b = a^-1 b (solve), or b = a b, for an m x m triangle a and m x n b. Halves, so that most of the work is large products. */
static int usl_triangular(int threads, bool solve, bool lower, bool unit, int64_t m, int64_t n, struct usl_view a, struct usl_view b)
{
    if (n == 1 && m <= USL_ALONE)
        return usl_triangle_vector(solve, lower, unit, m, a, b);
    if (m <= USL_BLOCK) {
        usl_triangle_block(solve, lower, unit, m, n, a, b);
        return 0;
    }
    const int64_t half = (m / 2 + USL_BLOCK - 1) / USL_BLOCK * USL_BLOCK, rest = m - half;
    const struct usl_view above = b, below = usl_from(b, half, 0);
    const bool downwards = solve == lower; /* the upper half first */
    for (int turn = 0; turn < 2; turn++) {
        int bad;
        if ((turn == 0) == downwards)
            bad = usl_triangular(threads, solve, lower, unit, half, n, a, above);
        else
            bad = usl_triangular(threads, solve, lower, unit, rest, n, usl_from(a, half, half), below);
        if (bad == 0 && turn == 0)
            bad = lower ? usl_multiply_on(threads, rest, n, half, solve ? -1 : 1, usl_from(a, half, 0), above, below)
                        : usl_multiply_on(threads, half, n, rest, solve ? -1 : 1, usl_from(a, 0, half), below, above);
        if (bad != 0)
            return bad;
    }
    return 0;
}

/* The triangle of a row-major c += t, or t + t^T (twice), for n x n t whose rows are next to each other. */
static void usl_add_triangle(bool twice, bool lower, int64_t n, const @T@ *restrict t, @T@ *restrict c, ptrdiff_t c_row)
{
    for (int64_t i = 0; i < n; i++, c += c_row) {
        const int64_t first = lower ? 0 : i, last = lower ? i + 1 : n;
        for (int64_t j = first; j < last; j++)
            c[j] += t[i * n + j];
        for (int64_t j = first; twice && j < last; j++)
            c[j] += t[j * n + i];
    }
}

/* The triangle of a row-major c += alpha a b^T, or alpha (a b^T + b a^T) (twice), where a and b are n x k. */
static int usl_rank(int threads, bool twice, bool lower, int64_t n, int64_t k, @T@ alpha, struct usl_view a, struct usl_view b, struct usl_view c)
{
    if (n <= USL_UPDATED) {
        @T@ t[USL_UPDATED * USL_UPDATED];
        memset(t, 0, (size_t)(n * n) * sizeof(@T@));
        const int bad = usl_multiply_on(threads, n, n, k, alpha, a, usl_turned(b), (struct usl_view){t, (ptrdiff_t)n, 1});
        usl_add_triangle(twice, lower, n, t, c.data, c.row);
        return bad;
    }
    const int64_t half = (n / 2 + USL_UPDATED - 1) / USL_UPDATED * USL_UPDATED, rest = n - half;
    const struct usl_view a2 = usl_from(a, half, 0), b2 = usl_from(b, half, 0);
    int bad = usl_rank(threads, twice, lower, half, k, alpha, a, b, c);
    if (bad == 0)
        bad = usl_rank(threads, twice, lower, rest, k, alpha, a2, b2, usl_from(c, half, half));
    for (int turn = 0; bad == 0 && turn < (twice ? 2 : 1); turn++) {
        const struct usl_view x = turn == 0 ? a : b, x2 = turn == 0 ? a2 : b2, y = turn == 0 ? b : a, y2 = turn == 0 ? b2 : a2;
        bad = lower ? usl_multiply_on(threads, rest, half, k, alpha, x2, usl_turned(y), usl_from(c, half, 0))
                    : usl_multiply_on(threads, half, rest, k, alpha, x, usl_turned(y2), usl_from(c, 0, half));
    }
    return bad;
}

/* c += alpha a b for symmetric a, of which a triangle is read. */
static int usl_symmetric(int threads, bool lower, int64_t m, int64_t n, @T@ alpha, struct usl_view a, struct usl_view b, struct usl_view c)
{
    if (m <= USL_SQUARE) {
        @T@ t[USL_SQUARE * USL_SQUARE];
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j <= i; j++)
                t[i * m + j] = t[j * m + i] = lower ? *usl_at(a, i, j) : *usl_at(a, j, i);
        return usl_multiply_on(threads, m, n, m, alpha, (struct usl_view){t, (ptrdiff_t)m, 1}, b, c);
    }
    const int64_t half = (m / 2 + USL_SQUARE - 1) / USL_SQUARE * USL_SQUARE, rest = m - half;
    const struct usl_view b2 = usl_from(b, half, 0), c2 = usl_from(c, half, 0);
    const struct usl_view below = lower ? usl_from(a, half, 0) : usl_turned(usl_from(a, 0, half));
    int bad = usl_symmetric(threads, lower, half, n, alpha, a, b, c);
    if (bad == 0)
        bad = usl_symmetric(threads, lower, rest, n, alpha, usl_from(a, half, half), b2, c2);
    if (bad == 0)
        bad = usl_multiply_on(threads, rest, n, half, alpha, below, b, c2);
    if (bad == 0)
        bad = usl_multiply_on(threads, half, n, rest, alpha, usl_turned(below), b2, c);
    return bad;
}

/* ---- what the routines do, where their arguments are right; rows: matrices are row-major */

USL_WITHIN int usl_gemm_of(int threads, bool rows, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, @T@ alpha, const @T@ *a,
                       int64_t lda, const @T@ *b, int64_t ldb, @T@ beta, @T@ *c, int64_t ldc)
{
    if (m == 0 || n == 0)
        return 0;
    const struct usl_view target = usl_view(c, ldc, !rows);
    const bool nothing = k == 0 || alpha == 0;
    if (beta != 1 && (beta != 0 || nothing))
        usl_scale(0, m, n, beta, target);
    if (nothing)
        return 0;
    const int64_t before = beta != 0; /* terms that are in c */
    const struct usl_view one = usl_view(a, lda, (trans_a != 111) == rows), other = usl_view(b, ldb, (trans_b != 111) == rows);
    return threads == 1 ? usl_multiply(m, n, k, before, alpha, one, other, target) : usl_multiply_shared(threads, m, n, k, before, alpha, one, other, target);
}

/* Products that lie so many elements apart, see level3_threads.c. */
static int usl_batch_of(int threads, bool rows, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, @T@ alpha, const @T@ *a, int64_t lda,
                        int64_t stride_a, const @T@ *b, int64_t ldb, int64_t stride_b, @T@ beta, @T@ *c, int64_t ldc, int64_t stride_c, int64_t count);

static int usl_symm_of(int threads, bool rows, int side, int uplo, int64_t m, int64_t n, @T@ alpha, const @T@ *a, int64_t lda, const @T@ *b,
                       int64_t ldb, @T@ beta, @T@ *c, int64_t ldc)
{
    if (m == 0 || n == 0)
        return 0;
    usl_scale(0, m, n, beta, usl_view(c, ldc, !rows));
    if (alpha == 0)
        return 0;
    const bool left = side == 141;
    return usl_symmetric(threads, uplo == 122, left ? m : n, left ? n : m, alpha, usl_view(a, lda, !rows), usl_view(b, ldb, rows != left),
                         usl_view(c, ldc, rows != left));
}

static int usl_rank_of(int threads, bool twice, bool rows, int uplo, int trans, int64_t n, int64_t k, @T@ alpha, const @T@ *a, int64_t lda,
                       const @T@ *b, int64_t ldb, @T@ beta, @T@ *c, int64_t ldc)
{
    if (n == 0)
        return 0;
    const bool lower = (uplo == 122) == rows; /* what is by columns is the other triangle by rows, of something symmetric */
    const struct usl_view target = usl_view(c, ldc, false);
    usl_scale(lower ? 122 : 121, n, n, beta, target);
    if (k == 0 || alpha == 0)
        return 0;
    const bool turned = (trans != 111) == rows;
    return usl_rank(threads, twice, lower, n, k, alpha, usl_view(a, lda, turned), usl_view(b, ldb, turned), target);
}

static int usl_triangular_of(int threads, bool solve, bool rows, int side, int uplo, int trans, int diag, int64_t m, int64_t n, @T@ alpha,
                             const @T@ *a, int64_t lda, @T@ *b, int64_t ldb)
{
    if (m == 0 || n == 0)
        return 0;
    usl_scale(0, m, n, alpha, usl_view(b, ldb, !rows));
    if (alpha == 0)
        return 0;
    const bool left = side == 141, turned = (trans != 111) == left; /* x op(a) = b is op(a)^T x^T = b^T */
    return usl_triangular(threads, solve, (uplo == 122) != turned, diag == 132, left ? m : n, left ? n : m, usl_view(a, lda, rows == turned),
                          usl_view(b, ldb, rows != left));
}

/* ---- entries */

/* Whether two row-major matrices provably share no byte: apart as a whole, or beside each other in rows of one distance. */
static inline bool usl_apart(const @T@ *p, int64_t p_rows, int64_t p_columns, int64_t p_ld, const @T@ *q, int64_t q_rows, int64_t q_columns,
                             int64_t q_ld)
{
    if (p_rows == 0 || p_columns == 0 || q_rows == 0 || q_columns == 0)
        return true;
    const uintptr_t a = (uintptr_t)p, b = (uintptr_t)q;
    const uint64_t a_bytes = ((uint64_t)(p_rows - 1) * (uint64_t)p_ld + (uint64_t)p_columns) * sizeof(@T@);
    const uint64_t b_bytes = ((uint64_t)(q_rows - 1) * (uint64_t)q_ld + (uint64_t)q_columns) * sizeof(@T@);
    if (a < b ? b - a >= a_bytes : a - b >= b_bytes)
        return true;
    if (p_ld != q_ld)
        return false;
    /* Columns of one matrix beside each other: apart modulo the distance of rows. */
    const uint64_t period = (uint64_t)p_ld * sizeof(@T@);
    const uint64_t distance = b >= a ? (b - a) % period : (period - (a - b) % period) % period;
    return distance >= (uint64_t)p_columns * sizeof(@T@) && distance + (uint64_t)q_columns * sizeof(@T@) <= period;
}

/* Whether the bytes of a matrix fit PTRDIFF_MAX. */
static inline bool usl_fits(int64_t rows, int64_t ld)
{
    return rows == 0 || ld < (int64_t)1 << 28 /* and rows < 2^31: no division */ || (uint64_t)ld <= (uint64_t)PTRDIFF_MAX / sizeof(@T@) / (uint64_t)rows;
}

/* Whether a matrix is none, and has elements; whether the distance of its rows is too small, or too large to address. */
#define USL_NONE(a, m, n) ((a) == NULL && (m) > 0 && (n) > 0)
#define USL_BAD_LD(ld, m, n) (!USL_LD(ld, n) || !usl_fits(m, ld))

/* The first bad argument of `gemm`, counted from 1; 0 if all are right. */
static int usl_gemm_refused(int transA, int transB, int64_t M, int64_t N, int64_t K, const @T@ *A, int64_t lda, const @T@ *B, int64_t ldb, const @T@ *C, int64_t ldc)
{
    if (!USL_TRANS(transA))
        return 1;
    if (!USL_TRANS(transB))
        return 2;
    if (!USL_SIZE(M))
        return 3;
    if (!USL_SIZE(N))
        return 4;
    if (!USL_SIZE(K))
        return 5;
    const int64_t am = transA == 111 ? M : K, an = transA == 111 ? K : M, bm = transB == 111 ? K : N, bn = transB == 111 ? N : K;
    const bool some = M > 0 && N > 0; /* whether anything is read or written */
    if (some && USL_NONE(A, am, an))
        return 7;
    if (USL_BAD_LD(lda, am, an))
        return 8;
    if (some && USL_NONE(B, bm, bn))
        return 9;
    if (USL_BAD_LD(ldb, bm, bn))
        return 10;
    if (USL_NONE(C, M, N))
        return 12;
    if (USL_BAD_LD(ldc, M, N))
        return 13;
    if (!usl_apart(A, am, an, lda, C, M, N, ldc) || !usl_apart(B, bm, bn, ldb, C, M, N, ldc))
        return 12;
    return 0;
}

/* `gemm`, with every test by itself. */
USL_NOINLINE static int usl_gemm_tested(int transA, int transB, int64_t M, int64_t N, int64_t K, @T@ alpha, const @T@ *A, int64_t lda, const @T@ *B, int64_t ldb, @T@ beta, @T@ *C, int64_t ldc)
{
    const int refused = usl_gemm_refused(transA, transB, M, N, K, A, lda, B, ldb, C, ldc);
    if (refused != 0)
        return refused;
    return usl_gemm_of(1, true, transA, transB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc) == 0 ? 0 : -1;
}

/* ---- entries of the other routines: threads is how many there may be, at least 1 */

static int usl_usual_threads(void);

/* How many threads a call may have that says so many; 0 stands for the usual number. */
static inline int usl_meant(int threads)
{
    return threads > 0 ? threads : usl_usual_threads();
}

/* The status of an entry whose first argument is how many threads, from that of the same without. */
static inline int usl_counted(int status)
{
    return status > 0 ? status + 1 : status;
}

static int usl_gemm_batch_strided_tested(int threads, int transA, int transB, int64_t M, int64_t N, int64_t K, @T@ alpha, const @T@ *A, int64_t lda, int64_t strideA, const @T@ *B, int64_t ldb, int64_t strideB, @T@ beta, @T@ *C, int64_t ldc, int64_t strideC, int64_t count)
{
    if (!USL_TRANS(transA))
        return 1;
    if (!USL_TRANS(transB))
        return 2;
    if (!USL_SIZE(M))
        return 3;
    if (!USL_SIZE(N))
        return 4;
    if (!USL_SIZE(K))
        return 5;
    const int64_t am = transA == 111 ? M : K, an = transA == 111 ? K : M, bm = transB == 111 ? K : N, bn = transB == 111 ? N : K;
    if (!USL_SIZE(count))
        return 17;
    const bool some = count > 0 && M > 0 && N > 0, many = count > 1;
    if (some && USL_NONE(A, am, an))
        return 7;
    if (USL_BAD_LD(lda, am, an))
        return 8;
    if (strideA < 0 || (count > 0 && !usl_fits(count, strideA)))
        return 9;
    if (some && USL_NONE(B, bm, bn))
        return 10;
    if (USL_BAD_LD(ldb, bm, bn))
        return 11;
    if (strideB < 0 || (count > 0 && !usl_fits(count, strideB)))
        return 12;
    if (some && USL_NONE(C, M, N))
        return 14;
    if (USL_BAD_LD(ldc, M, N))
        return 15;
    const bool beside = strideC >= N && strideC * count <= ldc; /* a row of each, then the next row of each */
    if (strideC < 0 || (count > 0 && !usl_fits(count, strideC)) || (many && M > 0 && N > 0 && strideC < (M - 1) * ldc + N && !beside))
        return 16;
    for (int64_t i = 0; i < count; i++) /* the first and the last element of all products */
        if (!usl_apart(A + i * strideA, am, an, lda, C, beside ? M : count, beside ? (count - 1) * strideC + N : (M - 1) * ldc + N, beside ? ldc : strideC) ||
            !usl_apart(B + i * strideB, bm, bn, ldb, C, beside ? M : count, beside ? (count - 1) * strideC + N : (M - 1) * ldc + N, beside ? ldc : strideC))
            return 14;
    return usl_batch_of(threads, true, transA, transB, M, N, K, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC, count) == 0 ? 0 : -1;
}

static int usl_symm_tested(int threads, int side, int uplo, int64_t M, int64_t N, @T@ alpha, const @T@ *A, int64_t lda, const @T@ *B, int64_t ldb, @T@ beta, @T@ *C, int64_t ldc)
{
    if (!USL_SIDE(side))
        return 1;
    if (!USL_UPLO(uplo))
        return 2;
    if (!USL_SIZE(M))
        return 3;
    if (!USL_SIZE(N))
        return 4;
    const int64_t na = side == 141 ? M : N;
    if (USL_NONE(A, na, na))
        return 6;
    if (USL_BAD_LD(lda, na, na))
        return 7;
    if (USL_NONE(B, M, N))
        return 8;
    if (USL_BAD_LD(ldb, M, N))
        return 9;
    if (USL_NONE(C, M, N))
        return 11;
    if (USL_BAD_LD(ldc, M, N))
        return 12;
    if (!usl_apart(A, na, na, lda, C, M, N, ldc) || !usl_apart(B, M, N, ldb, C, M, N, ldc))
        return 11;
    return usl_symm_of(threads, true, side, uplo, M, N, alpha, A, lda, B, ldb, beta, C, ldc) == 0 ? 0 : -1;
}

static int usl_syrk_tested(int threads, int uplo, int trans, int64_t N, int64_t K, @T@ alpha, const @T@ *A, int64_t lda, @T@ beta, @T@ *C, int64_t ldc)
{
    if (!USL_UPLO(uplo))
        return 1;
    if (!USL_TRANS(trans))
        return 2;
    if (!USL_SIZE(N))
        return 3;
    if (!USL_SIZE(K))
        return 4;
    const int64_t am = trans == 111 ? N : K, an = trans == 111 ? K : N;
    if (USL_NONE(A, am, an))
        return 6;
    if (USL_BAD_LD(lda, am, an))
        return 7;
    if (USL_NONE(C, N, N))
        return 9;
    if (USL_BAD_LD(ldc, N, N))
        return 10;
    if (!usl_apart(A, am, an, lda, C, N, N, ldc))
        return 9;
    return usl_rank_of(threads, false, true, uplo, trans, N, K, alpha, A, lda, A, lda, beta, C, ldc) == 0 ? 0 : -1;
}

static int usl_syr2k_tested(int threads, int uplo, int trans, int64_t N, int64_t K, @T@ alpha, const @T@ *A, int64_t lda, const @T@ *B, int64_t ldb, @T@ beta, @T@ *C, int64_t ldc)
{
    if (!USL_UPLO(uplo))
        return 1;
    if (!USL_TRANS(trans))
        return 2;
    if (!USL_SIZE(N))
        return 3;
    if (!USL_SIZE(K))
        return 4;
    const int64_t am = trans == 111 ? N : K, an = trans == 111 ? K : N;
    if (USL_NONE(A, am, an))
        return 6;
    if (USL_BAD_LD(lda, am, an))
        return 7;
    if (USL_NONE(B, am, an))
        return 8;
    if (USL_BAD_LD(ldb, am, an))
        return 9;
    if (USL_NONE(C, N, N))
        return 11;
    if (USL_BAD_LD(ldc, N, N))
        return 12;
    if (!usl_apart(A, am, an, lda, C, N, N, ldc) || !usl_apart(B, am, an, ldb, C, N, N, ldc))
        return 11;
    return usl_rank_of(threads, true, true, uplo, trans, N, K, alpha, A, lda, B, ldb, beta, C, ldc) == 0 ? 0 : -1;
}

static int usl_triangular_tested(bool solve, int threads, int side, int uplo, int trans, int diag, int64_t M, int64_t N, @T@ alpha, const @T@ *A, int64_t lda, @T@ *B, int64_t ldb)
{
    if (!USL_SIDE(side))
        return 1;
    if (!USL_UPLO(uplo))
        return 2;
    if (!USL_TRANS(trans))
        return 3;
    if (!USL_DIAG(diag))
        return 4;
    if (!USL_SIZE(M))
        return 5;
    if (!USL_SIZE(N))
        return 6;
    const int64_t na = side == 141 ? M : N;
    if (USL_NONE(A, na, na))
        return 8;
    if (USL_BAD_LD(lda, na, na))
        return 9;
    if (USL_NONE(B, M, N))
        return 10;
    if (USL_BAD_LD(ldb, M, N))
        return 11;
    if (!usl_apart(A, na, na, lda, B, M, N, ldb))
        return 10;
    return usl_triangular_of(threads, solve, true, side, uplo, trans, diag, M, N, alpha, A, lda, B, ldb) == 0 ? 0 : -1;
}

/* @gemm */
/* C = alpha op(A) op(B) + beta C; op is a transposition where trans is 112 (or 113), nothing where it is 111. op(A) is M x K, op(B)
 * K x N, C M x N. Where alpha is 0, A and B are not read; where beta is 0, C is not. */
int usl_@P@gemm(int transA, int transB, int64_t M, int64_t N, int64_t K, @T@ alpha, const @T@ *A, int64_t lda, const @T@ *B, int64_t ldb, @T@ beta, @T@ *C, int64_t ldc)
{
    const bool a_turned = transA != 111, b_turned = transB != 111;
    const uint64_t a_rows = (uint64_t)(a_turned ? K : M), a_columns = (uint64_t)(a_turned ? M : K);
    const uint64_t b_rows = (uint64_t)(b_turned ? N : K), b_columns = (uint64_t)(b_turned ? K : N);
    /* what calls have nearly always, in one test: sizes from 1 on and distances that fit them, all below 2^28 */
    const uint64_t all = (uint64_t)(M - 1) | (uint64_t)(N - 1) | (uint64_t)(K - 1) | ((uint64_t)lda - a_columns) | ((uint64_t)ldb - b_columns) | ((uint64_t)ldc - (uint64_t)N);
    if (all >> 28 == 0 && (unsigned)transA - 111 < 2 && (unsigned)transB - 111 < 2 && A != NULL && B != NULL && C != NULL && (beta == 1 || beta == 0) && alpha != 0) {
        const uint64_t a_bytes = ((a_rows - 1) * (uint64_t)lda + a_columns) * sizeof(@T@), b_bytes = ((b_rows - 1) * (uint64_t)ldb + b_columns) * sizeof(@T@);
        const uint64_t c_bytes = (((uint64_t)M - 1) * (uint64_t)ldc + (uint64_t)N) * sizeof(@T@), a_to_c = (uint64_t)((uintptr_t)C - (uintptr_t)A), b_to_c = (uint64_t)((uintptr_t)C - (uintptr_t)B);
        if (a_to_c >= a_bytes && 0 - a_to_c >= c_bytes && b_to_c >= b_bytes && 0 - b_to_c >= c_bytes)
            return usl_product(M, N, K, beta != 0, alpha, (@T@ *)A, a_turned ? 1 : lda, a_turned ? lda : 1, (@T@ *)B, b_turned ? 1 : ldb, b_turned ? ldb : 1, C, ldc);
    }
    return usl_gemm_tested(transA, transB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}

/* @gemm_threads */
/* `gemm` on at most so many threads, this one among them: as many as pay, and no more than there are processors. 0 stands for as many
 * as USL_NUM_THREADS or else OMP_NUM_THREADS says, or there are. The result has the same bits whatever their number is. */
int usl_@P@gemm_threads(int threads, int transA, int transB, int64_t M, int64_t N, int64_t K, @T@ alpha, const @T@ *A, int64_t lda, const @T@ *B, int64_t ldb, @T@ beta, @T@ *C, int64_t ldc)
{
    if (threads < 0)
        return 1;
    if (threads == 1 || (double)M * (double)N * (double)K < (double)USL_WORTH * USL_LANES) { /* also what is refused */
        const int status = usl_@P@gemm(transA, transB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
        return status > 0 ? status + 1 : status;
    }
    const int refused = usl_gemm_refused(transA, transB, M, N, K, A, lda, B, ldb, C, ldc);
    if (refused != 0)
        return refused + 1;
    return usl_gemm_of(threads > 0 ? threads : usl_usual_threads(), true, transA, transB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc) == 0 ? 0 : -1;
}

/* @gemm_batch_strided */
/* As many products as count says, `gemm` of the matrices strideA, strideB and strideC elements after those of the product before.
 * Strides are at least 0; those of C are such that its matrices share no memory. */
int usl_@P@gemm_batch_strided(int transA, int transB, int64_t M, int64_t N, int64_t K, @T@ alpha, const @T@ *A, int64_t lda, int64_t strideA, const @T@ *B, int64_t ldb, int64_t strideB, @T@ beta, @T@ *C, int64_t ldc, int64_t strideC, int64_t count)
{
    return usl_gemm_batch_strided_tested(1, transA, transB, M, N, K, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC, count);
}

/* @gemm_batch_strided_threads */
/* `gemm_batch_strided` on at most so many threads, like `gemm_threads`. */
int usl_@P@gemm_batch_strided_threads(int threads, int transA, int transB, int64_t M, int64_t N, int64_t K, @T@ alpha, const @T@ *A, int64_t lda, int64_t strideA, const @T@ *B, int64_t ldb, int64_t strideB, @T@ beta, @T@ *C, int64_t ldc, int64_t strideC, int64_t count)
{
    return threads < 0 ? 1 : usl_counted(usl_gemm_batch_strided_tested(usl_meant(threads), transA, transB, M, N, K, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC, count));
}

/* @symm */
/* C = alpha A B + beta C for symmetric A (side 141), or C = alpha B A + beta C (142). B and C are M x N; of A, M x M or N x N, the
 * upper (uplo 121) or lower (122) triangle is read. Where alpha is 0, A and B are not read; where beta is 0, C is not. */
int usl_@P@symm(int side, int uplo, int64_t M, int64_t N, @T@ alpha, const @T@ *A, int64_t lda, const @T@ *B, int64_t ldb, @T@ beta, @T@ *C, int64_t ldc)
{
    return usl_symm_tested(1, side, uplo, M, N, alpha, A, lda, B, ldb, beta, C, ldc);
}

/* @symm_threads */
/* `symm` on at most so many threads, like `gemm_threads`. */
int usl_@P@symm_threads(int threads, int side, int uplo, int64_t M, int64_t N, @T@ alpha, const @T@ *A, int64_t lda, const @T@ *B, int64_t ldb, @T@ beta, @T@ *C, int64_t ldc)
{
    return threads < 0 ? 1 : usl_counted(usl_symm_tested(usl_meant(threads), side, uplo, M, N, alpha, A, lda, B, ldb, beta, C, ldc));
}

/* @syrk */
/* C = alpha op(A) op(A)^T + beta C, of which the upper (uplo 121) or lower (122) triangle is read and written; C is N x N, op(A)
 * N x K, and op a transposition where trans is 112 (or 113). Where alpha is 0, A is not read; where beta is 0, C is not. */
int usl_@P@syrk(int uplo, int trans, int64_t N, int64_t K, @T@ alpha, const @T@ *A, int64_t lda, @T@ beta, @T@ *C, int64_t ldc)
{
    return usl_syrk_tested(1, uplo, trans, N, K, alpha, A, lda, beta, C, ldc);
}

/* @syrk_threads */
/* `syrk` on at most so many threads, like `gemm_threads`. */
int usl_@P@syrk_threads(int threads, int uplo, int trans, int64_t N, int64_t K, @T@ alpha, const @T@ *A, int64_t lda, @T@ beta, @T@ *C, int64_t ldc)
{
    return threads < 0 ? 1 : usl_counted(usl_syrk_tested(usl_meant(threads), uplo, trans, N, K, alpha, A, lda, beta, C, ldc));
}

/* @syr2k */
/* C = alpha (op(A) op(B)^T + op(B) op(A)^T) + beta C, else like `syrk`. */
int usl_@P@syr2k(int uplo, int trans, int64_t N, int64_t K, @T@ alpha, const @T@ *A, int64_t lda, const @T@ *B, int64_t ldb, @T@ beta, @T@ *C, int64_t ldc)
{
    return usl_syr2k_tested(1, uplo, trans, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}

/* @syr2k_threads */
/* `syr2k` on at most so many threads, like `gemm_threads`. */
int usl_@P@syr2k_threads(int threads, int uplo, int trans, int64_t N, int64_t K, @T@ alpha, const @T@ *A, int64_t lda, const @T@ *B, int64_t ldb, @T@ beta, @T@ *C, int64_t ldc)
{
    return threads < 0 ? 1 : usl_counted(usl_syr2k_tested(usl_meant(threads), uplo, trans, N, K, alpha, A, lda, B, ldb, beta, C, ldc));
}

/* @triangular */
int usl_@P@@NAME@(int side, int uplo, int trans, int diag, int64_t M, int64_t N, @T@ alpha, const @T@ *A, int64_t lda, @T@ *B, int64_t ldb)
{
    return usl_triangular_tested(@SOLVE@, 1, side, uplo, trans, diag, M, N, alpha, A, lda, B, ldb);
}

/* @triangular_threads */
int usl_@P@@NAME@_threads(int threads, int side, int uplo, int trans, int diag, int64_t M, int64_t N, @T@ alpha, const @T@ *A, int64_t lda, @T@ *B, int64_t ldb)
{
    return threads < 0 ? 1 : usl_counted(usl_triangular_tested(@SOLVE@, usl_meant(threads), side, uplo, trans, diag, M, N, alpha, A, lda, B, ldb));
}

/* @trmm */
/* B = alpha op(A) B (side 141), or B = alpha B op(A) (142), for triangular A, of which the upper (uplo 121) or lower (122) triangle is
 * read; with diag 132 the diagonal is not read but all ones, with 131 it is. op is a transposition where trans is 112 (or 113). B is
 * M x N. Where alpha is 0, A is not read, nor is B. */
@TRIANGULAR@

/* @trsm */
/* Solves op(A) X = alpha B (side 141), or X op(A) = alpha B (142), for X, and puts it in the place of B; else like `trmm`. Products with
 * reciprocals of the diagonal stand for quotients. No test is made of whether A is singular. */
@TRIANGULAR@

/* @trmm_threads */
/* `trmm` on at most so many threads, like `gemm_threads`. */
@TRIANGULAR@

/* @trsm_threads */
/* `trsm` on at most so many threads, like `gemm_threads`. */
@TRIANGULAR@
