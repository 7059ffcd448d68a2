/* The public macros of Gemmini (int8 elements, int32 accumulators), for C11.
 *
 * Each macro encodes one instruction, a number and two 64-bit registers, and hands it to gemmini_issue: on RISC-V that is
 * the custom instruction itself, elsewhere a call of the simulator. The parameters of the chip are defined before this text. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int8_t elem_t;
typedef int32_t acc_t;
typedef float scale_t;
typedef float acc_scale_t;
typedef int32_t scale_acc_t;

#define ADDR_LEN 32
#define XCUSTOM_ACC 3
#define GARBAGE_ADDR ((uint32_t)0xFFFFFFFFu)
#define GEMMINI_ACC ((uint32_t)0x80000000u)      /* an address in the accumulator */
#define GEMMINI_ACC_ADD ((uint32_t)0xC0000000u)  /* writes add to what is there */
#define GEMMINI_ACC_FULL ((uint32_t)0xA0000000u) /* reads give int32 */
#define MVIN_SCALE_IDENTITY 1.0f
#define ACC_SCALE_IDENTITY 1.0f

enum { OUTPUT_STATIONARY = 0, WEIGHT_STATIONARY = 1 };
enum { NO_ACTIVATION = 0, RELU = 1, LAYERNORM = 2, IGELU = 3, SOFTMAX = 4 };

enum {
  GEMMINI_CONFIG = 0,
  GEMMINI_MVIN2 = 1,
  GEMMINI_MVIN = 2,
  GEMMINI_MVOUT = 3,
  GEMMINI_COMPUTE_PRELOADED = 4,
  GEMMINI_COMPUTE_ACCUMULATED = 5,
  GEMMINI_PRELOAD = 6,
  GEMMINI_FLUSH = 7,
  GEMMINI_MVIN3 = 14,
  GEMMINI_FENCE = 127 /* no instruction of the accelerator: how the simulator is told of the processor's own fence */
};

/* C that was generated for one chip says so: GEMMINI_REQUIRE_PARAMS(0x...) does not compile with the header of another. */
#define GEMMINI_REQUIRE_PARAMS(hash) \
  _Static_assert((hash) == GEMMINI_PARAMS_HASH, "this C was generated for a Gemmini of other parameters")

#ifdef __riscv

#define gemmini_issue(funct, rs1, rs2)                                                              \
  __asm__ volatile(".insn r 0x7b, 3, %0, x0, %1, %2"                                                \
                   :                                                                                \
                   : "i"(funct), "r"((uint64_t)(rs1)), "r"((uint64_t)(rs2))                         \
                   : "memory")
#define gemmini_fence() __asm__ volatile("fence" : : : "memory")
#define gemmini_host_read(pointer, bytes) ((void)(pointer), (void)(bytes))
#define gemmini_host_write(pointer, bytes) ((void)(pointer), (void)(bytes))
#define gemmini_host_claim(local, rows) ((void)(local), (void)(rows))
#define gemmini_host_release(local, rows) ((void)(local), (void)(rows))

#else

void gemmini_sim_issue(uint64_t params_hash, uint32_t funct, uint64_t rs1, uint64_t rs2);
void gemmini_sim_host(uint64_t params_hash, uint32_t event, uint64_t place, uint64_t size);

/* The hash goes along, so that an object made with another header is refused at its first command. */
#define gemmini_issue(funct, rs1, rs2) gemmini_sim_issue(GEMMINI_PARAMS_HASH, (funct), (rs1), (rs2))
#define gemmini_fence() gemmini_issue(GEMMINI_FENCE, 0, 0)

enum { GEMMINI_HOST_READ = 0, GEMMINI_HOST_WRITE = 1, GEMMINI_HOST_CLAIM = 2, GEMMINI_HOST_RELEASE = 3 };

/* The processor is about to read, or to write, bytes that commands may still be writing or reading. */
#define gemmini_host_read(pointer, bytes) \
  gemmini_sim_host(GEMMINI_PARAMS_HASH, GEMMINI_HOST_READ, (uint64_t)(uintptr_t)(pointer), (uint64_t)(bytes))
#define gemmini_host_write(pointer, bytes) \
  gemmini_sim_host(GEMMINI_PARAMS_HASH, GEMMINI_HOST_WRITE, (uint64_t)(uintptr_t)(pointer), (uint64_t)(bytes))

/* Rows that a buffer takes and gives back. Live buffers must not overlap, and once a memory has had a buffer its commands
 * must stay inside of live ones. GEMMINI_WEIGHTS is the array's register of weights, which one block can have. */
#define gemmini_host_claim(local, rows) gemmini_sim_host(GEMMINI_PARAMS_HASH, GEMMINI_HOST_CLAIM, (uint32_t)(local), (rows))
#define gemmini_host_release(local, rows) \
  gemmini_sim_host(GEMMINI_PARAMS_HASH, GEMMINI_HOST_RELEASE, (uint32_t)(local), (rows))

