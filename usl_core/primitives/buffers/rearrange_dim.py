"""rearrange_dim: the dimensions of a buffer change places."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.cursors.edit import Edit
from usl_core.ir.types import TensorType
from usl_core.primitives.base import edit_of, primitive, require
from usl_core.primitives.buffers.layout import Entries, relaid, require_redirectable, require_same_order
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
    order, dims = tuple(perm), range(len(shape))
    message = f"a permutation of the {len(shape)} dimensions of {alloc.name.name} is wanted, got {perm!r}"
    require(sorted(order) == list(dims), message, alloc.span)
    if order == tuple(dims):
        return edit_of(proc)
    for use in require_redirectable(proc, path, alloc, "hint: inline the call, or replace it by one for the new layout"):
        require_same_order(use, order, alloc)

    def entries(old: Entries) -> Entries:
        return tuple(old[d] for d in order)

    return relaid(proc, path, tuple(shape[d] for d in order), entries, order.index)
