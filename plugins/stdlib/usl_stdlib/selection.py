"""Choosing vector instructions for an expression: how to cut it into pieces, each of which one instruction computes.

The pieces are read from the instructions' bodies. A cut says what has to be in a register before the last piece is computed;
the cheapest is found by dynamic programming over the expression, where an instruction counts 1 for each operand in memory and
1 for its operation.
Reference: Aho, Lam, Sethi, Ullman 2006, Compilers, §8.11 (optimal code for expression trees).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Any
from weakref import WeakKeyDictionary

from usl_core import Procedure
from usl_core.cursors import ArgCursor, AssignCursor, ForCursor, IfCursor, LiteralCursor, ReadCursor, ReduceCursor
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.types import ScalarType
from usl_stdlib.expressions import mentions, window_text
from usl_stdlib.lane_indices import LaneIndex, asserted_stride, lane_index
from usl_stdlib.parts import COMMUTATIVE, READ, Part, part_of_body, part_of_code
from usl_stdlib.rules import Cut, Lanes


@dataclass(frozen=True, eq=False)
class Shape:
    """What an instruction with one statement computes: `dst[i] = rhs` or a reduction in each lane, or in those below n."""

    instruction: Procedure
    write: Any
    iterator: str
    masked: bool
    formals: Mapping[str, ArgCursor]
    strides: Mapping[str, int | None]
    """The last stride of each formal in memory as it is asserted; None for any."""

    @cached_property
    def target(self) -> ArgCursor:
        """The formal that it writes."""
        return self.formals[self.write.name()]

    @cached_property
    def op(self) -> str:
        """The operation of a reduction; nothing for an assignment."""
        return _operation(self.write)

    @cached_property
    def home(self) -> MemoryClass | None:
        """The memory that it writes to."""
        return self.target.mem()

    @cached_property
    def rhs(self) -> Part:
        """What it computes."""
        return part_of_body(self.write.rhs(), self.formals, self.index, self._varies)

    @cached_property
    def written(self) -> LaneIndex | None:
        """How what it writes goes with the lanes."""
        return self.index(self.write)

    @cached_property
    def cost(self) -> int:
        """How much the processor has to do: a load or store for each operand in memory, and one operation."""
        in_memory = [formal for formal in self.formals.values() if formal.is_tensor() and formal.mem() is DRAM]
        moves = len(in_memory) + int(bool(self.op) and self.home is DRAM)
        computes = bool(self.op) or not isinstance(self.write.rhs(), ReadCursor | LiteralCursor)
        return max(1, moves + int(computes) + self.scattered)

    @property
    def scattered(self) -> int:
        """How many operands it takes element by element, however far apart these are."""
        return sum(stride is None for stride in self.strides.values())

    @cached_property
    def shared(self) -> frozenset[str]:
        """The registers that may be the one that it writes."""
        names = self.instruction.ir.aliasable
        return frozenset(names if self.target.name() in names else ())

    def index(self, access: Any) -> LaneIndex | None:
        """How an access of its body goes with the lanes."""
        return lane_index(access.idx(), self._varies, lambda dim: self.strides.get(access.name(), 1))

    def _varies(self, expr: Any) -> bool:
        return mentions(expr, self.iterator)


def shapes(instructions: Iterable[Procedure], width: int, memories: Collection[MemoryClass]) -> list[Shape]:
    """The shapes of those instructions that work on width lanes, one statement in a loop, in memories and DRAM only."""
    found = [shape for each in instructions if lanes_of(each) == width and (shape := _shape(each)) is not None]
    return [shape for shape in found if all(f.mem() in (None, DRAM, *memories) for f in shape.formals.values())]


_LANES: WeakKeyDictionary[Procedure, int | None] = WeakKeyDictionary()
_SHAPES: WeakKeyDictionary[Procedure, Shape | None] = WeakKeyDictionary()
"""By instruction: they are asked for again for each loop."""


def lanes_of(instruction: Procedure) -> int | None:
    """The number of lanes of an instruction whose body is a loop over them around one statement."""
    if instruction not in _LANES:
        body = list(instruction.body())
        loop = body[0]
        single = len(body) == 1 and isinstance(loop, ForCursor) and len(loop.body()) == 1
        hi = loop.hi() if single and isinstance(loop, ForCursor) else None
        _LANES[instruction] = int(hi.value()) if isinstance(hi, LiteralCursor) else None
    return _LANES[instruction]


def _shape(instruction: Procedure) -> Shape | None:
    if instruction not in _SHAPES:
        _SHAPES[instruction] = _read_shape(instruction)
    return _SHAPES[instruction]


def _read_shape(instruction: Procedure) -> Shape | None:
    loop: Any = instruction.body()[0]
    write, masked = loop.body()[0], False
    if isinstance(write, IfCursor) and len(write.body()) == 1 and not write.orelse():
        write, masked = write.body()[0], True
    formals = {arg.name(): arg for arg in instruction.args()}
    if not isinstance(write, AssignCursor | ReduceCursor) or write.name() not in formals:
        return None
    in_memory = formals[write.name()].mem() is DRAM
    if not _is_lane(write, loop.name()) and not (in_memory and any(mentions(each, loop.name()) for each in write.idx())):
        return None
    tensors = [(name, len(formal.shape())) for name, formal in formals.items() if formal.is_tensor() and formal.mem() is DRAM]
    strides = {name: asserted_stride(instruction, name, rank - 1) for name, rank in tensors}
    return Shape(instruction, write, loop.name(), masked, formals, strides)


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
    _in_place: dict[tuple[str, str, str, Any], float] = field(default_factory=dict)

    @cached_property
    def _by_head(self) -> dict[tuple[str, Any, tuple[Any, ...]], list[Shape]]:
        """The shapes by the operation of reductions, the type, and the head of what they compute."""
        found: dict[tuple[str, Any, tuple[Any, ...]], list[Shape]] = {}
        for shape in self.shapes:
            found.setdefault((shape.op, shape.rhs.type, shape.rhs.head), []).append(shape)
        return found

    def _like(self, part: Part, op: str) -> Iterator[Shape]:
        """The shapes that may compute a part, and reduce by op if there is one."""
        yield from self._by_head.get((op, part.type, part.head), ())
        if part.head != READ:
            yield from self._by_head.get((op, part.type, READ), ())

    def __call__(self, write: Any, lanes: Lanes) -> Cut | None:
        self._costs.clear()
        self._in_place.clear()
        cost, cut = min(self._ways(write, lanes), key=lambda way: way[0], default=(inf, None))
        return cut if cost < inf else None

    def fitting(self, write: Any, lanes: Lanes) -> list[Procedure]:
        """The instructions that compute a write as it stands, those for the nearest elements first."""
        memory, lanes = lanes.memory(write), lanes.writing(write)
        if memory is None:
            return []
        rhs, index = part_of_code(write.rhs(), lanes), lanes.index(write)
        found = [
            shape
            for shape in self._like(rhs, _operation(write))
            if _writes(shape, index, memory)
            and any(not found.operands and not found.commute for found in _match(shape, shape.rhs, rhs, lanes.target))
        ]
        return [shape.instruction for shape in sorted(found, key=lambda shape: shape.scattered)]

    def missing(self, write: Any, lanes: Lanes) -> str:
        """Why there is no cut: the part of the right side that no combination computes, or else the way that it is written."""
        part = self._beyond(part_of_code(write.rhs(), lanes))
        if part is not None:
            return f"no combination of the given instructions computes `{part.text}`"
        return f"no given instruction writes so to `{window_text(write.name(), write.idx())}`"

    def _beyond(self, part: Part) -> Part | None:
        """The innermost part of an expression that no combination computes, or None."""
        for each in part.parts[::-1]:
            found = self._beyond(each)
            if found is not None:
                return found
        if isinstance(part.type, ScalarType):
            homes = {s.home for s in self.shapes if s.target.type() == part.type} - {DRAM, None}
            if all(self._value(part, home) == inf for home in homes if home is not None):
                return part
        return None

    def _ways(self, write: Any, lanes: Lanes) -> Iterator[tuple[float, Cut]]:
        op, memory = _operation(write), lanes.memory(write)
        if memory is None:
            return
        lanes = lanes.writing(write)
        rhs, index = part_of_code(write.rhs(), lanes), lanes.index(write)
        yield from self._pieces(rhs, op, memory, lanes.target, index)
        if memory is not DRAM:
            yield from self._split(rhs, op, memory, lanes.target)
        elif op:
            for register in self._homes(write.type(), op):
                inner = min((cost for cost, _ in self._pieces(rhs, op, register, lanes.target)), default=inf)
                yield inner + 2, Cut(target=register)

    def _pieces(
        self, rhs: Part, op: str, memory: MemoryClass, target: str, index: LaneIndex | None = None
    ) -> Iterator[tuple[float, Cut]]:
        """The ways to compute rhs into memory, to where index says, by one instruction, after its operands."""
        for shape in self._like(rhs, op):
            if _writes(shape, index, memory):
                for found in _match(shape, shape.rhs, rhs, target):
                    cost = shape.cost + sum(self._value(each, wanted) for each, wanted in found.operands)
                    operands = tuple([(each.at, wanted) for each, wanted in found.operands])
                    yield cost, Cut(operands, tuple([each.at for each in found.commute]))

    def _split(self, rhs: Part, op: str, memory: MemoryClass, target: str) -> Iterator[tuple[float, Cut]]:
        """The ways to compute a sum in two steps."""
        if op not in ("", "+") or rhs.head not in (("+",), ("-",)) or not isinstance(rhs.type, ScalarType):
            return
        left, right = rhs.parts
        orders: list[tuple[Part, Part, tuple[Any, ...]]] = [(left, right, ())]
        if rhs.head == ("+",):
            orders.append((right, left, (rhs.at,)))
        for first, second, swapped in orders:
            start = self._best(first, op, memory, target)
            if start < inf:
                yield start + self._added(second, rhs.head == ("-",), memory, target), Cut(commute=swapped, split=True)

    def _added(self, term: Part, negated: bool, memory: MemoryClass, target: str) -> float:
        """The cost of `+= term` or `+= -term`."""
        best = inf if negated else self._best(term, "+", memory, target)
        for shape in self._by_head.get(("+", term.type, ("negative",)), ()) if negated else ():
            if _writes(shape, None, memory):
                for found in _match(shape, shape.rhs.parts[0], term, target):
                    best = min(best, shape.cost + sum(self._value(each, wanted) for each, wanted in found.operands))
        return best

    def _best(self, rhs: Part, op: str, memory: MemoryClass, target: str) -> float:
        key = (rhs.text, str(rhs.type), op, memory)  # target is the same throughout a write, but in new registers
        if target and key in self._in_place:
            return self._in_place[key]
        ways = [*self._pieces(rhs, op, memory, target), *self._split(rhs, op, memory, target)]
        found = min((cost for cost, _ in ways), default=inf)
        if target:
            self._in_place[key] = found
        return found

    def _value(self, part: Part, memory: MemoryClass) -> float:
        """The fewest instructions that put a part into a register."""
        key = (part.text, str(part.type), memory)
        if key not in self._costs:
            self._costs[key] = inf  # an operand that is the expression itself leads nowhere
            self._costs[key] = self._best(part, "", memory, "")
        return self._costs[key]

    def _homes(self, typ: Any, op: str) -> list[MemoryClass]:
        """The memories that the instructions reduce in by op."""
        found = [s.home for s in self.shapes if s.op == op and s.target.type() == typ]
        return list(dict.fromkeys(mem for mem in found if mem is not None and mem is not DRAM))


@dataclass
class _Found:
    """Operands that must be in registers, and operations to commute."""

    operands: list[tuple[Part, MemoryClass]]
    commute: list[Part]


def _match(shape: Shape, pattern: Part, part: Part, target: str) -> Iterator[_Found]:
    """The ways in which an instruction's expression computes a part, where what is written is called target."""
    if pattern.type != part.type:
        return
    if pattern.head == READ:
        yield from _leaf(shape, pattern, part, target)
    elif pattern.head == part.head and pattern.head != ("lane", None):
        yield from _all(shape, pattern.parts, part.parts, target)
        if pattern.head in COMMUTATIVE:
            for found in _all(shape, pattern.parts, part.parts[::-1], target):
                yield _Found(found.operands, [*found.commute, part])


