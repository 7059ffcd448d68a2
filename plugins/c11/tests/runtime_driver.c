/* Cases for the runtime; argv[1] names one. Each ends the process with a message if something is wrong. */
#include "usl_rt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define REQUIRE(condition)                                                                    \
    do {                                                                                      \
        if (!(condition)) {                                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                   \
            exit(3);                                                                          \
        }                                                                                     \
    } while (0)

static usl_context *ctx;

enum { LEAF = 0, NODE = 1, REF = USL_TAG_REF };
#define EMPTY USL_CONSTANT(LEAF)

struct node {
    usl_block head;
    usl_value first, second;
    int64_t number;
};

static usl_value node_in(usl_value first, usl_value second, int64_t number, usl_context *own)
{
    usl_value block = usl_new(4, "driver.c:node", own);
    usl_init(block, 2, 0, NODE, 4);
    USL_AS(struct node, block)->first = first;
    USL_AS(struct node, block)->second = second;
    USL_AS(struct node, block)->number = number;
    return block;
}

static usl_value node(usl_value first, usl_value second, int64_t number)
{
    return node_in(first, second, number, ctx);
}

static usl_value ref(usl_value content)
{
    usl_value block = usl_new(2, "driver.c:ref", ctx);
    usl_init(block, 1, 0, USL_TAG_REF, 2);
    usl_fields(block)[0] = content;
    return block;
}

static int32_t count_of(usl_value block)
{
    return usl_relaxed(&block->count);
}

/* ---- deep structures, in a thread with a small stack */

enum { DEEP = 1000000 };

static usl_value chain(int64_t length, int place)
{
    usl_value list = EMPTY;
    for (int64_t i = 0; i < length; i++)
        list = place == 0 ? node(list, EMPTY, i) : place == 1 ? node(EMPTY, list, i) : i % 2 ? node(list, EMPTY, i) : node(EMPTY, list, i);
    return list;
}

static void *deep_main(void *unused)
{
    for (int place = 0; place < 3; place++) {
        usl_drop(chain(DEEP, place), ctx);
        REQUIRE(usl_live_blocks() == 0);
        usl_value shared = chain(DEEP, place);
        usl_share(shared);
        int64_t seen = 0;
        for (usl_value at = shared; !usl_is_constant(at); seen++) {
            const struct node *const here = USL_AS(struct node, at);
            REQUIRE(count_of(at) == -1 && here->number == DEEP - 1 - seen && at->path == 0);
            REQUIRE(usl_is_constant(here->first) || usl_is_constant(here->second));
            at = usl_is_constant(here->first) ? here->second : here->first;
        }
        REQUIRE(seen == DEEP);
        usl_drop(shared, ctx);
        REQUIRE(usl_live_blocks() == 0);
    }
    usl_value token = usl_drop_reuse(node(chain(DEEP, 0), chain(DEEP, 1), 0), ctx);
    REQUIRE(token != NULL && count_of(token) == 0 && token->path == 0);
    usl_token_free(token, ctx);
    REQUIRE(usl_live_blocks() == 0);
    return unused;
}

