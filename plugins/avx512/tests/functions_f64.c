/* The worst error of a function on f64, over COUNT random arguments: program COUNT SEED.
 *
 * PLAIN is the same procedure as plain C, whose bits must be the same: it is tried on every 8th block. The reference is the C
 * library's in long double: its own error is less than 0.001 of a place. */
#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "functions.h"

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define VECTOR JOIN(usl_avx512_, NAME, _pd)
#define PLAIN JOIN(NAME, _f64, )

#ifdef TWO
int PLAIN(int64_t n, const double *x, const double *z, double *y);
#define OPERANDS(x, z, i) _mm512_loadu_pd(x + i), _mm512_loadu_pd(z + i)
#define ARRAYS x, z
#else
int PLAIN(int64_t n, const double *x, double *y);
#define OPERANDS(x, z, i) _mm512_loadu_pd(x + i)
#define ARRAYS x
#endif

#define F(name) name##l
static long double reference(long double x, long double z)
{
    return REFERENCE;
}

/* In units of the last place of the reference; 1e9 for what is no error but a mistake. */
static double error(double got, long double want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : 1e9;
    if ((got == 0 || want == 0) && !signbit(got) != !signbit(want))
        return 1e9;
    if (isinf(want) || isinf(got))
        return isinf(got) && !signbit(got) == !signbit(want) && fabsl(want) > 0x1.fffffffffffff4p1023L ? 0 : 1e9;
    int exponent;
    frexpl(want, &exponent);
    return (double)ldexpl(fabsl(got - want), want == 0 || exponent < -1021 ? 1074 : 53 - exponent);
}

enum { BLOCK = 1 << 12, EVERY = 8 };
static const double SPECIAL[] = {0, 0x1p-1074, 0x1p-1023, 0x1p-1022, 0x1p-54, 0.5, 0x1.fffffffffffffp-1, 1, 0x1.0000000000001p0, 1.5, 2, 3,
    709.78, 745.13, 710, 1023, 1024, 1074, 1075, 0x1p52, 0x1.fffffffffffffp52, 0x1p53, 0x1p54, 0x1p1023, DBL_MAX, INFINITY, NAN, 22,
    0x1p20, 0x1.fffffffffffffp19, 0.3125, 0x1.3ffffffffffffp-2, 0x1.4000000000001p-2, 0.6875, 0x1.6000000000001p-1, 5.93, 0x1.7b851eb851eb9p2, 5.9375};
enum { SPECIALS = 2 * sizeof SPECIAL / sizeof *SPECIAL };

static uint64_t state;

static uint64_t next(void)
{
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Any bits, or evenly spread over an interval: where the function is hard, or where it overflows. */
static double argument(void)
{
    static const double sizes[] = {1, 2, 4, 30, 720, 1e6};
    const uint64_t how = next() % 8, bits = next();
    double x;
    memcpy(&x, &bits, 8);
    if (how >= 2)
        x = ((double)(int64_t)bits * 0x1p-63) * sizes[how - 2];
    return x;
}

static double special(uint64_t i)
{
    const double v = SPECIAL[i / 2 % (SPECIALS / 2)];
    return i % 2 ? -v : v;
}

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
    state = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
    static double x[BLOCK], z[BLOCK], y[BLOCK], plain[BLOCK];
    double worst = 0, worst_x = 0, worst_z = 0;
    uint64_t wrong = 0, differ = 0, at = 0;
    for (uint64_t begin = 0; begin < count; begin += BLOCK) {
        for (int i = 0; i < BLOCK; i++, at++) {
            x[i] = at < SPECIALS * SPECIALS ? special(at / SPECIALS) : argument();
            z[i] = at < SPECIALS * SPECIALS ? special(at % SPECIALS) : argument();
#ifdef TWO
            if (at >= SPECIALS * SPECIALS && next() % 4) {
                x[i] = fabs(x[i]);
                const double least = log2(x[i]);
                z[i] = ((double)(int64_t)next() * 0x1p-63) * 1080 / (least == 0 ? 1 : least);
            }
            if (next() % 8 == 0)
                z[i] = rint(z[i]);
#endif
        }
        for (int i = 0; i < BLOCK; i += 8)
            _mm512_storeu_pd(y + i, VECTOR(OPERANDS(x, z, i)));
        if (begin / BLOCK % EVERY == 0) {
            PLAIN(BLOCK, ARRAYS, plain);
            for (int i = 0; i < BLOCK; i++)
                differ += memcmp(y + i, plain + i, 8) != 0 && !(isnan(y[i]) && isnan(plain[i]));
        }
        for (int i = 0; i < BLOCK; i++) {
            const double e = error(y[i], reference((long double)x[i], (long double)z[i]));
            if (e >= 1e9 && wrong++ < 8)
                printf("wrong: %a (%a) gives %a\n", x[i], z[i], y[i]);
            if (e > worst)
                worst = e, worst_x = x[i], worst_z = z[i];
        }
    }
    printf("%llu inputs, worst %.4f at %a (%a); %llu differ from plain C\n", (unsigned long long)at, worst, worst_x, worst_z,
           (unsigned long long)differ);
    return worst > LIMIT || differ > 0;
}
