"""split_write: the write of a sum becomes two writes."""

from __future__ import annotations

from usl_core.analysis.context import Context
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, after, child
from usl_core.ir.combining import operands, operation_of, spelt
from usl_core.ir.nodes import Assign, BinaryOp, Expr, Reduce
from usl_core.ir.traverse import children
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

    A difference `a - b` adds `-b`. Products, `min` and `max` likewise: `x = max(a, b)` becomes `x = a` and `x @= max(b)`. The
    inverse of `merge_writes`.

    Raises:
        SchedulingError: the statement is not `=` with such a value on the right, or a reduction with one of its own operation;
        b, or an index made of data, reads the location that is written.
    Forwarding: the statement goes to the first of the two, expressions stay themselves.
    """
    path, old = any_stmt_at(proc, stmt)

    if not isinstance(old, Assign | Reduce):
        refuse(f"`=` or a reduction is wanted here, found {type(old).__name__}", old.span, code="E404")
    op, first, second = _parts(old)
    _require_not_read(context_at(proc, path), old, second)

    at = (*path, ("rhs", None))
    edit = edit_of(proc).replace_expr(NodeLoc(at), first)
    edit = edit.insert(after(path), (Reduce(old.name, old.idx, second, op, span=old.span),), joins=True)
    left, right = [step for step, _ in children(old.rhs)]
    edit = forward_kept(edit, (*at, left), first, at, first)
    field, index = path[-1]
    assert index is not None
    was = child(old.rhs, right)
    return forward_kept(edit, (*at, right), was, (*path[:-1], (field, index + 1), ("rhs", None)), second)


def _parts(stmt: Write) -> tuple[str, Expr, Expr]:
    """The operation at the top of what is written, its first operand, and what is then to be combined with it."""
    total = stmt.rhs
    if isinstance(total, BinaryOp) and total.op == "-":
        op, first, second = "+", total.lhs, negated(total.rhs)
    else:
        found = operation_of(total)
        pair = None if found is None else operands(found, total)
        if found is None or pair is None:
            hints = ["hint: only a sum, product, min or max at the top can be split"]
            refuse("the right side is not a sum, product, min or max", stmt.span, hints, code="E404")
        op, (first, second) = found, pair
    if isinstance(stmt, Reduce) and stmt.op != op:
        refuse(f"{spelt(stmt.op)} cannot be split where its right side combines by {op}", stmt.span, code="E404")
    return op, first, second


def _require_not_read(ctx: Context, stmt: Write, second: Expr) -> None:
    found = reads_target(ctx, (second, *stmt.idx), target(ctx, stmt))
    if found is not None:
        message = f"the second part would read {stmt.name.name} after the first has been written"
        refuse(message, stmt.span, conflict_notes(found), code="E411")
