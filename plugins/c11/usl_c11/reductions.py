"""Which scalars a `par` loop reduces: those that several iterations add to, and that no iteration touches otherwise.

OpenMP gives each thread a copy of such a scalar that starts at 0, so nothing in the loop may see its value. All other scalars
stay what they are: that the loop has no races says that at most one iteration touches them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from usl_core.analysis.conflict import overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, block_summary
from usl_core.analysis.parallel import shared_reductions
from usl_core.errors import BackendError
from usl_core.ir.nodes import Block, For, If, LoopMode, Proc, Reduce, SimpleStmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import binders, has_parallel, walk_kinds

Reductions = Mapping[For, tuple[Sym, ...]]


def reductions(proc: Proc) -> Reductions:
    """For each `par` loop of proc, which has no races, the scalars from outside that it reduces, in order of mention.

    Raises:
        BackendError: iterations reduce into one element of an array, inside a callee, or into a scalar that they also read or
            set: OpenMP has no form for that.
    """
    found: dict[For, tuple[Sym, ...]] = {}
    _of_block(Context.of_proc(proc), proc.body, found)
    return found


def _of_block(ctx: Context, block: Block, found: dict[For, tuple[Sym, ...]]) -> None:
    for stmt in block:
        match stmt:
            case For(body=body) if has_parallel(stmt):
                _of_block(ctx.enter(stmt, "body"), body, found)
                if stmt.mode is LoopMode.PAR:
                    found[stmt] = _of_loop(ctx, stmt, found)
            case If(body=body, orelse=orelse) if has_parallel(stmt):
                _of_block(ctx.enter(stmt, "body"), body, found)
                _of_block(ctx.enter(stmt, "orelse"), orelse, found)
            case For() | If() | SimpleStmt():
                pass
        ctx = ctx.after(stmt)


def _of_loop(ctx: Context, loop: For, found: Reductions) -> tuple[Sym, ...]:
    """The scalars that loop reduces: what iterations share, and what a `par` loop inside loads and stores in each iteration."""
    inside = frozenset(binders(loop))
    nested = (name for stmt in loop.body for inner in walk_kinds(stmt, For) for name in found.get(inner, ()))
    names = {name for name in nested if name not in inside}
    for access in shared_reductions(ctx, loop):
        if access.point or not isinstance(access.node, Reduce):
            what = "one element of" if access.point else "the scalar"
            raise BackendError(
                f"iterations of parallel loop {loop.iter.name} reduce into {what} {access.buffer.name}",
                span=loop.span,
                notes=("the C11 backend reduces scalars in the loop's own body only; make another loop parallel",),
            )
        names.add(access.buffer)
    if names:
        _require_nothing_else(ctx.enter(loop, "body"), loop, names)
    mentioned = [node.name for stmt in loop.body for node in walk_kinds(stmt, Reduce) if node.name in names]
    return tuple(dict.fromkeys(mentioned))


def _require_nothing_else(ctx: Context, loop: For, names: Collection[Sym]) -> None:
    """No iteration does anything with these scalars but to add to them in a statement of its own."""
    for access in ctx.resolve_all(block_summary(loop.body).accesses):
        if access.buffer in names and not isinstance(access.node, Reduce) and _happens(ctx, access):
            scalar = access.buffer.name
            raise BackendError(
                f"iterations of parallel loop {loop.iter.name} reduce into the scalar {scalar} and may use it otherwise too",
                span=access.node.span if access.node.span.line else loop.span,
                notes=(f"OpenMP gives each thread a sum that starts at 0, so {scalar} has no value there; make it a seq loop",),
            )


def _happens(ctx: Context, access: Access) -> bool:
    return overlap(ctx.facts, access, access) is not None
