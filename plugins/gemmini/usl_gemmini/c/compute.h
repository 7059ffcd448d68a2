/* preload, compute and their configuration. */

static void forget_array(void) { chip.weights_known = chip.sums_known = false; }

static bool config_ex(uint64_t rs1, uint64_t rs2) {
  REQUIRE(!chip.preloaded, "config_ex between a preload and its compute");
  uint32_t a_stride = rs1 >> 16 & 0xFFFF, c_stride = (uint32_t)(rs2 >> 48);
  REQUIRE(a_stride > 0 && c_stride > 0, "A_stride = %u, C_stride = %u; neither may be 0", a_stride, c_stride);
  if (rs1 >> 7 & 1) {
    REQUIRE(chip.ex.set, "only the strides are set, but the rest was never configured");
    chip.ex.a_stride = a_stride;
    chip.ex.c_stride = c_stride;
    return true;
  }
  ConfigEx ex = {true, rs1 >> 8 & 1, rs1 >> 9 & 1, rs1 >> 2 & 1, rs1 >> 3 & 3, a_stride, c_stride, (uint32_t)rs2};
  REQUIRE(ex.activation <= 1, "activation %u is none that results in the scratchpad can have", ex.activation);
  REQUIRE(ex.in_shift <= 31, "a shift by %u bits; at most 31", ex.in_shift);
  REQUIRE(isfinite(float_of(rs1 >> 32)), "config_ex: the scale is not finite");
  if (ex.dataflow == WEIGHT_STATIONARY)
    REQUIRE(!(ex.a_transpose && ex.b_transpose), "weight-stationary products transpose A or B, not both");
  else
    REQUIRE(ex.a_transpose || !ex.b_transpose, "output-stationary products transpose B only together with A");
  if (chip.ex.set && chip.ex.dataflow != ex.dataflow) forget_array();
  chip.ex = ex;
  return true;
}

/* Reads a rows x cols block, the rest of it 0. Transposed, column c of the block is at row `local + c * stride`. */
static bool read_block(const char *what, Operand from, uint32_t stride, bool transposed, int16_t block[DIM][DIM]) {
  memset(block, 0, DIM * DIM * sizeof block[0][0]);
  if (from.local == GARBAGE_ADDR) return true;
  REQUIRE(!in_acc(from.local), "%s is an address of the accumulator; operands are read from the scratchpad", what);
  if (!require_counts(what, from.cols, from.rows, DIM, DIM)) return false;
  uint32_t rows = transposed ? from.cols : from.rows, cols = transposed ? from.rows : from.cols, first = row_of(from.local);
  if (!require_local(what, from.local, (uint64_t)(rows - 1) * stride + 1)) return false;
  if (stride == 1 && !require_owned(what, from.local, rows)) return false;
  for (uint32_t r = 0; r < rows; r++) {
    uint32_t row = first + r * stride;
    if (stride != 1 && !require_owned(what, from.local + r * stride, 1)) return false;
    if (!require_known(what, false, row, cols)) return false;
    REQUIRE(chip.sp_result[row] == 0 || chip.sp_result[row] == first + 1,
            "%s: row %u is the result of a product that began at row %u; hardware compares only where blocks begin", what, row,
            chip.sp_result[row] - 1);
    for (uint32_t c = 0; c < cols; c++) {
      if (transposed)
        block[c][r] = chip.sp[row][c];
      else
        block[r][c] = chip.sp[row][c];
    }
  }
  return true;
}

static bool preload(Operand stationary, Operand c) {
  REQUIRE(chip.ex.set, "the array was never configured");
  REQUIRE(!chip.preloaded, "two preloads without a compute between them");
  bool transposed = chip.ex.dataflow == WEIGHT_STATIONARY && chip.ex.b_transpose;
  if (!read_block("the preloaded block", stationary, 1, transposed, chip.coming)) return false;
  if (c.local != GARBAGE_ADDR) {
    if (!require_counts("C", c.cols, c.rows, DIM, DIM)) return false;
    if (!require_local("C", c.local, (uint64_t)(c.rows - 1) * chip.ex.c_stride + 1)) return false;
  }
  chip.preloaded = true;
  chip.preload_is_garbage = stationary.local == GARBAGE_ADDR;
  chip.c = c;
  return true;
}

