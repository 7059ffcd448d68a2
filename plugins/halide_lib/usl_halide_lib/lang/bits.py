"""Bits of integers put together, taken out and read as another type, as Halide's functions of these names do it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.expr import Expr, as_node, wrap
from usl_halide_lib.lang.functions import cast
from usl_halide_lib.lang.nodes import Op, show
from usl_halide_lib.lang.types import Type, UInt


def reinterpret(typ: Type, value: Any) -> Expr:
    """The same bits as another type of the same width: `reinterpret(hl.UInt(32), hl.i32(-1))` is 2^32 - 1.

    Floats are of 32 or 64 bits. The exact oracle takes the bits of the float next to a number, and no number for NaN.
    """
    node = as_node(value)
    if node.type.bits != typ.bits:
        raise refuse(f"reinterpret: {show(node)} has {node.type.bits} bits, and {typ} has {typ.bits}; hl.cast changes that")
    if node.type == typ or (node.type.is_int and typ.is_int):
        return cast(typ, value)
    if typ.bits not in (32, 64):
        message = f"reinterpret of {node.type} as {typ} is not supported: procedures see the bits of f32 and f64 alone"
        raise refuse(message, code="E770")
    pattern = UInt(typ.bits)
    if typ.is_float:
        return wrap(Op("from_bits", (cast(pattern, value).node,), typ))
    return cast(typ, wrap(Op("bits", (node,), pattern)))


def concat_bits(values: Sequence[Any]) -> Expr:
    """Integers of one type as the digits of a wider one without a sign, the least significant first: up to 64 bits in all."""
    nodes = [as_node(value) for value in values]
    count = len(nodes)
    if count < 1 or count & (count - 1):
        raise refuse(f"concat_bits takes 1, 2, 4 or 8 integers, not {count}")
    first = nodes[0].type
    for node in nodes:
        if not first.is_int or node.type != first:
            raise refuse(f"concat_bits needs integers of one type; {show(node)} is {node.type}, the first is {first}")
    bits = first.bits
    if bits * count > 64:
        raise refuse(f"concat_bits: {count} times {bits} bits are more than 64, which is not supported", code="E770")
    wide = UInt(bits * count)
    digits = [cast(wide, cast(UInt(bits), value)) << (bits * place) for place, value in enumerate(values)]
    result = digits[0]
    for each in digits[1:]:
        result = result | each
    return result


def extract_bits(typ: Type, value: Any, lsb: Any) -> Expr:
    """The bits of an integer from bit lsb on as an integer type; above the highest bit there are zeros.

    `extract_bits(hl.UInt(8), a, 8)` is the second byte of a.
    """
    node = as_node(value)
    if not (node.type.is_int and typ.is_int):
        raise refuse(f"extract_bits takes integers out of integers, not {typ} out of {node.type}")
    return cast(typ, cast(UInt(node.type.bits), value) >> lsb)
