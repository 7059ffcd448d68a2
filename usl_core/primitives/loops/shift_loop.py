"""shift_loop: a loop counts from another number."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, body_of
from usl_core.ir import make
from usl_core.ir.nodes import Expr, For, index_read
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import extent, same_expr
from usl_core.primitives.base import edit_of, primitive, require_proved
from usl_core.primitives.locate import Expression, Where, context_at, limit, loop_at
from usl_core.procedure import Procedure


@primitive()
def shift_loop(proc: Procedure, loop: Where, lo: Expression) -> Edit:
    """Renumber the iterations of a loop so that it starts at lo.

        for i in seq(a, b):          for i in seq(c, c + b - a):
            s                ~>          s[i -> i + a - c]

    Raises:
        SchedulingError: `lo >= 0` is not proved before the loop.
    Forwarding: everything stays where it is.
    """
    path, old = loop_at(proc, loop)
    start = limit(proc, path, lo)

    ctx = context_at(proc, path)
    first = ctx.index(start)
    message = f"cannot prove that the new start {show_expr(start)} is at least 0"
    require_proved(ctx, fml.ge(first), message, old.span, values=(first,), assume=f"{show_expr(start)} >= 0")

    edit = edit_of(proc)
    edit = edit.substitute(body_of(path, len(old.body)), {old.iter: _renumbered(old, start)})
    edit = edit.replace_expr(NodeLoc((*path, ("hi", None))), make.add(start, extent(old.lo, old.hi)))
    return edit.replace_expr(NodeLoc((*path, ("lo", None))), start)


def _renumbered(loop: For, start: Expr) -> Expr:
    """The old number of an iteration in terms of the new one."""
    number = index_read(loop.iter)
    old, new = make.literal_value(loop.lo), make.literal_value(start)
    if same_expr(loop.lo, start):
        return number
    if old is not None and new is not None:
        return make.offset(number, old - new)
    return make.sub(make.add(number, loop.lo), start)
