/* Operands for blas_driver.c and conv_driver.c, which define REAL: arrays that begin or end at memory that cannot be accessed.
 *
 * What is beside an operand and between its elements is poison, NaN or infinity, which must not change and shows in a result
 * that it gets into. */
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 3, BESIDE = 32 };

static const size_t room = (size_t)1 << 27; /* bytes of a slot; only what is used takes memory */
static char *slots[SLOTS];
static REAL *copies[SLOTS];
static REAL poison = NAN;
static char what[200] = "nothing"; /* the case that runs, for messages */
static uint64_t seed = 88172645463325252u;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static int64_t below(int64_t n)
{
    return (int64_t)(next() % (uint64_t)n);
}

static REAL random_element(void)
{
    return (REAL)((double)(int64_t)(next() >> 11) * 0x1p-52 - 1);
}

/* rows x columns elements: (i, j) is at data + origin + i step + j. A vector has one column, and may have a negative step. */
struct operand {
    REAL *data;
    int64_t rows, columns, step, origin;
    REAL *whole, *old; /* with what is beside it: now and as it was */
    size_t count;
};

static REAL *at(const struct operand *x, int64_t i, int64_t j)
{
    return x->data + x->origin + i * x->step + j;
}

static void crashed(int number)
{
    static const char text[] = "access outside: ";
    (void)!write(1, text, sizeof text - 1);
    (void)!write(1, what, strlen(what));
    (void)!write(1, "\n", 1);
    signal(number, SIG_DFL);
    raise(number);
}

static void make_slots(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int slot = 0; slot < SLOTS; slot++) {
        char *memory = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED || mprotect(memory + page, room, PROT_READ | PROT_WRITE) != 0) {
            perror("no memory");
            exit(2);
        }
        slots[slot] = memory + page;
        copies[slot] = malloc(room);
        if (copies[slot] == NULL)
            exit(2);
    }
    signal(SIGSEGV, crashed);
    signal(SIGBUS, crashed);
}

/* An operand of random elements in a slot, at the slot's end or a few elements after its start. */
static struct operand make(int slot, int64_t rows, int64_t columns, int64_t step)
{
    const int64_t apart = step < 0 ? -step : step;
    const size_t extent = rows > 0 && columns > 0 ? (size_t)((rows - 1) * apart + columns) : 0;
    struct operand x = {NULL, rows, columns, step, step < 0 && rows > 0 ? (1 - rows) * step : 0, NULL, copies[slot], 0};
    if ((extent + 2 * BESIDE) * sizeof(REAL) > room)
        exit(2);
    if (next() % 2 != 0) {
        const size_t before = next() % 16;
        x.whole = (REAL *)slots[slot];
        x.data = x.whole + before;
        x.count = before + extent + BESIDE;
    } else {
        x.count = extent + BESIDE;
        x.whole = (REAL *)(slots[slot] + room) - x.count;
        x.data = x.whole + BESIDE;
    }
    for (size_t k = 0; k < x.count; k++)
        x.whole[k] = poison;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            *at(&x, i, j) = random_element();
    return x;
}

static void poison_all(struct operand *x)
{
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t j = 0; j < x->columns; j++)
            *at(x, i, j) = poison;
}

/* Remember what an operand is, with what is beside it. */
static void keep(struct operand *x)
{
    memcpy(x->old, x->whole, x->count * sizeof(REAL));
}

static REAL old(const struct operand *x, int64_t i, int64_t j)
{
    return x->old[at(x, i, j) - x->whole];
}

static int changed(const struct operand *x)
{
    return memcmp(x->old, x->whole, x->count * sizeof(REAL)) != 0;
}

/* Whether anything but the operand's elements has changed; forgets what they were. */
static int changed_beside(struct operand *x)
{
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t j = 0; j < x->columns; j++)
            x->old[at(x, i, j) - x->whole] = *at(x, i, j);
    return changed(x);
}
