"""Right instructions and memories for the tests of the conformance check."""

from __future__ import annotations

from usl_core import DRAM, Memory, config, instr, write_only

LANES = "typedef struct { float lane[4]; } lanes;"


class V4(Memory):
    """Registers of four f32 lanes: a C object of just their size."""

    name = "V4"
    addressable = False

    @classmethod
    def header(cls):
        return LANES

    @classmethod
    def alloc(cls, name, ctype, shape, span):
        assert ctype == "float" and shape[-1] == "4"
        return f"lanes {name}{''.join(f'[{extent}]' for extent in shape[:-1])};"

    @classmethod
    def window(cls, base, ctype, indices, strides, span):
        return base + "".join(f"[{index}]" for index in indices[:-1])


class BACKWARDS(V4):
    """Registers that keep their lanes in reverse order, which only their own load and store know."""

    name = "BACKWARDS"


class PAD(Memory):
    """A scratchpad of i8 rows of 8 that C knows by their numbers only; a model of it is a static array."""

    name = "PAD"
    addressable = False

    @classmethod
    def header(cls):
        return "static signed char pad_rows[64][8];\nstatic int pad_top;"

    @classmethod
    def alloc(cls, name, ctype, shape, span):
        assert ctype == "int8_t" and shape[-1] == "8"
        return f"const int {name} = pad_top; pad_top += (int)({' * '.join(shape[:-1]) or '1'});"

    @classmethod
    def free(cls, name, ctype, shape, span):
        return f"pad_top = {name};"

    @classmethod
    def window(cls, base, ctype, indices, strides, span):
        rows = [f"(int)({index}) * (int)({stride}) / 8" for index, stride in zip(indices[:-1], strides[:-1], strict=True)]
        return f"({' + '.join([base, *rows])})"


# ---- right ones


@instr("memcpy({dst}.lane, {src.ptr}, 16);", includes=("string.h",))
def load(dst: [f32][4] @ V4, src: [f32][4] @ DRAM):
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("memcpy({dst.ptr}, {src}.lane, 16);", includes=("string.h",))
def store(dst: [f32][4] @ DRAM, src: [f32][4] @ V4):
    assert stride(dst, 0) == 1
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("for (int i = 0; i < {n}; i++) {dst.ptr}[i * {dst.stride0}] = {a.ptr}[i * {a.stride0}] - {b.ptr}[i * {b.stride0}];")
def sub_strided(n: size, dst: [f32][n] @ DRAM, a: [f32][n] @ DRAM, b: [f32][n] @ DRAM):
    assert n <= 9
    for i in seq(0, n):
        dst[i] = a[i] - b[i]


@instr("for (int i = 0; i < 4; i++) {dst}.lane[i] = i < {n} ? {src.ptr}[i] : 0.0f;")
def maskz_load(n: size, dst: [f32][4] @ V4, src: [f32][n] @ DRAM):
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        if i < n:
            dst[i] = src[i]
        else:
            dst[i] = 0.0


@instr("for (int i = 0; i < 4 && i < {n}; i++) {dst}.lane[i] = {src.ptr}[i];")
def load_undefined(n: size, dst: [f32][4] @ V4, src: [f32][n] @ DRAM):
    assert stride(src, 0) == 1
    nothing: f32
    for i in seq(0, 4):
        if i < n:
            dst[i] = src[i]
        else:
            dst[i] = nothing


@instr(
    "for (int i = 0; i < 4; i++) {dst}.lane[i] = fmaf({a}.lane[i], {b}.lane[i], {dst}.lane[i]);",
    includes=("math.h",),
    roundings=1,
)
def fma(dst: [f32][4] @ V4, a: [f32][4] @ V4, b: [f32][4] @ V4):
    for i in seq(0, 4):
        dst[i] += a[i] * b[i]


DOT = (
    "{{ float s[2] = {{0, 0}}; for (int k = 0; k < 16; k++) s[k % 2] += {a.ptr}[k] * {b.ptr}[k]; {out.ptr}[0] = s[0] + s[1]; }}"
)


