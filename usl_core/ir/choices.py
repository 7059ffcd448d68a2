"""Choices by any condition on data, made of `select`, which compares two numbers by `<`."""

from __future__ import annotations

from collections.abc import Callable

from usl_core.ir.nodes import BinaryOp, Expr, Literal
from usl_core.ir.types import B8

Less = Callable[[Expr, Expr, Expr, Expr], Expr]
"""less(a, b, x, y) is x where a < b, else y."""


def choice(cond: BinaryOp, then: Expr, other: Expr, less: Less) -> Expr:
    """The value that is then where cond, made of comparisons of data, holds, else other; only the chosen one need have a value.

    Of floats, what is neither less nor greater counts as equal, also NaN.
    """
    a, b = cond.lhs, cond.rhs
    match cond.op:
        case "and":
            return _of(a, _of(b, then, other, less), other, less)
        case "or":
            return _of(a, then, _of(b, then, other, less), less)
        case "<":
            return less(a, b, then, other)
        case ">":
            return less(b, a, then, other)
        case "<=":
            return less(b, a, other, then)
        case ">=":
            return less(a, b, other, then)
        case "==" | "!=" if a.type == B8 and isinstance(b, Literal) and not b.value:
            return less(b, a, *((other, then) if cond.op == "==" else (then, other)))
        case "==":
            return less(a, b, other, less(b, a, other, then))
        case _:
            return less(a, b, then, less(b, a, then, other))


def _of(cond: Expr, then: Expr, other: Expr, less: Less) -> Expr:
    assert isinstance(cond, BinaryOp), "a condition on data is a comparison, or made of such"
    return choice(cond, then, other, less)
