"""widen_loop: a loop goes on beyond its end, where that does not matter."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.ir.printer import show_expr
from usl_core.primitives.base import edit_of, primitive, require_proved
from usl_core.primitives.locate import Expression, Where, context_at, limit, loop_at
from usl_core.primitives.loops.beyond import require_harmless
from usl_core.procedure import Procedure


@primitive()
def widen_loop(proc: Procedure, loop: Where, hi: Expression) -> Edit:
    """Let a loop that fills local buffers run on to another end.

        for i in seq(a, b):  ~>      for i in seq(a, hi):
            s                            s

    The iterations from b on compute what nobody reads: a producer gets the range of full tiles, say, that `divide_loop` then
    divides without a tail. `cut_loop` with `delete_dead_writes` is the way back.

    Raises:
        SchedulingError: `b <= hi` is not proved before the loop; iterations beyond the end write a formal, configuration, or
        what is read; they could stop the program (a `check`; a condition or `idx` reads what is not certainly filled with
        numbers there); an access is then out of bounds.
    Forwarding: everything stays itself.
    """
    path, old = loop_at(proc, loop)
    end = limit(proc, path, hi)

    ctx = context_at(proc, path)
    before, after = ctx.index(old.hi), ctx.index(end)
    message = f"cannot prove {show_expr(old.hi)} <= {show_expr(end)}"
    require_proved(ctx, fml.le(before, after), message, old.span, values=(before, after), hint="clamp the new end with max")
    require_harmless(proc.ir, ctx, path, old, end)

    return edit_of(proc).replace_expr(NodeLoc((*path, ("hi", None))), end)
