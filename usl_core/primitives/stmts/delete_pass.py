"""delete_pass: a statement that does nothing goes."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import block_of, stmt_list
from usl_core.ir.nodes import For, If, Pass, Stmt
from usl_core.ir.traverse import inner_stmts
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.locate import Where, any_stmt_at
from usl_core.procedure import Procedure


@primitive()
def delete_pass(proc: Procedure, stmt: Where = "pass") -> Edit:
    """Delete a `pass`, by default the first, or a loop or `if` in which there is nothing else.

    Raises:
        SchedulingError: the statement does something, or it is a `pass` alone in its block, which must not be empty.
    Forwarding: the statement is gone, everything else stays itself.
    """
    path, old = any_stmt_at(proc, stmt, "a `pass`")
    if not _does_nothing(old):
        refuse("a `pass` is wanted here, or a loop or `if` of nothing else", old.span, code="E404")
    field, _ = path[-1]
    if isinstance(old, Pass) and field == "body" and len(stmt_list(proc.ir, path[:-1], field)) == 1:
        hint = "hint: delete the statement around it instead"
        refuse("the `pass` is alone in its block, which must not be empty", old.span, [hint], code="E404")
    return edit_of(proc).delete(block_of(path))


def _does_nothing(stmt: Stmt) -> bool:
    return isinstance(stmt, Pass) or (isinstance(stmt, For | If) and all(map(_does_nothing, inner_stmts(stmt))))
