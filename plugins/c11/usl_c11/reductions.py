"""Which scalars a `par` loop reduces: those that several iterations combine with by one operation, and that none touches
otherwise.

OpenMP gives each thread a copy of such a scalar with a start value, so nothing in the loop may see it. All other scalars
stay what they are: that the loop has no races says that at most one iteration touches them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from usl_core.backend import ParallelLoop, parallel_loops
from usl_core.errors import BackendError
from usl_core.ir.combining import spelt
from usl_core.ir.nodes import For, Proc, Reduce
from usl_core.ir.operation import Operation
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import binders, walk_kinds

Reductions = Mapping[For, Mapping[Sym, str | Operation]]
"""For each loop the operations by which it reduces scalars."""


def reductions(proc: Proc) -> Reductions:
    """For each `par` loop of proc, which has no races, the scalars from outside that it reduces, in order of mention.

    Raises:
        BackendError: iterations reduce into one element of an array, inside a callee, or into a scalar that they also read or
            set: OpenMP has no form for that.
    """
    found: dict[For, Mapping[Sym, str | Operation]] = {}
    for each in parallel_loops(proc):
        found[each.loop] = _of_loop(each, found)
    return found


def _of_loop(par: ParallelLoop, found: Reductions) -> Mapping[Sym, str | Operation]:
    """The scalars that a loop reduces: what iterations share, and what a `par` loop inside loads and stores in each."""
    loop = par.loop
    inside = frozenset(binders(loop))
    nested = (name for stmt in loop.body for inner in walk_kinds(stmt, For) for name in found.get(inner, ()))
    names = {name for name in nested if name not in inside}
    for access in par.shared_reductions():
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
    return _operations([node for stmt in loop.body for node in walk_kinds(stmt, Reduce) if node.name in names])


def _operations(reduced: Sequence[Reduce]) -> Mapping[Sym, str | Operation]:
    """By which operation each scalar is reduced."""
    found: dict[Sym, str | Operation] = {}
    for node in reduced:
        if found.setdefault(node.name, node.op) != node.op:
            raise BackendError(
                f"{node.name.name} is reduced by {spelt(found[node.name])} and by {spelt(node.op)} in a parallel loop",
                span=node.span,
                notes=("OpenMP reduces a scalar by one operation in a loop; make it a seq loop",),
            )
    return found


def _require_nothing_else(par: ParallelLoop, names: Collection[Sym]) -> None:
    """No iteration does anything with these scalars but to reduce into them in a statement of its own."""
    loop = par.loop
    for access in par.accesses():
        if access.buffer in names and not isinstance(access.node, Reduce):
            scalar = access.buffer.name
            raise BackendError(
                f"iterations of parallel loop {loop.iter.name} reduce into the scalar {scalar} and may use it otherwise too",
                span=access.node.span.or_else(loop.span),
                notes=(f"OpenMP gives each thread a partial result, so {scalar} has no value there; make it a seq loop",),
            )
