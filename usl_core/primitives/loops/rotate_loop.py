"""rotate_loop: a loop begins in the middle of its body."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import BlockLoc, NodeLoc, after, before, gap_position, get_stmt
from usl_core.ir import make
from usl_core.ir.nodes import Block, For, If, LoopMode, index_read
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import substitute_block, with_fresh_binders
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_proved
from usl_core.primitives.locate import Where, context_at, gap_at
from usl_core.primitives.loops.iterations import bounds
from usl_core.primitives.loops.numbering import renumbering
from usl_core.primitives.moving import escaping
from usl_core.procedure import Procedure


@primitive()
def rotate_loop(proc: Procedure, gap: Where) -> Edit:
    """Begin a loop at a gap in its body: each iteration ends with what the next one began with.

                                     for i in seq(a, a + 1):
        for i in seq(a, b):              s1
            s1               ~>      for i in seq(a, b):
            s2                           s2
                                         if i < b - 1:
                                             s1[i -> i + 1]

    Everything happens in the same order as before. `reorder_stmts` then brings `s1` of the next iteration before `s2`, if
    these two commute, whatever iterations further apart do.

    Raises:
        SchedulingError: the gap is not in a loop, or has nothing before or after it; the loop is `par`; `a < b` is not proved
        before the loop; s2 uses what s1 allocates or names.
    Forwarding: s1 goes to its copy in the loop; everything else stays itself.
    Also known as: loop rotation, retiming.
    """
    where = gap_at(proc, gap)
    old = get_stmt(proc.ir, where.parent) if where.parent else None
    if not isinstance(old, For):
        refuse("the gap is not directly in a loop", None if old is None else old.span, code="E404")
    split = gap_position(where)
    first, second = old.body[:split], old.body[split:]

    require(bool(first and second), "there must be a statement before and one after the gap", old.span)
    require(old.mode is LoopMode.SEQ, "the loop is `par`: its iterations must stay what they are", old.span)
    names = ", ".join(name.name for name in escaping(first, second))
    if names:
        hint = "hint: lift the allocation out with lift_alloc (expand_dim first if each iteration needs its own)"
        refuse(f"{names} is bound before the gap and used after it", old.span, [hint], code="E416")
    ctx = context_at(proc, where.parent)
    low, high = bounds(ctx, old)
    lo, hi = show_expr(old.lo), show_expr(old.hi)
    message = f"cannot prove that the loop over {old.iter.name} runs: {lo} < {hi}"
    require_proved(ctx, fml.lt(low, high), message, old.span, values=(low, high), assume=f"{lo} < {hi}")

    i = index_read(old.iter)
    another = make.compare("<", i, make.offset(old.hi, -1))
    moved = Now(BlockLoc(where.parent, "body", 0, split))
    edit = edit_of(proc).rewrite_exprs(moved, renumbering(old.iter, make.offset(i, 1)), {old.iter})
    edit = edit.wrap(moved, lambda body: If(another, body, span=old.span))
    guard = Now(NodeLoc((*where.parent, ("body", 0))))
    end = Now(after((*where.parent, ("body", len(second)))))
    return edit.move(guard, end).insert(before(where.parent), (_first(old, first),))


def _first(loop: For, begin: Block) -> For:
    """The first iteration of what a loop begins with."""
    name = loop.iter.copy()
    body = substitute_block(with_fresh_binders(begin), {loop.iter: index_read(name)})
    return For(name, loop.lo, make.offset(loop.lo, 1), body, loop.mode, span=loop.span)
