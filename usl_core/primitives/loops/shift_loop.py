"""shift_loop: a loop counts from another number."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, body_of
from usl_core.ir import make
from usl_core.ir.nodes import Expr, For, ReadConfig, index_read
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import extent, same_expr, walk_kinds
from usl_core.primitives.base import edit_of, primitive, require_proved
from usl_core.primitives.locate import Expression, Where, context_at, limit, loop_at
from usl_core.primitives.loops.modes import require_still_parallel
from usl_core.primitives.loops.numbering import renumbering, short
from usl_core.procedure import Procedure


@primitive()
def shift_loop(proc: Procedure, loop: Where, lo: Expression) -> Edit:
    """Renumber the iterations of a loop so that it starts at lo.

        for i in seq(a, b):          for i in seq(c, b - a + c):
            s                ~>          s[i -> i + a - c]

    Sums that this makes are kept short: shifted by 2 and back, a loop over `x[i + 1]` is what it was.

    Raises:
        SchedulingError: `lo >= 0` is not proved before the loop; a field in the new indices of a parallel loop, of which it is
        not known that iterations read the same.
    Forwarding: everything stays where it is.
    """
    path, old = loop_at(proc, loop)
    start = limit(proc, path, lo)

    ctx = context_at(proc, path)
    first = ctx.index(start)
    message = f"cannot prove that the new start {show_expr(start)} is at least 0"
    require_proved(ctx, fml.ge(first), message, old.span, values=(first,), assume=f"{show_expr(start)} >= 0")

    number = _renumbered(old, start)
    symbolic = make.literal_value(old.lo) is None or make.literal_value(start) is None
    rule = renumbering(old.iter, number, symbolic=symbolic)
    edit = edit_of(proc).rewrite_exprs(body_of(path, len(old.body)), rule, {old.iter})
    edit = edit.replace_expr(NodeLoc((*path, ("hi", None))), _end(old, start, symbolic))
    edit = edit.replace_expr(NodeLoc((*path, ("lo", None))), start)
    if any(walk_kinds(old.lo, ReadConfig)) or any(walk_kinds(start, ReadConfig)):
        require_still_parallel(edit, path)  # of a field in an index it is not known that all iterations read the same there
    return edit


def _end(loop: For, start: Expr, symbolic: bool) -> Expr:
    """`start + hi - lo`, a constant last."""
    count = make.sub(loop.hi, loop.lo) if make.literal_value(loop.lo) is not None else extent(loop.lo, loop.hi)
    return short(make.add(count, start) if make.literal_value(start) is not None else make.add(start, count), symbolic)


def _renumbered(loop: For, start: Expr) -> Expr:
    """The old number of an iteration in terms of the new one."""
    number = index_read(loop.iter)
    old, new = make.literal_value(loop.lo), make.literal_value(start)
    if same_expr(loop.lo, start):
        return number
    if old is not None and new is not None:
        return make.offset(number, old - new)
    return make.sub(make.add(number, loop.lo), start)
