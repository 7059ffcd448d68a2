"""Instructions that bring data into the local memories.

An mvin takes up to dim rows of up to 64 columns (16 of int32); blocks of dim columns lie `block_stride` apart. How far rows
are apart in main memory, and blocks in the local one, stands in the record of the channel, so both are assertions. Those
called `back` load outputs, of which nothing may be in flight.
Reference: fact sheet, sections 4 and 5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from usl_core import DRAM, Config, Fragment, Procedure, fragment, instr
from usl_core.ir.memory import MemoryClass
from usl_core.ir.types import I8, I32, ScalarType
from usl_gemmini.kernels_conditions import in_blocks
from usl_gemmini.kernels_registers import CHANNELS, LD0
from usl_gemmini.memories import OUTPUTS, Memories, Output, chip_header
from usl_gemmini.params import GemminiParams
from usl_gemmini.rounding import rne


@dataclass(frozen=True, slots=True)
class _Channel:
    """A load channel of a chip: its record, and the suffix of its mvin."""

    params: GemminiParams
    record: Config
    suffix: str

    def template(self, source: str = "{src.ptr}", *, adds: bool = False) -> str:
        """The macro of a load from source."""
        local = "({dst}) | GEMMINI_ACC_ADD" if adds else "{dst}"
        return f"gemmini_extended_mvin{self.suffix}({source}, {local}, {{cols}}, {{rows}});"


def loads(params: GemminiParams, mems: Memories) -> Mapping[str, Callable[[], Procedure]]:
    """By name, what makes each instruction of this module for one chip."""
    made: dict[str, Callable[[], Procedure]] = {}
    for number, (suffix, record) in enumerate(CHANNELS.items()):
        name, channel = f"mvin{suffix}", _Channel(params, record, suffix)
        into_sums = partial(_mvin, channel, mems.acc, I32)
        made[name] = partial(_mvin, channel, mems.spad, I8)
        made[f"{name}_scaled"] = partial(_mvin, channel, mems.spad, I8, scaled=True)
        made[f"{name}_acc"] = partial(into_sums, element=I32)
        made[f"{name}_acc_add"] = partial(into_sums, element=I32, adds=True)
        made[f"{name}_acc_row"] = partial(_mvin_acc_row, channel, mems.acc)
        made[f"{name}_acc_i8"] = into_sums
        made[f"zero{suffix}"] = partial(_zero, channel, mems.spad, I8)
        made[f"zero{suffix}_acc"] = partial(_zero, channel, mems.acc, I32)
        for end, out in OUTPUTS.items():
            made[f"{name}_back{end}"] = partial(_mvin, channel, mems.spad, I8, out=out)
            if number < 2:
                made[f"{name}_acc_i8_back{end}"] = partial(into_sums, out=out)
                made[f"{name}_acc_i8_add_back{end}"] = partial(into_sums, out=out, adds=True)
    for name in ("mvin_apart6", "mvin_every2"):  # of others `spaced` makes
        for end in ("", "_back", "_back2", "_back3"):
            made[name + end] = spaced(params, mems, name + end)
    return made


def spaced(params: GemminiParams, mems: Memories, name: str) -> Callable[[], Procedure]:
    """What makes an instruction that has a distance in its name, or of outputs, as in `mvin_apart6_back2`.

    The rows of `mvin_apart6` begin 6 elements apart, and may overlap; `mvin_every2` takes every second row.

    Raises:
        KeyError: it is not the name of such an instruction.
    """
    found = re.fullmatch(r"mvin_(apart|every)([1-9][0-9]*)(?:(_back)([23]?))?", name)
    if found is None:
        raise KeyError(name)
    out = OUTPUTS[found[4]] if found[3] else None
    maker = _mvin_apart if found[1] == "apart" else _mvin_every
    return partial(maker, _Channel(params, LD0, ""), mems.spad, int(found[2]), out)


@fragment
def _same(x):
    """An element as it is."""
    return x


@fragment
def _widened(x):
    """An element as a sum."""
    return i32(x)


def _scaled(LD: Config) -> Fragment:
    """An element times the scale of a channel."""

    @fragment
    def scaled(x):
        return i8(rne(f32(x) * LD.scale))

    return scaled


def _mvin(
    channel: _Channel,
    LOCAL: MemoryClass,
    INTO: ScalarType,
    *,
    element: ScalarType = I8,
    scaled: bool = False,
    adds: bool = False,
    out: Output | None = None,
) -> Procedure:
    """Rows of elements into the scratchpad, or into sums: instead of these, or added to them."""
    params, LD = channel.params, channel.record
    DIM, BYTES, HEADER = params.dim, element.bits // 8, chip_header(params)
    MOST, IN_SUMS, NARROW = params.max_bytes // BYTES, INTO == I32, element == I8
    value = _scaled(LD) if scaled else _widened if IN_SUMS and NARROW else _same
    MEMORY, FENCE = (out.memory, out.fence) if out else (DRAM, None)

    @instr(channel.template(adds=adds), c_global=HEADER)
    def mvin(
        rows: size,
        cols: size,
        dst: [{INTO}][(cols + DIM - 1) / DIM, rows, DIM] @ LOCAL,
        src: [{element}][rows, cols] @ MEMORY,
    ):
        assert cols <= MOST
        assert stride(src, 1) == 1
        in_blocks(dst, rows, DIM)
        assert LD.stride == stride(src, 0)
        assert LD.bytes == BYTES
        assert LD.block_stride == stride(dst, 0)
        if {IN_SUMS and NARROW}:
            assert LD.shrunk
        if {IN_SUMS and not NARROW}:
            assert not LD.shrunk
        if {NARROW and not scaled}:
            assert LD.plain
        if {out is not None}:
            assert not FENCE.pending
        for r in seq(0, rows):
            for c in seq(0, cols):
                if {adds}:
                    dst[c / DIM, r, c % DIM] += value(src[r, c])
                else:
                    dst[c / DIM, r, c % DIM] = value(src[r, c])

    return mvin


def _of_bytes(channel: _Channel, out: Output | None) -> Fragment:
    """What a load of int8 into the scratchpad asks, whose rows begin so many elements apart."""
    LD, DIM, MOST, FENCE = channel.record, channel.params.dim, channel.params.max_bytes, out.fence if out else None

    @fragment
    def of_bytes(dst, rows, cols, apart):
        assert cols <= MOST
        in_blocks(dst, rows, DIM)
        assert LD.stride == apart
        assert LD.bytes == 1
        assert LD.block_stride == stride(dst, 0)
        assert LD.plain
        if {out is not None}:
            assert not FENCE.pending

    return of_bytes


def _mvin_apart(channel: _Channel, SPAD: MemoryClass, STEP: int, out: Output | None) -> Procedure:
    """Rows that begin STEP elements apart, and may overlap."""
    DIM, HEADER, of_bytes = channel.params.dim, chip_header(channel.params), _of_bytes(channel, out)
    MEMORY = out.memory if out else DRAM

    @instr(channel.template(), c_global=HEADER)
    def mvin_apart(
        rows: size,
        cols: size,
        dst: [i8][(cols + DIM - 1) / DIM, rows, DIM] @ SPAD,
        src: [i8][STEP * (rows - 1) + cols] @ MEMORY,
    ):
        assert stride(src, 0) == 1
        of_bytes(dst, rows, cols, STEP)
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = src[STEP * r + c]

    return mvin_apart


def _mvin_every(channel: _Channel, SPAD: MemoryClass, STEP: int, out: Output | None) -> Procedure:
    """Every STEP-th row."""
    DIM, HEADER, of_bytes = channel.params.dim, chip_header(channel.params), _of_bytes(channel, out)
    MEMORY = out.memory if out else DRAM

    @instr(channel.template(), c_global=HEADER)
    def mvin_every(
        rows: size,
        cols: size,
        dst: [i8][(cols + DIM - 1) / DIM, rows, DIM] @ SPAD,
        src: [i8][STEP * (rows - 1) + 1, cols] @ MEMORY,
    ):
        assert stride(src, 1) == 1
        of_bytes(dst, rows, cols, STEP * stride(src, 0))
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = src[STEP * r, c]

    return mvin_every


def _mvin_acc_row(channel: _Channel, ACC: MemoryClass) -> Procedure:
    """One row of int32 for all rows of sums."""
    params, LD = channel.params, channel.record
    DIM, WIDE, HEADER = params.dim, params.max_bytes // 4, chip_header(params)

    @instr(channel.template(), c_global=HEADER)
    def mvin_acc_row(rows: size, cols: size, dst: [i32][(cols + DIM - 1) / DIM, rows, DIM] @ ACC, src: [i32][cols] @ DRAM):
        assert cols <= WIDE
        assert stride(src, 0) == 1
        in_blocks(dst, rows, DIM)
        assert LD.stride == 0
        assert LD.block_stride == stride(dst, 0)
        assert not LD.shrunk
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = src[c]

    return mvin_acc_row


def _zero(channel: _Channel, LOCAL: MemoryClass, INTO: ScalarType) -> Procedure:
    """Zeros, for which main memory is not read."""
    params, LD = channel.params, channel.record
    DIM, MOST, HEADER = params.dim, params.max_bytes, chip_header(params)

    @instr(channel.template("NULL"), c_global=HEADER)
    def zero(rows: size, cols: size, dst: [{INTO}][(cols + DIM - 1) / DIM, rows, DIM] @ LOCAL):
        assert cols <= MOST
        in_blocks(dst, rows, DIM)
        assert LD.block_stride == stride(dst, 0)
        for r in seq(0, rows):
            for c in seq(0, cols):
                dst[c / DIM, r, c % DIM] = 0

    return zero
