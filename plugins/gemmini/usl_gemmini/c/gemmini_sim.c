/* The functional simulator: runs the instruction words that the macros of gemmini.h encode, in order and at once, bit by bit as
 * the fact sheet says, and refuses what hardware would fail on. There is one chip in a process; it is not safe for threads.
 *
 * The first failure stays: commands after it do nothing until gemmini_sim_reset. */

#include "gemmini.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "dram.h"
#include "state.h"
#include "movement.h"
#include "compute.h"
#include "timing.h"
#include "timing_load.h"
#include "timing_store.h"
#include "timing_execute.h"
#include "timing_host.h"
#include "timing_unroller.h"
#include "timing_run.h"

void gemmini_sim_reset(void);
void gemmini_sim_recover(void);
void gemmini_sim_record(int recording, int executing);
int gemmini_sim_allow(uint64_t start, uint64_t bytes);
const char *gemmini_sim_error(int64_t *index, uint64_t *words);
size_t gemmini_sim_trace(const uint64_t **words);
uint64_t gemmini_sim_params_hash(void);
int64_t gemmini_sim_count(void);
void gemmini_sim_run(const uint64_t *words, size_t count);
int gemmini_sim_local(uint32_t local, uint32_t rows, int32_t *values, uint32_t *known);

static bool fence(void) {
  REQUIRE(!chip.preloaded, "a fence between a preload and its compute never ends");
  dram_fence();
  memset(chip.sp_result, 0, sizeof chip.sp_result);
  return true;
}

static bool config(uint64_t rs1, uint64_t rs2) {
  switch (rs1 & 3) {
    case GEMMINI_CONFIG_EX: return config_ex(rs1, rs2);
    case GEMMINI_CONFIG_LD: return config_ld(rs1, rs2);
    case GEMMINI_CONFIG_ST: return config_st(rs1, rs2);
    default: return true; /* constants of normalisation, which nothing here uses */
  }
}

static bool execute(uint64_t funct, uint64_t rs1, uint64_t rs2) {
  switch (funct) {
    case GEMMINI_CONFIG: return config(rs1, rs2);
    case GEMMINI_MVIN: return mvin(0, rs1, operand(rs2));
    case GEMMINI_MVIN2: return mvin(1, rs1, operand(rs2));
    case GEMMINI_MVIN3: return mvin(2, rs1, operand(rs2));
    case GEMMINI_MVOUT: return mvout(rs1, operand(rs2));
    case GEMMINI_PRELOAD: return preload(operand(rs1), operand(rs2));
    case GEMMINI_COMPUTE_PRELOADED: return compute(true, operand(rs1), operand(rs2));
    case GEMMINI_COMPUTE_ACCUMULATED: return compute(false, operand(rs1), operand(rs2));
    case GEMMINI_FLUSH: return true;
    case GEMMINI_FENCE: return fence();
    default: return fail("function %llu is not modelled", (unsigned long long)funct);
  }
}

static bool record(Command command) {
  if (!chip.recording) return true;
  if (chip.traced == chip.capacity) {
    size_t capacity = chip.capacity ? 2 * chip.capacity : 1 << 10;
    Command *trace = realloc(chip.trace, capacity * sizeof *trace);
    REQUIRE(trace != NULL, "out of memory for the trace");
    chip.trace = trace;
    chip.capacity = capacity;
  }
  chip.trace[chip.traced++] = command;
  return true;
}

static bool require_params(uint64_t hash) {
  REQUIRE(hash == GEMMINI_PARAMS_HASH, "the C was compiled for parameters 0x%016llx, the simulator for 0x%016llx",
          (unsigned long long)hash, (unsigned long long)GEMMINI_PARAMS_HASH);
  return true;
}

void gemmini_sim_issue(uint64_t params_hash, uint32_t funct, uint64_t rs1, uint64_t rs2) {
  if (chip.failed) return;
  Command command = {funct, rs1, rs2};
  if (!require_params(params_hash) || !record(command) || !(chip.idle || execute(funct, rs1, rs2))) chip.failing = command;
  chip.count++;
}

/* ---- what the host does --------------------------------------------------------------------------------------------- */

static bool host_access(uint64_t place, uint64_t bytes, bool writes) {
  if (bytes == 0) return true;
  const Line *line = dram_in_flight(place, bytes, writes);
  REQUIRE(line == NULL, "the host %s %llu bytes at 0x%llx, near 0x%llx still in flight%s: a fence is missing",
          writes ? "writes" : "reads", (unsigned long long)bytes, (unsigned long long)place,
          (unsigned long long)(line == NULL ? 0 : line->line * LINE), writes ? "" : " from an mvout");
  return true;
}

static bool claim(uint32_t local, uint64_t rows) {
  if (local == GEMMINI_WEIGHTS) {
    REQUIRE(!chip.weights_claimed, "a second live block of weights; the array holds one");
    chip.weights_claimed = true;
    chip.weights_known = false;
    return true;
  }
  if (rows == 0) return true;
  if (!require_local("a buffer", local, rows)) return false;
  bool acc = in_acc(local);
  uint32_t *owner = acc ? chip.acc_owner : chip.sp_owner, *known = acc ? chip.acc_known : chip.sp_known;
  *(acc ? &chip.acc_claims : &chip.sp_claims) = true;
  chip.owners++;
  for (uint64_t i = 0; i < rows; i++) {
    uint32_t row = row_of(local) + (uint32_t)i;
    REQUIRE(owner[row] == 0, "two live buffers overlap in row %u of the %s", row, acc ? "accumulator" : "scratchpad");
    owner[row] = chip.owners;
    known[row] = 0;
  }
  return true;
}

