"""Instruction words as text."""

from __future__ import annotations

from usl_gemmini.words import CONFIG, CONFIGS, FIELDS, FUNCTS, GARBAGE, Field, bits_float

_NAMES = {funct: name for name, funct in FUNCTS.items() if funct != CONFIG}


def name_of(funct: int, rs1: int) -> str | None:
    """The name of a command, or None if it is none of those that `words` knows."""
    return CONFIGS[rs1 & 3] if funct == CONFIG else _NAMES.get(funct)


def values_of(funct: int, rs1: int, rs2: int) -> dict[str, float]:
    """The fields of a command by name, empty if it is unknown."""
    name = name_of(funct, rs1)
    return {field.name: _value(field, rs1, rs2) for field in FIELDS[name]} if name is not None else {}


def decode(funct: int, rs1: int, rs2: int) -> str:
    """The command that these words are: `mvin(dram=0x1000, local=sp[64], cols=64, rows=16)`."""
    name = name_of(funct, rs1)
    if name is None:
        return f"funct {funct} (rs1={rs1:#x}, rs2={rs2:#x})"
    return f"{name}({', '.join(f'{field.name}={_shown(field, _value(field, rs1, rs2))}' for field in FIELDS[name])})"


def local_text(local: int) -> str:
    """A local address as text: `sp[64]`, `acc[16]`, `acc+[16]` where writes add, `acc32[16]` where reads are raw, `garbage`."""
    if local == GARBAGE:
        return "garbage"
    row = local & 0x03FFFFFF
    if not local >> 31:
        return f"sp[{row}]" + _more(local >> 26)
    return f"acc{'+' if local >> 30 & 1 else ''}{'32' if local >> 29 & 1 else ''}[{row}]" + _more(local >> 26 & 7)


def _more(bits: int) -> str:
    return f" with flags {bits:#x}" if bits else ""


def _value(field: Field, rs1: int, rs2: int) -> float:
    bits = (rs1 if field.register == 1 else rs2) >> field.at & ((1 << field.bits) - 1)
    return bits_float(bits) if field.kind == "float" else bits


def _shown(field: Field, value: float) -> str:
    match field.kind:
        case "address":
            return local_text(int(value))
        case "pointer":
            return f"{int(value):#x}" if value else "null"
        case _:
            return f"{value:g}"
