/* The run-time system of compiled functional programs: precise reference counting with reuse (Reinking 2022, ch. 4).
 *
 * Conforming C11. What a compiler or system offers beyond that is used behind feature tests, and each has a portable
 * counterpart. Switches, given when the program *and* usl_rt.c are compiled:
 *
 *   USL_DEBUG     every block has a record: leaks, cycles, double frees and uses after free are reported with the line of the
 *                 program that allocated the block. Implies USL_STATS.
 *   USL_STATS     counts allocations, frees, reuses and count operations.
 *   USL_MALLOC    blocks come from malloc, one by one. Chosen by itself under AddressSanitizer, in USL_DEBUG, and where there
 *                 are no atomics.
 */
#ifndef USL_RT_H
#define USL_RT_H

/* -std=c11 hides what usl_rt.c asks the system for; a program may include that file after this one. */
#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__STDC_NO_ATOMICS__)
/* Without atomics there are no threads either: spawn runs its function at once. */
#define USL_ATOMIC(type) type
#define usl_relaxed(place) (*(place))
#define usl_relaxed_store(place, value) (void)(*(place) = (value))
#else
#include <stdatomic.h>
#define USL_ATOMIC(type) _Atomic(type)
#define usl_relaxed(place) atomic_load_explicit(place, memory_order_relaxed)
#define usl_relaxed_store(place, value) atomic_store_explicit(place, value, memory_order_relaxed)
#endif

#if defined(USL_DEBUG) && !defined(USL_STATS)
#define USL_STATS
#endif
#if defined(__SANITIZE_ADDRESS__)
#define USL_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define USL_ADDRESS_SANITIZER
#endif
#endif
#if (defined(USL_DEBUG) || defined(USL_ADDRESS_SANITIZER) || defined(__STDC_NO_ATOMICS__)) && !defined(USL_MALLOC)
#define USL_MALLOC
#endif

#if defined(__GNUC__)
#define USL_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define USL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define USL_COLD __attribute__((noinline, cold))
#define USL_NOINLINE __attribute__((noinline))
#define USL_PREFETCH(address) __builtin_prefetch(address)
#define USL_MALLOC_LIKE __attribute__((malloc, returns_nonnull))
#define USL_UNUSED __attribute__((unused))
#else
#define USL_LIKELY(condition) (condition)
#define USL_UNLIKELY(condition) (condition)
#define USL_COLD
#define USL_NOINLINE
#define USL_PREFETCH(address) (void)(address)
#define USL_MALLOC_LIKE
#define USL_UNUSED
#endif

/* ---- Blocks --------------------------------------------------------------------------------------------------------------
 *
 * A value that is not a machine number is a usl_value: a pointer to a block, or an odd immediate that stands for a constructor
 * without fields. A block begins with a header of one word. Its pointer fields come first, so that freeing it needs no type.
 */

typedef struct usl_block usl_block;
typedef usl_block *usl_value;
typedef struct usl_context usl_context;

struct usl_block {
    uint8_t scan;  /* fields to scan, or USL_WIDE */
    uint8_t path;  /* where scanning begins; while a structure is walked, the field that the walk went down */
    uint16_t info; /* tag * 64 + size in words; size 0: from malloc */
    /* Not shared between threads: references - 1, so unique is 0. Shared: -references, atomic. From USL_STICKY down: forever. */
    USL_ATOMIC(int32_t) count;
};

enum {
    USL_WIDE = 255,       /* scan: the block is a struct usl_wide */
    USL_MAX_WORDS = 63,   /* larger blocks come from malloc */
    USL_MAX_TAG = 1000,   /* of constructors; the tags above are the runtime's */
    USL_TAG_CLOSURE = 1016,
    USL_TAG_STRING,
    USL_TAG_REF,
    USL_TAG_ARRAY,
    USL_TAG_FINALIZED,
    USL_TAG_BOX,
    USL_TAG_ELSEWHERE /* an array of numbers whose elements are not in the block */
};