static bool release(uint32_t local, uint64_t rows) {
  if (local == GEMMINI_WEIGHTS) {
    REQUIRE(chip.weights_claimed, "weights are given back that no buffer has");
    chip.weights_claimed = chip.weights_known = false;
    return true;
  }
  if (rows == 0) return true;
  if (!require_local("a buffer", local, rows)) return false;
  uint32_t *owner = in_acc(local) ? chip.acc_owner : chip.sp_owner;
  for (uint64_t i = 0; i < rows; i++) {
    uint32_t row = row_of(local) + (uint32_t)i;
    REQUIRE(owner[row] != 0, "row %u is given back, but no live buffer has it", row);
    owner[row] = 0;
  }
  return true;
}

static bool host(uint32_t event, uint64_t place, uint64_t size) {
  switch (event) {
    case GEMMINI_HOST_READ: return host_access(place, size, false);
    case GEMMINI_HOST_WRITE: return host_access(place, size, true);
    case GEMMINI_HOST_CLAIM: return claim((uint32_t)place, size);
    case GEMMINI_HOST_RELEASE: return release((uint32_t)place, size);
    default: return fail("event %u of the host is unknown", event);
  }
}

void gemmini_sim_host(uint64_t params_hash, uint32_t event, uint64_t place, uint64_t size) {
  if (chip.failed) return;
  if (!require_params(params_hash) || !(chip.idle || host(event, place, size))) chip.by_host = true;
}

/* ---- what Python asks ----------------------------------------------------------------------------------------------- */

uint64_t gemmini_sim_params_hash(void) { return GEMMINI_PARAMS_HASH; }

int64_t gemmini_sim_count(void) { return chip.count; }

/* A chip after power-up: nothing is configured, no row is written. */
void gemmini_sim_reset(void) {
  Command *trace = chip.trace;
  size_t capacity = chip.capacity;
  bool recording = chip.recording;
  memset(&chip, 0, sizeof chip);
  chip.trace = trace;
  chip.capacity = capacity;
  chip.recording = recording;
  dram_reset();
}

/* Power-up after a failure, if there was one; the commands that were recorded stay. */
void gemmini_sim_recover(void) {
  const size_t traced = chip.traced;
  if (!chip.failed) return;
  gemmini_sim_reset();
  chip.traced = traced;
}

/* Whether commands are kept for gemmini_sim_trace, and whether they do anything else. */
void gemmini_sim_record(int recording, int executing) {
  chip.recording = recording != 0;
  chip.idle = executing == 0;
}

/* Commands may touch these bytes; after the first call, these and no others but those of other calls. */
int gemmini_sim_allow(uint64_t start, uint64_t bytes) { return dram_allow(start, bytes); }

/* The reason of the first failure, or NULL. index is -1 where the host failed; words are those of the failing command. */
const char *gemmini_sim_error(int64_t *index, uint64_t *words) {
  if (!chip.failed) return NULL;
  *index = chip.by_host ? -1 : chip.failed_at;
  words[0] = chip.failing.funct;
  words[1] = chip.failing.rs1;
  words[2] = chip.failing.rs2;
  return chip.reason;
}

size_t gemmini_sim_trace(const uint64_t **words) {
  *words = &chip.trace->funct;
  return chip.traced;
}

void gemmini_sim_run(const uint64_t *words, size_t count) {
  for (size_t i = 0; i < count; i++) gemmini_issue((uint32_t)words[3 * i], words[3 * i + 1], words[3 * i + 2]);
}

/* Copies rows of a local memory and the bits that say which elements were written; 0 if there are no such rows. */
int gemmini_sim_local(uint32_t local, uint32_t rows, int32_t *values, uint32_t *known) {
  bool acc = in_acc(local);
  uint32_t row = row_of(local);
  if ((uint64_t)row + rows > (acc ? ACC_ROWS : SP_ROWS)) return 0;
  for (uint32_t r = 0; r < rows; r++) {
    known[r] = (acc ? chip.acc_known : chip.sp_known)[row + r];
    for (uint32_t c = 0; c < DIM; c++) values[r * DIM + c] = acc ? chip.acc[row + r][c] : chip.sp[row + r][c];
  }
  return 1;
}

static bool is_weight_row(uint32_t local) { return local <= GEMMINI_WEIGHTS && local > GEMMINI_WEIGHTS - DIM; }

static bool has_row(uint32_t local, uint64_t count) {
  REQUIRE(count <= DIM, "%llu elements of a row; it has %d", (unsigned long long)count, DIM);
  return is_weight_row(local) || require_local("a test", local, 1);
}

void gemmini_sim_poke(uint32_t local, const void *elements, uint64_t count) {
  if (chip.failed || !has_row(local, count)) return;
  uint32_t row = row_of(local), mask = ALL_COLUMNS((uint32_t)count);
  if (is_weight_row(local)) {
    for (uint64_t c = 0; c < count; c++) chip.weights[GEMMINI_WEIGHTS - local][c] = ((const int8_t *)elements)[c];
    chip.weights_known = true;
  } else if (in_acc(local)) {
    memcpy(chip.acc[row], elements, count * sizeof(int32_t));
    chip.acc_known[row] |= mask;
  } else {
    memcpy(chip.sp[row], elements, count);
    chip.sp_known[row] |= mask;
  }
}

void gemmini_sim_peek(void *elements, uint32_t local, uint64_t count) {
  if (chip.failed || !has_row(local, count)) return;
  uint32_t row = row_of(local);
  if (is_weight_row(local)) {
    for (uint64_t c = 0; c < count; c++) ((int8_t *)elements)[c] = (int8_t)chip.weights[GEMMINI_WEIGHTS - local][c];
  } else if (in_acc(local)) {
    memcpy(elements, chip.acc[row], count * sizeof(int32_t));
  } else {
    memcpy(elements, chip.sp[row], count);
  }
}
