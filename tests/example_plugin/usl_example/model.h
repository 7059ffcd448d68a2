/*
 * The accelerator as plain C: what a driver would have the hardware do, done by the processor.
 *
 * Each thread has a device, whose memories are arrays of rows. Its registers hold 0 at first, and keep what they hold from one
 * instruction to the next and from one call to the next: a move with a register that nobody set, or that somebody set for
 * another matrix, moves the wrong rows.
 */
typedef struct { int8_t lane[16]; } accel_spad_row;
typedef struct { int32_t lane[16]; } accel_acc_row;

static _Thread_local struct {
    accel_spad_row spad[1024]; /* in four banks */
    accel_acc_row acc[256];    /* in two banks */
    int64_t a_stride, b_stride, c_stride; /* from one row in main memory to the next, in elements */
    int64_t written;                      /* how often a register was written */
} accel;

static inline void accel_config_a(int64_t stride) { accel.a_stride = stride; accel.written++; }
static inline void accel_config_b(int64_t stride) { accel.b_stride = stride; accel.written++; }
static inline void accel_config_c(int64_t stride) { accel.c_stride = stride; accel.written++; }

static inline void accel_move_in(const int8_t *src, int64_t stride, accel_spad_row *dst, int64_t rows, int64_t lanes)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < lanes; j++) dst[i].lane[j] = src[i * stride + j];
}

static inline void accel_load_a(const int8_t *src, accel_spad_row *dst, int64_t rows, int64_t lanes)
{
    accel_move_in(src, accel.a_stride, dst, rows, lanes);
}

static inline void accel_load_b(const int8_t *src, accel_spad_row *dst, int64_t rows, int64_t lanes)
{
    accel_move_in(src, accel.b_stride, dst, rows, lanes);
}

static inline void accel_store(const accel_acc_row *src, int32_t *dst, int64_t rows, int64_t lanes)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < lanes; j++) dst[i * accel.c_stride + j] = src[i].lane[j];
}

static inline void accel_zero(accel_acc_row *rows)
{
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) rows[i].lane[j] = 0;
}

/* c += a * b; sums wrap around. */
static inline void accel_matmul(const accel_spad_row *a, const accel_spad_row *b, accel_acc_row *c)
{
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < 16; j++)
                c[i].lane[j] = (int32_t)((uint32_t)c[i].lane[j] + (uint32_t)(a[i].lane[k] * b[k].lane[j]));
}