/* The sticky range begins far from INT32_MIN: threads that read an older count may still add to it. No drop counts below
 * USL_STICKY_DROP, so that once a dup was left out, at or below USL_STICKY, no drop can bring the count back. */
#define USL_STICKY (-(INT32_C(1) << 30))
#define USL_STICKY_DROP (USL_STICKY + (INT32_C(1) << 20))
#define USL_STUCK INT32_MIN

#define USL_INFO(tag, words) ((uint16_t)((tag) * 64u + ((words) <= USL_MAX_WORDS ? (words) : 0u)))
#define USL_HEADER(scan, path, tag, words, count) {(scan), (path), USL_INFO(tag, words), (count)}

/* An array of boxed elements, and a block with a finalizer, which has length 0. `at` is the walk's place, as path is elsewhere. */
struct usl_wide {
    usl_block head;
    int64_t length;
    int64_t at;
    usl_value fields[];
};

/* The constructor without fields of this number. */
#define USL_CONSTANT(tag) ((usl_value)(uintptr_t)(2u * (tag) + 1u))

static inline bool usl_is_constant(usl_value value)
{
    return ((uintptr_t)value & 1) != 0;
}

static inline unsigned usl_tag_of_constant(usl_value value)
{
    return (unsigned)((uintptr_t)value >> 1);
}

static inline unsigned usl_tag(usl_value block)
{
    return block->info / 64u;
}

/* Whether a block was made by the constructor of this number and size. */
#define USL_IS(block, tag, words) ((block)->info == USL_INFO(tag, words))
/* The value that a static closure or string is. */
#define USL_STATIC(object) (&(object).head)
/* The struct that a value points to. */
#ifdef USL_DEBUG
#define USL_AS(type, value) ((type *)(void *)usl_debug_checked(value))
#else
#define USL_AS(type, value) ((type *)(void *)(value))
#endif

static inline usl_value *usl_fields(usl_value block)
{
    return (usl_value *)(void *)(block + 1);
}

/* ---- Statistics ---------------------------------------------------------------------------------------------------------- */

struct usl_stats {
    int64_t allocated, freed, reused, dups, drops, shared;
};

#ifdef USL_STATS
struct usl_counters {
    USL_ATOMIC(int64_t) allocated, freed, reused, dups, drops, shared;
};
extern struct usl_counters usl_counters;
#if defined(__STDC_NO_ATOMICS__)
#define USL_COUNT(what) (void)(usl_counters.what += 1)
#else
#define USL_COUNT(what) (void)atomic_fetch_add_explicit(&usl_counters.what, 1, memory_order_relaxed)
#endif
#else
#define USL_COUNT(what) (void)0
#endif

/* What was counted since the start, or since usl_stats_reset; zeros without USL_STATS. */
struct usl_stats usl_stats_read(void);
void usl_stats_reset(void);

/* ---- Contexts and blocks' memory -----------------------------------------------------------------------------------------
 *
 * Every function of a program has a context as its last parameter: one thread's free lists and its pending exception.
 * Free blocks are kept by size, in words. A block that a thread frees in memory taken by another thread's context goes onto that
 * context's `remote` list, so that memory returns to where it is allocated; which list a block is on is a matter of speed, not of
 * soundness, since a block on a list belongs to nobody else.
 */

struct usl_free_block {
    struct usl_free_block *next;
    uintptr_t extra;
};

/* In `thrown` after a jump to `escape`. Then what the program held stays allocated, and there is no exception. */
#define USL_OUT_OF_MEMORY 2

/* Why the last procedure that failed did. */
struct usl_failure {
    const char *place, *why; /* as `raised` says it; the procedure's own text. NULL: none did */
    bool is_news;            /* the program has not asked yet */
};

