"""fission: a loop or `if` is split at a gap in its body."""

from __future__ import annotations

from usl_core.analysis.conditions import instance
from usl_core.analysis.context import Context
from usl_core.analysis.repeating import why_not_running_again
from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import BlockLoc, GapLoc, NodeLoc, after, gap_position, get_stmt, stmt_list, stmt_path
from usl_core.frontend.operators import negation
from usl_core.ir.nodes import Block, For, If, Pass, SimpleStmt, Stmt, index_read
from usl_core.ir.traverse import depends_on_data, free_names
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_no
from usl_core.primitives.locate import Where, gap_at
from usl_core.primitives.loops.iterations import why_not_later_before_earlier
from usl_core.primitives.moving import changes_value, effect, escaping
from usl_core.procedure import Procedure


@primitive()
def fission(proc: Procedure, gap: Where, n_lifts: int = 1) -> Edit:
    """Split the loop around a gap in two, and then the loop around that, n_lifts times.

        for i in seq(a, b):          for i in seq(a, b):
            s1               ~>          s1
            s2                       for i in seq(a, b):
                                         s2

    Legal if s2 of an iteration commutes with s1 of every later one; or if s1 does not use the iterator and may run again after
    s2 without effect (then only its first run counts, as for a value computed anew in each iteration). An `if` is split the
    same way, in its `else` too, and counts as one lift; the other branch stays with the first part.

        if c:                        if c:
            s                            s
        else:                ~>      else:
            t1                           t1
            t2                       if not c:
                                         t2


    Raises:
        SchedulingError: there is nothing before or after the gap; fewer than n_lifts loops and ifs around it; neither condition
        holds; s2 uses what s1 allocates or names.
    Forwarding: a loop goes to the first copy, statements stay themselves.
    Also known as: loop distribution, compute_at in reverse.
    """
    where = gap_at(proc, gap)

    require(n_lifts >= 1, f"n_lifts must be at least 1, got {n_lifts}")
    edit = edit_of(proc)
    for lift in range(n_lifts):
        edit, where = _split(edit, where, n_lifts - lift)
    return edit


def _split(edit: Edit, place: GapLoc, lifts: int) -> tuple[Edit, GapLoc]:
    """One lift: the statement around place becomes two, the second just after the first; returns the gap between them."""
    ir = edit.proc
    owner = get_stmt(ir, place.parent) if place.parent else None
    if owner is None:
        hint = "hint: lower n_lifts"
        refuse(f"there is no loop or `if` left to split for the last {lifts} of n_lifts", None, [hint], code="E404")
    block = stmt_list(ir, place.parent, place.field)
    rest = BlockLoc(place.parent, place.field, gap_position(place), len(block))
    first, second = block[: rest.lo], block[rest.lo :]
    require(bool(first and second), "there must be a statement before and one after the gap", owner.span)
    _require_scopes(first, second, owner)
    ctx = Context.at(ir, place.parent)
    match owner:
        case For():
            _check_loop(ctx, owner, first, second)
        case If():
            _check_if(ctx, owner, (*first, *(owner.orelse if place.field == "body" else owner.body)))
        case SimpleStmt():
            raise AssertionError(f"not a statement with a body: {owner!r}")
    return _split_owner(edit, rest, owner), after(place.parent)


# ---- check


def _require_scopes(first: Block, second: Block, owner: Stmt) -> None:
    names = ", ".join(name.name for name in escaping(first, second))
    if names:
        hint = "hint: lift the allocation out with lift_alloc (expand_dim first if each iteration needs its own)"
        refuse(f"{names} is bound before the gap and used after it", owner.span, [hint], code="E416")


def _check_loop(ctx: Context, loop: For, first: Block, second: Block) -> None:
    conflict = why_not_later_before_earlier(ctx, loop, ahead=effect(ctx, first), behind=effect(ctx, second))
    if conflict is not None and not _repeats_are_void(ctx, loop, first, second):
        message = f"what follows the gap does not commute with what precedes it in later iterations of {loop.iter.name}"
        require_no(conflict, message, loop.span)


def _repeats_are_void(ctx: Context, loop: For, first: Block, second: Block) -> bool:
    """Whether first does the same in every iteration and again after second: only its first run counts."""
    if loop.iter in free_names(*first):
        return False
    inside = ctx.enter(loop, "body")
    return why_not_running_again(inside, first, since=instance(effect(inside, second).accesses, {})) is None


def _check_if(ctx: Context, branch: If, first: Block) -> None:
    """What stays in the first part does not change the condition, which is asked again after it."""
    if depends_on_data(branch.cond):
        message = "the condition depends on data that the statements before the gap may change"
        require_no(changes_value(ctx, branch.cond, effect(ctx, first)), message, branch.span)


# ---- edit


def _split_owner(edit: Edit, second: BlockLoc, owner: For | If) -> Edit:
    """The second part of owner's statements goes into a copy of owner's head, which then moves out."""
    rest = Now(second)
    match owner:
        case For():
            name = owner.iter.copy()
            edit = edit.substitute(rest, {owner.iter: index_read(name)})
            edit = edit.wrap(rest, lambda body: For(name, owner.lo, owner.hi, body, owner.mode, span=owner.span))
        case If() if second.field == "body":
            edit = edit.wrap(rest, lambda body: If(owner.cond, body, span=owner.span))
        case If() if depends_on_data(owner.cond):
            nothing = (Pass(span=owner.span),)
            edit = edit.wrap(rest, lambda body: If(owner.cond, nothing, body, span=owner.span), "orelse")
        case If():
            edit = edit.wrap(rest, lambda body: If(negation(owner.cond), body, span=owner.span))
    return edit.move(Now(NodeLoc(stmt_path(second, 0))), Now(after(second.parent)), joins=True)
