/* The host, which sends commands in order: what each command is to the reservation station. */

static Rows rows_at(uint32_t local, uint32_t span) {
  uint32_t low = row_of(local) + (in_acc(local) ? SP_ROWS : 0);
  return (Rows){low, low + span};
}

static Entry load_entry(const Model *m, uint32_t id, uint64_t rs1, Operand to) {
  const ConfigLd *ld = &m->ld[id];
  uint32_t blocks = (to.cols + DIM - 1) / DIM;
  bool acc = in_acc(to.local), wide = acc && !ld->shrunk;
  return (Entry){.unit = LD, .dram = rs1, .stride = ld->stride, .local = row_of(to.local), .cols = to.cols, .rows = to.rows,
                 .block_stride = ld->block_stride, .size = wide ? 4 : 1, .acc = acc, .scaled = !wide && ld->scale != 1.0f,
                 .writes = rows_at(to.local, (blocks - 1) * ld->block_stride + to.rows)};
}

/* With pooling, rows is the number of output pixels, local the pixels of a row and block_stride those of a row in memory. */
static Entry store_entry(const Model *m, uint64_t rs1, Operand from) {
  const ConfigSt *st = &m->st;
  uint32_t blocks = (from.cols + DIM - 1) / DIM, row = row_of(from.local);
  Entry e = {.unit = ST, .dram = rs1, .stride = st->stride, .cols = from.cols, .rows = from.rows, .local = 1, .pieces = blocks,
             .size = in_acc(from.local) && (from.local >> 29 & 1) ? 4 : 1,
             .reads = {rows_at(from.local, (blocks - 1) * DIM + from.rows)}};
  if (st->pool_stride != 0) {
    e.rows = st->porows * st->pocols;
    e.local = st->pocols;
    e.block_stride = st->pool_out_dim;
    e.pieces = st->pool_size * st->pool_size;
    e.reads[0] = rows_at(from.local, ACC_BANK_ROWS - row % ACC_BANK_ROWS);
  }
  return e;
}

static Stream stream_of(Operand operand, uint32_t stride) {
  if (operand.local == GARBAGE_ADDR) return (Stream){0, 0, 0};
  return (Stream){row_of(operand.local), stride, operand.rows};
}

static Rows rows_of_stream(Stream s) { return s.rows == 0 ? (Rows){0, 0} : (Rows){s.row, s.row + (s.rows - 1) * s.stride + 1}; }

static Entry preload_entry(Model *m, Operand bd, Operand c) {
  Stream stream = stream_of(bd, 1);
  bool garbage = bd.local == GARBAGE_ADDR, garbage_c = c.local == GARBAGE_ADDR;
  Entry e = {.unit = EX, .streams = {stream}, .reads = {rows_of_stream(stream)}, .garbage = garbage, .garbage_c = garbage_c,
             .steps = garbage ? 1 : DIM, .os = m->ex.dataflow == OUTPUT_STATIONARY,
             .extra_pass = !garbage && m->ex.dataflow == WEIGHT_STATIONARY && m->ex.b_transpose};
  if (!garbage_c) e.writes = rows_at(c.local, (c.rows - 1) * m->ex.c_stride + 1);
  m->preload_garbage = garbage;
  m->c_local = garbage_c ? 0 : c.cols;
  return e;
}

static Entry compute_entry(Model *m, Operand a, Operand bd) {
  Stream first = stream_of(a, m->ex.a_stride), second = stream_of(bd, 1);
  uint32_t least = (uint32_t)m->k.least_slot;
  bool os = m->ex.dataflow == OUTPUT_STATIONARY;
  m->report->products += (int64_t)a.rows * a.cols * (os ? bd.cols : m->c_local);
  return (Entry){.unit = EX, .streams = {first, second}, .reads = {rows_of_stream(first), rows_of_stream(second)}, .os = os,
                 .steps = a.rows > least ? a.rows : least, .extra_latency = m->ex.a_transpose};
}

static Entry config_entry(Model *m, uint64_t rs1, uint64_t rs2) {
  bool only_strides = rs1 >> 7 & 1;
  switch (rs1 & 3) {
    case GEMMINI_CONFIG_EX:
      m->ex.a_stride = rs1 >> 16 & 0xFFFF;
      m->ex.c_stride = (uint32_t)(rs2 >> 48);
      if (only_strides) return (Entry){.unit = EX};
      m->ex.dataflow = rs1 >> 2 & 1;
      m->ex.a_transpose = rs1 >> 8 & 1;
      m->ex.b_transpose = rs1 >> 9 & 1;
      return (Entry){.unit = EX};
    case GEMMINI_CONFIG_LD: {
      ConfigLd ld = {true, rs1 >> 2 & 1, rs1 >> 16 & 0xFFFF, float_of(rs1 >> 32), rs2};
      if ((rs1 >> 3 & 3) < 3) m->ld[rs1 >> 3 & 3] = ld;
      return (Entry){.unit = LD};
    }
    case GEMMINI_CONFIG_ST: {
      ConfigSt st = {.pool_stride = rs1 >> 4 & 3, .pool_size = rs1 >> 6 & 3, .pool_out_dim = rs1 >> 24 & 0xFF,
                     .porows = rs1 >> 32 & 0xFF, .pocols = rs1 >> 40 & 0xFF, .stride = (uint32_t)rs2};
      m->st = st;
      return (Entry){.unit = ST};
    }
    default: return (Entry){.unit = ST};
  }
}

static int unit_of(uint64_t funct, uint64_t rs1) {
  switch (funct) {
    case GEMMINI_CONFIG: return (rs1 & 3) == GEMMINI_CONFIG_EX ? EX : (rs1 & 3) == GEMMINI_CONFIG_LD ? LD : ST;
    case GEMMINI_MVIN:
    case GEMMINI_MVIN2:
    case GEMMINI_MVIN3: return LD;
    case GEMMINI_MVOUT: return ST;
    default: return EX;
  }
}

static Entry entry_of(Model *m, const uint64_t *words) {
  uint64_t rs1 = words[1], rs2 = words[2];
  switch (words[0]) {
    case GEMMINI_CONFIG: return config_entry(m, rs1, rs2);
    case GEMMINI_MVIN: return load_entry(m, 0, rs1, operand(rs2));
    case GEMMINI_MVIN2: return load_entry(m, 1, rs1, operand(rs2));
    case GEMMINI_MVIN3: return load_entry(m, 2, rs1, operand(rs2));
    case GEMMINI_MVOUT: return store_entry(m, rs1, operand(rs2));
    case GEMMINI_PRELOAD: return preload_entry(m, operand(rs1), operand(rs2));
    default: return compute_entry(m, operand(rs1), operand(rs2));
  }
}

static bool idle(const Model *m) {
  return m->live == 0 && m->pending_head == m->pending_tail && m->ack_count == 0 && m->busy_until == 0;
}

/* Sends a command if its time has come and it has room; whether it was sent. */
static bool host_step(Model *m, const uint64_t *words, int64_t index) {
  m->blocked_by = -1;
  if (words[0] == GEMMINI_FLUSH) return true;
  if (words[0] == GEMMINI_FENCE) return idle(m);
  int unit = unit_of(words[0], words[1]);
  if (m->used[unit] >= m->k.entries[unit]) {
    m->blocked_by = unit;
    m->report->blocked[unit]++;
    return false;
  }
  Entry entry = entry_of(m, words);
  entry.command = index;
  entry.funct = (uint32_t)words[0];
  take_entry(m, entry);
  return true;
}

