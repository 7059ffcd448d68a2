
/* ---- threads: teams of workers that take pieces of a call's work, beside the thread that calls */

#if !defined(USL_ONE_THREAD) && !defined(__STDC_NO_ATOMICS__) && (defined(__unix__) || defined(__APPLE__))
#define USL_THREADS 1
#else
#define USL_THREADS 0 /* no POSIX threads: who calls does all */
#endif

typedef int usl_piece_of_work(const void *work, int64_t piece); /* not 0: it failed */

static int usl_alone(int64_t pieces, usl_piece_of_work *run, const void *work)
{
    bool failed = false;
    for (int64_t i = 0; i < pieces; i++)
        failed |= run(work, i) != 0;
    return failed ? -1 : 0;
}

#if USL_THREADS
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum {
    USL_TEAMS = 16,          /* so many calls at a time have helpers; further ones run alone */
    USL_WORKERS = 255,       /* of a team at most */
    USL_SPINS = 2000,        /* looks before a thread sleeps: about 30 us on Zen 4, where a wake-up takes as long; */
    USL_TURN = 50,           /* after so many, a worker lets others have its processor */
    USL_STACK = 8 << 20,     /* bytes of a worker's stack; kernels keep copies of blocks on theirs */
    USL_PLACE = 1 << 16,     /* `state` of a team: workers that are inside, places times this for further ones, */
    USL_INSIDE = USL_PLACE - 1,
};
#define USL_AWAITED (1u << 31) /* and whether the caller sleeps until all have left. */

struct usl_team {
    atomic_bool taken;       /* by a call */
    atomic_uint calls;       /* changes with each call; workers wait for that */
    atomic_uint sleepers;    /* workers that no longer look but sleep until `posted` */
    atomic_uint state;       /* see above */
    _Atomic int64_t next[USL_WORKERS + 1]; /* of each one's share, the caller's first: the first piece that nobody has begun */
    int64_t pieces, shares;
    usl_piece_of_work *run;
    const void *work;
    atomic_bool failed;
    unsigned settings;       /* the caller's of floating-point arithmetic */
    atomic_uint exceptions;  /* flags that workers raised */
    unsigned workers;        /* threads that have been made: */
    pthread_t threads[USL_WORKERS];
#ifdef CPU_COUNT
    cpu_set_t processors;    /* where they may run */
#endif
    pthread_mutex_t mutex;
    pthread_cond_t posted, left;
};

static struct usl_team usl_teams[USL_TEAMS];
static atomic_int usl_at_work; /* threads of all calls that are shared now */
static int usl_quota = USL_WORKERS; /* processors that a control group may use the time of */
static pthread_once_t usl_once = PTHREAD_ONCE_INIT;

static inline void usl_pause(void)
{
#ifdef __SSE__
    _mm_pause();
#endif
}

/* The pieces of one's own share, then what is left of others'. Shares are the same from call to call, for what caches have. */
static void usl_pieces_left(struct usl_team *team, int64_t own)
{
    for (int64_t i = 0; i < team->shares; i++) {
        const int64_t share = (own + i) % team->shares, end = (share + 1) * team->pieces / team->shares;
        for (int64_t piece; (piece = atomic_fetch_add_explicit(&team->next[share], 1, memory_order_relaxed)) < end;)
            if (team->run(team->work, piece) != 0)
                atomic_store_explicit(&team->failed, true, memory_order_relaxed);
    }
}

/* The share of this worker if there is a place for it, else 0. A call never waits for a worker that did not come in before the call
 * ran out of pieces. */
static int64_t usl_enter(struct usl_team *team)
{
    unsigned state = atomic_load_explicit(&team->state, memory_order_relaxed);
    while (state >= USL_PLACE && !(state & USL_AWAITED))
        if (atomic_compare_exchange_weak_explicit(&team->state, &state, state + 1 - USL_PLACE, memory_order_acquire, memory_order_relaxed))
            return state / USL_PLACE;
    return 0;
}

static void usl_leave(struct usl_team *team)
{
    if (atomic_fetch_sub_explicit(&team->state, 1, memory_order_release) != (USL_AWAITED | 1))
        return;
    pthread_mutex_lock(&team->mutex);
    pthread_cond_signal(&team->left);
    pthread_mutex_unlock(&team->mutex);
}

/* Until there was another call than the one that was seen: look for a while, then sleep. Who looks without letting others have the
 * processor has used up its time when there is work, is interrupted in the middle of a piece, and the call waits for that. */
