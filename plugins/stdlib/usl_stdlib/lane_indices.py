"""How an index goes with the lanes: `x[i]`, `x[2 * i + 1]`, `x[n - 1 - i]`, `x[i / 2]`, `x[min(max(i - 1, 0), n - 1)]`.

Two accesses of one kind differ in what all lanes share: an offset, limits. So an access of an instruction's body and one of a
loop are compared by their kinds before `replace` looks for the window that makes them equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from usl_core import Procedure
from usl_core.cursors import (
    AllocCursor,
    ArgCursor,
    BinaryOpCursor,
    ExternFunctionCursor,
    LiteralCursor,
    StrideExprCursor,
    UnaryMinusCursor,
)
from usl_core.inspect import assertions
from usl_core.ir.types import ControlType

Varies = Callable[[Any], bool]
"""Whether an expression is another in each lane."""

Kind = int | str
"""The factor of the lane's number in an index; other forms as a text in which `i` is the lane and `_` what all lanes share."""


@dataclass(frozen=True, slots=True)
class LaneIndex:
    """The kind of an access to memory, and the data that its indices clamp, in the order of the text.

    stride: how far apart in memory the elements are that follow each other in the dimension that goes with the lanes; None
    where that is not known, and of an instruction that takes any distance. last: it is the last dimension.
    """

    kind: Kind
    stride: int | None
    last: bool
    data: tuple[Any, ...]

    def serves(self, other: LaneIndex) -> bool:
        """Whether an instruction that accesses memory so may do it for a loop that does as other says."""
        if self.kind != other.kind or len(self.data) != len(other.data):
            return False
        # A part of a buffer whose strides nothing is known of may be dense: `replace` asks for the proof.
        return self.stride is None or self.stride == (1 if other.stride is None and other.last else other.stride)


def lane_index(idx: Sequence[Any], varies: Varies, stride: Callable[[int], int | None]) -> LaneIndex | None:
    """How the indices of an access go with the lanes; None if no lane is in them. stride is that of a dimension."""
    found = [dim for dim, each in enumerate(idx) if varies(each)]
    if not found:
        return None
    data: list[Any] = []
    kinds = [_kind(idx[dim], varies, data) for dim in found]
    kind = kinds[0] if len(kinds) == 1 else ", ".join(map(str, kinds))
    return LaneIndex(kind, stride(found[-1]), found[-1] == len(idx) - 1, tuple(data))


def known_stride(buffer: AllocCursor | ArgCursor | Any, dim: int) -> int | None:
    """The stride of a dimension of a buffer as far as its extents, or assertions about a window formal, say it by a number."""
    if not isinstance(buffer, AllocCursor | ArgCursor):
        return None
    if getattr(buffer.node.type, "window", False):
        return asserted_stride(buffer.proc(), buffer.name(), dim)
    later = buffer.shape()[dim + 1 :]
    extents = [int(str(each.value())) for each in later if isinstance(each, LiteralCursor)]
    return prod(extents) if len(extents) == len(later) else None


def asserted_stride(proc: Procedure, name: str, dim: int) -> int | None:
    """The number that a procedure asserts of a stride of a formal; None if it asserts none."""
    return next((value for each in assertions(proc) for value in _strides(each, name, dim)), None)


def _strides(cond: Any, name: str, dim: int) -> Iterator[int]:
    """The numbers that a stride of a formal is said to be."""
    if not isinstance(cond, BinaryOpCursor):
        return
    left, right = cond.lhs(), cond.rhs()
    named = isinstance(left, StrideExprCursor) and left.name() == name and left.dim() == dim
    if cond.op() == "and":
        yield from _strides(left, name, dim)
        yield from _strides(right, name, dim)
    elif cond.op() == "==" and named and isinstance(right, LiteralCursor):
        yield int(str(right.value()))


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
