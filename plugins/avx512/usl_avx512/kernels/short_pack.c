
/* The entry, see the header. */

int $entry(int64_t K, int64_t N, const $b_type *B, int64_t ldb, $b_type *W$sums)
{
    if (K < 0 || K > INT32_MAX - $group)
        return 1;
    if (N < 0 || N > INT32_MAX - 64)
        return 2;
    if (ldb < (N > 1 ? N : 1))
        return 4;
    if (B == NULL && K > 0 && N > 0)
        return 3;
    if (W == NULL && K > 0 && N > 0)
        return 5;
    ${sums_missing}${sum_up}if (K == 0 || N == 0)
        return 0;
    const ptrdiff_t groups = (ptrdiff_t)((K + $group - 1) / $group);
    const struct usl_win_2${b}c b = {B, {(ptrdiff_t)ldb, 1}};
    const struct usl_win_3${b} w = {W, {groups * 64 * $group, 64 * $group, 1}};
    ${kernel}_body(K, N, b, w);
    return 0;
}
