"""Race freedom of parallel loops. Reference: docs/semantics.md, "Parallel loops"."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.conditions import Conflict, conflict_between, instance, order_facts
from usl_core.analysis.conflict import overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Kind, block_summary, rename
from usl_core.analysis.formula import Formula
from usl_core.errors import BackendError
from usl_core.ir import make
from usl_core.ir.nodes import Block, For, If, LoopMode, Proc, SimpleStmt, Stmt, index_read
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import has_parallel, substitute_block, update, with_fresh_binders
from usl_core.profiling import profiled


@profiled("obligation", "race freedom")
def why_not_race_free(ctx: Context, loop: For) -> Conflict | None:
    """Why two iterations of loop may interfere, or None if no two do; ctx is the context before it.

    Reductions into one location by several iterations do not count (par-reduce): see `shared_reductions`.
    """
    return _state(loop) or _interfering(ctx, loop, ctx.index(loop.hi))


@profiled("obligation", "race freedom")
def why_not_parallelizable(ctx: Context, loop: For) -> Conflict | None:
    """Why loop may not be parallel, or None if its iterations are pairwise non-interfering, or all but the last are.

    The last then runs after the others have ended, which is the sequential order: see `separate_last`. The conflict that is
    shown is one among all iterations but the last.
    """
    return _state(loop) or _interfering(ctx, loop, ctx.index(loop.hi) - 1)


def _state(loop: For) -> Conflict | None:
    body = block_summary(loop.body)
    if body.checks:
        return Conflict("a check must stop the program in order")
    if body.config_writes:
        return Conflict("configuration state is written in each iteration")
    return None


def _interfering(ctx: Context, loop: For, hi: Lin) -> Conflict | None:
    """Two accesses of different iterations below hi that meet."""
    if ctx.holds(fml.lt(hi, ctx.index(loop.lo) + 2)):
        return None  # there is one iteration at most
    facts, accesses, later = _two_iterations(ctx, loop, hi)
    accesses = distinct(accesses)
    return conflict_between(facts, accesses, instance(accesses, {loop.iter: affine.var(later)}))


def distinct(accesses: Iterable[Access]) -> list[Access]:
    """The first of all accesses that are the same up to the names of their own iterators, as those of repeated code are."""
    found: dict[object, Access] = {}
    for access in accesses:
        names = {name: affine.var(_numbered(position)) for position, name in enumerate(access.iters)}
        alike = rename(access, names)
        key = (alike.buffer, alike.kind, alike.op, alike.point, alike.guard, alike.exact, len(alike.iters))
        found.setdefault(key, access)
    return list(found.values())


@lru_cache(maxsize=256)
def _numbered(position: int) -> Sym:
    """The name that stands for the iterator of that position."""
    return Sym(f"i{position}")


def shared_reductions(ctx: Context, loop: For) -> list[Access]:
    """The reductions of loop's body into locations that more than one iteration may reduce into."""
    facts, accesses, later = _two_iterations(ctx, loop, ctx.index(loop.hi))
    reductions = [a for a in accesses if a.kind is Kind.REDUCE]
    others = instance(reductions, {loop.iter: affine.var(later)})
    return [a for a in reductions if any(overlap(facts, a, b) is not None for b in others)]


def _two_iterations(ctx: Context, loop: For, hi: Lin) -> tuple[list[Formula], list[Access], Sym]:
    later = loop.iter.copy()
    facts = [*ctx.facts, *order_facts(loop.iter, later, ctx.index(loop.lo), hi)]
    return facts, list(ctx.scope.resolve_all(block_summary(loop.body).accesses)), later


def check_parallel(proc: Proc) -> None:
    """Every `par` loop of proc is free of races, or is once its last iteration stands apart (`separate_last`).

    Raises:
        BackendError: iterations of a loop may interfere; the notes show two accesses that meet.
    """
    if not _has_parallel(proc.body):
        return
    for ctx, stmt in Context.of_proc(proc).walk(proc.body):
        if isinstance(stmt, For) and stmt.mode is LoopMode.PAR and (found := why_not_parallelizable(ctx, stmt)) is not None:
            message = f"the iterations of parallel loop {stmt.iter.name} may interfere"
            raise BackendError(message, span=stmt.span, notes=found.notes(), code="E610")


def _has_parallel(block: Block) -> bool:
    return any(has_parallel(stmt) for stmt in block)


# ---- the last iteration apart


def separate_last(proc: Proc) -> Proc:
    """proc with the last iteration of each `par` loop whose other iterations it may meet put into a loop of its own after it.

        for i in par(a, b):          for i in par(a, max(a, b - 1)):
            s                ~>          s
                                     for i in seq(max(a, b - 1), b):
                                         s

    What executes loops in parallel, or in any order, executes the result: all its `par` loops are race-free if those of proc
    are parallelizable. It is proc itself if there is nothing to do.
    """
    if not _has_parallel(proc.body):
        return proc
    body = _separated(Context.of_proc(proc), proc.body)
    return proc if body is proc.body else update(proc, body=body)


def _separated(ctx: Context, block: Block) -> Block:
    result: list[Stmt] = []
    for stmt in block:
        result += _separated_stmt(ctx, stmt)
        ctx = ctx.after(stmt)
    unchanged = len(result) == len(block) and all(a is b for a, b in zip(result, block, strict=True))
    return block if unchanged else tuple(result)


def _separated_stmt(ctx: Context, stmt: Stmt) -> Block:
    match stmt:
        case For():
            body = _separated(ctx.enter(stmt, "body"), stmt.body)
            loop = stmt if body is stmt.body else update(stmt, body=body)
            apart = (
                stmt.mode is LoopMode.PAR
                and why_not_race_free(ctx, stmt) is not None
                and why_not_parallelizable(ctx, stmt) is None
            )
            return _with_last_apart(ctx, loop) if apart else (loop,)
        case If():
            then = _separated(ctx.enter(stmt, "body"), stmt.body)
            other = _separated(ctx.enter(stmt, "orelse"), stmt.orelse)
            return (stmt if then is stmt.body and other is stmt.orelse else update(stmt, body=then, orelse=other),)
        case SimpleStmt():
            return (stmt,)


def _with_last_apart(ctx: Context, loop: For) -> Block:
    last = make.offset(loop.hi, -1)
    if not ctx.holds(fml.lt(ctx.index(loop.lo), ctx.index(loop.hi))):
        last = make.maximum(loop.lo, last)
    name = loop.iter.copy()
    body = substitute_block(with_fresh_binders(loop.body), {loop.iter: index_read(name)})
    return update(loop, hi=last), For(name, last, loop.hi, body, LoopMode.SEQ, span=loop.span)
