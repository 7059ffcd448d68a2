"""Tests of remainders by powers of two that decide each other (`j % 4 == 0 and j % 2 != 0` never holds), or are decided.

gcc sees that too, as tests of bits, and warns of it whatever the flags are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from usl_core.ir import externs
from usl_core.ir.nodes import BinaryOp, Expr, ExternCall, Literal
from usl_core.ir.traverse import same_expr
from usl_core.ir.types import B8

_Bits = tuple[Expr, int, int]
"""Where `e & mask` is `value`: e, mask, value."""


def decided(op: str, lhs: Expr, rhs: Expr) -> bool | None:
    """Whether `lhs op rhs` holds, for `and` and `or` (`&` and `|` of truth values), if tests of remainders in it say that."""
    holds = op in ("and", "&")
    known = [bits for side in (lhs, rhs) for each in _parts(op, side) if (bits := _bits(each, holds)) is not None]
    for (a, mask, value), (b, other, wanted) in combinations(known, 2):
        if (value ^ wanted) & mask & other and same_expr(a, b):
            return not holds
    return None


def never(lhs: Expr, rhs: Expr) -> bool:
    """Whether `lhs == rhs` never holds, as no remainder is such a number."""
    if isinstance(lhs, Literal):
        lhs, rhs = rhs, lhs
    if not (isinstance(lhs, BinaryOp) and lhs.op == "%" and isinstance(lhs.rhs, Literal) and isinstance(rhs, Literal)):
        return False
    divisor, value = lhs.rhs.value, rhs.value
    return isinstance(divisor, int) and divisor > 0 and not 0 <= value < divisor


def _parts(op: str, expr: Expr) -> Iterator[Expr]:
    if isinstance(expr, BinaryOp) and expr.op == op:
        yield from _parts(op, expr.lhs)
        yield from _parts(op, expr.rhs)
    else:
        yield expr


def _bits(test: Expr, holds: bool) -> _Bits | None:
    """The bits that a test, or its opposite, fixes."""
    if isinstance(test, BinaryOp) and test.op == "^" and test.type == B8 and isinstance(test.rhs, Literal) and test.rhs.value:
        return _bits(test.lhs, not holds)
    if isinstance(test, BinaryOp) and test.op in ("==", "!="):
        lhs, rhs, equal = test.lhs, test.rhs, (test.op == "==") is holds
    elif isinstance(test, ExternCall) and test.fn is externs.EQUAL:
        (lhs, rhs), equal = test.args, holds
    else:
        return None
    if isinstance(lhs, Literal):
        lhs, rhs = rhs, lhs
    match lhs, rhs:
        case BinaryOp(op="%", lhs=dividend, rhs=Literal(value=int() as divisor)), Literal(value=int() as value):
            pass
        case _:
            return None
    if divisor < 1 or divisor & (divisor - 1) or not 0 <= value < divisor or not (equal or divisor == 2):
        return None
    return dividend, divisor - 1, value if equal else 1 - value
