"""Counters in data: between what an integer scalar is set to, and that plus all that may have been added to it since.

A scalar is set to a number or a control value, and from then on only ever grows by reductions of known numbers. How often these
run before a place follows from the loops around them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import ZERO, Lin
from usl_core.analysis.lower import form_of
from usl_core.cursors.path import Path, get_stmt, stmt_list
from usl_core.ir.externs import SELECT
from usl_core.ir.nodes import (
    Alloc,
    Assign,
    AssignConfig,
    BinaryOp,
    Block,
    Call,
    Cast,
    Check,
    Expr,
    ExternCall,
    For,
    If,
    Literal,
    Pass,
    Proc,
    Read,
    Reduce,
    Stmt,
    WindowStmt,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import mentioned
from usl_core.ir.types import ScalarType, is_control


class Span(NamedTuple):
    """The least and the greatest value."""

    lo: Lin
    hi: Lin


Holds = Callable[[fml.Formula], bool]
"""What is proved where the value is read."""


def span_of(proc: Proc, path: Path, expr: Expr, holds: Holds) -> Span | None:
    """Between which control values integer data is, read by the statement at path; None if nothing is known of it.

    expr is made of counters, numbers and control values, by sums and differences that do not wrap.
    """
    typ = expr.type
    assert isinstance(typ, ScalarType)
    found: Span | None = None
    if isinstance(expr, Literal):
        found = Span(affine.const(int(expr.value)), affine.const(int(expr.value)))
    elif isinstance(expr, Cast) and is_control(expr.arg.type):
        found = _control(expr.arg)
    elif isinstance(expr, Read) and not expr.idx:
        found = _counter(proc, path, expr.name)
    elif isinstance(expr, BinaryOp) and expr.op in ("+", "-"):
        a, b = (span_of(proc, path, each, holds) for each in (expr.lhs, expr.rhs))
        if a is None or b is None:
            return None
        found = Span(a.lo + b.lo, a.hi + b.hi) if expr.op == "+" else Span(a.lo - b.hi, a.hi - b.lo)
    return found if found is not None and _fits(typ, found, holds) else None


def _fits(typ: ScalarType, found: Span, holds: Holds) -> bool:
    """Whether nothing wraps: a counter has had no value above its greatest one yet."""
    least, greatest = typ.int_range()
    return holds(fml.and_([fml.le(affine.const(least), found.lo), fml.le(found.hi, affine.const(greatest))]))


def _control(expr: Expr) -> Span | None:
    form = form_of(expr)
    return Span(form.lin, form.lin) if form is not None and form.steady else None


# ---- counters


def _counter(proc: Proc, path: Path, name: Sym) -> Span | None:
    """Between which values a scalar is before the statement at path."""
    found: Span | None = None
    for level, (field, index) in enumerate(path):
        assert index is not None
        block = stmt_list(proc, path[:level], field)
        for stmt in block[:index]:
            found = _after(stmt, name, found)
        inside = get_stmt(proc, path[: level + 1])
        if level + 1 < len(path) and isinstance(inside, For) and name in mentioned(inside):
            found = _in_iteration(inside, name, found)
    return found


def _in_iteration(loop: For, name: Sym, found: Span | None) -> Span | None:
    """At the start of an iteration: all of those before have added what they can."""
    start, each = form_of(loop.lo), _growth(loop.body, name)
    if found is None or start is None or not start.steady or each is None or not each.is_const:
        return None
    return Span(found.lo, found.hi + affine.combine(affine.var(loop.iter) - start.lin, each.const, ZERO, 0))


def _after(stmt: Stmt, name: Sym, found: Span | None) -> Span | None:
    if name not in mentioned(stmt):
        return found
    if isinstance(stmt, Assign) and stmt.name is name:
        value = stmt.rhs
        if isinstance(value, Literal):
            return Span(affine.const(int(value.value)), affine.const(int(value.value)))
        return _control(value.arg) if isinstance(value, Cast) and is_control(value.arg.type) else None
    growth = _growth((stmt,), name)
    return None if found is None or growth is None else Span(found.lo, found.hi + growth)


def _growth(block: Block, name: Sym) -> Lin | None:
    """The most that code adds to a scalar; None if it does anything else with it, or the sum is not known."""
    total = ZERO
    for stmt in block:
        each = _growth_of(stmt, name)
        if each is None:
            return None
        total = total + each
    return total


def _growth_of(stmt: Stmt, name: Sym) -> Lin | None:
    if name not in mentioned(stmt):
        return ZERO
    match stmt:
        case Reduce() if stmt.name is name:
            most = _most(stmt.rhs) if stmt.op == "+" else None
            return None if most is None else affine.const(most)
        case For(lo=lo, hi=hi, body=body):
            each, start, end = _growth(body, name), form_of(lo), form_of(hi)
            if each is None or start is None or end is None or not (start.steady and end.steady and each.is_const):
                return None
            return affine.combine(end.lin - start.lin, each.const, ZERO, 0)
        case If(body=body, orelse=orelse):
            ways = _growth(body, name), _growth(orelse, name)
            if ways[0] is None or ways[1] is None or not (ways[0].is_const and ways[1].is_const):
                return None
            return affine.const(max(ways[0].const, ways[1].const))
        case Call():
            return None
        case Assign() if stmt.name is name:
            return None
        case Assign() | Reduce() | Alloc() | AssignConfig() | Check() | Pass() | WindowStmt():  # it is read only
            return ZERO


def _most(expr: Expr) -> int | None:
    """The most that is added by a number, or a choice of numbers, none of them negative."""
    if isinstance(expr, Literal):
        return int(expr.value) if expr.value >= 0 else None
    if isinstance(expr, ExternCall) and expr.fn is SELECT:
        x, y = map(_most, expr.args[2:])
        return None if x is None or y is None else max(x, y)
    return None
