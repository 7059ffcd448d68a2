"""Instructions that move data in and out, and the configuration of the channels that they use.

An mvin takes up to dim rows of up to 64 columns (16 of int32); blocks of dim columns lie `block_stride` apart. How far rows
are apart in main memory, and blocks in the local one, stands in the record of the channel, so both are assertions.
Reference: fact sheet, sections 4 and 5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from usl_core import DRAM, Config, Fragment, Procedure, instr
from usl_core.ir.memory import MemoryClass
from usl_gemmini.kernels_activation import plain, rectified
from usl_gemmini.kernels_registers import FENCE, FENCE2, FENCE3, LD0, LD1, LD2, ST
from usl_gemmini.memories import GEMMINI_OUT, GEMMINI_OUT2, GEMMINI_OUT3, Memories, chip_header
from usl_gemmini.params import GemminiParams
from usl_gemmini.rounding import rne

CHANNELS = {"": LD0, "2": LD1, "3": LD2}
"""The load channels by the suffix of their mvin."""
OUTPUTS = {"": (GEMMINI_OUT, FENCE), "2": (GEMMINI_OUT2, FENCE2), "3": (GEMMINI_OUT3, FENCE3)}
"""The classes of outputs by the suffix of their instructions, each with the record that says what may be in flight."""

POOLS = (2, 3)
"""Windows of pooling, 2 pixels apart (`_step1`: 1)."""


def movement(params: GemminiParams, mems: Memories) -> Mapping[str, Callable[[], Procedure]]:
    """By name, what makes each instruction of this module for one chip."""
    made: dict[str, Callable[[], Procedure]] = {}
    for number, (suffix, channel) in enumerate(CHANNELS.items()):
        made[f"config_ld{number}"] = partial(_config_ld, params, channel, number)
        made[f"config_ld{number}_wide"] = partial(_config_ld_wide, params, channel, number)
        made[f"config_ld{number}_scaled"] = partial(_config_ld_scaled, params, channel, number)
        into_spad, into_acc = (params, mems.spad, channel, suffix), (params, mems.acc, channel, suffix)
        made[f"mvin{suffix}"] = partial(_mvin, *into_spad)
        made[f"mvin{suffix}_scaled"] = partial(_mvin_scaled, *into_spad)
        for end, (out, fence) in OUTPUTS.items():
            made[f"mvin{suffix}_back{end}"] = partial(_mvin_back, *into_spad, out, fence)
            if number < 2:
                made[f"mvin{suffix}_acc_i8_back{end}"] = partial(_mvin_acc_i8_back, *into_acc, out, fence)
                made[f"mvin{suffix}_acc_i8_add_back{end}"] = partial(_mvin_acc_i8_add_back, *into_acc, out, fence)
        made[f"zero{suffix}"] = partial(_zero, *into_spad)
        made[f"mvin{suffix}_acc"] = partial(_mvin_acc, *into_acc)
        made[f"mvin{suffix}_acc_add"] = partial(_mvin_acc_add, *into_acc)
        made[f"mvin{suffix}_acc_row"] = partial(_mvin_acc_row, *into_acc)
        made[f"mvin{suffix}_acc_i8"] = partial(_mvin_acc_i8, *into_acc)
        made[f"zero{suffix}_acc"] = partial(_zero_acc, *into_acc)
    for name in ("mvin_apart6", "mvin_apart6_back", "mvin_apart6_back2", "mvin_apart6_back3"):  # of others `sliding` makes
        made[name] = sliding(params, mems, name)
    made["config_st"] = partial(_config_st, params)
    made["config_st_wide"] = partial(_config_st_wide, params)
    made["config_st_pool"] = partial(_config_st_pool, params)
    for end, (out, fence) in OUTPUTS.items():
        made[f"mvout{end}"] = partial(_mvout, params, mems.acc, out, fence)
        made[f"mvout_relu{end}"] = partial(_mvout_relu, params, mems.acc, out, fence)
        made[f"mvout_full{end}"] = partial(_mvout_full, params, mems.acc, out, fence)
        made[f"mvout_spad{end}"] = partial(_mvout_spad, params, mems.spad, out, fence)
        for relu, (name, act) in {False: ("mvout", plain), True: ("mvout_relu", rectified)}.items():
            for size in POOLS:
                made[f"{name}{end}_pool{size}"] = partial(_mvout_pool, params, mems.acc, out, fence, act, relu, size, 2)
                made[f"{name}{end}_pool{size}_step1"] = partial(_mvout_pool, params, mems.acc, out, fence, act, relu, size, 1)
    return made


def _config_ld(params: GemminiParams, LD: Config, number: int) -> Procedure:
    DIM, HEADER = params.dim, chip_header(params)

    @instr(
        f"gemmini_extended4_config_ld({{stride}}, MVIN_SCALE_IDENTITY, {{shrunk}}, {{block_stride}} / DIM, {number});",
        c_global=HEADER,
    )
    def config_ld(stride: index, shrunk: bool, block_stride: index):
        assert stride >= 0
        assert block_stride >= DIM
        assert block_stride % DIM == 0
        assert block_stride < DIM * 65536
        LD.stride = stride
        LD.bytes = 1
        LD.scale = 1.0
        LD.plain = True
        LD.shrunk = shrunk
        LD.block_stride = block_stride
        LD.pixel_repeats = 1

    return config_ld


def _config_ld_wide(params: GemminiParams, LD: Config, number: int) -> Procedure:
    DIM, HEADER = params.dim, chip_header(params)

    @instr(
        f"gemmini_extended4_config_ld(4 * {{stride}}, MVIN_SCALE_IDENTITY, false, {{block_stride}} / DIM, {number});",
        c_global=HEADER,
    )
    def config_ld_wide(stride: index, block_stride: index):
        assert stride >= 0
        assert block_stride >= DIM
        assert block_stride % DIM == 0
        assert block_stride < DIM * 65536
        LD.stride = stride
        LD.bytes = 4
        LD.scale = 1.0
        LD.plain = True
        LD.shrunk = False
        LD.block_stride = block_stride
        LD.pixel_repeats = 1

    return config_ld_wide


def _config_ld_scaled(params: GemminiParams, LD: Config, number: int) -> Procedure:
    DIM, HEADER = params.dim, chip_header(params)

    @instr(
        f"gemmini_extended4_config_ld({{stride}}, {{scale}}, {{shrunk}}, {{block_stride}} / DIM, {number});", c_global=HEADER
    )
    def config_ld_scaled(stride: index, scale: f32, shrunk: bool, block_stride: index):
        assert stride >= 0
        assert block_stride >= DIM
        assert block_stride % DIM == 0
        assert block_stride < DIM * 65536
        LD.stride = stride
        LD.bytes = 1
        LD.scale = scale
        LD.plain = False
        LD.shrunk = shrunk
        LD.block_stride = block_stride
        LD.pixel_repeats = 1

    return config_ld_scaled


def _mvin(params: GemminiParams, SPAD: MemoryClass, LD: Config, suffix: str) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)
    template = f"gemmini_extended_mvin{suffix}({{src.ptr}}, {{dst}}, {{cols}}, {{rows}});"

    @instr(template, c_global=HEADER)
    def mvin(rows: size, cols: size, dst: [i8][(cols + DIM - 1) / DIM, rows, DIM] @ SPAD, src: [i8][rows, cols] @ DRAM):
        assert rows <= DIM
        assert cols <= MOST
        assert stride(src, 1) == 1
        assert stride(dst, 1) == DIM
        assert stride(dst, 2) == 1
        assert stride(dst, 0) >= DIM * rows
        assert LD.stride == stride(src, 0)
        assert LD.bytes == 1
        assert LD.block_stride == stride(dst, 0)
        assert LD.plain
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = src[r, c]

    return mvin


def _mvin_scaled(params: GemminiParams, SPAD: MemoryClass, LD: Config, suffix: str) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)
    template = f"gemmini_extended_mvin{suffix}({{src.ptr}}, {{dst}}, {{cols}}, {{rows}});"

    @instr(template, c_global=HEADER)
    def mvin_scaled(rows: size, cols: size, dst: [i8][(cols + DIM - 1) / DIM, rows, DIM] @ SPAD, src: [i8][rows, cols] @ DRAM):
        assert rows <= DIM
        assert cols <= MOST
        assert stride(src, 1) == 1
        assert stride(dst, 1) == DIM
        assert stride(dst, 2) == 1
        assert stride(dst, 0) >= DIM * rows
        assert LD.stride == stride(src, 0)
        assert LD.bytes == 1
        assert LD.block_stride == stride(dst, 0)
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = i8(rne(f32(src[r, c]) * LD.scale))

    return mvin_scaled


def _mvin_back(params: GemminiParams, SPAD: MemoryClass, LD: Config, suffix: str, OUT: MemoryClass, FENCE: Config) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)
    template = f"gemmini_extended_mvin{suffix}({{src.ptr}}, {{dst}}, {{cols}}, {{rows}});"

    @instr(template, c_global=HEADER)
    def mvin_back(rows: size, cols: size, dst: [i8][(cols + DIM - 1) / DIM, rows, DIM] @ SPAD, src: [i8][rows, cols] @ OUT):
        assert rows <= DIM
        assert cols <= MOST
        assert stride(src, 1) == 1
        assert stride(dst, 1) == DIM
        assert stride(dst, 2) == 1
        assert stride(dst, 0) >= DIM * rows
        assert LD.stride == stride(src, 0)
        assert LD.bytes == 1
        assert LD.block_stride == stride(dst, 0)
        assert LD.plain
        assert not FENCE.pending
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = src[r, c]

    return mvin_back


def sliding(params: GemminiParams, mems: Memories, name: str) -> Callable[[], Procedure]:
    """What makes `mvin_apart6`, or `mvin_apart6_back2` of outputs: rows that begin 6 elements apart, and may overlap.

    Raises:
        KeyError: it is not the name of such an instruction.
    """
    found = re.fullmatch(r"mvin_apart([1-9][0-9]*)(?:(_back)([23]?))?", name)
    if found is None:
        raise KeyError(name)
    step = int(found[1])
    if found[2] is None:
        return partial(_mvin_apart, params, mems.spad, LD0, step)
    return partial(_mvin_apart_back, params, mems.spad, LD0, step, *OUTPUTS[found[3]])


def _mvin_apart(params: GemminiParams, SPAD: MemoryClass, LD: Config, STEP: int) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)

    @instr("gemmini_extended_mvin({src.ptr}, {dst}, {cols}, {rows});", c_global=HEADER)
    def mvin_apart(
        rows: size, cols: size, dst: [i8][(cols + DIM - 1) / DIM, rows, DIM] @ SPAD, src: [i8][STEP * (rows - 1) + cols] @ DRAM
    ):
        assert rows <= DIM
        assert cols <= MOST
        assert stride(src, 0) == 1
        assert stride(dst, 1) == DIM
        assert stride(dst, 2) == 1
        assert stride(dst, 0) >= DIM * rows
        assert LD.stride == STEP
        assert LD.bytes == 1
        assert LD.block_stride == stride(dst, 0)
        assert LD.plain
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = src[STEP * r + c]

    return mvin_apart


def _mvin_apart_back(
    params: GemminiParams, SPAD: MemoryClass, LD: Config, STEP: int, OUT: MemoryClass, FENCE: Config
) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)

    @instr("gemmini_extended_mvin({src.ptr}, {dst}, {cols}, {rows});", c_global=HEADER)
    def mvin_apart_back(
        rows: size, cols: size, dst: [i8][(cols + DIM - 1) / DIM, rows, DIM] @ SPAD, src: [i8][STEP * (rows - 1) + cols] @ OUT
    ):
        assert rows <= DIM
        assert cols <= MOST
        assert stride(src, 0) == 1
        assert stride(dst, 1) == DIM
        assert stride(dst, 2) == 1
        assert stride(dst, 0) >= DIM * rows
        assert LD.stride == STEP
        assert LD.bytes == 1
        assert LD.block_stride == stride(dst, 0)
        assert LD.plain
        assert not FENCE.pending
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = src[STEP * r + c]

    return mvin_apart_back


def _mvin_acc(params: GemminiParams, ACC: MemoryClass, LD: Config, suffix: str) -> Procedure:
    DIM, WIDE, HEADER = params.dim, params.max_bytes // 4, chip_header(params)
    template = f"gemmini_extended_mvin{suffix}({{src.ptr}}, {{dst}}, {{cols}}, {{rows}});"

    @instr(template, c_global=HEADER)
    def mvin_acc(rows: size, cols: size, dst: [i32][(cols + DIM - 1) / DIM, rows, DIM] @ ACC, src: [i32][rows, cols] @ DRAM):
        assert rows <= DIM
        assert cols <= WIDE
        assert stride(src, 1) == 1
        assert stride(dst, 1) == DIM
        assert stride(dst, 2) == 1
        assert stride(dst, 0) >= DIM * rows
        assert LD.stride == stride(src, 0)
        assert LD.bytes == 4
        assert LD.block_stride == stride(dst, 0)
        assert not LD.shrunk
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = src[r, c]

    return mvin_acc


def _mvin_acc_add(params: GemminiParams, ACC: MemoryClass, LD: Config, suffix: str) -> Procedure:
    DIM, WIDE, HEADER = params.dim, params.max_bytes // 4, chip_header(params)
    template = f"gemmini_extended_mvin{suffix}({{src.ptr}}, ({{dst}}) | GEMMINI_ACC_ADD, {{cols}}, {{rows}});"

    @instr(template, c_global=HEADER)
    def mvin_acc_add(
        rows: size, cols: size, dst: [i32][(cols + DIM - 1) / DIM, rows, DIM] @ ACC, src: [i32][rows, cols] @ DRAM
    ):
        assert rows <= DIM
        assert cols <= WIDE
        assert stride(src, 1) == 1
        assert stride(dst, 1) == DIM
        assert stride(dst, 2) == 1
        assert stride(dst, 0) >= DIM * rows
        assert LD.stride == stride(src, 0)
        assert LD.bytes == 4
        assert LD.block_stride == stride(dst, 0)
        assert not LD.shrunk
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] += src[r, c]

    return mvin_acc_add


def _mvin_acc_row(params: GemminiParams, ACC: MemoryClass, LD: Config, suffix: str) -> Procedure:
    DIM, WIDE, HEADER = params.dim, params.max_bytes // 4, chip_header(params)
    template = f"gemmini_extended_mvin{suffix}({{src.ptr}}, {{dst}}, {{cols}}, {{rows}});"

    @instr(template, c_global=HEADER)
    def mvin_acc_row(rows: size, cols: size, dst: [i32][(cols + DIM - 1) / DIM, rows, DIM] @ ACC, src: [i32][cols] @ DRAM):
        assert rows <= DIM
        assert cols <= WIDE
        assert stride(src, 0) == 1
        assert stride(dst, 1) == DIM
        assert stride(dst, 2) == 1
        assert stride(dst, 0) >= DIM * rows
        assert LD.stride == 0
        assert LD.block_stride == stride(dst, 0)
        assert not LD.shrunk
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = src[c]

    return mvin_acc_row


def _mvin_acc_i8(params: GemminiParams, ACC: MemoryClass, LD: Config, suffix: str) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)
    template = f"gemmini_extended_mvin{suffix}({{src.ptr}}, {{dst}}, {{cols}}, {{rows}});"

    @instr(template, c_global=HEADER)
    def mvin_acc_i8(rows: size, cols: size, dst: [i32][(cols + DIM - 1) / DIM, rows, DIM] @ ACC, src: [i8][rows, cols] @ DRAM):
        assert rows <= DIM
        assert cols <= MOST
        assert stride(src, 1) == 1
        assert stride(dst, 1) == DIM
        assert stride(dst, 2) == 1
        assert stride(dst, 0) >= DIM * rows
        assert LD.stride == stride(src, 0)
        assert LD.bytes == 1
        assert LD.block_stride == stride(dst, 0)
        assert LD.shrunk
        assert LD.plain
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = i32(src[r, c])

    return mvin_acc_i8


def _mvin_acc_i8_back(
    params: GemminiParams, ACC: MemoryClass, LD: Config, suffix: str, OUT: MemoryClass, FENCE: Config
) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)
    template = f"gemmini_extended_mvin{suffix}({{src.ptr}}, {{dst}}, {{cols}}, {{rows}});"

    @instr(template, c_global=HEADER)
    def mvin_acc_i8_back(
        rows: size, cols: size, dst: [i32][(cols + DIM - 1) / DIM, rows, DIM] @ ACC, src: [i8][rows, cols] @ OUT
    ):
        assert rows <= DIM
        assert cols <= MOST
        assert stride(src, 1) == 1
        assert stride(dst, 1) == DIM
        assert stride(dst, 2) == 1
        assert stride(dst, 0) >= DIM * rows
        assert LD.stride == stride(src, 0)
        assert LD.bytes == 1
        assert LD.block_stride == stride(dst, 0)
        assert LD.shrunk
        assert LD.plain
        assert not FENCE.pending
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = i32(src[r, c])

    return mvin_acc_i8_back


def _mvin_acc_i8_add_back(
    params: GemminiParams, ACC: MemoryClass, LD: Config, suffix: str, OUT: MemoryClass, FENCE: Config
) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)
    template = f"gemmini_extended_mvin{suffix}({{src.ptr}}, ({{dst}}) | GEMMINI_ACC_ADD, {{cols}}, {{rows}});"

    @instr(template, c_global=HEADER)
    def mvin_acc_i8_add_back(
        rows: size, cols: size, dst: [i32][(cols + DIM - 1) / DIM, rows, DIM] @ ACC, src: [i8][rows, cols] @ OUT
    ):
        assert rows <= DIM
        assert cols <= MOST
        assert stride(src, 1) == 1
        assert stride(dst, 1) == DIM
        assert stride(dst, 2) == 1
        assert stride(dst, 0) >= DIM * rows
        assert LD.stride == stride(src, 0)
        assert LD.bytes == 1
        assert LD.block_stride == stride(dst, 0)
        assert LD.shrunk
        assert LD.plain
        assert not FENCE.pending
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] += i32(src[r, c])

    return mvin_acc_i8_add_back


def _zero(params: GemminiParams, SPAD: MemoryClass, LD: Config, suffix: str) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)
    template = f"gemmini_extended_mvin{suffix}(NULL, {{dst}}, {{cols}}, {{rows}});"

    @instr(template, c_global=HEADER)
    def zero(rows: size, cols: size, dst: [i8][(cols + DIM - 1) / DIM, rows, DIM] @ SPAD):
        assert rows <= DIM
        assert cols <= MOST
        assert stride(dst, 1) == DIM
        assert stride(dst, 2) == 1
        assert stride(dst, 0) >= DIM * rows
        assert LD.block_stride == stride(dst, 0)
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = 0

    return zero


def _zero_acc(params: GemminiParams, ACC: MemoryClass, LD: Config, suffix: str) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)
    template = f"gemmini_extended_mvin{suffix}(NULL, {{dst}}, {{cols}}, {{rows}});"

    @instr(template, c_global=HEADER)
    def zero_acc(rows: size, cols: size, dst: [i32][(cols + DIM - 1) / DIM, rows, DIM] @ ACC):
        assert rows <= DIM
        assert cols <= MOST
        assert stride(dst, 1) == DIM
        assert stride(dst, 2) == 1
        assert stride(dst, 0) >= DIM * rows
        assert LD.block_stride == stride(dst, 0)
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = 0

    return zero_acc


def _config_st(params: GemminiParams) -> Procedure:
    HEADER = chip_header(params)

    @instr("gemmini_extended_config_st({stride}, {activation}, {scale});", c_global=HEADER)
    def config_st(stride: index, activation: index, scale: f32):
        assert stride >= 0 and stride < 2147483648
        assert activation >= 0 and activation <= 1
        ST.stride = stride
        ST.bytes = 1
        ST.activation = activation
        ST.scale = scale
        ST.pool_stride = 0
        ST.pool_size = 0
        ST.pool_out_dim = 0
        ST.porows = 0
        ST.pocols = 0
        ST.orows = 0
        ST.ocols = 0
        ST.upad = 0
        ST.lpad = 0

    return config_st


def _config_st_wide(params: GemminiParams) -> Procedure:
    HEADER = chip_header(params)

    @instr("gemmini_extended_config_st(4 * {stride}, NO_ACTIVATION, ACC_SCALE_IDENTITY);", c_global=HEADER)
    def config_st_wide(stride: index):
        assert stride >= 0 and stride < 536870912
        ST.stride = stride
        ST.bytes = 4
        ST.activation = 0
        ST.scale = 1.0
        ST.pool_stride = 0
        ST.pool_size = 0
        ST.pool_out_dim = 0
        ST.porows = 0
        ST.pocols = 0
        ST.orows = 0
        ST.ocols = 0
        ST.upad = 0
        ST.lpad = 0

    return config_st_wide


def _config_st_pool(params: GemminiParams) -> Procedure:
    HEADER = chip_header(params)

    @instr(
        "gemmini_extended2_config_st({stride}, {activation}, {scale}, {pool_stride}, {pool_size}, {pool_out_dim}, {porows},"
        " {pocols}, {orows}, {ocols}, {upad}, {lpad});",
        c_global=HEADER,
    )
    def config_st_pool(
        stride: index,
        activation: index,
        scale: f32,
        pool_stride: index,
        pool_size: index,
        pool_out_dim: index,
        porows: index,
        pocols: index,
        orows: index,
        ocols: index,
        upad: index,
        lpad: index,
    ):
        assert stride >= 0 and stride < 2147483648
        assert activation >= 0 and activation <= 1
        assert pool_stride >= 1 and pool_stride <= 3
        assert pool_size >= 1 and pool_size <= 3
        assert upad >= 0 and upad <= 3
        assert lpad >= 0 and lpad <= 3
        assert porows >= 1 and porows <= 255
        assert pocols >= 1 and pocols <= pool_out_dim and pool_out_dim <= 255
        assert orows >= 1 and orows <= 255
        assert ocols >= 1 and ocols <= 255
        ST.stride = stride
        ST.bytes = 1
        ST.activation = activation
        ST.scale = scale
        ST.pool_stride = pool_stride
        ST.pool_size = pool_size
        ST.pool_out_dim = pool_out_dim
        ST.porows = porows
        ST.pocols = pocols
        ST.orows = orows
        ST.ocols = ocols
        ST.upad = upad
        ST.lpad = lpad

    return config_st_pool


def _mvout(params: GemminiParams, ACC: MemoryClass, OUT: MemoryClass, FENCE: Config) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)

    @instr("gemmini_extended_mvout({dst.ptr}, {src}, {cols}, {rows});", c_global=HEADER)
    def mvout(rows: size, cols: size, dst: [i8][rows, cols] @ OUT, src: [i32][(cols + DIM - 1) / DIM, rows, DIM] @ ACC):
        assert rows <= DIM
        assert cols <= MOST
        assert stride(dst, 1) == 1
        assert cols <= DIM or stride(src, 0) == DIM * DIM
        assert stride(src, 1) == DIM
        assert stride(src, 2) == 1
        assert ST.stride == stride(dst, 0)
        assert ST.bytes == 1
        assert ST.activation == 0
        assert ST.pool_stride == 0
        FENCE.pending = True
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[r, c] = i8(rne(f32(src[c / DIM, r, c % DIM]) * ST.scale))

    return mvout


def _mvout_relu(params: GemminiParams, ACC: MemoryClass, OUT: MemoryClass, FENCE: Config) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)

    @instr("gemmini_extended_mvout({dst.ptr}, {src}, {cols}, {rows});", c_global=HEADER)
    def mvout_relu(rows: size, cols: size, dst: [i8][rows, cols] @ OUT, src: [i32][(cols + DIM - 1) / DIM, rows, DIM] @ ACC):
        assert rows <= DIM
        assert cols <= MOST
        assert stride(dst, 1) == 1
        assert cols <= DIM or stride(src, 0) == DIM * DIM
        assert stride(src, 1) == DIM
        assert stride(src, 2) == 1
        assert ST.stride == stride(dst, 0)
        assert ST.bytes == 1
        assert ST.activation == 1
        assert ST.pool_stride == 0
        FENCE.pending = True
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[r, c] = i8(rne(f32(relu(src[c / DIM, r, c % DIM])) * ST.scale))

    return mvout_relu


def _mvout_pool(
    params: GemminiParams, ACC: MemoryClass, OUT: MemoryClass, FENCE: Config, act: Fragment, RELU: bool, SIZE: int, STEP: int
) -> Procedure:
    DIM, HEADER = params.dim, chip_header(params)
    ACTIVATION = int(RELU)

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


def _mvout_full(params: GemminiParams, ACC: MemoryClass, OUT: MemoryClass, FENCE: Config) -> Procedure:
    DIM, HEADER = params.dim, chip_header(params)

    @instr("gemmini_extended_mvout({dst.ptr}, ({src}) | GEMMINI_ACC_FULL, {cols}, {rows});", c_global=HEADER)
    def mvout_full(rows: size, cols: size, dst: [i32][rows, cols] @ OUT, src: [i32][rows, DIM] @ ACC):
        assert rows <= DIM
        assert cols <= DIM
        assert stride(dst, 1) == 1
        assert stride(src, 0) == DIM
        assert stride(src, 1) == 1
        assert ST.stride == stride(dst, 0)
        assert ST.bytes == 4
        assert ST.pool_stride == 0
        FENCE.pending = True
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[r, c] = src[r, c]

    return mvout_full


def _mvout_spad(params: GemminiParams, SPAD: MemoryClass, OUT: MemoryClass, FENCE: Config) -> Procedure:
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)

    @instr("gemmini_extended_mvout({dst.ptr}, {src}, {cols}, {rows});", c_global=HEADER)
    def mvout_spad(rows: size, cols: size, dst: [i8][rows, cols] @ OUT, src: [i8][(cols + DIM - 1) / DIM, rows, DIM] @ SPAD):
        assert rows <= DIM
        assert cols <= MOST
        assert stride(dst, 1) == 1
        assert cols <= DIM or stride(src, 0) == DIM * DIM
        assert stride(src, 1) == DIM
        assert stride(src, 2) == 1
        assert ST.stride == stride(dst, 0)
        assert ST.bytes == 1
        assert ST.pool_stride == 0
        FENCE.pending = True
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[r, c] = src[c / DIM, r, c % DIM]

    return mvout_spad
