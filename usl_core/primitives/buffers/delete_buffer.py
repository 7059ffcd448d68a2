"""delete_buffer: an unused allocation goes."""

from __future__ import annotations

from usl_core.analysis.conditions import head_line
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.buffers.layout import uses_of_alloc
from usl_core.primitives.locate import Where, alloc_at
from usl_core.procedure import Procedure


@primitive()
def delete_buffer(proc: Procedure, buf: Where) -> Edit:
    """Drop the allocation of a buffer that is not used.

        x: T[n]    ~>    (nothing)

    Raises:
        SchedulingError: the buffer is used.
    Forwarding: a cursor to the allocation becomes invalid.
    """
    path, alloc = alloc_at(proc, buf)

    uses = uses_of_alloc(proc.ir, path)
    if uses:
        span = uses[0].node.span.or_else(alloc.span)
        notes = [f"used in: {head_line(use.node)}" for use in uses[:3]]
        refuse(f"{alloc.name.name} is used", span, notes, code="E450")

    return edit_of(proc).delete(NodeLoc(path))
