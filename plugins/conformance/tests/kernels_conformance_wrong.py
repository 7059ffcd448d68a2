"""Instructions with one mistake each, which the conformance check has to find."""

from __future__ import annotations

from kernels_conformance import C_MATH, DOTS, FLUSHING, HARDWARE, V4, Regs

from usl_core import DRAM, instr


@instr("for (int i = 0; i < 4; i++) {dst}.lane[i] = {b}.lane[i] - {a}.lane[i];")
def swapped_operands(dst: [f32][4] @ V4, a: [f32][4] @ V4, b: [f32][4] @ V4):
    for i in seq(0, 4):
        dst[i] = a[i] - b[i]


@instr("for (int i = 0; i < 4; i++) {dst}.lane[i] = {src.ptr}[i];")
def missing_precondition(dst: [f32][4] @ V4, src: [f32][4] @ DRAM):
    for i in seq(0, 4):
        dst[i] = src[i]


@instr(
    "for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) "
    "{dst.ptr}[i * {src.stride0} + j] = {src.ptr}[i * {src.stride0} + j];"
)
def wrong_stride(dst: [f32][4, 4] @ DRAM, src: [f32][4, 4] @ DRAM):
    assert stride(dst, 1) == 1
    assert stride(src, 1) == 1
    for i in seq(0, 4):
        for j in seq(0, 4):
            dst[i, j] = src[i, j]


@instr("for (int i = 0; i < 4 && i < {n} - 1; i++) {dst}.lane[i] = {src.ptr}[i];")
def mask_too_narrow(n: size, dst: [f32][4] @ V4, src: [f32][n] @ DRAM):
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        if i < n:
            dst[i] = src[i]


@instr("for (int i = 0; i < 4 && i <= {n}; i++) {dst}.lane[i] = 0;")
def mask_too_wide(n: size, dst: [f32][4] @ V4):
    for i in seq(0, 4):
        if i < n:
            dst[i] = 0.0


@instr("for (int i = 0; i < {n}; i++) (&{dst}.lane[0])[i] = 0;")
def missing_limit(n: size, dst: [f32][4] @ V4):
    assert n <= 8
    for i in seq(0, 4):
        if i < n:
            dst[i] = 0.0


@instr("for (int i = 0; i < 4; i++) {dst.ptr}[i * {dst.stride0}] += {src.ptr}[i * {src.stride0}];")
def truth_as_one(dst: [i32][4] @ DRAM, src: [b8][4] @ DRAM):
    for i in seq(0, 4):
        dst[i] += i32(src[i])


