"""How an expression is cut into vector operations: rules that say what has to be in a register before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from usl_core.arguments import checked
from usl_core.cursors import (
    AllocCursor,
    ArgCursor,
    AssignCursor,
    BinaryOpCursor,
    CastCursor,
    ExternFunctionCursor,
    LiteralCursor,
    ReadCursor,
    ReduceCursor,
    UnaryMinusCursor,
)
from usl_core.ir.memory import DRAM, MemoryClass
from usl_stdlib.expressions import binder, mentions, window_text
from usl_stdlib.inspection import walk
from usl_stdlib.lane_indices import LaneIndex, known_stride, lane_index


@dataclass(frozen=True, slots=True)
class Lanes:
    """Where code stands: the loop over the lanes, and for the scalars that become registers of it, the memories."""

    loop: str
    registers: Mapping[str, MemoryClass]
    target: str = ""
    """The location that is written, as text; none for a new register."""
    buffers: dict[Any, Any] = field(default_factory=dict)
    """Where the buffers are declared that have been asked about: a search through the statements before an access each."""

    def writing(self, write: Any | None) -> Lanes:
        """The same place, for a write."""
        return replace(self, target="" if write is None else window_text(write.name(), write.idx()))

    def memory(self, expr: Any) -> MemoryClass | None:
        """The memory of the lane that an expression reads or a statement writes; None if it is none."""
        if not isinstance(expr, ReadCursor | AssignCursor | ReduceCursor):
            return None
        if expr.name() in self.registers:
            return self.registers[expr.name()]
        idx = expr.idx()
        if not any(map(self.varies, idx)):
            return None
        found = self._binder(expr)
        memory = found.mem() if isinstance(found, AllocCursor | ArgCursor) else DRAM
        in_order = self.varies(idx[-1]) and not any(map(self.varies, idx[:-1]))
        return memory if in_order or (memory is not None and memory.addressable) else None

    def _binder(self, access: Any) -> Any:
        symbol = access.node.name
        if symbol not in self.buffers:
            self.buffers[symbol] = binder(access, access.name())
        return self.buffers[symbol]

    def varies(self, expr: Any) -> bool:
        """Whether a part of a right side or an index may be another in each lane."""
        return mentions(expr, self.loop) or any(each.name() in self.registers for each in walk(expr, ReadCursor))

    def index(self, access: Any) -> LaneIndex | None:
        """How the indices of an access go with the lanes; None if no lane is in them."""
        buffer = self._binder(access)
        return lane_index(access.idx(), self.varies, lambda dim: known_stride(buffer, dim))

    def same_in_all(self, expr: Any) -> bool:
        """Whether all lanes read one value: a literal, or an element that does not depend on the lane."""
        return isinstance(expr, LiteralCursor) or (isinstance(expr, ReadCursor) and not self.varies(expr))


@dataclass(frozen=True, slots=True)
class Cut:
    """How a write becomes an instruction: `operands` are computed before, each in its memory (None: the default one).

    commute: operations whose operands are swapped first. split: the write of a sum becomes two, of its terms. target: work on
    a copy of the target in this memory.
    """

    operands: tuple[tuple[Any, MemoryClass | None], ...] = ()
    commute: tuple[Any, ...] = ()
    split: bool = False
    target: MemoryClass | None = None


Rule = Callable[[Any, Lanes], Cut | None]
"""Given a write in a loop over lanes, how to cut it, or None if the rule does not know."""


@checked
def fma_rule(write: AssignCursor | ReduceCursor, lanes: Lanes) -> Cut | None:
    """A multiply-add is one operation: `y += a * b` needs a and b, and `y = c + a * b` becomes `y = c` and `y += a * b`."""
    rhs = write.rhs()
    if not isinstance(rhs, BinaryOpCursor) or in_memory(write, lanes):
        return None
    if isinstance(write, ReduceCursor) and write.op() != "+":
        return None
    if isinstance(write, ReduceCursor) and rhs.op() == "*":
        return Cut(((rhs.lhs(), None), (rhs.rhs(), None)))
    if rhs.op() != "+":
        return None
    if _is_product(rhs.rhs()):
        return Cut(split=True)
    return Cut(split=True, commute=(rhs,)) if _is_product(rhs.lhs()) else None


def _is_product(expr: Any) -> bool:
    return isinstance(expr, BinaryOpCursor) and expr.op() == "*"


@checked
def select_rule(write: AssignCursor | ReduceCursor, lanes: Lanes) -> Cut | None:
    """`y = select(a, b, x, z)` compares and blends in one operation on four registers."""
    return _function(write, lanes, "select")


@checked
def abs_rule(write: AssignCursor | ReduceCursor, lanes: Lanes) -> Cut | None:
    """`y = abs(x)` is one operation on x."""
    return _function(write, lanes, "abs")


def _function(write: Any, lanes: Lanes, name: str) -> Cut | None:
    rhs = write.rhs()
    if not isinstance(write, AssignCursor) or not isinstance(rhs, ExternFunctionCursor) or rhs.name() != name:
        return None
    return None if in_memory(write, lanes) else Cut(tuple([(arg, None) for arg in rhs.args()]))


def any_rule(write: Any, lanes: Lanes) -> Cut | None:
    """Every operation by itself, from registers to a register; memory is only loaded and stored."""
    rhs = write.rhs()
    if in_memory(write, lanes):
        return Cut(target=_DEFAULT) if isinstance(write, ReduceCursor) else Cut(((rhs, None),))
    if isinstance(write, ReduceCursor):
        return Cut(((rhs, None),))
    match rhs:
        case BinaryOpCursor():
            return Cut(((rhs.lhs(), None), (rhs.rhs(), None)))
        case UnaryMinusCursor() | CastCursor():
            return Cut(((rhs.arg(), None),))
        case ExternFunctionCursor():
            return Cut(tuple([(arg, None) for arg in rhs.args()]))
        case _:
            return Cut()


class _DEFAULT(DRAM):
    """Stands for the default memory in a cut."""

    name = "default"


def default_memory(memory: MemoryClass | None) -> bool:
    """Whether a cut leaves the memory open."""
    return memory is None or memory is _DEFAULT


@checked
def in_memory(write: AssignCursor | ReduceCursor | ReadCursor, lanes: Lanes) -> bool:
    """Whether a write, or the read of an element, goes to plain memory."""
    return write.name() not in lanes.registers and lanes.memory(write) in (None, DRAM)
