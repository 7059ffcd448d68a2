"""The C of the resource operations: dup, drop, tests for uniqueness, tokens."""

from __future__ import annotations

from typing import assert_never

from usl_perceus.c import counts
from usl_perceus.c.copies import copied, copy_with_token, own
from usl_perceus.c.frame import Frame
from usl_perceus.c.unit import free_block
from usl_perceus.ir import (
    CopyToken,
    DecRef,
    Drop,
    DropReuse,
    Dup,
    Free,
    FreeToken,
    IfUnique,
    NullToken,
    Op,
    TakeToken,
    Var,
)
from usl_perceus.traverse import op_binders


def emit_op(op: Op, frame: Frame) -> None:
    """The statements of one operation. Tokens that it binds are declared."""
    match op:
        case DropReuse(token=token, var=var):
            frame.declare(token, f"usl_drop_reuse({frame.variables[var]}, ctx)")
        case TakeToken(token=token, var=var):
            frame.declare(token, f"usl_token_of({frame.variables[var]})")
        case NullToken(token=token):
            frame.declare(token, "NULL")
        case IfUnique():
            _if_unique(op, frame)
        case Dup() | Drop() | Free() | DecRef() | FreeToken() | CopyToken():
            _emit(op, frame)
        case _:
            assert_never(op)


def _emit(op: Op, frame: Frame) -> None:
    """As emit_op, where tokens are declared already."""
    types = frame.unit.types
    match op:
        case Dup(var=var) if not frame.is_constant(var):
            frame.extend(counts.dup(types, var.type, frame.variables[var], block=frame.is_block(var)))
        case Drop(var=var) if not frame.is_constant(var):
            frame.extend(counts.drop(types, var.type, frame.variables[var], block=frame.is_block(var)))
        case Dup() | Drop():
            pass
        case Free(var=var):
            if not types.is_value(var.type):  # a value has no memory of its own
                frame.line(_free(var, frame))
        case DecRef(var=var):
            frame.line(f"usl_decref({frame.variables[var]}, ctx);")
        case DropReuse(token=token, var=var):
            frame.line(f"{frame.variables[token]} = usl_drop_reuse({frame.variables[var]}, ctx);")
        case TakeToken(token=token, var=var):
            frame.line(f"{frame.variables[token]} = usl_token_of({frame.variables[var]});")
        case NullToken(token=token):
            frame.line(f"{frame.variables[token]} = NULL;")
        case FreeToken(token=token):
            frame.line(f"usl_token_free({frame.variables[token]}, ctx);")
        case IfUnique():
            _if_unique(op, frame)
        case CopyToken():
            raise AssertionError("stands in an IfUnique only")
        case _:
            assert_never(op)


def _free(var: Var, frame: Frame) -> str:
    con = frame.constructed.get(var)
    if con is None or not con.fields:
        return f"usl_free({frame.variables[var]}, ctx);"
    return free_block(frame.unit.types.constructor(con), frame.variables[var])


def _if_unique(op: IfUnique, frame: Frame) -> None:
    token = copy_with_token(op)
    if token is not None:
        frame.declare(token, f"usl_token_of({own(op, frame)})")
        return
    for bound in op_binders(op):
        if bound not in frame.variables:
            frame.declare(bound)
    frame.line(f"if (usl_is_unique({frame.variables[op.var]})) {{")
    with frame.nested():
        for inner in op.unique:
            _emit(inner, frame)
    frame.line("} else {")
    with frame.nested():
        copy = next((inner for inner in op.shared if isinstance(inner, CopyToken)), None)
        if copy is not None:
            frame.line(f"{frame.variables[copy.token]} = usl_token_of({copied(op, frame)});")
        for inner in op.shared if copy is None else ():
            _emit(inner, frame)
    frame.line("}")
