"""sink_alloc: an allocation moves into the loop or branch that uses it."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, Path, before, get_stmt, stmt_path, stmts
from usl_core.ir.nodes import Alloc, For, If, Stmt
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.buffers.uses import mentions, rest_of_block
from usl_core.primitives.locate import Where, alloc_at, context_at
from usl_core.primitives.loops.iterations import require_own_values
from usl_core.procedure import Procedure


@primitive()
def sink_alloc(proc: Procedure, buf: Where) -> Edit:
    """Move an allocation into the one loop, or branch, in which the buffer is used.

        x: T[m]                      for i in seq(0, n):
        for i in seq(0, n):    ~>        x: T[m]
            s                            s

    Raises:
        SchedulingError: the buffer is not used, in more than one statement, or in both branches of an `if`; the statement
        is no loop or `if`; an iteration of the loop may read what an earlier one wrote.
    Forwarding: a cursor to the allocation follows it.
    """
    path, alloc = alloc_at(proc, buf)

    scope = _only_user(proc, path, alloc)
    field = _list_of_uses(get_stmt(proc.ir, scope), alloc)
    place = (*scope, (field, 0))
    _require_own_iteration(proc, scope, place, alloc)

    return edit_of(proc).move(NodeLoc(path), before(place))


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


def _list_of_uses(stmt: Stmt, alloc: Alloc) -> str:
    """The list of statements, inside the loop or `if`, that holds all uses."""
    if isinstance(stmt, For):
        return "body"
    if not isinstance(stmt, If):
        refuse(f"{alloc.name.name} is used in a statement that is no loop and no `if`", stmt.span, code="E450")
    names = {alloc.name}
    if mentions(stmt.cond, names):
        refuse(f"{alloc.name.name} is used in the condition of the `if`", stmt.span, code="E450")
    branches = [
        field for field, block in (("body", stmt.body), ("orelse", stmt.orelse)) if any(mentions(s, names) for s in block)
    ]
    if len(branches) != 1:
        refuse(f"{alloc.name.name} is used in both branches of the `if`", stmt.span, code="E450")
    return branches[0]


def _require_own_iteration(proc: Procedure, scope: Path, place: Path, alloc: Alloc) -> None:
    loop = get_stmt(proc.ir, scope)
    if isinstance(loop, For):
        message = f"a read of {alloc.name.name} may see what an earlier iteration of {loop.iter.name} wrote"
        require_own_values(context_at(proc, place), loop, alloc.name, message)
