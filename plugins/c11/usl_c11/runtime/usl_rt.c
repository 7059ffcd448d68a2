/* The run-time system of compiled functional programs; see usl_rt.h. */
#include "usl_rt.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif
#if defined(__STDC_NO_ATOMICS__)
#define USL_NO_THREADS
#elif defined(_POSIX_THREADS) && _POSIX_THREADS > 0
#include <pthread.h>
#include <sched.h>
#define USL_PTHREADS
#elif !defined(__STDC_NO_THREADS__)
#include <threads.h>
#define USL_C11_THREADS
#else
#define USL_NO_THREADS
#endif
#if defined(__linux__) && defined(USL_PTHREADS)
#include <signal.h>
#define USL_WATCHED_STACKS
#endif
#if defined(__linux__) && !defined(USL_MALLOC)
#include <sys/mman.h>
#include <time.h>
#define USL_MMAP
#if defined(MADV_HUGEPAGE) && defined(CLOCK_THREAD_CPUTIME_ID)
#define USL_HUGE_PAGES
/* For a page of 2 MiB; that many small pages take about twice as long. */
#define HUGE_NANOSECONDS 500000
#endif
#endif

_Static_assert(sizeof(usl_block) == 8, "the header is one word");
_Static_assert(sizeof(usl_value) <= 8, "a pointer fits a word");

void usl_fatal(const char *message)
{
    (void)fflush(stdout);
    (void)fprintf(stderr, "usl: %s\n", message);
    abort();
}

/* ---- Atomic operations, or what does for them where there is one thread ---------------------------------------------------- */

#if defined(__STDC_NO_ATOMICS__)
static int32_t add_relaxed(int32_t *place, int32_t by)
{
    const int32_t old = *place;
    *place += by;
    return old;
}
#define add_acq_rel add_relaxed
#else
static int32_t add_relaxed(_Atomic(int32_t) *place, int32_t by)
{
    return atomic_fetch_add_explicit(place, by, memory_order_relaxed);
}
static int32_t add_acq_rel(_Atomic(int32_t) *place, int32_t by)
{
    return atomic_fetch_add_explicit(place, by, memory_order_acq_rel);
}
#endif

#if defined(__STDC_NO_ATOMICS__)
typedef char spin_lock;
#define SPIN_LOCK_INIT 0
static void spin_acquire(spin_lock *lock) { *lock = 1; }
static void spin_release(spin_lock *lock) { *lock = 0; }
#else
typedef atomic_flag spin_lock;
#define SPIN_LOCK_INIT ATOMIC_FLAG_INIT
static void yield(void)
{
#if defined(USL_PTHREADS)
    (void)sched_yield();
#elif defined(USL_C11_THREADS)
    thrd_yield();
#endif
}
static void spin_acquire(spin_lock *lock)
{
    for (int tries = 0; atomic_flag_test_and_set_explicit(lock, memory_order_acquire); tries++)
        if (tries >= 16)
            yield();
}
static void spin_release(spin_lock *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}
#endif

/* Cells share a few locks; nothing else is locked, and nothing is dropped, while one is held. */
enum { CELL_LOCKS = 64 };
#define EIGHT(x) x, x, x, x, x, x, x, x
static spin_lock cell_locks[CELL_LOCKS] = {EIGHT(SPIN_LOCK_INIT), EIGHT(SPIN_LOCK_INIT), EIGHT(SPIN_LOCK_INIT),
                                           EIGHT(SPIN_LOCK_INIT), EIGHT(SPIN_LOCK_INIT), EIGHT(SPIN_LOCK_INIT),
                                           EIGHT(SPIN_LOCK_INIT), EIGHT(SPIN_LOCK_INIT)};

static spin_lock *cell_lock(const usl_block *cell)
{
    const uintptr_t address = (uintptr_t)cell;
    return &cell_locks[(address >> 4 ^ address >> 10) % CELL_LOCKS];
}

void usl_lock(const usl_block *cell)
{
    spin_acquire(cell_lock(cell));
}

void usl_unlock(const usl_block *cell)
{
    spin_release(cell_lock(cell));
}

/* ---- Statistics ---------------------------------------------------------------------------------------------------------- */

#ifdef USL_STATS
struct usl_counters usl_counters;

struct usl_stats usl_stats_read(void)
{
    const struct usl_stats stats = {
        usl_relaxed(&usl_counters.allocated), usl_relaxed(&usl_counters.freed), usl_relaxed(&usl_counters.reused),
        usl_relaxed(&usl_counters.dups),      usl_relaxed(&usl_counters.drops), usl_relaxed(&usl_counters.shared),
    };
    return stats;
}

void usl_stats_reset(void)
{
    usl_relaxed_store(&usl_counters.allocated, 0);
    usl_relaxed_store(&usl_counters.freed, 0);
    usl_relaxed_store(&usl_counters.reused, 0);
    usl_relaxed_store(&usl_counters.dups, 0);
    usl_relaxed_store(&usl_counters.drops, 0);
    usl_relaxed_store(&usl_counters.shared, 0);
}
#else
struct usl_stats usl_stats_read(void)
{
    const struct usl_stats none = {0, 0, 0, 0, 0, 0};
    return none;
}

void usl_stats_reset(void) {}
#endif

/* ---- Heaps: a context and its memory -------------------------------------------------------------------------------------
 *
 * A segment of 4 MiB, aligned to its size, is divided into pages of 16 KiB; a page has blocks of one size. The first page holds
 * the segment's own data. Pages are cut into blocks a few at a time, so that a small heap touches no memory before it needs it; a
 * larger one asks for more at once.
 */

#ifndef USL_MALLOC
/* Blocks do not begin at the start of a page: where a tree is built in order, ancestors would lie powers of two apart, in the same
 * few cache sets. */
enum { PAGE_BYTES = 16384, PAGE_SKIP = 32, PAGES = 256, CUT_BYTES = 4096, OWNER_BYTES = 4096, FIRST_SWEEP = 512 };
/* The system is asked for memory in batches of pages, and for a huge page of HUGE_PAGES at once. After a slow one it is asked again
 * when the heap has grown this many times. */
enum { BATCH_PAGES = 16, HUGE_PAGES = 128, FIRST_SUPPLY = 2, HUGE_RETRY = 8 };

struct segment {
    char owners[OWNER_BYTES]; /* one struct usl_segment somewhere in it */
    struct segment *next;
    struct segment *next_partial;
    unsigned used;            /* pages handed out so far, this one included */
    bool is_huge;             /* the memory that the last of them lies in */
    uint8_t words[PAGES];     /* size of each page's blocks; 0: none */
    uint16_t idle[PAGES];     /* blocks found free, during a sweep */
};
_Static_assert(sizeof(struct segment) <= PAGE_BYTES, "a segment's data fit its first page");
_Static_assert((uintptr_t)PAGES * PAGE_BYTES == USL_SEGMENT_BYTES, "pages fill a segment");

struct page {
    struct page *next;
};

static size_t blocks_per_page(size_t words)
{
    return (PAGE_BYTES - PAGE_SKIP) / (words * 8);
}
#endif

struct usl_heap {
    struct usl_context ctx;
    struct usl_heap *next_heap; /* of all */
    struct usl_heap *next_idle; /* of the pool */
    int64_t large;              /* blocks from malloc taken here, less those freed here */
#ifndef USL_MALLOC
    int64_t cut; /* blocks that pages were cut into */
    struct segment *segments, *partial;
    int64_t huge_at; /* segments from which on huge pages are worth asking for */
    struct page *pages; /* free ones */
    int64_t segment_count, pages_used, sweep_at;
    struct usl_free_block *pending[USL_MAX_WORDS + 1]; /* lists, linked by `extra` of their first blocks */
    struct {
        char *at, *end;
    } rest[USL_MAX_WORDS + 1]; /* of the page being cut */
    _Atomic(struct usl_free_block *) remote; /* `extra` holds the size */
#endif
};

static spin_lock heaps_lock = SPIN_LOCK_INIT;
static struct usl_heap *all_heaps, *idle_heaps;

static void no_memory(usl_context *ctx)
{
    if (ctx != NULL && ctx->escape != NULL) {
        ctx->thrown = USL_OUT_OF_MEMORY;
        longjmp(*(jmp_buf *)ctx->escape, 1);
    }
    usl_fatal("out of memory");
}

usl_context *usl_context_acquire(void)
{
    spin_acquire(&heaps_lock);
    struct usl_heap *heap = idle_heaps;
    if (heap != NULL)
        idle_heaps = heap->next_idle;
    spin_release(&heaps_lock);
    if (heap == NULL) {
        heap = calloc(1, sizeof *heap);
        if (heap == NULL)
            no_memory(NULL);
        heap->ctx.heap = heap;
#ifndef USL_MALLOC
        heap->sweep_at = FIRST_SWEEP;
        heap->huge_at = FIRST_SUPPLY;
        atomic_init(&heap->remote, NULL);
#endif
        spin_acquire(&heaps_lock);
        heap->next_heap = all_heaps;
        all_heaps = heap;
        spin_release(&heaps_lock);
    }
    return &heap->ctx;
}

