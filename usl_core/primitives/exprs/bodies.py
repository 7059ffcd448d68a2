"""Where an expression stands: in the body of a procedure, and under which statement."""

from __future__ import annotations

from usl_core.cursors.path import Path, get
from usl_core.ir.nodes import BinaryOp, Expr, Literal, Proc
from usl_core.ir.printer import show_expr
from usl_core.ir.types import INDEX
from usl_core.primitives.base import refuse


def require_in_body(path: Path) -> None:
    """Shapes of formals and assertions belong to the interface, which no operator on expressions changes."""
    if path[0][0] != "body":
        refuse("only expressions in the body of a procedure can be rewritten", code="E404")


def require_affine(proc: Proc, path: Path, new: Expr) -> None:
    """Control expressions stay affine with new at path: divisors, and factors of what is no number, are numbers."""
    around = get(proc, path[:-1])
    if isinstance(new, Literal) or not (isinstance(around, BinaryOp) and around.type is INDEX):
        return
    side = path[-1][0]
    old, other = (around.rhs, around.lhs) if side == "rhs" else (around.lhs, around.rhs)
    if (around.op in ("/", "%") and side == "rhs") or (around.op == "*" and not isinstance(other, Literal)):
        message = f"{show_expr(old)} in {show_expr(around)} must stay a number, as control expressions are affine"
        refuse(message, old.span, code="E404")