@instr("memcpy({dst.ptr}, {src.ptr}, 16);", includes=("string.h",))
def wrong_element_size(dst: [u16][4] @ DRAM, src: [u16][4] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("memcpy({dst.ptr}, {src}.lane, 16);", includes=("string.h",))
def writes_past_the_end(n: size, dst: [f32][n] @ DRAM, src: [f32][4] @ V4):
    assert n <= 4
    assert stride(dst, 0) == 1
    for i in seq(0, n):
        dst[i] = src[i]


@instr(
    "{{ float all[4]; memcpy(all, {src.ptr}, 16); for (int i = 0; i < 4; i++) if (i < {n}) {dst}.lane[i] = all[i]; }}",
    includes=("string.h",),
)
def reads_past_the_end(n: size, dst: [f32][4] @ V4, src: [f32][n] @ DRAM):
    assert n <= 4
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        if i < n:
            dst[i] = src[i]


@instr("for (int i = 0; i < 4; i++) if (i < {n}) {dst}.lane[i] = {src.ptr}[i];")
def forgets_to_clear(n: size, dst: [f32][4] @ V4, src: [f32][n] @ DRAM):
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        if i < n:
            dst[i] = src[i]
        else:
            dst[i] = 0.0


@instr(
    "{out.ptr}[0] = 0; for (int i = 0; i < 4; i++) {out.ptr}[0] += (i < {n} ? 1.0f : 0.0f) * {src}.lane[i];",
    special="unspecified",
    roundings=8,
)
def uses_an_undefined_lane(n: size, out: [f32][1] @ DRAM, src: [f32][4] @ V4):
    assert n <= 4
    out[0] = 0.0
    for i in seq(0, 4):
        if i < n:
            out[0] += src[i]


@instr("for (int i = 0; i < 8; i++) {dst.ptr}[i] = (float){a.ptr}[i] * (float){b.ptr}[i];")
def single_for_double(dst: [f64][8] @ DRAM, a: [f64][8] @ DRAM, b: [f64][8] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 8):
        dst[i] = a[i] * b[i]


@instr("for (int i = 0; i < 8; i++) {dst.ptr}[i] = {a.ptr}[i] * (1.0f / {b.ptr}[i]);", roundings=1, special="unspecified")
def one_rounding_too_many(dst: [f32][8] @ DRAM, a: [f32][8] @ DRAM, b: [f32][8] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 8):
        dst[i] = a[i] / b[i]


@instr("for (int i = 0; i < 8; i++) {dst.ptr}[i] = {a.ptr}[i];")
def moved_by_one(dst: [i32][8] @ DRAM, a: [i32][9] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    for i in seq(0, 8):
        dst[i] = a[i + 1]


@instr(
    "for (int i = 0; i < 8; i++) {dst.ptr}[i] = 0; for (int i = 0; i < 8; i++) {dst.ptr}[i] += {a.ptr}[i];",
    aliasable=("dst", "a"),
)
def aliasing_not_supported(dst: [i32][8] @ DRAM, a: [i32][8] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    for i in seq(0, 8):
        dst[i] = a[i]


@instr(
    "{{ int32_t t[8]; for (int i = 0; i < 8; i++) t[i] = {a.ptr}[i]; memcpy({dst.ptr}, t, sizeof t); }}",
    includes=("string.h",),
    aliasable=("dst", "a"),
)
def partial_overlap_not_supported(dst: [i32][8] @ DRAM, a: [i32][8] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    for i in seq(0, 8):
        dst[i] = a[i]


@instr("for (int i = 0; i < 8; i++) {dst.ptr}[i] = (uint8_t){a.ptr}[i];")
def wrong_signedness(dst: [i32][8] @ DRAM, a: [i8][8] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    for i in seq(0, 8):
        dst[i] = i32(a[i])


@instr(
    "for (int i = 0; i < 8; i++) {{ int s = {dst.ptr}[i] + {a.ptr}[i]; "
    "{dst.ptr}[i] = (int8_t)(s > 127 ? 127 : s < -128 ? -128 : s); }}"
)
def saturates(dst: [i8][8] @ DRAM, a: [i8][8] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    for i in seq(0, 8):
        dst[i] += a[i]


@instr("for (int i = 0; i < 8; i++) {dst.ptr}[i] = {a.ptr}[i] / 4;")
def divides_to_zero(dst: [i32][8] @ DRAM, a: [i32][8] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    for i in seq(0, 8):
        dst[i] = a[i] / 4


@instr("for (int i = 0; i < 8; i++) {dst.ptr}[i] = fminf({a.ptr}[i], {dst.ptr}[i]);", includes=("math.h",))
def other_special_values(dst: [f32][8] @ DRAM, a: [f32][8] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    for i in seq(0, 8):
        dst[i] = min(a[i], dst[i])


@instr(
    "if ((uintptr_t){src.ptr} % 16 != 0) *(volatile int *)16 = 0; memcpy({dst}.lane, {src.ptr}, 16);", includes=("string.h",)
)
def needs_alignment(dst: [f32][4] @ V4, src: [f32][4] @ DRAM):
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) {dst.ptr}[4 * i + j] = {src.ptr}[i + 4 * j];")
def rows_for_columns(dst: i32[4, 4] @ DRAM, src: i32[4, 4] @ DRAM):
    for i in seq(0, 4):
        for j in seq(0, 4):
            dst[i, j] = src[i, j]


@instr("{dst}.lane[0] = no_such_function({src.ptr});")
def does_not_compile(dst: [f32][4] @ V4, src: [f32][4] @ DRAM):
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("memcopy({dst}.lane, {src.ptr}, 16);", includes=("string.h",))
def misspelt_function(dst: [f32][4] @ V4, src: [f32][4] @ DRAM):
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("(void){src.ptr};")
def forgets_its_result(dst: [f32][4] @ V4, src: [f32][4] @ DRAM):
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("if ({flag}) for (int i = 0; i < 8; i++) {dst.ptr}[i] = 1;")
def ignores_a_flag(flag: bool, k: index, dst: [i32][8] @ DRAM):
    assert k >= 0
    assert k < 8
    assert stride(dst, 0) == 1
    if flag:
        for i in seq(0, 8):
            dst[i] = 1
    else:
        dst[k] = 2


@instr("for (int i = 0; i < 4; i++) {dst.ptr}[i] *= 2 * hardware_scale;", c_global=HARDWARE)
def scales_twice(dst: [f32][4] @ DRAM):
    assert stride(dst, 0) == 1
    for i in seq(0, 4):
        dst[i] = dst[i] * Regs.scale


@instr("for (int i = 0; i < 4; i++) {dst}.lane[i] = {src.ptr}[i];", c_global=HARDWARE)
def ignores_its_register(dst: [f32][4] @ V4, src: [f32][4] @ DRAM):
    assert Regs.stride == stride(src, 0)
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("for (int i = 0; i < 4; i++) {dst}.lane[i] = {src.ptr}[i * hardware_other_stride];", c_global=HARDWARE)
def reads_another_register(dst: [f32][4] @ V4, src: [f32][4] @ DRAM):
    assert Regs.stride == stride(src, 0)
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("for (int i = 0; i < 4; i++) {dst}.lane[i] = {src.ptr}[i * hardware_stride];", c_global=HARDWARE)
def sets_no_register(dst: [f32][4] @ V4, src: [f32][4] @ DRAM):
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("hardware_stride = {s};", c_global=HARDWARE)
def set_other_stride(s: index):
    Regs.other_stride = s


@instr("for (int i = 0; i < 4; i++) {dst}.lane[i] = {src.ptr}[i * hardware_other_stride];", c_global=HARDWARE)
def setter_writes_another_register(dst: [f32][4] @ V4, src: [f32][4] @ DRAM):
    assert Regs.other_stride == stride(src, 0)
    for i in seq(0, 4):
        dst[i] = src[i]


@instr(
    "for (int r = 0; r < {n}; r++) memcpy(&{dst.ptr}[r * hardware_stride], &{src.ptr}[r * {src.stride0}], 4 * 3);",
    c_global=HARDWARE,
    includes=("string.h",),
)
def stride_of_the_wrong_operand(n: size, dst: [f32][n, 3] @ DRAM, src: [f32][n, 3] @ DRAM):
    assert n <= 8
    assert stride(dst, 1) == 1
    assert stride(src, 1) == 1
    assert Regs.stride == stride(src, 0)
    for r in seq(0, n):
        for c in seq(0, 3):
            dst[r, c] = src[r, c]


@instr(
    "for (int r = 0; r < {n}; r++) for (int c = 0; c < 3; c++) "
    "{dst.ptr}[{dst.stride0} * r + c] = {src.ptr}[r + hardware_stride * c];",
    c_global=HARDWARE,
)
def stride_of_the_wrong_dimension(n: size, dst: [f32][n, 3] @ DRAM, src: [f32][n, 3] @ DRAM):
    assert n <= 8
    assert stride(dst, 1) == 1
    assert stride(src, 1) == 1
    assert Regs.stride == stride(src, 0)
    for r in seq(0, n):
        for c in seq(0, 3):
            dst[r, c] = src[r, c]


@instr("for (int i = 0; i < 4; i++) {dst}.lane[i] = {src.ptr}[i * hardware_stride / 4];", c_global=HARDWARE)
def stride_in_bytes(dst: [f32][4] @ V4, src: [f32][4] @ DRAM):
    assert Regs.stride == stride(src, 0)
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("for (int i = 0; i < 4; i++) {dst}.lane[i] = {src.ptr}[i * hardware_stride];", c_global=HARDWARE)
def leaves_its_register_open(dst: [f32][4] @ V4, src: [f32][4] @ DRAM):
    assert Regs.stride >= stride(src, 0)
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("for (int i = 0; i < 2 && i < hardware_lanes; i++) {dst.ptr}[i] = 2 * {dst.ptr}[i];", c_global=HARDWARE)
def forgets_the_third_lane(dst: [f32][4] @ DRAM):
    assert stride(dst, 0) == 1
    for i in seq(0, 4):
        if i < Regs.lanes:
            dst[i] = 2.0 * dst[i]


@instr("for (int i = 0; i < 4; i++) {dst.ptr}[i] = -{dst.ptr}[i];")
def ignores_a_flag_in_a_register(dst: [f32][4] @ DRAM):
    assert stride(dst, 0) == 1
    for i in seq(0, 4):
        if Regs.negate:
            dst[i] = -dst[i]


@instr("for (int i = 0; i < 4; i++) {dst}.lane[3 - i] = {a}.lane[i];", aliasable=("dst", "a"))
def aliasing_of_registers_not_supported(dst: [f32][4] @ V4, a: [f32][4] @ V4):
    for i in seq(0, 4):
        dst[i] = a[3 - i]


@instr(DOTS.format(name="test_flushing_dot"), includes=C_MATH, c_global=FLUSHING, roundings=4)
def flushes_without_saying_so(dst: [f32][4] @ DRAM, a: [bf16][8] @ DRAM, b: [bf16][8] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 4):
        for k in seq(0, 2):
            dst[i] += f32(a[2 * i + k]) * f32(b[2 * i + k])


@instr(
    "for (int i = 0; i < 4; i++) {dst.ptr}[i] = fabsf((float){a.ptr}[i]) < 0x1p-14f ? 0 : {a.ptr}[i];",
    includes=C_MATH,
    special="unspecified",
)
def flushes_halves(dst: [f16][4] @ DRAM, a: [f16][4] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    for i in seq(0, 4):
        dst[i] = a[i]


@instr(
    "for (int i = 0; i < 4; i++) {dst.ptr}[i] = (uint16_t)(test_bits({a.ptr}[i]) >> 16);",
    includes=C_MATH,
    c_global="""
static inline uint32_t test_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits + 0x8000u;
}
""",
    special="unspecified",
)
def rounds_ties_up(dst: [bf16][4] @ DRAM, a: [f32][4] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    for i in seq(0, 4):
        dst[i] = bf16(a[i])


@instr(
    "for (int i = 0; i < 4; i++) {dst.ptr}[i] = fabsf({a.ptr}[i]) < 1.0f ? 0.0f : {a.ptr}[i] * {dst.ptr}[i];",
    includes=C_MATH,
    subnormals="flushed",
)
def flushes_more_than_subnormal_numbers(dst: [f32][4] @ DRAM, a: [f32][4] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    for i in seq(0, 4):
        dst[i] = a[i] * dst[i]


WRONG = {
    flushes_without_saying_so: ("E810", 'subnormals="flushed"'),
    flushes_halves: ("E810", 'subnormals="flushed"'),
    rounds_ties_up: ("E810", "the last digits differ"),
    flushes_more_than_subnormal_numbers: ("E810", ""),
    aliasing_of_registers_not_supported: ("E810", "declared aliasable, but"),
    scales_twice: ("E810", ""),
    ignores_its_register: ("E810", "not dense"),
    reads_another_register: ("E810", ""),
    sets_no_register: ("E810", ""),
    setter_writes_another_register: ("E810", ""),
    stride_of_the_wrong_operand: ("E81[012]", "not dense|past the end|too narrow"),
    stride_of_the_wrong_dimension: ("E810", ""),
    stride_in_bytes: ("E810", ""),
    leaves_its_register_open: ("E810", ""),
    forgets_the_third_lane: ("E810", "does not write this element"),
    ignores_a_flag_in_a_register: ("E810", "the body leaves alone"),
    swapped_operands: ("E810", "a and b are exchanged"),
    missing_precondition: ("E810", r"only where the elements of src are not dense.*assert stride\(src, 0\) == 1"),
    wrong_stride: ("E81[01]", "not dense|past the end"),
    mask_too_narrow: ("E810", "too narrow a mask"),
    mask_too_wide: ("E810", "a mask that is too wide"),
    missing_limit: ("E81[02]", "another buffer beside it changed"),
    truth_as_one: ("E810", ""),
    wrong_element_size: ("E811", "past the end of dst"),
    writes_past_the_end: ("E811", "past the end of dst"),
    reads_past_the_end: ("E812", "past the end of an argument"),
    forgets_to_clear: ("E810", "too narrow a mask, or a forgotten lane"),
    uses_an_undefined_lane: ("E810", "an element that the body does not read"),
    single_for_double: ("E810", "the last digits differ"),
    one_rounding_too_many: ("E810", "the last digits differ"),
    moved_by_one: ("E810", "an offset is off by one"),
    aliasing_not_supported: ("E810", "declared aliasable, but"),
    partial_overlap_not_supported: ("E810", "admits partial overlap"),
    wrong_signedness: ("E810", "signed and an unsigned"),
    saturates: ("E810", "saturates where the body wraps"),
    divides_to_zero: ("E810", ""),
    other_special_values: ("E810", 'special="unspecified"'),
    needs_alignment: ("E812", "needs data that is aligned"),
    rows_for_columns: ("E810", "rows and columns of dst are exchanged"),
    does_not_compile: ("E813", "not C that compiles"),
    misspelt_function: ("E813", "not C that compiles"),
    forgets_its_result: ("E815", "use {dst}"),
    ignores_a_flag: ("E810", "does not write this element"),
}
"""Each mistake with the code of its finding and what the report says about it."""
