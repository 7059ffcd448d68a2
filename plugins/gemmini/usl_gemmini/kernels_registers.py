"""The configuration state: six records, each written as a whole by one instruction, and what is in flight.

All fields are write-only: no C reads them back. All distances count elements here, and `bytes` are those of an element in main
memory; hardware counts bytes there, and rows of dim elements in local memories. Reference: fact sheet, section 4.
"""

from __future__ import annotations

from usl_core import Config, config, write_only


@config
class EX:
    """The array."""

    dataflow: write_only[index]
    activation: write_only[index]
    in_shift: write_only[index]
    acc_scale: write_only[f32]
    C_stride: write_only[index]
    A_stride: write_only[index]
    A_transpose: write_only[bool]
    B_transpose: write_only[bool]


@config
class LD0:
    """Load channel 0, of `mvin`. plain says that scale is 1."""

    stride: write_only[stride]
    bytes: write_only[index]
    scale: write_only[f32]
    plain: write_only[bool]
    shrunk: write_only[bool]
    block_stride: write_only[index]
    pixel_repeats: write_only[index]


@config
class LD1:
    """Load channel 1, of `mvin2`."""

    stride: write_only[stride]
    bytes: write_only[index]
    scale: write_only[f32]
    plain: write_only[bool]
    shrunk: write_only[bool]
    block_stride: write_only[index]
    pixel_repeats: write_only[index]


@config
class LD2:
    """Load channel 2, of `mvin3`."""

    stride: write_only[stride]
    bytes: write_only[index]
    scale: write_only[f32]
    plain: write_only[bool]
    shrunk: write_only[bool]
    block_stride: write_only[index]
    pixel_repeats: write_only[index]


@config
class ST:
    """The store."""

    stride: write_only[stride]
    bytes: write_only[index]
    activation: write_only[index]
    scale: write_only[f32]
    pool_stride: write_only[index]
    pool_size: write_only[index]
    pool_out_dim: write_only[index]
    porows: write_only[index]
    pocols: write_only[index]
    orows: write_only[index]
    ocols: write_only[index]
    upad: write_only[index]
    lpad: write_only[index]


@config
class NORM:
    """Constants of normalisation, which no instruction here uses."""

    q_const: write_only[index]
    q_const_type: write_only[bool]
    set_stats_id_only: write_only[bool]
    act_msb: write_only[bool]
    stat_id: write_only[index]
    qb: write_only[index]
    qc: write_only[index]


@config
class FENCE:
    """pending: an mvout may still be writing to main memory of class GEMMINI_OUT."""

    pending: write_only[bool]


@config
class FENCE2:
    """pending: an mvout may still be writing to main memory of class GEMMINI_OUT2."""

    pending: write_only[bool]


@config
class FENCE3:
    """pending: an mvout may still be writing to main memory of class GEMMINI_OUT3."""

    pending: write_only[bool]


CHANNELS = {"": LD0, "2": LD1, "3": LD2}
"""The load channels by the suffix of their mvin."""

SETTINGS: tuple[Config, ...] = (EX, LD0, LD1, LD2, ST, NORM)
"""What configuration instructions write, and nothing else does."""

REGISTERS: tuple[Config, ...] = (*SETTINGS, FENCE, FENCE2, FENCE3)
BY_NAME = {record.name: record for record in REGISTERS}
