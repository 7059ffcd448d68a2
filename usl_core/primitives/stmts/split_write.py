"""split_write: the write of a sum becomes two writes."""

from __future__ import annotations

from usl_core.analysis.context import Context
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, after
from usl_core.ir.nodes import Assign, BinaryOp, Expr, Reduce
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.exprs.algebra import negated
from usl_core.primitives.exprs.kept import forward_kept
from usl_core.primitives.locate import Where, any_stmt_at, context_at
from usl_core.primitives.stmts.locations import Write, conflict_notes, reads_target, target
from usl_core.procedure import Procedure


@primitive()
def split_write(proc: Procedure, stmt: Where) -> Edit:
    """Write a sum in two steps.

        x = a + b    ~>   x = a        x += a + b   ~>   x += a
                          x += b                         x += b

    A difference `a - b` adds `-b`. The inverse of `merge_writes`.

    Raises:
        SchedulingError: the statement is not `=` or `+=` with a sum or difference on the right; b, or an index made of data,
        reads the location that is written.
    Forwarding: the statement goes to the first of the two, expressions stay themselves.
    """
    path, old = any_stmt_at(proc, stmt)

    if not isinstance(old, Assign | Reduce):
        refuse(f"`=` or `+=` is wanted here, found {type(old).__name__}", old.span, code="E404")
    total = old.rhs
    if not (isinstance(total, BinaryOp) and total.op in ("+", "-")):
        refuse("the right side is not a sum", old.span, ["hint: only a sum at the top can be split"], code="E404")
    _require_not_read(context_at(proc, path), old, total.rhs)

    second = total.rhs if total.op == "+" else negated(total.rhs)
    at = (*path, ("rhs", None))
    edit = edit_of(proc).replace_expr(NodeLoc(at), total.lhs)
    edit = edit.insert(after(path), (Reduce(old.name, old.idx, second, span=old.span),), joins=True)
    edit = forward_kept(edit, (*at, ("lhs", None)), total.lhs, at, total.lhs)
    field, index = path[-1]
    assert index is not None
    return forward_kept(edit, (*at, ("rhs", None)), total.rhs, (*path[:-1], (field, index + 1), ("rhs", None)), second)


def _require_not_read(ctx: Context, stmt: Write, second: Expr) -> None:
    found = reads_target(ctx, (second, *stmt.idx), target(ctx, stmt))
    if found is not None:
        message = f"the second part would read {stmt.name.name} after the first has been written"
        refuse(message, stmt.span, conflict_notes(found), code="E411")
