"""Instruction words: the three numbers (funct, rs1, rs2) of each command, from named fields.

The field tables here are what `decode` reads as well; the header's macros encode the same words in C by themselves.
Reference: gemmini-rocc-tests, `gemmini.h`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from usl_gemmini.errors import GemminiError

CONFIG, MVIN2, MVIN, MVOUT, COMPUTE_PRELOADED, COMPUTE_ACCUMULATED, PRELOAD, FLUSH = range(8)
MVIN3, FENCE = 14, 127
CONFIG_EX, CONFIG_LD, CONFIG_ST, CONFIG_NORM = range(4)

ACC, ACC_ADD, ACC_FULL, GARBAGE = 0x80000000, 0xC0000000, 0xA0000000, 0xFFFFFFFF
NO_ACTIVATION, RELU = 0, 1

Words = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Field:
    """Bits of a register: `register` 1 or 2, from bit `at` on. kind is int, float, or address for how it is shown."""

    name: str
    register: int
    at: int
    bits: int
    kind: str = "int"
    default: float = 0


def _operand(register: int, local: str, prefix: str = "") -> tuple[Field, ...]:
    return (
        Field(local, register, 0, 32, "address"),
        Field(f"{prefix}cols", register, 32, 16),
        Field(f"{prefix}rows", register, 48, 16),
    )


_DRAM = Field("dram", 1, 0, 64, "pointer")
_MOVE = (_DRAM, *_operand(2, "local"))
_COMPUTE = (*_operand(1, "a", "a_"), *_operand(2, "bd", "bd_"))

FIELDS: dict[str, tuple[Field, ...]] = {
    "mvin": _MOVE,
    "mvin2": _MOVE,
    "mvin3": _MOVE,
    "mvout": _MOVE,
    "preload": (*_operand(1, "bd", "bd_"), *_operand(2, "c", "c_")),
    "compute_preloaded": _COMPUTE,
    "compute_accumulated": _COMPUTE,
    "flush": (Field("skip", 1, 0, 1),),
    "fence": (),
    "config_ex": (
        Field("dataflow", 1, 2, 1),
        Field("activation", 1, 3, 2),
        Field("set_only_strides", 1, 7, 1),
        Field("a_transpose", 1, 8, 1),
        Field("b_transpose", 1, 9, 1),
        Field("a_stride", 1, 16, 16, default=1),
        Field("acc_scale", 1, 32, 32, "float", 1.0),
        Field("in_shift", 2, 0, 32),
        Field("c_stride", 2, 48, 16, default=1),
    ),
    "config_ld": (
        Field("shrunk", 1, 2, 1),
        Field("id", 1, 3, 2),
        Field("pixel_repeats", 1, 8, 8, default=1),
        Field("block_stride", 1, 16, 16, default=16),
        Field("scale", 1, 32, 32, "float", 1.0),
        Field("stride", 2, 0, 64),
    ),
    "config_st": (
        Field("activation", 1, 2, 2),
        Field("pool_stride", 1, 4, 2),
        Field("pool_size", 1, 6, 2),
        Field("upad", 1, 8, 2),
        Field("lpad", 1, 10, 2),
        Field("pool_out_dim", 1, 24, 8),
        Field("porows", 1, 32, 8),
        Field("pocols", 1, 40, 8),
        Field("orows", 1, 48, 8),
        Field("ocols", 1, 56, 8),
        Field("stride", 2, 0, 32),
        Field("scale", 2, 32, 32, "float", 1.0),
    ),
    "config_norm": (
        Field("stat_id", 1, 8, 8),
        Field("act_msb", 1, 16, 1),
        Field("set_stats_id_only", 1, 17, 1),
        Field("q_const_type", 1, 18, 1),
        Field("q_const", 1, 32, 32),
        Field("qb", 2, 0, 32),
        Field("qc", 2, 32, 32),
    ),
}
"""The fields of each command, in the order in which they are shown."""

FUNCTS = {
    "mvin": MVIN,
    "mvin2": MVIN2,
    "mvin3": MVIN3,
    "mvout": MVOUT,
    "preload": PRELOAD,
    "compute_preloaded": COMPUTE_PRELOADED,
    "compute_accumulated": COMPUTE_ACCUMULATED,
    "flush": FLUSH,
    "fence": FENCE,
    "config_ex": CONFIG,
    "config_ld": CONFIG,
    "config_st": CONFIG,
    "config_norm": CONFIG,
}
CONFIGS = ("config_ex", "config_ld", "config_st", "config_norm")


def float_bits(value: float) -> int:
    """The bits of value as an f32, rounded to nearest."""
    try:
        return int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000


def bits_float(bits: int) -> float:
    """The f32 that has these bits."""
    value: float = struct.unpack("<f", bits.to_bytes(4, "little"))[0]
    return value


def command(name: str, **values: float) -> Words:
    """The words of a command; fields that are not given have the macros' defaults.

    Raises:
        GemminiError: there is no such command or field, or a value does not fit its bits.
    """
    if name not in FIELDS:
        raise GemminiError(f"there is no command {name!r}", notes=(f"commands: {', '.join(FIELDS)}",))
    registers = {1: CONFIGS.index(name) if name in CONFIGS else 0, 2: 0}
    for field in FIELDS[name]:
        value = values.pop(field.name, field.default)
        bits = float_bits(value) if field.kind == "float" else int(value)
        if bits < 0 or bits >> field.bits:
            raise GemminiError(f"{name}: {field.name} = {value} does not fit {field.bits} bits")
        registers[field.register] |= bits << field.at
    if values:
        raise GemminiError(f"{name} has no field {', '.join(values)}", notes=(f"fields: {fields_of(name)}",))
    return FUNCTS[name], registers[1], registers[2]


def fields_of(name: str) -> str:
    """The names of a command's fields, as a message shows them."""
    return ", ".join(field.name for field in FIELDS[name]) or "none"
