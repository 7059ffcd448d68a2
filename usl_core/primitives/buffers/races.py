"""Whether another layout of a buffer makes the iterations of a parallel loop meet in it."""

from __future__ import annotations

from collections.abc import Iterator

from usl_core.analysis import affine
from usl_core.analysis.conditions import Conflict, conflict_between, instance, order_facts
from usl_core.analysis.context import Context
from usl_core.analysis.effects import block_summary
from usl_core.cursors.edit import Edit
from usl_core.errors import Span
from usl_core.ir.nodes import For, LoopMode, Proc
from usl_core.ir.sym import Sym
from usl_core.primitives.base import require_no


def require_own_elements(edit: Edit, buffer: Sym, span: Span) -> None:
    """The iterations of a `par` loop that did not meet in buffer do not meet in it now, or the operator refuses.

    What is allocated in the loop does not count, as every iteration has its own. A loop that the edit left as it is may still
    reach other elements, through a window that is made before it. The edit keeps all loops.
    """
    for before, now in zip(_parallel_loops(edit.origin), _parallel_loops(edit.proc), strict=True):
        conflict = _meeting(*now, buffer)
        if conflict is not None and _meeting(*before, buffer) is None:
            message = (
                f"the iterations of parallel loop {now[1].iter.name} would share elements of {buffer.name}: "
                "give each iteration its own first (allocate the buffer in the loop, or expand_dim)"
            )
            require_no(conflict, message, span)


def _meeting(ctx: Context, loop: For, buffer: Sym) -> Conflict | None:
    """Accesses to buffer by two iterations of loop, other than the last, that interfere: see `why_not_parallelizable`."""
    later = loop.iter.copy()
    facts = [*ctx.facts, *order_facts(loop.iter, later, ctx.index(loop.lo), ctx.index(loop.hi) - 1)]
    accesses = [a for a in ctx.scope.resolve_all(block_summary(loop.body).accesses) if a.buffer is buffer]
    return conflict_between(facts, accesses, instance(accesses, {loop.iter: affine.var(later)}))


def _parallel_loops(proc: Proc) -> Iterator[tuple[Context, For]]:
    for ctx, stmt in Context.of_proc(proc).walk(proc.body):
        if isinstance(stmt, For) and stmt.mode is LoopMode.PAR:
            yield ctx, stmt
