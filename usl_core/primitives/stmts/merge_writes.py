"""merge_writes: two writes of one location become one."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.analysis.context import Context
from usl_core.analysis.values import Values
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, Path, stmt_path, stmts
from usl_core.ir.combining import combined, spelt
from usl_core.ir.nodes import Assign, Reduce, Stmt
from usl_core.ir.traverse import depends_on_data
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_proved
from usl_core.primitives.exprs.kept import forward_kept
from usl_core.primitives.locate import Where, block_at, context_at
from usl_core.primitives.stmts.locations import Write, conflict_notes, reads_target, target
from usl_core.procedure import Procedure


@primitive()
def merge_writes(proc: Procedure, pair: Where) -> Edit:
    """Make one write of two neighbouring ones of the same location, given as a block of two or a pattern `s1 ; s2`.

        x = a           x = a            x += a         x += a
        x += b          x = b            x += b         x = b
          ~>              ~>               ~>             ~>
        x = a + b       x = b            x += a + b     x = b

    Reductions by `*`, `min` and `max` are merged likewise: `x @= max(a)` and `x @= max(b)` to `x @= max(max(a, b))`.

    Raises:
        SchedulingError: the block is not two writes of locations proved to be the same; the second reads the location; both are
        reductions, by different operations; the first takes an index from data and would be dropped.
    Forwarding: where `=` overwrites, the first statement is gone and the second stays itself; otherwise both go to the merged
    one, expressions stay themselves.
    """
    block = block_at(proc, pair)
    first, second = _two_writes(stmts(proc.ir, block))
    path1, path2 = stmt_path(block, 0), stmt_path(block, 1)

    _require_one_operation(first, second)
    ctx = context_at(proc, path1)
    _require_same_location(ctx, first, second)
    _require_not_read(ctx, first, second)
    if isinstance(second, Assign):
        _require_droppable(first)

    edit = edit_of(proc)
    if isinstance(second, Assign):
        return edit.delete(NodeLoc(path1))
    return _sum(edit, path1, first, path2, second)


# ---- check


def _two_writes(block: tuple[Stmt, ...]) -> tuple[Write, Write]:
    require(len(block) == 2, f"a block of two statements is wanted, not {len(block)}", block[0].span)
    first, second = block
    if not isinstance(first, Assign | Reduce) or not isinstance(second, Assign | Reduce):
        other = second if isinstance(first, Assign | Reduce) else first
        refuse(f"both statements must be `=` or reductions, found {type(other).__name__}", other.span, code="E404")
    return first, second


def _require_one_operation(first: Write, second: Write) -> None:
    if isinstance(first, Reduce) and isinstance(second, Reduce) and first.op != second.op:
        message = f"the two statements combine by different operations, {spelt(first.op)} and {spelt(second.op)}"
        refuse(message, second.span, code="E412")


def _require_same_location(ctx: Context, first: Write, second: Write) -> None:
    values = Values(ctx)
    if values.location(first.name, first.idx) == values.location(second.name, second.idx):
        return
    message = "the two statements are not proved to write the same location"
    a, b = target(ctx, first), target(ctx, second)
    if a.buffer is b.buffer and not a.iters and not b.iters:  # to show where they differ
        goal = fml.and_([fml.eq(x, y) for x, y in zip(a.point, b.point, strict=True)])
        require_proved(ctx, goal, message, second.span, values=(*a.point, *b.point))
    refuse(message, second.span, code="E412")


def _require_not_read(ctx: Context, first: Write, second: Write) -> None:
    found = reads_target(ctx, (second.rhs, *second.idx), target(ctx, first))
    if found is not None:
        message = f"the second statement reads {first.name.name}, which the first writes"
        refuse(message, second.span, conflict_notes(found), code="E411")


def _require_droppable(first: Write) -> None:
    """An index made of uninitialised data stops the run, which a dropped statement would no longer do."""
    if depends_on_data(first.rhs):
        message = "the first statement has an index made of data, so it cannot be dropped as if it had no effect"
        refuse(message, first.span, code="E418")


# ---- edit


def _sum(edit: Edit, path1: Path, first: Write, path2: Path, second: Write) -> Edit:
    assert isinstance(second, Reduce)
    total = combined(second.op, first.rhs, second.rhs, first.rhs.span)
    at = (*path1, ("rhs", None))
    edit = edit.replace_expr(NodeLoc(at), total).delete(NodeLoc(path2))
    edit = edit.redirect(NodeLoc(path2), NodeLoc(path1), inside=False)
    edit = forward_kept(edit, at, first.rhs, at, total)
    return forward_kept(edit, (*path2, ("rhs", None)), second.rhs, at, total)