struct usl_context {
    struct usl_free_block *free[USL_MAX_WORDS + 1];
    int32_t thrown;          /* an exception is on its way; its value is in `exception` */
    union {
        usl_value boxed;
        uint64_t number;
    } exception;
    void (*write)(void *user, const char *bytes, size_t count); /* where print goes; NULL: stdout */
    void *user;
    struct usl_heap *heap;
    const char *raised;      /* where and why the last exception was raised; NULL: none was */
    struct usl_failure failure;
    void *escape;            /* a jmp_buf: where to go with thrown = USL_OUT_OF_MEMORY; NULL: the process ends */
};

/* A context for the calling thread. It is one thread's at a time. Ends the process if there is no memory. */
usl_context *usl_context_acquire(void);
/* The context goes back to a pool; blocks that live on stay valid. */
void usl_context_release(usl_context *ctx);
/* Blocks that were allocated and not freed, of all contexts. Exact while no other thread runs. */
int64_t usl_live_blocks(void);
/* Gives all memory back to the system if no block lives; otherwise nothing happens. True: given back. */
bool usl_runtime_reset(void);

#ifdef USL_DEBUG
/* Writes what still lives to stderr, by the line that allocated it, with each cycle; the number of such blocks. */
int64_t usl_debug_report(void);
usl_value usl_debug_new(size_t bytes, const char *site);
void usl_debug_free(usl_value block);
void usl_debug_token(usl_value block);
void usl_debug_reused(usl_value block, const char *site);
void usl_debug_check(usl_value block, const char *what);
usl_value usl_debug_checked(usl_value block);
#define USL_CHECK(block, what) usl_debug_check(block, what)
#else
#define USL_CHECK(block, what) (void)0
#endif

USL_COLD USL_MALLOC_LIKE void *usl_refill(size_t words, usl_context *ctx);
void *usl_large_new(size_t bytes, usl_context *ctx);
void usl_large_free(void *block, usl_context *ctx);

#ifndef USL_MALLOC
/* A segment of memory holds its owner near its start; where exactly varies, since the starts of segments share cache sets. */
#define USL_SEGMENT_BYTES ((uintptr_t)1 << 22)
struct usl_segment {
    USL_ATOMIC(usl_context *) owner;
};
static inline struct usl_segment *usl_segment_of(const void *block)
{
    const uintptr_t address = (uintptr_t)block;
    return (struct usl_segment *)((address & ~(USL_SEGMENT_BYTES - 1)) | ((address >> 16) & 0xfc0));
}
USL_COLD void usl_free_remote(struct usl_free_block *block, size_t words, usl_context *owner);
#endif

/* Memory for a block of 2 to USL_MAX_WORDS words, or more from malloc. `site` is "file:line" for the debug runtime. */
#define usl_new(words, site, ctx) usl_new_at(words, USL_SITE(site), ctx)
#ifdef USL_DEBUG
#define USL_SITE(site) (site)
#else
#define USL_SITE(site) ((const char *)0)
#endif

static inline usl_value usl_new_at(size_t words, const char *site, usl_context *ctx)
{
    USL_COUNT(allocated);
#if defined(USL_DEBUG)
    (void)ctx;
    return usl_debug_new(words * 8, site);
#else
    (void)site;
#ifndef USL_MALLOC
    if (words <= USL_MAX_WORDS) {
        struct usl_free_block *const block = ctx->free[words];
        if (USL_LIKELY(block != NULL)) {
            ctx->free[words] = block->next;
            return (usl_value)(void *)block;
        }
        return usl_refill(words, ctx);
    }
#endif
    return usl_large_new(words * 8, ctx);
#endif
}

/* What was allocated in order is mostly freed in about that order, or against it. Of trees that is too uneven for processors to
 * foresee, which makes the first load of each block slow. */
#define USL_NEAR_BYTES 512
static inline void usl_prefetch_near(const void *block)
{
    USL_PREFETCH((const void *)((uintptr_t)block - USL_NEAR_BYTES));
    USL_PREFETCH((const void *)((uintptr_t)block + USL_NEAR_BYTES));
}

