/* CBLAS: what both precisions share. A program may define cblas_xerbla itself. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cblas.h"

/* Whether the arguments that cblas_xerbla counts are those of the column-major call that stands for a row-major one. */
int RowMajorStrg = 0;

/* Threads of a product: 0 until somebody asks. */
_Atomic int usl_cblas_threads = 0;

void usl_cblas_set_num_threads(int threads)
{
    usl_cblas_threads = threads < 1 ? 1 : threads;
}

int usl_cblas_get_num_threads(void)
{
    if (usl_cblas_threads == 0) {
        const char *text = getenv("USL_NUM_THREADS");
        const long found = text == NULL ? 1 : strtol(text, NULL, 10);
        usl_cblas_set_num_threads(found < 1 || found > 4096 ? 1 : (int)found);
    }
    return usl_cblas_threads;
}

/* The arguments of a routine that change places then. */
static const struct {
    const char *part;
    int one, other;
} usl_places[] = {{"gemm", 4, 5}, {"gemm", 9, 11}, {"symm", 4, 5}, {"trmm", 6, 7}, {"trsm", 6, 7}, {"gemv", 3, 4}, {"gbmv", 3, 4}, {"gbmv", 5, 6}, {"ger", 2, 3}, {"ger", 6, 8}};

#if defined(__GNUC__)
__attribute__((weak))
#endif
void cblas_xerbla(int argument, const char *routine, const char *format, ...)
{
    for (size_t i = 0; RowMajorStrg && i < sizeof usl_places / sizeof *usl_places; i++)
        if (strstr(routine, usl_places[i].part) != NULL && (argument == usl_places[i].one || argument == usl_places[i].other)) {
            argument = usl_places[i].one + usl_places[i].other - argument;
            break;
        }
    fprintf(stderr, "%s: argument %d is wrong\n", routine, argument);
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    exit(EXIT_FAILURE);
}

/* The sum of products in double precision, in four parts. */
double cblas_dsdot(int n, const float *x, int incx, const float *y, int incy)
{
    const float *a = incx < 0 ? x + (ptrdiff_t)(1 - n) * incx : x, *b = incy < 0 ? y + (ptrdiff_t)(1 - n) * incy : y;
    double sums[4] = {0, 0, 0, 0};
    for (ptrdiff_t i = 0; i < n; i++)
        sums[i % 4] += (double)a[i * incx] * b[i * incy];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

float cblas_sdsdot(int n, float alpha, const float *x, int incx, const float *y, int incy)
{
    return (float)(alpha + cblas_dsdot(n, x, incx, y, incy));
}
