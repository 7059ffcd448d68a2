"""Choosing vector instructions for an expression: how to cut it into pieces, each of which one instruction computes.

The pieces are read from the instructions' bodies. A cut says what has to be in a register before the last piece is computed;
the cheapest is found by dynamic programming over the expression, where an instruction counts 1 for each operand in memory and
1 for its operation.
Reference: Aho, Lam, Sethi, Ullman 2006, Compilers, §8.11 (optimal code for expression trees).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from usl_core import Procedure
from usl_core.cursors import (
    ArgCursor,
    AssignCursor,
    BinaryOpCursor,
    CastCursor,
    ExternFunctionCursor,
    ForCursor,
    IfCursor,
    LiteralCursor,
    ReadCursor,
    ReduceCursor,
    UnaryMinusCursor,
)
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.types import ControlType, ScalarType
from usl_stdlib.expressions import mentions, text, window_text
from usl_stdlib.inspection import walk
from usl_stdlib.lane_indices import Kind, LaneIndex, control_kind, lane_index, takes_distances
from usl_stdlib.rules import Cut, Lanes


@dataclass(frozen=True, slots=True)
class Shape:
    """What an instruction with one statement computes: `dst[i] = rhs` or a reduction in each lane, or in those below n."""

    instruction: Procedure
    write: Any
    iterator: str
    masked: bool
    formals: Mapping[str, ArgCursor]
    any_distance: frozenset[str]
    """The formals of which the elements for neighbouring lanes need not be neighbours."""

    @property
    def target(self) -> ArgCursor:
        """The formal that it writes."""
        return self.formals[self.write.name()]

    @property
    def cost(self) -> int:
        """How much the processor has to do: a load or store for each operand in memory, and one operation."""
        reduces = isinstance(self.write, ReduceCursor)
        in_memory = [formal for formal in self.formals.values() if formal.is_tensor() and formal.mem() is DRAM]
        moves = len(in_memory) + int(reduces and self.target in in_memory)
        computes = reduces or not isinstance(self.write.rhs(), ReadCursor | LiteralCursor)
        return max(1, moves + int(computes))

    def index(self, access: Any) -> LaneIndex | None:
        """How an access of its body goes with the lanes."""
        found = lane_index(access.idx(), self._varies)
        return found if found is None or access.name() not in self.any_distance else replace(found, apart=True)

    def control(self, expr: Any) -> Kind | None:
        """How a control value of its body goes with the lanes."""
        return control_kind(expr, self._varies)

    def _varies(self, expr: Any) -> bool:
        return mentions(expr, self.iterator)


def shapes(instructions: Iterable[Procedure], width: int, memories: Collection[MemoryClass]) -> list[Shape]:
    """The shapes of those instructions that work on width lanes, one statement in a loop, in memories and DRAM only."""
    found = [shape for each in instructions for shape in _shape(each, width)]
    return [shape for shape in found if all(f.mem() in (None, DRAM, *memories) for f in shape.formals.values())]


def lanes_of(instruction: Procedure) -> int | None:
    """The number of lanes of an instruction whose body is a loop over them around one statement."""
    body = list(instruction.body())
    loop = body[0]
    if len(body) != 1 or not isinstance(loop, ForCursor) or len(loop.body()) != 1:
        return None
    hi = loop.hi()
    return int(hi.value()) if isinstance(hi, LiteralCursor) else None


def _shape(instruction: Procedure, width: int) -> Iterator[Shape]:
    if lanes_of(instruction) != width:
        return
    loop: Any = instruction.body()[0]
    write, masked = loop.body()[0], False
    if isinstance(write, IfCursor) and len(write.body()) == 1 and not write.orelse():
        write, masked = write.body()[0], True
    formals = {arg.name(): arg for arg in instruction.args()}
    if not isinstance(write, AssignCursor | ReduceCursor) or write.name() not in formals:
        return
    in_memory = formals[write.name()].mem() is DRAM
    if _is_lane(write, loop.name()) or (in_memory and any(mentions(each, loop.name()) for each in write.idx())):
        tensors = [name for name, formal in formals.items() if formal.is_tensor() and formal.mem() is DRAM]
        apart = frozenset(name for name in tensors if takes_distances(instruction, name))
        yield Shape(instruction, write, loop.name(), masked, formals, apart)


def _operation(write: Any) -> str:
    """The operation of a reduction; nothing for an assignment."""
    return write.op() if isinstance(write, ReduceCursor) else ""


def _is_lane(access: Any, iterator: str) -> bool:
    idx = access.idx()
    return len(idx) == 1 and isinstance(idx[0], ReadCursor) and idx[0].name() == iterator


@dataclass
class Selection:
    """The rule that a list of instructions makes: the cut of a write with the fewest instructions in all."""

    shapes: Sequence[Shape]
    _costs: dict[tuple[str, str, Any], float] = field(default_factory=dict)

    def __call__(self, write: Any, lanes: Lanes) -> Cut | None:
        self._costs.clear()
        cost, cut = min(self._ways(write, lanes), key=lambda way: way[0], default=(inf, None))
        return cut if cost < inf else None

    def fitting(self, write: Any, lanes: Lanes) -> list[Procedure]:
        """The instructions that compute a write as it stands."""
        memory, lanes = lanes.memory(write), lanes.writing(write)
        if memory is None:
            return []
        found = [
            shape
            for shape in self.shapes
            if _operation(shape.write) == _operation(write) and _writes(shape, write, memory, lanes)
            if any(not found.operands and not found.commute for found in _match(shape, shape.write.rhs(), write.rhs(), lanes))
        ]
        return [shape.instruction for shape in sorted(found, key=lambda shape: bool(shape.any_distance))]

    def missing(self, write: Any, lanes: Lanes) -> str:
        """Why there is no cut: the part of the right side that no combination computes, or else the way that it is written."""
        part = self._beyond(write.rhs(), lanes)
        if part is not None:
            return f"no combination of the given instructions computes `{text(part)}`"
        return f"no given instruction writes so to `{window_text(write.name(), write.idx())}`"

    def _beyond(self, expr: Any, lanes: Lanes) -> Any:
        """The innermost part of an expression that no combination computes, or None."""
        for part in reversed(list(walk(expr))):
            if isinstance(part.type(), ScalarType):
                homes = {s.target.mem() for s in self.shapes if s.target.type() == part.type()} - {DRAM, None}
                if all(self._value(part, home, lanes) == inf for home in homes if home is not None):
                    return part
        return None

    def _ways(self, write: Any, lanes: Lanes) -> Iterator[tuple[float, Cut]]:
        op, rhs, memory = _operation(write), write.rhs(), lanes.memory(write)
        if memory is None:
            return
        lanes = lanes.writing(write)
        yield from self._pieces(rhs, op, memory, lanes, write)
        if memory is not DRAM:
            yield from self._split(rhs, op, memory, lanes)
        elif op:
            for register in self._homes(write.type(), op):
                inner = min((cost for cost, _ in self._pieces(rhs, op, register, lanes)), default=inf)
                yield inner + 2, Cut(target=register)

    def _pieces(self, rhs: Any, op: str, memory: MemoryClass, lanes: Lanes, write: Any = None) -> Iterator[tuple[float, Cut]]:
        """The ways to compute rhs into memory, to where write does, by one instruction, after its operands."""
        for shape in self.shapes:
            if _operation(shape.write) == op and _writes(shape, write, memory, lanes):
                for found in _match(shape, shape.write.rhs(), rhs, lanes):
                    cost = shape.cost + sum(self._value(each, wanted, lanes) for each, wanted in found.operands)
                    yield cost, Cut(tuple(found.operands), tuple(found.commute))

    def _split(self, rhs: Any, op: str, memory: MemoryClass, lanes: Lanes) -> Iterator[tuple[float, Cut]]:
        """The ways to compute a sum in two steps."""
        if op not in ("", "+") or not isinstance(rhs, BinaryOpCursor) or rhs.op() not in ("+", "-"):
            return
        orders = [(rhs.lhs(), rhs.rhs(), ())] + ([(rhs.rhs(), rhs.lhs(), (rhs,))] if rhs.op() == "+" else [])
        for first, second, swapped in orders:
            start = self._best(first, op, memory, lanes)
            if start < inf:
                yield start + self._added(second, rhs.op() == "-", memory, lanes), Cut(commute=swapped, split=True)

    def _added(self, term: Any, negated: bool, memory: MemoryClass, lanes: Lanes) -> float:
        """The cost of `+= term` or `+= -term`."""
        best = inf if negated else self._best(term, "+", memory, lanes)
        for shape in self.shapes:
            pattern = shape.write.rhs()
            if negated and _operation(shape.write) == "+" and isinstance(pattern, UnaryMinusCursor):
                if not _holds(shape.target, memory):
                    continue
                for found in _match(shape, pattern.arg(), term, lanes):
                    best = min(best, shape.cost + sum(self._value(each, wanted, lanes) for each, wanted in found.operands))
        return best

    def _best(self, rhs: Any, op: str, memory: MemoryClass, lanes: Lanes) -> float:
        ways = [*self._pieces(rhs, op, memory, lanes), *self._split(rhs, op, memory, lanes)]
        return min((cost for cost, _ in ways), default=inf)

    def _value(self, expr: Any, memory: MemoryClass, lanes: Lanes) -> float:
        """The fewest instructions that put an expression into a register."""
        lanes = lanes.writing(None)
        key = (text(expr), str(expr.type()), memory)
        if key not in self._costs:
            self._costs[key] = inf  # an operand that is the expression itself leads nowhere
            self._costs[key] = self._best(expr, "", memory, lanes)
        return self._costs[key]

    def _homes(self, typ: Any, op: str) -> list[MemoryClass]:
        """The memories that the instructions reduce in by op."""
        found = [s.target.mem() for s in self.shapes if _operation(s.write) == op and s.target.type() == typ]
        return list(dict.fromkeys(mem for mem in found if mem is not None and mem is not DRAM))


@dataclass
class _Found:
    """Operands that must be in registers, and operations to commute."""

    operands: list[tuple[Any, MemoryClass]]
    commute: list[Any]


def _match(shape: Shape, pattern: Any, expr: Any, lanes: Lanes) -> Iterator[_Found]:
    """The ways in which an instruction's expression computes expr."""
    if pattern.type() != expr.type():
        return
    match pattern:
        case ReadCursor() if pattern.name() in shape.formals:
            yield from _leaf(shape, pattern, expr, lanes)
        case LiteralCursor():
            if isinstance(expr, LiteralCursor) and expr.value() == pattern.value():
                yield _Found([], [])
        case BinaryOpCursor():
            if isinstance(expr, BinaryOpCursor) and expr.op() == pattern.op():
                yield from _all(shape, (pattern.lhs(), pattern.rhs()), (expr.lhs(), expr.rhs()), lanes)
                if expr.op() in ("+", "*"):
                    for found in _all(shape, (pattern.lhs(), pattern.rhs()), (expr.rhs(), expr.lhs()), lanes):
                        yield _Found(found.operands, [*found.commute, expr])
        case CastCursor() if isinstance(pattern.arg().type(), ControlType):
            if isinstance(expr, CastCursor) and isinstance(expr.arg().type(), ControlType):
                kind = control_kind(expr.arg(), lanes.varies)
                if kind is not None and kind == shape.control(pattern.arg()):
                    yield _Found([], [])
        case UnaryMinusCursor() | CastCursor():
            if type(expr) is type(pattern):
                yield from _match(shape, pattern.arg(), expr.arg(), lanes)
        case ExternFunctionCursor():
            if isinstance(expr, ExternFunctionCursor) and expr.name() == pattern.name():
                yield from _all(shape, pattern.args(), expr.args(), lanes)
        case _:
            return


