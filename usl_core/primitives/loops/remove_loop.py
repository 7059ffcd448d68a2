"""remove_loop: a loop whose iterations all do the same becomes its body."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.analysis.repeating import why_not_running_again
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, body_of
from usl_core.ir import make
from usl_core.ir.nodes import If
from usl_core.ir.traverse import free_names
from usl_core.primitives.base import edit_of, primitive, require, require_no
from usl_core.primitives.locate import Where, context_at, loop_at
from usl_core.primitives.loops.iterations import bounds, runs_at_least_once
from usl_core.procedure import Procedure


@primitive()
def remove_loop(proc: Procedure, loop: Where) -> Edit:
    """Keep the body of a loop only, run once; under a condition, unless the loop is proved to run.

        for i in seq(a, b):          if a < b:
            s                ~>          s

    Raises:
        SchedulingError: s uses the iterator; running s again may have an effect, and the loop may run more than once.
    Forwarding: the body stays; the loop is gone.
    """
    path, old = loop_at(proc, loop)

    name = old.iter.name
    require(old.iter not in free_names(*old.body), f"the body uses the iterator {name}", old.span, code="E414")
    ctx = context_at(proc, path)
    low, high = bounds(ctx, old)
    twice = fml.lt(low + 1, high)  # with one iteration there is nothing to repeat
    if not ctx.holds(fml.not_(twice)):
        conflict = why_not_running_again(ctx.enter(old, "body"), old.body, [twice])
        require_no(conflict, f"the body of {name} may have an effect when it runs again", old.span)

    edit = edit_of(proc)
    if not ctx.holds(runs_at_least_once(ctx, old)):
        runs = make.compare("<", old.lo, old.hi, span=old.span)
        edit = edit.wrap(body_of(path, len(old.body)), lambda body: If(runs, body, span=old.span))
    return edit.unwrap(NodeLoc(path))
