/* mvin, mvout and their configuration. */

static bool require_scale(const char *what, float scale) {
  REQUIRE(isfinite(scale), "%s: the scale is not finite", what);
  REQUIRE(scale >= 0.0f, "%s: the scale is negative, for which hardware and functional model differ", what);
  return true;
}

static float float_of(uint64_t bits) {
  uint32_t word = (uint32_t)bits;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static bool config_ld(uint64_t rs1, uint64_t rs2) {
  uint32_t id = rs1 >> 3 & 3, repeats = rs1 >> 8 & 0xFF;
  REQUIRE(id < 3, "there are three load channels, not one of number %u", id);
  REQUIRE(repeats <= 1, "pixel_repeats = %u is not modelled; leave it at 1", repeats);
  ConfigLd ld = {true, rs1 >> 2 & 1, rs1 >> 16 & 0xFFFF, float_of(rs1 >> 32), rs2};
  REQUIRE(ld.block_stride > 0, "block_stride is 0; it is at least the rows of every mvin, normally %d", DIM);
  if (!require_scale("config_ld", ld.scale)) return false;
  chip.ld[id] = ld;
  return true;
}

static bool config_st(uint64_t rs1, uint64_t rs2) {
  ConfigSt st = {true, rs1 >> 2 & 3, rs1 >> 4 & 3, rs1 >> 6 & 3, rs1 >> 8 & 3, rs1 >> 10 & 3, rs1 >> 24 & 0xFF,
                 rs1 >> 32 & 0xFF, rs1 >> 40 & 0xFF, rs1 >> 48 & 0xFF, (uint32_t)(rs1 >> 56), (uint32_t)rs2, float_of(rs2 >> 32)};
  REQUIRE(st.activation <= 1, "activation %u needs normalisation, which this chip does not have", st.activation);
  if (!require_scale("config_st", st.scale)) return false;
  REQUIRE(st.pool_stride != 0 || st.pool_size == 0, "pool_size = %u without pool_stride selects another mode in hardware",
          st.pool_size);
  if (st.pool_stride != 0)
    REQUIRE(st.pool_size > 0 && st.porows > 0 && st.pocols > 0 && st.orows > 0 && st.ocols > 0 && st.pocols <= st.pool_out_dim,
            "pooling needs a window, rows and columns, and pool_out_dim >= pocols");
  chip.st = st;
  return true;
}

static bool require_counts(const char *what, uint32_t cols, uint32_t rows, uint32_t most_cols, uint32_t most_rows) {
  REQUIRE(rows >= 1 && cols >= 1, "%s: %u rows of %u columns; neither may be 0", what, rows, cols);
  REQUIRE(rows <= most_rows, "%s: %u rows; at most %u", what, rows, most_rows);
  REQUIRE(cols <= most_cols, "%s: %u columns; at most %u", what, cols, most_cols);
  return true;
}

/* One row of a block goes to or comes from main memory: bytes at `at`, none of which may be in flight. */
static bool require_dram(const char *what, uint64_t at, uint64_t bytes) {
  REQUIRE(at >= LINE && at + bytes > at, "%s: address 0x%llx of main memory is null or wraps", what, (unsigned long long)at);
  REQUIRE(dram_allowed(at, bytes), "%s: %llu bytes at 0x%llx lie outside of every buffer in main memory", what,
          (unsigned long long)bytes, (unsigned long long)at);
  return true;
}

static bool require_alignment(uint64_t dram, uint64_t stride, uint32_t size, uint32_t rows) {
  REQUIRE(dram % size == 0, "address 0x%llx of int32 data is not a multiple of 4", (unsigned long long)dram);
  REQUIRE(rows == 1 || stride % size == 0, "a stride of %llu bytes between rows of int32 data is not a multiple of 4",
          (unsigned long long)stride);
  return true;
}

static bool store_row(uint32_t local, uint32_t row, uint32_t cols, const int32_t *values) {
  uint32_t mask = ALL_COLUMNS(cols);
  if (!in_acc(local)) {
    for (uint32_t c = 0; c < cols; c++) chip.sp[row][c] = (int8_t)values[c];
    chip.sp_known[row] |= mask;
    chip.sp_result[row] = 0;
    return true;
  }
  if (adds(local)) {
    if (!require_known("the sum", true, row, cols)) return false;
    for (uint32_t c = 0; c < cols; c++) chip.acc[row][c] = wrapping_add(chip.acc[row][c], values[c]);
  } else {
    for (uint32_t c = 0; c < cols; c++) chip.acc[row][c] = values[c];
  }
  chip.acc_known[row] |= mask;
  return true;
}

static void load_row(const ConfigLd *ld, bool wide, uint64_t at, uint32_t cols, int32_t *values) {
  if (at == 0) {
    memset(values, 0, cols * sizeof *values);
  } else if (wide) {
    memcpy(values, (const void *)(uintptr_t)at, cols * sizeof *values);
  } else {
    const int8_t *source = (const int8_t *)(uintptr_t)at;
    if (ld->scale == 1.0f)
      for (uint32_t c = 0; c < cols; c++) values[c] = source[c];
    else
      for (uint32_t c = 0; c < cols; c++) values[c] = scaled(source[c], ld->scale);
  }
}

static bool mvin(uint32_t id, uint64_t dram, Operand to) {
  const ConfigLd *ld = &chip.ld[id];
  REQUIRE(ld->set, "load channel %u was never configured", id);
  REQUIRE(to.local != GARBAGE_ADDR, "the destination is the garbage address");
  bool acc = in_acc(to.local), wide = acc && !ld->shrunk;
  uint32_t size = wide ? 4 : 1, blocks = (to.cols + DIM - 1) / DIM;
  if (!require_counts("mvin", to.cols, to.rows, wide && dram != 0 ? MAX_BYTES / 4 : MAX_BYTES, DIM)) return false;
  REQUIRE(ld->block_stride >= to.rows, "block_stride = %u of channel %u is less than the %u rows", ld->block_stride, id, to.rows);
  if (!require_local("mvin", to.local, (uint64_t)(blocks - 1) * ld->block_stride + to.rows)) return false;
  for (uint32_t b = 0; b < blocks; b++)
    if (!require_owned("mvin", to.local + b * ld->block_stride, to.rows)) return false;
  if (dram != 0 && !require_alignment(dram, ld->stride, size, to.rows)) return false;

  for (uint32_t r = 0; r < to.rows; r++) {
    uint64_t at = dram == 0 ? 0 : dram + r * ld->stride, bytes = (uint64_t)to.cols * size;
    if (dram != 0) {
      if (!require_dram("mvin", at, bytes)) return false;
      const Line *line = dram_in_flight(at, bytes, false);
      REQUIRE(line == NULL, "row %u reads what command %lld, an mvout, may still be writing: a fence is missing", r,
              (long long)(line == NULL ? 0 : line->writer));
      REQUIRE(dram_mark(at, bytes, false, 0), "out of memory");
    }
    for (uint32_t b = 0; b < blocks; b++) {
      int32_t values[DIM];
      uint32_t cols = MIN_(to.cols - b * DIM, DIM);
      load_row(ld, wide, at == 0 ? 0 : at + (uint64_t)b * DIM * size, cols, values);
      if (!store_row(to.local, row_of(to.local) + r + b * ld->block_stride, cols, values)) return false;
    }
  }
  return true;
}

static int8_t read_out(int32_t value) {
  int8_t result = scaled(value, chip.st.scale);
  return chip.st.activation == RELU && result < 0 ? 0 : result;
}

/* Bytes of main memory that are about to be written. */
static bool begin_write(uint64_t at, uint64_t bytes) {
  if (!require_dram("mvout", at, bytes)) return false;
  REQUIRE(dram_mark(at, bytes, true, chip.count), "out of memory");
  return true;
}

static bool mvout_pooled(uint64_t dram, Operand from) {
  const ConfigSt *st = &chip.st;
  REQUIRE(in_acc(from.local) && !(from.local >> 29 & 1), "pooling reads the accumulator, scaled to int8");
  if (!require_counts("mvout with pooling", from.cols, 1, DIM, 1)) return false;
  uint32_t rows = st->orows * st->ocols, first = row_of(from.local);
  if (!require_local("mvout with pooling", from.local, rows) || !require_owned("mvout", from.local, rows)) return false;
  for (uint32_t pr = 0; pr < st->porows; pr++) {
    for (uint32_t pc = 0; pc < st->pocols; pc++) {
      int8_t best[DIM];
      memset(best, -128, sizeof best);
      for (uint32_t w = 0; w < st->pool_size * st->pool_size; w++) {
        int32_t r = (int32_t)(pr * st->pool_stride + w / st->pool_size) - (int32_t)st->upad;
        int32_t c = (int32_t)(pc * st->pool_stride + w % st->pool_size) - (int32_t)st->lpad;
        bool inside = r >= 0 && r < (int32_t)st->orows && c >= 0 && c < (int32_t)st->ocols;
        uint32_t row = inside ? first + (uint32_t)r * st->ocols + (uint32_t)c : 0;
        if (inside && !require_known("mvout", true, row, from.cols)) return false;
        for (uint32_t k = 0; k < from.cols; k++) {
          int8_t value = inside ? read_out(chip.acc[row][k]) : 0;
          if (value > best[k]) best[k] = value;
        }
      }
      uint64_t at = dram + ((uint64_t)pr * st->pool_out_dim + pc) * st->stride;
      if (!begin_write(at, from.cols)) return false;
      memcpy((void *)(uintptr_t)at, best, from.cols);
    }
  }
  return true;
}

static bool mvout(uint64_t dram, Operand from) {
  REQUIRE(chip.st.set, "the store was never configured");
  REQUIRE(dram != 0, "the address in main memory is null");
  REQUIRE(from.local != GARBAGE_ADDR, "the source is the garbage address");
  if (chip.st.pool_stride != 0) return mvout_pooled(dram, from);
  bool acc = in_acc(from.local), full = acc && (from.local >> 29 & 1);
  uint32_t size = full ? 4 : 1, blocks = (from.cols + DIM - 1) / DIM, first = row_of(from.local);
  if (!require_counts("mvout", from.cols, from.rows, full ? DIM : MAX_BYTES, DIM)) return false;
  if (!require_local("mvout", from.local, (blocks - 1) * DIM + from.rows)) return false;
  for (uint32_t b = 0; b < blocks; b++)
    if (!require_owned("mvout", from.local + b * DIM, from.rows)) return false;
  if (!require_alignment(dram, chip.st.stride, size, from.rows)) return false;

  for (uint32_t r = 0; r < from.rows; r++) {
    uint64_t at = dram + r * chip.st.stride;
    if (!begin_write(at, (uint64_t)from.cols * size)) return false;
    for (uint32_t b = 0; b < blocks; b++) {
      uint32_t row = first + b * DIM + r, cols = MIN_(from.cols - b * DIM, DIM);
      void *to = (void *)(uintptr_t)(at + (uint64_t)b * DIM * size);
      if (!require_known("mvout", acc, row, cols)) return false;
      if (full) {
        memcpy(to, chip.acc[row], cols * sizeof(int32_t));
      } else if (!acc) {
        memcpy(to, chip.sp[row], cols);
      } else {
        for (uint32_t c = 0; c < cols; c++) ((int8_t *)to)[c] = read_out(chip.acc[row][c]);
      }
    }
  }
  return true;
}
