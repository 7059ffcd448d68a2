"""resize_dim: another extent for a dimension of a buffer; with fold, a circular buffer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.formula import Formula
from usl_core.analysis.lower import index_lin
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import Path, stmts
from usl_core.ir import make
from usl_core.ir.nodes import Alloc, Assign, Expr, ExprBase, Interval, Read, Reduce, WindowExpr, index_literal
from usl_core.ir.printer import show, show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data
from usl_core.ir.types import scalar_of
from usl_core.primitives.base import primitive, refuse, require_proved
from usl_core.primitives.buffers.arguments import fixed_expression, require_extent
from usl_core.primitives.buffers.layout import Entries, relaid, require_dimension, require_redirectable, scope_of, span_of
from usl_core.primitives.buffers.lifetimes import clash, events, own_iterations
from usl_core.primitives.buffers.races import require_own_elements
from usl_core.primitives.buffers.ranges import IteratorRanges
from usl_core.primitives.buffers.region import Region
from usl_core.primitives.buffers.uses import Use
from usl_core.primitives.locate import Expression, Where, alloc_at, context_at
from usl_core.procedure import Procedure


@primitive()
def resize_dim(proc: Procedure, buf: Where, dim: int, size: Expression, offset: Expression, fold: bool = False) -> Edit:
    """Give a dimension of a local buffer another extent, with element `offset` as the first one.

        x: T[n]                x: T[size]
        x[e] = ...      ~>     x[e - offset] = ...
                        ~>     x[(e - offset) % size] = ...          with fold, a circular buffer

    Without fold every access lies in [offset, offset + size). With fold accesses may range over all of the old extent, and a
    place is taken by the next element when the last one in it is not needed any more; what was read uninitialised may then
    be an older value. size and offset are read where x is allocated; with fold size is a literal.

    Raises:
        SchedulingError: there is no such dimension; the buffer is passed whole to a call, or the program depends on its
        strides; an access may lie outside of the new range; with fold: a window has an interval in that dimension, or an
        element is written between a write of another one in the same place and a read of that (the three accesses are shown,
        with values), or iterations of a parallel loop would share elements.
    Forwarding: everything stays with the same code.
    Also known as: fold_storage (Halide), storage folding, circular buffer.
    """
    path, alloc = alloc_at(proc, buf)
    shape = require_dimension(alloc, dim)
    extent, first = fixed_expression(proc, path, size), fixed_expression(proc, path, offset)
    count = make.literal_value(extent)
    if fold and count is None:
        message = f"a circular buffer has a literal number of places, not {show_expr(extent)}, as indices are taken modulo it"
        refuse(message, alloc.span, code="E404")

    require_extent(proc, path, extent, alloc)
    uses = require_redirectable(proc, path, alloc)
    new_shape = (*shape[:dim], extent, *shape[dim + 1 :])
    if fold and count is not None:
        for use in uses:
            _require_point(use, dim, alloc)
        _require_apart(proc, path, alloc, dim, count)
        edit = relaid(proc, path, new_shape, _modulo(IteratorRanges(proc.ir), dim, first, count))
        require_own_elements(edit, alloc.name, alloc.span)
        return replace(edit, refines=True)

    dims = [Interval(index_literal(0), e) for e in shape]
    dims[dim] = Interval(first, make.add(extent, first))
    kept = Region(alloc.name, scalar_of(alloc.type), tuple(dims), shape)
    for use in uses:
        _require_inside(proc, use, kept, dims[dim], dim, alloc)
    return relaid(proc, path, new_shape, lambda old: kept.relative(old))


def _require_inside(proc: Procedure, use: Use, region: Region, kept: Interval, dim: int, alloc: Alloc) -> None:
    node = use.node
    assert isinstance(node, Read | WindowExpr | Assign | Reduce)
    ctx = context_at(proc, use.path)
    part = region.inclusion(ctx, node.idx)[dim]
    shown = show_expr(node) if isinstance(node, ExprBase) else show(node).strip()
    message = f"cannot prove that the access {shown} lies in [{show_expr(kept.lo)}, {show_expr(kept.hi)}) in dimension {dim}"
    hint = "choose another size or offset, or fold=True for a circular buffer"
    require_proved(ctx, part.goal, message, span_of(use, alloc), values=part.values, extra=part.extra, hint=hint)


# ---- with fold


def _require_point(use: Use, dim: int, alloc: Alloc) -> None:
    if isinstance(use.node, WindowExpr) and isinstance(use.node.idx[dim], Interval):
        message = f"the window {show_expr(use.node)} spans several elements of dimension {dim}, which would wrap around"
        refuse(message, span_of(use, alloc), ["hint: inline the window, or the call that it is passed to"], code="E455")


def _require_apart(proc: Procedure, path: Path, alloc: Alloc, dim: int, count: int) -> None:
    """Between a write of an element and its last read, no other element is written in the same place."""
    ctx = context_at(proc, path)
    block = stmts(proc.ir, scope_of(proc.ir, path))
    accesses = events(ctx, block, alloc.name)
    own = own_iterations(ctx, block, alloc.name)
    found = clash(ctx.facts, accesses, accesses, _same_place(dim, count), own)
    if found is not None:
        message = (
            f"with {count} places in dimension {dim}, an element of {alloc.name.name} is overwritten by another one "
            "while it is still needed"
        )
        hint = "hint: choose a larger size, or allocate the buffer inside the loop that fills it anew (sink_alloc)"
        refuse(message, found.over.node.span.or_else(alloc.span), [*found.notes(), hint], code="E417")


def _same_place(dim: int, count: int) -> Callable[[tuple[Lin, ...], tuple[Lin, ...]], Sequence[Sequence[Formula]]]:
    """Two elements are in one place if they differ by a multiple of count in dim, and nowhere else."""

    def together(one: tuple[Lin, ...], other: tuple[Lin, ...]) -> Sequence[Sequence[Formula]]:
        rounds = affine.var(Sym("rounds"))
        equal = [fml.eq(a - b) for d, (a, b) in enumerate(zip(one, other, strict=True)) if d != dim]
        apart = fml.eq(other[dim] - one[dim] - rounds.scale(count))
        return [[*equal, apart, fml.ge(rounds, 1)], [*equal, apart, fml.le(rounds, -1)]]

    return together


def _modulo(ranges: IteratorRanges, dim: int, first: Expr, count: int) -> Callable[[Entries], Entries]:
    def entries(old: Entries) -> Entries:
        index = old[dim]
        assert isinstance(index, ExprBase)
        if depends_on_data(index):
            new = make.mod(make.sub(index, first), count)
        else:
            new = ranges.expression(affine.remainder(index_lin(index) - index_lin(first), count), index.span)
        return (*old[:dim], new, *old[dim + 1 :])

    return entries
