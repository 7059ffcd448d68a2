"""left_reassociate_expr: `a + (b + c)` becomes `(a + b) + c`."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.ir.nodes import BinaryOp
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import update
from usl_core.ir.types import INDEX
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.declared import with_declared_types
from usl_core.primitives.exprs.bodies import require_in_body
from usl_core.primitives.exprs.kept import forward_kept
from usl_core.primitives.locate import Where, expr_at
from usl_core.procedure import Procedure

_RULES = {
    ("+", "+"): ("+", "+"),
    ("+", "-"): ("+", "-"),
    ("-", "+"): ("-", "-"),
    ("-", "-"): ("-", "+"),
    **{(op, op): (op, op) for op in ("*", "&", "|", "^")},
}
"""By the outer and the inner operator: those of `(a ? b) ? c` in place of `a outer (b inner c)`."""


@primitive()
def left_reassociate_expr(proc: Procedure, expr: Where) -> Edit:
    """Bring parentheses to the left.

        a + (b + c)    ~>    (a + b) + c          a + (b - c)    ~>    (a + b) - c
        a * (b * c)    ~>    (a * b) * c          a - (b + c)    ~>    (a - b) - c
        a & (b & c)    ~>    (a & b) & c          a - (b - c)    ~>    (a - b) + c

    `|` and `^` as `&`.

    In data of any type: floating numbers count as exact, integers are added and multiplied modulo 2^N. In indices, sums only.

    Raises:
        SchedulingError: the expression is not of this form.
    Forwarding: the expression and a, b, c stay themselves; the right operand as a whole is gone.
    """
    path, old = expr_at(proc, expr)

    require_in_body(path)
    if not (isinstance(old, BinaryOp) and isinstance(old.rhs, BinaryOp) and (old.op, old.rhs.op) in _RULES):
        message = f"a sum or product whose right operand is one too is wanted here, found {show_expr(old)}"
        refuse(message, old.span, ["hint: swap the operands with commute_expr first"], code="E404")
    if old.op == "*" and old.type is INDEX:
        refuse("products of control values are not reassociated", old.span, ["hint: use simplify"], code="E404")

    outer, inner = _RULES[old.op, old.rhs.op]
    left = BinaryOp(outer, old.lhs, old.rhs.lhs, type=old.type, span=old.span)
    new = update(old, op=inner, lhs=left, rhs=old.rhs.rhs)
    edit = with_declared_types(edit_of(proc).replace_expr(NodeLoc(path), new))
    for side, operand in (("lhs", old.rhs.lhs), ("rhs", old.rhs.rhs)):
        edit = forward_kept(edit, (*path, ("rhs", None), (side, None)), operand, path, new)
    return edit