void usl_context_release(usl_context *ctx)
{
    struct usl_heap *const heap = ctx->heap;
    ctx->thrown = 0;
    ctx->raised = NULL;
    ctx->failure = (struct usl_failure){NULL, NULL, false};
    ctx->write = NULL;
    ctx->user = NULL;
    spin_acquire(&heaps_lock);
    heap->next_idle = idle_heaps;
    idle_heaps = heap;
    spin_release(&heaps_lock);
}

/* Blocks from 4 MiB on, as NumPy's arrays, ask for huge pages: an array of 32 MiB has 8192 small ones, each of which is a fault. */
enum { HUGE_FROM = 1 << 22, SMALL_PAGE = 4096 };

void *usl_large_new(size_t bytes, usl_context *ctx)
{
    void *const block = malloc(bytes);
    if (block == NULL)
        no_memory(ctx);
#if defined(USL_HUGE_PAGES)
    if (bytes >= HUGE_FROM) {
        const size_t before = (SMALL_PAGE - (uintptr_t)block % SMALL_PAGE) % SMALL_PAGE;
        (void)madvise((char *)block + before, bytes - before, MADV_HUGEPAGE);
    }
#endif
    ctx->heap->large++;
    return block;
}

void usl_large_free(void *block, usl_context *ctx)
{
    ctx->heap->large--;
    free(block);
}

#ifdef USL_MALLOC

void *usl_refill(size_t words, usl_context *ctx)
{
    return usl_large_new(words * 8, ctx);
}

static void adopt(struct usl_heap *heap, struct usl_heap *from)
{
    heap->large += from->large;
    from->large = 0;
}

#ifndef USL_DEBUG
int64_t usl_live_blocks(void)
{
    int64_t live = 0;
    spin_acquire(&heaps_lock);
    for (const struct usl_heap *heap = all_heaps; heap != NULL; heap = heap->next_heap)
        live += heap->large;
    spin_release(&heaps_lock);
    return live;
}
#endif

static void free_segments(struct usl_heap *heap)
{
    (void)heap;
}

#else

static struct segment *segment_of(const void *block)
{
    return (struct segment *)((uintptr_t)block & ~(USL_SEGMENT_BYTES - 1));
}

static unsigned page_of(const void *block)
{
    return (unsigned)(((uintptr_t)block & (USL_SEGMENT_BYTES - 1)) / PAGE_BYTES);
}

