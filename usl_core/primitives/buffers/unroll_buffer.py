"""unroll_buffer: a buffer for each index of a dimension."""

from __future__ import annotations

from usl_core.analysis.lower import index_lin
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import Loc, NodeLoc
from usl_core.ir import make
from usl_core.ir.nodes import Alloc, Expr, Interval, Node, StrideExpr, WindowExpr, index_literal
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import retype_window, update, use_of
from usl_core.ir.types import ScalarType, TensorType
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.buffers.layout import require_dimension, require_redirectable, scope_of, span_of
from usl_core.primitives.buffers.uses import Use
from usl_core.primitives.locate import Where, alloc_at, context_at
from usl_core.procedure import Procedure


@primitive()
def unroll_buffer(proc: Procedure, buf: Where, dim: int) -> Edit:
    """Split a local buffer into one for each index of a dimension.

        x: T[2, n]            x_0: T[n]
                              x_1: T[n]
        x[1, e] = ...   ~>    x_1[e] = ...

    What is known at the place counts: an extent `n` is 2 and an index `i` is 1 under `if n == 2 and i == 1`.

    Raises:
        SchedulingError: there is no such dimension; its extent, or the index in it at a use, is no constant (unroll the loop
        first); the buffer is passed whole to a call; the program depends on its strides, or a call's assertion on them fails.
    Forwarding: a cursor to the allocation goes to that of the first new buffer; everything else stays with the same code.
    Also known as: scalar replacement (of a one-dimensional buffer), splitting into registers.
    """
    path, alloc = alloc_at(proc, buf)

    shape = require_dimension(alloc, dim)
    count = context_at(proc, path).value(index_lin(shape[dim]))
    if count is None:
        message = f"the extent {show_expr(shape[dim])} of dimension {dim} is not a constant"
        refuse(message, alloc.span, ["hint: resize_dim or partial_eval makes it one"], code="E415")
    uses = require_redirectable(proc, path, alloc)
    positions = [_position(proc, use, dim, count, alloc) for use in uses]

    assert isinstance(alloc.type, TensorType)
    rest = (*shape[:dim], *shape[dim + 1 :])
    typ: ScalarType | TensorType = TensorType(alloc.type.scalar, rest) if rest else alloc.type.scalar
    names = [Sym(f"{alloc.name.name}_{position}") for position in range(count)]
    allocs = tuple(Alloc(name, typ, alloc.mem, span=alloc.span) for name in names)
    literals: dict[Loc, Expr] = {
        NodeLoc((*use.path, ("idx", dim))): index_literal(k) for use, k in zip(uses, positions, strict=True)
    }
    edit = edit_of(proc).replace_exprs(literals)
    edit = edit.rewrite_exprs(scope_of(edit.proc, path), lambda node: _redirected(node, alloc.name, dim, names), {alloc.name})
    return edit.replace(NodeLoc(path), allocs)


def _position(proc: Procedure, use: Use, dim: int, count: int, alloc: Alloc) -> int:
    """The index in dimension dim at a use, which must be known there."""
    span = span_of(use, alloc)
    assert not isinstance(use.node, StrideExpr)
    entry = use.node.idx[dim]
    if isinstance(entry, Interval):
        message = f"a window of {alloc.name.name} has an interval in dimension {dim}, so it would be a window of several"
        refuse(message, span, ["hint: inline the window or the call first"], code="E455")
    value = index_lin(entry)
    position = value.const if value.is_const else context_at(proc, use.path).value(value)
    if position is None:
        message = f"the index {show_expr(entry)} of {alloc.name.name} in dimension {dim} is not a constant"
        refuse(message, span, ["hint: unroll the loop around it first (unroll_loop)"], code="E415")
    if not 0 <= position < count:  # nothing is wrong with that where the code never runs
        message = f"the index {position} of {alloc.name.name} is out of bounds, in code that never runs"
        refuse(message, span, ["hint: drop the code with eliminate_dead_code"], code="E410")
    return position


def _redirected(node: Node, name: Sym, dim: int, names: list[Sym]) -> Node | None:
    use = use_of(node)
    if use is None or use.name is not name or isinstance(use, StrideExpr):
        return None
    entry = use.idx[dim]
    assert not isinstance(entry, Interval)
    position = make.literal_value(entry)
    assert position is not None
    changed = update(use, name=names[position], idx=(*use.idx[:dim], *use.idx[dim + 1 :]))
    return retype_window(changed) if isinstance(changed, WindowExpr) else changed