static void deep(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    REQUIRE(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, 128 << 10) == 0);
    REQUIRE(pthread_create(&thread, &attributes, deep_main, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

/* ---- counts */

static void counts(void)
{
    usl_value block = node(EMPTY, EMPTY, 1);
    REQUIRE(usl_is_unique(block));
    usl_dup(block);
    usl_dup(block);
    REQUIRE(count_of(block) == 2 && !usl_is_unique(block));
    usl_drop(block, ctx);
    usl_decref(block, ctx);
    REQUIRE(usl_is_unique(block));
    usl_dup(block);
    usl_share(block);
    REQUIRE(count_of(block) == -2 && usl_is_shared(block) && !usl_is_unique(block));
    usl_dup(block);
    REQUIRE(count_of(block) == -3);
    usl_drop(block, ctx);
    usl_drop(block, ctx);
    usl_token token = usl_drop_reuse(node(block, EMPTY, 2), ctx); /* the last reference to block is in it */
    REQUIRE(token != NULL && token != block);
    usl_token_free(token, ctx);
    REQUIRE(usl_live_blocks() == 0);
}

static void sticky(void)
{
    usl_value block = node(EMPTY, EMPTY, 1);
    usl_relaxed_store(&block->count, INT32_MAX);
    usl_dup(block); /* wraps to stuck */
    REQUIRE(count_of(block) == USL_STUCK);
    usl_dup(block);
    usl_drop(block, ctx);
    usl_drop(block, ctx);
    REQUIRE(count_of(block) == USL_STUCK);
    usl_relaxed_store(&block->count, USL_STICKY + 1);
    usl_dup(block);
    usl_dup(block);
    usl_dup(block);
    REQUIRE(count_of(block) == USL_STICKY);
    for (int i = 0; i < 10; i++)
        usl_drop(block, ctx);
    REQUIRE(count_of(block) == USL_STICKY);
    usl_relaxed_store(&block->count, USL_STICKY_DROP + 1);
    usl_drop(block, ctx);
    REQUIRE(count_of(block) == USL_STICKY_DROP + 2);
    usl_relaxed_store(&block->count, 0);
    usl_drop(block, ctx);
    REQUIRE(usl_live_blocks() == 0);
}

static USL_STRING(text, 5) = USL_STRING_INIT("fixed");

static void statics(void)
{
    usl_value string = USL_STATIC(text);
    usl_drop(node(string, string, 0), ctx);
    usl_dup(string);
    usl_share(string);
    REQUIRE(count_of(string) == USL_STUCK && usl_string_length(string) == 5);
    REQUIRE(usl_live_blocks() == 0);
}

/* ---- the allocator */

static uint64_t random_state = 88172645463325252u;

static uint64_t random_below(uint64_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % n;
}

static usl_value block_of(size_t words)
{
    usl_value block = usl_new(words, "driver.c:block", ctx);
    usl_init(block, 0, 0, 7, words);
    memset(block + 1, (int)words, (words - 1) * 8);
    return block;
}

static void sizes(void)
{
    enum { SLOTS = 4000 };
    static usl_value slots[SLOTS];
    int64_t live = 0;
    for (int step = 0; step < 400000; step++) {
        usl_value *const slot = &slots[random_below(SLOTS)];
        if (*slot != NULL) {
            const size_t words = (*slot)->info % 64u, size = words != 0 ? words : 100;
            const unsigned char *const bytes = (const unsigned char *)(*slot + 1);
            REQUIRE(bytes[0] == (unsigned char)size && bytes[(size - 1) * 8 - 1] == (unsigned char)size);
            REQUIRE(((uintptr_t)*slot & 7) == 0);
            usl_drop(*slot, ctx);
            *slot = NULL;
            live--;
        } else {
            const size_t words = random_below(20) == 0 ? 100 : 2 + random_below(62);
            *slot = block_of(words);
            live++;
        }
    }
    REQUIRE(usl_live_blocks() == live);
    for (int i = 0; i < SLOTS; i++)
        if (slots[i] != NULL)
            usl_drop(slots[i], ctx);
    REQUIRE(usl_live_blocks() == 0);
}

static long peak_kilobytes(void)
{
    struct rusage usage;
    REQUIRE(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_maxrss;
}

/* Memory that blocks of one size no longer need serves another size. */
static void migrate(void)
{
    enum { BYTES = 64 << 20 };
    long first = 0;
    for (size_t words = 4; words <= 12; words++) {
        usl_value list = EMPTY;
        for (size_t i = 0; i < BYTES / (words * 8); i++) {
            usl_value block = usl_new(words, "driver.c:migrate", ctx);
            usl_init(block, 1, 0, NODE, words);
            usl_fields(block)[0] = list;
            list = block;
        }
        usl_drop(list, ctx);
        REQUIRE(usl_live_blocks() == 0);
        if (first == 0)
            first = peak_kilobytes();
    }
    REQUIRE(peak_kilobytes() < 2 * first);
}

/* Kilobytes of memory in use, or -1 where the system does not say. */
static long resident_kilobytes(void)
{
    long all = 0, resident = -1;
    FILE *const file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        if (fscanf(file, "%ld %ld", &all, &resident) != 2)
            resident = -1;
        (void)fclose(file);
    }
    return resident < 0 ? -1 : resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A heap of any size takes little more from the system than its blocks have, though it asks for much at once. */
static void frugal(void)
{
    enum { BLOCKS = 300000, HUGE_KILOBYTES = 2048, OTHER_KILOBYTES = 1024 };
    const long before = resident_kilobytes();
    usl_value list = EMPTY;
    for (long step = 1; step <= 16; step++) {
        for (int64_t i = 0; i < BLOCKS; i++)
            list = node(list, EMPTY, i);
        const long kilobytes = step * BLOCKS / 1024 * 32;
        if (before >= 0)
            REQUIRE(resident_kilobytes() - before <= kilobytes + kilobytes / 64 + HUGE_KILOBYTES + OTHER_KILOBYTES);
    }
    usl_drop(list, ctx);
}

/* ---- threads */

struct work {
    usl_block head;
    usl_code code;
    usl_value value;
    int64_t number;
};

static usl_value closure(usl_value value, int64_t number, usl_context *own)
{
    usl_value block = usl_new(4, "driver.c:closure", own);
    usl_init(block, 2, 1, USL_TAG_CLOSURE, 4);
    USL_AS(struct work, block)->code = NULL;
    USL_AS(struct work, block)->value = value;
    USL_AS(struct work, block)->number = number;
    return block;
}

static void take_captures(usl_value self, usl_value *value, int64_t *number, usl_context *own)
{
    *value = USL_AS(struct work, self)->value;
    *number = USL_AS(struct work, self)->number;
    usl_dup(*value);
    usl_drop(self, own);
}

/* Counts a shared structure up and down, builds something, and returns it. */
static void run_counting(usl_value self, void *result, usl_context *own)
{
    usl_value shared;
    int64_t number;
    take_captures(self, &shared, &number, own);
    for (int i = 0; i < 3000; i++) {
        usl_dup(shared);
        usl_value holder = node_in(shared, EMPTY, i, own);
        usl_drop(holder, own);
    }
    usl_value list = EMPTY;
    for (int i = 0; i < 2000; i++)
        list = node_in(EMPTY, list, i, own);
    usl_drop(shared, own);
    *(usl_value *)result = list;
}

static usl_value spawn(void (*run)(usl_value, void *, usl_context *), usl_value value, int64_t number)
{
    return usl_spawn(run, closure(value, number, ctx), &usl_boxed_type, &usl_boxed_type, "driver.c:spawn", ctx);
}

static void threads(void)
{
    enum { THREADS = 4 };
    for (int round = 0; round < 5; round++) {
        usl_value shared = chain(100, 2), handles[THREADS], result;
        for (int i = 0; i < THREADS; i++) {
            usl_dup(shared);
            handles[i] = spawn(run_counting, shared, i);
        }
        usl_drop(shared, ctx);
        for (int i = 0; i < THREADS; i++) {
            usl_join(handles[i], &result, ctx);
            REQUIRE(ctx->thrown == 0 && usl_is_unique(result));
            usl_drop(result, ctx);
        }
        REQUIRE(usl_live_blocks() == 0);
    }
}

/* A handle that is dropped, one that is joined twice, one that throws. */
static void run_throwing(usl_value self, void *result, usl_context *own)
{
    int64_t number;
    take_captures(self, (usl_value *)result, &number, own);
    own->exception.boxed = *(usl_value *)result;
    own->thrown = 1;
}

static void joins(void)
{
    usl_value first, second;
    usl_drop(spawn(run_counting, chain(10, 0), 0), ctx);
    REQUIRE(usl_live_blocks() == 0);
    usl_value handle = spawn(run_counting, chain(10, 0), 0);
    usl_dup(handle);
    usl_join(handle, &first, ctx);
    REQUIRE(!usl_is_unique(first) && !usl_is_shared(first));
    usl_join(handle, &second, ctx);
    REQUIRE(first == second);
    usl_drop(first, ctx);
    REQUIRE(usl_is_unique(second));
    usl_drop(second, ctx);
    handle = spawn(run_throwing, chain(3, 1), 0);
    usl_join(handle, &first, ctx);
    REQUIRE(ctx->thrown == 1);
    ctx->thrown = 0;
    usl_drop(ctx->exception.boxed, ctx);
    REQUIRE(usl_live_blocks() == 0);
}

/* Several threads join one shared handle. */
static void run_join(usl_value self, void *result, usl_context *own)
{
    usl_value handle;
    int64_t number;
    take_captures(self, &handle, &number, own);
    usl_join(handle, result, own);
    REQUIRE(usl_is_shared(*(usl_value *)result));
}

static void shared_joins(void)
{
    enum { THREADS = 4 };
    usl_value handles[THREADS], result, handle = spawn(run_counting, chain(10, 0), 0);
    for (int i = 0; i < THREADS; i++) {
        usl_dup(handle);
        handles[i] = spawn(run_join, handle, i);
    }
    usl_drop(handle, ctx);
    for (int i = 0; i < THREADS; i++) {
        usl_join(handles[i], &result, ctx);
        usl_drop(result, ctx);
    }
    REQUIRE(usl_live_blocks() == 0);
}

/* One cell, written and read by all: as the generated helpers do it. */
static usl_value get(usl_value cell)
{
    usl_lock(cell);
    usl_value content = usl_fields(cell)[0];
    usl_dup(content);
    usl_unlock(cell);
    return content;
}

static void set(usl_value cell, usl_value content, usl_context *own)
{
    usl_share(content);
    usl_lock(cell);
    usl_value old = usl_fields(cell)[0];
    usl_fields(cell)[0] = content;
    usl_unlock(cell);
    usl_drop(old, own);
}

static void run_cell(usl_value self, void *result, usl_context *own)
{
    usl_value cell;
    int64_t number;
    take_captures(self, &cell, &number, own);
    for (int i = 0; i < 2000; i++) {
        set(cell, node_in(EMPTY, EMPTY, i, own), own);
        usl_drop(get(cell), own);
    }
    usl_drop(cell, own);
    *(usl_value *)result = EMPTY;
}

static void cells(void)
{
    enum { THREADS = 4 };
    usl_value handles[THREADS], result, cell = ref(node(EMPTY, EMPTY, 0));
    for (int i = 0; i < THREADS; i++) {
        usl_dup(cell);
        handles[i] = spawn(run_cell, cell, i);
    }
    usl_drop(cell, ctx);
    for (int i = 0; i < THREADS; i++) {
        usl_join(handles[i], &result, ctx);
        usl_drop(result, ctx);
    }
    REQUIRE(usl_live_blocks() == 0);
}

/* Memory that one thread takes and another frees comes back to the first: the heap does not grow with the rounds. */
static void run_dropping(usl_value self, void *result, usl_context *own)
{
    usl_value list;
    int64_t number;
    take_captures(self, &list, &number, own);
    usl_drop(list, own);
    *(usl_value *)result = EMPTY;
}

static void handover(void)
{
    long first = 0;
    usl_value result;
    for (int round = 0; round < 40; round++) {
        usl_value list = chain(50000, 1), handle = spawn(run_dropping, list, 0);
        usl_join(handle, &result, ctx);
        REQUIRE(usl_live_blocks() == 0);
        if (round == 3)
            first = peak_kilobytes();
    }
    REQUIRE(peak_kilobytes() < first + 8192);
}

/* ---- cycles through cells, arrays */

static void share_cycle(void)
{
    usl_value cell = ref(EMPTY), block = node(cell, EMPTY, 1);
    usl_dup(cell);
    usl_dup(block);
    usl_fields(cell)[0] = block;
    usl_share(block);
    REQUIRE(count_of(cell) == -2 && count_of(block) == -2 && usl_fields(cell)[0] == block && USL_AS(struct node, block)->first == cell);
    set(cell, EMPTY, ctx);
    usl_drop(cell, ctx);
    usl_drop(block, ctx);
    REQUIRE(usl_live_blocks() == 0);
}

static void arrays(void)
{
    usl_value array = usl_boxed_array_new(1000, node(EMPTY, EMPTY, 5), "driver.c:array", ctx);
    REQUIRE(usl_array_length(array) == 1000 && count_of(usl_boxed_elements(array)[0]) == 999);
    for (int i = 0; i < 1000; i += 3) {
        usl_drop(usl_boxed_elements(array)[i], ctx);
        usl_boxed_elements(array)[i] = i % 2 ? chain(20, i % 3) : EMPTY;
    }
    usl_dup(array);
    usl_value copy = usl_boxed_array_own(array, "driver.c:array", ctx);
    REQUIRE(copy != array && usl_is_unique(array) && usl_is_unique(copy));
    REQUIRE(usl_boxed_array_own(copy, "driver.c:array", ctx) == copy);
    usl_share(array);
    for (int i = 0; i < 1000; i++)
        REQUIRE(usl_boxed_elements(array)[i] == usl_boxed_elements(copy)[i]);
    usl_value nested = usl_boxed_array_new(3, array, "driver.c:array", ctx);
    usl_drop(nested, ctx);
    usl_drop(copy, ctx);
    usl_value numbers = usl_raw_array_new(7, sizeof(float), "driver.c:array", ctx);
    for (int i = 0; i < 7; i++)
        ((float *)usl_raw_elements(numbers))[i] = (float)i;
    usl_dup(numbers);
    usl_value own = usl_raw_array_own(numbers, sizeof(float), "driver.c:array", ctx);
    REQUIRE(own != numbers && memcmp(usl_raw_elements(own), usl_raw_elements(numbers), 28) == 0);
    usl_drop(own, ctx);
    usl_drop(numbers, ctx);
    double lent[3] = {1, 2, 3};
    usl_value forgotten = usl_raw_array_lent(3, lent, "driver.c:array", ctx);
    REQUIRE(!usl_is_unique(forgotten) && usl_raw_elements(forgotten) == lent);
    usl_value changed = usl_raw_array_own(forgotten, sizeof(double), "driver.c:array", ctx);
    REQUIRE(changed != forgotten && usl_raw_elements(changed) != lent);
    usl_raw_array_return(forgotten, sizeof(double), ctx);
    usl_drop(changed, ctx);
    usl_value kept = usl_raw_array_lent(3, lent, "driver.c:array", ctx);
    usl_raw_array_return(kept, sizeof(double), ctx);
    REQUIRE(usl_is_unique(kept) && usl_raw_elements(kept) != lent && ((double *)usl_raw_elements(kept))[2] == 3);
    usl_drop(kept, ctx);
    usl_drop(usl_boxed_array_new(0, chain(3, 0), "driver.c:array", ctx), ctx);
    usl_drop(usl_raw_array_new(0, 8, "driver.c:array", ctx), ctx);
    REQUIRE(usl_live_blocks() == 0);
}

/* ---- text: one number a line from stdin */

static void floats(void)
{
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        usl_value string = usl_string_of_f64(strtod(line, NULL), "driver.c:floats", ctx), newline = usl_string_new("\n", 1, "driver.c", ctx);
        string = usl_string_concat(string, newline, "driver.c:floats", ctx);
        usl_print(string, ctx);
        usl_drop(string, ctx);
    }
    REQUIRE(usl_live_blocks() == 0);
}

/* ---- mistakes, which the debug runtime finds */

static void double_free(void)
{
    usl_value block = node(EMPTY, EMPTY, 1);
    usl_drop(block, ctx);
    usl_drop(block, ctx);
}

static void use_after_free(void)
{
    usl_value block = node(EMPTY, EMPTY, 1);
    usl_drop(block, ctx);
    printf("%d", (int)USL_AS(struct node, block)->number);
}

static void write_after_free(void)
{
    usl_value block = node(EMPTY, EMPTY, 1);
    struct node *const at = USL_AS(struct node, block);
    usl_drop(block, ctx);
    at->number = 1;
#ifdef USL_DEBUG
    usl_debug_report();
#endif
}

static void use_of_token(void)
{
    usl_value block = node(EMPTY, EMPTY, 1);
    (void)usl_drop_reuse(block, ctx);
    usl_dup(block);
}

static void leak(void)
{
    (void)node(node(EMPTY, EMPTY, 1), EMPTY, 2);
#ifdef USL_DEBUG
    REQUIRE(usl_debug_report() == 2);
#endif
}

static void cycle(void)
{
    usl_value cell = ref(EMPTY);
    usl_fields(cell)[0] = node(EMPTY, cell, 1);
#ifdef USL_DEBUG
    REQUIRE(usl_debug_report() == 2);
#endif
}

static void statistics(void)
{
    usl_stats_reset();
    usl_value block = node(EMPTY, EMPTY, 1);
    usl_dup(block);
    usl_drop(block, ctx);
    usl_token token = usl_token_of(block);
    REQUIRE(usl_take(token, "driver.c"));
    usl_drop(token, ctx);
    const struct usl_stats stats = usl_stats_read();
    printf("%d %d %d %d %d\n", (int)stats.allocated, (int)stats.freed, (int)stats.reused, (int)stats.dups, (int)stats.drops);
}

/* Strings that grow in place, are copied because somebody else holds them, or have themselves appended. */
static void strings(void)
{
    usl_value made = usl_string_new("", 0, "driver.c:string", ctx), kept = NULL;
    for (int i = 0; i < 3000; i++) {
        if (i == 1500) {
            usl_dup(made);
            kept = made;
        }
        made = usl_string_concat(made, usl_string_of_int(i % 10, "driver.c:string", ctx), "driver.c:string", ctx);
    }
    usl_dup(made);
    made = usl_string_concat(made, made, "driver.c:string", ctx);
    REQUIRE(usl_string_length(kept) == 1500 && usl_string_length(made) == 6000);
    for (int i = 0; i < 6000; i++)
        REQUIRE(usl_string_get(made, i) == '0' + i % 10 && (i >= 1500 || usl_string_get(kept, i) == '0' + i % 10));
    usl_drop(kept, ctx);
    usl_drop(made, ctx);
}

static int64_t levels(const volatile int64_t *above)
{
    const volatile int64_t here = *above + 1;
    return here == 0 ? 0 : levels(&here) + here;
}

static void overflow(void)
{
    const volatile int64_t start = 0;
    usl_watch_stack();
    (void)levels(&start);
}

static void wild(void)
{
    static volatile uintptr_t address = 8;
    usl_watch_stack();
    *(volatile char *)address = 1;
}

int main(int argc, char **argv)
{
#define CASE(name) {#name, name}
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {CASE(deep),    CASE(counts), CASE(sticky),       CASE(statics),     CASE(sizes),       CASE(migrate),
                 CASE(frugal),
                 CASE(threads), CASE(joins),  CASE(shared_joins), CASE(cells),       CASE(handover),    CASE(share_cycle),
                 CASE(arrays),  CASE(floats), CASE(double_free),  CASE(use_after_free), CASE(write_after_free),
                 CASE(use_of_token), CASE(leak), CASE(cycle), CASE(statistics), CASE(overflow), CASE(wild), CASE(strings)};
    ctx = usl_context_acquire();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            if (argc > 2 && strcmp(argv[2], "empty") == 0) {
                usl_context_release(ctx);
                REQUIRE(usl_runtime_reset());
            }
            return 0;
        }
    }
    return 2;
}
