/* The timing model: commands through queues, reservation entries, memory and banks, cycle by cycle.
 *
 * It reads instruction words only, no data, and expects a trace that the functional simulator accepts. The parts: this file has
 * the model's state and the reservation station, timing_load.h, timing_store.h and timing_execute.h a controller each,
 * timing_host.h and timing_unroller.h where commands come from, and timing_run.h the clock. */

enum { LD, EX, ST, CLASSES };
enum { MAX_ENTRIES = 64, RING = 256 };

/* Why the array did not take a row of A in a cycle. The order is that of timing.CAUSES in Python. */
enum { EXECUTE, SHORT, BY_LOAD, BY_STORE, BY_CONFIG, BY_CONFLICT, BY_DMA, BY_HOST, DRAIN, CAUSES };

/* In the order of timing.CONSTANTS in Python. */
typedef struct {
  int64_t issue, entries[CLASSES], queue[CLASSES], mvins, reads, read_latency, bus_bytes, scale_lanes;
  int64_t writes, write_latency, rewrite_latency, store_latency, store_buffer;
  int64_t result_latency, config_ex, least_slot, os_flush, transpose_b, transpose_a;
} Constants;

typedef struct {
  int64_t cycles, products, busy[CLASSES], blocked[CLASSES], causes[CAUSES];
} Report;

typedef struct {
  uint32_t low, high; /* rows of both memories, those of the accumulator behind those of the scratchpad */
} Rows;

typedef struct {
  uint32_t row, stride, rows;
} Stream; /* rows of the scratchpad that the array is fed; none: rows == 0 */

typedef struct {
  int64_t command;
  uint32_t funct;
  int unit;
  uint64_t waits; /* a bit for each entry that must be released before */
  Rows reads[2], writes;
  /* movement */
  uint64_t dram, stride;
  uint32_t local, cols, rows, block_stride, size, pieces;
  bool acc, scaled;
  /* the array */
  Stream streams[2];
  uint32_t steps, c_local;
  bool garbage, garbage_c, os, extra_pass, extra_latency;
} Entry;

typedef struct {
  int slots[MAX_ENTRIES];
  int64_t count;
} Queue;

typedef struct {
  int64_t start, beats;
  int slot;
  uint32_t row, col, cols, repeats;
} Read;

typedef struct {
  int64_t ready, bytes;
  uint64_t line;
} Write;

typedef struct {
  Constants k;
  Report *report;
  int64_t *events; /* for each command: taken by the host's side, begun, released */
  int64_t now;
  Entry entries[MAX_ENTRIES];
  int first[CLASSES + 1]; /* the slots of each class */
  uint64_t live;
  int64_t used[CLASSES];
  Queue waiting[CLASSES], queue[CLASSES];
  /* as the front end sees them */
  ConfigEx ex;
  ConfigLd ld[3];
  ConfigSt st;
  uint32_t c_local;
  bool preload_garbage;
  int64_t blocked_by; /* a class whose entries are all taken, or -1 */
  bool host_done;
  /* load */
  int mvins[MAX_ENTRIES];
  int64_t mvin_count, generated; /* of the mvins in flight, those whose transactions have all begun */
  uint32_t next_row, next_byte, left[MAX_ENTRIES];
  Read reads[RING], landed[RING];
  uint64_t read_head, read_tail, landed_head, landed_tail;
  int64_t beats_done, lanes_done;
  int written_bank; /* the scratchpad bank that a transfer writes in this cycle, or -1 */
  /* store */
  uint32_t store_row, store_block;
  Write pending[RING];
  uint64_t pending_head, pending_tail;
  int64_t acks[MAX_ENTRIES], ack_count, next_ack, bus_free;
  uint64_t *lines;
  size_t lines_size, lines_used;
  bool failed;
  /* execute */
  bool in_slot;
  int compute, preload; /* slots of the reservation station, or -1 */
  int last_preload;     /* the one whose values the next compute uses, or -1 */
  Stream streams[3];
  bool served[3];
  uint32_t step, steps;
  int slot_cause;
  int64_t busy_until;
  int busy_cause, busy_entry;
  struct {
    int64_t time;
    int slot;
  } results[RING];
  uint64_t result_head, result_tail;
} Model;

static void event(Model *m, int slot, int which) {
  if (m->events != NULL) m->events[3 * m->entries[slot].command + which] = m->now;
}

static bool overlap(Rows a, Rows b) { return a.low < b.high && b.low < a.high; }

static bool conflict(const Entry *a, const Entry *b) {
  for (int i = 0; i < 2; i++)
    if (overlap(a->reads[i], b->writes) || overlap(b->reads[i], a->writes)) return true;
  return overlap(a->writes, b->writes);
}

static void release_entry(Model *m, int slot) {
  uint64_t bit = UINT64_C(1) << slot;
  event(m, slot, 2);
  m->live &= ~bit;
  m->used[m->entries[slot].unit]--;
  for (uint64_t rest = m->live; rest != 0; rest &= rest - 1) m->entries[__builtin_ctzll(rest)].waits &= ~bit;
}

/* A free slot for the entry, which must exist, with what it has to wait for. */
static void take_entry(Model *m, Entry entry) {
  int slot = m->first[entry.unit];
  while (m->live >> slot & 1) slot++;
  for (uint64_t rest = m->live; rest != 0; rest &= rest - 1) {
    int other = __builtin_ctzll(rest);
    const Entry *older = &m->entries[other];
    bool stores = entry.funct == GEMMINI_MVOUT && older->funct == GEMMINI_MVOUT; /* one store after the other */
    if (stores || (older->unit != entry.unit && conflict(older, &entry))) entry.waits |= UINT64_C(1) << other;
  }
  m->entries[slot] = entry;
  m->live |= UINT64_C(1) << slot;
  m->used[entry.unit]++;
  m->waiting[entry.unit].slots[m->waiting[entry.unit].count++] = slot;
  event(m, slot, 0);
}

static int take_first(Queue *queue) {
  int slot = queue->slots[0];
  queue->count--;
  memmove(queue->slots, queue->slots + 1, (size_t)queue->count * sizeof *queue->slots);
  return slot;
}

/* One command of each class goes to its controller, in order. */
static void issue_ready(Model *m) {
  for (int unit = 0; unit < CLASSES; unit++) {
    Queue *waiting = &m->waiting[unit], *queue = &m->queue[unit];
    if (waiting->count == 0 || queue->count >= m->k.queue[unit] || m->entries[waiting->slots[0]].waits != 0) continue;
    int slot = take_first(waiting);
    if (m->entries[slot].funct == GEMMINI_CONFIG && unit != EX) {
      event(m, slot, 1);
      release_entry(m, slot);
    } else {
      queue->slots[queue->count++] = slot;
    }
  }
}
