"""Calling a `@proc` on arrays: what its formals are in the functional language.

Sizes and indices are i64, scalars of data are passed by value, tensors are arrays (of all elements, row by row). The result
is what the kernel leaves in the arrays and scalars that it writes, in the order of the formals: one, or a tuple of several.
`lower_kernel.py` makes the call.
"""

from __future__ import annotations

from dataclasses import dataclass

from usl_core import Procedure
from usl_core.backend import written_formals
from usl_core.errors import Span
from usl_core.ir.nodes import (
    Arg,
    Assign,
    BinaryOp,
    Cast,
    ExternCall,
    For,
    If,
    Literal,
    LoopMode,
    Pass,
    Read,
    Reduce,
    UnaryMinus,
)
from usl_core.ir.traverse import walk
from usl_core.ir.types import ControlType, ScalarType, TensorType
from usl_perceus.errors import PerceusError
from usl_perceus.front.types import ARRAY, FLOATS, INTEGERS, TUPLE, App, Type


@dataclass(frozen=True, slots=True)
class KernelSignature:
    """The type of a kernel; written: the positions of the arrays and scalars that it returns."""

    params: tuple[Type, ...]
    result: Type
    written: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NotEmpty:
    """A `@proc` that is never called with a size 0 (that raises ValueError): nothing is prepared for it."""

    kernel: Procedure


def kernel_signature(kernel: Procedure, span: Span) -> KernelSignature:
    """The type of a `@proc` as a function on arrays.

    Raises:
        PerceusError: a formal has no counterpart (R, f16), or nothing is written.
    """
    proc = kernel.ir
    changed = written_formals(proc)
    written = tuple(position for position, arg in enumerate(proc.args) if arg.name in changed)
    params = tuple(_param(kernel.name(), arg, span) for arg in proc.args)
    results = tuple(params[position] for position in written)
    if not results:
        raise PerceusError(f"{kernel.name()} writes no argument, so that a call has no result", span=span, code="E726")
    return KernelSignature(params, results[0] if len(results) == 1 else App(TUPLE, results), written)


def may_fail(kernel: Procedure) -> bool:
    """Whether a call may fail although its arguments are what the kernel assumes: only if it does more than arithmetic."""
    proc = kernel.ir
    if any(isinstance(arg.type, TensorType) and arg.type.window for arg in proc.args):
        return True
    nodes = [node for stmt in proc.body for node in walk(stmt)]
    return any(isinstance(node, For) and node.mode is not LoopMode.SEQ for node in nodes) or not all(
        isinstance(node, For | If | Assign | Reduce | Pass | Read | Literal | UnaryMinus | BinaryOp | ExternCall | Cast)
        for node in nodes
    )


def _param(kernel: str, arg: Arg, span: Span) -> App:
    match arg.type:
        case ControlType(name="bool"):
            return App("bool")
        case ControlType():
            return App("i64")
        case ScalarType(name=name) if name in INTEGERS or name in FLOATS:
            return App(name)
        case TensorType(scalar=ScalarType(name=name)) if name in INTEGERS or name in FLOATS:
            return App(ARRAY, (App(name),))
        case ScalarType(name=name) | TensorType(scalar=ScalarType(name=name)):
            what = "elements of type" if isinstance(arg.type, TensorType) else "type"
            message = f"argument {arg.name.name} of {kernel} has {what} {name}, which functional programs do not have"
            raise PerceusError(message, span=span, notes=(f"hint: {_remedy(name)}",), code="E726")


def _remedy(scalar: str) -> str:
    return "take it as u8, which is 0 or 1" if scalar == "b8" else "set_precision first"
