"""The operator `inline`."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.ir.nodes import Call
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.calls.inlining import argument_that_changes, inlined
from usl_core.primitives.locate import Where, stmt_at
from usl_core.procedure import Procedure


@primitive()
def inline(proc: Procedure, call: Where) -> Edit:
    """Replace a call by the callee's body, with the arguments in place of the formals.

        f(n, x[0:4, j])   ~>   body of f[n, x[0:4, j] for its formals]

    Every name that the body binds is fresh; windows compose.

    Raises:
        SchedulingError: call is not a call; an argument reads a configuration field that the callee writes.
    Forwarding: a cursor to the call moves to the block; what was inside the call dies.
    """
    path, node = stmt_at(proc, call, Call, "a call")
    field = argument_that_changes(node)
    if field is not None:
        message = f"an argument reads {field.name}, which {node.proc.name} writes"
        refuse(message, node.span, ["the body would read the field again, when it holds something else"], code="E420")
    return edit_of(proc).replace(NodeLoc(path), inlined(node))
