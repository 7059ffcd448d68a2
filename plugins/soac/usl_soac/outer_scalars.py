"""Scalar operations in outer code."""

from __future__ import annotations

from usl_core.ir.types import F64
from usl_perceus import program
from usl_soac.core import Op
from usl_soac.outer_frame import Frame
from usl_soac.scalars import BOOL, SCALARS

_ON_TRUTH = {"&": "and", "|": "or", "^": "!="}
_FUNCTIONS = frozenset("min max exp log sin cos tan tanh atan2 sqrt floor ceil abs".split())
_ERF = {
    True: ("erf", '@foreign("erf", header="math.h")\ndef erf(x: f64) -> f64: ...\n'),
    False: ("erff", '@foreign("erff", header="math.h")\ndef erff(x: f32) -> f32: ...\n'),
}


def operation(op: Op, frame: Frame) -> str:
    """The text of a scalar operation."""
    args = [frame.scalar(arg) for arg in op.args]
    name = op.op
    if name in SCALARS:
        if name == "bool":
            return f"{args[0]} != {op.operand.name}({'0.0' if op.operand.is_real else '0'})"
        return f"{name}({args[0]})"
    if op.operand is BOOL and name in _ON_TRUTH:
        name = _ON_TRUTH[name]
    if name in ("min", "max"):
        # Outer code takes the first of two that are not in order, as Python does, kernels the second: a NaN, a -0.0.
        args = args[::-1]
    if name in _FUNCTIONS:
        return f"{name}({', '.join(args)})"
    match name:
        case "select":
            return f"{args[1]} if {args[0]} else {args[2]}"
        case "neg":
            return f"-{args[0]}"
        case "not":
            return f"not {args[0]}"
        case "~":
            return f"not {args[0]}" if op.operand is BOOL else f"~{args[0]}"
        case "pow":
            return f"{args[0]} ** {args[1]}"
        case "erf":
            symbol, text = _ERF[op.operand == F64]
            return f"{frame.module.uses(symbol, _declared(symbol, text))}({args[0]})"
        case _:
            return f"{args[0]} {name} {args[1]}"


_declarations: dict[str, object] = {}


def _declared(symbol: str, text: str) -> object:
    if symbol not in _declarations:
        _declarations[symbol] = program(text)[symbol]
    return _declarations[symbol]
