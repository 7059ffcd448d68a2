"""delete_pass: statements that do nothing go."""

from __future__ import annotations

from usl_core.arguments import checked
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import block_of, get_stmt, stmt_list
from usl_core.deep import deeply
from usl_core.equivalence import Relation
from usl_core.ir.nodes import If, Pass
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.locate import Where, any_stmt_at
from usl_core.primitives.operators import as_operator
from usl_core.primitives.stmts.idle import does_nothing, has_only_else, is_idle, negated, without_idle
from usl_core.procedure import Procedure


@checked
@as_operator()
@deeply
def delete_pass(proc: Procedure, stmt: Where | None = None) -> Procedure:
    """Delete a `pass`, or a loop or `if` in which there is nothing else; or everything that does nothing if none is given.

        for i in seq(a, b):          s
            pass             ~>
        s

    Loops, and branches on control, that are left with nothing to do go along; of an `if` with an `else` that does something
    the condition is negated. A condition on data goes only if it is given itself: it would stop the program where the data is
    uninitialised (the step is then a refinement).

    Raises:
        SchedulingError: the statement does something; it is a `pass` alone in the procedure, or under a condition on data.
    Forwarding: what does nothing is gone, everything else stays itself.
    """
    asks_data = stmt is not None and not is_idle(any_stmt_at(proc, stmt)[1])
    return (_delete_refining if asks_data else _delete)(proc, stmt)


def _edit(proc: Procedure, stmt: Where | None) -> Edit:
    edit = edit_of(proc)
    if stmt is None:
        return without_idle(edit, passes=True)
    path, old = any_stmt_at(proc, stmt)
    if not does_nothing(old):
        refuse("a `pass` is wanted here, or a loop or `if` of nothing else", old.span, code="E404")

    ways = (path[:depth] for depth in range(1, len(path)))
    path = next((at for at in ways if is_idle(get_stmt(proc.ir, at))), path)
    field, _ = path[-1]
    around = get_stmt(proc.ir, path[:-1]) if len(path) > 1 else None
    alone = field == "body" and len(stmt_list(proc.ir, path[:-1], field)) == 1
    if alone and isinstance(around, If) and has_only_else(around):
        return negated(edit, path[:-1], around)
    if alone and isinstance(get_stmt(proc.ir, path), Pass):
        hint = "hint: delete the statement around it instead"
        refuse("the `pass` is alone in its block, which must not be empty", old.span, [hint], code="E404")
    return edit.delete(block_of(path))


_delete = primitive(name="delete_pass")(_edit)
_delete_refining = primitive(Relation.REFINES, name="delete_pass")(_edit)