static void usl_await_call(struct usl_team *team, unsigned seen)
{
    for (int i = 0; i < USL_SPINS; i++) {
        if (atomic_load_explicit(&team->calls, memory_order_relaxed) != seen)
            return;
        if (i % USL_TURN == 0)
            sched_yield();
        usl_pause();
    }
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&team->sleepers, 1);
    while (atomic_load(&team->calls) == seen)
        pthread_cond_wait(&team->posted, &team->mutex);
    atomic_fetch_sub(&team->sleepers, 1);
    pthread_mutex_unlock(&team->mutex);
}

static void *usl_worker(void *given)
{
    struct usl_team *team = given;
    for (;;) {
        const unsigned seen = atomic_load(&team->calls);
        const int64_t share = usl_enter(team);
        if (share > 0) {
#ifdef __SSE__
            _mm_setcsr(team->settings);
#endif
            usl_pieces_left(team, share);
#ifdef __SSE__
            atomic_fetch_or_explicit(&team->exceptions, _mm_getcsr() & _MM_EXCEPT_MASK, memory_order_relaxed);
#endif
            usl_leave(team);
        }
        usl_await_call(team, seen);
    }
    return NULL;
}

/* Workers may run where this thread may, wherever the one that made them may. */
static void usl_follow(struct usl_team *team)
{
#ifdef CPU_COUNT
    cpu_set_t now;
    if (sched_getaffinity(0, sizeof now, &now) != 0 || CPU_EQUAL(&now, &team->processors))
        return;
    for (unsigned i = 0; i < team->workers; i++)
        pthread_setaffinity_np(team->threads[i], sizeof now, &now);
    team->processors = now;
#else
    (void)team;
#endif
}

/* Let a team have so many workers, if there can be. How many it has. They take no signals but those of their own instructions, for
 * which a program may have handlers. */
static unsigned usl_engage(struct usl_team *team, unsigned wanted)
{
    usl_follow(team);
    if (team->workers >= wanted)
        return team->workers;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return team->workers;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, USL_STACK);
    sigset_t all, before;
    sigfillset(&all);
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (team->workers < wanted && pthread_create(&team->threads[team->workers], &attributes, usl_worker, team) == 0)
        team->workers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return team->workers;
}

/* Nobody works and nobody is there: at the beginning, and in a child after fork, which has none of its parent's workers. */
static void usl_dismiss(void)
{
    for (int i = 0; i < USL_TEAMS; i++) {
        struct usl_team *team = &usl_teams[i];
        memset(team, 0, sizeof *team);
        pthread_mutex_init(&team->mutex, NULL);
        pthread_cond_init(&team->posted, NULL);
        pthread_cond_init(&team->left, NULL);
    }
    atomic_store(&usl_at_work, 0);
}

#ifndef USL_GROUPS /* else for tests */
#define USL_GROUPS "/sys/fs/cgroup"
#define USL_OWN_GROUP "/proc/self/cgroup"
#endif

/* How many processors the control group of this process (version 2) and those that it is in may use the time of, rounded up. */
static int usl_quota_of_group(void)
{
    int least = USL_WORKERS;
    char group[512] = "", path[600];
    FILE *own = fopen(USL_OWN_GROUP, "re");
    if (own != NULL && fscanf(own, "0::%511s", group) != 1)
        group[0] = 0;
    if (own != NULL)
        fclose(own);
    for (char *end = group + strlen(group); end != NULL; end = strrchr(group, '/')) {
        long long quota, period;
        *end = 0;
        snprintf(path, sizeof path, "%s%s/cpu.max", USL_GROUPS, group);
        FILE *limit = fopen(path, "re");
        if (limit != NULL && fscanf(limit, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0 && quota <= (least - 1) * period)
            least = (int)((quota + period - 1) / period);
        if (limit != NULL)
            fclose(limit);
    }
    return least;
}

static void usl_begin(void)
{
    usl_dismiss();
    pthread_atfork(NULL, NULL, usl_dismiss);
    usl_quota = usl_quota_of_group();
}

/* The first number in a variable of the environment, if it is one from 1 on; else 0. */
static int usl_number(const char *variable)
{
    const char *text = getenv(variable);
    const long found = text == NULL ? 0 : strtol(text, NULL, 10);
    return found < 1 ? 0 : found > USL_WORKERS ? USL_WORKERS : (int)found;
}

/* How many processors this thread may run on. */
static int usl_processors(void)
{
#ifdef USL_PROCESSORS /* for tests on machines that have fewer */
    return USL_PROCESSORS;
#endif
#ifdef CPU_COUNT
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0)
        return CPU_COUNT(&processors);
#endif
    const long found = sysconf(_SC_NPROCESSORS_ONLN);
    return found < 1 ? 1 : found > USL_WORKERS ? USL_WORKERS : (int)found;
}

