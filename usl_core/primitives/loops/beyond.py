"""Iterations beyond the end of a loop: the tail "round_up" of divide_loop, whose tiles are all full, and widen_loop run some.

These compute on garbage, so what they do must not matter: they write local buffers only, in places that nobody reads
afterwards; they cannot stop the program; and all their accesses and calls are proved legal (by the check of the result, which
demands that buffers are large enough). Also known as: RoundUp (Halide).
"""

from __future__ import annotations

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.conditions import Conflict, instance
from usl_core.analysis.context import Context
from usl_core.analysis.effects import block_summary
from usl_core.analysis.formula import Formula
from usl_core.analysis.initialised import control_without_value, on_data
from usl_core.analysis.later import seen_after, seen_by
from usl_core.analysis.repeating import Footprint, footprint
from usl_core.cursors.path import Path
from usl_core.ir.nodes import Expr, For, Proc
from usl_core.ir.traverse import update
from usl_core.primitives.base import refuse, require_no


def require_harmless(proc: Proc, ctx: Context, path: Path, loop: For, end: Expr) -> None:
    """Iterations beyond the end of the loop, and before another end, have no effect, or the operator refuses."""
    _require_total(loop)
    _require_decided(proc, ctx, path, loop, end)
    inside = ctx.enter(loop, "body")
    own = footprint(inside, loop.body)
    for access in own.modifies:
        if ctx.scope.buffers[access.buffer].is_formal:
            name = access.buffer.name
            hint = "hint: stage the result in a local buffer with stage_mem; or divide the loop with another tail"
            message = f"iterations beyond the end would write {name}, which the caller sees"
            refuse(message, loop.span, [hint], code="E419")
    limit, index = ctx.index(end), affine.var(loop.iter)
    beyond = [*ctx.facts, fml.le(ctx.index(loop.hi), index), fml.lt(index, limit)]
    message = f"an iteration of {loop.iter.name} beyond the end may write what is read"
    require_no(_seen_in_the_loop(beyond, loop, own, ctx.index(loop.lo), limit), message, loop.span)
    require_no(seen_after(proc, path, beyond, own.modifies), message, loop.span)


def _seen_in_the_loop(beyond: list[Formula], loop: For, own: Footprint, low: Lin, limit: Lin) -> Conflict | None:
    other = loop.iter.copy()
    index, another = affine.var(loop.iter), affine.var(other)
    facts = [*beyond, fml.le(low, another), fml.lt(another, limit), fml.ne(another, index)]
    return seen_by(facts, own.modifies, instance(own.inputs, {loop.iter: another}))


def _require_total(loop: For) -> None:
    """Nothing in the body, or in what it calls, can stop the program because of the data it works on."""
    effect = block_summary(loop.body)
    if effect.checks:
        refuse("the body has a `check`, which iterations beyond the end may fail", loop.span, code="E419")
    if effect.config_writes:
        names = ", ".join(f.name for f in sorted(effect.config_writes))
        refuse(f"the body writes configuration ({names}), which iterations beyond the end would too", loop.span, code="E419")


def _require_decided(proc: Proc, ctx: Context, path: Path, loop: For, end: Expr) -> None:
    """Conditions and `idx` on data have values in iterations beyond the end too."""
    if on_data(loop.body) is None:
        return
    inside = ctx.enter(update(loop, hi=end), "body").assume([fml.le(ctx.index(loop.hi), affine.var(loop.iter))])
    found = control_without_value(proc, path, inside, loop.body)
    if found is not None:
        hint = (
            "hint: fill the buffer that it reads up to the end of the last tile, use another tail, or `select` instead of `if`"
        )
        message = "the body has an `if` or `idx` on data, which may be uninitialised beyond the end"
        refuse(message, found.span.or_else(loop.span), [hint], code="E418")
