"""The shape of statements: what two of them must share to be equal after renaming and a change of indices and arguments.

A shape is one number, made of the kinds of statements and how they nest, the operators and types of data expressions, and of
what names do not change (callees, fields, memories of allocations). Control expressions, names, and which of a literal and
an access stands at a leaf do not count. Equal shapes say little; different ones, that no choice of arguments makes the
statements equal. Statements never change, so that each remembers its shape.
"""

from __future__ import annotations

from zlib import crc32

from usl_core.ir.nodes import (
    Alloc,
    Assign,
    AssignConfig,
    BinaryOp,
    Block,
    Call,
    Cast,
    Check,
    Expr,
    ExternCall,
    For,
    If,
    Interval,
    Literal,
    LoopMode,
    Pass,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.types import COND, TensorType, is_control

_CONTROL = 1
"""The shape of every control expression."""


def shape(stmt: Stmt) -> int:
    """The shape of a statement with all that is in it; never 0."""
    found = stmt.shape_code
    if not found:
        found = hash((_text(type(stmt).__name__), *_parts(stmt))) or 1
        object.__setattr__(stmt, "shape_code", found)
    return found


def shapes(block: Block) -> tuple[int, ...]:
    """The shapes of consecutive statements."""
    return tuple([shape(stmt) for stmt in block])


def _parts(stmt: Stmt) -> tuple[int, ...]:
    """Numbers only, so that a shape is the same in every process."""
    match stmt:
        case For(body=body, mode=mode):
            return (mode is LoopMode.PAR, *shapes(body))
        case If(cond=cond, body=body, orelse=orelse):
            return (_data(cond) if cond.type is COND else _CONTROL, len(body), *shapes(body), *shapes(orelse))
        case Assign(rhs=rhs) | Reduce(rhs=rhs):
            return (_data(rhs),)
        case AssignConfig(config=config, field=field, rhs=rhs):
            return (_text(config.name), _text(field), _data(rhs))
        case Alloc(type=TensorType(scalar=scalar, shape=extents), mem=mem):
            return (_text(mem.__name__), _text(scalar.name), len(extents))
        case Alloc(type=typ, mem=mem):
            return (_text(mem.__name__), _text(str(typ)))
        case WindowStmt(rhs=rhs):
            return tuple([isinstance(entry, Interval) for entry in rhs.idx])
        case Call(proc=callee):
            return (_text(callee.name),)
        case Pass() | Check():
            return ()


def _data(expr: Expr) -> int:
    if is_control(expr.type):
        return _CONTROL
    match expr:
        case Read() | Literal():
            return _text(str(expr.type))
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            return hash((_text("BinaryOp"), _text(op), _data(lhs), _data(rhs)))
        case UnaryMinus(arg=arg):
            return hash((_text("UnaryMinus"), _data(arg)))
        case Cast(type=typ, arg=arg):
            return hash((_text("Cast"), _text(str(typ)), _data(arg)))
        case ExternCall(fn=fn, args=args):
            return hash((_text("ExternCall"), _text(fn.name), *[_data(arg) for arg in args]))
        case ReadConfig(config=config, field=field):
            return hash((_text("ReadConfig"), _text(config.name), _text(field)))
        case WindowExpr() | StrideExpr():
            return _text(type(expr).__name__)


def _text(text: str) -> int:
    return crc32(text.encode())
