"""parallelize_loop: the iterations of a loop may run in any order, or at once."""

from __future__ import annotations

from usl_core.analysis.parallel import why_not_parallelizable
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.ir.nodes import LoopMode
from usl_core.primitives.base import edit_of, primitive, require_no
from usl_core.primitives.locate import Where, context_at, loop_at
from usl_core.procedure import Procedure


@primitive()
def parallelize_loop(proc: Procedure, loop: Where) -> Edit:
    """Make a loop parallel.

        for i in seq(a, b):  ~>      for i in par(a, b):
            s                            s

    Several iterations may reduce into one location; a backend that cannot do that refuses it. The last iteration may touch what
    others write, as after divide_loop with tail="shift_inwards": it then runs after all others have ended.

    Raises:
        SchedulingError: a location that one iteration writes is touched by another, the last one aside; the body has a
        `check`.
    Forwarding: everything stays itself.
    """
    path, old = loop_at(proc, loop)

    conflict = why_not_parallelizable(context_at(proc, path), old)
    require_no(conflict, f"the iterations of {old.iter.name} may interfere", old.span)

    return edit_of(proc).update(NodeLoc(path), mode=LoopMode.PAR)
