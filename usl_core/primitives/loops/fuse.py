"""fuse: two neighbouring loops, or two neighbouring ifs, become one."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.analysis.conditions import Conflict
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Kind, Summary
from usl_core.analysis.exposed import exposed_read
from usl_core.analysis.fields_used import field_use
from usl_core.analysis.producer import producer, why_not_consumed_in_time
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import BlockLoc, GapLoc, NodeLoc, Path, after, before, body_of, stmt_path
from usl_core.ir.config import FieldSym
from usl_core.ir.nodes import Block, For, If, LoopMode, index_read
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import depends_on_data, same_expr, substitute_block, update
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_no, require_proved
from usl_core.primitives.locate import Where, any_stmt_at, context_at
from usl_core.primitives.loops.iterations import bounds, why_not_later_before_earlier
from usl_core.primitives.loops.modes import parallel_if_free_of_races
from usl_core.primitives.loops.neighbours import require_neighbours
from usl_core.primitives.moving import changes_value, effect
from usl_core.procedure import Procedure


@primitive()
def fuse(proc: Procedure, stmt1: Where, stmt2: Where) -> Edit:
    """Fuse a loop and the next one over the same range, or an `if` and the next one with the same condition.

        for i in seq(a, b):
            s1                       for i in seq(a, b):
        for j in seq(a, b):  ~>          s1
            s2                           s2[j -> i]

    Legal if s2 of an iteration commutes with s1 of every later one; or if s1 is a pure producer for s2: it fills one buffer
    with values that depend on the place alone, s2 modifies neither the buffer nor what s1 reads, and what s2 reads has been
    written by this or an earlier iteration. Later ones may then write it again. Fields that both set before they read them do
    not hinder. The fused loop is `par` if one of the two is
    and its iterations do not interfere.

    Raises:
        SchedulingError: the second does not follow the first; ranges or conditions are not proved equal; a loop that writes
        configuration would become parallel; a condition on data
        that the first may change; iterations that would change places touch the same location.
    Forwarding: the second loop or `if` goes to the fused one, its statements stay themselves.
    Also known as: loop fusion, compute_with (Halide).
    """
    path1, first = any_stmt_at(proc, stmt1)
    path2, second = any_stmt_at(proc, stmt2)

    both = (isinstance(first, For) and isinstance(second, For)) or (isinstance(first, If) and isinstance(second, If))
    require(both, "two loops or two ifs are wanted", second.span)
    require_neighbours(path1, path2, second.span)
    ctx = context_at(proc, path1)
    if isinstance(first, For) and isinstance(second, For):
        _check_loops(ctx, first, second)
        return _fuse_loops(edit_of(proc), path1, first, path2, second)
    assert isinstance(first, If) and isinstance(second, If)
    _check_ifs(ctx, first, second)
    return _fuse_ifs(edit_of(proc), path1, first, path2, second)


# ---- check


def _check_loops(ctx: Context, first: For, second: For) -> None:
    low1, high1 = bounds(ctx, first)
    low2, high2 = bounds(ctx, second)
    shown1, shown2 = (f"{show_expr(loop.lo)}, {show_expr(loop.hi)}" for loop in (first, second))
    goal = fml.and_([fml.eq(low1, low2), fml.eq(high1, high2)])
    message = f"cannot prove that the ranges ({shown1}) and ({shown2}) are equal"
    hint = "make them equal with shift_loop or cut_loop, or assert that they are"
    require_proved(ctx, goal, message, second.span, values=(low1, low2, high1, high2), hint=hint)

    _require_no_fields(first, second)
    if _are_namesakes(first, second):
        first, other = update(first, iter=second.iter, body=_renamed_body(first, second)), second.body
    else:
        other = _renamed_body(second, first)
    ahead, behind = effect(ctx, first.body), effect(ctx, other)
    own = _set_anew(ctx.enter(first, "body"), first.body, ahead, other, behind)
    conflict = why_not_later_before_earlier(ctx, first, ahead=_without(ahead, own), behind=_without(behind, own))
    if conflict is None:
        return
    unproduced = _unproduced(ctx, first, behind)
    if unproduced is not None:
        message = f"the second loop's iterations do not commute with later iterations of {first.iter.name}"
        notes = [*conflict.notes(), "nor is the first loop a pure producer for the second:", *unproduced.notes()]
        refuse(message, second.span, notes, code="E411")


def _require_no_fields(first: For, second: For) -> None:
    """Iterations of a parallel loop write no configuration."""
    if first.mode is second.mode:
        return
    one = first if first.mode is LoopMode.SEQ else second
    written = field_use(one).written
    if written:
        names = ", ".join(field.name for field in sorted(written))
        refuse(f"the fused loop would be parallel, but {one.iter.name} writes {names}", one.span, code="E442")


def _set_anew(ctx: Context, body: Block, ahead: Summary, other: Block, behind: Summary) -> frozenset[FieldSym]:
    """The fields of which either body reads only what it has just set, and that the second leaves with a value of its own.

    What iterations leave in them for others is read by none, and at the end stands the last value that the second sets.
    """
    if ahead.checks or behind.checks:
        return frozenset()  # where a `check` stops, it shows what was set last
    certain = {a.buffer for a in behind.accesses if a.kind is Kind.WRITE and a.exact and not a.guard}
    both = ahead.config_writes & behind.config_writes & certain
    return frozenset(field for field in both if not (exposed_read(ctx, body, field) or exposed_read(ctx, other, field)))


def _without(code: Summary, fields: frozenset[FieldSym]) -> Summary:
    return Summary(tuple(a for a in code.accesses if a.buffer not in fields), code.checks, code.fields - fields)


def _unproduced(ctx: Context, first: For, behind: Summary) -> Conflict | None:
    """Why the first loop is not a pure producer for the second, or None if it is."""
    made = producer(ctx.enter(first, "body"), first.body, fixed=len(ctx.scope.loops))
    return made if isinstance(made, Conflict) else why_not_consumed_in_time(ctx, first, made, behind)


def _are_namesakes(first: For, second: For) -> bool:
    """Whether the names of the iterators read the same: then the first body takes the second's, as consumers grow when one
    producer after the other is fused with them, and what is left alone need not be proved again."""
    return first.iter.name == second.iter.name


def _renamed_body(loop: For, other: For) -> Block:
    return substitute_block(loop.body, {loop.iter: index_read(other.iter)})


def _check_ifs(ctx: Context, first: If, second: If) -> None:
    on_data = depends_on_data(first.cond)
    same = same_expr(first.cond, second.cond)
    if not same:
        require(not on_data and not depends_on_data(second.cond), "conditions on data must be the same text", second.span)
        one, other = ctx.truth(first.cond), ctx.truth(second.cond)
        goal = fml.and_([fml.implies(one, other), fml.implies(other, one)])
        message = f"cannot prove that {show_expr(first.cond)} and {show_expr(second.cond)} are equivalent"
        require_proved(ctx, goal, message, second.span)
    if on_data:
        conflict = changes_value(ctx, first.cond, effect(ctx, (first,)))
        require_no(conflict, "the condition depends on data that the first `if` may change", second.span)


# ---- edit


def _fuse_loops(edit: Edit, path1: Path, first: For, path2: Path, second: For) -> Edit:
    body2 = body_of(path2, len(second.body))
    if _are_namesakes(first, second):
        edit = edit.substitute(body_of(path1, len(first.body)), {first.iter: index_read(second.iter)})
        edit = edit.update(NodeLoc(path1), iter=second.iter)
    else:
        edit = edit.substitute(body2, {second.iter: index_read(first.iter)})
    edit = edit.move(body2, _end(path1, first, "body"))
    if second.mode is LoopMode.PAR:
        edit = edit.update(NodeLoc(path1), mode=LoopMode.PAR)
    return parallel_if_free_of_races(_absorb(edit, path1, path2), path1)


def _fuse_ifs(edit: Edit, path1: Path, first: If, path2: Path, second: If) -> Edit:
    edit = edit.move(body_of(path2, len(second.body)), _end(path1, first, "body"))
    if second.orelse:
        edit = edit.move(body_of(path2, len(second.orelse), "orelse"), _end(path1, first, "orelse"))
    return _absorb(edit, path1, path2)


def _end(path: Path, owner: For | If, field: str) -> GapLoc:
    """The gap at the end of a list, which may be an empty `else`."""
    length = len(owner.orelse if field == "orelse" and isinstance(owner, If) else owner.body)
    if length == 0:
        return before(stmt_path(BlockLoc(path, field, 0, 0), 0))
    return after(stmt_path(BlockLoc(path, field, 0, length), length - 1))


def _absorb(edit: Edit, path1: Path, path2: Path) -> Edit:
    """The second statement, empty by now, goes; whoever looks for it finds the first."""
    return edit.delete(NodeLoc(path2)).redirect(NodeLoc(path2), NodeLoc(path1), inside=False)
