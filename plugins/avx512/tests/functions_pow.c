/* The worst error of pow on f32, over COUNT random pairs and all pairs of special numbers: program COUNT SEED.
 *
 * pow_f32 is the same procedure as plain C, whose bits must be the same. The reference is computed in double. */
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "functions.h"

int pow_f32(int64_t n, const float *x, const float *z, float *y);

enum { BLOCK = 1 << 12, EVERY = 8 };
static const float SPECIAL[] = {0, 0x1p-149f, 0x1p-127f, 0x1p-126f, 0.5f, 0x1.fffffep-1f, 1, 0x1.000002p0f, 1.5f, 2, 2.5f, 3, 4, 0x1.fffffep22f,
    0x1p23f, 0x1.fffffep23f, 0x1p24f, 0x1p25f, 0x1p127f, 0x1.fffffep127f, INFINITY, NAN, 10, 0x1p-24f, 149, 150, 127.5f, 88};
enum { SPECIALS = 2 * sizeof SPECIAL / sizeof *SPECIAL };

static uint64_t state;

static uint32_t next(void)
{
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(z >> 32);
}

static float special(uint32_t i)
{
    const float v = SPECIAL[i / 2 % (SPECIALS / 2)];
    return i % 2 ? -v : v;
}

/* Any bits, or such that the result is likely to be in range: x near 1 and a large z, or a moderate z. */
static void pair(float *x, float *z)
{
    const uint32_t how = next();
    uint32_t a = next(), b = next();
    memcpy(x, &a, 4);
    memcpy(z, &b, 4);
    if (how % 8 == 0)
        return;
    if (how % 8 == 1)
        *x = special(a);
    if (how % 8 == 2)
        *z = special(b);
    if (how % 8 > 2)
        a &= 0x7fffffff, memcpy(x, &a, 4);
    if (how % 8 == 3)
        *x = 1 + ((float)a - 0x1p30f) * 0x1p-34f;
    if (how % 8 > 3 || how % 8 == 1) {
        const double least = log2(fabs((double)*x));
        *z = (float)(((double)b * 0x1p-31 - 1) * 155 / (least == 0 ? 1 : least));
    }
    if (how % 8 == 4)
        *z = rintf(*z), *x = next() & 1 ? -*x : *x;
}

static double error(float got, double want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : 1e9;
    if (!signbit(got) != !signbit(want))
        return 1e9;
    if (isinf(want) || isinf(got))
        return isinf(got) && fabs(want) >= 0x1.ffffffp127 ? 0 : 1e9;
    const int exponent = ilogb(want == 0 ? 0x1p-149 : want);
    return fabs(got - want) * ldexp(1, exponent < -126 ? 149 : 23 - exponent);
}

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
    state = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
    static float x[BLOCK], z[BLOCK], y[BLOCK], plain[BLOCK];
    double worst = 0;
    uint64_t wrong = 0, differ = 0, at = 0;
    float worst_x = 0, worst_z = 0;
    for (uint64_t begin = 0; begin < count; begin += BLOCK) {
        for (int i = 0; i < BLOCK; i++, at++)
            if (at < SPECIALS * SPECIALS)
                x[i] = special((uint32_t)(at / SPECIALS)), z[i] = special((uint32_t)(at % SPECIALS));
            else
                pair(x + i, z + i);
        for (int i = 0; i < BLOCK; i += 16)
            _mm512_storeu_ps(y + i, usl_avx512_pow_ps(_mm512_loadu_ps(x + i), _mm512_loadu_ps(z + i)));
        if (begin / BLOCK % EVERY == 0) {
            pow_f32(BLOCK, x, z, plain);
            for (int i = 0; i < BLOCK; i++)
                differ += memcmp(y + i, plain + i, 4) != 0 && !(isnan(y[i]) && isnan(plain[i]));
        }
        for (int i = 0; i < BLOCK; i++) {
            const double e = error(y[i], pow((double)x[i], (double)z[i]));
            if (e >= 1e9 && wrong++ < 8)
                printf("wrong: %a to the power %a gives %a\n", (double)x[i], (double)z[i], (double)y[i]);
            if (e > worst)
                worst = e, worst_x = x[i], worst_z = z[i];
        }
    }
    printf("%llu pairs, worst %.4f at %a, %a; %llu differ from plain C\n", (unsigned long long)at, worst, (double)worst_x, (double)worst_z,
           (unsigned long long)differ);
    return worst > LIMIT || differ > 0;
}
