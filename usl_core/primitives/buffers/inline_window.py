"""inline_window: the definition of a window in place of its name."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, Path
from usl_core.ir.nodes import WindowStmt
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.buffers.uses import rest_of_block
from usl_core.primitives.calls.inlining import Substitution, view_of
from usl_core.primitives.declared import with_declared_types
from usl_core.primitives.locate import Where, stmt_at
from usl_core.procedure import Procedure


@primitive()
def inline_window(proc: Procedure, window: Where) -> Edit:
    """Replace a named window by what it shows.

        w = x[lo:hi, j]
        w[e] = ...         ~>    x[lo + e, j] = ...

    Control values never change, so that the limits of the window have the same values at each use. window is a cursor to the
    statement, its name, or a pattern `w = _`.

    Raises:
        SchedulingError: window is no window statement.
    Forwarding: a cursor to the window statement becomes invalid; everything else stays with the same code.
    """
    path, stmt = _window_at(proc, window)

    rule = Substitution({stmt.name: view_of(stmt.rhs)})
    edit = edit_of(proc)
    rest = rest_of_block(proc.ir, path)
    if rest is not None:
        edit = edit.rewrite_exprs(rest, rule.node, {stmt.name})
    return with_declared_types(edit.delete(NodeLoc(path)))


def _window_at(proc: Procedure, where: Where) -> tuple[Path, WindowStmt]:
    if isinstance(where, str) and where.isidentifier():
        named = [found for found in proc.find_all(f"{where} = _") if isinstance(found.node, WindowStmt)]
        if not named:
            refuse(f"there is no window named {where}", proc.ir.span, code="E404")
        where = named[0]
    return stmt_at(proc, where, WindowStmt, "a window statement")
