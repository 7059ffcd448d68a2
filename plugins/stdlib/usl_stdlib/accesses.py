"""The accesses of a piece of code to data, each with the iterators and conditions that it depends on.

Windows are followed to the buffers that they show, and callees are entered: an instruction accesses what its body does.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from usl_core import Procedure
from usl_core.cursors import (
    AllocCursor,
    ArgCursor,
    AssignCursor,
    BinaryOpCursor,
    BlockCursor,
    CallCursor,
    Cursor,
    ExternFunctionCursor,
    ForCursor,
    IfCursor,
    ReadCursor,
    ReduceCursor,
    StmtCursor,
    WindowExprCursor,
    WindowStmtCursor,
)
from usl_core.errors import SchedulingError
from usl_core.inspect import assertions
from usl_core.ir.nodes import Proc, WindowStmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import mentioned, walk
from usl_core.ir.types import SIZE, ControlType, ScalarType
from usl_stdlib.inspection import children, enclosing, orelse
from usl_stdlib.ranges import Iteration, Known, Range
from usl_stdlib.symbolic import Polynomial, Remainder, name, polynomial, value_of

Index = Polynomial | None
"""One index; None where it depends on data or configuration."""


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """A formal or an allocation. shape is in the names that are visible where it is declared."""

    declaration: ArgCursor | AllocCursor
    shape: tuple[Index, ...]

    @property
    def name(self) -> str:
        """How the procedure calls it."""
        return self.declaration.name()


@dataclass(frozen=True, slots=True)
class Access:
    """One access that code makes: once for each value of the iterators, outermost first, for which each of nonnegative is >= 0.

    kind is "read", "write" or "reduce". conditional says that it may not happen even then. place is the statement in the
    procedure that was asked about, not in a callee. op is the operation of a reduction.
    """

    kind: str
    buffer: Buffer
    index: tuple[Index, ...]
    iterators: tuple[Iteration, ...]
    nonnegative: tuple[Polynomial, ...]
    conditional: bool
    place: StmtCursor
    op: str = ""


def accesses(code: Procedure | Cursor, about: str | Cursor | None = None) -> Iterator[Access]:
    """The accesses of a procedure, a statement or a block. A loop counts with all its iterations, its body with one.

    about is a buffer: statements that have nothing to do with it are not looked into, however many there are.

    Raises:
        SchedulingError: code is something else.
    """
    if isinstance(code, Procedure):
        code = code.body()
    if not isinstance(code, BlockCursor | StmtCursor):
        raise SchedulingError(f"a procedure, a statement or a block is wanted, got {code!r}", code="E404")
    scope = scope_at(code, None if about is None else _names_of(about, code.owner.ir))
    for access in _block(code if isinstance(code, BlockCursor) else [code], scope):
        if access.buffer.declaration.owner is code.owner:  # else it is a local buffer of a callee, or a literal argument
            yield access


def _names_of(buffer: str | Cursor, proc: Proc) -> frozenset[Sym]:
    """The names in proc that may show a buffer, which is given by its declaration or by its name as printed."""
    if isinstance(buffer, ArgCursor | AllocCursor):
        found = {buffer.node.name}
    else:
        printed = str(buffer)  # two buffers t are printed as t and t_1
        found = {each for each in mentioned(proc) if printed == each.name or printed.startswith(f"{each.name}_")}
    windows = [node for node in walk(proc) if isinstance(node, WindowStmt)]
    for window in reversed(windows):  # a window that is asked about is a view of these
        if window.name in found:
            found.add(window.rhs.name)
    for window in windows:
        if window.rhs.name in found:
            found.add(window.name)
    return frozenset(found)


def known_at(code: Procedure | Cursor) -> Known:
    """What is known of names where code stands: of the sizes, and of the iterators of the loops around."""
    p = code if isinstance(code, Procedure) else code.proc()
    least = {arg.name(): 1 for arg in p.args() if arg.type() is SIZE}
    whole: list[tuple[Polynomial, int]] = []
    for fact in assertions(p):
        for each in conjuncts(fact, {}, True):
            _learn(each, least, whole)
    around = [stmt for stmt in enclosing(code) if isinstance(stmt, ForCursor)] if isinstance(code, Cursor) else []
    ranges = tuple(iteration(loop) for loop in reversed(around) if has_known_range(loop))
    return Known(least, tuple(whole), ranges)


def _learn(nonnegative: Polynomial, least: dict[str, int], whole: list[tuple[Polynomial, int]]) -> None:
    """Notes what `n - 4 >= 0` and `-(n % 4) >= 0` say."""
    match nonnegative.terms:
        case (((str() as size,), factor), *rest) if factor == 1 and all(not monomial for monomial, _ in rest):
            least[size] = max(int(-sum(number for _, number in rest)), least.get(size, 0))
        case (((Remainder(of=of, by=by),), factor),) if factor < 0:
            whole.append((of, by))


def has_known_range(loop: ForCursor, values: Mapping[str, Index] | None = None) -> bool:
    """Whether the range of a loop depends on sizes and iterators only, not on configuration."""
    return value_of(loop.lo(), values) is not None and value_of(loop.hi(), values) is not None


def iteration(loop: ForCursor, values: Mapping[str, Index] | None = None, own: str = "") -> Iteration:
    """The iterator of a loop and its range; where that is not known, it has `trips(i)` iterations."""
    lo, hi = value_of(loop.lo(), values), value_of(loop.hi(), values)
    if lo is None or hi is None:
        lo, hi = polynomial(0), name(f"trips({loop.name()})")
    return Iteration(own or loop.name(), Range(lo, hi))


# ---- names in scope


@dataclass(frozen=True, slots=True)
class View:
    """What a name of data shows: buffer at entries, one per dimension of it.

    An entry is an index, or the pair of an offset and the number of the view's own dimension that is added to it.
    """

    buffer: Buffer
    entries: tuple[Index | tuple[Index, int], ...]

    def element(self, index: tuple[Index, ...]) -> tuple[Index, ...]:
        """The element of the buffer that an element of the view is."""
        return tuple(_plus(e[0], index[e[1]]) if isinstance(e, tuple) else e for e in self.entries)

    def window(self, parts: tuple[Index, ...], intervals: tuple[bool, ...]) -> View:
        """A window of the view: parts are points, or the starts of intervals."""
        numbers = itertools.count()
        own = [(part, next(numbers)) if interval else part for part, interval in zip(parts, intervals, strict=True)]
        entries: list[Any] = []
        for entry in self.entries:
            if not isinstance(entry, tuple):
                entries.append(entry)
                continue
            offset, dim = entry
            new = own[dim]
            entries.append((_plus(offset, new[0]), new[1]) if isinstance(new, tuple) else _plus(offset, new))
        return View(self.buffer, tuple(entries))


def _plus(a: Index, b: Index) -> Index:
    return None if a is None or b is None else a + b


@dataclass(frozen=True, slots=True)
class Scope:
    """Names at a place, and what execution there depends on. place is the statement of the outermost procedure."""

    data: Mapping[str, View] = field(default_factory=dict)
    values: Mapping[str, Index] = field(default_factory=dict)
    iterators: tuple[Iteration, ...] = ()
    nonnegative: tuple[Polynomial, ...] = ()
    conditional: bool = False
    place: StmtCursor | None = None
    only: frozenset[Sym] | None = None
    """What other statements of the procedure that was asked about mention does not matter."""

    def declare(self, declaration: Any) -> Scope:
        """With an allocation or a formal."""
        shape = tuple(value_of(extent, self.values) for extent in declaration.shape())
        buffer = Buffer(declaration, shape)
        entries = tuple((polynomial(0), dim) for dim in range(len(shape)))
        return replace(self, data={**self.data, declaration.name(): View(buffer, entries)})

    def bind(self, stmt: WindowStmtCursor) -> Scope:
        """With a name for a window."""
        return replace(self, data={**self.data, stmt.name(): self.view(stmt.winexpr())})

    def view(self, window: WindowExprCursor) -> View:
        """What a window shows, in terms of the buffer behind all windows."""
        entries = window.idx()
        starts = tuple(value_of(each[0] if isinstance(each, tuple) else each, self.values) for each in entries)
        return self.data[window.name()].window(starts, tuple(isinstance(each, tuple) for each in entries))

    def inside(self, loop: ForCursor) -> Scope:
        """In the body of a loop."""
        # a callee's iterator might have the name of one around the call
        own = loop.name() if loop.owner is self.owner() else f"{loop.name()}'{len(self.iterators)}"
        new, known = iteration(loop, self.values, own), has_known_range(loop, self.values)
        values = {**self.values, loop.name(): name(own) if known else None}
        conditional = self.conditional or not known
        return replace(self, values=values, iterators=(*self.iterators, new), conditional=conditional)

    def owner(self) -> Any:
        """The procedure that the place is in, if there is a place."""
        return None if self.place is None else self.place.owner

    def under(self, cond: Any, holds: bool) -> Scope:
        """In the branch in which cond holds, or does not."""
        facts = conjuncts(cond, self.values, holds)
        return replace(self, nonnegative=(*self.nonnegative, *facts), conditional=True)

    def wants(self, use: Any) -> bool:
        """Whether what a cursor to a read or a statement mentions, or binds, may be what was asked about."""
        return self.only is None or (self.place is not None and use.owner is not self.owner()) or use.node.name in self.only

    def access(self, kind: str, buffer: str, idx: tuple[Any, ...], conditional: bool = False) -> Access:
        """An access here, windows looked through."""
        view = self.data[buffer]
        index = view.element(tuple(value_of(each, self.values) for each in idx))
        assert self.place is not None
        return Access(kind, view.buffer, index, self.iterators, self.nonnegative, self.conditional or conditional, self.place)


def scope_at(code: Cursor, only: frozenset[Sym] | None = None) -> Scope:
    """The names visible where code stands; of those of data only these, if only is given."""
    scope = Scope(only=only)
    for arg in code.proc().args():
        if not isinstance(arg.type(), ControlType):
            scope = scope.declare(arg)
    outer = [*reversed(list(enclosing(code))), code[0] if isinstance(code, BlockCursor) else code]
    for stmt in outer:
        for before in reversed(_before(stmt)):
            scope = _after(before, scope)
    return scope


def _before(stmt: StmtCursor) -> list[StmtCursor]:
    """The statements before stmt in its block, the nearest first."""
    found: list[StmtCursor] = []
    while stmt := stmt.prev():
        found.append(stmt)
    return found


def _after(stmt: StmtCursor, scope: Scope) -> Scope:
    """The scope after a statement."""
    match stmt:
        case AllocCursor() if scope.wants(stmt):
            return scope.declare(stmt)
        case WindowStmtCursor() if scope.wants(stmt):
            return scope.bind(stmt)
        case _:
            return scope


# ---- walking


def _block(block: Any, scope: Scope) -> Iterator[Access]:
    for stmt in block:
        yield from _statement(stmt, scope)
        scope = _after(stmt, scope)


def _statement(stmt: Any, scope: Scope) -> Iterator[Access]:
    outer = scope.place is None or stmt.owner is scope.owner()
    if outer and scope.only is not None and scope.only.isdisjoint(mentioned(stmt.node)):
        return
    scope = replace(scope, place=stmt) if outer else scope
    match stmt:
        case ForCursor():
            yield from _block(stmt.body(), scope.inside(stmt))
        case IfCursor():
            yield from _reads(stmt.cond(), scope)
            yield from _block(stmt.body(), scope.under(stmt.cond(), True))
            yield from _block(orelse(stmt), scope.under(stmt.cond(), False))
        case AssignCursor() | ReduceCursor():
            yield from _reads(stmt, scope)
            kind, op = ("write", "") if isinstance(stmt, AssignCursor) else ("reduce", stmt.op())
            if scope.wants(stmt):
                yield replace(scope.access(kind, stmt.name(), stmt.idx()), op=op)
        case CallCursor():
            yield from _call(stmt, scope)
        case _:
            yield from _reads(stmt, scope)


def _reads(code: Any, scope: Scope, conditional: bool = False) -> Iterator[Access]:
    """The reads of data in an expression, or in the expressions of a statement."""
    if scope.only is not None and code.owner is scope.owner() and scope.only.isdisjoint(mentioned(code.node)):
        return
    if isinstance(code, ReadCursor) and isinstance(code.type(), ScalarType) and scope.wants(code):
        yield scope.access("read", code.name(), code.idx(), conditional)
    # operands of these are not always evaluated
    lazy = isinstance(code, ExternFunctionCursor) and code.name() == "select"
    lazy = lazy or (isinstance(code, BinaryOpCursor) and code.op() in ("and", "or"))
    for child in children(code):
        yield from _reads(child, scope, conditional or lazy)


def _call(call: CallCursor, scope: Scope) -> Iterator[Access]:
    """What a call does: the body of its callee with formals replaced by arguments."""
    callee = call.subproc()
    data: dict[str, View] = {}
    values: dict[str, Index] = {}
    for formal, arg in zip(callee.args(), call.args(), strict=True):
        if isinstance(formal.type(), ControlType):
            values[formal.name()] = value_of(arg, scope.values)
        else:
            data[formal.name()] = _argument(arg, scope) or View(Buffer(formal, ()), ())
    yield from _block(callee.body(), replace(scope, data=data, values=values))


def _argument(arg: Any, scope: Scope) -> View | None:
    """The view that a data argument is; None for a literal, and for what was not asked about."""
    match arg:
        case WindowExprCursor() if scope.wants(arg):
            return scope.view(arg)
        case ReadCursor() if scope.wants(arg):
            points = tuple(value_of(each, scope.values) for each in arg.idx())
            view = scope.data[arg.name()]
            return view.window(points, tuple(False for _ in points)) if points else view
        case _:
            return None


# ---- conditions


def conjuncts(cond: Any, values: Mapping[str, Index], holds: bool) -> tuple[Polynomial, ...]:
    """Values that are >= 0 where a condition holds, or where it does not; what cannot be said so is left out."""
    if not isinstance(cond, BinaryOpCursor):
        return ()
    if cond.op() == ("and" if holds else "or"):
        return (*conjuncts(cond.lhs(), values, holds), *conjuncts(cond.rhs(), values, holds))
    if not isinstance(cond.lhs().type(), ControlType):
        return ()
    lhs, rhs = value_of(cond.lhs(), values), value_of(cond.rhs(), values)
    if lhs is None or rhs is None:
        return ()
    match cond.op() if holds else _NEGATED.get(cond.op()):
        case "<":
            return (rhs - lhs - 1,)
        case "<=":
            return (rhs - lhs,)
        case ">":
            return (lhs - rhs - 1,)
        case ">=":
            return (lhs - rhs,)
        case "==":
            return (lhs - rhs, rhs - lhs)
        case _:
            return ()


_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "!=": "=="}
