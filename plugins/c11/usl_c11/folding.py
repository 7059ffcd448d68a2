"""Constants and ranges of integer data expressions: compilers warn about comparisons that types or constants decide."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

from usl_core.ir.nodes import BinaryOp, Cast, Expr, ExternCall, Literal, Read, ReadConfig, StrideExpr, UnaryMinus, WindowExpr
from usl_core.ir.types import ScalarType


@dataclass(frozen=True, slots=True)
class Ends:
    """The least and the greatest value; whether it may be NaN."""

    lo: float
    hi: float
    nan: bool = False

    def hull(self, other: Ends) -> Ends:
        """The least that contains both."""
        return Ends(min(self.lo, other.lo), max(self.hi, other.hi), self.nan or other.nan)


def folded(expr: Expr) -> int | None:
    """The value of an integer data expression that does not depend on data; None if it does, or is not of integer type."""
    typ = expr.type
    if not (isinstance(typ, ScalarType) and typ.is_int):
        return None
    match expr:
        case Literal(value=value):
            return int(value)
        case UnaryMinus(arg=arg):
            inner = folded(arg)
            return None if inner is None else reduced(-inner, typ)
        case Cast(arg=arg):
            inner = folded(arg)
            return None if inner is None else reduced(inner, typ)
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            result = _binary(op, folded(lhs), folded(rhs), typ)
            return None if result is None else reduced(result, typ)
        case Read() | ExternCall() | WindowExpr() | StrideExpr() | ReadConfig():
            return None


def _binary(op: str, a: int | None, b: int | None, typ: ScalarType) -> int | None:
    """One operation, where both operands are known or one alone decides."""
    if op in ("/", "%") and b == 0:
        return 0
    if (op in ("*", "&") and 0 in (a, b)) or (op == "%" and b == 1):
        return 0
    if a is None or b is None:
        return None
    if op in ("<<", ">>"):
        amount = min(b % (1 << typ.bits), typ.bits)
        return a << amount if op == "<<" else a >> amount
    return _OPERATIONS[op](a, b)


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


def reduced(value: int, scalar: ScalarType) -> int:
    """value modulo 2^N, as the representative of the type."""
    value %= 1 << scalar.bits
    return value - (1 << scalar.bits) if scalar.signed and value >= 1 << (scalar.bits - 1) else value
