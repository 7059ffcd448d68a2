"""commute_expr: the operands of a sum, a product or an operation on bits change places."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.ir.combining import OPERATORS
from usl_core.ir.nodes import BinaryOp
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import update
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.declared import with_declared_types
from usl_core.primitives.exprs.bodies import require_in_body
from usl_core.primitives.locate import Where, exprs_at
from usl_core.procedure import Procedure


@primitive()
def commute_expr(proc: Procedure, exprs: Where | Sequence[Where]) -> Edit:
    """Swap the operands of `+` or `*`, in data or indices, or of `&`, `|` or `^`; exprs is one expression or several.

        a * b    ~>    b * a

    Raises:
        SchedulingError: an expression is not of this form.
    Forwarding: the expressions and their operands stay themselves.
    """
    found = exprs_at(proc, exprs)
    for path, expr in found.items():
        require_in_body(path)
        if not (isinstance(expr, BinaryOp) and expr.op in OPERATORS):
            refuse(f"`+`, `*`, `&`, `|` or `^` is wanted here, found {show_expr(expr)}", expr.span, code="E404")

    edit = edit_of(proc)
    for path in sorted(found, key=len, reverse=True):  # inner ones first, so that outer ones take them along
        node = edit.node(NodeLoc(path))
        assert isinstance(node, BinaryOp)
        edit = edit.replace_expr(NodeLoc(path), update(node, lhs=node.rhs, rhs=node.lhs))
    return with_declared_types(edit)
