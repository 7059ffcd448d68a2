"""Which scalars a `par` loop reduces: those that several iterations add to, and that no iteration touches otherwise.

OpenMP gives each thread a copy of such a scalar that starts at 0, so nothing in the loop may see its value. All other scalars
stay what they are: that the loop has no races says that at most one iteration touches them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from usl_core.backend import ParallelLoop, parallel_loops
from usl_core.errors import BackendError
from usl_core.ir.combining import spelt
from usl_core.ir.nodes import For, Proc, Reduce
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import binders, walk_kinds

Reductions = Mapping[For, tuple[Sym, ...]]


def reductions(proc: Proc) -> Reductions:
    """For each `par` loop of proc, which has no races, the scalars from outside that it reduces, in order of mention.

    Raises:
        BackendError: iterations reduce into one element of an array, inside a callee, or into a scalar that they also read or
            set: OpenMP has no form for that.
    """
    found: dict[For, tuple[Sym, ...]] = {}
    for each in parallel_loops(proc):
        found[each.loop] = _of_loop(each, found)
    return found


def _of_loop(par: ParallelLoop, found: Reductions) -> tuple[Sym, ...]:
    """The scalars that a loop reduces: what iterations share, and what a `par` loop inside loads and stores in each."""
    loop = par.loop
    inside = frozenset(binders(loop))
    nested = (name for stmt in loop.body for inner in walk_kinds(stmt, For) for name in found.get(inner, ()))
    names = {name for name in nested if name not in inside}
    for access in par.shared_reductions():
        if access.op != "+":
            raise BackendError(
                f"iterations of parallel loop {loop.iter.name} reduce into {access.buffer.name} by {spelt(access.op)}",
                span=loop.span,
                notes=("the C11 backend shares sums among threads only; make another loop parallel",),
            )
        if access.point or not isinstance(access.node, Reduce):
            what = "one element of" if access.point else "the scalar"
            raise BackendError(
                f"iterations of parallel loop {loop.iter.name} reduce into {what} {access.buffer.name}",
                span=loop.span,
                notes=("the C11 backend reduces scalars in the loop's own body only; make another loop parallel",),
            )
        names.add(access.buffer)
    if names:
        _require_nothing_else(par, names)
    mentioned = [node.name for stmt in loop.body for node in walk_kinds(stmt, Reduce) if node.name in names]
    return tuple(dict.fromkeys(mentioned))


def _require_nothing_else(par: ParallelLoop, names: Collection[Sym]) -> None:
    """No iteration does anything with these scalars but to add to them in a statement of its own."""
    loop = par.loop
    for access in par.accesses():
        if access.buffer in names and not isinstance(access.node, Reduce):
            scalar = access.buffer.name
            raise BackendError(
                f"iterations of parallel loop {loop.iter.name} reduce into the scalar {scalar} and may use it otherwise too",
                span=access.node.span.or_else(loop.span),
                notes=(f"OpenMP gives each thread a sum that starts at 0, so {scalar} has no value there; make it a seq loop",),
            )
