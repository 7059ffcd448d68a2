"""Data expressions as the algebraic operators build them."""

from __future__ import annotations

from usl_core.ir.folding import wrapped
from usl_core.ir.nodes import BinaryOp, Cast, Expr, ExternCall, Literal, Read, ReadConfig, StrideExpr, UnaryMinus, WindowExpr
from usl_core.ir.traverse import update
from usl_core.ir.types import ScalarType


def negated(expr: Expr) -> Expr:
    """`-expr`; the negative of a literal is a literal."""
    typ = expr.type
    assert isinstance(typ, ScalarType)
    match expr:
        case Literal(value=value):
            return update(expr, value=wrapped(-int(value), typ) if typ.is_int else -value)
        case UnaryMinus(arg=arg):
            return arg
        case Read() | BinaryOp() | ExternCall() | Cast() | WindowExpr() | StrideExpr() | ReadConfig():
            return UnaryMinus(expr, type=typ, span=expr.span)