/* Frees the memory of one block, not what its fields refer to. words: as in its header, 0 if from malloc. */
static inline void usl_free_memory(usl_value block, size_t words, usl_context *ctx)
{
    USL_COUNT(freed);
#if defined(USL_DEBUG)
    (void)words, (void)ctx;
    usl_debug_free(block);
#else
#ifndef USL_MALLOC
    if (words != 0) {
        struct usl_free_block *const dead = (struct usl_free_block *)(void *)block;
        usl_context *const owner = usl_relaxed(&usl_segment_of(block)->owner);
        usl_prefetch_near(block);
        if (USL_LIKELY(owner == ctx)) {
            dead->next = ctx->free[words];
            ctx->free[words] = dead;
        } else {
            usl_free_remote(dead, words, owner);
        }
        return;
    }
#else
    (void)words;
#endif
    usl_large_free(block, ctx);
#endif
}

/* The header of a fresh block. With constant arguments one store. */
static inline void usl_init(usl_value block, unsigned scan, unsigned path, unsigned tag, size_t words)
{
    const usl_block head = USL_HEADER((uint8_t)scan, (uint8_t)path, tag, words, 0);
    *block = head;
}

/* ---- Counts -------------------------------------------------------------------------------------------------------------- */

USL_COLD void usl_dup_slow(usl_value block, int32_t count);
USL_COLD void usl_drop_slow(usl_value block, usl_context *ctx);
/* One reference to a block that is shared or sticky goes; true if it was the last. */
USL_COLD bool usl_release_shared(usl_value block);

/* One more reference to a block. */
static inline void usl_dup_block(usl_value block)
{
    USL_CHECK(block, "dup");
    USL_COUNT(dups);
    const int32_t count = usl_relaxed(&block->count);
    if (USL_LIKELY(count >= 0)) /* past INT32_MAX it wraps to USL_STUCK, which is right */
        usl_relaxed_store(&block->count, (int32_t)((uint32_t)count + 1u));
    else
        usl_dup_slow(block, count);
}

/* One reference to a block less; frees what nothing refers to any more, in constant stack. */
static inline void usl_drop_block(usl_value block, usl_context *ctx)
{
    USL_CHECK(block, "drop");
    USL_COUNT(drops);
    const int32_t count = usl_relaxed(&block->count);
    if (count > 0)
        usl_relaxed_store(&block->count, count - 1);
    else
        usl_drop_slow(block, ctx);
}

static inline void usl_dup(usl_value value)
{
    if (!usl_is_constant(value))
        usl_dup_block(value);
}

static inline void usl_drop(usl_value value, usl_context *ctx)
{
    if (!usl_is_constant(value))
        usl_drop_block(value, ctx);
}

/* Whether this is the only reference, so that the block may be changed or freed. */
static inline bool usl_is_unique(usl_value block)
{
    USL_CHECK(block, "the test for uniqueness");
    return USL_LIKELY(usl_relaxed(&block->count) == 0);
}

/* A reference less to a block that was found not unique a moment ago. Another thread may have made it unique since. */
static inline void usl_decref(usl_value block, usl_context *ctx)
{
    USL_CHECK(block, "drop");
    USL_COUNT(drops);
    const int32_t count = usl_relaxed(&block->count);
    if (USL_LIKELY(count > 0))
        usl_relaxed_store(&block->count, count - 1);
    else
        usl_drop_slow(block, ctx);
}

/* Frees one block whose fields were taken out. */
static inline void usl_free(usl_value block, usl_context *ctx)
{
    usl_free_memory(block, block->info % 64u, ctx);
}

/* Frees a unique block and drops what it refers to. */
void usl_free_deep(usl_value block, usl_context *ctx);

/* ---- Reuse: a token is the memory of a dead block, or NULL ---------------------------------------------------------------- */

