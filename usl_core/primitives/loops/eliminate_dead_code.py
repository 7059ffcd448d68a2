"""eliminate_dead_code: a branch that is never taken, or a loop that never runs, goes."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.analysis.conflict import describe_model
from usl_core.analysis.context import Context
from usl_core.analysis.formula import Formula
from usl_core.analysis.solver import Refuted
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, Path, block_of
from usl_core.errors import Undecided
from usl_core.ir.nodes import For, If
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import depends_on_data
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_proved
from usl_core.primitives.locate import Where, any_stmt_at, context_at
from usl_core.primitives.loops.iterations import bounds
from usl_core.procedure import Procedure


@primitive()
def eliminate_dead_code(proc: Procedure, stmt: Where) -> Edit:
    """Replace an `if` by the branch that is always taken, or drop a loop that never runs.

        if c:
            s                ~>      s              where c always holds
        else:
            t

    Raises:
        SchedulingError: neither the condition nor its negation is proved; the loop may run; the statement is something else.
        Undecided: the solver could not tell.
    Forwarding: what remains stays itself, the rest is gone.
    """
    path, old = any_stmt_at(proc, stmt)
    require(isinstance(old, If | For), "an `if` or a loop is wanted here", old.span)
    ctx = context_at(proc, path)
    if isinstance(old, If):
        return _keep_branch(edit_of(proc), path, ctx, old)
    assert isinstance(old, For)
    return _drop_loop(edit_of(proc), path, ctx, old)


def _keep_branch(edit: Edit, path: Path, ctx: Context, branch: If) -> Edit:
    if depends_on_data(branch.cond):
        refuse(f"the condition {show_expr(branch.cond)} depends on data", branch.span, code="E404")
    holds = ctx.truth(branch.cond)
    if ctx.holds(holds):
        return edit.unwrap(NodeLoc(path))
    if not ctx.holds(fml.not_(holds)):
        _refuse_undetermined(ctx, branch, holds)
    return edit.unwrap(NodeLoc(path), "orelse") if branch.orelse else edit.delete(block_of(path))


def _refuse_undetermined(ctx: Context, branch: If, holds: Formula) -> None:
    """Show values for which the condition holds, and others for which it does not."""
    shown = show_expr(branch.cond)
    notes: list[str] = []
    for goal, word in ((fml.not_(holds), "holds"), (holds, "does not hold")):
        answer = ctx.prove(goal)
        if not isinstance(answer, Refuted):
            raise Undecided(f"eliminate_dead_code: could not decide whether {shown} always or never holds", span=branch.span)
        values = describe_model(answer.model, [goal, *ctx.facts])
        shown_values = ", ".join(f"{name} = {value}" for name, value in values.items())
        notes.append(f"it {word} for: {shown_values}" if values else f"it may be that it {word}")
    refuse(f"the condition {shown} is neither always true nor always false", branch.span, notes, "E412")


def _drop_loop(edit: Edit, path: Path, ctx: Context, loop: For) -> Edit:
    low, high = bounds(ctx, loop)
    message = f"the loop {loop.iter.name} may run: cannot prove {show_expr(loop.hi)} <= {show_expr(loop.lo)}"
    require_proved(ctx, fml.le(high, low), message, loop.span, values=(low, high))
    return edit.delete(block_of(path))
