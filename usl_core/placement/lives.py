"""From when to when each buffer of a procedure is needed, and what its loops use at the same time.

Time is a count of the statements as they stand. A buffer lives from the first statement that mentions it, itself or through a
window, to the last; one that is allocated outside a loop and mentioned in it lives through the whole loop, as a value may wait
in it for the next iteration. What a callee allocates lives while the call runs.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from usl_core.errors import BackendError, Span
from usl_core.ir.nodes import (
    Alloc,
    Assign,
    Block,
    Call,
    Expr,
    For,
    If,
    Interval,
    LoopMode,
    Node,
    Proc,
    Read,
    Reduce,
    SimpleStmt,
    Stmt,
    StrideExpr,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import child_nodes, walk
from usl_core.ir.types import ScalarType, TensorType
from usl_core.ir.written import written_formals
from usl_core.placement.memory import PlacedMemory
from usl_core.ranges import Range, Ranges, branch, loop_range, range_of
from usl_core.records import dataclass

UNKNOWN_TRIPS = 16
"""How often a loop is taken to run whose bounds depend on sizes."""
_MANY = 1 << 20

SAME_STATEMENT, READ_WHILE_WRITTEN = 4, 2
"""How much more it matters that two buffers lie in different banks if one instruction uses both, or if one is read and the
other written, than if they are only used in one loop."""


@dataclass(slots=True)
class Life:
    """A buffer that is to be placed. first and last are None if nothing mentions it."""

    alloc: Alloc
    shape: tuple[int, ...]
    """Its extents; the first may be a bound on one that varies."""
    first: int | None = None
    last: int | None = None
    points: bool = True
    """Whether every access is at one index of dimension 0, and nothing asks for its stride."""

    @property
    def memory(self) -> type[PlacedMemory]:
        """Where it lives."""
        assert issubclass(self.alloc.mem, PlacedMemory)
        return self.alloc.mem


@dataclass(frozen=True, slots=True)
class Lives:
    """The buffers of one procedure, when it calls what, and how much it matters that two are in different banks.

    A buffer with itself in apart stands for its indices in dimension 0.
    """

    buffers: Mapping[Sym, Life]
    calls: Sequence[tuple[int, Proc]]
    apart: Mapping[tuple[Sym, Sym], int]
    end: int


def lives_of(proc: Proc, known: Ranges) -> Lives:
    """The lives of what proc allocates in memories that are placed; known are ranges of its formals.

    Raises:
        BackendError: a buffer has no constant shape that ends in a row, or is allocated in a parallel loop.
    """
    walker = _Walker()
    walker.block(proc.body, known, ())
    return walker.done()


@dataclass(frozen=True, slots=True)
class _Loop:
    """An open loop: where it begins, and how often it runs by itself."""

    stmt: For
    begin: int
    trips: int


@dataclass(frozen=True, slots=True)
class _Use:
    """What a statement does with a buffer, at which index of dimension 0 if that is a point."""

    buffer: Sym
    writes: bool
    at: str


@dataclass(slots=True)
class _Walker:
    now: int = 0
    buffers: dict[Sym, Life] = field(default_factory=dict)
    depth: dict[Sym, int] = field(default_factory=dict)
    """How many loops are around each allocation."""
    views: dict[Sym, tuple[Sym, Expr | Interval]] = field(default_factory=dict)
    """The buffer that a window shows, and what of its dimension 0."""
    calls: list[tuple[int, Proc]] = field(default_factory=list)
    in_loops: list[tuple[Sym, For]] = field(default_factory=list)
    """Buffers that live through a loop."""
    extents: dict[For, tuple[int, int]] = field(default_factory=dict)
    groups: dict[tuple[_Loop, ...], Counter[_Use]] = field(default_factory=dict)
    apart: Counter[tuple[Sym, Sym]] = field(default_factory=Counter)

    def done(self) -> Lives:
        for name, loop in self.in_loops:
            for at in self.extents[loop]:
                self._extend(name, at)
        for pair, weight in _weights(self.groups):
            self.apart[pair] += weight
        return Lives(self.buffers, self.calls, self.apart, self.now)

    def block(self, block: Block, known: Ranges, loops: tuple[_Loop, ...]) -> None:
        for stmt in block:
            match stmt:
                case For(body=body):
                    self._uses([stmt.lo, stmt.hi], loops)
                    loop = _Loop(stmt, self.now, _trips(stmt, known))
                    self.block(body, {**known, stmt.iter: loop_range(stmt, known)}, (*loops, loop))
                    self.extents[stmt] = loop.begin, self.now
                    self.now += 1
                case If(cond=cond, body=body, orelse=orelse):
                    self._uses([cond], loops)
                    self.block(body, branch(stmt, known, True), loops)
                    self.block(orelse, branch(stmt, known, False), loops)
                case Alloc() | WindowStmt():
                    self._bind(stmt, known, loops)
                case SimpleStmt():
                    self._simple(stmt, loops)

    def _bind(self, stmt: Alloc | WindowStmt, known: Ranges, loops: tuple[_Loop, ...]) -> None:
        if isinstance(stmt, WindowStmt):
            root = self.views.get(stmt.rhs.name)
            self.views[stmt.name] = (stmt.rhs.name, stmt.rhs.idx[0]) if root is None else root
        elif issubclass(stmt.mem, PlacedMemory):
            self.buffers[stmt.name] = Life(stmt, _shape(stmt, known, loops))
            self.depth[stmt.name] = len(loops)

    def _simple(self, stmt: Stmt, loops: tuple[_Loop, ...]) -> None:
        target, into = None, frozenset[Sym]()
        if isinstance(stmt, Assign | Reduce):
            target = self._use(stmt.name, stmt.idx, True)
        if isinstance(stmt, Call):
            self.calls.append((self.now, stmt.proc))
            written, pairs = written_formals(stmt.proc), zip(stmt.proc.args, stmt.args, strict=True)
            into = frozenset(a.name for f, a in pairs if f.name in written and isinstance(a, Read | WindowExpr))
        self._uses(child_nodes(stmt), loops, [] if target is None else [target], into)
        self.now += 1

    def _uses(
        self, nodes: Sequence[Node], loops: tuple[_Loop, ...], more: Sequence[_Use] = (), into: frozenset[Sym] = frozenset()
    ) -> None:
        """Notes what a statement mentions in nodes, of which it writes into."""
        found = list(more)
        for root in nodes:
            for node in walk(root):
                use = None
                if isinstance(node, Read | WindowExpr):
                    use = self._use(node.name, node.idx, node.name in into)
                elif isinstance(node, StrideExpr) and (node.dim == 0 or node.name in self.views):
                    use = self._use(node.name, (), False)
                if use is not None:
                    found.append(use)
        distinct = list(dict.fromkeys(found))
        for use in distinct:
            self._mention(use.buffer, loops)
        if distinct:
            self.groups.setdefault(loops, Counter()).update(distinct)
        _together(distinct, SAME_STATEMENT * _runs(loops), self.apart)

    def _use(self, name: Sym, idx: Sequence[Expr | Interval], writes: bool) -> _Use | None:
        """A mention of name. Without indices the whole buffer is meant."""
        root, at = self.views.get(name, (name, idx[0] if idx else None))
        life = self.buffers.get(root)
        if life is None:
            return None
        if at is None or isinstance(at, Interval):
            life.points = False
            return _Use(root, writes, "")
        return _Use(root, writes, show_expr(at))

    def _mention(self, name: Sym, loops: tuple[_Loop, ...]) -> None:
        self._extend(name, self.now)
        if len(loops) > self.depth[name]:
            self.in_loops.append((name, loops[self.depth[name]].stmt))

    def _extend(self, name: Sym, at: int) -> None:
        life = self.buffers[name]
        life.first = at if life.first is None else min(life.first, at)
        life.last = at if life.last is None else max(life.last, at)


def _shape(stmt: Alloc, known: Ranges, loops: Sequence[_Loop]) -> tuple[int, ...]:
    """The extents of a buffer as numbers, the first as large as it gets."""
    memory = stmt.mem
    assert issubclass(memory, PlacedMemory)
    for loop in loops:
        if loop.stmt.mode is LoopMode.PAR:
            message = f"{stmt.name.name} is allocated in the parallel loop {loop.stmt.iter.name}"
            note = (
                f"the iterations would share its rows of {memory.name}; hint: make the loop sequential, or lift the allocation"
            )
            raise BackendError(message, span=stmt.span, notes=(note,))
    if isinstance(stmt.type, ScalarType):
        raise _no_rows(stmt, "a scalar", stmt.span)
    assert isinstance(stmt.type, TensorType)
    ranges = [range_of(extent, known) for extent in stmt.type.shape]
    texts = ", ".join(map(show_expr, stmt.type.shape))
    shape = tuple(max(each.hi, 1) for each in ranges)
    varies = [each.lo != each.hi for each in ranges]
    if any(varies[1:]) or shape[-1] != memory.lanes or (varies[0] and (len(shape) == 1 or shape[0] > memory.rows)):
        raise _no_rows(stmt, f"[{texts}]", stmt.span)
    return shape


def _no_rows(stmt: Alloc, what: str, span: Span) -> BackendError:
    memory = stmt.mem
    assert issubclass(memory, PlacedMemory)
    want = f"a constant shape (the first extent may vary below a bound) that ends in {memory.lanes}, the lanes of a row"
    message = f"{stmt.name.name} is {what}, and memory {memory.name} holds what has {want}"
    return BackendError(message, span=span, notes=("hint: divide_dim, resize_dim and rearrange_dim give it such a shape",))


def _trips(loop: For, known: Ranges) -> int:
    lo, hi = range_of(loop.lo, known), range_of(loop.hi, known)
    most = hi.hi - lo.lo
    return UNKNOWN_TRIPS if most > _MANY or Range(lo.lo, lo.hi).lo < -_MANY else max(most, 1)


def _runs(loops: Sequence[_Loop]) -> int:
    total = 1
    for loop in loops:
        total = min(total * loop.trips, 1 << 40)
    return total


def _together(uses: Sequence[_Use], weight: int, into: Counter[tuple[Sym, Sym]]) -> None:
    for number, a in enumerate(uses):
        for b in uses[:number]:
            if a.buffer is not b.buffer or a.at != b.at:
                into[_pair(a.buffer, b.buffer)] += weight


def _pair(a: Sym, b: Sym) -> tuple[Sym, Sym]:
    return (a, b) if a.number <= b.number else (b, a)


def _weights(groups: Mapping[tuple[_Loop, ...], Counter[_Use]]) -> Iterator[tuple[tuple[Sym, Sym], int]]:
    """What a loop uses while it uses something else: as often as the rarer of both, halved for each loop between."""
    listed = [(loops, [(use, times * _runs(loops)) for use, times in uses.items()]) for loops, uses in groups.items() if loops]
    for number, (loops, uses) in enumerate(listed):
        for a, b in itertools.combinations(uses, 2):
            yield from _weight(a, b, 0)
        for others, more in listed[:number]:
            common = sum(1 for one, other in zip(loops, others, strict=False) if one is other)
            if common:
                gap = min(len(loops), len(others)) - common
                for a, b in itertools.product(uses, more):
                    yield from _weight(a, b, gap)


def _weight(one: tuple[_Use, int], other: tuple[_Use, int], gap: int) -> Iterator[tuple[tuple[Sym, Sym], int]]:
    (a, times), (b, again) = one, other
    if a.buffer is not b.buffer or a.at != b.at:
        factor = READ_WHILE_WRITTEN if a.writes != b.writes else 1
        yield _pair(a.buffer, b.buffer), factor * min(times, again) >> gap