@instr(DOT, roundings=18, special="unspecified")
def dot(out: [f32][1] @ DRAM, a: [f32][16] @ DRAM, b: [f32][16] @ DRAM):
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    out[0] = 0.0
    for k in seq(0, 16):
        out[0] += a[k] * b[k]


@instr("for (int i = 0; i < {n}; i++) {dst.ptr}[i] = (uint8_t)({dst.ptr}[i] + {a.ptr}[i]);", aliasable=("dst", "a"))
def add_in_place(n: size, dst: [u8][n] @ DRAM, a: [u8][n] @ DRAM):
    assert n <= 32
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    for i in seq(0, n):
        dst[i] += a[i]


@instr("for (int i = 0; i < 4; i++) {dst}.lane[i] += {dst}.lane[i];")
def twice(dst: [f32][4] @ BACKWARDS):
    for i in seq(0, 4):
        dst[i] += dst[i]


@instr("for (int i = 0; i < 4; i++) {dst}.lane[3 - i] = {src.ptr}[i];")
def load_backwards(dst: [f32][4] @ BACKWARDS, src: [f32][4] @ DRAM):
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("for (int i = 0; i < 4; i++) {dst.ptr}[i] = {src}.lane[3 - i];")
def store_backwards(dst: [f32][4] @ DRAM, src: [f32][4] @ BACKWARDS):
    assert stride(dst, 0) == 1
    for i in seq(0, 4):
        dst[i] = src[i]


@instr("for (int i = 0; i < 4; i++) {dst}.lane[3 - i] = (float)i;")
def iota_backwards(dst: [f32][4] @ BACKWARDS):
    for i in seq(0, 4):
        dst[i] = f32(i)


@instr("for (int r = 0; r < {n}; r++) memcpy(pad_rows[{dst} + r], &{src.ptr}[r * {src.stride0}], 8);", includes=("string.h",))
def pad_in(n: size, dst: [i8][n, 8] @ PAD, src: [i8][n, 8] @ DRAM):
    assert n <= 8
    assert stride(src, 1) == 1
    for r in seq(0, n):
        for c in seq(0, 8):
            dst[r, c] = src[r, c]


@instr("for (int r = 0; r < {n}; r++) memcpy(&{dst.ptr}[r * {dst.stride0}], pad_rows[{src} + r], 8);", includes=("string.h",))
def pad_out(n: size, dst: [i8][n, 8] @ DRAM, src: [i8][n, 8] @ PAD):
    assert n <= 8
    assert stride(dst, 1) == 1
    for r in seq(0, n):
        for c in seq(0, 8):
            dst[r, c] = src[r, c]


@instr("for (int c = 0; c < 8; c++) pad_rows[{dst}][c] = (signed char)-pad_rows[{dst}][c];")
def pad_negate(dst: [i8][1, 8] @ PAD):
    for c in seq(0, 8):
        dst[0, c] = -dst[0, c]


MATMUL = """\
for (int i = 0; i < {n}; i++)
    for (int j = 0; j < 4; j++)
        for (int k = 0; k < 4; k++)
            {c.ptr}[i * {c.stride0} + j] += {a.ptr}[i * {a.stride0} + k * {a.stride1}] * {b.ptr}[4 * k + j];"""


@instr(MATMUL)
def matmul(n: size, c: [i32][n, 4] @ DRAM, a: [i8][n, 4] @ DRAM, b: i8[4, 4] @ DRAM):
    assert n <= 4
    assert stride(c, 1) == 1
    assert stride(c, 0) % 4 == 0
    for i in seq(0, n):
        for j in seq(0, 4):
            for k in seq(0, 4):
                c[i, j] += i32(a[i, k]) * i32(b[k, j])


@instr("for (int i = 0; i < 8; i++) {x.ptr}[i] = sqrt({x.ptr}[i]);", includes=("math.h",))
def square_root(x: [f64][8] @ DRAM):
    assert stride(x, 0) == 1
    for i in seq(0, 8):
        x[i] = sqrt(x[i])


@instr("for (int i = 0; i < 8; i++) {x.ptr}[i] = expf({x.ptr}[i]);", includes=("math.h",), roundings=2, special="unspecified")
def exponential(x: [f32][8] @ DRAM):
    assert stride(x, 0) == 1
    for i in seq(0, 8):
        x[i] = exp(x[i])