def _all(shape: Shape, patterns: Sequence[Any], exprs: Sequence[Any], lanes: Lanes) -> Iterator[_Found]:
    """The ways to match several at once; a formal that occurs twice stands for equal expressions."""
    if not patterns:
        yield _Found([], [])
        return
    for first in _match(shape, patterns[0], exprs[0], lanes):
        for rest in _all(shape, patterns[1:], exprs[1:], lanes):
            yield _Found([*first.operands, *rest.operands], [*first.commute, *rest.commute])


def _leaf(shape: Shape, pattern: ReadCursor, expr: Any, lanes: Lanes) -> Iterator[_Found]:
    """An operand of the instruction: one value for all lanes, lanes in memory, or lanes in a register."""
    formal = shape.formals[pattern.name()]
    if not pattern.idx():
        if lanes.same_in_all(expr):
            yield _Found([], [])
        return
    memory = lanes.memory(expr)
    if memory is not None and _holds(formal, memory) and (text(expr) != lanes.target or _may_alias(shape, formal)):
        yield from [_Found([], [])] if formal.mem() is not DRAM else _element(shape, pattern, expr, lanes)
    elif formal.mem() is not DRAM and _is_lane(pattern, shape.iterator):
        wanted = formal.mem()
        assert wanted is not None
        yield _Found([(expr, wanted)], [])


def _element(shape: Shape, pattern: ReadCursor, expr: Any, lanes: Lanes) -> Iterator[_Found]:
    """The ways in which an instruction reads the elements of memory that expr does; data in indices may be in registers."""
    mine, wanted = shape.index(pattern), lanes.index(expr)
    if mine is not None and wanted is not None and mine.serves(wanted):
        yield from _all(shape, mine.data, wanted.data, lanes)


def _writes(shape: Shape, write: Any, memory: MemoryClass, lanes: Lanes) -> bool:
    """Whether an instruction writes to a memory, and there to the elements that write does, if that is not a register."""
    if not _holds(shape.target, memory):
        return False
    if memory is not DRAM or write is None:
        return True
    mine, wanted = shape.index(shape.write), lanes.index(write)
    return mine is not None and wanted is not None and mine.serves(wanted)


def _may_alias(shape: Shape, formal: ArgCursor) -> bool:
    """Whether an instruction may read the register that it writes."""
    return {formal.name(), shape.target.name()} <= set(shape.instruction.ir.aliasable)


def _holds(formal: ArgCursor, memory: MemoryClass) -> bool:
    """Whether a buffer in memory can be passed for a formal."""
    wanted = formal.mem()
    return wanted is not None and issubclass(memory, wanted)
