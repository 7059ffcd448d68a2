/* Command streams of C = scale * (A B), int8, dimensions that are multiples of DIM: one as the hardware loop makes it, and one
 * by panels of B, with double buffers in four banks. */

#include "gemmini.h"

static void configure(int K, int N, float scale) {
  gemmini_flush(0);
  gemmini_config_ex(WEIGHT_STATIONARY, NO_ACTIVATION, 0);
  gemmini_extended3_config_ld(K, MVIN_SCALE_IDENTITY, false, 0);
  gemmini_extended3_config_ld(N, MVIN_SCALE_IDENTITY, false, 1);
  gemmini_extended_config_st(N, NO_ACTIVATION, scale);
}

static int least(int a, int b) { return a < b ? a : b; }

/* ---- the hardware loop, tile after tile (time it with unrolled=True) ---------------------------------------------------------------------------------------------- */

typedef struct {
  const int8_t *A, *B;
  int8_t *C;
  int N, K;
  int i0, j0, I, J, Kb; /* the tile: its first block and its blocks */
  uint32_t a, b, c;
  int load_b;
} Tile;

/* For each four blocks of k the rows of A, then the rows of B. */
static void load_tile(const Tile *t) {
  for (int g = 0; g < t->Kb; g += 4) {
    int depth = least(4, t->Kb - g);
    for (int i = 0; i < t->I; i++)
      gemmini_extended_mvin(t->A + (size_t)(t->i0 + i) * DIM * t->K + g * DIM, t->a + (i * t->Kb + g) * DIM, depth * DIM, DIM);
    for (int k = g; t->load_b && k < g + depth; k++)
      for (int j = 0; j < t->J; j += 4)
        gemmini_extended_mvin2(t->B + (size_t)k * DIM * t->N + (t->j0 + j) * DIM, t->b + (k * t->J + j) * DIM,
                               least(4, t->J - j) * DIM, DIM);
  }
}

static void store_tile(const Tile *t) {
  for (int j = 0; j < t->J; j += 4)
    for (int i = 0; i < t->I; i++)
      gemmini_extended_mvout(t->C + (size_t)(t->i0 + i) * DIM * t->N + (t->j0 + j) * DIM, GEMMINI_ACC | (t->c + (i * t->J + j) * DIM),
                             least(4, t->J - j) * DIM, DIM);
}

/* The n-th product, i innermost: B stays in the array while i runs. */
static void pair(const Tile *t, int n) {
  int i = n % t->I, j = n / t->I % t->J, k = n / t->I / t->J;
  uint32_t c = (k == 0 ? GEMMINI_ACC : GEMMINI_ACC_ADD) | (t->c + (i * t->J + j) * DIM);
  gemmini_preload(i == 0 ? t->b + (k * t->J + j) * DIM : GARBAGE_ADDR, c);
  uint32_t a = t->a + (i * t->Kb + k) * DIM;
  if (i == 0)
    gemmini_compute_preloaded(a, GARBAGE_ADDR);
  else
    gemmini_compute_accumulated(a, GARBAGE_ADDR);
}

void hardware_loop(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K, float scale);

void hardware_loop(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K, float scale) {
  int Ib = M / DIM, Jb = N / DIM, Kb = K / DIM, ti = least(Ib, 5), tj = least(Jb, 5), half = SP_ROWS / 2;
  for (int grown = 1; grown;) { /* Kb is small enough to be whole from the start */
    grown = 0;
    if (tj < Jb && (ti + tj + 1) * Kb * DIM <= half && ti * (tj + 1) * DIM <= ACC_ROWS / 2) tj++, grown = 1;
    if (ti < Ib && (ti + tj + 1) * Kb * DIM <= half && (ti + 1) * tj * DIM <= ACC_ROWS / 2) ti++, grown = 1;
  }
  int J0 = (Jb + tj - 1) / tj, I0 = (Ib + ti - 1) / ti, resident = J0 <= 2;
  configure(K, N, scale);
  for (int n = 0; n < I0 * J0; n++) {
    int i = n / J0, j = n % J0, b_half = resident ? j : n % 2;
    Tile t = {A, B, C, N, K, i * ti, j * tj, least(ti, Ib - i * ti), least(tj, Jb - j * tj), Kb, 0, 0, 0, !resident || i == 0};
    t.a = (uint32_t)(n % 2 * half);
    t.b = (uint32_t)((b_half + 1) * half - Kb * t.J * DIM);
    t.c = (uint32_t)(n % 2 * ACC_ROWS / 2);
    load_tile(&t);
    for (int p = 0; p < t.I * t.J * Kb; p++) pair(&t, p);
    store_tile(&t);
  }
  gemmini_fence();
}

/* ---- panels --------------------------------------------------------------------------------------------------------- */

typedef struct {
  const int8_t *A, *B;
  int N, K, width; /* of a panel, in blocks */
} Panels;

/* Four blocks of row i of A, for the t-th row that is worked on. */
static void load_row(const Panels *s, int t, int i, int quad) {
  gemmini_extended_mvin(s->A + (size_t)i * DIM * s->K + quad * 4 * DIM, t % 2 * BANK_ROWS + quad * 4 * DIM, 4 * DIM, DIM);
}

/* The n-th load of panel p of B: blocks [k][j], in the order of k. */
static void load_panel(const Panels *s, int p, int n) {
  int k = n / (s->width / 4), q = n % (s->width / 4);
  gemmini_extended_mvin2(s->B + (size_t)k * DIM * s->N + (p * s->width + 4 * q) * DIM,
                         (2 + p % 2) * BANK_ROWS + (k * s->width + 4 * q) * DIM, 4 * DIM, DIM);
}

void by_panels(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K, int columns, float scale);

void by_panels(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K, int columns, float scale) {
  Panels s = {A, B, N, K, columns / DIM};
  int rows = M / DIM, depth = K / DIM, quads_a = depth / 4, panels = N / columns, panel_loads = depth * s.width / 4, slot = 0;
  configure(K, N, scale);
  for (int k = 0; k < quads_a; k++) {
    load_row(&s, 0, 0, k);
    for (int n = k * s.width; n < (k + 1) * s.width; n++) load_panel(&s, 0, n);
  }
  for (int p = 0; p < panels; p++) {
    for (int i = 0, done = 0; i < rows; i++) {
      int t = p * rows + i, P = s.width * depth, a = 0, todo = p + 1 < panels ? (i + 1) * panel_loads / rows - done : 0, b = 0;
      int as = t + 1 < panels * rows ? quads_a : 0;
      for (int n = 0; n < P; n++) {
        int j = n / depth, k = n % depth;
        uint32_t c = (uint32_t)(slot * 4 + j % 4) * DIM;
        for (; a < as && a * P <= n * as; a++) load_row(&s, t + 1, (i + 1) % rows, a);
        for (; b < todo && b * P <= n * todo; b++) load_panel(&s, p + 1, done + b);
        gemmini_preload((2 + p % 2) * BANK_ROWS + (k * s.width + j) * DIM, (k == 0 ? GEMMINI_ACC : GEMMINI_ACC_ADD) | c);
        gemmini_compute_preloaded(t % 2 * BANK_ROWS + k * DIM, GARBAGE_ADDR);
        if (j % 4 == 3 && k == depth - 1) {
          gemmini_extended_mvout(C + (size_t)i * DIM * N + (p * s.width + j - 3) * DIM, GEMMINI_ACC | (uint32_t)(slot * 4 * DIM),
                                 4 * DIM, DIM);
          slot = (slot + 1) % (ACC_ROWS / DIM / 4);
        }
      }
      done += todo;
    }
  }
  gemmini_fence();
}
