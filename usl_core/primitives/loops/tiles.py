"""What the operators share that make a nest of two loops out of one."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.analysis.context import Context
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, Path, body_of
from usl_core.ir import make
from usl_core.ir.nodes import Expr, For, index_literal, index_read
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.primitives.base import require_proved


def require_from_zero(ctx: Context, loop: For) -> None:
    """The loop starts at 0, or the operator refuses."""
    if not make.is_literal(loop.lo, 0):
        low = ctx.index(loop.lo)
        message = f"the loop {loop.iter.name} must start at 0, not at {show_expr(loop.lo)}"
        require_proved(ctx, fml.eq(low), message, loop.span, values=(low,), hint="use shift_loop first")


def nest(edit: Edit, path: Path, old: For, names: tuple[Sym, Sym], count: Expr, start: Expr, extent: Expr) -> Edit:
    """The loop at path over count tiles; each runs the iterations from start on, as many as extent says."""
    outer, inner = names
    iteration = make.add(start, index_read(inner))
    body = body_of(path, len(old.body))
    zero = index_literal(0)
    edit = edit.substitute(body, {old.iter: iteration})
    edit = edit.wrap(body, lambda stmts: For(inner, zero, extent, stmts, span=old.span))
    edit = edit.update(NodeLoc(path), iter=outer)
    if not make.is_literal(old.lo, 0):
        edit = edit.replace_expr(NodeLoc((*path, ("lo", None))), zero)
    return edit.replace_expr(NodeLoc((*path, ("hi", None))), count)
