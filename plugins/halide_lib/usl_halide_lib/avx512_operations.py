"""The AVX-512 instruction for one operation on lanes of a type."""

from __future__ import annotations

from functools import cache

from usl_core import Procedure

SUFFIX = {
    "f32": "ps",
    "f64": "pd",
    **{f"{letter}{bits}": f"ep{letter}{bits}" for bits in (8, 16, 32) for letter in "iu"},
    "i64": "epi64",
}
BITS = {"f32": 32, "f64": 64, "i64": 64, **{f"{letter}{bits}": bits for bits in (8, 16, 32) for letter in "iu"}}
PREFIX = {512: "mm512_", 256: "mm256_", 128: "mm_"}

WORDS = {
    "load": "loadu",
    "load2": "load2",
    "load/2": "load_doubled",
    "load1/2": "load_doubled1",
    "load min": "load_clamped",
    "load max": "load_clamped1",
    "store": "storeu",
    "store2": "store2",
    "store pairs": "store_pairs",
    "store +": "accumulateu",
    "set1": "set1",
    "+": "add3",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "a*": "mul_set1",
    "a+": "add_set1",
    "*+": "fmadd3",
    "a*+": "fmadd3_set1",
    "a*-": "fnmadd3_set1",
    "*-": "fnmadd3",
    "+= *": "fmadd",
    "+= a*": "fmadd_set1",
    "average": "avg",
    "distance": "absd",
    "saturating +": "adds",
    "saturating -": "subs",
    **{each: each for each in ("sqrt", "min", "max", "abs", "relu")},
}
"""By operation the middle of an instruction's name."""

ODD_NAMES = {
    ("cast", "f32", "i32"): "cvtepi32_ps",
    ("cast", "i32", "f32"): "cvttps_epi32",
    ("select", "f32", "f32"): "select_ps",
}
"""Instructions that are called otherwise, by operation, type of the result and of the operands."""


@cache
def avx512_operation(operation: str, kind: str, of: str, lanes: int, masked: bool = False) -> Procedure | None:
    """The instruction for an operation with a result of a type, from operands of a type where these may differ."""
    import usl_avx512

    name = _name(operation, kind, of, lanes)
    if masked and name is not None:
        name = name.replace("_", "_mask_", 1)
    found: Procedure | None = getattr(usl_avx512, name, None) if name is not None else None
    return found


def _name(operation: str, kind: str, of: str, lanes: int) -> str | None:
    if kind not in SUFFIX or lanes * BITS[kind] not in PREFIX:
        return None
    own = PREFIX[lanes * BITS[kind]]
    if (operation, kind, of) in ODD_NAMES:
        return own + ODD_NAMES[operation, kind, of]
    if operation == "lookup":
        return f"{own}lookup_{of}_{SUFFIX[kind]}"
    if operation in ("cast", "select"):
        number = "" if lanes == 16 else lanes
        return f"mm512_{operation}{number}_{of}_{kind}"
    if operation[0] == "/" and operation[1:].isdecimal():
        return f"{own}div_{SUFFIX[kind]}" if kind[0] != "f" else None
    return f"{own}{WORDS[operation]}_{SUFFIX[kind]}" if operation in WORDS else None
