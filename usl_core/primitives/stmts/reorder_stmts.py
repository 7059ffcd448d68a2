"""reorder_stmts: two neighbouring statements change places."""

from __future__ import annotations

from usl_core.analysis.conditions import why_not_commuting
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import BlockLoc, after, stmt_path, stmts
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_no
from usl_core.primitives.locate import Where, block_at, context_at
from usl_core.primitives.moving import effect, escaping
from usl_core.procedure import Procedure


@primitive()
def reorder_stmts(proc: Procedure, pair: Where, split: int | None = None) -> Edit:
    """Swap two neighbouring statements, given as a block of two or a pattern `s1 ; s2`.

        s1                   ~>      s2
        s2                           s1

    With split, the block may be of any length, and its first `split` statements go behind the others: one step takes a
    statement as far as it can go.

    Raises:
        SchedulingError: the block has not two statements, or split leaves one part empty; one part touches what the other
        modifies; the second uses what the first allocates or names.
    Forwarding: all statements stay themselves.
    """
    block = block_at(proc, pair)
    length = block.hi - block.lo
    if split is None:
        require(length == 2, f"a block of two statements is wanted, not {length}")
        split = 1
    require(0 < split < length, f"split={split} leaves one part of a block of {length} empty")
    middle = block.lo + split
    first = BlockLoc(block.parent, block.field, block.lo, middle)
    before, behind = stmts(proc.ir, first), stmts(proc.ir, BlockLoc(block.parent, block.field, middle, block.hi))

    names = ", ".join(name.name for name in escaping(before, behind))
    if names:
        refuse(f"the second statement uses {names}, which the first binds", behind[0].span, code="E416")
    ctx = context_at(proc, stmt_path(block, 0))
    conflict = why_not_commuting(ctx.facts, effect(ctx, before), effect(ctx, behind))
    require_no(conflict, "the statements do not commute", behind[0].span)

    return edit_of(proc).move(first, after(stmt_path(block, length - 1)))
