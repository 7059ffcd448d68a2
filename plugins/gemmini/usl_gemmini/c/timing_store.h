/* The store controller: one local row read in a cycle, writes to memory with a limit in flight. */

/* Whether a command has written to this line of 64 bytes before; from now on one has. */
static bool touched(Model *m, uint64_t line) {
  if (2 * m->lines_used >= m->lines_size) {
    size_t size = m->lines_size ? 2 * m->lines_size : 1 << 12;
    uint64_t *lines = calloc(size, sizeof *lines);
    if (lines == NULL) {
      m->failed = true;
      return true;
    }
    for (size_t i = 0; i < m->lines_size; i++) {
      if (m->lines[i] == 0) continue;
      size_t at = (size_t)(m->lines[i] * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (size - 1);
      while (lines[at] != 0) at = (at + 1) & (size - 1);
      lines[at] = m->lines[i];
    }
    free(m->lines);
    m->lines = lines;
    m->lines_size = size;
  }
  size_t at = (size_t)(line * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (m->lines_size - 1);
  while (m->lines[at] != 0 && m->lines[at] != line) at = (at + 1) & (m->lines_size - 1);
  if (m->lines[at] == line) return true;
  m->lines[at] = line;
  m->lines_used++;
  return false;
}

static void push_writes(Model *m, uint64_t at, uint64_t bytes) {
  for (uint64_t end = at + bytes; at < end;) {
    uint64_t part = LINE - at % LINE;
    if (part > end - at) part = end - at;
    m->pending[m->pending_tail++ % RING] = (Write){m->now + m->k.store_latency, (int64_t)part, at / LINE};
    at += part;
  }
}

static void acknowledge(Model *m) {
  if (m->ack_count == 0 || m->now < m->next_ack) return;
  int64_t kept = 0, next = INT64_MAX;
  for (int64_t i = 0; i < m->ack_count; i++) {
    if (m->acks[i] <= m->now) continue;
    m->acks[kept++] = m->acks[i];
    if (m->acks[i] < next) next = m->acks[i];
  }
  m->ack_count = kept;
  m->next_ack = next;
}

static void begin_write_transaction(Model *m) {
  if (m->pending_head == m->pending_tail || m->ack_count >= m->k.writes || m->now < m->bus_free) return;
  const Write *write = &m->pending[m->pending_head % RING];
  if (m->now < write->ready) return;
  int64_t latency = touched(m, write->line) ? m->k.rewrite_latency : m->k.write_latency;
  int64_t ack = m->now + latency;
  m->bus_free = m->now + (write->bytes + m->k.bus_bytes - 1) / m->k.bus_bytes;
  if (m->ack_count == 0 || ack < m->next_ack) m->next_ack = ack;
  m->acks[m->ack_count++] = ack;
  m->pending_head++;
}

static void read_local(Model *m) {
  if (m->queue[ST].count == 0) return;
  int slot = m->queue[ST].slots[0];
  const Entry *e = &m->entries[slot];
  if (m->store_row == 0 && m->store_block == 0) event(m, slot, 1);
  if (m->pending_tail - m->pending_head >= (uint64_t)m->k.store_buffer) return;
  if (++m->store_block < e->pieces) return;
  m->store_block = 0;
  uint64_t row = m->store_row;
  uint64_t at = e->block_stride == 0 ? row : row / e->local * e->block_stride + row % e->local; /* pooled: see store_entry */
  push_writes(m, e->dram + at * e->stride, (uint64_t)e->cols * e->size);
  if (++m->store_row < e->rows) return;
  m->store_row = 0;
  take_first(&m->queue[ST]);
  release_entry(m, slot);
}

static void store_step(Model *m) {
  if (m->queue[ST].count == 0 && m->pending_head == m->pending_tail && m->ack_count == 0) return;
  m->report->busy[ST]++;
  acknowledge(m);
  begin_write_transaction(m);
  read_local(m);
}
