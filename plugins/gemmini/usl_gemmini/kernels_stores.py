"""Instructions that store sums, and rows of the scratchpad, in main memory.

An mvout takes up to dim rows of up to 64 columns; blocks of dim columns lie dim rows apart. How far rows are apart in main
memory, scale, activation and pooling stand in the record of the store, so they are assertions.
Reference: fact sheet, section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from usl_core import Config, Fragment, Procedure, instr
from usl_core.ir.memory import MemoryClass
from usl_gemmini.kernels_activation import ACTIVATIONS
from usl_gemmini.kernels_conditions import next_to_each_other, row_after_row, stored
from usl_gemmini.kernels_registers import ST
from usl_gemmini.memories import OUTPUTS, Memories, chip_header
from usl_gemmini.params import GemminiParams
from usl_gemmini.rounding import rne

POOLS = (2, 3)
"""Windows of pooling, 2 pixels apart (`_step1`: 1)."""


def stores(params: GemminiParams, mems: Memories) -> Mapping[str, Callable[[], Procedure]]:
    """By name, what makes each instruction of this module for one chip."""
    made: dict[str, Callable[[], Procedure]] = {}
    for end, output in OUTPUTS.items():
        out, fence = output.memory, output.fence
        made[f"mvout_full{end}"] = partial(_mvout_full, params, mems.acc, out, fence)
        made[f"mvout_spad{end}"] = partial(_mvout_spad, params, mems.spad, out, fence)
        for relu, act in ACTIVATIONS.items():
            name = f"mvout_relu{end}" if relu else f"mvout{end}"
            made[name] = partial(_mvout, params, mems.acc, out, fence, act, int(relu))
            for size in POOLS:
                pooled = partial(_mvout_pool, params, mems.acc, out, fence, act, int(relu), size)
                made[f"{name}_pool{size}"] = partial(pooled, 2)
                made[f"{name}_pool{size}_step1"] = partial(pooled, 1)
    return made


def _mvout(
    params: GemminiParams, ACC: MemoryClass, OUT: MemoryClass, FENCE: Config, act: Fragment, ACTIVATION: int
) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)

    @instr("gemmini_extended_mvout({dst.ptr}, {src}, {cols}, {rows});", c_global=HEADER)
    def mvout(rows: size, cols: size, dst: [i8][rows, cols] @ OUT, src: [i32][(cols + DIM - 1) / DIM, rows, DIM] @ ACC):
        assert cols <= MOST
        assert stride(dst, 1) == 1
        next_to_each_other(src, rows, cols, DIM)
        stored(stride(dst, 0), 1)
        assert ST.activation == ACTIVATION
        FENCE.pending = True
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[r, c] = i8(rne(f32(act(src[c / DIM, r, c % DIM])) * ST.scale))

    return mvout


def _mvout_full(params: GemminiParams, ACC: MemoryClass, OUT: MemoryClass, FENCE: Config) -> Procedure:
    DIM, HEADER = params.dim, chip_header(params)

    @instr("gemmini_extended_mvout({dst.ptr}, ({src}) | GEMMINI_ACC_FULL, {cols}, {rows});", c_global=HEADER)
    def mvout_full(rows: size, cols: size, dst: [i32][rows, cols] @ OUT, src: [i32][rows, DIM] @ ACC):
        assert rows <= DIM
        assert cols <= DIM
        assert stride(dst, 1) == 1
        row_after_row(src, DIM)
        stored(stride(dst, 0), 4)
        FENCE.pending = True
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[r, c] = src[r, c]

    return mvout_full


def _mvout_spad(params: GemminiParams, SPAD: MemoryClass, OUT: MemoryClass, FENCE: Config) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)

    @instr("gemmini_extended_mvout({dst.ptr}, {src}, {cols}, {rows});", c_global=HEADER)
    def mvout_spad(rows: size, cols: size, dst: [i8][rows, cols] @ OUT, src: [i8][(cols + DIM - 1) / DIM, rows, DIM] @ SPAD):
        assert cols <= MOST
        assert stride(dst, 1) == 1
        next_to_each_other(src, rows, cols, DIM)
        stored(stride(dst, 0), 1)
        FENCE.pending = True
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[r, c] = src[c / DIM, r, c % DIM]

    return mvout_spad


def _mvout_pool(
    params: GemminiParams,
    ACC: MemoryClass,
    OUT: MemoryClass,
    FENCE: Config,
    act: Fragment,
    ACTIVATION: int,
    SIZE: int,
    STEP: int,
) -> Procedure:
    """One row of pooled pixels: the largest of windows SIZE x SIZE, STEP pixels apart."""
    DIM, HEADER = params.dim, chip_header(params)

    @instr("gemmini_extended_mvout({dst.ptr}, {src}, {cols}, 0);", c_global=HEADER)
    def mvout_pool(pixels: size, cols: size, width: size, dst: [i8][pixels, cols] @ OUT, src: [i32][SIZE, width, DIM] @ ACC):
        assert cols <= DIM
        assert STEP * (pixels - 1) + SIZE <= width
        assert stride(dst, 1) == 1
        assert stride(src, 0) == DIM * width
        assert stride(src, 1) == DIM
        assert stride(src, 2) == 1
        assert ST.stride == stride(dst, 0)
        assert ST.bytes == 1
        assert ST.activation == ACTIVATION
        assert ST.pool_stride == STEP
        assert ST.pool_size == SIZE
        assert ST.porows == 1
        assert ST.pocols == pixels
        assert ST.pool_out_dim == pixels
        assert ST.orows == SIZE
        assert ST.ocols == width
        assert ST.upad == 0
        assert ST.lpad == 0
        FENCE.pending = True
        for p in seq(0, pixels):
            for c in seq(0, cols):
                most: i8
                most = -128
                for wr in seq(0, SIZE):
                    for wc in seq(0, SIZE):
                        most = max(most, i8(rne(f32(act(src[wr, STEP * p + wc, c])) * ST.scale)))
                dst[p, c] = most

    return mvout_pool
