/* The clock: the cycles of count commands, from the host in order or from the hardware's loop. */

/* constants are Constants; report gets a Report, events three times for each command. Returns 0 where there is no memory, or
 * commands wait for ever. */
int gemmini_sim_time(const uint64_t *words, int64_t count, const int64_t *constants, int unrolled, int64_t *report,
                     int64_t *events);

static void tick(Model *m) {
  load_step(m);
  store_step(m);
  execute_step(m);
  issue_ready(m);
}

static void run_model(Model *m, Unroller *unroller, const uint64_t *words, int64_t count) {
  int64_t sent = 0, free_at = 0, moved = 0;
  while ((!m->host_done || !idle(m)) && !m->failed) {
    uint64_t before = m->live;
    m->host_done = unroller != NULL ? unroller_done(unroller) : sent == count;
    tick(m);
    if (!m->host_done && m->now >= free_at &&
        (unroller != NULL ? unroller_step(unroller, m, words) : host_step(m, words + 3 * sent, sent))) {
      sent++;
      free_at = m->now + m->k.issue;
      moved = m->now;
    }
    if (m->live != before) moved = m->now;
    if (m->now - moved > 1000000) m->failed = true; /* a preload without its compute, say */
    m->now++;
  }
}

int gemmini_sim_time(const uint64_t *words, int64_t count, const int64_t *constants, int unrolled, int64_t *report,
                     int64_t *events) {
  Model *m = calloc(1, sizeof *m);
  if (m == NULL) return 0;
  Report found = {0};
  Unroller unroller = {0};
  memcpy(&m->k, constants, sizeof m->k);
  m->report = &found;
  m->events = events;
  m->last_preload = m->busy_entry = m->written_bank = -1;
  for (int unit = 0; unit < CLASSES; unit++) m->first[unit + 1] = m->first[unit] + (int)m->k.entries[unit];
  if (unrolled && !unroller_make(&unroller, m, words, count)) m->failed = true;
  run_model(m, unrolled ? &unroller : NULL, words, count);
  found.cycles = m->now;
  memcpy(report, &found, sizeof found);
  int done = !m->failed;
  unroller_free(&unroller);
  free(m->lines);
  free(m);
  return done;
}
