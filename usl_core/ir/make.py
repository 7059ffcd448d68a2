"""Control expressions as rewrites build them: `x + 0` is x, `2 * 3` is 6, `(n + 4) - 1` is `n + 3`.

The folding is light: a result is no longer than what a programmer would write, and nothing is reordered.
"""

from __future__ import annotations

from usl_core.errors import NOWHERE, Span
from usl_core.ir.externs import MAX, MIN
from usl_core.ir.nodes import BinaryOp, Expr, ExprBase, ExternCall, Literal, UnaryMinus, index_literal
from usl_core.ir.types import BOOL, INDEX


def literal_value(expr: Expr) -> int | None:
    """The integer of an index literal; None for anything else."""
    return expr.value if isinstance(expr, Literal) and expr.type is INDEX and isinstance(expr.value, int) else None


def is_literal(expr: Expr, value: int) -> bool:
    """Whether expr is the index literal of that value."""
    return literal_value(expr) == value


def _index(op: str, lhs: Expr, rhs: Expr) -> Expr:
    return BinaryOp(op, lhs, rhs, type=INDEX, span=lhs.span)


def _split_constant(expr: Expr) -> tuple[Expr | None, int]:
    """expr as a rest and a constant added at its end; the rest is None for a literal."""
    if (value := literal_value(expr)) is not None:
        return None, value
    match expr:
        case BinaryOp(op="+", lhs=lhs, rhs=rhs) if (value := literal_value(rhs)) is not None:
            return lhs, value
        case BinaryOp(op="-", lhs=lhs, rhs=rhs) if (value := literal_value(rhs)) is not None:
            return lhs, -value
        case ExprBase():
            return expr, 0


def offset(expr: Expr, amount: int) -> Expr:
    """`expr + amount`, with constants at the end of expr collected."""
    if amount == 0:
        return expr
    rest, constant = _split_constant(expr)
    total = constant + amount
    if rest is None:
        return index_literal(total, expr.span)
    if total == 0:
        return rest
    return _index("+", rest, index_literal(total)) if total > 0 else _index("-", rest, index_literal(-total))


def add(lhs: Expr, rhs: Expr) -> Expr:
    """`lhs + rhs`."""
    if (value := literal_value(rhs)) is not None:
        return offset(lhs, value)
    return rhs if is_literal(lhs, 0) else _index("+", lhs, rhs)


def sub(lhs: Expr, rhs: Expr) -> Expr:
    """`lhs - rhs`."""
    if (value := literal_value(rhs)) is not None:
        return offset(lhs, -value)
    return neg(rhs) if is_literal(lhs, 0) else _index("-", lhs, rhs)


def neg(arg: Expr) -> Expr:
    """`-arg`."""
    if (value := literal_value(arg)) is not None:
        return index_literal(-value, arg.span)
    return arg.arg if isinstance(arg, UnaryMinus) else UnaryMinus(arg, type=INDEX, span=arg.span)


def mul(lhs: Expr | int, rhs: Expr) -> Expr:
    """`lhs * rhs`, one of them a literal (an int stands for one)."""
    left: Expr = index_literal(lhs) if isinstance(lhs, int) else lhs
    factor, value = literal_value(left), literal_value(rhs)
    assert factor is not None or value is not None, "a product of control values has a literal factor"
    if factor is not None and value is not None:
        return index_literal(factor * value, rhs.span)
    if factor == 0 or value == 0:
        return index_literal(0, rhs.span)
    if factor == 1:
        return rhs
    return left if value == 1 else _index("*", left, rhs)


def quot(num: Expr, den: int) -> Expr:
    """`num / den`, rounded down; den >= 1."""
    assert den >= 1
    if (value := literal_value(num)) is not None:
        return index_literal(value // den, num.span)
    return num if den == 1 else _index("/", num, index_literal(den))


def mod(num: Expr, den: int) -> Expr:
    """`num % den`, never negative; den >= 1."""
    assert den >= 1
    if (value := literal_value(num)) is not None:
        return index_literal(value % den, num.span)
    return index_literal(0, num.span) if den == 1 else _index("%", num, index_literal(den))


def ceil_quot(num: Expr, den: int) -> Expr:
    """`num / den`, rounded up: `(num + den - 1) / den`."""
    return quot(offset(num, den - 1), den)


def compare(op: str, lhs: Expr, rhs: Expr, *, span: Span = NOWHERE) -> BinaryOp:
    """A comparison of two index expressions. Not folded, so that what a rewrite inserts can be found again."""
    assert op in ("<", "<=", ">", ">=", "==", "!=")
    return BinaryOp(op, lhs, rhs, type=BOOL, span=span)


def minimum(lhs: Expr, rhs: Expr) -> Expr:
    """`min(lhs, rhs)` of index expressions."""
    left, right = literal_value(lhs), literal_value(rhs)
    if left is not None and right is not None:
        return lhs if left <= right else rhs
    return ExternCall(MIN, (lhs, rhs), type=INDEX, span=lhs.span)


def maximum(lhs: Expr, rhs: Expr) -> Expr:
    """`max(lhs, rhs)` of index expressions."""
    left, right = literal_value(lhs), literal_value(rhs)
    if left is not None and right is not None:
        return lhs if left >= right else rhs
    return ExternCall(MAX, (lhs, rhs), type=INDEX, span=lhs.span)