static void *aligned_segment(void)
{
#if defined(USL_MMAP)
    char *const wide = mmap(NULL, 2 * USL_SEGMENT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (wide == MAP_FAILED)
        return NULL;
    char *const start = (char *)(((uintptr_t)wide + USL_SEGMENT_BYTES - 1) & ~(USL_SEGMENT_BYTES - 1));
    if (start != wide)
        (void)munmap(wide, (size_t)(start - wide));
    if (start + USL_SEGMENT_BYTES != wide + 2 * USL_SEGMENT_BYTES)
        (void)munmap(start + USL_SEGMENT_BYTES, (size_t)(wide + USL_SEGMENT_BYTES - start));
    return start;
#else
    return aligned_alloc(USL_SEGMENT_BYTES, USL_SEGMENT_BYTES);
#endif
}

static void free_segment(struct segment *segment)
{
#if defined(USL_MMAP)
    (void)munmap(segment, USL_SEGMENT_BYTES);
#else
    free(segment);
#endif
}

static void free_segments(struct usl_heap *heap)
{
    while (heap->segments != NULL) {
        struct segment *const next = heap->segments->next;
        free_segment(heap->segments);
        heap->segments = next;
    }
}

#ifdef USL_HUGE_PAGES
static int64_t thread_nanoseconds(void)
{
    struct timespec time = {0, 0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Gets a huge page, which saves faults and misses in the translation buffer. But some systems have to search for them, or, as
 * guests, to get them from their host first, so it is timed, and followed by others only if it came faster than small ones do. */
static bool get_huge_page(struct usl_heap *heap, char *start)
{
    if (heap->segment_count < heap->huge_at)
        return false;
    const int64_t before = thread_nanoseconds();
    if (madvise(start, (size_t)HUGE_PAGES * PAGE_BYTES, MADV_HUGEPAGE) == 0) {
        *(volatile char *)start = 0;
        if (thread_nanoseconds() - before < HUGE_NANOSECONDS)
            return true;
    }
    heap->huge_at = heap->segment_count * HUGE_RETRY;
    return false;
}
#endif

/* Gets the memory of a segment's pages from this one on, as far as one request goes, since a fault for each takes longer.
 * is_huge: whether the page before lies in a huge one. Returns that of this page. */
static bool supply(struct usl_heap *heap, char *start, unsigned page, bool is_huge)
{
    if (page % BATCH_PAGES != 0 || heap->segment_count < FIRST_SUPPLY) /* a small heap stays small */
        return is_huge;
#if defined(USL_HUGE_PAGES)
    if (page % HUGE_PAGES == 0)
        is_huge = get_huge_page(heap, start);
#endif
#if defined(USL_MMAP) && defined(MADV_POPULATE_WRITE)
    if (!is_huge)
        (void)madvise(start, (size_t)BATCH_PAGES * PAGE_BYTES, MADV_POPULATE_WRITE); /* older systems refuse */
#else
    (void)start;
#endif
    return is_huge;
}

static struct segment *new_segment(struct usl_heap *heap)
{
    struct segment *const segment = aligned_segment();
    if (segment == NULL)
        no_memory(&heap->ctx);
    const bool is_huge = supply(heap, (char *)segment, 0, false);
    memset(segment, 0, sizeof *segment);
    segment->is_huge = is_huge;
    atomic_init(&usl_segment_of(segment)->owner, &heap->ctx);
    segment->next = heap->segments;
    heap->segments = segment;
    heap->segment_count++;
    segment->used = 1;
    return segment;
}

static bool is_own(const struct usl_heap *heap, const void *block)
{
    return usl_relaxed(&usl_segment_of(block)->owner) == &heap->ctx;
}

/* Makes one list of a size's lists, and counts the free blocks of each page. */
static void count_idle(struct usl_heap *heap, size_t words)
{
    struct usl_free_block *all = NULL, *list = heap->ctx.free[words], *lists = heap->pending[words];
    while (list != NULL || lists != NULL) {
        if (list == NULL) {
            list = lists;
            lists = (struct usl_free_block *)list->extra;
        }
        struct usl_free_block *const block = list;
        list = block->next;
        block->next = all;
        all = block;
        if (is_own(heap, block))
            segment_of(block)->idle[page_of(block)]++;
    }
    heap->pending[words] = NULL;
    heap->ctx.free[words] = all;
}

/* Takes the blocks of wholly free pages off a size's list. A page that is still being cut has fewer. */
static void unlink_idle(struct usl_heap *heap, size_t words)
{
    struct usl_free_block *kept = NULL, *next;
    for (struct usl_free_block *block = heap->ctx.free[words]; block != NULL; block = next) {
        struct segment *const segment = segment_of(block);
        const unsigned page = page_of(block);
        next = block->next;
        if (is_own(heap, block) && segment->idle[page] == blocks_per_page(words)) {
            segment->words[page] = 0;
        } else {
            block->next = kept;
            kept = block;
        }
    }
    heap->ctx.free[words] = kept;
}

/* Takes pages away from sizes that no longer need them: each whose blocks are all free. */
static void sweep(struct usl_heap *heap)
{
    for (size_t words = 2; words <= USL_MAX_WORDS; words++)
        count_idle(heap, words);
    for (size_t words = 2; words <= USL_MAX_WORDS; words++)
        unlink_idle(heap, words);
    for (struct segment *segment = heap->segments; segment != NULL; segment = segment->next) {
        for (unsigned page = 1; page < segment->used; page++) {
            if (segment->words[page] == 0 && segment->idle[page] != 0) {
                struct page *const idle = (struct page *)(void *)((char *)segment + (size_t)page * PAGE_BYTES);
                heap->cut -= segment->idle[page];
                heap->pages_used--;
                idle->next = heap->pages;
                heap->pages = idle;
            }
        }
        memset(segment->idle, 0, sizeof segment->idle);
    }
}

static char *new_page(struct usl_heap *heap, size_t words)
{
    if (heap->pages == NULL && heap->pages_used >= heap->sweep_at) {
        sweep(heap);
        heap->sweep_at = heap->pages_used * 2 > FIRST_SWEEP ? heap->pages_used * 2 : FIRST_SWEEP;
    }
    char *page;
    heap->pages_used++;
    if (heap->pages != NULL) {
        page = (char *)heap->pages;
        heap->pages = heap->pages->next;
    } else {
        if (heap->partial == NULL)
            heap->partial = new_segment(heap);
        struct segment *const segment = heap->partial;
        page = (char *)segment + (size_t)segment->used * PAGE_BYTES;
        segment->is_huge = supply(heap, page, segment->used, segment->is_huge);
        if (++segment->used == PAGES)
            heap->partial = segment->next_partial;
    }
    segment_of(page)->words[page_of(page)] = (uint8_t)words;
    return page;
}

/* Cuts some blocks off the page of this size and puts them on its list, the lowest first. */
static void cut(struct usl_heap *heap, size_t words, size_t most)
{
    const size_t bytes = words * 8;
    char *const start = heap->rest[words].at;
    const size_t left = (size_t)(heap->rest[words].end - start) / bytes, count = left < most ? left : most;
    struct usl_free_block *list = heap->ctx.free[words];
    for (char *at = start + count * bytes; at != start;) {
        at -= bytes;
        struct usl_free_block *const block = (struct usl_free_block *)(void *)at;
        block->next = list;
        list = block;
    }
    heap->ctx.free[words] = list;
    heap->rest[words].at = start + count * bytes;
    heap->cut += (int64_t)count;
}

static void push_pending(struct usl_heap *heap, size_t words, struct usl_free_block *list)
{
    if (list != NULL) {
        list->extra = (uintptr_t)heap->pending[words];
        heap->pending[words] = list;
    }
}

static void drain_remote(struct usl_heap *heap)
{
    struct usl_free_block *next, *block = atomic_exchange_explicit(&heap->remote, NULL, memory_order_acquire);
    for (; block != NULL; block = next) {
        const size_t words = block->extra;
        next = block->next;
        block->next = heap->ctx.free[words];
        heap->ctx.free[words] = block;
    }
}

void usl_free_remote(struct usl_free_block *block, size_t words, usl_context *owner)
{
    _Atomic(struct usl_free_block *) *const remote = &owner->heap->remote;
    struct usl_free_block *first = atomic_load_explicit(remote, memory_order_relaxed);
    block->extra = words;
    do {
        block->next = first;
    } while (!atomic_compare_exchange_weak_explicit(remote, &first, block, memory_order_release, memory_order_relaxed));
}

void *usl_refill(size_t words, usl_context *ctx)
{
    struct usl_heap *const heap = ctx->heap;
    struct usl_free_block *block = heap->pending[words];
    if (block != NULL) {
        heap->pending[words] = (struct usl_free_block *)block->extra;
        ctx->free[words] = block;
    } else {
        if (atomic_load_explicit(&heap->remote, memory_order_relaxed) != NULL)
            drain_remote(heap);
        if (ctx->free[words] == NULL) {
            if (heap->rest[words].at == heap->rest[words].end) {
                char *const page = new_page(heap, words);
                if (ctx->free[words] == NULL) { /* else a sweep made one list of several */
                    heap->rest[words].at = page + PAGE_SKIP;
                    heap->rest[words].end = page + PAGE_SKIP + blocks_per_page(words) * words * 8;
                }
            }
            cut(heap, words, CUT_BYTES / (words * 8) + 1);
        }
        block = ctx->free[words];
    }
    ctx->free[words] = block->next;
    return block;
}

/* All memory of `from` becomes heap's. Blocks that other threads free meanwhile may still go to from->remote; whoever uses it
 * next allocates them, which is sound. */
static void adopt(struct usl_heap *heap, struct usl_heap *from)
{
    struct segment *last = NULL;
    struct page *page;
    for (struct segment *segment = from->segments; segment != NULL; segment = segment->next) {
        usl_relaxed_store(&usl_segment_of(segment)->owner, &heap->ctx);
        last = segment;
    }
    if (last != NULL) {
        last->next = heap->segments;
        heap->segments = from->segments;
        from->segments = NULL;
    }
    if (from->partial != NULL) {
        struct segment *end = from->partial;
        while (end->next_partial != NULL)
            end = end->next_partial;
        end->next_partial = heap->partial;
        heap->partial = from->partial;
        from->partial = NULL;
    }
    while ((page = from->pages) != NULL) {
        from->pages = page->next;
        page->next = heap->pages;
        heap->pages = page;
    }
    drain_remote(from);
    for (size_t words = 2; words <= USL_MAX_WORDS; words++) {
        struct usl_free_block *list;
        cut(from, words, SIZE_MAX);
        from->rest[words].at = from->rest[words].end = NULL;
        push_pending(heap, words, from->ctx.free[words]);
        from->ctx.free[words] = NULL;
        while ((list = from->pending[words]) != NULL) {
            from->pending[words] = (struct usl_free_block *)list->extra;
            push_pending(heap, words, list);
        }
    }
    heap->cut += from->cut;
    heap->large += from->large;
    heap->pages_used += from->pages_used;
    heap->segment_count += from->segment_count;
    from->cut = from->large = from->pages_used = from->segment_count = 0;
    from->sweep_at = FIRST_SWEEP;
}

static int64_t list_length(const struct usl_free_block *list)
{
    int64_t length = 0;
    for (; list != NULL; list = list->next)
        length++;
    return length;
}

int64_t usl_live_blocks(void)
{
    int64_t live = 0;
    spin_acquire(&heaps_lock);
    for (const struct usl_heap *heap = all_heaps; heap != NULL; heap = heap->next_heap) {
        live += heap->large + heap->cut - list_length(atomic_load_explicit(&heap->remote, memory_order_acquire));
        for (size_t words = 2; words <= USL_MAX_WORDS; words++) {
            live -= list_length(heap->ctx.free[words]);
            for (const struct usl_free_block *list = heap->pending[words]; list != NULL;
                 list = (const struct usl_free_block *)list->extra)
                live -= list_length(list);
        }
    }
    spin_release(&heaps_lock);
    return live;
}
#endif

bool usl_runtime_reset(void)
{
    if (usl_live_blocks() != 0)
        return false;
    bool all_idle = true;
    spin_acquire(&heaps_lock);
    size_t heaps = 0, idle = 0;
    for (const struct usl_heap *heap = all_heaps; heap != NULL; heap = heap->next_heap)
        heaps++;
    for (const struct usl_heap *heap = idle_heaps; heap != NULL; heap = heap->next_idle)
        idle++;
    all_idle = heaps == idle;
    while (all_idle && all_heaps != NULL) {
        struct usl_heap *const next = all_heaps->next_heap;
        free_segments(all_heaps);
        free(all_heaps);
        all_heaps = next;
    }
    if (all_idle)
        idle_heaps = NULL;
    spin_release(&heaps_lock);
    return all_idle;
}

/* ---- Counts -------------------------------------------------------------------------------------------------------------- */

void usl_dup_slow(usl_value block, int32_t count)
{
    if (count > USL_STICKY) {
        USL_COUNT(shared);
        (void)add_relaxed(&block->count, -1);
    }
}

bool usl_release_shared(usl_value block)
{
    if (usl_relaxed(&block->count) <= USL_STICKY_DROP)
        return false;
    USL_COUNT(shared);
    return add_acq_rel(&block->count, 1) == -1;
}

static bool is_last(usl_value block, int32_t count)
{
    return count == 0 || (count < 0 && usl_release_shared(block));
}

void usl_drop_slow(usl_value block, usl_context *ctx)
{
    if (is_last(block, usl_relaxed(&block->count)))
        usl_free_deep(block, ctx);
}

struct finalized {
    usl_block head;
    int64_t length;
    int64_t at;
    void (*finalize)(void *payload, usl_context *ctx);
    void *payload;
};

static struct usl_wide *as_wide(usl_value block)
{
    return (struct usl_wide *)(void *)block;
}

/* What a block has to scan: fields from place `at` up to `count`. */
struct walk {
    usl_value *fields;
    int64_t at, count;
};

static struct walk walk_of(usl_value block)
{
    if (block->scan == USL_WIDE) {
        struct usl_wide *const wide = as_wide(block);
        return (struct walk){wide->fields, wide->at, wide->length};
    }
    return (struct walk){usl_fields(block), block->path, block->scan};
}

static void set_place(usl_value block, int64_t at)
{
    if (block->scan == USL_WIDE)
        as_wide(block)->at = at;
    else
        block->path = (uint8_t)at;
}


static int64_t first_place(usl_value block)
{
    return usl_tag(block) == USL_TAG_CLOSURE ? 1 : 0; /* a closure's first field is its code */
}

static void finish(usl_value block, usl_context *ctx)
{
    if (USL_UNLIKELY(usl_tag(block) == USL_TAG_FINALIZED)) {
        const struct finalized *const own = (const struct finalized *)(void *)block;
        own->finalize(own->payload, ctx);
    } else if (USL_UNLIKELY(usl_tag(block) == USL_TAG_ELSEWHERE)) {
        free(((const struct usl_raw_array *)(const void *)block)->own);
    }
    usl_free(block, ctx);
}

/* Drops the fields of a dead block and of everything that dies with it. A block that waits for a child holds the block that waits
 * for it in the field that the child came from, so no stack is needed. The last child's parent is freed before the child. The
 * memory of `keep` is not freed. */
static void free_from(usl_value block, usl_value keep, usl_context *ctx)
{
    usl_value parent = NULL;
    for (;;) {
        struct walk walk = walk_of(block);
        usl_value child = NULL;
        if (walk.at + 1 < walk.count)
            USL_PREFETCH(walk.fields[walk.at + 1]);
        while (walk.at < walk.count) {
            const usl_value next = walk.fields[walk.at++];
            if (usl_is_constant(next))
                continue;
            USL_CHECK(next, "the drop of a field");
            const int32_t count = usl_relaxed(&next->count);
            if (count > 0) {
                usl_relaxed_store(&next->count, count - 1);
                USL_COUNT(drops);
            } else if (is_last(next, count)) {
                child = next;
                break;
            }
        }
        if (child != NULL && (walk.at < walk.count || block == keep)) {
            walk.fields[walk.at - 1] = parent;
            set_place(block, walk.at);
            parent = block;
            block = child;
            continue;
        }
        if (block != keep)
            finish(block, ctx);
        if (child != NULL) {
            block = child;
            continue;
        }
        if (parent == NULL)
            return;
        block = parent;
        const struct walk up = walk_of(block);
        parent = up.fields[up.at - 1];
    }
}

void usl_free_deep(usl_value block, usl_context *ctx)
{
    free_from(block, NULL, ctx);
}

usl_token usl_drop_reuse(usl_value block, usl_context *ctx)
{
    USL_CHECK(block, "drop");
    USL_COUNT(drops);
    const int32_t count = usl_relaxed(&block->count);
    if (count > 0) {
        usl_relaxed_store(&block->count, count - 1);
        return NULL;
    }
    if (!is_last(block, count))
        return NULL;
    free_from(block, block, ctx);
    set_place(block, first_place(block)); /* the next block of the same constructor may keep the header */
    return usl_token_of(block);
}

/* Starts sharing a block that is this thread's own: -references instead of references - 1. */
static void mark(usl_value block)
{
    usl_relaxed_store(&block->count, -usl_relaxed(&block->count) - 1);
}

void usl_share(usl_value value)
{
    if (usl_is_constant(value) || usl_is_shared(value))
        return;
    usl_value block = value, parent = NULL;
    mark(block);
    set_place(block, first_place(block));
    for (;;) {
        struct walk walk = walk_of(block);
        usl_value child = NULL;
        for (; walk.at < walk.count; walk.at++) {
            const usl_value next = walk.fields[walk.at];
            if (!usl_is_constant(next) && !usl_is_shared(next)) {
                child = next;
                break;
            }
        }
        if (child != NULL) { /* down, leaving the way back in the field */
            walk.fields[walk.at] = parent;
            set_place(block, walk.at);
            parent = block;
            block = child;
            mark(block);
            set_place(block, first_place(block));
            continue;
        }
        set_place(block, first_place(block));
        if (parent == NULL)
            return;
        const struct walk up = walk_of(parent);
        const usl_value above = up.fields[up.at];
        up.fields[up.at] = block;
        set_place(parent, up.at + 1);
        block = parent;
        parent = above;
    }
}

volatile USL_ATOMIC(bool) usl_interrupt = false;

void usl_set_interrupt(bool on)
{
    usl_relaxed_store(&usl_interrupt, on);
}

/* ---- Stacks that overflow ------------------------------------------------------------------------------------------------ */

#ifdef USL_WATCHED_STACKS
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes); /* of <pthread.h>, where it is hidden */

/* Accesses that far below the stack count as its overflow (frames may be large), and a few in its last pages. */
enum { BELOW_STACK = 1 << 20, ABOVE_END = 1 << 16, SIGNAL_STACK_BYTES = 1 << 15 };

static _Thread_local struct {
    uintptr_t end; /* of the stack, its lowest address */
    size_t length;
    char message[160], signal_stack[SIGNAL_STACK_BYTES];
} watched;
static pthread_once_t first_watch = PTHREAD_ONCE_INIT;
static USL_ATOMIC(int) is_watching;
static struct sigaction other_action;

/* The access that failed is tried again afterwards, and the signal goes to who had it before. */
static void on_fault(int number, siginfo_t *info, void *machine)
{
    const uintptr_t address = (uintptr_t)info->si_addr;
    (void)machine;
    if (watched.end != 0 && address + BELOW_STACK >= watched.end && address < watched.end + ABOVE_END && watched.length != 0) {
        const ssize_t written = write(STDERR_FILENO, watched.message, watched.length);
        (void)written;
    }
    (void)sigaction(number, &other_action, NULL);
}

static void start_watching(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(SIGSEGV, &action, &other_action) == 0)
        usl_relaxed_store(&is_watching, 1);
}

void usl_watch_stack(void)
{
    pthread_attr_t attributes;
    void *end;
    size_t size;
    stack_t of_signals;
    if (watched.end != 0 || pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &end, &size) == 0 && sigaltstack(NULL, &of_signals) == 0) {
        const int length = snprintf(watched.message, sizeof watched.message,
                                    "usl: the stack overflows (%zu KiB): a recursion does not end, or is too deep for it\n", size / 1024);
        watched.length = length > 0 ? (size_t)length : 0;
        watched.end = (uintptr_t)end;
        if ((of_signals.ss_flags & SS_DISABLE) != 0) {
            memset(&of_signals, 0, sizeof of_signals);
            of_signals.ss_sp = watched.signal_stack;
            of_signals.ss_size = sizeof watched.signal_stack;
            (void)sigaltstack(&of_signals, NULL);
        }
        (void)pthread_once(&first_watch, start_watching);
    }
    (void)pthread_attr_destroy(&attributes);
}

