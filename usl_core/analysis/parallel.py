"""Race freedom of parallel loops. Reference: docs/semantics.md, "Parallel loops"."""

from __future__ import annotations

from usl_core.analysis import affine
from usl_core.analysis.conditions import Conflict, instance, no_conflict, order_facts
from usl_core.analysis.conflict import may_overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Kind, block_summary
from usl_core.analysis.formula import Formula
from usl_core.errors import BackendError
from usl_core.ir.nodes import Block, For, If, LoopMode, Proc
from usl_core.ir.sym import Sym


def race_free(ctx: Context, loop: For) -> Conflict | None:
    """Whether the iterations of loop are pairwise non-interfering; ctx is the context before it.

    Reductions into one location by several iterations do not count (par-reduce): see `shared_reductions`.
    """
    body = block_summary(loop.body)
    if body.checks:
        return Conflict("a check must stop the program in order")
    if body.config_writes:
        return Conflict("configuration state is written in each iteration")
    facts, accesses, later = _two_iterations(ctx, loop)
    return no_conflict(facts, accesses, instance(accesses, {loop.iter: affine.var(later)}))


def shared_reductions(ctx: Context, loop: For) -> list[Access]:
    """The reductions of loop's body into locations that more than one iteration may reduce into."""
    facts, accesses, later = _two_iterations(ctx, loop)
    reductions = [a for a in accesses if a.kind is Kind.REDUCE]
    others = instance(reductions, {loop.iter: affine.var(later)})
    return [a for a in reductions if any(may_overlap(facts, a, b) is not None for b in others)]


def _two_iterations(ctx: Context, loop: For) -> tuple[list[Formula], list[Access], Sym]:
    later = loop.iter.copy()
    facts = [*ctx.facts, *order_facts(loop.iter, later, ctx.index(loop.lo), ctx.index(loop.hi))]
    return facts, list(ctx.resolve_all(block_summary(loop.body).accesses)), later


def check_parallel(proc: Proc) -> None:
    """Every `par` loop of proc is free of races.

    Raises:
        BackendError: iterations of a loop may interfere; the notes show two accesses that meet.
    """
    _check_block(Context.of_proc(proc), proc.body)


def _check_block(ctx: Context, block: Block) -> None:
    for stmt in block:
        match stmt:
            case For(body=body):
                if stmt.mode is LoopMode.PAR and (found := race_free(ctx, stmt)) is not None:
                    message = f"the iterations of parallel loop {stmt.iter.name} may interfere"
                    raise BackendError(message, span=stmt.span, notes=found.notes(), code="E610")
                _check_block(ctx.enter(stmt, "body"), body)
            case If(body=body, orelse=orelse):
                _check_block(ctx.enter(stmt, "body"), body)
                _check_block(ctx.enter(stmt, "orelse"), orelse)
            case _:
                pass
        ctx = ctx.after(stmt)
