/* The worst error of a function on f32, over every STEP-th bit pattern: -DNAME=exp -DREFERENCE='F(exp)(x)' -DSTEP=1.
 *
 * PLAIN is the same procedure as plain C, whose bits must be the same: it is slow, and tried on every 8th block. The
 * reference is computed in double: its own error is at most 2^-26 of a place. */
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "functions.h"

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define VECTOR JOIN(usl_avx512_, NAME, _ps)
#define PLAIN JOIN(NAME, _f32, )

int PLAIN(int64_t n, const float *x, float *y);

#define V(name) JOIN(_ZGVeN8v_, name, )
#define DECLARE(name) __m512d V(name)(__m512d);
DECLARE(exp) DECLARE(exp2) DECLARE(expm1) DECLARE(log) DECLARE(log2) DECLARE(log1p) DECLARE(sin) DECLARE(cos) DECLARE(tan)
DECLARE(tanh) DECLARE(erf) DECLARE(cbrt)
#define _ZGVeN8v_sqrt _mm512_sqrt_pd

#define F(name) name
static double reference(double x)
{
    return REFERENCE;
}

#undef F
#define F(name) V(name)
static __m512d vector_reference(__m512d x)
{
    return REFERENCE;
}

/* In units of the last place of the reference; 1e9 for what is no error but a mistake. */
static double error(float got, double want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : 1e9;
    if (isinf(want))
        return got == want ? 0 : 1e9;
    if (got == 0 || want == 0)
        if (!signbit(got) != !signbit(want))
            return 1e9;
    int exponent;
    frexp(want, &exponent);
    const double place = ldexp(1, want == 0 || exponent < -125 ? -149 : (exponent > 128 ? 128 : exponent) - 24);
    if (isinf(got))
        return !signbit(got) != !signbit(want) ? 1e9 : fabs(want) >= 0x1.ffffffp127 ? 0 : fabs(0x1p128 - fabs(want)) / place;
    return fabs(got - want) / place;
}

enum { BLOCK = 1 << 14, EVERY = 8 };

/* Whether an element is sure to be within LIMIT, and how far off it is, by libmvec's function: 4 places of double off at most.
 * What is special, or farther off, is left to error(). */
static int sure(float got, double want, double *off)
{
    const double size = fabs(want);
    uint64_t bits;
    memcpy(&bits, &size, 8);
    const uint64_t least = (uint64_t)(1023 - 126) << 52;
    bits &= (uint64_t)2047 << 52;
    bits = ((uint64_t)2046 << 52) - (bits < least ? least : bits) + ((uint64_t)23 << 52);
    double per_place;
    memcpy(&per_place, &bits, 8);
    const double e = fabs((double)got - want) * per_place;
    *off = e;
    return (e <= LIMIT) & (size >= 0x1p-149) & (size < 0x1p127) & (got != 0);
}

int main(int argc, char **argv)
{
    const uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 0) : 0, to = argc > 2 ? strtoull(argv[2], NULL, 0) : 1ull << 32;
    static float x[BLOCK], y[BLOCK], plain[BLOCK];
    static double want[BLOCK], off[BLOCK];
    double worst = 0;
    float at = 0, differs_at = 0;
    uint64_t count = 0, differ = 0, wrong = 0;
    for (uint64_t begin = from; begin < to; begin += (uint64_t)STEP * BLOCK) {
        for (int i = 0; i < BLOCK; i++) {
            const uint32_t bits = (uint32_t)(begin + (uint64_t)STEP * (uint64_t)i);
            memcpy(x + i, &bits, 4);
        }
        for (int i = 0; i < BLOCK; i += 16)
            _mm512_storeu_ps(y + i, VECTOR(_mm512_loadu_ps(x + i)));
        const int compared = count / BLOCK % EVERY == 0;
        if (compared)
            PLAIN(BLOCK, x, plain);
        for (int i = 0; i < BLOCK; i += 8)
            _mm512_storeu_pd(want + i, vector_reference(_mm512_cvtps_pd(_mm256_loadu_ps(x + i))));
        double most = 0;
        int doubtful = 0, same = !compared || memcmp(y, plain, sizeof y) == 0;
        for (int i = 0; i < BLOCK; i++) {
            const int fine = sure(y[i], want[i], off + i);
            most = fine && off[i] > most ? off[i] : most;
            doubtful |= !fine;
        }
        if (same && !doubtful && most <= worst) {
            count += BLOCK;
            continue;
        }
        for (int i = 0; i < BLOCK; i++) {
            if (!same && memcmp(y + i, plain + i, 4) != 0 && !(isnan(y[i]) && isnan(plain[i]))) {
                differ++;
                differs_at = x[i];
            }
            double e;
            if (sure(y[i], want[i], &e) ? e <= worst : isnan(x[i]) && isnan(y[i]))
                continue;
            e = error(y[i], reference((double)x[i]));
            if (e >= 1e9 && wrong++ < 8)
                printf("wrong: %a gives %a\n", (double)x[i], (double)y[i]);
            if (e > worst) {
                worst = e;
                at = x[i];
            }
        }
        count += BLOCK;
    }
    printf("%llu inputs, worst %.4f at %a", (unsigned long long)count, worst, (double)at);
    if (differ > 0)
        printf(", %llu differ from plain C, as at %a", (unsigned long long)differ, (double)differs_at);
    printf("\n");
    return worst > LIMIT || differ > 0;
}
