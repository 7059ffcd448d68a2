"""join_loops: two loops over neighbouring ranges become one."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import same_block
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_proved
from usl_core.primitives.locate import Where, context_at, loop_at
from usl_core.primitives.loops.modes import parallel_if_free_of_races
from usl_core.primitives.loops.neighbours import require_neighbours
from usl_core.procedure import Procedure


@primitive()
def join_loops(proc: Procedure, loop1: Where, loop2: Where) -> Edit:
    """Join a loop and the next one, which goes on where the first stops, with the same body.

        for i in seq(a, b):
            s                        for i in seq(a, c):
        for i in seq(b, c):  ~>          s
            s

    The joined loop is `par` if both are and no iteration of the one may interfere with one of the other.

    Raises:
        SchedulingError: the second loop does not follow the first; the bodies differ other than in names; the modes differ;
        the second is not proved to start where the first stops.
    Forwarding: both loops go to the joined one, their bodies to its body.
    """
    path1, first = loop_at(proc, loop1)
    path2, second = loop_at(proc, loop2)

    require_neighbours(path1, path2, second.span)
    require(first.mode is second.mode, "one of the loops is `par` and the other is not", second.span)
    if not same_block(first.body, second.body, {first.iter: second.iter}):
        refuse("the bodies of the loops are not the same", second.span, code="E404")
    ctx = context_at(proc, path1)
    stop, start = ctx.index(first.hi), ctx.index(second.lo)
    message = f"the second loop starts at {show_expr(second.lo)}, which is not proved to be {show_expr(first.hi)}"
    require_proved(ctx, fml.eq(start, stop), message, second.span, values=(stop, start))

    edit = edit_of(proc).replace_expr(NodeLoc((*path1, ("hi", None))), second.hi)
    edit = edit.delete(NodeLoc(path2)).redirect(NodeLoc(path2), NodeLoc(path1))
    return parallel_if_free_of_races(edit, path1)
