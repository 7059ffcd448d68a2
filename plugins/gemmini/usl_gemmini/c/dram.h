/* What of main memory commands may still be reading or writing, byte by byte, and where they may go at all.
 *
 * A fence ends everything. Lines of 64 bytes are kept in a hash table with one bit for each byte. */

#define LINE 64

typedef struct {
  uint64_t line; /* address / LINE; 0 is an empty place, as no command touches line 0 */
  uint64_t written, read;
  int64_t writer;
} Line;

static struct {
  Line *lines;
  size_t size, used;
  uint64_t *starts, *ends; /* allowed ranges, none: everything is allowed */
  size_t ranges, last;
} dram;

static Line *line_place(Line *lines, size_t size, uint64_t line) {
  size_t at = (size_t)((line * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (size - 1);
  while (lines[at].line != 0 && lines[at].line != line) at = (at + 1) & (size - 1);
  return &lines[at];
}

static bool dram_grow(void) {
  size_t size = dram.size ? 2 * dram.size : 1 << 12;
  Line *lines = calloc(size, sizeof *lines);
  if (lines == NULL) return false;
  for (size_t i = 0; i < dram.size; i++)
    if (dram.lines[i].line != 0) *line_place(lines, size, dram.lines[i].line) = dram.lines[i];
  free(dram.lines);
  dram.lines = lines;
  dram.size = size;
  return true;
}

/* The line's entry, made if it is not there; NULL without memory for it. */
static Line *line_made(uint64_t line) {
  if (2 * dram.used >= dram.size && !dram_grow()) return NULL;
  Line *found = line_place(dram.lines, dram.size, line);
  if (found->line == 0) {
    *found = (Line){.line = line};
    dram.used++;
  }
  return found;
}

static uint64_t bytes_of_line(uint64_t line, uint64_t from, uint64_t to) {
  uint64_t first = from > line * LINE ? from - line * LINE : 0;
  uint64_t last = to < (line + 1) * LINE ? to - line * LINE : LINE;
  return last - first == LINE ? ~UINT64_C(0) : ((UINT64_C(1) << (last - first)) - 1) << first;
}

static bool dram_mark(uint64_t from, uint64_t bytes, bool written, int64_t writer) {
  for (uint64_t line = from / LINE; line <= (from + bytes - 1) / LINE; line++) {
    Line *found = line_made(line);
    if (found == NULL) return false;
    uint64_t mask = bytes_of_line(line, from, from + bytes);
    if (written) {
      found->written |= mask;
      found->writer = writer;
    } else {
      found->read |= mask;
    }
  }
  return true;
}

/* The entry of a line of which a byte of the range is in flight (of those written, or also of those read), or NULL. */
static const Line *dram_in_flight(uint64_t from, uint64_t bytes, bool also_read) {
  if (dram.used == 0 || bytes == 0) return NULL;
  for (uint64_t line = from / LINE; line <= (from + bytes - 1) / LINE; line++) {
    const Line *found = line_place(dram.lines, dram.size, line);
    if (found->line == 0) continue;
    uint64_t mask = bytes_of_line(line, from, from + bytes);
    if ((found->written & mask) || (also_read && (found->read & mask))) return found;
  }
  return NULL;
}

static void dram_fence(void) {
  if (dram.used == 0) return;
  memset(dram.lines, 0, dram.size * sizeof *dram.lines);
  dram.used = 0;
}

static bool dram_allowed(uint64_t from, uint64_t bytes) {
  if (dram.ranges == 0) return true;
  for (size_t i = 0; i < dram.ranges; i++) {
    size_t at = (dram.last + i) % dram.ranges;
    if (from >= dram.starts[at] && from + bytes <= dram.ends[at]) {
      dram.last = at;
      return true;
    }
  }
  return false;
}

static bool dram_allow(uint64_t from, uint64_t bytes) {
  uint64_t *starts = realloc(dram.starts, (dram.ranges + 1) * sizeof *starts);
  if (starts != NULL) dram.starts = starts;
  uint64_t *ends = realloc(dram.ends, (dram.ranges + 1) * sizeof *ends);
  if (ends != NULL) dram.ends = ends;
  if (starts == NULL || ends == NULL) return false;
  starts[dram.ranges] = from;
  ends[dram.ranges++] = from + bytes;
  return true;
}

static void dram_reset(void) {
  dram_fence();
  dram.ranges = dram.last = 0;
}
