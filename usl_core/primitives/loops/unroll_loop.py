"""unroll_loop: a loop becomes copies of its body."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, after, block_of, body_of, stmt_path
from usl_core.ir.nodes import Block, For, index_literal
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import substitute_block, with_fresh_binders
from usl_core.primitives.base import edit_of, primitive, refuse, require
from usl_core.primitives.locate import Where, context_at, loop_at
from usl_core.primitives.loops.iterations import bounds
from usl_core.procedure import Procedure

MOST_COPIES = 4096
"""More copies than this are a mistake rather than a wish."""


@primitive()
def unroll_loop(proc: Procedure, loop: Where) -> Edit:
    """Replace a loop by one copy of its body per iteration.

        for i in seq(0, 3):          s[i -> 0]
            s                ~>      s[i -> 1]
                                     s[i -> 2]

    Raises:
        SchedulingError: a limit of the loop is not a constant; more than 4096 iterations.
    Forwarding: the body goes to the first copy; the loop is gone.
    """
    path, old = loop_at(proc, loop)

    low, high = bounds(context_at(proc, path), old)
    for limit, value in ((old.lo, low), (old.hi, high)):
        if not value.is_const:
            hint = "hint: divide the loop first, or fix the size with partial_eval"
            refuse(f"the limit {show_expr(limit)} is not a constant", old.span, [hint], code="E415")
    count = high.const - low.const
    require(count <= MOST_COPIES, f"{count} copies are too many (the most is {MOST_COPIES})", old.span)

    edit = edit_of(proc)
    if count <= 0:
        return edit.delete(block_of(path))
    body = body_of(path, len(old.body))
    copies = tuple(stmt for i in range(low.const + 1, high.const) for stmt in _iteration(old, i))
    edit = edit.substitute(body, {old.iter: index_literal(low.const)})
    return edit.insert(after(stmt_path(body, len(old.body) - 1)), copies).unwrap(NodeLoc(path))


def _iteration(loop: For, i: int) -> Block:
    return substitute_block(with_fresh_binders(loop.body), {loop.iter: index_literal(i)})
