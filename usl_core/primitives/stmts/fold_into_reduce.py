"""fold_into_reduce: `x = x + e` becomes `x += e`."""

from __future__ import annotations

from collections.abc import Callable

from usl_core.analysis.values import Values
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.ir.nodes import Assign, BinaryOp, Expr, Read, Reduce
from usl_core.ir.traverse import update
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.exprs.algebra import negated
from usl_core.primitives.exprs.kept import forward_kept
from usl_core.primitives.locate import Where, context_at, stmt_at
from usl_core.procedure import Procedure


@primitive()
def fold_into_reduce(proc: Procedure, stmt: Where) -> Edit:
    """Write an assignment that adds to its own target as a reduction.

        x = x + e    ~>    x += e

    x may also be the right operand, or the first term of a longer sum: `x = x + a - b` becomes `x += a - b`. A difference
    `x - e` adds `-e`.

    Raises:
        SchedulingError: the statement is not `=`; no such term of the sum on its right is proved to be the location that is
        written.
    Forwarding: the statement and its expressions stay themselves; the read of x is gone.
    """
    path, old = stmt_at(proc, stmt, Assign, "an assignment")

    values = Values(context_at(proc, path))
    place = values.location(old.name, old.idx)
    rest = _without(old.rhs, lambda e: isinstance(e, Read) and bool(values.location(e.name, e.idx) == place))
    if rest is None:
        notes = ["hint: bring the read of the target to the front of the sum with commute_expr and left_reassociate_expr"]
        refuse(f"the right side is not {old.name.name}, as it is written here, plus something", old.span, notes, "E412")

    new = Reduce(old.name, old.idx, rest, span=old.span)
    edit = edit_of(proc).replace(NodeLoc(path), (new,))
    for k, index in enumerate(old.idx):
        at = (*path, ("idx", k))
        edit = forward_kept(edit, at, index, at, index)
    at = (*path, ("rhs", None))
    return forward_kept(edit, at, old.rhs, at, rest)


def _without(expr: Expr, is_target: Callable[[Expr], bool]) -> Expr | None:
    """expr minus the target, one of its terms; None if there is no such term."""
    if not (isinstance(expr, BinaryOp) and expr.op in ("+", "-")):
        return None
    if is_target(expr.lhs):
        return expr.rhs if expr.op == "+" else negated(expr.rhs)
    if expr.op == "+" and is_target(expr.rhs):
        return expr.lhs
    rest = _without(expr.lhs, is_target)
    return None if rest is None else update(expr, lhs=rest)
