/* The state of a chip, how commands fail, and access to the local memories. */

#define ALL_COLUMNS(cols) ((cols) == 32 ? 0xFFFFFFFFu : (1u << (cols)) - 1u)
#define MIN_(a, b) ((a) < (b) ? (a) : (b))

typedef struct {
  uint64_t funct, rs1, rs2;
} Command;

typedef struct {
  uint32_t local, cols, rows;
} Operand;

typedef struct {
  bool set, a_transpose, b_transpose;
  uint32_t dataflow, activation, a_stride, c_stride, in_shift;
} ConfigEx;

typedef struct {
  bool set, shrunk;
  uint32_t block_stride;
  float scale;
  uint64_t stride;
} ConfigLd;

typedef struct {
  bool set;
  uint32_t activation, pool_stride, pool_size, upad, lpad, pool_out_dim, porows, pocols, orows, ocols;
  uint64_t stride;
  float scale;
} ConfigSt;

static struct {
  int8_t sp[SP_ROWS][DIM];
  int32_t acc[ACC_ROWS][DIM];
  uint32_t sp_known[SP_ROWS], acc_known[ACC_ROWS];   /* a bit for each element that was written */
  uint32_t sp_owner[SP_ROWS], acc_owner[ACC_ROWS];   /* the live buffer that claims the row, 0: none */
  uint32_t sp_result[SP_ROWS];                       /* 1 + the first row of the product that wrote the row, 0: none */
  bool sp_claims, acc_claims, weights_claimed;
  uint32_t owners;

  ConfigEx ex;
  ConfigLd ld[3];
  ConfigSt st;

  int16_t weights[DIM][DIM];   /* in the array */
  int16_t coming[DIM][DIM];    /* those of the last preload */
  bool weights_known;
  int32_t sums[DIM][DIM];      /* of the output-stationary form */
  bool sums_known;
  bool preloaded, preload_is_garbage;
  Operand c;

  int64_t count;               /* of commands so far */
  bool recording, idle;        /* idle: commands are only counted and recorded */
  Command *trace;
  size_t traced, capacity;

  bool failed, by_host;
  Command failing;
  int64_t failed_at;
  char reason[400];
} chip;

static bool fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(chip.reason, sizeof chip.reason, format, arguments);
  va_end(arguments);
  chip.failed = true;
  chip.failed_at = chip.count;
  return false;
}

#define REQUIRE(condition, ...)                 \
  do {                                          \
    if (!(condition)) return fail(__VA_ARGS__); \
  } while (0)

static Operand operand(uint64_t word) {
  return (Operand){(uint32_t)word, (uint32_t)(word >> 32) & 0xFFFF, (uint32_t)(word >> 48)};
}

static bool in_acc(uint32_t local) { return local >> 31; }
static bool adds(uint32_t local) { return in_acc(local) && (local >> 30 & 1); }
static uint32_t row_of(uint32_t local) { return local & ((1u << GEMMINI_ROW_BITS) - 1u); }

/* An address that is not the garbage one: only known bits, and rows first .. first + span - 1 exist. */
static bool require_local(const char *what, uint32_t local, uint64_t span) {
  uint32_t flags = in_acc(local) ? 0xE0000000u : 0;
  uint32_t rows = in_acc(local) ? ACC_ROWS : SP_ROWS;
  const char *memory = in_acc(local) ? "accumulator" : "scratchpad";
  REQUIRE((local & ~(flags | ((1u << GEMMINI_ROW_BITS) - 1u))) == 0,
          "%s: address 0x%08x has bits that mean nothing (a sign-extended or negative address?)", what, local);
  REQUIRE(row_of(local) + span <= rows, "%s: rows %u to %llu of the %s, which has %u", what, row_of(local),
          (unsigned long long)(row_of(local) + span - 1), memory, rows);
  return true;
}

/* With live buffers, count rows from local on must lie in one of them. */
static bool require_owned(const char *what, uint32_t local, uint32_t count) {
  bool acc = in_acc(local);
  if (!(acc ? chip.acc_claims : chip.sp_claims)) return true;
  const uint32_t *owner = acc ? chip.acc_owner : chip.sp_owner;
  uint32_t row = row_of(local);
  for (uint32_t i = 0; i < count; i++) {
    REQUIRE(owner[row + i] != 0, "%s: row %u of the %s belongs to no live buffer", what, row + i,
            acc ? "accumulator" : "scratchpad");
    REQUIRE(owner[row + i] == owner[row], "%s: rows %u and %u of the %s belong to different buffers", what, row, row + i,
            acc ? "accumulator" : "scratchpad");
  }
  return true;
}

static bool require_known(const char *what, bool acc, uint32_t row, uint32_t cols) {
  uint32_t missing = ALL_COLUMNS(cols) & ~(acc ? chip.acc_known : chip.sp_known)[row];
  if (missing == 0) return true;
  uint32_t col = 0;
  while (!(missing >> col & 1)) col++;
  return fail("%s: row %u, column %u of the %s was never written", what, row, col, acc ? "accumulator" : "scratchpad");
}

/* ---- arithmetic ----------------------------------------------------------------------------------------------------- */

static int8_t saturate(float value) { return value >= 127.0f ? 127 : value <= -128.0f ? -128 : (int8_t)value; }

/* Rounds to the nearest integer, ties to even: the processor's default mode, which C without FENV_ACCESS assumes. */
static int8_t scaled(int32_t value, float scale) { return saturate(rintf((float)value * scale)); }

static int32_t wrapping_add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }

/* value / 2^shift, ties to even, then saturated. */
static int8_t shifted(int32_t value, uint32_t shift) {
  int64_t wide = value, floor = wide >> shift, rest = wide - floor * ((int64_t)1 << shift);
  int64_t half = shift > 0 ? (int64_t)1 << (shift - 1) : 1;
  if (rest > half || (rest == half && (floor & 1))) floor++;
  return (int8_t)(floor > 127 ? 127 : floor < -128 ? -128 : floor);
}
