
/* The thunks of bench.level3. REAL is defined on the command line; matrices are row-major, as CblasRowMajor (101) says. */
struct state {
    void *function;
    int64_t m, n, k;
    const REAL *a, *b;
    REAL *c;
    int64_t lda, ldb, ldc;
    int side, uplo, trans, diag;
    int threads; /* 0: the entry has no such argument */
    REAL alpha;
};

#define G const struct state *g = state
#define ROW_MAJOR 101
#define CBLAS(...) ((void (*)(__VA_ARGS__))g->function)
/* Ours, with or without a number of threads before the arguments. */
#define USL(types, arguments)                                    \
    do {                                                         \
        if (g->threads > 0)                                      \
            ((int (*)(int, EACH types))g->function)(g->threads, EACH arguments); \
        else                                                     \
            ((int (*) types)g->function) arguments;              \
    } while (0)
#define EACH(...) __VA_ARGS__

void usl_symm(void *state)
{
    G;
    USL((int, int, int64_t, int64_t, REAL, const REAL *, int64_t, const REAL *, int64_t, REAL, REAL *, int64_t),
        (g->side, g->uplo, g->m, g->n, g->alpha, g->a, g->lda, g->b, g->ldb, 1, g->c, g->ldc));
}
void cblas_symm(void *state)
{
    G;
    CBLAS(int, int, int, int, int, REAL, const REAL *, int, const REAL *, int, REAL, REAL *, int)
    (ROW_MAJOR, g->side, g->uplo, (int)g->m, (int)g->n, g->alpha, g->a, (int)g->lda, g->b, (int)g->ldb, 1, g->c, (int)g->ldc);
}
void usl_syrk(void *state)
{
    G;
    USL((int, int, int64_t, int64_t, REAL, const REAL *, int64_t, REAL, REAL *, int64_t),
        (g->uplo, g->trans, g->n, g->k, g->alpha, g->a, g->lda, 1, g->c, g->ldc));
}
void cblas_syrk(void *state)
{
    G;
    CBLAS(int, int, int, int, int, REAL, const REAL *, int, REAL, REAL *, int)
    (ROW_MAJOR, g->uplo, g->trans, (int)g->n, (int)g->k, g->alpha, g->a, (int)g->lda, 1, g->c, (int)g->ldc);
}
void usl_syr2k(void *state)
{
    G;
    USL((int, int, int64_t, int64_t, REAL, const REAL *, int64_t, const REAL *, int64_t, REAL, REAL *, int64_t),
        (g->uplo, g->trans, g->n, g->k, g->alpha, g->a, g->lda, g->b, g->ldb, 1, g->c, g->ldc));
}
void cblas_syr2k(void *state)
{
    G;
    CBLAS(int, int, int, int, int, REAL, const REAL *, int, const REAL *, int, REAL, REAL *, int)
    (ROW_MAJOR, g->uplo, g->trans, (int)g->n, (int)g->k, g->alpha, g->a, (int)g->lda, g->b, (int)g->ldb, 1, g->c, (int)g->ldc);
}
static void usl_triangular(void *state)
{
    G;
    USL((int, int, int, int, int64_t, int64_t, REAL, const REAL *, int64_t, REAL *, int64_t),
        (g->side, g->uplo, g->trans, g->diag, g->m, g->n, g->alpha, g->a, g->lda, g->c, g->ldc));
}
static void cblas_triangular(void *state)
{
    G;
    CBLAS(int, int, int, int, int, int, int, REAL, const REAL *, int, REAL *, int)
    (ROW_MAJOR, g->side, g->uplo, g->trans, g->diag, (int)g->m, (int)g->n, g->alpha, g->a, (int)g->lda, g->c, (int)g->ldc);
}
void usl_trmm(void *state) { usl_triangular(state); }
void cblas_trmm(void *state) { cblas_triangular(state); }
void usl_trsm(void *state) { usl_triangular(state); }
void cblas_trsm(void *state) { cblas_triangular(state); }
