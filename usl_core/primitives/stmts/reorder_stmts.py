"""reorder_stmts: two neighbouring statements change places."""

from __future__ import annotations

from usl_core.analysis.conditions import why_not_commuting
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, after, stmt_path, stmts
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_no
from usl_core.primitives.locate import Where, block_at, context_at
from usl_core.primitives.moving import effect, escaping
from usl_core.procedure import Procedure


@primitive()
def reorder_stmts(proc: Procedure, pair: Where) -> Edit:
    """Swap two neighbouring statements, given as a block of two or a pattern `s1 ; s2`.

        s1                   ~>      s2
        s2                           s1

    Raises:
        SchedulingError: the block has not two statements; one touches what the other modifies; the second uses what the first
        allocates or names.
    Forwarding: both statements stay themselves.
    """
    block = block_at(proc, pair)
    require(block.hi - block.lo == 2, f"a block of two statements is wanted, not {block.hi - block.lo}")
    first, second = stmts(proc.ir, block)
    path1, path2 = stmt_path(block, 0), stmt_path(block, 1)

    names = ", ".join(name.name for name in escaping((first,), (second,)))
    if names:
        refuse(f"the second statement uses {names}, which the first binds", second.span, code="E416")
    ctx = context_at(proc, path1)
    conflict = why_not_commuting(ctx.facts, effect(ctx, (first,)), effect(ctx, (second,)))
    require_no(conflict, "the statements do not commute", second.span)

    return edit_of(proc).move(NodeLoc(path1), after(path2))
