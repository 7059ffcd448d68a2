"""mult_dim: two dimensions of a buffer become one."""

from __future__ import annotations

from usl_core.analysis.lower import index_lin
from usl_core.cursors.edit import Edit
from usl_core.ir import make
from usl_core.ir.nodes import Alloc, Expr, ExprBase, Interval, WindowExpr
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import depends_on_data
from usl_core.primitives.base import primitive, refuse, require
from usl_core.primitives.buffers.layout import Entries, relaid, require_dimension, require_redirectable, span_of
from usl_core.primitives.buffers.ranges import IteratorRanges
from usl_core.primitives.buffers.uses import Use
from usl_core.primitives.locate import Where, alloc_at
from usl_core.procedure import Procedure


@primitive()
def mult_dim(proc: Procedure, buf: Where, hi: int, lo: int) -> Edit:
    """Make one dimension of a local buffer of two: lo, whose extent is a literal, counts inside hi.

        x: T[n, c]               x: T[c * n]
        x[i, j] = ...    ~>      x[c * i + j] = ...          is mult_dim(p, "x", 0, 1)

    The new dimension stands where hi was.

    Raises:
        SchedulingError: hi and lo are not two dimensions of the buffer; the extent of lo is no literal; the buffer is passed
        whole to a call; a window has an interval in hi, or would have its dimensions permuted; the program depends on its
        strides, or a call's assertion on strides fails.
    Forwarding: everything stays with the same code.
    Also known as: flattening or fusing dimensions; the inverse of divide_dim.
    """
    path, alloc = alloc_at(proc, buf)

    shape = require_dimension(alloc, hi)
    require_dimension(alloc, lo)
    require(hi != lo, f"two different dimensions are wanted, got {hi} twice", alloc.span)
    count = make.literal_value(shape[lo])
    if count is None:
        hint = "hint: make it a literal with resize_dim or partial_eval first"
        message = f"the extent {show_expr(shape[lo])} of dimension {lo} is no literal, so that indices would not be affine"
        refuse(message, alloc.span, [hint], code="E415")
    for use in require_redirectable(proc, path, alloc):
        _require_kept(use, hi, lo, alloc)

    ranges = IteratorRanges(proc.ir)

    def entries(old: Entries) -> Entries:
        return tuple(_joined(ranges, old[hi], old[lo], count) if d == hi else e for d, e in enumerate(old) if d != lo)

    extent = ranges.expression(index_lin(shape[hi]).scale(count))
    new_shape = tuple(extent if d == hi else e for d, e in enumerate(shape) if d != lo)
    return relaid(proc, path, new_shape, entries)


def _require_kept(use: Use, hi: int, lo: int, alloc: Alloc) -> None:
    """Windows keep their dimensions and the order of these."""
    if not isinstance(use.node, WindowExpr):
        return
    idx, span = use.node.idx, span_of(use, alloc)
    if isinstance(idx[hi], Interval):
        message = f"the window {show_expr(use.node)} has an interval in dimension {hi}, whose elements would not be neighbours"
        refuse(message, span, ["hint: inline the window or the call first"], code="E455")
    between = idx[min(hi, lo) + 1 : max(hi, lo)]
    if isinstance(idx[lo], Interval) and any(isinstance(entry, Interval) for entry in between):
        message = f"the dimensions of the window {show_expr(use.node)} would change places"
        refuse(message, span, ["hint: inline the window or the call first"], code="E455")


def _joined(ranges: IteratorRanges, outer: Expr | Interval, inner: Expr | Interval, count: int) -> Expr | Interval:
    assert isinstance(outer, ExprBase)
    if isinstance(inner, Interval):
        return Interval(_element(ranges, outer, inner.lo, count), _element(ranges, outer, inner.hi, count), span=inner.span)
    return _element(ranges, outer, inner, count)


def _element(ranges: IteratorRanges, outer: Expr, inner: Expr, count: int) -> Expr:
    if depends_on_data(outer) or depends_on_data(inner):  # not to be taken apart
        return make.add(make.mul(count, outer), inner)
    return ranges.expression(index_lin(outer).scale(count) + index_lin(inner), outer.span)
