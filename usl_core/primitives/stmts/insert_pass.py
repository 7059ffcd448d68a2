"""insert_pass: a statement that does nothing."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.ir.nodes import Pass
from usl_core.primitives.base import edit_of, primitive
from usl_core.primitives.locate import Where, gap_at
from usl_core.procedure import Procedure


@primitive()
def insert_pass(proc: Procedure, gap: Where) -> Edit:
    """Insert `pass` in a gap.

    Raises:
        SchedulingError: the place is not a gap.
    Forwarding: everything stays itself.
    """
    where = gap_at(proc, gap)
    return edit_of(proc).insert(where, (Pass(),))
