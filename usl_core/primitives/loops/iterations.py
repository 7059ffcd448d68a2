"""Facts about iterations of loops, and whether those that a rewrite moves past each other may change places."""

from __future__ import annotations

from dataclasses import replace

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.conditions import Conflict, instance, order_facts, why_not_commuting
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Summary
from usl_core.analysis.exposed import exposed_read, exposure_notes
from usl_core.analysis.formula import Formula
from usl_core.ir.nodes import Block, For, Stmt, WindowStmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import mentioned
from usl_core.primitives.base import refuse
from usl_core.primitives.moving import another, effect


def bounds(ctx: Context, loop: For) -> tuple[Lin, Lin]:
    """The range of a loop that stands where ctx holds."""
    return ctx.index(loop.lo), ctx.index(loop.hi)


def runs_at_least_once(ctx: Context, loop: For) -> Formula:
    """That the range of a loop is not empty."""
    low, high = bounds(ctx, loop)
    return fml.lt(low, high)


def require_own_values(inside: Context, loop: For, buffer: Sym, message: str, *, fresh: bool = False) -> None:
    """What an iteration of loop reads of buffer it has written itself, or the operator refuses; inside is known in its body.

    fresh: the buffer is uninitialised before the loop, so what no earlier iteration may write stays so and may be read.
    """
    found = exposed_read(inside, loop.body, buffer, _earlier_writes(inside, loop, buffer) if fresh else None)
    if found is not None:
        not_first = inside.assume([fml.lt(inside.index(loop.lo), affine.var(loop.iter))])
        hint = "hint: every read must follow a write of the same iteration"
        notes = [*exposure_notes(not_first, loop.body, buffer), hint]
        refuse(message, found.node.span.or_else(loop.span), notes, code="E452")


def _earlier_writes(inside: Context, loop: For, buffer: Sym) -> list[Access]:
    """All that iterations before the one of inside may write to buffer."""
    earlier = loop.iter.copy()
    number = affine.var(earlier)
    facts = (fml.le(inside.index(loop.lo), number), fml.lt(number, affine.var(loop.iter)))
    writes = [a for a in effect(inside, _using(inside, loop.body, buffer)).accesses if a.modifies and a.buffer is buffer]
    return [replace(w, iters=(*w.iters, earlier), guard=(*w.guard, *facts)) for w in instance(writes, {loop.iter: number})]


def _using(ctx: Context, block: Block, buffer: Sym) -> list[Stmt]:
    """The statements of a block that mention a buffer or a window of it, known to ctx or bound there: of a long block a few."""
    names: set[Sym] = {buffer, *(window for window in ctx.scope.windows if ctx.scope.root(window) is buffer)}
    found: list[Stmt] = []
    for stmt in block:
        if not names.isdisjoint(mentioned(stmt)):
            found.append(stmt)
            names |= {stmt.name} if isinstance(stmt, WindowStmt) else set()
    return found


def why_not_later_before_earlier(ctx: Context, loop: For, ahead: Summary, behind: Summary) -> Conflict | None:
    """Why `behind` of an iteration may not run after `ahead` of every later iteration, which now comes first, or None.

    Both are effects of code in the loop's body, in terms of its iterator.
    """
    later = loop.iter.copy()
    facts = [*ctx.facts, *order_facts(loop.iter, later, *bounds(ctx, loop))]
    return why_not_commuting(facts, behind, another(ahead, {loop.iter: affine.var(later)}))


def why_not_interchangeable(ctx: Context, outer: For, inner: For) -> Conflict | None:
    """Why a pair of iterations (i, j), (i', j') with i < i' and j' < j may not change places, or None if each pair may.

    inner is the only statement of outer's body; ctx is the context before outer.
    """
    i, j = outer.iter.copy(), inner.iter.copy()
    env = {outer.iter: affine.var(i), inner.iter: affine.var(j)}
    body = effect(ctx, inner.body)
    low, high = bounds(ctx, inner)
    facts = [
        *ctx.facts,
        *order_facts(outer.iter, i, *bounds(ctx, outer)),
        *order_facts(j, inner.iter, affine.subst(low, env), high),
        fml.le(low, affine.var(inner.iter)),
        fml.lt(affine.var(j), affine.subst(high, env)),
    ]
    return why_not_commuting(facts, body, another(body, env))
