"""autolift_alloc: an allocation leaves loops and branches, expanded by their iterators where that is needed or wanted."""

from __future__ import annotations

from typing import Literal

from usl_core.analysis.effects import block_summary
from usl_core.analysis.lower import index_lin
from usl_core.analysis.raise_ import from_lin
from usl_core.arguments import checked
from usl_core.cursors.cursor import Cursor, make_cursor
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, get
from usl_core.ir import make
from usl_core.ir.nodes import Alloc, Block, ExprBase, For, LoopMode, WindowStmt, index_read
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import bound, child_nodes, free_names, inner_stmts
from usl_core.ir.types import TensorType
from usl_core.ir.written import written_names
from usl_core.primitives.base import primitive
from usl_core.primitives.buffers.arguments import fixed_expression
from usl_core.primitives.buffers.expand_dim import expanded
from usl_core.primitives.buffers.lift_alloc import lift_alloc, require_around
from usl_core.primitives.buffers.rearrange_dim import rearrange_dim
from usl_core.primitives.locate import Expression, Where, alloc_at
from usl_core.primitives.operators import as_operator
from usl_core.procedure import Procedure


@checked
@as_operator()
def autolift_alloc(
    proc: Procedure,
    buf: Where,
    n_lifts: int = 1,
    mode: Literal["row", "col"] = "row",
    size: Expression | None = None,
    keep_dims: bool | Literal["dependent"] = False,
) -> Procedure:
    """Move an allocation in front of the n_lifts loops or branches around it, with an element for each iteration of the loops
    that are parallel. With keep_dims "dependent" also of those in whose iterations the buffer may hold different values, with
    True of all.

        for i in par(0, n):          x: T[n, m]
            x: T[m]          ~>      for i in par(0, n):
            x[e] = ...                   x[i, e] = ...

    It does what expand_dim and lift_alloc do, loop by loop; the history shows these steps. New dimensions come first, those of
    outer loops before those of inner ones; with mode "col" they come last, those of inner loops first. size is their extent
    where that of the loop may be 0 or depends on a loop further out; it is read where the buffer is allocated.

    Raises:
        SchedulingError: what `lift_alloc` and `expand_dim` raise. UsageError: an unknown mode or keep_dims.
    Forwarding: a cursor to the allocation follows it; everything else stays with the same code.
    """
    path, alloc = alloc_at(proc, buf)
    require_around(path, alloc, n_lifts)
    cursor = make_cursor(proc, NodeLoc(path))
    for _ in range(n_lifts):
        proc = _lifted(proc, cursor, mode, size, keep_dims)
    return proc


def _lifted(proc: Procedure, buf: Cursor, mode: str, size: Expression | None, keep_dims: bool | str) -> Procedure:
    """One loop or branch further out."""
    path, alloc = alloc_at(proc, buf)
    around = get(proc.ir, path[:-1])
    if isinstance(around, For) and (around.mode is LoopMode.PAR or keep_dims is True or (keep_dims and _varies(around, alloc))):
        if size is not None:
            fixed_expression(proc, path, size)  # refused in the name of the operator that was given it
        proc = _expanded_by_iterator(proc, buf, size)
        rank = len(alloc.type.shape) if isinstance(alloc.type, TensorType) else 0
        if mode == "col" and rank:
            proc = rearrange_dim(proc, buf, [*range(1, rank + 1), 0])
    return lift_alloc(proc, buf)


@primitive(name="expand_dim")
def _expanded_by_iterator(proc: Procedure, buf: Cursor, size: Expression | None) -> Edit:
    """The buffer with a leading dimension for the loop that its allocation stands in."""
    path, alloc = alloc_at(proc, buf)
    loop = get(proc.ir, path[:-1])
    assert isinstance(loop, For)
    extent = from_lin(index_lin(loop.hi) - index_lin(loop.lo)) if size is None else fixed_expression(proc, path, size)
    return expanded(proc, path, alloc, extent, make.sub(index_read(loop.iter), loop.lo))


def _varies(loop: For, alloc: Alloc) -> bool:
    """Whether alloc, a buffer of its own in each iteration of loop, may hold other values in another iteration.

    That is so if the iterator, or what iterations leave to later ones, reaches it through statements that read it and write.
    """
    if block_summary(loop.body).config_writes:
        return True
    varying = {loop.iter, *(written_names(loop.body) - bound(loop))}
    while more := _written_from(loop.body, varying) - varying:
        varying |= more
    return alloc.name in varying


def _written_from(block: Block, varying: set[Sym]) -> set[Sym]:
    """What those statements write that use one of the names."""
    found: set[Sym] = set()
    for stmt in block:
        heads = [child for child in child_nodes(stmt) if isinstance(child, ExprBase)]
        inside = inner_stmts(stmt)
        views = {stmt.name, stmt.rhs.name} if isinstance(stmt, WindowStmt) else set()
        if not varying.isdisjoint(free_names(*heads) if inside else {*free_names(stmt), *views}):
            found |= {*written_names((stmt,)), *views}
        else:
            found |= _written_from(inside, varying)
    return found
