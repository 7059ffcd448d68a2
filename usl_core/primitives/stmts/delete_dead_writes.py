"""delete_dead_writes: code whose results nobody reads goes."""

from __future__ import annotations

from usl_core.analysis.context import Context
from usl_core.analysis.later import seen_after
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import splice, stmt_path, stmts
from usl_core.equivalence import Relation
from usl_core.ir.nodes import Pass
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_no
from usl_core.primitives.locate import Where, block_at
from usl_core.primitives.moving import effect, require_closed
from usl_core.procedure import Procedure


@primitive(Relation.REFINES)
def delete_dead_writes(proc: Procedure, block: Where) -> Edit:
    """Delete code that does nothing but write local buffers, in places that nothing reads afterwards.

        for i in seq(0, n):          for i in seq(0, n):
            t[i] = x[i]      ~>          t[i] = x[i]
        for i in seq(n, m):
            t[i] = x[i]              where only t[0:n] is read

    With `cut_loop` it narrows the loop of a producer to what is consumed. A condition or `idx` on data that the code has would
    stop the program where that data is uninitialised; without the code it goes on.

    Raises:
        SchedulingError: the code writes what the caller sees, configuration, or nothing; it has a `check`; what it writes may
        be read later, in a later iteration of a loop around it too; it binds a name that is used after it.
    Forwarding: the code is gone, everything else stays itself.
    Also known as: dead store elimination.
    """
    where = block_at(proc, block)
    path, code = stmt_path(where, 0), stmts(proc.ir, where)
    span = code[0].span

    require_closed(proc.ir, where, span)
    ctx = Context.at(proc.ir, path)
    done = effect(ctx, code)
    writes = [a for a in done.accesses if a.modifies]
    require(bool(writes), "the code writes nothing", span, code="E451")
    if done.checks or done.config_writes:
        refuse("the code has a `check` or writes configuration", span, code="E419")
    seen = next((a for a in writes if ctx.scope.buffers[a.buffer].is_formal), None)
    if seen is not None:
        refuse(f"the caller sees what the code writes to {seen.buffer.name}", seen.node.span, code="E419")
    rest = splice(proc.ir, where, (Pass(span=span),))
    require_no(seen_after(rest, path, ctx.facts, writes), "what the code writes may be read later", span)

    return edit_of(proc).delete(where)