def _all(shape: Shape, patterns: Sequence[Part], parts: Sequence[Part], target: str) -> Iterator[_Found]:
    """The ways to match several at once; a formal that occurs twice stands for equal expressions."""
    if not patterns:
        yield _Found([], [])
        return
    for first in _match(shape, patterns[0], parts[0], target):
        for rest in _all(shape, patterns[1:], parts[1:], target):
            yield _Found([*first.operands, *rest.operands], [*first.commute, *rest.commute])


def _leaf(shape: Shape, pattern: Part, part: Part, target: str) -> Iterator[_Found]:
    """An operand of the instruction: one value for all lanes, lanes in memory, or lanes in a register."""
    wanted = pattern.memory
    if wanted is None:
        if part.same:
            yield _Found([], [])
    elif part.memory is not None and issubclass(part.memory, wanted) and (part.text != target or pattern.name in shape.shared):
        yield from [_Found([], [])] if wanted is not DRAM else _element(shape, pattern, part, target)
    elif wanted is not DRAM and pattern.index is not None and pattern.index.kind == 1:
        yield _Found([(part, wanted)], [])


def _element(shape: Shape, pattern: Part, part: Part, target: str) -> Iterator[_Found]:
    """The ways in which an instruction reads the elements of memory that code does; data in indices may be in registers."""
    if pattern.index is not None and part.index is not None and pattern.index.serves(part.index):
        yield from _all(shape, pattern.parts, part.parts, target)


def _writes(shape: Shape, index: LaneIndex | None, memory: MemoryClass) -> bool:
    """Whether an instruction writes to a memory, and there to the elements of an index, if that is given."""
    if shape.home is None or not issubclass(memory, shape.home):
        return False
    if memory is not DRAM or index is None:
        return True
    return shape.written is not None and shape.written.serves(index)
