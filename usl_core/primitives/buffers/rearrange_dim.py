"""rearrange_dim: the dimensions of a buffer change places."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.cursors.edit import Edit
from usl_core.ir.nodes import Alloc, Interval, WindowExpr
from usl_core.ir.printer import show_expr
from usl_core.ir.types import TensorType
from usl_core.primitives.base import edit_of, primitive, refuse, require
from usl_core.primitives.buffers.layout import require_no_strides, span_of
from usl_core.primitives.buffers.reindex import Entries, reindexed, set_type, uses_of_alloc
from usl_core.primitives.buffers.uses import Use, passed_whole
from usl_core.primitives.locate import Where, alloc_at
from usl_core.procedure import Procedure


@primitive()
def rearrange_dim(proc: Procedure, buf: Where, perm: Sequence[int]) -> Edit:
    """Permute the dimensions of a local buffer: the new dimension d is the old dimension perm[d].

        x: T[n, m]               x: T[m, n]
        x[i, j] = ...    ~>      x[j, i] = ...          is rearrange_dim(p, "x", [1, 0])

    Raises:
        SchedulingError: perm is no permutation of the dimensions; the buffer is passed whole to a call, or a window of it would
        have its own dimensions permuted; the program depends on its strides, or a call's assertion on strides fails.
    Forwarding: everything stays with the same code.
    Also known as: reorder_dim, transposing a layout.
    """
    path, alloc = alloc_at(proc, buf)

    shape = alloc.type.shape if isinstance(alloc.type, TensorType) else ()
    order = _permutation(perm, len(shape), alloc)
    if order == tuple(range(len(shape))):
        return edit_of(proc)
    for use in uses_of_alloc(proc.ir, path):
        _require_kept(use, order, alloc)
    require_no_strides(proc, path, alloc)

    def entries(old: Entries) -> Entries:
        return tuple(old[d] for d in order)

    assert isinstance(alloc.type, TensorType)
    new_type = TensorType(alloc.type.scalar, tuple(shape[d] for d in order))
    edit = set_type(edit_of(proc), path, new_type)
    return reindexed(edit, path, alloc.name, entries, order.index)


def _permutation(perm: Sequence[int], rank: int, alloc: Alloc) -> tuple[int, ...]:
    order = tuple(perm)
    message = f"a permutation of the {rank} dimensions of {alloc.name.name} is wanted, got {perm!r}"
    require(sorted(order) == list(range(rank)), message, alloc.span)
    return order


def _require_kept(use: Use, order: tuple[int, ...], alloc: Alloc) -> None:
    """Windows keep the order of their dimensions."""
    span = span_of(use, alloc)
    if passed_whole(use):
        hint = "hint: inline the call, or replace it by one for the new layout"
        refuse(f"{alloc.name.name} is passed whole to a call, which expects its old shape", span, [hint], code="E456")
    if isinstance(use.node, WindowExpr):
        ranged = [d for d in order if isinstance(use.node.idx[d], Interval)]
        if ranged != sorted(ranged):
            message = f"the dimensions of the window {show_expr(use.node)} would change places too"
            refuse(message, span, ["hint: inline the window or the call first"], code="E455")
