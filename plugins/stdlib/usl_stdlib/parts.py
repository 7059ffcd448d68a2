"""Expressions as the choice of instructions sees them: what is the same for code and for an instruction's body, read once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from usl_core.cursors import (
    ArgCursor,
    BinaryOpCursor,
    CastCursor,
    ExternFunctionCursor,
    LiteralCursor,
    ReadCursor,
    UnaryMinusCursor,
)
from usl_core.ir.memory import MemoryClass
from usl_core.ir.types import ControlType
from usl_stdlib.expressions import text
from usl_stdlib.lane_indices import LaneIndex, control_kind
from usl_stdlib.rules import Lanes

READ = ("read",)
COMMUTATIVE = (("+",), ("*",))


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """An expression, at its cursor.

    head: what is done, `("+",)`, `("min",)`, `("literal", 3)`, READ; equal heads with equal parts are one operation. parts: the
    operands; of a read, the data that its indices clamp. memory and index: of a read that is another one in each lane. same:
    it is one value for all lanes.
    """

    at: Any
    text: str
    head: tuple[Any, ...]
    type: Any
    parts: tuple[Part, ...] = ()
    memory: MemoryClass | None = None
    index: LaneIndex | None = None
    same: bool = False
    name: str = ""
    """The buffer of a read."""


Reading = Callable[[ReadCursor], tuple[MemoryClass | None, LaneIndex | None, bool]]
"""The memory and index of a read, and whether it is the same in all lanes."""


def part_of_code(expr: Any, lanes: Lanes) -> Part:
    """An expression of code in a loop over lanes."""

    def reading(read: ReadCursor) -> tuple[MemoryClass | None, LaneIndex | None, bool]:
        memory = lanes.memory(read)
        return memory, None if memory is None else lanes.index(read), lanes.same_in_all(read)

    return _part(expr, reading, lanes.varies)


def part_of_body(
    expr: Any, formals: Mapping[str, ArgCursor], index: Callable[[Any], LaneIndex | None], varies: Callable[[Any], bool]
) -> Part:
    """An expression of an instruction's body. A formal that is no buffer has no memory and stands for one value."""

    def reading(read: ReadCursor) -> tuple[MemoryClass | None, LaneIndex | None, bool]:
        formal = formals.get(read.name())
        if formal is None or not read.idx():
            return None, None, True
        return formal.mem(), index(read), False

    return _part(expr, reading, varies)


def _part(expr: Any, reading: Reading, varies: Callable[[Any], bool]) -> Part:
    shown, typ = text(expr), expr.type()

    def made(head: tuple[Any, ...], *operands: Any, same: bool = False) -> Part:
        return Part(expr, shown, head, typ, tuple([_part(each, reading, varies) for each in operands]), same=same)

    match expr:
        case LiteralCursor():
            return made(("literal", expr.value()), same=True)
        case ReadCursor():
            memory, index, same = reading(expr)
            data = () if index is None else tuple([_part(each, reading, varies) for each in index.data])
            return Part(expr, shown, READ, typ, data, memory, index, same, expr.name())
        case BinaryOpCursor():
            return made((expr.op(),), expr.lhs(), expr.rhs())
        case UnaryMinusCursor():
            return made(("negative",), expr.arg())
        case CastCursor() if isinstance(expr.arg().type(), ControlType):
            return made(("lane", control_kind(expr.arg(), varies)))
        case CastCursor():
            return made(("cast",), expr.arg())
        case ExternFunctionCursor():
            return made((expr.name(),), *expr.args())
        case _:
            return made((type(expr).__name__, shown))
