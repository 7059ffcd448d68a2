"""divide_dim: one dimension of a buffer becomes two."""

from __future__ import annotations

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.lower import index_lin
from usl_core.cursors.edit import Edit
from usl_core.ir import make
from usl_core.ir.nodes import Alloc, Expr, ExprBase, Interval, WindowExpr, index_literal
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import depends_on_data
from usl_core.primitives.base import primitive, require, require_proved
from usl_core.primitives.buffers.layout import (
    Entries,
    relaid,
    require_dimension,
    require_not_whole,
    require_redirectable,
    span_of,
    uses_of_alloc,
)
from usl_core.primitives.buffers.ranges import IteratorRanges
from usl_core.primitives.buffers.uses import Use
from usl_core.primitives.locate import Where, alloc_at, context_at
from usl_core.procedure import Procedure


@primitive()
def divide_dim(proc: Procedure, buf: Where, dim: int, factor: int, pad: bool = False) -> Edit:
    """Divide a dimension of a local buffer into tiles of `factor` elements.

        x: T[n]                x: T[n / q, q]
        x[e] = ...      ~>     x[e / q, e % q] = ...

    Elements stay where they are in memory. With pad the last tile may reach over the end, `x: T[(n + q - 1) / q, q]`, and rows
    of an outer dimension are further apart. Quotients and remainders are simplified where the ranges of iterators allow it.

    Raises:
        SchedulingError: there is no such dimension; the factor is below 1, or does not provably divide the extent and pad is
        False; the buffer is passed whole to a call; a window of it may reach over a tile; with pad, the program depends on
        its strides.
    Forwarding: everything stays with the same code.
    Also known as: splitting a dimension (layout transformation).
    """
    path, alloc = alloc_at(proc, buf)

    shape = require_dimension(alloc, dim)
    require(factor >= 1, "the factor must be at least 1")
    extent = index_lin(shape[dim])
    goal = fml.eq(affine.remainder(extent, factor))
    if pad:
        require_redirectable(proc, path, alloc)
    else:
        message = f"cannot prove that {factor} divides the extent {show_expr(shape[dim])}"
        require_proved(context_at(proc, path), goal, message, alloc.span, values=(extent,), hint="pad=True")
    for use in uses_of_alloc(proc.ir, path):
        _require_in_tile(proc, use, alloc, dim, factor)

    ranges = IteratorRanges(proc.ir)
    count = affine.quotient(extent + (factor - 1 if pad else 0), factor)
    tiles = (ranges.expression(count), index_literal(factor))
    new_shape = (*shape[:dim], *tiles, *shape[dim + 1 :])

    def entries(old: Entries) -> Entries:
        return (*old[:dim], *_divided(ranges, old[dim], factor), *old[dim + 1 :])

    return relaid(proc, path, new_shape, entries, lambda d: d if d < dim else d + 1)


def _require_in_tile(proc: Procedure, use: Use, alloc: Alloc, dim: int, factor: int) -> None:
    """A window over the dimension stays within one tile, so that it keeps its number of dimensions."""
    require_not_whole(use, alloc, "hint: pass a window of it, or divide the dimension in the callee too")
    if isinstance(use.node, WindowExpr) and isinstance(interval := use.node.idx[dim], Interval):
        ctx = context_at(proc, use.path)
        low, last = ctx.index(interval.lo), ctx.index(interval.hi) - 1
        goal = fml.eq(affine.quotient(low, factor), affine.quotient(last, factor))
        message = f"the window {show_expr(use.node)} may reach over a tile of {factor} elements in dimension {dim}"
        require_proved(ctx, goal, message, span_of(use, alloc), values=(low, last))


def _divided(ranges: IteratorRanges, entry: Expr | Interval, factor: int) -> Entries:
    """The tile and the place in the tile; of a window, which lies in one tile, the places."""
    if isinstance(entry, Interval):
        tile, low = _divided(ranges, entry.lo, factor)
        assert isinstance(tile, ExprBase) and isinstance(low, ExprBase)
        extent = index_lin(entry.hi) - index_lin(entry.lo)
        return (tile, Interval(low, ranges.expression(index_lin(low) + extent), span=entry.span))
    if depends_on_data(entry):  # not to be taken apart
        return (make.quot(entry, factor), make.mod(entry, factor))
    value = index_lin(entry)
    return (
        ranges.expression(affine.quotient(value, factor), entry.span),
        ranges.expression(affine.remainder(value, factor), entry.span),
    )
