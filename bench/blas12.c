
/* The thunks of bench.blas12, and the loops whose bandwidth is measured. REAL is defined on the command line. */
struct state {
    void *function;
    int64_t n, inc;
    REAL *a, *x, *y;
    int uplo, trans, diag;
};

static volatile REAL real_result;
static volatile int64_t place_result;
static const REAL alpha = (REAL)1e-3, one = 1, cosine = (REAL)0.6, sine = (REAL)0.8;

#define G const struct state *g = state
#define N (int)g->n
#define I (int)g->inc
#define CALL(...) ((int (*)(__VA_ARGS__))g->function)
#define VOID(...) ((void (*)(__VA_ARGS__))g->function)

void usl_axpy(void *state) { G; CALL(int64_t, REAL, const REAL *, int64_t, REAL *, int64_t)(g->n, alpha, g->x, g->inc, g->y, g->inc); }
void cblas_axpy(void *state) { G; VOID(int, REAL, const REAL *, int, REAL *, int)(N, alpha, g->x, I, g->y, I); }
void usl_scal(void *state) { G; CALL(int64_t, REAL, REAL *, int64_t)(g->n, -one, g->x, g->inc); }
void cblas_scal(void *state) { G; VOID(int, REAL, REAL *, int)(N, -one, g->x, I); }
void usl_copy(void *state) { G; CALL(int64_t, const REAL *, int64_t, REAL *, int64_t)(g->n, g->x, g->inc, g->y, g->inc); }
void cblas_copy(void *state) { G; VOID(int, const REAL *, int, REAL *, int)(N, g->x, I, g->y, I); }
void usl_swap(void *state) { G; CALL(int64_t, REAL *, int64_t, REAL *, int64_t)(g->n, g->x, g->inc, g->y, g->inc); }
void cblas_swap(void *state) { G; VOID(int, REAL *, int, REAL *, int)(N, g->x, I, g->y, I); }
void usl_rot(void *state) { G; CALL(int64_t, REAL *, int64_t, REAL *, int64_t, REAL, REAL)(g->n, g->x, g->inc, g->y, g->inc, cosine, sine); }
void cblas_rot(void *state) { G; VOID(int, REAL *, int, REAL *, int, REAL, REAL)(N, g->x, I, g->y, I, cosine, sine); }

void usl_dot(void *state)
{
    G;
    REAL result;
    CALL(int64_t, const REAL *, int64_t, const REAL *, int64_t, REAL *)(g->n, g->x, g->inc, g->y, g->inc, &result);
    real_result = result;
}
void cblas_dot(void *state) { G; real_result = ((REAL (*)(int, const REAL *, int, const REAL *, int))g->function)(N, g->x, I, g->y, I); }

static void usl_norm(const struct state *g)
{
    REAL result;
    CALL(int64_t, const REAL *, int64_t, REAL *)(g->n, g->x, g->inc, &result);
    real_result = result;
}
static void cblas_norm(const struct state *g) { real_result = ((REAL (*)(int, const REAL *, int))g->function)(N, g->x, I); }
void usl_asum(void *state) { usl_norm(state); }
void cblas_asum(void *state) { cblas_norm(state); }
void usl_nrm2(void *state) { usl_norm(state); }
void cblas_nrm2(void *state) { cblas_norm(state); }

void usl_iamax(void *state)
{
    G;
    int64_t result;
    CALL(int64_t, const REAL *, int64_t, int64_t *)(g->n, g->x, g->inc, &result);
    place_result = result;
}
void cblas_iamax(void *state) { G; place_result = (int64_t)((size_t (*)(int, const REAL *, int))g->function)(N, g->x, I); }

void usl_gemv(void *state)
{
    G;
    CALL(int, int64_t, int64_t, REAL, const REAL *, int64_t, const REAL *, int64_t, REAL, REAL *, int64_t)
    (g->trans, g->n, g->n, alpha, g->a, g->n, g->x, g->inc, one, g->y, g->inc);
}
void cblas_gemv(void *state)
{
    G; /* 101: row-major */
    VOID(int, int, int, int, REAL, const REAL *, int, const REAL *, int, REAL, REAL *, int)
    (101, g->trans, N, N, alpha, g->a, N, g->x, I, one, g->y, I);
}
void usl_ger(void *state)
{
    G;
    CALL(int64_t, int64_t, REAL, const REAL *, int64_t, const REAL *, int64_t, REAL *, int64_t)
    (g->n, g->n, alpha, g->x, 1, g->y, 1, g->a, g->n);
}
void cblas_ger(void *state)
{
    G;
    VOID(int, int, int, REAL, const REAL *, int, const REAL *, int, REAL *, int)(101, N, N, alpha, g->x, 1, g->y, 1, g->a, N);
}
void usl_symv(void *state)
{
    G;
    CALL(int, int64_t, REAL, const REAL *, int64_t, const REAL *, int64_t, REAL, REAL *, int64_t)
    (g->uplo, g->n, alpha, g->a, g->n, g->x, 1, one, g->y, 1);
}
void cblas_symv(void *state)
{
    G;
    VOID(int, int, int, REAL, const REAL *, int, const REAL *, int, REAL, REAL *, int)
    (101, g->uplo, N, alpha, g->a, N, g->x, 1, one, g->y, 1);
}
static void usl_triangle(const struct state *g)
{
    CALL(int, int, int, int64_t, const REAL *, int64_t, REAL *, int64_t)(g->uplo, g->trans, g->diag, g->n, g->a, g->n, g->x, 1);
}
static void cblas_triangle(const struct state *g)
{
    VOID(int, int, int, int, int, const REAL *, int, REAL *, int)(101, g->uplo, g->trans, g->diag, N, g->a, N, g->x, 1);
}
void usl_trmv(void *state) { usl_triangle(state); }
void cblas_trmv(void *state) { cblas_triangle(state); }
void usl_trsv(void *state) { usl_triangle(state); }
void cblas_trsv(void *state) { cblas_triangle(state); }

/* ---- what memory gives: n is a multiple of the lanes, and the vectors are aligned */

typedef REAL lanes __attribute__((vector_size(64)));
#define LANES ((int64_t)(sizeof(lanes) / sizeof(REAL)))
#define EACH(body)                                                                                                                 \
    G;                                                                                                                             \
    lanes *x = (lanes *)g->x, *y = (lanes *)g->y;                                                                                  \
    (void)y;                                                                                                                       \
    for (int64_t i = 0; i < g->n / LANES; i++)                                                                                     \
        body

void probe_read(void *state)
{
    lanes sum[4] = {{0}};
    EACH(sum[i % 4] += x[i];)
    real_result = sum[0][0] + sum[1][0] + sum[2][0] + sum[3][0];
}
void probe_update(void *state) { EACH(x[i] = -x[i];) }
void probe_update_two(void *state) { EACH(y[i] += alpha * x[i];) }
void probe_copy(void *state) { EACH(y[i] = x[i];) }
void probe_swap(void *state) { EACH({ const lanes t = x[i]; x[i] = y[i]; y[i] = t; }) }
void probe_copy_past_cache(void *state)
{
    EACH(__builtin_ia32_movntps512((float *)&y[i], (__attribute__((vector_size(64))) float)x[i]);)
    __builtin_ia32_sfence();
}
