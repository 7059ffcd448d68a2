"""fold_into_reduce: `x = x + e`, `x = max(x, e)`, `if e > x: x = e` become reductions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

from usl_core.analysis.values import Values
from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import NodeLoc, Path
from usl_core.ir.combining import OPERATIONS, combined, operands
from usl_core.ir.externs import SELECT
from usl_core.ir.nodes import Assign, BinaryOp, Expr, ExternCall, If, Pass, Read, Reduce, Stmt
from usl_core.ir.traverse import children, same_expr, update
from usl_core.ir.types import B8
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.exprs.algebra import negated
from usl_core.primitives.exprs.kept import forward_kept
from usl_core.primitives.locate import Where, any_stmt_at, context_at
from usl_core.procedure import Procedure
from usl_core.records import dataclass

IsTarget = Callable[[Expr], bool]


@primitive()
def fold_into_reduce(proc: Procedure, stmt: Where) -> Edit:
    """Write a statement that combines its own target with something as a reduction.

        x = x + e                    ~>    x += e
        x = x * e                    ~>    x *= e
        x = max(x, e)                ~>    x @= max(e)
        x = select(x, e, e, x)       ~>    x @= max(e)
        if e > x: x = e              ~>    x @= max(e)

    x may also be the other operand, or the first of a longer sum, product or `max`: `x = x + a - b` becomes `x += a - b`. A
    difference `x - e` adds `-e`. `min` is as `max`; the comparison may be `<`, `<=`, `>` or `>=`. Of floats that compare as
    equal (-0 and 0), or as neither (NaN), the reduction may keep the other one.

    Raises:
        SchedulingError: the statement is neither `=` nor an `if` around one; no such operand on its right is proved to be the
        location that is written.
    Forwarding: the statement and its expressions stay themselves; the read of x is gone. An `if` and what it assigns go to the
    reduction.
    """
    path, old = any_stmt_at(proc, stmt)
    write, compared = _parts(old)
    values = Values(context_at(proc, path))
    place = values.location(write.name, write.idx)

    def is_target(expr: Expr) -> bool:
        return isinstance(expr, Read) and bool(values.location(expr.name, expr.idx) == place)

    found = _of_value(write.rhs, is_target) if compared is None else _extreme(compared, write.rhs, is_target)
    if found is None:
        _refuse_form(write, compared)

    new = Reduce(write.name, write.idx, found.rest, found.op, span=old.span)
    edit = edit_of(proc).replace(NodeLoc(path), (new,))
    if compared is None:
        return _kept(edit, path, write, path, new)
    at = (*path, ("body", _position(old, write)))
    edit = _kept(edit.redirect(NodeLoc(at), Now(NodeLoc(path)), inside=False), at, write, path, new)
    return replace(edit, refines=True)  # a branch on what has no value stops the run


@dataclass(frozen=True, slots=True)
class _Folded:
    """What a target is combined with, and how."""

    op: str
    rest: Expr


# ---- locate


def _parts(old: Stmt) -> tuple[Assign, BinaryOp | None]:
    """The assignment, and what an `if` around it compares."""
    if isinstance(old, If) and isinstance(old.cond, BinaryOp) and not old.orelse:
        code = [stmt for stmt in old.body if not isinstance(stmt, Pass)]
        if len(code) == 1 and isinstance(code[0], Assign):
            return code[0], old.cond
    if not isinstance(old, Assign):
        found = type(old).__name__
        refuse(f"an assignment is wanted here, or an `if` around one alone, found {found}", old.span, code="E404")
    return old, None


def _position(old: Stmt, write: Assign) -> int:
    assert isinstance(old, If)
    return next(position for position, stmt in enumerate(old.body) if stmt is write)


# ---- check


def _refuse_form(write: Assign, compared: BinaryOp | None) -> NoReturn:
    name = write.name.name
    if compared is not None:
        refuse(f"the `if` does not compare {name}, as it is written here, with what it assigns", compared.span, code="E412")
    notes = ["hint: bring the read of the target to the front of the sum with commute_expr and left_reassociate_expr"]
    ways = "plus something, nor combined so by *, &, |, ^, min or max"
    refuse(f"the right side is not {name}, as it is written here, {ways}", write.span, notes, "E412")


def _of_value(expr: Expr, is_target: IsTarget) -> _Folded | None:
    """The reduction that an assigned value is."""
    if isinstance(expr, ExternCall) and expr.fn is SELECT and expr.type != B8:
        a, b, x, y = expr.args  # x if a < b else y
        if same_expr(a, x) and same_expr(b, y):
            return _with_other("min", a, b, is_target)
        if same_expr(a, y) and same_expr(b, x):
            return _with_other("max", a, b, is_target)
        return None
    ways = ((op, _without(op, expr, is_target)) for op in OPERATIONS)
    return next((_Folded(op, rest) for op, rest in ways if rest is not None), None)


def _without(op: str, expr: Expr, is_target: IsTarget) -> Expr | None:
    """expr minus the target, one of its operands; None if there is no such operand."""
    if op == "+" and isinstance(expr, BinaryOp) and expr.op == "-":
        if is_target(expr.lhs):
            return negated(expr.rhs)
        rest = _without(op, expr.lhs, is_target)
        return None if rest is None else update(expr, lhs=rest)
    pair = operands(op, expr)
    if pair is None:
        return None
    first, second = pair
    if is_target(first):
        return second
    if is_target(second):
        return first
    rest = _without(op, first, is_target)
    return None if rest is None else combined(op, rest, second, expr.span)


def _with_other(op: str, a: Expr, b: Expr, is_target: IsTarget) -> _Folded | None:
    """The extreme of a and b, one of which is the target."""
    if is_target(a):
        return _Folded(op, b)
    return _Folded(op, a) if is_target(b) else None


def _extreme(cond: BinaryOp, value: Expr, is_target: IsTarget) -> _Folded | None:
    """The reduction that `if cond: x = value` is."""
    match cond.op:
        case ">" | ">=":
            greater, less = cond.lhs, cond.rhs
        case "<" | "<=":
            greater, less = cond.rhs, cond.lhs
        case _:
            return None
    if same_expr(greater, value) and is_target(less):
        return _Folded("max", value)
    return _Folded("min", value) if same_expr(less, value) and is_target(greater) else None


# ---- forward


def _kept(edit: Edit, at: Path, was: Assign, path: Path, new: Reduce) -> Edit:
    for step, child in children(was):
        to = (*path, step)
        edit = forward_kept(edit, (*at, step), child, to, child if step[0] == "idx" else new.rhs)
    return edit