static void watch_spawned(void)
{
    if (usl_relaxed(&is_watching) != 0)
        usl_watch_stack();
}
#else
void usl_watch_stack(void) {}
static void watch_spawned(void) {}
#endif

/* ---- Threads ------------------------------------------------------------------------------------------------------------- */

#if defined(USL_PTHREADS)
typedef pthread_t os_thread;
typedef pthread_mutex_t os_mutex;
static bool mutex_init(os_mutex *mutex) { return pthread_mutex_init(mutex, NULL) == 0; }
static void mutex_lock(os_mutex *mutex) { (void)pthread_mutex_lock(mutex); }
static void mutex_unlock(os_mutex *mutex) { (void)pthread_mutex_unlock(mutex); }
static void mutex_destroy(os_mutex *mutex) { (void)pthread_mutex_destroy(mutex); }
static bool is_current(os_thread thread) { return pthread_equal(thread, pthread_self()) != 0; }
static void thread_wait(os_thread thread) { (void)pthread_join(thread, NULL); }
#elif defined(USL_C11_THREADS)
typedef thrd_t os_thread;
typedef mtx_t os_mutex;
static bool mutex_init(os_mutex *mutex) { return mtx_init(mutex, mtx_plain) == thrd_success; }
static void mutex_lock(os_mutex *mutex) { (void)mtx_lock(mutex); }
static void mutex_unlock(os_mutex *mutex) { (void)mtx_unlock(mutex); }
static void mutex_destroy(os_mutex *mutex) { mtx_destroy(mutex); }
static bool is_current(os_thread thread) { return thrd_equal(thread, thrd_current()) != 0; }
static void thread_wait(os_thread thread) { (void)thrd_join(thread, NULL); }
#else
typedef char os_thread;
typedef char os_mutex;
static bool mutex_init(os_mutex *mutex)
{
    *mutex = 0;
    return true;
}
static void mutex_lock(os_mutex *mutex) { (void)mutex; }
static void mutex_unlock(os_mutex *mutex) { (void)mutex; }
static void mutex_destroy(os_mutex *mutex) { (void)mutex; }
static bool is_current(os_thread thread) { (void)thread; return false; }
static void thread_wait(os_thread thread) { (void)thread; }
#endif

static void boxed_dup(const void *place)
{
    usl_dup(*(const usl_value *)place);
}

static void boxed_drop(const void *place, usl_context *ctx)
{
    usl_drop(*(const usl_value *)place, ctx);
}

static void boxed_share(const void *place)
{
    usl_share(*(const usl_value *)place);
}

static void unit_nothing(const void *place)
{
    (void)place;
}

static void unit_drop(const void *place, usl_context *ctx)
{
    (void)place, (void)ctx;
}

const struct usl_type usl_boxed_type = {sizeof(usl_value), boxed_dup, boxed_drop, boxed_share};
const struct usl_type usl_unit_type = {0, unit_nothing, unit_drop, unit_nothing};

/* Its block is the handle; whoever waits first takes the thread's memory over. */
struct task {
    void (*run)(usl_value closure, void *result, usl_context *ctx);
    usl_value closure;
    const struct usl_type *type;
    const struct usl_type *exception;
    usl_context *ctx;
    os_thread thread;
    os_mutex mutex; /* guards what follows */
    bool joined, shared, thrown;
    const char *raised;
    struct usl_failure failure;
    /* the result, or the exception, begins here, aligned as any */
    max_align_t result[];
};

static void execute(struct task *task)
{
    watch_spawned();
    task->run(task->closure, task->result, task->ctx);
    task->raised = task->ctx->raised;
    task->failure = task->ctx->failure;
    if (task->ctx->thrown != 0) {
        task->thrown = true;
        memcpy(task->result, &task->ctx->exception, task->exception->size);
        task->ctx->thrown = 0;
    }
}

