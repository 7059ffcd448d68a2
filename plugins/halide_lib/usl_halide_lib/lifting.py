"""Buffers whose extents do not depend on the loops around are allocated once, in front of these loops.

    for y in seq(0, m):                           row: f32[n]
        row: f32[n]               ~>              for y in seq(0, m):
        ...                                           ...

Storage is asked for at run time where an extent is not a number, which takes longer than a row of an image. Here `lift_alloc`
asks once.
"""

from __future__ import annotations

from contextlib import suppress

from usl_core import Procedure
from usl_core.cursors import AllocCursor
from usl_core.errors import SchedulingError, Undecided
from usl_core.ir.nodes import Literal
from usl_core.ir.types import TensorType
from usl_core.scheduling import lift_alloc
from usl_stdlib import walk


def lifted(p: Procedure) -> Procedure:
    """The procedure with buffers of no constant size outside of as many loops and branches as they may leave."""
    q = p
    for alloc in walk(p, "allocations"):
        if _is_sized_at_run_time(alloc):
            with suppress(SchedulingError, Undecided):
                while True:  # until it stands outside of all, or may not leave
                    q = lift_alloc(q, q.forward(alloc))
    return q


def _is_sized_at_run_time(alloc: AllocCursor) -> bool:
    typ = alloc.node.type
    return isinstance(typ, TensorType) and not all(isinstance(each, Literal) for each in typ.shape)
