"""A scratchpad of rows of four floats that C knows by 32-bit row numbers, with right and wrong moves."""

from __future__ import annotations

from usl_core import Memory, instr

PAD = """\
static float pad_rows[4096][4];
static uint32_t pad_next;
static inline uint32_t pad_take(uint32_t rows) { const uint32_t at = pad_next; pad_next = (pad_next + rows) % 2048; return at; }
static inline void pad_load(uint32_t row, const float *x) { for (int i = 0; i < 4; i++) pad_rows[row][3 - i] = x[i]; }
static inline void pad_store(float *x, uint32_t row) { for (int i = 0; i < 4; i++) x[i] = pad_rows[row][3 - i]; }
static inline void pad_double(uint32_t to, uint32_t from)
{
    for (int i = 0; i < 4; i++)
        pad_rows[to][i] = 2 * pad_rows[from][i];
}"""
"""Elements lie backwards, so that nothing but its own functions reads them."""


class Handles(Memory):
    name = "Handles"
    addressable = False

    @classmethod
    def header(cls):
        return "#include <stdint.h>\n" + PAD

    @classmethod
    def alloc(cls, name, ctype, shape, span):
        if ctype != "float" or shape[-1] != "4":
            from usl_core import UslError

            raise UslError("rows of four floats only", span=span)
        return f"const uint32_t {name} = pad_take({' * '.join(shape[:-1]) or 1});"

    @classmethod
    def window(cls, base, ctype, indices, strides, span):
        terms = [f"({index}) * ({stride}) / 4" for index, stride in zip(indices[:-1], strides[:-1], strict=True)]
        return f"(uint32_t)({' + '.join([base, *terms])})"


class Peeked(Handles):
    name = "Peeked"
    poke = "pad_load({inside}, {outside.ptr});"
    peek = "for (int i = 0; i < {count}; i++) {outside.ptr}[i] = pad_rows[{inside}][3 - i];"


class HalfDeclared(Handles):
    name = "HalfDeclared"
    peek = "pad_store({outside.ptr}, {inside});"


def moves(memory, load="pad_load({dst}, {src.ptr});"):
    """Load, store and doubling of rows in a memory; the load with other C."""
    ROWS = memory

    @instr(load)
    def load_row(dst: [f32][4] @ ROWS, src: [f32][4]):
        assert stride(src, 0) == 1
        for i in seq(0, 4):
            dst[i] = src[i]

    @instr("pad_store({dst.ptr}, {src});")
    def store_row(dst: [f32][4], src: [f32][4] @ ROWS):
        assert stride(dst, 0) == 1
        for i in seq(0, 4):
            dst[i] = src[i]

    @instr("pad_double({dst}, {src});")
    def double_row(dst: [f32][4] @ ROWS, src: [f32][4] @ ROWS):
        for i in seq(0, 4):
            dst[i] = 2.0 * src[i]

    return [each.ir for each in (load_row, store_row, double_row)]


WRONG_LOAD = "pad_load({dst}, {src.ptr}); pad_rows[{dst}][0] += 1.0f;"