#if defined(USL_PTHREADS)
enum { STACK_BYTES = 64 << 20 };
static void *thread_main(void *task)
{
    execute(task);
    return NULL;
}
static bool thread_start(struct task *task)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES); /* programs recurse deeply; only what is touched is taken */
    const bool started = pthread_create(&task->thread, &attributes, thread_main, task) == 0 ||
                         pthread_create(&task->thread, NULL, thread_main, task) == 0;
    (void)pthread_attr_destroy(&attributes);
    return started;
}
#elif defined(USL_C11_THREADS)
static int thread_main(void *task)
{
    execute(task);
    return 0;
}
static bool thread_start(struct task *task)
{
    return thrd_create(&task->thread, thread_main, task) == thrd_success;
}
#else
static bool thread_start(struct task *task)
{
    execute(task);
    return true;
}
#endif

static const struct usl_type *outcome_type(const struct task *task)
{
    return task->thrown ? task->exception : task->type;
}

static void wait_for(struct task *task, bool shared, usl_context *ctx)
{
    mutex_lock(&task->mutex);
    if (!task->joined) {
        if (is_current(task->thread))
            usl_fatal("a thread waits for itself, or drops the last handle of itself");
        thread_wait(task->thread);
        task->joined = true;
        adopt(ctx->heap, task->ctx->heap);
        usl_context_release(task->ctx);
    }
    if (shared && !task->shared) {
        task->shared = true;
        outcome_type(task)->share(task->result);
    }
    mutex_unlock(&task->mutex);
}

static void task_free(struct task *task)
{
    mutex_destroy(&task->mutex);
    free(task);
}

/* The last handle went: the result is nobody's. */
static void task_finalize(void *payload, usl_context *ctx)
{
    struct task *const task = payload;
    wait_for(task, false, ctx);
    outcome_type(task)->drop(task->result, ctx);
    task_free(task);
}

usl_value usl_spawn(void (*run)(usl_value closure, void *result, usl_context *ctx), usl_value closure,
                    const struct usl_type *type, const struct usl_type *exception, const char *site, usl_context *ctx)
{
    const size_t size = type->size > sizeof ctx->exception ? type->size : sizeof ctx->exception;
    struct task *const task = malloc(sizeof *task + size);
    if (task == NULL || !mutex_init(&task->mutex))
        no_memory(ctx);
    usl_share(closure);
    task->run = run;
    task->closure = closure;
    task->type = type;
    task->exception = exception;
    task->joined = task->shared = task->thrown = false;
    task->ctx = usl_context_acquire();
    task->ctx->write = ctx->write;
    task->ctx->user = ctx->user;
    const size_t words = sizeof(struct finalized) / 8;
    struct finalized *const handle = (struct finalized *)(void *)usl_new_at(words, site, ctx);
    usl_init(&handle->head, USL_WIDE, 0, USL_TAG_FINALIZED, words);
    handle->length = handle->at = 0;
    handle->finalize = task_finalize;
    handle->payload = task;
    if (!thread_start(task))
        usl_fatal("the system starts no more threads");
    return &handle->head;
}

void usl_join(usl_value thread, void *result, usl_context *ctx)
{
    struct task *const task = ((struct finalized *)(void *)thread)->payload;
    wait_for(task, usl_relaxed(&thread->count) < -1, ctx);
    const bool thrown = task->thrown;
    const struct usl_failure failure = task->failure;
    const char *const raised = task->raised; /* the exception may also be in the result, from where it is raised again */
    const struct usl_type *const type = outcome_type(task);
    if (type->size != 0)
        memcpy(thrown ? (void *)&ctx->exception : result, task->result, type->size);
    if (usl_relaxed(&thread->count) == 0) {
        task_free(task);
        usl_free(thread, ctx);
    } else {
        type->dup(task->result);
        usl_drop(thread, ctx);
    }
    if (thrown)
        ctx->thrown = 1;
    if (raised != NULL) {
        ctx->raised = raised;
        ctx->failure = failure;
    }
}

/* ---- Strings ------------------------------------------------------------------------------------------------------------- */

static struct usl_string *as_string(usl_value string)
{
    return (struct usl_string *)(void *)string;
}

static size_t byte_count(usl_value string)
{
    return (size_t)as_string(string)->length;
}

/* A block with `head` bytes of its own before `count` elements of `element` bytes. */
static usl_value sized_block(size_t head, size_t count, size_t element, unsigned scan, unsigned tag, const char *site,
                             usl_context *ctx)
{
    if (count > (PTRDIFF_MAX - head - 8) / element)
        no_memory(ctx);
    const size_t least = (head + count * element + 7) / 8, words = least < 2 ? 2 : least;
    const usl_value block = usl_new_at(words, site, ctx);
    usl_init(block, scan, 0, tag, words);
    return block;
}

static struct usl_string *string_of_length(size_t length, const char *site, usl_context *ctx)
{
    struct usl_string *const string =
        as_string(sized_block(offsetof(struct usl_string, bytes) + 1, length, 1, 0, USL_TAG_STRING, site, ctx));
    string->length = (int64_t)length;
    string->bytes[length] = 0;
    return string;
}

usl_value usl_string_new(const char *bytes, size_t length, const char *site, usl_context *ctx)
{
    struct usl_string *const string = string_of_length(length, site, ctx);
    memcpy(string->bytes, bytes, length);
    return &string->head;
}

int64_t usl_string_length(usl_value string)
{
    return as_string(string)->length;
}

uint8_t usl_string_get(usl_value string, int64_t at)
{
    return (uint8_t)as_string(string)->bytes[at];
}

int usl_string_compare(usl_value a, usl_value b)
{
    const size_t m = byte_count(a), n = byte_count(b);
    const int order = memcmp(as_string(a)->bytes, as_string(b)->bytes, m < n ? m : n);
    return order != 0 ? order : (m > n) - (m < n);
}

bool usl_string_equal(usl_value a, usl_value b)
{
    return byte_count(a) == byte_count(b) && memcmp(as_string(a)->bytes, as_string(b)->bytes, byte_count(a)) == 0;
}

/* The character behind the backslash that stands for a byte in quotes, 'x' if that is followed by digits; 0 if it needs none. */
static char escape_of(unsigned char byte, char quote)
{
    switch (byte) {
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\\': return '\\';
    default: return byte == (unsigned char)quote ? quote : byte < 32 || byte == 127 ? 'x' : 0;
    }
}

usl_value usl_string_quoted(usl_value text, const char *site, usl_context *ctx)
{
    static const char digits[] = "0123456789abcdef";
    const size_t count = byte_count(text);
    const unsigned char *const from = (const unsigned char *)as_string(text)->bytes;
    const char quote = memchr(from, '\'', count) != NULL && memchr(from, '"', count) == NULL ? '"' : '\'';
    size_t length = 2;
    for (size_t i = 0; i < count; i++) {
        const char escape = escape_of(from[i], quote);
        length += escape == 0 ? 1 : escape == 'x' ? 4 : 2;
    }
    struct usl_string *const string = string_of_length(length, site, ctx);
    char *to = string->bytes;
    *to++ = quote;
    for (size_t i = 0; i < count; i++) {
        const char escape = escape_of(from[i], quote);
        if (escape == 0) {
            *to++ = (char)from[i];
        } else {
            *to++ = '\\';
            *to++ = escape;
            if (escape == 'x') {
                *to++ = digits[from[i] / 16];
                *to++ = digits[from[i] % 16];
            }
        }
    }
    *to = quote;
    return &string->head;
}

#ifndef USL_DEBUG
/* A string from malloc that nobody else holds grows by `more` bytes, most often where it is: what appends piece by piece takes linear
 * time. NULL: it is another one, or there is no room. */
static struct usl_string *grown(usl_value string, size_t length, size_t more)
{
    if (string->info % 64u != 0 || !usl_is_unique(string))
        return NULL;
    const size_t bytes = offsetof(struct usl_string, bytes) + length + more + 1;
    struct usl_string *const longer = realloc(as_string(string), bytes);
    if (longer != NULL) {
        longer->length = (int64_t)(length + more);
        longer->bytes[length + more] = 0;
    }
    return longer;
}
#endif

usl_value usl_string_concat(usl_value a, usl_value b, const char *site, usl_context *ctx)
{
    const size_t m = byte_count(a), n = byte_count(b);
    usl_value result = a;
#ifndef USL_DEBUG
    struct usl_string *const longer = m != 0 && n != 0 ? grown(a, m, n) : NULL;
    if (longer != NULL) {
        memcpy(longer->bytes + m, as_string(b)->bytes, n);
        usl_drop(b, ctx);
        return &longer->head;
    }
#endif
    if (m == 0) {
        result = b;
        usl_drop(a, ctx);
    } else if (n == 0) {
        usl_drop(b, ctx);
    } else {
        struct usl_string *const string = string_of_length(m + n, site, ctx);
        memcpy(string->bytes, as_string(a)->bytes, m);
        memcpy(string->bytes + m, as_string(b)->bytes, n);
        usl_drop(a, ctx);
        usl_drop(b, ctx);
        result = &string->head;
    }
    return result;
}

usl_value usl_string_of_int(int64_t value, const char *site, usl_context *ctx)
{
    char text[24];
    const int length = snprintf(text, sizeof text, "%lld", (long long)value);
    return usl_string_new(text, (size_t)length, site, ctx);
}

