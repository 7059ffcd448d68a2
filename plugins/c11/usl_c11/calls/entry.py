"""What the extension is told of a procedure's formals."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from usl_c11.calls.extension import entry_type
from usl_core.calling import Formal, control_limits, dtype_of
from usl_core.ir import externs
from usl_core.ir.nodes import BinaryOp, Cast, Expr, ExternCall, Literal, Read, ReadConfig, StrideExpr, UnaryMinus, WindowExpr
from usl_core.ir.sym import Sym
from usl_core.ir.types import B8, BOOL, ControlType, ScalarType, TensorType

MAX_FORMALS, MAX_STRIDES, MAX_STACK = 64, 256, 16
"""As in entry.c. Procedures with more are called through Python."""

CONSTANT, CONTROL, NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER, LEAST, GREATEST = range(10)
_OPERATIONS = {"+": ADD, "-": SUBTRACT, "*": MULTIPLY, "/": DIVIDE, "%": REMAINDER}

Step = tuple[int, int]
NO_NUMBER = "-"


def make_entry(
    formals: Sequence[Formal], address: int, slowly: Callable[..., None], refused: Callable[..., None], has_context: bool
) -> Callable[..., None] | None:
    """A callable that checks arguments in C and calls the trampoline at address; None where there cannot be one.

    What it does not take it passes on to slowly; a status other than 0 goes to refused, before the arguments.
    """
    ranks = [len(formal.arg.type.shape) for formal in formals if isinstance(formal.arg.type, TensorType)]
    if len(formals) > MAX_FORMALS or sum(ranks) > MAX_STRIDES or (entry := entry_type()) is None:
        return None
    import numpy as np

    controls = [formal.arg.name for formal in formals if isinstance(formal.arg.type, ControlType)]
    positions = {name: position for position, name in enumerate(controls)}
    described = tuple(_described(formal, positions) for formal in formals)
    if any(_depth(steps) > MAX_STACK for *_, extents in described for steps in extents):
        return None
    names = tuple(sys.intern(formal.name) for formal in formals)
    made: Callable[..., None] = entry(address, slowly, refused, names, described, has_context, np.ndarray, np.bool_)
    return made


def _described(formal: Formal, positions: Mapping[Sym, int]) -> tuple[Any, ...]:
    """Kind, whether it is written, least and greatest number, dtype, logarithm of the item size, kind of number, extents."""
    limits, number, extents = (0, 0), NO_NUMBER, tuple[tuple[Step, ...], ...]()
    match formal.arg.type:
        case ControlType() as typ:
            return ("b" if typ is BOOL else "i", False, *control_limits(typ), None, 0, NO_NUMBER, ())
        case ScalarType() as scalar:
            kind, number = "s", _number(scalar)
            limits = scalar.int_range() if number == "i" else limits
        case TensorType(scalar=scalar, shape=shape, window=window):
            kind = "w" if window else "d"
            extents = tuple(tuple(_steps(extent, positions)) for extent in shape)
    dtype = dtype_of(formal, scalar)
    return (kind, formal.written, *limits, dtype, dtype.itemsize.bit_length() - 1, number, extents)


def _number(scalar: ScalarType) -> str:
    """What a Python number becomes in C; NO_NUMBER where NumPy converts it."""
    if scalar.is_int and scalar != B8 and scalar.int_range()[1] < 2**63:
        return "i"
    return {"f32": "f", "f64": "d"}.get(scalar.name, NO_NUMBER)


def _steps(expr: Expr, positions: Mapping[Sym, int]) -> Iterator[Step]:
    """An extent as steps on a stack."""
    match expr:
        case Literal(value=value):
            yield CONSTANT, int(value)
        case Read(name=name):
            yield CONTROL, positions[name]
        case UnaryMinus(arg=arg):
            yield from _steps(arg, positions)
            yield NEGATE, 0
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            yield from _steps(lhs, positions)
            yield from _steps(rhs, positions)
            yield _OPERATIONS[op], 0
        case ExternCall(fn=fn, args=(first, *others)):
            yield from _steps(first, positions)
            for arg in others:
                yield from _steps(arg, positions)
                yield (LEAST if fn is externs.MIN else GREATEST), 0
        case ExternCall() | Cast() | WindowExpr() | StrideExpr() | ReadConfig():
            raise AssertionError(f"not an extent: {expr}")


def _depth(steps: Sequence[Step]) -> int:
    depth = deepest = 0
    for operation, _ in steps:
        depth += 1 if operation in (CONSTANT, CONTROL) else 0 if operation == NEGATE else -1
        deepest = max(deepest, depth)
    return deepest
