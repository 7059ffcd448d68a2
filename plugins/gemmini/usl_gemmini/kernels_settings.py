"""Configuration of the load channels and of the store: one instruction writes all fields of a record.

Distances are in elements here and in bytes in main memory, in rows of dim elements in local memories. Reference: fact sheet,
section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from usl_core import Config, Fragment, Procedure, fragment, instr
from usl_gemmini.kernels_registers import CHANNELS, ST
from usl_gemmini.memories import chip_header
from usl_gemmini.params import GemminiParams


def settings(params: GemminiParams) -> Mapping[str, Callable[[], Procedure]]:
    """By name, what makes each instruction of this module for one chip."""
    made: dict[str, Callable[[], Procedure]] = {}
    for number, channel in enumerate(CHANNELS.values()):
        made[f"config_ld{number}"] = partial(_config_ld, params, channel, number)
        made[f"config_ld{number}_wide"] = partial(_config_ld_wide, params, channel, number)
        made[f"config_ld{number}_scaled"] = partial(_config_ld_scaled, params, channel, number)
    made["config_st"] = partial(_config_st, params)
    made["config_st_wide"] = partial(_config_st_wide, params)
    made["config_st_pool"] = partial(_config_st_pool, params)
    return made


def _written(LD: Config, DIM: int) -> Fragment:
    """All fields of a load channel, and the range of those that are arguments."""

    @fragment
    def written(stride, size, scale, identity, shrunk, block_stride):
        assert stride >= 0
        assert block_stride >= DIM
        assert block_stride % DIM == 0
        assert block_stride < DIM * 65536
        LD.stride = stride
        LD.bytes = size
        LD.scale = scale
        LD.plain = identity
        LD.shrunk = shrunk
        LD.block_stride = block_stride
        LD.pixel_repeats = 1

    return written


def _config_ld(params: GemminiParams, LD: Config, number: int) -> Procedure:
    DIM, HEADER = params.dim, chip_header(params)
    written = _written(LD, DIM)

    @instr(
        f"gemmini_extended4_config_ld({{stride}}, MVIN_SCALE_IDENTITY, {{shrunk}}, {{block_stride}} / DIM, {number});",
        c_global=HEADER,
    )
    def config_ld(stride: index, shrunk: bool, block_stride: index):
        written(stride, 1, 1.0, True, shrunk, block_stride)

    return config_ld


def _config_ld_wide(params: GemminiParams, LD: Config, number: int) -> Procedure:
    DIM, HEADER = params.dim, chip_header(params)
    written = _written(LD, DIM)

    @instr(
        f"gemmini_extended4_config_ld(4 * {{stride}}, MVIN_SCALE_IDENTITY, false, {{block_stride}} / DIM, {number});",
        c_global=HEADER,
    )
    def config_ld_wide(stride: index, block_stride: index):
        written(stride, 4, 1.0, True, False, block_stride)

    return config_ld_wide


def _config_ld_scaled(params: GemminiParams, LD: Config, number: int) -> Procedure:
    DIM, HEADER = params.dim, chip_header(params)
    written = _written(LD, DIM)

    @instr(
        f"gemmini_extended4_config_ld({{stride}}, {{scale}}, {{shrunk}}, {{block_stride}} / DIM, {number});", c_global=HEADER
    )
    def config_ld_scaled(stride: index, scale: f32, shrunk: bool, block_stride: index):
        written(stride, 1, scale, False, shrunk, block_stride)

    return config_ld_scaled


@fragment
def _unpooled(stride, size, activation, scale):
    """All fields of a store without pooling."""
    ST.stride = stride
    ST.bytes = size
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


def _config_st(params: GemminiParams) -> Procedure:
    HEADER = chip_header(params)

    @instr("gemmini_extended_config_st({stride}, {activation}, {scale});", c_global=HEADER)
    def config_st(stride: index, activation: index, scale: f32):
        assert stride >= 0 and stride < 2147483648
        assert activation >= 0 and activation <= 1
        _unpooled(stride, 1, activation, scale)

    return config_st


def _config_st_wide(params: GemminiParams) -> Procedure:
    HEADER = chip_header(params)

    @instr("gemmini_extended_config_st(4 * {stride}, NO_ACTIVATION, ACC_SCALE_IDENTITY);", c_global=HEADER)
    def config_st_wide(stride: index):
        assert stride >= 0 and stride < 536870912
        _unpooled(stride, 4, 0, 1.0)

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
