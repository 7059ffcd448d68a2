/* Runs the convolution of one shape against sums in double precision.
 *
 *   driver IMAGES H_IN W_IN IC KH KW OC STRIDE RELU BLOCK
 *
 * IMAGES (N, H_IN, W_IN, IC), weights (KH, KW, IC, OC), packed by BLOCK output channels as the kernel wants them; operands are as
 * driver_operands.h says. A sum of n products, in any order, is off by at most gamma(n) times the sum of magnitudes, gamma(t) =
 * t u / (1 - t u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.1); ReLU adds nothing.
 * Compile with REAL (float), CONV and HEADER defined. */
#define _DEFAULT_SOURCE
#include HEADER
#include "driver_operands.h"

enum { IMAGES, HEIGHT, WIDTH, IC, KH, KW, OC, STRIDE, RELU, BLOCK, SIZES };

static int64_t s[SIZES];

static int64_t weight(int64_t u, int64_t v, int64_t c, int64_t o)
{
    return (((o / s[BLOCK] * s[KH] + u) * s[KW] + v) * s[IC] + c) * s[BLOCK] + o % s[BLOCK];
}

/* Whether channel o of the pixel is off. */
static int off(const struct operand *x, const struct operand *w, REAL y, int64_t image, int64_t row, int64_t column, int64_t o)
{
    double sum = 0, size = 0;
    for (int64_t u = 0; u < s[KH]; u++)
        for (int64_t v = 0; v < s[KW]; v++) {
            const int64_t pixel = (image * s[HEIGHT] + s[STRIDE] * row + u) * s[WIDTH] + s[STRIDE] * column + v;
            for (int64_t c = 0; c < s[IC]; c++) {
                const double product = (double)x->data[pixel * s[IC] + c] * (double)w->data[weight(u, v, c, o)];
                sum += product;
                size += fabs(product);
            }
        }
    const double t = (double)(s[KH] * s[KW] * s[IC]) * 0x1p-24, bound = t / (1 - t) * (1 + 0x1p-10) * size;
    return !(fabs(y - (s[RELU] && sum < 0 ? 0 : sum)) <= bound);
}

int main(int argc, char **argv)
{
    if (argc != SIZES + 1)
        return 2;
    for (int i = 0; i < SIZES; i++)
        s[i] = atoll(argv[i + 1]);
    const int64_t rows = (s[HEIGHT] - s[KH]) / s[STRIDE] + 1, columns = (s[WIDTH] - s[KW]) / s[STRIDE] + 1;
    const int64_t blocks = (s[OC] + s[BLOCK] - 1) / s[BLOCK];
    long long wrong = 0;
    make_slots();
    for (int turn = 0; turn < 4; turn++) { /* other places of operands */
        struct operand x = make(0, s[IMAGES] * s[HEIGHT] * s[WIDTH] * s[IC], 1, 1);
        struct operand w = make(1, blocks * s[KH] * s[KW] * s[IC] * s[BLOCK], 1, 1);
        struct operand y = make(2, s[IMAGES] * rows * columns * s[OC], 1, 1);
        for (int64_t o = s[OC]; o < blocks * s[BLOCK]; o++)
            for (int64_t k = 0; k < s[KH] * s[KW] * s[IC]; k++)
                w.data[weight(0, 0, k, o)] = 0;
        poison_all(&y);
        keep(&x), keep(&w), keep(&y);
        snprintf(what, sizeof what, "operands at %p, %p, %p", (void *)x.data, (void *)w.data, (void *)y.data);
        CONV(s[IMAGES], x.data, w.data, y.data);
        int64_t k = 0;
        for (int64_t image = 0; image < s[IMAGES]; image++)
            for (int64_t row = 0; row < rows; row++)
                for (int64_t column = 0; column < columns; column++)
                    for (int64_t o = 0; o < s[OC]; o++, k++)
                        if (off(&x, &w, y.data[k], image, row, column, o) && wrong++ < 10)
                            printf("wrong: image %lld, pixel (%lld, %lld), channel %lld\n", (long long)image, (long long)row,
                                   (long long)column, (long long)o);
        if (changed(&x) || changed(&w) || changed_beside(&y)) {
            printf("changed beside the result: %s\n", what);
            wrong++;
        }
    }
    printf("%lld wrong\n", wrong);
    return wrong != 0;
}
