"""unroll_loop: a loop becomes copies of its body."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, after, block_of, body_of, stmt_path
from usl_core.ir import make
from usl_core.ir.nodes import Block, Expr, For, index_literal
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

        for i in seq(n, n + 3):          s[i -> n]
            s                    ~>      s[i -> n + 1]
                                         s[i -> n + 2]

    What is known at the place counts: under `if n == 4`, or after `assert (n + 15) / 16 == 4`, a loop up to `n`, or to
    `(n + 15) / 16`, has four copies.

    Raises:
        SchedulingError: the number of iterations is not a constant; there are more than 4096.
    Forwarding: the body goes to the first copy; the loop is gone.
    """
    path, old = loop_at(proc, loop)

    ctx = context_at(proc, path)
    low, high = bounds(ctx, old)
    start, count = ctx.value(low), ctx.value(high - low)
    if count is None:
        limit = old.hi if start is not None else old.lo
        hint = "hint: divide the loop first, or fix the size with partial_eval"
        refuse(f"the limit {show_expr(limit)} is not a constant", old.span, [hint], code="E415")
    first = old.lo if start is None else index_literal(start)
    require(count <= MOST_COPIES, f"{count} copies are too many (the most is {MOST_COPIES})", old.span)

    edit = edit_of(proc)
    if count <= 0:
        return edit.delete(block_of(path))
    body = body_of(path, len(old.body))
    copies = tuple(stmt for k in range(1, count) for stmt in _iteration(old, make.offset(first, k)))
    edit = edit.substitute(body, {old.iter: first})
    return edit.insert(after(stmt_path(body, len(old.body) - 1)), copies).unwrap(NodeLoc(path))


def _iteration(loop: For, i: Expr) -> Block:
    return substitute_block(with_fresh_binders(loop.body), {loop.iter: i})
