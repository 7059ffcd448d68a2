"""lift_scope: a loop or `if` changes places with the loop or `if` directly around it."""

from __future__ import annotations

from usl_core.analysis.context import Context
from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import GapLoc, NodeLoc, Path, after, before, body_of, get_stmt, next_place
from usl_core.errors import Span
from usl_core.frontend.operators import negation
from usl_core.ir.nodes import Expr, For, If, Pass, Stmt, index_read
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import depends_on_data, free_names, get_field, with_fresh_binders
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_no, require_proved
from usl_core.primitives.locate import Where, any_stmt_at, context_at
from usl_core.primitives.loops.iterations import bounds, runs_at_least_once
from usl_core.primitives.loops.reorder_loops import interchanged
from usl_core.primitives.moving import changes_value, effect
from usl_core.procedure import Procedure


@primitive()
def lift_scope(proc: Procedure, inner: Where) -> Edit:
    """Lift a loop or `if` over the loop or `if` around it, in which it must be alone.

        for i in seq(a, b):          if c:
            if c:            ~>          for i in seq(a, b):
                s                            s

        if c:                        for i in seq(a, b):
            for i in seq(a, b):  ~>      if c:
                s                            s

    An `if` over a loop or `if` takes its `else` along: `else: for i in seq(a, b): t`, and for two ifs

        if a:                        if b:
            if b:                        if a:
                s                            s
            else:            ~>          else:
                t                            u
        else:                        else:
            u                            if a:
                                             t
                                         else:
                                             u

    A loop leaves the other branch behind, in an `if` of its own. What is lifted may stand in the `else`, on control: then it is
    the condition's negation that it takes along. Two loops change places as in `reorder_loops`.

        if c:                        for i in seq(a, b):
            for i in seq(a, b):          if c:
                s            ~>              s
        else:                        if not c:
            t                            t

    Raises:
        SchedulingError: the statement is not alone in the one around it; a condition uses the iterator, or depends on data that
        the body may change, or on data while the loop may run zero times or there is an `else`; two loops whose iterations do
        not commute.
    Forwarding: each of the two moves with its head; the innermost statements stay themselves.
    """
    path, low = _inner_at(proc, inner)
    above = path[:-1]
    require(bool(above), "there is no loop or `if` around the statement", low.span)
    high = get_stmt(proc.ir, above)
    assert isinstance(high, For | If)

    _require_alone(path, high, low.span)
    ctx = context_at(proc, above)
    edit = edit_of(proc)
    if isinstance(high, For):
        if isinstance(low, If):
            _require_movable(ctx, high, low)
            return _if_over_loop(edit, above, high, low)
        return interchanged(proc, above, high, low)
    if isinstance(low, If):
        _require_control(high.cond, low.cond, low.span)
        return _if_over_if(edit, path, high, low)
    _require_movable(ctx, low, high)
    return _loop_over_if(edit, path, high)


# ---- locate


def _inner_at(proc: Procedure, where: Where) -> tuple[Path, For | If]:
    path, stmt = any_stmt_at(proc, where)
    if not isinstance(stmt, For | If):
        refuse("a loop or an `if` is wanted here", stmt.span, code="E404")
    return path, stmt


def _require_alone(path: Path, high: For | If, span: Span) -> None:
    if len(get_field(high, path[-1][0])) != 1:
        hint = "hint: separate the other statements with fission first"
        refuse("the statement must be alone in the loop or `if` around it", span, [hint], code="E404")


# ---- check


def _require_movable(ctx: Context, loop: For, branch: If) -> None:
    """The condition of an `if` has one value before the loop and in each of its iterations."""
    shown = show_expr(branch.cond)
    if loop.iter in free_names(branch.cond):
        refuse(f"the condition {shown} depends on the iterator {loop.iter.name}", branch.span, code="E414")
    if not depends_on_data(branch.cond):
        return
    # A loop that runs zero times would not look at the data at all, which may be poison.
    message = f"the condition {shown} depends on data, and the loop {loop.iter.name} may not run"
    assume = f"{show_expr(loop.lo)} < {show_expr(loop.hi)}"
    goal, values = runs_at_least_once(ctx, loop), bounds(ctx, loop)
    require_proved(ctx, goal, message, branch.span, values=values, assume=assume)
    conflict = changes_value(ctx, branch.cond, effect(ctx, (loop,)))
    require_no(conflict, f"the loop may change the data that {shown} depends on", branch.span)


def _require_control(outer: Expr, inner: Expr, span: Span) -> None:
    """Conditions on data are not evaluated where they were not before: the data may be poison there."""
    for cond in (outer, inner):
        message = f"the condition {show_expr(cond)} depends on data, so its `if` does not change places with another"
        require(not depends_on_data(cond), message, span, code="E404")


# ---- edit


def _if_over_loop(edit: Edit, above: Path, loop: For, branch: If) -> Edit:
    edit = edit.interchange(NodeLoc(above))
    if not branch.orelse:
        return edit
    name = loop.iter.copy()
    otherwise = body_of((*above, ("body", 0)), len(branch.orelse), "orelse")
    edit = edit.substitute(otherwise, {loop.iter: index_read(name)})
    return edit.wrap(otherwise, lambda body: For(name, loop.lo, loop.hi, body, loop.mode, span=loop.span))


def _if_over_if(edit: Edit, path: Path, high: If, low: If) -> Edit:
    """low, which is at path in one of high's branches, takes the place of high and holds it."""
    above, cond, other = path[:-1], high.cond, high.orelse
    if path[-1][0] == "orelse":
        cond, other = negation(cond), high.body
        count = len(high.body)
        edit = edit.replace_expr(NodeLoc((*above, ("cond", None))), cond)
        edit = edit.move(NodeLoc(path), before((*above, ("body", 0))))
        edit = edit.move(body_of(above, count), Now(GapLoc(above, "orelse", 0, "before")))
    edit = edit.interchange(NodeLoc(above))
    other = with_fresh_binders(other)
    if low.orelse:
        return edit.wrap(body_of(path, len(low.orelse), "orelse"), lambda body: If(cond, body, other, span=high.span))
    if not other:
        return edit
    nothing: Stmt = If(cond, (Pass(span=high.span),), other, span=high.span)
    return edit.insert(GapLoc(path, "orelse", 0, "before"), (nothing,))


def _loop_over_if(edit: Edit, path: Path, high: If) -> Edit:
    """The loop at path in one of high's branches holds an `if` with that branch; the other branch stays in another."""
    above, field = path[:-1], path[-1][0]
    if not high.orelse:
        return edit.interchange(NodeLoc(above))
    message = f"the condition {show_expr(high.cond)} depends on data, and its `if` has an `else`"
    require(not depends_on_data(high.cond), message, high.span, code="E404")
    opposite = negation(high.cond)
    edit = edit.wrap(body_of(above, len(high.orelse), "orelse"), lambda body: If(opposite, body, span=high.span)).move(
        Now(NodeLoc((*above, ("orelse", 0)))), Now(after(above))
    )
    return edit.interchange(Now(NodeLoc(above if field == "body" else next_place(above))))
