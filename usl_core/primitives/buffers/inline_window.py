"""inline_window: the definition of a window in place of its name."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, Path
from usl_core.ir.nodes import (
    Assign,
    Interval,
    Node,
    Read,
    Reduce,
    StrideExpr,
    WindowExpr,
    WindowStmt,
    index_literal,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import retype_window, update, use_of
from usl_core.ir.types import TensorType
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.buffers.uses import rest_of_block
from usl_core.primitives.calls.inlining import View, view_of
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

    view = view_of(stmt.rhs)
    edit = edit_of(proc)
    rest = rest_of_block(proc.ir, path)
    if rest is not None:
        edit = edit.rewrite_exprs(rest, lambda node: _shown(node, stmt.name, view), {stmt.name})
    return with_declared_types(edit.delete(NodeLoc(path)))


def _window_at(proc: Procedure, where: Where) -> tuple[Path, WindowStmt]:
    if isinstance(where, str) and where.isidentifier():
        named = [found for found in proc.find_all(f"{where} = _") if isinstance(found.node, WindowStmt)]
        if not named:
            refuse(f"there is no window named {where}", proc.ir.span, code="E404")
        where = named[0]
    return stmt_at(proc, where, WindowStmt, "a window statement")


def _shown(node: Node, name: Sym, view: View) -> Node | None:
    """A use of the window as a use of what it shows."""
    use = use_of(node)
    if use is None or use.name is not name:
        return None
    match use:
        case Read(type=TensorType(shape=shape)):
            everything = [Interval(index_literal(0), extent) for extent in shape]
            return retype_window(WindowExpr(view.name, view.entries(everything), type=view.type, span=node.span))
        case Read(idx=idx) | Assign(idx=idx) | Reduce(idx=idx):
            return update(use, name=view.name, idx=view.element(idx))
        case WindowExpr(idx=entries):
            return retype_window(update(use, name=view.name, idx=view.entries(entries)))
        case StrideExpr(dim=dim):
            return update(use, name=view.name, dim=view.dimension(dim))
