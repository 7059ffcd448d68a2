"""sink_alloc: an allocation moves into the loop or branch that uses it."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import BlockLoc, NodeLoc, Path, before, get_stmt, stmt_path, stmts
from usl_core.ir.nodes import Alloc, For, If, Stmt
from usl_core.ir.traverse import get_field, update
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.buffers.uses import mentions, renamed, rest_of_block
from usl_core.primitives.locate import Where, alloc_at, context_at
from usl_core.primitives.loops.iterations import require_own_values
from usl_core.procedure import Procedure


@primitive()
def sink_alloc(proc: Procedure, buf: Where) -> Edit:
    """Move an allocation into the one loop, or branch, in which the buffer is used.

        x: T[m]                      for i in seq(0, n):
        for i in seq(0, n):    ~>        x: T[m]
            s                            s

    Where both branches of an `if` use the buffer, each gets one. Places that no iteration before has written may be read: they
    are as uninitialised as before.

    Raises:
        SchedulingError: the buffer is not used, in more than one statement, or in the condition of an `if`; the statement
        is no loop or `if`; an iteration of the loop may read what an earlier one wrote.
    Forwarding: a cursor to the allocation follows it.
    """
    path, alloc = alloc_at(proc, buf)

    scope = _only_user(proc, path, alloc)
    user = get_stmt(proc.ir, scope)
    field, *other = _lists_of_uses(user, alloc)
    place = (*scope, (field, 0))
    _require_own_iteration(proc, scope, place, alloc)

    edit = edit_of(proc)
    if other:
        name = alloc.name.copy()
        second = BlockLoc(scope, "orelse", 0, len(get_field(user, "orelse")))
        edit = edit.rewrite_exprs(second, lambda node: renamed(node, alloc.name, name), {alloc.name})
        edit = edit.insert(before(stmt_path(second, 0)), (update(alloc, name=name),))
    return edit.move(NodeLoc(path), before(place))


def _only_user(proc: Procedure, path: Path, alloc: Alloc) -> Path:
    """The path of the one statement that uses the buffer."""
    rest = rest_of_block(proc.ir, path)
    block = stmts(proc.ir, rest) if rest is not None else ()
    users = [at for at, s in enumerate(block) if mentions(s, {alloc.name})]
    if not users:
        refuse(f"{alloc.name.name} is not used", alloc.span, ["hint: drop it with delete_buffer"], code="E451")
    if len(users) > 1:
        other = block[users[1]]
        message = f"{alloc.name.name} is used in {len(users)} statements after it, so it cannot move into one of them"
        refuse(message, other.span.or_else(alloc.span), code="E450")
    assert rest is not None
    return stmt_path(rest, users[0])


def _lists_of_uses(stmt: Stmt, alloc: Alloc) -> list[str]:
    """The lists of statements, inside the loop or `if`, that hold the uses."""
    if isinstance(stmt, For):
        return ["body"]
    if not isinstance(stmt, If):
        refuse(f"{alloc.name.name} is used in a statement that is no loop and no `if`", stmt.span, code="E450")
    names = {alloc.name}
    if mentions(stmt.cond, names):
        refuse(f"{alloc.name.name} is used in the condition of the `if`", stmt.span, code="E450")
    return [field for field in ("body", "orelse") if any(mentions(s, names) for s in get_field(stmt, field))]


def _require_own_iteration(proc: Procedure, scope: Path, place: Path, alloc: Alloc) -> None:
    loop = get_stmt(proc.ir, scope)
    if isinstance(loop, For):
        message = f"a read of {alloc.name.name} may see what an earlier iteration of {loop.iter.name} wrote"
        require_own_values(context_at(proc, place), loop, alloc.name, message, fresh=True)