static void multiply(uint32_t rows, uint32_t depth, int16_t a[DIM][DIM], int16_t b[DIM][DIM], int32_t sums[DIM][DIM]) {
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t k = 0; k < depth; k++) {
      int16_t factor = a[i][k];
      for (uint32_t j = 0; j < DIM; j++) sums[i][j] += factor * b[k][j];
    }
}

static bool result_of(int32_t sum, int32_t *result) {
  const ConfigEx *ex = &chip.ex;
  bool os = ex->dataflow == OUTPUT_STATIONARY;
  if (in_acc(chip.c.local)) {
    int64_t limit = (int64_t)1 << (GEMMINI_SUM_BITS - 1);
    REQUIRE(!os || ex->in_shift == 0, "output-stationary sums in the accumulator are shifted by hardware and not by the model");
    REQUIRE(!os || (sum >= -limit && sum < limit), "the output-stationary sum %d does not fit the %d bits of hardware", sum,
            GEMMINI_SUM_BITS);
    *result = sum;
    return true;
  }
  int8_t small = shifted(sum, os ? ex->in_shift : 0);
  *result = ex->activation == RELU && small < 0 ? 0 : small;
  return true;
}

static bool write_c(int32_t sums[DIM][DIM]) {
  Operand c = chip.c;
  uint32_t stride = chip.ex.c_stride;
  if (stride == 1 && !require_owned("C", c.local, c.rows)) return false;
  for (uint32_t r = 0; r < c.rows; r++) {
    int32_t row[DIM];
    if (stride != 1 && !require_owned("C", c.local + r * stride, 1)) return false;
    for (uint32_t j = 0; j < c.cols; j++)
      if (!result_of(sums[r][j], &row[j])) return false;
    if (!store_row(c.local, row_of(c.local) + r * stride, c.cols, row)) return false;
    if (!in_acc(c.local)) chip.sp_result[row_of(c.local) + r * stride] = row_of(c.local) + 1;
  }
  return true;
}

static bool compute_ws(bool flip, Operand a, Operand d) {
  int16_t left[DIM][DIM], bias[DIM][DIM];
  int32_t sums[DIM][DIM];
  if (!flip) {
    REQUIRE(chip.preload_is_garbage, "compute_accumulated keeps the old weights, but new ones were just preloaded: two live blocks");
    REQUIRE(chip.weights_known, "compute_accumulated, but the array holds no weights");
  } else {
    memcpy(chip.weights, chip.coming, sizeof chip.weights);
    chip.weights_known = true;
  }
  if (!read_block("A", a, chip.ex.a_stride, chip.ex.a_transpose, left) || !read_block("D", d, 1, false, bias)) return false;
  for (uint32_t i = 0; i < DIM; i++)
    for (uint32_t j = 0; j < DIM; j++) sums[i][j] = bias[i][j];
  multiply(a.rows, a.cols, left, chip.weights, sums);
  return chip.c.local == GARBAGE_ADDR || write_c(sums);
}

static bool compute_os(bool flip, Operand a, Operand b) {
  int16_t left[DIM][DIM], right[DIM][DIM];
  if (!flip) {
    REQUIRE(chip.preload_is_garbage, "compute_accumulated keeps the old sums, but new ones were just preloaded");
    REQUIRE(chip.sums_known, "compute_accumulated, but the array holds no sums");
  } else {
    for (uint32_t i = 0; i < DIM; i++)
      for (uint32_t j = 0; j < DIM; j++) chip.sums[i][j] = chip.coming[i][j];
    chip.sums_known = true;
  }
  if (!read_block("A", a, chip.ex.a_stride, chip.ex.a_transpose, left)) return false;
  if (!read_block("B", b, 1, chip.ex.b_transpose, right)) return false;
  multiply(a.rows, a.cols, left, right, chip.sums);
  return chip.c.local == GARBAGE_ADDR || write_c(chip.sums);
}

static bool compute(bool flip, Operand a, Operand bd) {
  REQUIRE(chip.preloaded, "a compute without a preload before it");
  REQUIRE(a.local != GARBAGE_ADDR, "A is the garbage address, whose data is undefined");
  REQUIRE(chip.c.local == GARBAGE_ADDR || chip.c.rows <= a.rows, "%u rows of C, but %u of A; hardware writes the rows it is fed",
          chip.c.rows, a.rows);
  bool done = chip.ex.dataflow == WEIGHT_STATIONARY ? compute_ws(flip, a, bd) : compute_os(flip, a, bd);
  chip.preloaded = false;
  return done;
}
