"""reorder_loops: two nested loops change places."""

from __future__ import annotations

from usl_core.analysis.context import Context
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.ir.nodes import For
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import free_names
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_no
from usl_core.primitives.locate import Where, context_at, loop_at
from usl_core.primitives.loops.iterations import why_not_interchangeable
from usl_core.primitives.loops.modes import parallel_if_free_of_races
from usl_core.procedure import Procedure


@primitive()
def reorder_loops(proc: Procedure, loops: Where) -> Edit:
    """Swap two directly nested loops, given as `"i j"` or by a cursor to the outer one.

        for i in seq(a, b):              for j in seq(c, d):
            for j in seq(c, d):  ~>          for i in seq(a, b):
                s                                s

    Each loop keeps its mode, but a parallel one that comes outside and whose iterations may interfere there becomes sequential.

    Raises:
        SchedulingError: the inner loop is not alone in the outer one; its range depends on the outer iterator; two iterations
        that would change places touch the same location.
    Forwarding: each loop moves with its name, the body stays innermost.
    Also known as: reorder (Halide, TVM), loop interchange.
    """
    path, outer = loop_at(proc, loops)

    inner = outer.body[0]
    if len(outer.body) != 1 or not isinstance(inner, For):
        hint = "hint: separate the other statements with fission first"
        message = f"the body of loop {outer.iter.name} must be one loop and nothing else"
        refuse(message, outer.span, [hint], code="E404")
    require_interchange(context_at(proc, path), outer, inner)

    return parallel_if_free_of_races(edit_of(proc).interchange(NodeLoc(path)), path)


def require_interchange(ctx: Context, outer: For, inner: For) -> None:
    """Two loops, the inner alone in the outer, may be swapped, or the operator refuses."""
    for limit in (inner.lo, inner.hi):
        message = f"the range of {inner.iter.name} depends on {outer.iter.name}: {show_expr(limit)}"
        require(outer.iter not in free_names(limit), message, inner.span, code="E414")
    conflict = why_not_interchangeable(ctx, outer, inner)
    message = f"iterations of {outer.iter.name} and {inner.iter.name} that would change places do not commute"
    require_no(conflict, message, outer.span)
