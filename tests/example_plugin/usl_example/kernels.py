"""The registers and the instructions. An instruction's body says what its C text does.

A move reads a stride from a register, not from its operands, and asserts what the register must hold. Registers are write-only:
instructions set them and no program can read them back, so generated C never mentions them.

`load_a`, `load_b` and `store` are no instructions: they say what a move does whatever the registers hold. Their configured
versions set the register first, so they are the same up to what the register holds at the end.
"""

from __future__ import annotations

from usl_core import DRAM, Config, Procedure, config, instr, proc, replace, write_config, write_only
from usl_example.memories import ACCUMULATOR, MODEL, SCRATCHPAD


@config
class LoadA:
    src_stride: write_only[stride]


@config
class LoadB:
    src_stride: write_only[stride]


@config
class Store:
    dst_stride: write_only[stride]


@instr("accel_config_a({s});", c_global=MODEL)
def config_a(s: index):
    LoadA.src_stride = s


@instr("accel_config_b({s});", c_global=MODEL)
def config_b(s: index):
    LoadB.src_stride = s


@instr("accel_config_c({s});", c_global=MODEL)
def config_c(s: index):
    Store.dst_stride = s


@instr("accel_load_a({src.ptr}, {dst.ptr}, {n}, {m});", c_global=MODEL)
def move_a(n: size, m: size, src: [i8][n, m] @ DRAM, dst: [i8][n, 16] @ SCRATCHPAD):
    assert m <= 16
    assert stride(src, 1) == 1
    assert stride(dst, 0) == 16
    assert LoadA.src_stride == stride(src, 0)
    for i in seq(0, n):
        for j in seq(0, m):
            dst[i, j] = src[i, j]


@instr("accel_load_b({src.ptr}, {dst.ptr}, {n}, {m});", c_global=MODEL)
def move_b(n: size, m: size, src: [i8][n, m] @ DRAM, dst: [i8][n, 16] @ SCRATCHPAD):
    assert m <= 16
    assert stride(src, 1) == 1
    assert stride(dst, 0) == 16
    assert LoadB.src_stride == stride(src, 0)
    for i in seq(0, n):
        for j in seq(0, m):
            dst[i, j] = src[i, j]


@instr("accel_store({src.ptr}, {dst.ptr}, {n}, {m});", c_global=MODEL)
def move_out(n: size, m: size, dst: [i32][n, m] @ DRAM, src: [i32][n, 16] @ ACCUMULATOR):
    assert m <= 16
    assert stride(src, 0) == 16
    assert stride(dst, 1) == 1
    assert Store.dst_stride == stride(dst, 0)
    for i in seq(0, n):
        for j in seq(0, m):
            dst[i, j] = src[i, j]


@instr("accel_zero({c.ptr});", c_global=MODEL)
def zero16(c: [i32][16, 16] @ ACCUMULATOR):
    assert stride(c, 0) == 16
    for i in seq(0, 16):
        for j in seq(0, 16):
            c[i, j] = 0


@instr("accel_matmul({a.ptr}, {b.ptr}, {c.ptr});", c_global=MODEL)
def matmul16(a: [i8][16, 16] @ SCRATCHPAD, b: [i8][16, 16] @ SCRATCHPAD, c: [i32][16, 16] @ ACCUMULATOR):
    assert stride(a, 0) == 16
    assert stride(b, 0) == 16
    assert stride(c, 0) == 16
    for i in seq(0, 16):
        for j in seq(0, 16):
            for k in seq(0, 16):
                c[i, j] += i32(a[i, k]) * i32(b[k, j])


REGISTERS = (LoadA, LoadB, Store)
INSTRUCTIONS = (config_a, config_b, config_c, move_a, move_b, move_out, zero16, matmul16)


# ---- moves, whatever the registers hold


@proc
def load_a(n: size, m: size, src: [i8][n, m] @ DRAM, dst: [i8][n, 16] @ SCRATCHPAD):
    assert m <= 16
    assert stride(src, 1) == 1
    assert stride(dst, 0) == 16
    for i in seq(0, n):
        for j in seq(0, m):
            dst[i, j] = src[i, j]


@proc
def load_b(n: size, m: size, src: [i8][n, m] @ DRAM, dst: [i8][n, 16] @ SCRATCHPAD):
    assert m <= 16
    assert stride(src, 1) == 1
    assert stride(dst, 0) == 16
    for i in seq(0, n):
        for j in seq(0, m):
            dst[i, j] = src[i, j]


@proc
def store(n: size, m: size, dst: [i32][n, m] @ DRAM, src: [i32][n, 16] @ ACCUMULATOR):
    assert m <= 16
    assert stride(src, 0) == 16
    assert stride(dst, 1) == 1
    for i in seq(0, n):
        for j in seq(0, m):
            dst[i, j] = src[i, j]


def _configured(p: Procedure, register: Config, field: str, value: str, setting: Procedure, move: Procedure) -> Procedure:
    """p by the instruction that moves, after the one that sets the register which it reads."""
    p = write_config(p, p.find_loop("i").before(), register, field, value)
    p = replace(p, f"{register.name}.{field} = _", setting)
    return replace(p, "i", move)


configured_load_a = _configured(load_a, LoadA, "src_stride", "stride(src, 0)", config_a, move_a)
configured_load_b = _configured(load_b, LoadB, "src_stride", "stride(src, 0)", config_b, move_b)
configured_store = _configured(store, Store, "dst_stride", "stride(dst, 0)", config_c, move_out)