typedef usl_value usl_token;

/* The memory of a unique block whose fields were taken out. */
static inline usl_token usl_token_of(usl_value block)
{
#ifdef USL_DEBUG
    usl_debug_token(block);
#endif
    return block;
}

/* A reference less; the memory of the block if that was the last one, its fields dropped. */
usl_token usl_drop_reuse(usl_value block, usl_context *ctx);

static inline void usl_token_free(usl_token token, usl_context *ctx)
{
    if (token != NULL)
        usl_free(token, ctx);
}

/* A block with the same fields, for one whose header is made of these. Nothing is counted. */
#define usl_copy(block, scan, path, tag, words, site, ctx) usl_copy_at(block, scan, path, tag, words, USL_SITE(site), ctx)
static inline usl_value usl_copy_at(usl_value block, unsigned scan, unsigned path, unsigned tag, size_t words, const char *site,
                                    usl_context *ctx)
{
    USL_CHECK(block, "copy");
    const usl_value copy = usl_new_at(words, site, ctx);
    usl_init(copy, scan, path, tag, words);
    memcpy(copy + 1, block + 1, (words - 1) * 8);
    return copy;
}

/* The memory of a token that is not NULL, in which a block will now be built. */
#define usl_use(token, site) usl_use_at(token, USL_SITE(site))
static inline usl_value usl_use_at(usl_token token, const char *site)
{
    (void)site;
    USL_COUNT(reused);
#ifdef USL_DEBUG
    usl_debug_reused(token, site);
#endif
    return token;
}

/* Whether the token is memory, in which a block will now be built. */
#define usl_take(token, site) usl_take_at(token, USL_SITE(site))
static inline bool usl_take_at(usl_token token, const char *site)
{
    (void)site;
    if (USL_UNLIKELY(token == NULL))
        return false;
    USL_COUNT(reused);
#ifdef USL_DEBUG
    usl_debug_reused(token, site);
#endif
    return true;
}

/* ---- Closures ------------------------------------------------------------------------------------------------------------
 *
 * A block with code, then captures. Calling a closure consumes it: the code takes the captures out.
 */

typedef void (*usl_code)(void);

struct usl_closure {
    usl_block head;
    usl_code code;
    /* the captures begin here */
};

#define USL_CLOSURE_INIT(function) {USL_HEADER(1, 1, USL_TAG_CLOSURE, 64, USL_STUCK), (usl_code)(function)}
/* The code of a closure as a function with this result and these parameters, the last ones of which are itself and the context. */
#define USL_CALL(result, parameters, closure) ((result(*) parameters)(USL_AS(struct usl_closure, closure)->code))

/* ---- Threads ------------------------------------------------------------------------------------------------------------- */

/* Marks everything reachable from the value as shared between threads, in constant stack. */
void usl_share(usl_value value);

/* How to treat a value of one type in memory: results of threads have any type. */
struct usl_type {
    size_t size;
    void (*dup)(const void *place);
    void (*drop)(const void *place, usl_context *ctx);
    void (*share)(const void *place);
};

extern const struct usl_type usl_unit_type, usl_boxed_type;

/* Starts a thread that calls run(closure, result, ctx), which owns the closure, with a context of its own. run sets
 * ctx->thrown where the function throws. exception: the type of the program's exceptions. Where the system has no threads,
 * runs it at once. */
usl_value usl_spawn(void (*run)(usl_value closure, void *result, usl_context *ctx), usl_value closure,
                    const struct usl_type *type, const struct usl_type *exception, const char *site, usl_context *ctx);
/* Waits for the thread, whose handle it owns, and stores its result; sets ctx->thrown if it ended with an exception. */
void usl_join(usl_value thread, void *result, usl_context *ctx);

/* Mutual exclusion for one reference cell that threads share. */
void usl_lock(const usl_block *cell);
void usl_unlock(const usl_block *cell);

