"""delete_pass: a statement that does nothing goes."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import block_of, stmt_list
from usl_core.ir.nodes import Pass
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.locate import Where, stmt_at
from usl_core.procedure import Procedure


@primitive()
def delete_pass(proc: Procedure, stmt: Where = "pass") -> Edit:
    """Delete a `pass`, by default the first.

    Raises:
        SchedulingError: the statement is not `pass`, or it is alone in its block, which must not be empty.
    Forwarding: the `pass` is gone, everything else stays itself.
    """
    path, old = stmt_at(proc, stmt, Pass, "a `pass`")
    field, _ = path[-1]
    if field == "body" and len(stmt_list(proc.ir, path[:-1], field)) == 1:
        hint = "hint: remove the statement around it instead"
        refuse("the `pass` is alone in its block, which must not be empty", old.span, [hint], code="E404")
    return edit_of(proc).delete(block_of(path))