@instr("for (int i = 0; i < 8; i++) {y.ptr}[i] = (uint8_t)(!({x.ptr}[i] > 0) ? 0 : {x.ptr}[i] < 255 ? {x.ptr}[i] : 255);")
def quantise(y: [u8][8] @ DRAM, x: [f32][8] @ DRAM):
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, 8):
        y[i] = u8(x[i])


@instr("for (int i = 0; i < 8; i++) {h.ptr}[{x.ptr}[i] < 16 ? {x.ptr}[i] : 15] += 1;")
def histogram(h: [i64][16] @ DRAM, x: [u8][8] @ DRAM):
    assert stride(x, 0) == 1
    assert stride(h, 0) == 1
    for i in seq(0, 8):
        h[idx(x[i], 0, 16)] += 1


@instr("for (int i = 0; i < 4; i++) {dst}.lane[i] = {a}.lane[3 - i];")
def reverse(dst: [f32][4] @ V4, a: [f32][4] @ V4):
    for i in seq(0, 4):
        dst[i] = a[3 - i]


@instr("for (int i = 0; i < 4; i++) {dst}.lane[i] += {a}.lane[i];", aliasable=("dst", "a"))
def add_registers(dst: [f32][4] @ V4, a: [f32][4] @ V4):
    for i in seq(0, 4):
        dst[i] += a[i]


HARDWARE = "static float hardware_scale;\nstatic ptrdiff_t hardware_stride, hardware_other_stride, hardware_lanes;"


@config
class Regs:
    scale: write_only[f32]
    stride: write_only[stride]
    other_stride: write_only[stride]
    lanes: write_only[index]
    negate: write_only[bool]


@instr("hardware_scale = {a};", c_global=HARDWARE)
def set_scale(a: f32 @ DRAM):
    Regs.scale = a


@instr("hardware_stride = {s};", c_global=HARDWARE)
def set_stride(s: index):
    Regs.stride = s


@instr("for (int i = 0; i < 4; i++) {dst.ptr}[i] *= hardware_scale;", c_global=HARDWARE)
def scale(dst: [f32][4] @ DRAM):
    assert stride(dst, 0) == 1
    for i in seq(0, 4):
        dst[i] = dst[i] * Regs.scale


@instr("for (int i = 0; i < 4; i++) {dst}.lane[i] = {src.ptr}[i * hardware_stride];", c_global=HARDWARE)
def load_by_register(dst: [f32][4] @ V4, src: [f32][4] @ DRAM):
    assert Regs.stride == stride(src, 0)
    for i in seq(0, 4):
        dst[i] = src[i]


@instr(
    "for (int r = 0; r < {n}; r++) memcpy(&{dst.ptr}[r * {dst.stride0}], &{src.ptr}[r * hardware_stride], 4 * 3);",
    c_global=HARDWARE,
    includes=("string.h",),
)
def copy_rows(n: size, dst: [f32][n, 3] @ DRAM, src: [f32][n, 3] @ DRAM):
    assert n <= 8
    assert stride(dst, 1) == 1
    assert stride(src, 1) == 1
    assert Regs.stride == stride(src, 0)
    for r in seq(0, n):
        for c in seq(0, 3):
            dst[r, c] = src[r, c]


NEGATING = "static _Bool hardware_negate;"


@instr("hardware_lanes = {n}; hardware_negate = {negate};", c_global=f"{HARDWARE}\n{NEGATING}")
def set_lanes(n: size, negate: bool):
    assert n <= 3
    Regs.lanes = n
    Regs.negate = negate


@instr(
    "for (int i = 0; i < hardware_lanes; i++) {dst.ptr}[i] = hardware_negate ? -{dst.ptr}[i] : 2 * {dst.ptr}[i];",
    c_global=f"{HARDWARE}\n{NEGATING}",
)
def double_or_negate(dst: [f32][4] @ DRAM):
    assert stride(dst, 0) == 1
    for i in seq(0, 4):
        if i < Regs.lanes:
            if Regs.negate:
                dst[i] = -dst[i]
            else:
                dst[i] = 2.0 * dst[i]