usl_value usl_string_of_uint(uint64_t value, const char *site, usl_context *ctx)
{
    char text[24];
    const int length = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return usl_string_new(text, (size_t)length, site, ctx);
}

usl_value usl_string_of_bool(bool value, const char *site, usl_context *ctx)
{
    return value ? usl_string_new("True", 4, site, ctx) : usl_string_new("False", 5, site, ctx);
}

/* The digits and the decimal exponent of the shortest text that reads back as value, which is finite and positive. */
static int shortest_digits(double value, char digits[18], int *exponent)
{
    char text[40];
    /* A normal number that has a text of at most 15 digits is that text; a subnormal one may need fewer than it has. */
    for (int precision = value < DBL_MIN ? 1 : 15;; precision++) {
        (void)snprintf(text, sizeof text, "%.*e", precision - 1, value);
        if (precision >= 17 || strtod(text, NULL) == value)
            break;
    }
    int count = 0;
    const char *at = text;
    for (; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9')
            digits[count++] = *at;
    *exponent = (int)strtol(at + 1, NULL, 10);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

usl_value usl_string_of_f64(double value, const char *site, usl_context *ctx)
{
    char text[48], digits[18];
    size_t length = 0;
    if (isnan(value))
        return usl_string_new("nan", 3, site, ctx);
    if (signbit(value))
        text[length++] = '-';
    if (isinf(value)) {
        memcpy(text + length, "inf", 3);
        return usl_string_new(text, length + 3, site, ctx);
    }
    int exponent = 0, count = 1;
    digits[0] = '0';
    if (value != 0.0)
        count = shortest_digits(fabs(value), digits, &exponent);
    const bool scientific = exponent < -4 || exponent >= 16;
    const int point = scientific ? 0 : exponent; /* the last digit before the point */
    if (point < 0) {
        text[length++] = '0';
        text[length++] = '.';
        for (int i = -1; i > point; i--)
            text[length++] = '0';
        for (int i = 0; i < count; i++)
            text[length++] = digits[i];
    } else {
        for (int i = 0; i < count || i <= point; i++) {
            text[length++] = i < count ? digits[i] : '0';
            if (i == point && (i + 1 < count || !scientific))
                text[length++] = '.';
        }
        if (count <= point + 1 && !scientific)
            text[length++] = '0';
    }
    if (scientific)
        length += (size_t)snprintf(text + length, sizeof text - length, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
    return usl_string_new(text, length, site, ctx);
}

/* ---- Parts of strings ---------------------------------------------------------------------------------------------------- */

#define LETTER_(c) {USL_HEADER(0, 0, USL_TAG_STRING, 64, USL_STUCK), 1, {(char)(c), 0}}
#define LETTERS_4(c) LETTER_(c), LETTER_((c) + 1), LETTER_((c) + 2), LETTER_((c) + 3)
#define LETTERS_16(c) LETTERS_4(c), LETTERS_4((c) + 4), LETTERS_4((c) + 8), LETTERS_4((c) + 12)
/* The strings of one ASCII character live forever. */
static USL_STRING(letters[128], 1) = {LETTERS_16(0),  LETTERS_16(16), LETTERS_16(32), LETTERS_16(48),
                                      LETTERS_16(64), LETTERS_16(80), LETTERS_16(96), LETTERS_16(112)};

static size_t character_length(const unsigned char *text, size_t count, size_t at)
{
    const unsigned char first = text[at];
    const size_t length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
    if (length > count - at)
        return 1;
    for (size_t i = 1; i < length; i++)
        if ((text[at + i] & 0xc0u) != 0x80u)
            return 1;
    return length;
}

/* Where the character of the byte begins. */
static size_t character_start(const unsigned char *text, size_t count, size_t at)
{
    if (at >= count || (text[at] & 0xc0u) != 0x80u)
        return at;
    for (size_t back = 1; back <= 3 && back <= at; back++)
        if ((text[at - back] & 0xc0u) != 0x80u)
            return character_length(text, count, at - back) > back ? at - back : at;
    return at;
}

static const unsigned char *bytes_of(usl_value string)
{
    return (const unsigned char *)as_string(string)->bytes;
}

usl_value usl_string_at(usl_value string, int64_t at, const char *site, usl_context *ctx)
{
    const unsigned char *const text = bytes_of(string);
    if (text[at] < 0x80)
        return &letters[text[at]].head;
    const size_t start = character_start(text, byte_count(string), (size_t)at);
    return usl_string_new((const char *)text + start, character_length(text, byte_count(string), start), site, ctx);
}

int64_t usl_string_code(usl_value string, int64_t at)
{
    const unsigned char *const text = bytes_of(string);
    if (text[at] < 0x80)
        return text[at];
    const size_t start = character_start(text, byte_count(string), (size_t)at);
    const size_t length = character_length(text, byte_count(string), start);
    if (length == 1)
        return 0xdc00 + text[start];
    int64_t code = text[start] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (text[start + i] & 0x3fu);
    return code;
}

usl_value usl_string_of_code(int64_t code, const char *site, usl_context *ctx)
{
    if (code < 0x80)
        return &letters[code].head;
    const uint32_t c = (uint32_t)code;
    const size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    char text[4];
    for (size_t i = length - 1; i > 0; i--)
        text[i] = (char)(0x80u | (c >> 6 * (length - 1 - i) & 0x3fu));
    text[0] = (char)((0xf00u >> length & 0xffu) | c >> 6 * (length - 1));
    return usl_string_new(text, length, site, ctx);
}

/* A position as Python counts, from the end if it is negative. */
static size_t position_in(usl_value string, int64_t at)
{
    const int64_t length = as_string(string)->length, from = at < 0 ? at + length : at;
    return (size_t)(from < 0 ? 0 : from > length ? length : from);
}

usl_value usl_string_slice(usl_value string, int64_t start, int64_t end, const char *site, usl_context *ctx)
{
    const unsigned char *const text = bytes_of(string);
    const size_t count = byte_count(string);
    const size_t first = character_start(text, count, position_in(string, start));
    const size_t last = character_start(text, count, position_in(string, end));
    if (first == 0 && last == count) {
        usl_dup(string);
        return string;
    }
    if (last == first + 1 && text[first] < 0x80)
        return &letters[text[first]].head;
    return usl_string_new((const char *)text + first, last > first ? last - first : 0, site, ctx);
}

int64_t usl_string_find(usl_value string, usl_value part, int64_t start)
{
    if (start > as_string(string)->length)
        return -1;
    const char *const text = as_string(string)->bytes, *const wanted = as_string(part)->bytes;
    const size_t count = byte_count(string), size = byte_count(part);
    size_t at = position_in(string, start);
    if (size == 0)
        return (int64_t)at;
    while (size <= count - at) {
        const char *const next = memchr(text + at, wanted[0], count - at - size + 1);
        if (next == NULL)
            return -1;
        at = (size_t)(next - text);
        if (memcmp(next, wanted, size) == 0)
            return (int64_t)at;
        at++;
    }
    return -1;
}

/* The C library's point may be a comma, if the process asks for a language. */
double usl_string_to_f64(usl_value string)
{
    const char *const text = as_string(string)->bytes, *const point = strchr(text, '.');
    const char *const local = localeconv()->decimal_point;
    if (point == NULL || strcmp(local, ".") == 0)
        return strtod(text, NULL);
    const size_t before = (size_t)(point - text), after = byte_count(string) - before, room = byte_count(string) + strlen(local);
    char *const copy = malloc(room);
    if (copy == NULL)
        return strtod(text, NULL);
    memcpy(copy, text, before);
    memcpy(copy + before, local, strlen(local));
    memcpy(copy + before + strlen(local), point + 1, after);
    const double value = strtod(copy, NULL);
    free(copy);
    return value;
}

usl_value usl_string_fixed(double value, int64_t digits, int64_t format, const char *site, usl_context *ctx)
{
    if (isnan(value))
        return usl_string_new("nan", 3, site, ctx);
    const int precision = digits > 1000 ? 1000 : (int)digits;
    const char *const shape = format == 'f' ? "%.*f" : format == 'e' ? "%.*e" : "%.*g";
    char text[1400];
    size_t length = (size_t)snprintf(text, sizeof text, shape, precision, value);
    const char *const local = localeconv()->decimal_point;
    char *const point = strcmp(local, ".") == 0 ? NULL : strstr(text, local);
    if (point != NULL) {
        *point = '.';
        memmove(point + 1, point + strlen(local), length + 1 - (size_t)(point - text) - strlen(local));
        length -= strlen(local) - 1;
    }
    return usl_string_new(text, length, site, ctx);
}

void usl_print(usl_value string, usl_context *ctx)
{
    const struct usl_string *const own = as_string(string);
    if (ctx->write != NULL)
        ctx->write(ctx->user, own->bytes, (size_t)own->length);
    else
        (void)fwrite(own->bytes, 1, (size_t)own->length, stdout);
}

/* ---- Arrays -------------------------------------------------------------------------------------------------------------- */

/* The elements that a block has room for if it was made for `length`: up to an eighth more, so that an array which grows one by one
 * moves seldom. It depends on the length alone, so that no block has to say how large it is; one that has become shorter may
 * have more room. */
static size_t room_for(int64_t length)
{
    const size_t count = (size_t)length;
    unsigned shift = 0; /* so that count >> shift is below 16 */
#if defined(__GNUC__)
    shift = count < 16 ? 0 : 60u - (unsigned)__builtin_clzll(count);
#else
    while (count >> shift >= 16)
        shift++;
#endif
    return (count + ((size_t)1 << shift) - 1) >> shift << shift;
}

enum { LINE = 64, IN_LINES = 4096 };

/* The elements of an array of IN_LINES bytes begin with a line of the cache, so that vectors of them lie in one line each. */
usl_value usl_raw_array_new(int64_t length, size_t element, const char *site, usl_context *ctx)
{
    if (length < 0)
        usl_fatal("the length of an array is negative");
    const size_t spare = (size_t)length >= IN_LINES / element ? LINE - 8 : 0, head = sizeof(struct usl_raw_array) + spare;
    const usl_value array = sized_block(head, room_for(length), element, 0, USL_TAG_ARRAY, site, ctx);
    struct usl_raw_array *const made = (struct usl_raw_array *)(void *)array;
    made->length = length;
    made->elements = made + 1;
    if (spare != 0)
        made->elements = (char *)made->elements + (LINE - (uintptr_t)made->elements % LINE) % LINE;
    made->own = NULL;
    return array;
}

usl_value usl_raw_array_lent(int64_t length, void *elements, const char *site, usl_context *ctx)
{
    const usl_value array = sized_block(sizeof(struct usl_raw_array), 0, 1, 0, USL_TAG_ELSEWHERE, site, ctx);
    struct usl_raw_array *const made = (struct usl_raw_array *)(void *)array;
    made->length = length;
    made->elements = elements;
    made->own = NULL;
    usl_dup_block(array);
    return array;
}

void usl_raw_array_return(usl_value array, size_t element, usl_context *ctx)
{
    struct usl_raw_array *const lent = (struct usl_raw_array *)(void *)array;
    if (!usl_is_unique(array)) {
        const size_t size = (size_t)lent->length * element;
        void *const copy = malloc(size == 0 ? 1 : size);
        if (copy == NULL)
            usl_fatal("there is no memory for an array that a program keeps");
        memcpy(copy, lent->elements, size);
        lent->own = copy;
        lent->elements = copy;
    }
    usl_drop_block(array, ctx);
}

static struct usl_wide *boxed_array(int64_t length, const char *site, usl_context *ctx)
{
    if (length < 0)
        usl_fatal("the length of an array is negative");
    struct usl_wide *const array =
        as_wide(sized_block(sizeof(struct usl_wide), room_for(length), sizeof(usl_value), USL_WIDE, USL_TAG_ARRAY, site, ctx));
    array->length = length;
    array->at = 0;
    return array;
}

usl_value usl_boxed_array_new(int64_t length, usl_value value, const char *site, usl_context *ctx)
{
    struct usl_wide *const array = boxed_array(length, site, ctx);
    for (int64_t i = 0; i < length; i++) {
        array->fields[i] = value;
        if (i > 0)
            usl_dup(value);
    }
    if (length == 0)
        usl_drop(value, ctx);
    return &array->head;
}

usl_value usl_raw_array_own(usl_value array, size_t element, const char *site, usl_context *ctx)
{
    if (usl_is_unique(array))
        return array;
    const int64_t length = usl_array_length(array);
    const usl_value copy = usl_raw_array_new(length, element, site, ctx);
    memcpy(usl_raw_elements(copy), usl_raw_elements(array), (size_t)length * element);
    usl_decref(array, ctx);
    return copy;
}

usl_value usl_boxed_array_own(usl_value array, const char *site, usl_context *ctx)
{
    if (usl_is_unique(array))
        return array;
    const int64_t length = usl_array_length(array);
    struct usl_wide *const copy = boxed_array(length, site, ctx);
    for (int64_t i = 0; i < length; i++) {
        copy->fields[i] = usl_boxed_elements(array)[i];
        usl_dup(copy->fields[i]);
    }
    usl_decref(array, ctx);
    return &copy->head;
}

/* The bytes before the elements of an array that are in its block: they stay where they are if the block moves. */
static size_t before_elements(usl_value array)
{
    return (size_t)((char *)usl_raw_elements(array) - (char *)array);
}

/* The block of a unique array that has outgrown it, with room for one more, where the system can enlarge it; else NULL. */
static usl_value enlarged(usl_value array, size_t head, size_t element)
{
#ifdef USL_DEBUG
    (void)array, (void)head, (void)element;
    return NULL;
#else
    const size_t room = room_for(usl_array_length(array) + 1);
    if (array->info % 64u != 0 || room > (PTRDIFF_MAX - head) / element)
        return NULL;
    return realloc(array, head + room * element);
#endif
}

usl_value usl_raw_array_longer(usl_value array, size_t element, const char *site, usl_context *ctx)
{
    const int64_t length = usl_array_length(array);
    usl_value longer = NULL;
    size_t head = 0;
    if (usl_is_unique(array) && usl_tag(array) == USL_TAG_ARRAY) {
        head = before_elements(array);
        longer = room_for(length) > (size_t)length ? array : enlarged(array, head, element);
    }
    if (longer == NULL) {
        longer = usl_raw_array_new(length + 1, element, site, ctx);
        if (length != 0) /* the elements of the empty array are nowhere */
            memcpy(usl_raw_elements(longer), usl_raw_elements(array), (size_t)length * element);
        usl_drop_block(array, ctx);
        head = before_elements(longer);
    }
    struct usl_raw_array *const made = (struct usl_raw_array *)(void *)longer;
    made->length = length + 1;
    made->elements = (char *)made + head;
    return longer;
}

usl_value usl_raw_array_front(usl_value array, int64_t length, size_t element, const char *site, usl_context *ctx)
{
    if (length == usl_array_length(array))
        return array;
    if (!usl_is_unique(array)) {
        const usl_value copy = usl_raw_array_new(length, element, site, ctx);
        if (length != 0)
            memcpy(usl_raw_elements(copy), usl_raw_elements(array), (size_t)length * element);
        usl_decref(array, ctx);
        return copy;
    }
#ifndef USL_DEBUG
    if (usl_tag(array) == USL_TAG_ARRAY && array->info % 64u == 0 && length <= usl_array_length(array) / 8 * 7) {
        const size_t head = before_elements(array);
        const usl_value shorter = realloc(array, head + room_for(length) * element); /* gives pages back */
        if (shorter != NULL) {
            array = shorter;
            struct usl_raw_array *const moved = (struct usl_raw_array *)(void *)array;
            moved->elements = (char *)moved + head;
        }
    }
#endif
    ((struct usl_raw_array *)(void *)array)->length = length;
    return array;
}

usl_value usl_boxed_array_front(usl_value array, int64_t length, const char *site, usl_context *ctx)
{
    const int64_t old = usl_array_length(array);
    if (length == old)
        return array;
    usl_value *const elements = usl_boxed_elements(array);
    if (usl_is_unique(array)) {
        for (int64_t i = length; i < old; i++)
            usl_drop(elements[i], ctx);
        as_wide(array)->length = length;
        return array;
    }
    struct usl_wide *const copy = boxed_array(length, site, ctx);
    for (int64_t i = 0; i < length; i++) {
        copy->fields[i] = elements[i];
        usl_dup(elements[i]);
    }
    usl_decref(array, ctx);
    return &copy->head;
}

usl_value usl_boxed_array_longer(usl_value array, const char *site, usl_context *ctx)
{
    const int64_t length = usl_array_length(array);
    const bool unique = usl_is_unique(array);
    usl_value longer = NULL;
    if (unique)
        longer = room_for(length) > (size_t)length ? array : enlarged(array, sizeof(struct usl_wide), sizeof(usl_value));
    if (longer == NULL) {
        struct usl_wide *const copy = boxed_array(length + 1, site, ctx);
        for (int64_t i = 0; i < length; i++) {
            copy->fields[i] = usl_boxed_elements(array)[i];
            if (!unique)
                usl_dup(copy->fields[i]);
        }
        if (unique)
            usl_free(array, ctx);
        else
            usl_decref(array, ctx);
        longer = &copy->head;
    }
    as_wide(longer)->length = length + 1;
    return longer;
}

static void require_product(int64_t wanted, int rank, const int64_t *extents, const char *message)
{
    int64_t length = 1;
    for (int i = 0; i < rank; i++) {
        if (extents[i] < 0 || (extents[i] != 0 && length > INT64_MAX / extents[i]))
            usl_fatal(message);
        length *= extents[i];
    }
    if (length != wanted)
        usl_fatal(message);
}

void usl_require_length(usl_value array, int rank, const int64_t *extents, const char *message)
{
    require_product(usl_array_length(array), rank, extents, message);
}

void usl_require_part(usl_value array, int64_t first, int64_t count, int rank, const int64_t *extents, const char *message)
{
    if (first < 0 || count < 0 || first > usl_array_length(array) - count)
        usl_fatal(message);
    require_product(count, rank, extents, message);
}

/* ---- Numbers ------------------------------------------------------------------------------------------------------------- */

/* The limits as doubles may lie one above the type's, so that the comparison must be `>=`. */
int64_t usl_f64_to_int(double value, int64_t least, int64_t greatest)
{
    if (isnan(value))
        return 0;
    if (value <= (double)least)
        return least;
    return value >= (double)greatest ? greatest : (int64_t)value;
}

uint64_t usl_hash_f64(uint64_t hash, double value)
{
    const double same = value == 0.0 ? 0.0 : value;
    uint64_t bits;
    memcpy(&bits, &same, sizeof bits);
    return usl_hash(hash, bits);
}

uint64_t usl_hash_string(uint64_t hash, usl_value string)
{
    const struct usl_string *const own = as_string(string);
    const size_t length = (size_t)own->length;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = 0;
        memcpy(&word, own->bytes + i, length - i < 8 ? length - i : 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return usl_hash(hash, (uint64_t)length);
}

uint64_t usl_f64_to_uint(double value, uint64_t greatest)
{
    if (isnan(value) || value <= 0.0)
        return 0;
    return value >= (double)greatest ? greatest : (uint64_t)value;
}

/* ---- For callers in other languages -------------------------------------------------------------------------------------- */

usl_value usl_make(unsigned scan, unsigned path, unsigned tag, size_t words, usl_context *ctx)
{
    const usl_value block = usl_new(words, "a caller in another language", ctx);
    usl_init(block, scan, path, tag, words);
    return block;
}

void usl_retain(usl_value value)
{
    usl_dup(value);
}

void usl_release(usl_value value, usl_context *ctx)
{
    usl_drop(value, ctx);
}

bool usl_has_thrown(const usl_context *ctx)
{
    return ctx->thrown != 0;
}

bool usl_was_out_of_memory(usl_context *ctx)
{
    const bool was = ctx->thrown == USL_OUT_OF_MEMORY;
    if (was)
        ctx->thrown = 0;
    return was;
}

const char *usl_raised_at(const usl_context *ctx)
{
    return ctx->raised;
}

const char *usl_raised_why(const usl_context *ctx)
{
    const struct usl_failure *const failure = &ctx->failure;
    return failure->place != NULL && ctx->raised != NULL && strcmp(failure->place, ctx->raised) == 0 ? failure->why : NULL;
}

void usl_throw(usl_value exception, const char *place, usl_context *ctx)
{
    ctx->exception.boxed = exception;
    ctx->raised = place;
    ctx->thrown = 1;
}

usl_value usl_take_exception(usl_context *ctx)
{
    ctx->thrown = 0;
    return ctx->exception.boxed;
}

void usl_set_output(usl_context *ctx, void (*write)(void *user, const char *bytes, size_t count), void *user)
{
    ctx->write = write;
    ctx->user = user;
}

/* ---- Debug ----------------------------------------------------------------------------------------------------------------
 *
 * Before each block stands a record. Freed blocks are kept for a while, filled with a pattern.
 */

#ifdef USL_DEBUG

enum state { LIVE = 0x4c495645, TOKEN = 0x544f4b45, FREED = 0x46524545 };
enum { PATTERN = 0xdb };
#define QUARANTINE_BYTES ((size_t)64 << 20)

struct record {
    struct record *previous, *next; /* of the live and tokens, or of the freed, oldest first */
    const char *site;
    size_t bytes;
    int64_t mark; /* of the search for cycles */
    struct record *from;
    enum state state;
    max_align_t block[];
};

struct records {
    struct record *first, *last;
};

static spin_lock records_lock = SPIN_LOCK_INIT;
static struct records live_records, freed_records;
static size_t quarantined;

static void append(struct records *list, struct record *record)
{
    record->previous = list->last;
    record->next = NULL;
    *(list->last != NULL ? &list->last->next : &list->first) = record;
    list->last = record;
}

static void unlink_record(struct records *list, struct record *record)
{
    *(record->previous != NULL ? &record->previous->next : &list->first) = record->next;
    *(record->next != NULL ? &record->next->previous : &list->last) = record->previous;
}

static struct record *record_of(usl_value block)
{
    return (struct record *)(void *)((char *)block - offsetof(struct record, block));
}

static usl_value block_of(struct record *record)
{
    return (usl_value)(void *)record->block;
}

static bool is_static(usl_value block)
{
    return usl_relaxed(&block->count) <= USL_STICKY_DROP;
}

static void complain(usl_value block, const char *what, const char *how)
{
    const struct record *const record = record_of(block);
    char message[512];
    (void)snprintf(message, sizeof message, "%s of a block that is %s; it was allocated at %s", what, how, record->site);
    usl_fatal(message);
}

static void check_pattern(const struct record *record)
{
    const unsigned char *const bytes = (const unsigned char *)record->block;
    for (size_t i = sizeof(usl_block); i < record->bytes; i++)
        if (bytes[i] != PATTERN)
            complain(block_of((struct record *)(uintptr_t)record), "write to a field", "freed");
}

usl_value usl_debug_new(size_t bytes, const char *site)
{
    struct record *const record = malloc(offsetof(struct record, block) + bytes);
    if (record == NULL)
        no_memory(NULL);
    memset(record->block, PATTERN, bytes);
    record->site = site != NULL ? site : "an unknown place";
    record->bytes = bytes;
    record->state = LIVE;
    spin_acquire(&records_lock);
    append(&live_records, record);
    spin_release(&records_lock);
    return block_of(record);
}

void usl_debug_check(usl_value block, const char *what)
{
    if (usl_is_constant(block) || is_static(block))
        return;
    const enum state state = record_of(block)->state;
    if (state == FREED)
        complain(block, what, "freed");
    if (state == TOKEN)
        complain(block, what, "kept for reuse");
}

usl_value usl_debug_checked(usl_value block)
{
    usl_debug_check(block, "use");
    return block;
}

void usl_debug_free(usl_value block)
{
    struct record *const record = record_of(block);
    if (record->state == FREED)
        complain(block, "free", "freed already");
    spin_acquire(&records_lock);
    unlink_record(&live_records, record);
    record->state = FREED;
    memset(block + 1, PATTERN, record->bytes - sizeof(usl_block));
    append(&freed_records, record);
    quarantined += record->bytes;
    while (quarantined > QUARANTINE_BYTES) {
        struct record *const oldest = freed_records.first;
        check_pattern(oldest);
        unlink_record(&freed_records, oldest);
        quarantined -= oldest->bytes;
        free(oldest);
    }
    spin_release(&records_lock);
}

void usl_debug_token(usl_value block)
{
    usl_debug_check(block, "taking the memory");
    record_of(block)->state = TOKEN;
}

void usl_debug_reused(usl_value block, const char *site)
{
    struct record *const record = record_of(block);
    if (record->state != TOKEN)
        complain(block, "reuse", record->state == FREED ? "freed" : "alive");
    record->state = LIVE;
    record->site = site;
}

int64_t usl_live_blocks(void)
{
    int64_t live = 0;
    spin_acquire(&records_lock);
    for (const struct record *record = live_records.first; record != NULL; record = record->next)
        live++;
    spin_release(&records_lock);
    return live;
}

static void print_cycle(const struct record *last, const struct record *first)
{
    (void)fprintf(stderr, "usl: a cycle, which counting cannot free:\n");
    for (const struct record *record = last;; record = record->from) {
        (void)fprintf(stderr, "usl:   the block allocated at %s is referred to by\n", record->site);
        if (record == first)
            break;
    }
    (void)fprintf(stderr, "usl:   the block allocated at %s\n", last->site);
}

/* Depth first from a leaked block, without recursion: `from` leads back, `mark` counts the fields seen, minus one when done. */
static void find_cycles(struct record *root)
{
    struct record *record = root;
    record->from = NULL;
    while (record != NULL) {
        const usl_value block = block_of(record);
        const struct walk walk = walk_of(block);
        const int64_t at = record->state == TOKEN ? walk.count : record->mark + first_place(block);
        if (at >= walk.count) {
            record->mark = -1;
            record = record->from;
            continue;
        }
        record->mark++;
        const usl_value child = walk.fields[at];
        if (child == NULL || usl_is_constant(child) || is_static(child) || record_of(child)->state != LIVE)
            continue;
        struct record *const next = record_of(child);
        if (next->mark == 0) {
            next->from = record;
            record = next;
        } else if (next->mark > 0) {
            print_cycle(record, next);
        }
    }
}

int64_t usl_debug_report(void)
{
    int64_t live = 0;
    spin_acquire(&records_lock);
    for (struct record *record = live_records.first; record != NULL; record = record->next) {
        record->mark = 0;
        record->from = NULL;
        live++;
    }
    for (const struct record *record = freed_records.first; record != NULL; record = record->next)
        check_pattern(record);
    for (struct record *record = live_records.first; record != NULL; record = record->next) {
        (void)fprintf(stderr, "usl: leak: %zu bytes allocated at %s%s\n", record->bytes, record->site,
                      record->state == TOKEN ? ", kept for reuse" : "");
        if (record->mark == 0)
            find_cycles(record);
    }
    spin_release(&records_lock);
    return live;
}

#endif
