
/* ---- a matrix times a vector */

#include <string.h>

/* y += alpha A x, or y = alpha A x where `before`, the number of terms that are in y already, is 0; with turned A^T stands for A.
 * A is m x n, and sizes are at least 1. Not 0: no memory for a dense copy of a vector. */
static inline int usl_times(bool turned, int64_t m, int64_t n, int64_t before, @T@ alpha, struct @READ2@ A, struct @READ1@ x, struct @WRITE1@ y)
{
    enum {
        NARROW = 8 * 64 / sizeof(@T@),         /* columns whose sums fit registers, see `gemm.narrow` */
        MANY = 32,                             /* rows from which registers hold parts of columns, */
        FEW = sizeof(@T@) == sizeof(float) ? 4 : 3, /* of which there are at most so many */
    };
    if (!turned) {
        if (before == 0 && y.strides[0] == 1)
            memset(y.data, 0, (size_t)m * sizeof(@T@));
        else
            for (int64_t i = 0; before == 0 && i < m; i++)
                y.data[i * y.strides[0]] = 0;
        return @P@gemv_n_body(m, n, &alpha, A, x, y);
    }
    if (n > NARROW)
        return @P@gemv_t_body(m, n, before, &alpha, A, x, y);
    if (m >= MANY && n > 1 && n <= FEW && A.strides[0] == n && x.strides[0] == 1 && y.strides[0] == 1) {
        for (int64_t j = 0; before == 0 && j < n; j++)
            y.data[j] = 0;
        @P@gemv_t_few_body(m, n, &alpha, A, x, y);
        return 0;
    }
    const struct @READ2@ row = {x.data, {x.strides[0], 1}};
    if (y.strides[0] == 1) {
        @P@narrow_row_body(n, m, before, &alpha, row, A, (struct @WRITE2@){y.data, {n, 1}});
        return 0;
    }
    @T@ sums[NARROW];
    @P@narrow_row_body(n, m, 0, &alpha, row, A, (struct @WRITE2@){sums, {n, 1}});
    for (int64_t j = 0; j < n; j++)
        y.data[j * y.strides[0]] = before == 0 ? sums[j] : y.data[j * y.strides[0]] + sums[j];
    return 0;
}
