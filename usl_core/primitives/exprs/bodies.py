"""Where an expression stands: in the body of a procedure, and under which statement."""

from __future__ import annotations

from usl_core.cursors.path import Path, get
from usl_core.ir.nodes import BinaryOp, Expr, Literal, Proc
from usl_core.ir.printer import show_expr
from usl_core.ir.types import INDEX
from usl_core.primitives.base import refuse


def require_in_body(path: Path, operator: str) -> None:
    """Shapes of formals and assertions belong to the interface, which no operator on expressions changes."""
    if path[0][0] != "body":
        refuse(operator, "only expressions in the body of a procedure can be rewritten", code="E404")


def require_affine(proc: Proc, path: Path, new: Expr, operator: str) -> None:
    """new, in place of the expression at path, leaves index arithmetic affine: divisors are literals, of factors one is."""
    around = get(proc, path[:-1])
    if not isinstance(around, BinaryOp) or around.type is not INDEX or isinstance(new, Literal):
        return
    side = path[-1][0]
    other = around.rhs if side == "lhs" else around.lhs
    if (around.op in "/%" and side == "rhs") or (around.op == "*" and not isinstance(other, Literal)):
        message = f"{show_expr(new)} would stand where index arithmetic needs a number: {show_expr(around)}"
        refuse(operator, message, around.span, code="E404")
