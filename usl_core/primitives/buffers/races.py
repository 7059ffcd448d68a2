"""Whether another layout of buffers makes the iterations of a parallel loop meet."""

from __future__ import annotations

from collections.abc import Iterator

from usl_core.analysis.conditions import Conflict
from usl_core.analysis.context import Context
from usl_core.analysis.parallel import race_free
from usl_core.cursors.edit import Edit
from usl_core.errors import Span
from usl_core.ir.nodes import Block, For, If, LoopMode, Proc
from usl_core.primitives.base import require_no


def require_no_new_race(edit: Edit, operator: str, span: Span) -> None:
    """The iterations of a `par` loop that were independent are still so, or the operator refuses."""
    before = {loop.iter: (ctx, loop) for ctx, loop in _parallel_loops(edit.origin)}
    for ctx, loop in _parallel_loops(edit.proc):
        if loop.iter in before and before[loop.iter][1] is not loop:
            conflict = race_free(ctx, loop)
            if conflict is not None and not _races(*before[loop.iter]):
                message = f"the iterations of parallel loop {loop.iter.name} would share elements: give each its own first"
                require_no(conflict, operator, message, span)


def _races(ctx: Context, loop: For) -> bool:
    found: Conflict | None = race_free(ctx, loop)
    return found is not None


def _parallel_loops(proc: Proc) -> Iterator[tuple[Context, For]]:
    return _in_block(Context.of_proc(proc), proc.body)


def _in_block(ctx: Context, block: Block) -> Iterator[tuple[Context, For]]:
    for stmt in block:
        match stmt:
            case For(body=body):
                if stmt.mode is LoopMode.PAR:
                    yield ctx, stmt
                yield from _in_block(ctx.enter(stmt, "body"), body)
            case If(body=body, orelse=orelse):
                yield from _in_block(ctx.enter(stmt, "body"), body)
                yield from _in_block(ctx.enter(stmt, "orelse"), orelse)
            case _:
                pass
        ctx = ctx.after(stmt)
