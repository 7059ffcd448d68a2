"""Operations on literals of data, computed where that is exact: in R, and in the integers modulo 2^N."""

from __future__ import annotations

from fractions import Fraction

from usl_core.ir.memo import per_node
from usl_core.ir.nodes import BinaryOp, Cast, Expr, ExternCall, Literal, Read, ReadConfig, StrideExpr, UnaryMinus, WindowExpr
from usl_core.ir.types import R, ScalarType


@per_node
def folded(expr: Expr) -> Literal | None:
    """The value of an expression of literals of R or of one integer type; None if it is not one, or is not exact.

    Division in R is left alone: its result may have no decimal. Reference: docs/semantics.md, "Data values".
    """
    if not isinstance(expr.type, ScalarType):
        return None
    match expr:
        case Literal():
            return expr
        case UnaryMinus(arg=arg):
            value = folded(arg)
            return None if value is None else _literal(expr, -value.value)
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            left, right = folded(lhs), folded(rhs)
            if left is None or right is None:
                return None
            result = _operation(op, left.value, right.value, expr.type)
            return None if result is None else _literal(expr, result)
        case Read() | ExternCall() | Cast() | WindowExpr() | StrideExpr() | ReadConfig():
            return None


def _literal(expr: Expr, value: int | Fraction) -> Literal | None:
    typ = expr.type
    assert isinstance(typ, ScalarType)
    if typ.is_int:
        return Literal(wrapped(int(value), typ), type=typ, span=expr.span)
    return Literal(Fraction(value), type=typ, span=expr.span) if typ == R else None


def wrapped(value: int, typ: ScalarType) -> int:
    """The representative of value modulo 2^N in an integer type."""
    low, high = typ.int_range()
    return (value - low) % (high - low + 1) + low


def shifted(op: str, value: int, amount: int, typ: ScalarType) -> int:
    """`value << amount` or `value >> amount`, not reduced yet; amount counts as the number of its bits without a sign."""
    amount = min(amount % (1 << typ.bits), typ.bits)
    return value << amount if op == "<<" else value >> amount


def _operation(op: str, a: int | Fraction, b: int | Fraction, typ: ScalarType) -> int | Fraction | None:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case _:
            return integer_operation(op, int(a), int(b), typ) if typ.is_int else None


def integer_operation(op: str, a: int, b: int, typ: ScalarType) -> int | None:
    """`a op b` on numbers of an integer type, for what is not arithmetic modulo 2^N; not reduced yet."""
    match op:
        case "/":
            return a // b if b else 0
        case "%":
            return a % b if b else 0
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
        case "<<" | ">>":
            return shifted(op, a, b, typ)
        case _:
            return None
