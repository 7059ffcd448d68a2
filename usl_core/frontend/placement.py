"""Where `idx(...)`, `stride(...)` and configuration fields may stand."""

from __future__ import annotations

from usl_core.errors import TypeError_
from usl_core.ir.externs import IDX
from usl_core.ir.nodes import BinaryOp, Cast, Expr, ExternCall, Literal, Read, ReadConfig, StrideExpr, UnaryMinus, WindowExpr
from usl_core.ir.traverse import walk
from usl_core.ir.types import INDEX


def require_fixed(expr: Expr, what: str) -> Expr:
    """Refuse configuration fields in what gives a buffer or a window its shape, which must not change while that lives."""
    for node in walk(expr):
        if isinstance(node, ReadConfig):
            shown = f"{node.config.name}.{node.field}"
            raise TypeError_(
                f"{what} cannot read configuration, which may change while it is in use: {shown}",
                span=node.span,
                notes=["hint: pass the value as an argument of the procedure"],
            )
    return expr


def require_place(expr: Expr, what: str, idx: bool, stride: bool) -> None:
    """Refuse `idx` or `stride` in a control expression at a place that does not allow it; what names the place.

    Accesses and casts below have been checked where they were made.
    """
    match expr:
        case ExternCall(fn=fn) if fn is IDX:
            if not idx:
                raise TypeError_(
                    f"`idx` may stand only in the indices of an access or under a cast, not in {what}", span=expr.span
                )
        case StrideExpr():
            if not stride:
                raise TypeError_(
                    f"`stride` may stand only in assertions, conditions, arguments and configuration writes, not in {what}",
                    span=expr.span,
                )
        case BinaryOp(lhs=lhs, rhs=rhs):
            require_place(lhs, what, idx, stride)
            require_place(rhs, what, idx, stride)
        case UnaryMinus(arg=arg):
            require_place(arg, what, idx, stride)
        case ExternCall(args=args) if expr.type is INDEX:
            for arg in args:
                require_place(arg, what, idx, stride)
        case Read() | Literal() | ExternCall() | Cast() | WindowExpr() | ReadConfig():
            pass
