"""cut_loop: one loop becomes two, one after the other."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, after
from usl_core.ir.nodes import Expr, For, index_read
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import substitute_block, with_fresh_binders
from usl_core.primitives.base import edit_of, primitive, require_proved
from usl_core.primitives.locate import Expression, Where, context_at, limit, loop_at
from usl_core.procedure import Procedure


@primitive()
def cut_loop(proc: Procedure, loop: Where, at: Expression) -> Edit:
    """Cut the range of a loop in two.

        for i in seq(a, b):          for i in seq(a, e):
            s                ~>          s
                                     for i in seq(e, b):
                                         s

    Raises:
        SchedulingError: `a <= e <= b` is not proved before the loop.
    Forwarding: the loop and its body go to the first loop.
    Also known as: partition_loop (Reinking 2022), loop peeling, index set splitting.
    """
    path, old = loop_at(proc, loop)
    cut = limit(proc, path, at)

    ctx = context_at(proc, path)
    low, middle, high = ctx.index(old.lo), ctx.index(cut), ctx.index(old.hi)
    values = (low, middle, high)
    message = f"cannot prove {show_expr(old.lo)} <= {show_expr(cut)} <= {show_expr(old.hi)}"
    goal = fml.and_([fml.le(low, middle), fml.le(middle, high)])
    require_proved(ctx, goal, message, old.span, values=values, hint="assert it, or clamp with min and max")

    edit = edit_of(proc).insert(after(path), (_second(old, cut),), joins=True)
    return edit.replace_expr(NodeLoc((*path, ("hi", None))), cut)


def _second(loop: For, start: Expr) -> For:
    name = loop.iter.copy()
    body = substitute_block(with_fresh_binders(loop.body), {loop.iter: index_read(name)})
    return For(name, start, loop.hi, body, loop.mode, span=loop.span)
