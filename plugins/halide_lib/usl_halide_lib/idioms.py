"""Expressions of several operations that are one instruction: averages, saturating sums, distances."""

from __future__ import annotations

from typing import Any

from usl_core.cursors import BinaryOpCursor, CastCursor, ExternFunctionCursor, LiteralCursor
from usl_halide_lib.places import text_of

LIMITS = {"u8": 255, "u16": 65535}
WIDER = {"u8": "u16", "u16": "u32"}


def idiom(expr: Any) -> tuple[str, list[Any]] | None:
    """What an expression is in one instruction, as far as its outermost operations tell, and all places of operands."""
    match expr:
        case CastCursor() if str(expr.type()) in WIDER:
            return _average(expr) or _saturating_sum(expr)
        case BinaryOpCursor() if expr.op() == "-" and str(expr.type()) in WIDER:
            return _distance(expr)
    return None


def _average(expr: Any) -> tuple[str, list[Any]] | None:
    """`u16((u32(a) + u32(b) + 1) / 2)`."""
    half = expr.arg()
    if _is_operation(half, "/") and _is_number(half.rhs(), 2) and _is_operation(half.lhs(), "+"):
        total = half.lhs()
        if _is_number(total.rhs(), 1) and (pair := _widened_sum(total.lhs(), expr)):
            return "average", pair
    return None


def _saturating_sum(expr: Any) -> tuple[str, list[Any]] | None:
    """`u16(min(u32(a) + u32(b), 65535))`."""
    least = expr.arg()
    if not _is_function(least, "min") or not _is_number(least.args()[1], LIMITS[str(expr.type())]):
        return None
    pair = _widened_sum(least.args()[0], expr)
    return ("saturating +", pair) if pair else None


def _distance(expr: Any) -> tuple[str, list[Any]] | None:
    """`max(a, b) - min(a, b)`, and `max(a, b) - b`, which is `a - b` or 0."""
    larger, smaller = expr.lhs(), expr.rhs()
    if not _is_function(larger, "max"):
        return None
    a, b = larger.args()
    if _is_function(smaller, "min") and [text_of(each) for each in smaller.args()] == [text_of(a), text_of(b)]:
        return "distance", [a, b, *smaller.args()]
    return ("saturating -", [a, b, smaller]) if text_of(smaller) == text_of(b) else None


def _widened_sum(expr: Any, narrow: Any) -> list[Any] | None:
    """The operands of a sum of two values of a narrow type in the next wider one."""
    if not _is_operation(expr, "+"):
        return None
    pair = [expr.lhs(), expr.rhs()]
    kind = str(narrow.type())
    if all(isinstance(each, CastCursor) and str(each.type()) == WIDER[kind] for each in pair):
        inner = [each.arg() for each in pair]
        if all(str(each.type()) == kind for each in inner):
            return inner
    return None


def _is_operation(expr: Any, op: str) -> bool:
    return isinstance(expr, BinaryOpCursor) and bool(expr.op() == op)


def _is_function(expr: Any, name: str) -> bool:
    return isinstance(expr, ExternFunctionCursor) and bool(expr.name() == name)


def _is_number(expr: Any, value: int) -> bool:
    return isinstance(expr, LiteralCursor) and bool(expr.value() == value)