/* For tests of instructions: the first count elements of a local row (int8; int32 in the accumulator), set or read past all
 * commands. Row r of the weights in the array is GEMMINI_WEIGHTS - r. */
void gemmini_sim_poke(uint32_t local, const void *elements, uint64_t count);
void gemmini_sim_peek(void *elements, uint32_t local, uint64_t count);

#endif

#define GEMMINI_WEIGHTS ((uint32_t)0x7FFFFFFFu)

static inline uint64_t gemmini_float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* The bits of value from bit `at` on. Values that do not fit their field are cut off, as the hardware's fields are. */
static inline uint64_t gemmini_field(uint64_t value, unsigned at, unsigned bits) {
  return (value & ((UINT64_C(1) << bits) - 1)) << at;
}

static inline uint64_t gemmini_operand(uint32_t local, uint64_t cols, uint64_t rows) {
  return (uint64_t)local | gemmini_field(cols, 32, 16) | gemmini_field(rows, 48, 16);
}

/* ---- movement ------------------------------------------------------------------------------------------------------- */

#define gemmini_extended_mvin(dram, local, cols, rows) \
  gemmini_issue(GEMMINI_MVIN, (uint64_t)(uintptr_t)(dram), gemmini_operand((uint32_t)(local), (cols), (rows)))
#define gemmini_extended_mvin2(dram, local, cols, rows) \
  gemmini_issue(GEMMINI_MVIN2, (uint64_t)(uintptr_t)(dram), gemmini_operand((uint32_t)(local), (cols), (rows)))
#define gemmini_extended_mvin3(dram, local, cols, rows) \
  gemmini_issue(GEMMINI_MVIN3, (uint64_t)(uintptr_t)(dram), gemmini_operand((uint32_t)(local), (cols), (rows)))
#define gemmini_extended_mvout(dram, local, cols, rows) \
  gemmini_issue(GEMMINI_MVOUT, (uint64_t)(uintptr_t)(dram), gemmini_operand((uint32_t)(local), (cols), (rows)))

#define gemmini_mvin(dram, local) gemmini_extended_mvin(dram, local, DIM, DIM)
#define gemmini_mvin2(dram, local) gemmini_extended_mvin2(dram, local, DIM, DIM)
#define gemmini_mvin3(dram, local) gemmini_extended_mvin3(dram, local, DIM, DIM)
#define gemmini_mvout(dram, local) gemmini_extended_mvout(dram, local, DIM, DIM)

/* ---- products ------------------------------------------------------------------------------------------------------- */

#define gemmini_extended_preload(BD, C, BD_cols, BD_rows, C_cols, C_rows)                     \
  gemmini_issue(GEMMINI_PRELOAD, gemmini_operand((uint32_t)(BD), (BD_cols), (BD_rows)), \
                gemmini_operand((uint32_t)(C), (C_cols), (C_rows)))
#define gemmini_extended_compute_preloaded(A, BD, A_cols, A_rows, BD_cols, BD_rows)               \
  gemmini_issue(GEMMINI_COMPUTE_PRELOADED, gemmini_operand((uint32_t)(A), (A_cols), (A_rows)), \
                gemmini_operand((uint32_t)(BD), (BD_cols), (BD_rows)))
#define gemmini_extended_compute_accumulated(A, BD, A_cols, A_rows, BD_cols, BD_rows)               \
  gemmini_issue(GEMMINI_COMPUTE_ACCUMULATED, gemmini_operand((uint32_t)(A), (A_cols), (A_rows)), \
                gemmini_operand((uint32_t)(BD), (BD_cols), (BD_rows)))

#define gemmini_preload(BD, C) gemmini_extended_preload(BD, C, DIM, DIM, DIM, DIM)
#define gemmini_preload_zeros(C) gemmini_preload(GARBAGE_ADDR, C)
#define gemmini_compute_preloaded(A, BD) gemmini_extended_compute_preloaded(A, BD, DIM, DIM, DIM, DIM)
#define gemmini_compute_accumulated(A, BD) gemmini_extended_compute_accumulated(A, BD, DIM, DIM, DIM, DIM)

/* ---- configuration -------------------------------------------------------------------------------------------------- */

enum { GEMMINI_CONFIG_EX = 0, GEMMINI_CONFIG_LD = 1, GEMMINI_CONFIG_ST = 2, GEMMINI_CONFIG_NORM = 3 };