/* How many threads a call may have that says no number. */
static int usl_usual_threads(void)
{
    const int own = usl_number("USL_NUM_THREADS"), general = own > 0 ? own : usl_number("OMP_NUM_THREADS");
    return general > 0 ? general : usl_processors();
}

#ifdef __ELF__
extern int omp_in_parallel(void) __attribute__((weak));
#endif

/* How many of the threads that are asked for a call gets, with the caller's own: all calls together have no more than there are
 * processors, and one within a parallel loop of OpenMP has its own alone. */
static int usl_granted(int threads)
{
#ifdef __ELF__
    if (omp_in_parallel != NULL && omp_in_parallel())
        return 1;
#endif
    pthread_once(&usl_once, usl_begin);
    const int there = usl_processors();
    const int idle = (there < usl_quota ? there : usl_quota) - atomic_load_explicit(&usl_at_work, memory_order_relaxed);
    const int granted = threads < idle ? threads : idle;
    return granted < 1 ? 1 : granted > USL_WORKERS ? USL_WORKERS : granted;
}

static struct usl_team *usl_take(void)
{
    for (int i = 0; i < USL_TEAMS; i++)
        if (!atomic_exchange_explicit(&usl_teams[i].taken, true, memory_order_acquire))
            return &usl_teams[i];
    return NULL;
}

/* Call the workers of a team, do pieces like them, and wait until those who came have left: look for a while, then sleep, so that
 * a worker whose processor does something else may have this one. */
static void usl_lead(struct usl_team *team, unsigned helpers)
{
    atomic_store_explicit(&team->state, helpers * USL_PLACE, memory_order_release);
    atomic_fetch_add(&team->calls, 1);
    if (atomic_load(&team->sleepers) > 0) /* without the mutex: who just falls asleep misses this call, which goes on without it */
        for (unsigned i = 0; i < helpers; i++)
            pthread_cond_signal(&team->posted);
    usl_pieces_left(team, 0);
    atomic_fetch_and_explicit(&team->state, USL_INSIDE, memory_order_relaxed);
    for (int i = 0; atomic_load_explicit(&team->state, memory_order_acquire) != 0; i++) {
        if (i < USL_SPINS) {
            usl_pause();
            continue;
        }
        pthread_mutex_lock(&team->mutex);
        atomic_fetch_or(&team->state, USL_AWAITED);
        while ((atomic_load_explicit(&team->state, memory_order_acquire) & USL_INSIDE) != 0)
            pthread_cond_wait(&team->left, &team->mutex);
        atomic_store_explicit(&team->state, 0, memory_order_relaxed);
        pthread_mutex_unlock(&team->mutex);
    }
}

/* run(work, i) for each i below pieces, on at most so many threads, this one among them; -1 if one failed. Which thread does which
 * piece nobody knows; all have been done on return. */
static int usl_share(int threads, int64_t pieces, usl_piece_of_work *run, const void *work)
{
    struct usl_team *team = threads > 1 && pieces > 1 ? usl_take() : NULL;
    if (team == NULL)
        return usl_alone(pieces, run, work);
    int cancelled; /* not before workers have left what the caller may give back */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
    const int64_t useful = pieces < threads ? pieces : threads;
    unsigned helpers = (unsigned)useful - 1;
    const unsigned there = usl_engage(team, helpers);
    helpers = helpers < there ? helpers : there;
    team->run = run;
    team->work = work;
    team->pieces = pieces;
#ifdef __SSE__
    team->settings = _mm_getcsr();
#endif
    atomic_store_explicit(&team->exceptions, 0, memory_order_relaxed);
    team->shares = (int64_t)helpers + 1;
    for (int64_t i = 0; i < team->shares; i++)
        atomic_store_explicit(&team->next[i], i * pieces / team->shares, memory_order_relaxed);
    atomic_store_explicit(&team->failed, false, memory_order_relaxed);
    atomic_fetch_add_explicit(&usl_at_work, (int)useful, memory_order_relaxed);
    usl_lead(team, helpers);
    atomic_fetch_sub_explicit(&usl_at_work, (int)useful, memory_order_relaxed);
    const bool failed = atomic_load_explicit(&team->failed, memory_order_relaxed);
#ifdef __SSE__
    _mm_setcsr(_mm_getcsr() | atomic_load_explicit(&team->exceptions, memory_order_relaxed));
#endif
    atomic_store_explicit(&team->taken, false, memory_order_release);
    pthread_setcancelstate(cancelled, NULL);
    return failed ? -1 : 0;
}

#else

static int usl_usual_threads(void)
{
    return 1;
}

static int usl_granted(int threads)
{
    (void)threads;
    return 1;
}

static int usl_share(int threads, int64_t pieces, usl_piece_of_work *run, const void *work)
{
    (void)threads;
    return usl_alone(pieces, run, work);
}
#endif
