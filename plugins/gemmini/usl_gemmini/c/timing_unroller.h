/* The hardware's loop as a source of commands: three generators, for loads, products and stores, which run at the same time.
 *
 * The trace has tile after tile: the loads of one, its products, its stores. Each class is sent in order, but runs ahead of the
 * others as far as it has reservation entries and what it depends on was sent. There are two tiles at a time: loads of the third
 * wait until the stores of the first were sent. */

typedef struct {
  int64_t *order[CLASSES];   /* the commands of each class */
  int64_t (*needs)[CLASSES]; /* for each command, how many of each class must be sent before */
  int64_t counts[CLASSES], sent[CLASSES];
} Unroller;

typedef struct {
  int64_t rows[CLASSES][SP_ROWS + ACC_ROWS]; /* commands of a class up to the last one that touches a row */
} Touched;

static void touch(Touched *t, Rows rows, int unit, int64_t count, int64_t *needs) {
  for (uint32_t row = rows.low; row < rows.high; row++) {
    for (int other = 0; other < CLASSES; other++)
      if (other != unit && t->rows[other][row] > needs[other]) needs[other] = t->rows[other][row];
    t->rows[unit][row] = count;
  }
}

static void unroller_free(Unroller *u) {
  for (int unit = 0; unit < CLASSES; unit++) free(u->order[unit]);
  free(u->needs);
}

static bool unroller_make(Unroller *u, Model *m, const uint64_t *words, int64_t count) {
  Touched *touched_rows = calloc(1, sizeof *touched_rows);
  u->needs = calloc((size_t)count + 1, sizeof *u->needs);
  for (int unit = 0; unit < CLASSES; unit++) u->order[unit] = calloc((size_t)count + 1, sizeof **u->order);
  bool made = touched_rows != NULL && u->needs != NULL && u->order[LD] != NULL && u->order[EX] != NULL && u->order[ST] != NULL;
  int64_t this_tile = 0, tile_before = 0; /* the stores before the tile */
  bool stored = false;
  for (int64_t i = 0; i < count && made; i++, words += 3) {
    if (words[0] == GEMMINI_FLUSH || words[0] == GEMMINI_FENCE) continue;
    Entry e = entry_of(m, words);
    u->order[e.unit][u->counts[e.unit]++] = i;
    for (int r = 0; r < 2; r++) touch(touched_rows, e.reads[r], e.unit, u->counts[e.unit], u->needs[i]);
    touch(touched_rows, e.writes, e.unit, u->counts[e.unit], u->needs[i]);
    if (words[0] == GEMMINI_MVOUT) stored = true;
    if (e.unit != LD) continue;
    if (stored) {
      tile_before = this_tile;
      this_tile = u->counts[ST];
      stored = false;
    }
    if (tile_before > u->needs[i][ST]) u->needs[i][ST] = tile_before;
  }
  free(touched_rows);
  m->report->products = 0; /* entry_of counted them; it will again */
  return made;
}

/* Sends one command, stores before products before loads, whose class has room and whose needs were sent; whether it did. */
static bool unroller_step(Unroller *u, Model *m, const uint64_t *words) {
  static const int priority[CLASSES] = {ST, EX, LD};
  m->blocked_by = -1;
  for (int p = 0; p < CLASSES; p++) {
    int unit = priority[p];
    if (u->sent[unit] == u->counts[unit]) continue;
    int64_t index = u->order[unit][u->sent[unit]];
    const int64_t *needs = u->needs[index];
    if (needs[LD] > u->sent[LD] || needs[EX] > u->sent[EX] || needs[ST] > u->sent[ST]) continue;
    if (host_step(m, words + 3 * index, index)) {
      u->sent[unit]++;
      return true;
    }
  }
  return false;
}

static bool unroller_done(const Unroller *u) {
  return u->sent[LD] == u->counts[LD] && u->sent[EX] == u->counts[EX] && u->sent[ST] == u->counts[ST];
}
