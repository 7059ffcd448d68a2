"""Control expressions that a user gives for the shape of a buffer or an index into it."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.cursors.path import Path
from usl_core.ir.nodes import Alloc, Expr, ReadConfig, StrideExpr
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import depends_on_data, walk
from usl_core.primitives.base import refuse, require_proved
from usl_core.primitives.locate import Expression, context_at, expression
from usl_core.procedure import Procedure


def fixed_expression(proc: Procedure, path: Path, value: Expression) -> Expr:
    """An index expression read at path whose value changes only with the names in it: no data, strides or configuration."""
    expr = expression(proc, path, value)
    for node in walk(expr):
        if isinstance(node, StrideExpr | ReadConfig) or depends_on_data(node):
            message = f"{show_expr(expr)} is not made of sizes and iterators only"
            refuse(message, node.span, code="E404")
    return expr


def require_extent(proc: Procedure, path: Path, extent: Expr, alloc: Alloc, assume: str = "") -> None:
    """extent, read where alloc stands at path, is at least 1; the message proposes to assert assume."""
    ctx = context_at(proc, path)
    message = f"the new extent may be below 1: cannot prove {show_expr(extent)} >= 1"
    count = ctx.index(extent)
    require_proved(ctx, fml.ge(count, 1), message, alloc.span, values=(count,), assume=assume)
