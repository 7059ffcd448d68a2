"""How an index goes with the lanes: `x[i]`, `x[2 * i + 1]`, `x[n - 1 - i]`, `x[i / 2]`, `x[min(max(i - 1, 0), n - 1)]`.

Two accesses of one kind differ in what all lanes share: an offset, limits. So an access of an instruction's body and one of a
loop are compared by their kinds before `replace` looks for the window that makes them equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from usl_core import Procedure
from usl_core.cursors import BinaryOpCursor, ExternFunctionCursor, LiteralCursor, StrideExprCursor, UnaryMinusCursor
from usl_core.inspect import assertions
from usl_core.ir.types import ControlType

Varies = Callable[[Any], bool]
"""Whether an expression is another in each lane."""

Kind = int | str
"""The factor of the lane's number in an index; other forms as a text in which `i` is the lane and `_` what all lanes share."""


@dataclass(frozen=True, slots=True)
class LaneIndex:
    """The kind of an access to memory, and the data that its indices clamp, in the order of the text.

    apart: the lane is in a dimension before the last, so that neighbours are a row apart, or however far their stride says.
    """

    kind: Kind
    apart: bool
    data: tuple[Any, ...]

    @property
    def unit(self) -> bool:
        """Whether lanes that are neighbours access neighbours in memory."""
        return self.kind == 1 and not self.apart

    def serves(self, other: LaneIndex) -> bool:
        """Whether an instruction that accesses memory so may do it for a loop that does as other says."""
        if self.kind != other.kind or len(self.data) != len(other.data):
            return False
        return self.apart or not other.apart or self.kind not in (1, -1)


def lane_index(idx: Sequence[Any], varies: Varies) -> LaneIndex | None:
    """How the indices of an access go with the lanes; None if no lane is in them."""
    found = [dim for dim, each in enumerate(idx) if varies(each)]
    if not found:
        return None
    data: list[Any] = []
    kinds = [_kind(idx[dim], varies, data) for dim in found]
    kind = kinds[0] if len(kinds) == 1 else ", ".join(map(str, kinds))
    return LaneIndex(kind, found[-1] < len(idx) - 1, tuple(data))


class Distance(IntEnum):
    """How far apart in memory an instruction takes the elements along the last dimension of a formal; the best comes first."""

    ONE = 0
    GIVEN = 1
    ANY = 2


def distance(instruction: Procedure, name: str) -> Distance:
    """What an instruction asserts of the last stride of a formal with one dimension."""
    asserted = [value for each in assertions(instruction) for value in _strides(each, name)]
    if not asserted:
        return Distance.ANY
    return Distance.ONE if 1 in asserted else Distance.GIVEN


def _strides(cond: Any, name: str) -> Iterator[Any]:
    """The numbers that strides of a formal are said to be."""
    if not isinstance(cond, BinaryOpCursor):
        return
    left, right = cond.lhs(), cond.rhs()
    if cond.op() == "and":
        yield from _strides(left, name)
        yield from _strides(right, name)
    elif cond.op() == "==" and isinstance(left, StrideExprCursor) and left.name() == name:
        yield right.value() if isinstance(right, LiteralCursor) else None


def control_kind(expr: Any, varies: Varies) -> Kind | None:
    """How a control value that is cast to data goes with the lanes; None if it is the same in all."""
    return _kind(expr, varies, []) if varies(expr) else None


def _kind(expr: Any, varies: Varies, data: list[Any]) -> Kind:
    if not varies(expr):
        return "_"
    match expr:
        case BinaryOpCursor():
            return _operation(expr, varies, data)
        case UnaryMinusCursor():
            inner = _kind(expr.arg(), varies, data)
            return -inner if isinstance(inner, int) else f"-({inner})"
        case ExternFunctionCursor() if expr.name() == "idx":
            data.append(expr.args()[0])
            return "idx"
        case ExternFunctionCursor():
            return f"{expr.name()}({', '.join(sorted(str(_kind(each, varies, data)) for each in expr.args()))})"
        case _:
            return 1 if isinstance(expr.type(), ControlType) else "data"


def _operation(expr: Any, varies: Varies, data: list[Any]) -> Kind:
    op, sides = expr.op(), (expr.lhs(), expr.rhs())
    left, right = (_kind(each, varies, data) for each in sides)
    if op in ("+", "-"):
        sign = -1 if op == "-" else 1
        if left == "_":
            return sign * right if isinstance(right, int) else right if sign == 1 else f"-({right})"
        if right == "_":
            return left
        return left + sign * right if isinstance(left, int) and isinstance(right, int) else f"{left} {op} {right}"
    if op == "*":
        for kind, factor in ((left, sides[1]), (right, sides[0])):
            if isinstance(kind, int) and isinstance(factor, LiteralCursor):
                return kind * int(factor.value())
    if op in ("/", "%") and isinstance(sides[1], LiteralCursor):
        return f"({left}) {op} {sides[1].value()}"
    return f"{left} {op} {right}"