static inline bool usl_is_shared(usl_value block)
{
    return usl_relaxed(&block->count) < 0;
}

/* ---- Strings ------------------------------------------------------------------------------------------------------------- */

/* Immutable bytes in UTF-8, with a zero after the last. */
struct usl_string {
    usl_block head;
    int64_t length;
    char bytes[];
};

/* A string that lives forever: static USL_STRING(name, bytes) = USL_STRING_INIT("text"). */
#define USL_STRING(name, size)   \
    struct {                     \
        usl_block head;          \
        int64_t length;          \
        char bytes[(size) + 1];  \
    } name
#define USL_STRING_INIT(text) {USL_HEADER(0, 0, USL_TAG_STRING, 64, USL_STUCK), (int64_t)sizeof(text) - 1, text}

usl_value usl_string_new(const char *bytes, size_t length, const char *site, usl_context *ctx);
int64_t usl_string_length(usl_value string); /* in bytes */
uint8_t usl_string_get(usl_value string, int64_t at); /* 0 <= at < length */
bool usl_string_equal(usl_value a, usl_value b);
int usl_string_compare(usl_value a, usl_value b); /* by bytes: negative, 0, positive */
/* In quotes, as Python writes it; bytes from 128 on stay as they are. */
usl_value usl_string_quoted(usl_value string, const char *site, usl_context *ctx);
/* Strings are UTF-8. A character is a well-formed sequence of bytes, or a byte that belongs to none; 0 <= at < length. */
usl_value usl_string_at(usl_value string, int64_t at, const char *site, usl_context *ctx); /* the character of that byte */
int64_t usl_string_code(usl_value string, int64_t at); /* its code point; of a byte alone that is none 0xdc00 + byte */
usl_value usl_string_of_code(int64_t code, const char *site, usl_context *ctx);
/* From start to end as Python counts, each moved back to the beginning of its character. */
usl_value usl_string_slice(usl_value string, int64_t start, int64_t end, const char *site, usl_context *ctx);
int64_t usl_string_find(usl_value string, usl_value part, int64_t start); /* the first position from start on, or -1 */
double usl_string_to_f64(usl_value string); /* of a decimal number, inf or nan */
/* With so many digits behind the point, as printf writes it for the format 'f', 'e' or 'g'. */
usl_value usl_string_fixed(double value, int64_t digits, int64_t format, const char *site, usl_context *ctx);
/* The functions below own their arguments. A long string that nobody else holds grows where it is. */
usl_value usl_string_concat(usl_value a, usl_value b, const char *site, usl_context *ctx);
usl_value usl_string_of_int(int64_t value, const char *site, usl_context *ctx);
usl_value usl_string_of_uint(uint64_t value, const char *site, usl_context *ctx);
usl_value usl_string_of_f64(double value, const char *site, usl_context *ctx); /* the shortest text that reads back the same */
usl_value usl_string_of_bool(bool value, const char *site, usl_context *ctx);
void usl_print(usl_value string, usl_context *ctx);

/* ---- Arrays -------------------------------------------------------------------------------------------------------------- */

/* An array of numbers: its elements are laid out as in C. */
struct usl_raw_array {
    usl_block head;
    int64_t length;
    void *elements; /* behind the struct, or elsewhere */
    void *own;      /* if they are elsewhere: what is freed with the block, or NULL if they belong to somebody else */
};

static inline int64_t usl_array_length(usl_value array)
{
    return ((const struct usl_raw_array *)(const void *)array)->length;
}

static inline void *usl_raw_elements(usl_value array)
{
    return ((const struct usl_raw_array *)(const void *)array)->elements;
}

static inline usl_value *usl_boxed_elements(usl_value array)
{
    return ((struct usl_wide *)(void *)array)->fields;
}

