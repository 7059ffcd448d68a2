
/* ---- CBLAS: what its routines do with a wrong argument */

#include <stdio.h>
#include <stdlib.h>

extern int RowMajorStrg;
extern _Atomic int usl_cblas_threads;
int usl_cblas_get_num_threads(void);
void cblas_xerbla(int argument, const char *routine, const char *format, ...);

/* Say that an argument is bad. The reference implementation counts arguments of row-major calls as those of the column-major call
 * that it makes of them, says so with RowMajorStrg, and has cblas_xerbla count back: programs that bring one of their own do so. */
static void usl_bad(bool rows, int one, int other, int argument, const char *routine)
{
    RowMajorStrg = rows;
    cblas_xerbla(!rows ? argument : argument == one ? other : argument == other ? one : argument, routine, "");
    RowMajorStrg = 0;
}

static void usl_no_memory(const char *routine)
{
    fprintf(stderr, "%s: no memory for a copy\n", routine);
    abort();
}

#define USL_LAYOUT(layout) ((layout) == 101 || (layout) == 102)
#define USL_REFUSE(argument, routine) \
    do { \
        usl_bad(false, 0, 0, argument, routine); \
        return; \
    } while (0)
