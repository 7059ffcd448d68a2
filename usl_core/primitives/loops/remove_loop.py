"""remove_loop: a loop whose iterations all do the same becomes its body."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.analysis.context import Context
from usl_core.analysis.repeating import why_not_running_again
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.ir.nodes import For
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import free_names
from usl_core.primitives.base import edit_of, primitive, require, require_no, require_proved
from usl_core.primitives.locate import Where, context_at, loop_at
from usl_core.primitives.loops.iterations import bounds, runs_at_least_once
from usl_core.procedure import Procedure


@primitive()
def remove_loop(proc: Procedure, loop: Where) -> Edit:
    """Keep the body of a loop only, run once.

        for i in seq(a, b):          s
            s                ~>

    Raises:
        SchedulingError: s uses the iterator; the loop may run zero times; running s again may have an effect, and the loop is
        not proved to run exactly once.
    Forwarding: the body stays; the loop is gone.
    """
    path, old = loop_at(proc, loop)

    name = old.iter.name
    require(old.iter not in free_names(*old.body), f"the body uses the iterator {name}", old.span, code="E414")
    ctx = context_at(proc, path)
    message, assume = f"the loop {name} may not run", f"{show_expr(old.lo)} < {show_expr(old.hi)}"
    values = bounds(ctx, old)
    require_proved(ctx, runs_at_least_once(ctx, old), message, old.span, values=values, assume=assume)
    if not _runs_once(ctx, old):
        twice = fml.lt(values[0] + 1, values[1])  # with one iteration there is nothing to repeat
        conflict = why_not_running_again(ctx.enter(old, "body"), old.body, [twice])
        require_no(conflict, f"the body of {name} may have an effect when it runs again", old.span)

    return edit_of(proc).unwrap(NodeLoc(path))


def _runs_once(ctx: Context, loop: For) -> bool:
    low, high = bounds(ctx, loop)
    return ctx.holds(fml.eq(high, low + 1))