@instr("if ({on}) for (int r = 0; r < {n}; r++) for (int c = 0; c < 8; c++) pad_rows[{dst} + r][c] = (signed char){k};")
def pad_fill(on: bool, n: size, k: index, dst: [i8][n, 8] @ PAD):
    assert n <= 3
    if on:
        for r in seq(0, n):
            for c in seq(0, 8):
                dst[r, c] = i8(k)


@instr("for (int r = 0; r < {n}; r++) for (int c = 0; c < hardware_lanes; c++) pad_rows[{dst} + r][c] = 0;", c_global=HARDWARE)
def pad_clear(n: size, dst: [i8][n, 8] @ PAD):
    assert n <= 3
    for r in seq(0, n):
        for c in seq(0, 8):
            if c < Regs.lanes:
                dst[r, c] = 0


@config
class Readable:
    shift: index


@instr("{dst.ptr}[0] = 0;")
def reads_back(dst: [i32][1] @ DRAM):
    assert Readable.shift == 0
    dst[0] = 0


BF16 = """
static inline float test_bf16(uint16_t upper)
{
    const uint32_t bits = (uint32_t)upper << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
"""
KEEPING = f"""
{BF16}
static inline void test_dot(float *dst, const uint16_t *a, const uint16_t *b)
{{
    for (int k = 1; k >= 0; k--)
        *dst = fmaf(test_bf16(a[k]), test_bf16(b[k]), *dst);
}}
"""
FLUSHING = f"""
{BF16}
static inline float test_flush(float x)
{{
    return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}}
static inline void test_flushing_dot(float *dst, const uint16_t *a, const uint16_t *b)
{{
    for (int k = 1; k >= 0; k--)
        *dst = test_flush(fmaf(test_flush(test_bf16(a[k])), test_flush(test_bf16(b[k])), test_flush(*dst)));
}}
"""
"""VDPBF16PS of AVX-512 in portable C: the odd product first, one rounding each, subnormal operands and results are zeros."""
DOTS = "for (int i = 0; i < 4; i++) {name}({{dst.ptr}} + i, {{a.ptr}} + 2 * i, {{b.ptr}} + 2 * i);"
C_MATH = ("math.h", "string.h")


@instr(DOTS.format(name="test_dot"), includes=C_MATH, c_global=KEEPING, roundings=2, special="unspecified")
def dot_of_bf16(dst: [f32][4] @ DRAM, a: [bf16][8] @ DRAM, b: [bf16][8] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 4):
        for k in seq(0, 2):
            dst[i] += f32(a[2 * i + k]) * f32(b[2 * i + k])


@instr(
    DOTS.format(name="test_flushing_dot"),
    includes=C_MATH,
    c_global=FLUSHING,
    roundings=2,
    special="unspecified",
    subnormals="flushed",
)
def flushing_dot_of_bf16(dst: [f32][4] @ DRAM, a: [bf16][8] @ DRAM, b: [bf16][8] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 4):
        for k in seq(0, 2):
            dst[i] += f32(a[2 * i + k]) * f32(b[2 * i + k])


@instr(
    "for (int i = 0; i < 4; i++) {dst.ptr}[i] = test_flush(test_flush({a.ptr}[i]) * test_flush({dst.ptr}[i]));",
    includes=C_MATH,
    c_global=FLUSHING,
    subnormals="flushed",
)
def flushing_product(dst: [f32][4] @ DRAM, a: [f32][4] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    for i in seq(0, 4):
        dst[i] = a[i] * dst[i]


RIGHT = (
    dot_of_bf16,
    flushing_dot_of_bf16,
    flushing_product,
    pad_fill,
    pad_clear,
    reverse,
    add_registers,
    matmul,
    square_root,
    exponential,
    quantise,
    histogram,
    set_scale,
    set_stride,
    set_lanes,
    scale,
    load_by_register,
    copy_rows,
    double_or_negate,
    load,
    store,
    sub_strided,
    maskz_load,
    load_undefined,
    fma,
    dot,
    add_in_place,
    twice,
    load_backwards,
    store_backwards,
    iota_backwards,
    pad_in,
    pad_out,
    pad_negate,
)
