/* The timing loop of bench.versus: contestants take turns on one thread, all called through one kind of pointer. */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stddef.h>
#include <time.h>

typedef void (*usl_work)(void *);

static double now(void)
{
    struct timespec t;
#ifdef VERSUS_WALL /* contestants that use several threads */
    clock_gettime(CLOCK_MONOTONIC, &t);
#else
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
#endif
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one call: the mean of `repeats` calls of work, on states[0], states[1], ..., states[count - 1], states[0], ... */
double versus_sample(usl_work work, void **states, int64_t count, int64_t repeats)
{
    const double begin = now();
    for (int64_t r = 0, s = 0; r < repeats; r++) {
        work(states[s]);
        s = s + 1 < count ? s + 1 : 0;
    }
    return (now() - begin) / (double)repeats;
}

/* Rounds in which each of `sides` contestants is sampled once; the one that begins moves on by one from round to round.
 * seconds[round * sides + side] gets the samples; states of contestant s start at states[s * count]. */
void versus_rounds(int64_t sides, usl_work *works, void **states, int64_t count, const int64_t *repeats, int64_t rounds, double *seconds)
{
    for (int64_t round = 0; round < rounds; round++)
        for (int64_t turn = 0; turn < sides; turn++) {
            const int64_t side = (round + turn) % sides;
            versus_sample(works[side], states + side * count, count, repeats[side] / 4 + 1); /* its caches and predictors again */
            seconds[round * sides + side] = versus_sample(works[side], states + side * count, count, repeats[side]);
        }
}

/* The sum of n doubles, read as fast as memory gives them: eight streams of vectors, so that misses overlap. */
typedef double vector __attribute__((vector_size(64)));
double versus_read(const double *x, int64_t n)
{
    vector sum[8] = {{0}};
    const vector *v = (const vector *)x;
    const int64_t part = n / 64;
    for (int64_t i = 0; i < part; i++)
        for (int s = 0; s < 8; s++)
            sum[s] += v[s * part + i];
    double total = 0.0;
    for (int s = 0; s < 8; s++)
        for (int l = 0; l < 8; l++)
            total += sum[s][l];
    return total;
}
