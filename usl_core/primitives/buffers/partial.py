"""Partial results of reductions: what they start at.

A partial result starts at the identity of its operation. One without an identity but for which `a op a` is a (`max` of floats)
may start at what is there already: that is combined with it again at the end, which changes nothing. It may also start at what
was there before a loop around, if that loop only combines more with it: what was there is part of what is there.
"""

from __future__ import annotations

from usl_core.analysis.conflict import overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Kind
from usl_core.cursors.path import BlockLoc, Path
from usl_core.errors import Span, counterexample
from usl_core.ir.combining import spelt
from usl_core.ir.nodes import For, ReadConfig
from usl_core.ir.operation import Operation
from usl_core.ir.traverse import free_names, walk
from usl_core.primitives.base import refuse, require
from usl_core.primitives.buffers.region import Region
from usl_core.primitives.locate import Where, context_at, loop_at, scope_at
from usl_core.primitives.moving import effect
from usl_core.procedure import Procedure


def one_reduction(touched: list[Access], region: Region) -> str | Operation:
    """The operation by which a block reduces into the window, as it does nothing else with it."""
    other = next((a for a in touched if a.kind is not Kind.REDUCE), None)
    if other is not None:
        message = f"accum needs a block that only reduces into {region.buffer.name}, but there is a {other.kind.value}"
        refuse(message, other.node.span, code="E454")
    op = touched[0].op
    if (mixed := next((a for a in touched if a.op != op), None)) is not None:
        both = f"{spelt(op)} and {spelt(mixed.op)}"
        message = f"accum needs one operation, but the block reduces into {region.buffer.name} by {both}"
        refuse(message, mixed.node.span, code="E454")
    return op


def start_outside(proc: Procedure, where: BlockLoc, start: Where, region: Region, op: str | Operation) -> tuple[Path, Context]:
    """The loop around a block before which partial results by op may be given their start value, and what holds there."""
    path, loop = loop_at(proc, start)
    require(where.parent[: len(path)] == path, "the loop named by start must be around the block", loop.span)
    ctx = context_at(proc, path)
    _require_fixed(proc, path, region, loop)
    _require_only_combined(ctx, loop, region, op)
    return path, ctx


def _require_fixed(proc: Procedure, path: Path, region: Region, loop: For) -> None:
    """The window is the same one before the loop as in it."""
    visible = {binding.sym for binding in scope_at(proc, path).values()}
    hidden = sorted(name.name for name in (free_names(*region.dims) | {region.buffer}) - visible)
    if hidden:
        refuse(f"{', '.join(hidden)} is not in scope before the loop {loop.iter.name}", loop.span, code="E416")
    if any(isinstance(node, ReadConfig) for dim in region.dims for node in walk(dim)):
        refuse("the window depends on configuration state, which may differ before the loop", loop.span, code="E418")


def _require_only_combined(ctx: Context, loop: For, region: Region, op: str | Operation) -> None:
    places = region.locations(ctx, loop)
    for access in effect(ctx, (loop,)).accesses:
        if access.kind is Kind.REDUCE and access.op == op:
            continue
        found = overlap(ctx.facts, access, places)
        if found is not None:
            verb = "reads" if access.kind is Kind.READ else "changes"
            message = f"the loop {loop.iter.name} {verb} {region.buffer.name} other than by {spelt(op)}"
            refuse(message, _span(access, loop), counterexample(found), code="E454")


def _span(access: Access, loop: For) -> Span:
    return access.node.span.or_else(loop.span)