/* Uninitialised. Ends the process if there is no memory or the length is negative. */
usl_value usl_raw_array_new(int64_t length, size_t element, const char *site, usl_context *ctx);
/* An array of elements that belong to somebody else, who must keep them until usl_raw_array_return. There are two references, so
 * that nobody writes into them: the caller's, and one that usl_raw_array_return gives up. */
usl_value usl_raw_array_lent(int64_t length, void *elements, const char *site, usl_context *ctx);
/* What is lent is not needed any more, or copied if something still refers to it. Not for arrays that threads share. */
void usl_raw_array_return(usl_value array, size_t element, usl_context *ctx);
/* Each element is the same value, which is owned. */
usl_value usl_boxed_array_new(int64_t length, usl_value value, const char *site, usl_context *ctx);
/* The array itself if it is unique, else a copy; owns its argument. */
usl_value usl_raw_array_own(usl_value array, size_t element, const char *site, usl_context *ctx);
usl_value usl_boxed_array_own(usl_value array, const char *site, usl_context *ctx);
/* The array with one more element, uninitialised, in its own block if it is unique and has room, else in a larger one; owns its
 * argument. Blocks have room for an eighth more at most. */
usl_value usl_raw_array_longer(usl_value array, size_t element, const char *site, usl_context *ctx);
usl_value usl_boxed_array_longer(usl_value array, const char *site, usl_context *ctx);

/* The first elements of an array, in its own block if it is unique; owns its argument. 0 <= length <= that of the array. */
usl_value usl_raw_array_front(usl_value array, int64_t length, size_t element, const char *site, usl_context *ctx);
usl_value usl_boxed_array_front(usl_value array, int64_t length, const char *site, usl_context *ctx);

/* A unique array loses its last place, which refers to nothing any more. */
static inline void usl_array_cut(usl_value array)
{
    ((struct usl_raw_array *)(void *)array)->length--;
}

/* Ends the process with the message unless the array, or a part that lies in it, has as many elements as the extents say. */
void usl_require_length(usl_value array, int rank, const int64_t *extents, const char *message);
void usl_require_part(usl_value array, int64_t first, int64_t count, int rank, const int64_t *extents, const char *message);

/* A procedure has failed: the program asks before it uses the results, and raises. */
static inline void usl_fail(const char *place, const char *why, usl_context *ctx)
{
    ctx->failure = (struct usl_failure){place, why, true};
}

static inline bool usl_failed(usl_context *ctx)
{
    const bool failed = ctx->failure.is_news;
    ctx->failure.is_news = false;
    return failed;
}

/* ---- Numbers: arithmetic that wraps around ----------------------------------------------------------------------------------
 *
 * Computed in an unsigned type that is not narrower than unsigned; converting back to a signed type is defined by every
 * implementation to keep the bits. div and mod round down and need a divisor that is not 0; shifts take the count modulo the width.
 */

#define USL_WRAPPING(name, type, wide, bits)                                                                     \
    static inline type usl_add_##name(type a, type b) { return (type)((wide)a + (wide)b); }                      \
    static inline type usl_sub_##name(type a, type b) { return (type)((wide)a - (wide)b); }                      \
    static inline type usl_mul_##name(type a, type b) { return (type)((wide)a * (wide)b); }                      \
    static inline type usl_neg_##name(type a) { return (type)(0u - (wide)a); }                                   \
    static inline type usl_shl_##name(type a, type b) { return (type)((wide)a << ((wide)b % (bits))); }
#define USL_UNSIGNED(name, type, wide, bits)                                                                     \
    USL_WRAPPING(name, type, wide, bits)                                                                         \
    static inline type usl_div_##name(type a, type b) { return (type)(a / b); }                                  \
    static inline type usl_mod_##name(type a, type b) { return (type)(a % b); }                                  \
    static inline type usl_shr_##name(type a, type b) { return (type)(a >> (b % (bits))); }
