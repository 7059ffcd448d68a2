/* CBLAS as USL has it: levels 1, 2 and 3 in single and double precision. The names, arguments and constants are those of
 * the standard's cblas.h, so that either header may be used. */
#ifndef USL_CBLAS_H
#define USL_CBLAS_H
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 } CBLAS_TRANSPOSE;
typedef enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 } CBLAS_DIAG;
typedef enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;
#define CBLAS_ORDER CBLAS_LAYOUT

/* Called with the number (from 1) of the first wrong argument of a routine. The library's own prints it and ends the program. */
void cblas_xerbla(int argument, const char *routine, const char *format, ...);

/* How many threads a product of matrices may have, for the whole process. At first USL_NUM_THREADS of the environment, or one. */
void usl_cblas_set_num_threads(int threads);
int usl_cblas_get_num_threads(void);

double cblas_dsdot(int n, const float *x, int incx, const float *y, int incy);
float cblas_sdsdot(int n, float alpha, const float *x, int incx, const float *y, int incy);
@PROTOTYPES@
#ifdef __cplusplus
}
#endif
#endif