#define gemmini_extended3_config_ex(dataflow, act, shift, acc_scale, C_stride, A_stride, A_transpose, B_transpose, \
                                    set_only_strides)                                                              \
  gemmini_issue(GEMMINI_CONFIG,                                                                                    \
                GEMMINI_CONFIG_EX | gemmini_field((uint64_t)(dataflow), 2, 1) | gemmini_field((uint64_t)(act), 3, 2) | \
                    gemmini_field((uint64_t)(set_only_strides), 7, 1) |                                            \
                    gemmini_field((uint64_t)(A_transpose), 8, 1) | gemmini_field((uint64_t)(B_transpose), 9, 1) |  \
                    gemmini_field((uint64_t)(A_stride), 16, 16) | gemmini_float_bits(acc_scale) << 32,             \
                gemmini_field((uint64_t)(shift), 0, 32) | gemmini_field((uint64_t)(C_stride), 48, 16))
#define gemmini_extended2_config_ex(dataflow, act, shift, A_stride, A_transpose, B_transpose) \
  gemmini_extended3_config_ex(dataflow, act, shift, ACC_SCALE_IDENTITY, 1, A_stride, A_transpose, B_transpose, false)
#define gemmini_extended_config_ex(dataflow, act, shift, A_stride, A_transpose, B_transpose) \
  gemmini_extended2_config_ex(dataflow, act, shift, A_stride, A_transpose, B_transpose)
#define gemmini_config_ex(dataflow, act, shift) gemmini_extended_config_ex(dataflow, act, shift, 1, false, false)

#define gemmini_extended5_config_ld(stride, scale, shrunk, block_stride, pixel_repeats, id)                          \
  gemmini_issue(GEMMINI_CONFIG,                                                                                      \
                GEMMINI_CONFIG_LD | gemmini_field((uint64_t)(shrunk), 2, 1) | gemmini_field((uint64_t)(id), 3, 2) |  \
                    gemmini_field((uint64_t)(pixel_repeats), 8, 8) | gemmini_field((uint64_t)(block_stride), 16, 16) | \
                    gemmini_float_bits(scale) << 32,                                                                 \
                (uint64_t)(stride))
#define gemmini_extended4_config_ld(stride, scale, shrunk, block_stride, id) \
  gemmini_extended5_config_ld(stride, scale, shrunk, block_stride, 1, id)
#define gemmini_extended3_config_ld(stride, scale, shrunk, id) gemmini_extended4_config_ld(stride, scale, shrunk, DIM, id)
#define gemmini_extended2_config_ld(stride, scale, shrunk) gemmini_extended3_config_ld(stride, scale, shrunk, 0)
#define gemmini_extended_config_ld(stride, scale) gemmini_extended2_config_ld(stride, scale, false)
#define gemmini_config_ld(stride) gemmini_extended_config_ld(stride, MVIN_SCALE_IDENTITY)

#define gemmini_extended2_config_st(stride, act, scale, pool_stride, pool_size, pool_out_dim, porows, pocols, orows, ocols, \
                                    upad, lpad)                                                                             \
  gemmini_issue(GEMMINI_CONFIG,                                                                                             \
                GEMMINI_CONFIG_ST | gemmini_field((uint64_t)(act), 2, 2) | gemmini_field((uint64_t)(pool_stride), 4, 2) |   \
                    gemmini_field((uint64_t)(pool_size), 6, 2) | gemmini_field((uint64_t)(upad), 8, 2) |                    \
                    gemmini_field((uint64_t)(lpad), 10, 2) | gemmini_field((uint64_t)(pool_out_dim), 24, 8) |               \
                    gemmini_field((uint64_t)(porows), 32, 8) | gemmini_field((uint64_t)(pocols), 40, 8) |                   \
                    gemmini_field((uint64_t)(orows), 48, 8) | gemmini_field((uint64_t)(ocols), 56, 8),                      \
                gemmini_field((uint64_t)(stride), 0, 32) | gemmini_float_bits(scale) << 32)
#define gemmini_extended_config_st(stride, act, scale) \
  gemmini_extended2_config_st(stride, act, scale, 0, 0, 0, 0, 0, 0, 0, 0, 0)
#define gemmini_config_st(stride) gemmini_extended_config_st(stride, NO_ACTIVATION, ACC_SCALE_IDENTITY)

#define gemmini_config_norm(q_const, q_const_type, set_stats_id_only, act_msb, stat_id, qb, qc)                            \
  gemmini_issue(GEMMINI_CONFIG,                                                                                            \
                GEMMINI_CONFIG_NORM | gemmini_field((uint64_t)(stat_id), 8, 8) | gemmini_field((uint64_t)(act_msb), 16, 1) | \
                    gemmini_field((uint64_t)(set_stats_id_only), 17, 1) |                                                  \
                    gemmini_field((uint64_t)(q_const_type), 18, 1) | (uint64_t)(uint32_t)(q_const) << 32,                  \
                (uint64_t)(uint32_t)(qb) | (uint64_t)(uint32_t)(qc) << 32)

#define gemmini_flush(skip) gemmini_issue(GEMMINI_FLUSH, (uint64_t)(skip), 0)
