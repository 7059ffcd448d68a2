"""add_loop: a block is repeated."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.analysis.repeating import why_not_running_again
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import stmt_path, stmts
from usl_core.ir import make
from usl_core.ir.nodes import Block, For, If, index_literal, index_read
from usl_core.ir.printer import show_expr
from usl_core.primitives.base import edit_of, primitive, require_no, require_proved
from usl_core.primitives.locate import Expression, Where, block_at, context_at, limit
from usl_core.primitives.moving import new_name, require_closed
from usl_core.procedure import Procedure


@primitive()
def add_loop(proc: Procedure, block: Where, name: str, hi: Expression, guard: bool = False) -> Edit:
    """Put a loop around a block.

        s                    ~>      for i in seq(0, n):
                                         s

    With guard=True the body is `if i == 0: s`.

    Raises:
        SchedulingError: `hi > 0` is not proved before the block; running s again may have an effect (without guard); what s
        allocates is used after it.
    Forwarding: the statements stay themselves, inside the loop.
    """
    where = block_at(proc, block)
    iterator = new_name(name)
    first = stmt_path(where, 0)
    stop = limit(proc, first, hi)

    code = stmts(proc.ir, where)
    span = code[0].span
    ctx = context_at(proc, first)
    extent = ctx.index(stop)
    message = f"cannot prove that {show_expr(stop)} is at least 1"
    require_proved(ctx, fml.ge(extent, 1), message, span, values=(extent,), assume=f"{show_expr(stop)} >= 1")
    require_closed(proc.ir, where, span)
    if not guard:
        twice = fml.ge(extent, 2)  # with one iteration there is nothing to repeat
        conflict = why_not_running_again(ctx, code, [twice])
        require_no(conflict, "the block may have an effect when it runs again: use guard=True", span)

    def around(body: Block) -> For:
        return For(iterator, index_literal(0), stop, body, span=span)

    edit = edit_of(proc).wrap(where, around)
    if guard:
        only_first = make.compare("==", index_read(iterator), index_literal(0), span=span)
        edit = edit.wrap(where, lambda body: If(only_first, body, span=span))
    return edit