#define USL_SIGNED(name, type, wide, bits)                                                                       \
    USL_WRAPPING(name, type, wide, bits)                                                                         \
    static inline type usl_div_##name(type a, type b)                                                            \
    {                                                                                                            \
        if (b == -1)                                                                                             \
            return usl_neg_##name(a);                                                                            \
        return (type)(a / b - (a % b != 0 && (a % b < 0) != (b < 0)));                                           \
    }                                                                                                            \
    static inline type usl_mod_##name(type a, type b)                                                            \
    {                                                                                                            \
        if (b == -1)                                                                                             \
            return 0;                                                                                            \
        return (type)(a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0));                                   \
    }                                                                                                            \
    static inline type usl_shr_##name(type a, type b)                                                            \
    {                                                                                                            \
        const unsigned by = (unsigned)((wide)b % (bits));                                                        \
        return (type)(a < 0 ? ~(~a >> by) : a >> by);                                                            \
    }
USL_SIGNED(i8, int8_t, unsigned, 8u)
USL_SIGNED(i16, int16_t, unsigned, 16u)
USL_SIGNED(i32, int32_t, uint32_t, 32u)
USL_SIGNED(i64, int64_t, uint64_t, 64u)
USL_UNSIGNED(u8, uint8_t, unsigned, 8u)
USL_UNSIGNED(u16, uint16_t, unsigned, 16u)
USL_UNSIGNED(u32, uint32_t, uint32_t, 32u)
USL_UNSIGNED(u64, uint64_t, uint64_t, 64u)

/* ---- From floating point ------------------------------------------------------------------------------------------------------------- */

/* Rounds towards zero; too large saturates, NaN gives 0. */
int64_t usl_f64_to_int(double value, int64_t least, int64_t greatest);

/* `hash` mixed with a number, so that all bits of both tell on all bits of the result (Steele, Lea and Flood 2014, as changed by
 * Stafford: the mixer of SplitMix64). */
static inline uint64_t usl_hash(uint64_t hash, uint64_t value)
{
    uint64_t x = (hash ^ value) + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}
uint64_t usl_hash_f64(uint64_t hash, double value); /* 0.0 and -0.0 are equal */
uint64_t usl_hash_string(uint64_t hash, usl_value string);
uint64_t usl_f64_to_uint(double value, uint64_t greatest);

/* ---- For callers in other languages: the inline functions above as functions --------------------------------------------- */

usl_value usl_make(unsigned scan, unsigned path, unsigned tag, size_t words, usl_context *ctx); /* a block without its fields */
void usl_retain(usl_value value);
void usl_release(usl_value value, usl_context *ctx);
bool usl_has_thrown(const usl_context *ctx);
bool usl_was_out_of_memory(usl_context *ctx); /* and forgets it */
const char *usl_raised_at(const usl_context *ctx); /* "file:line: reason" of the last exception */
const char *usl_raised_why(const usl_context *ctx); /* what a failed procedure said, if this was the reason; else NULL */
usl_value usl_take_exception(usl_context *ctx);
/* An exception on its way, from a function in another language that the program calls; place lives as long as the program. */
void usl_throw(usl_value exception, const char *place, usl_context *ctx);
void usl_set_output(usl_context *ctx, void (*write)(void *user, const char *bytes, size_t count), void *user);

/* From now on a message on stderr comes first when the calling thread's stack, or that of a thread that a program spawns, overflows.
 * What then happens is as before: the process ends, or another handler of SIGSEGV runs. Does nothing where it is not Linux. */
void usl_watch_stack(void);

/* Whether calls of programs that ask for it are to end: those that were compiled with limits raise then. */
extern volatile USL_ATOMIC(bool) usl_interrupt;
void usl_set_interrupt(bool on);
static inline bool usl_is_interrupted(void)
{
    return USL_UNLIKELY(usl_relaxed(&usl_interrupt));
}

/* Ends the process with a message on stderr. */
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
_Noreturn
#endif
USL_COLD void usl_fatal(const char *message);

#endif
