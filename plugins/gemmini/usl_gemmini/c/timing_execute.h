/* The execute controller: slots that a compute and the next preload share, and the banks they read. */

/* Why the next pair is not in the execute queue. */
static int starved_by(const Model *m) {
  if (m->waiting[EX].count > 0) {
    uint64_t waits = m->entries[m->waiting[EX].slots[0]].waits;
    if (waits == 0) return BY_HOST; /* on its way */
    return m->entries[__builtin_ctzll(waits)].unit == LD ? BY_LOAD : BY_STORE;
  }
  if (m->blocked_by == LD) return BY_LOAD;
  if (m->blocked_by == ST) return BY_STORE;
  return m->host_done ? DRAIN : BY_HOST;
}

static void push_result(Model *m, int64_t time, int slot) {
  m->results[m->result_tail % RING].time = time;
  m->results[m->result_tail++ % RING].slot = slot;
}

static void release_results(Model *m) {
  while (m->result_head < m->result_tail && m->results[m->result_head % RING].time <= m->now)
    release_entry(m, m->results[m->result_head++ % RING].slot);
}

static void occupy(Model *m, int64_t cycles, int cause, int entry) {
  m->busy_until = m->now + cycles;
  m->busy_cause = cause;
  m->busy_entry = entry;
}

/* The first command is a config_ex: it waits until all results are written. */
static void begin_config(Model *m) {
  if (m->result_head < m->result_tail) return;
  int slot = take_first(&m->queue[EX]);
  event(m, slot, 1);
  occupy(m, m->k.config_ex, BY_CONFIG, slot);
}

static void begin_slot(Model *m) {
  Queue *queue = &m->queue[EX];
  const Entry *first = &m->entries[queue->slots[0]];
  m->compute = m->preload = -1;
  m->step = 0;
  m->steps = 0;
  memset(m->streams, 0, sizeof m->streams);
  memset(m->served, 0, sizeof m->served);
  if (first->funct != GEMMINI_PRELOAD) {
    bool shares = queue->count >= 3 && m->entries[queue->slots[1]].funct == GEMMINI_PRELOAD;
    m->compute = take_first(queue);
    if (m->last_preload < 0) m->failed = true;
    m->streams[0] = first->streams[0];
    m->streams[1] = first->streams[1];
    m->steps = first->steps;
    m->slot_cause = shares ? EXECUTE : starved_by(m);
    if (shares) m->preload = take_first(queue);
  } else {
    m->preload = take_first(queue); /* alone, for what kept it from sharing a slot, or the array idle */
  }
  if (m->preload >= 0) {
    const Entry *e = &m->entries[m->preload];
    m->streams[2] = e->streams[0];
    if (e->steps > m->steps) m->steps = e->steps;
    event(m, m->preload, 1);
  }
  if (m->compute >= 0) event(m, m->compute, 1);
  m->in_slot = true;
}

static void end_slot(Model *m) {
  m->in_slot = false;
  if (m->failed) return;
  if (m->compute >= 0) {
    const Entry *e = &m->entries[m->compute], *owner = &m->entries[m->last_preload];
    int64_t latency = m->k.result_latency - DIM + (e->extra_latency ? m->k.transpose_a : 0);
    if (owner->garbage_c)
      release_entry(m, m->last_preload);
    else
      push_result(m, m->now + 1 + latency, m->last_preload);
    if (e->os && !owner->garbage_c) occupy(m, m->k.os_flush + 1, BY_CONFIG, -1);
    release_entry(m, m->compute);
    m->last_preload = -1;
  }
  if (m->preload >= 0) {
    if (m->entries[m->preload].extra_pass) occupy(m, m->k.transpose_b + 1, BY_CONFIG, -1);
    m->last_preload = m->preload;
  }
}

/* One cycle of a slot: each bank serves one row, unless a transfer writes into it; a step needs all of its rows. */
static int slot_step(Model *m) {
  uint32_t read = 0;
  bool complete = true, by_dma = false;
  for (int i = 0; i < 3; i++) {
    const Stream *stream = &m->streams[i];
    if (m->step >= stream->rows || m->served[i]) continue;
    int bank = bank_of(stream->row + m->step * stream->stride);
    if (bank == m->written_bank) by_dma = true;
    if (bank == m->written_bank || (read >> bank & 1)) {
      complete = false;
    } else {
      read |= 1u << bank;
      m->served[i] = true;
    }
  }
  if (!complete) return by_dma ? BY_DMA : BY_CONFLICT;
  memset(m->served, 0, sizeof m->served);
  int cause = m->compute < 0 ? m->slot_cause : m->step < m->streams[0].rows ? EXECUTE : SHORT;
  if (++m->step == m->steps) end_slot(m);
  return cause;
}

static int idle_cause(const Model *m) {
  bool configures = m->queue[EX].count > 0 && m->entries[m->queue[EX].slots[0]].funct == GEMMINI_CONFIG;
  return configures ? BY_CONFIG : starved_by(m);
}

static void execute_step(Model *m) {
  release_results(m);
  if (m->busy_until > 0) {
    if (m->now < m->busy_until) {
      m->report->causes[m->busy_cause]++;
      return;
    }
    m->busy_until = 0;
    if (m->busy_entry >= 0) release_entry(m, m->busy_entry);
  }
  if (!m->in_slot && m->queue[EX].count > 0) {
    uint32_t funct = m->entries[m->queue[EX].slots[0]].funct;
    if (funct == GEMMINI_CONFIG)
      begin_config(m);
    else
      begin_slot(m);
  }
  if (m->in_slot) m->report->busy[EX]++;
  if (!m->in_slot && m->busy_until == 0) m->slot_cause = idle_cause(m);
  m->report->causes[m->in_slot ? slot_step(m) : m->busy_until > 0 ? m->busy_cause : m->slot_cause]++;
}
