/* The load controller: two mvins in flight, transactions to memory, one local row written in a cycle. */

static int bank_of(uint32_t row) { return (int)(row / BANK_ROWS); }

static void write_local(Model *m, int slot, uint32_t row) {
  if (!m->entries[slot].acc) m->written_bank = bank_of(row);
  m->left[slot]--;
}

/* Bytes of a row that the next transaction brings: the largest part that an aligned request of 16, 32 or 64 bytes covers. */
static uint32_t transaction(uint64_t at, uint32_t bytes, int64_t bus, int64_t *beats) {
  uint32_t best = 0;
  for (uint64_t size = 16; size <= 64; size *= 2) {
    uint64_t covered = size - at % size;
    if (covered > bytes) covered = bytes;
    if (covered > best) {
      best = (uint32_t)covered;
      *beats = ((int64_t)size + bus - 1) / bus;
    }
  }
  return best;
}

/* How many local rows an mvin writes, counting each part that comes by a transaction of its own. */
static uint32_t parts_of(const Model *m, const Entry *e) {
  uint32_t blocks = (e->cols + DIM - 1) / DIM, parts = 0;
  if (e->dram == 0) return e->rows * blocks;
  uint32_t rows = e->stride == 0 ? 1 : e->rows;
  for (uint32_t r = 0; r < rows; r++)
    for (uint32_t byte = 0; byte < e->cols * e->size;) {
      int64_t beats = 0;
      uint32_t bytes = transaction(e->dram + r * e->stride + byte, e->cols * e->size - byte, m->k.bus_bytes, &beats);
      uint32_t from = byte / e->size, to = (byte + bytes + e->size - 1) / e->size;
      parts += (to + DIM - 1) / DIM - from / DIM;
      byte += bytes;
    }
  return e->stride == 0 ? parts * e->rows : parts;
}

static void begin_mvin(Model *m) {
  int slot = take_first(&m->queue[LD]);
  m->mvins[m->mvin_count++] = slot;
  m->left[slot] = parts_of(m, &m->entries[slot]);
  event(m, slot, 1);
}

/* One transaction, or one row of zeros, of the first mvin that has some left. */
static void generate(Model *m) {
  if (m->generated == m->mvin_count) return;
  int slot = m->mvins[m->generated];
  Entry *e = &m->entries[slot];
  if (e->dram == 0) {
    uint32_t blocks = (e->cols + DIM - 1) / DIM;
    write_local(m, slot, e->local + m->next_byte * e->block_stride + m->next_row);
    if (++m->next_byte < blocks) return;
  } else {
    if (m->read_tail - m->read_head >= (uint64_t)m->k.reads) return;
    Read read = {m->now, 0, slot, m->next_row, m->next_byte / e->size, 0, e->stride == 0 ? e->rows : 1};
    uint32_t all = e->cols * e->size;
    uint32_t bytes = transaction(e->dram + m->next_row * e->stride + m->next_byte, all - m->next_byte, m->k.bus_bytes, &read.beats);
    m->next_byte += bytes;
    read.cols = (m->next_byte + e->size - 1) / e->size - read.col;
    m->reads[m->read_tail++ % RING] = read;
    if (m->next_byte < all) return;
  }
  m->next_byte = 0;
  if (++m->next_row < (e->dram != 0 && e->stride == 0 ? 1 : e->rows)) return;
  m->next_row = 0;
  m->generated++;
}

/* One beat of the oldest transaction; its rows can be written when all have come. */
static void deliver(Model *m) {
  if (m->read_head == m->read_tail) return;
  const Read *read = &m->reads[m->read_head % RING];
  if (m->now < read->start + m->k.read_latency - read->beats || m->landed_tail - m->landed_head >= RING) return;
  if (++m->beats_done < read->beats) return;
  m->beats_done = 0;
  m->landed[m->landed_tail++ % RING] = *read;
  m->read_head++;
}

/* One local row of what has come; scaling other than by 1 takes several cycles. */
static void write_landed(Model *m) {
  if (m->landed_head == m->landed_tail || m->written_bank >= 0) return;
  Read *read = &m->landed[m->landed_head % RING];
  const Entry *e = &m->entries[read->slot];
  if (e->scaled && ++m->lanes_done < (DIM + m->k.scale_lanes - 1) / m->k.scale_lanes) return;
  m->lanes_done = 0;
  uint32_t block = read->col / DIM, last = (read->col + read->cols - 1) / DIM;
  uint32_t repeat = e->stride == 0 ? e->rows - read->repeats : 0;
  write_local(m, read->slot, e->local + block * e->block_stride + read->row + repeat);
  if (read->repeats > 1) { /* a row that is repeated is written whole before the next block */
    read->repeats--;
  } else if (block < last) {
    uint32_t next = (block + 1) * DIM;
    read->cols -= next - read->col;
    read->col = next;
    read->repeats = e->stride == 0 ? e->rows : 1;
  } else {
    m->landed_head++;
  }
}

static void load_step(Model *m) {
  m->written_bank = -1;
  if (m->mvin_count == 0 && m->queue[LD].count == 0) return;
  m->report->busy[LD]++;
  while (m->mvin_count < m->k.mvins && m->queue[LD].count > 0) begin_mvin(m);
  generate(m);
  deliver(m);
  write_landed(m);
  while (m->generated > 0 && m->left[m->mvins[0]] == 0) {
    release_entry(m, m->mvins[0]);
    memmove(m->mvins, m->mvins + 1, (size_t)(m->mvin_count - 1) * sizeof *m->mvins);
    m->mvin_count--;
    m->generated--;
  }
}
