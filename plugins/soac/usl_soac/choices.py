"""Choices between two values by any condition, as selects, which vectors have: `select(a, b, x, y)` is x if a < b."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from usl_core import build
from usl_core.ir.externs import SELECT
from usl_core.ir.nodes import BinaryOp, Expr, ExternCall, Literal
from usl_core.ir.types import F32, F64, ScalarType
from usl_soac.kernel_ops import chosen


def where(test: Expr, then: Expr, other: Expr) -> Expr | None:
    """`then if test else other`, where selects can say it, also where a side of a comparison is NaN.

    then and other should cost nothing, as they may stand in it several times.
    """
    if isinstance(test, Literal):
        return then if test.value else other
    if not isinstance(test, BinaryOp):
        return None
    match test.op:
        case "<" if isinstance(test.lhs, Literal) and not test.lhs.value and _is_flag(test.rhs):
            return _by_flag(test.rhs, then, other)
        case "and":
            inner = where(test.rhs, then, other)
            return None if inner is None else where(test.lhs, inner, other)
        case "or":
            inner = where(test.rhs, then, other)
            return None if inner is None else where(test.lhs, then, inner)
        case _:
            return _by_comparison(test, then, other)


def compares_reals(test: Expr) -> bool:
    """Whether real numbers are compared in a condition."""
    if not isinstance(test, BinaryOp):
        return False
    if isinstance(test.lhs.type, ScalarType):
        return test.lhs.type.is_real
    return compares_reals(test.lhs) or compares_reals(test.rhs)


def _is_flag(expr: Expr) -> bool:
    """Whether it is a number chosen by comparisons alone."""
    if isinstance(expr, ExternCall):
        return expr.fn is SELECT and all(map(_is_flag, expr.args[2:]))
    return isinstance(expr, Literal)


def _by_flag(flag: Expr, then: Expr, other: Expr) -> Expr:
    if isinstance(flag, ExternCall):
        a, b, first, second = flag.args
        return build.select(a, b, _by_flag(first, then, other), _by_flag(second, then, other))
    return then if isinstance(flag, Literal) and flag.value > 0 else other


def _by_comparison(test: BinaryOp, then: Expr, other: Expr) -> Expr | None:
    if (one := chosen(test, then, other)) is not None:
        return one
    a, b = test.lhs, test.rhs
    if not isinstance(a.type, ScalarType):
        return None
    if a.type.is_int and test.op in ("==", "!="):
        same, different = (then, other) if test.op == "==" else (other, then)
        return build.select(a, b, different, build.select(b, a, different, same))
    match test.op:
        case "<=" if (above := _next(b, np.inf)) is not None:
            return build.select(a, above, then, other)
        case ">=" if (below := _next(b, -np.inf)) is not None:
            return build.select(below, a, then, other)
        case "<=":
            return build.select(a, b, then, _if_equal(a, b, then, other))
        case ">=":
            return build.select(b, a, then, _if_equal(b, a, then, other))
        case "==":
            return build.select(a, b, other, _if_equal(a, b, then, other))
        case "!=":
            return build.select(a, b, then, _if_equal(a, b, other, then))
        case _:
            return None


def _if_equal(a: Expr, b: Expr, then: Expr, other: Expr) -> Expr:
    """then where two real numbers are equal, one of which is not less than the other: the other one may be, or one may be NaN.

    If neither is less, they are equal unless their sum is NaN, and only NaN is neither below 1 nor above 0.
    """
    one, zero, total = build.literal(1, _real(a)), build.literal(0, _real(a)), build.add(a, b)
    is_number = build.select(total, one, then, build.select(zero, total, then, other))
    return build.select(b, a, other, is_number)


def _real(expr: Expr) -> ScalarType:
    assert isinstance(expr.type, ScalarType)
    return expr.type


def _next(limit: Expr, to: float) -> Expr | None:
    """The number next to a literal: no other is between them, so that `x <= limit` is `x < next`. None if it is no number."""
    if not isinstance(limit, Literal) or not isinstance(limit.type, ScalarType):
        return None
    if limit.type not in (F32, F64):
        return None
    with np.errstate(all="ignore"):
        number = float(limit.value)
        found = np.nextafter(np.float32(number), np.float32(to)) if limit.type == F32 else np.nextafter(number, to)
    return build.literal(Fraction(float(found)), limit.type) if np.isfinite(found) else None
