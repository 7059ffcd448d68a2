"""The cursors that users see: a procedure and a place in it.

A cursor is a value: equal to another of the same procedure and place, never changed by scheduling; `p.forward(c)` gives the
cursor in a later procedure. Navigation that leads nowhere (`next()` of the last statement, `orelse()` of an `if` without one)
gives an `InvalidCursor`, which is false, and whose use is an `InvalidCursorError` with the reason. The classes for each kind
of node are in `kinds`. Reference: Qian 2024, §3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NoReturn, Protocol, TypeVar, overload

from usl_core.cursors.display import head_line, show_marked, spelling
from usl_core.cursors.path import (
    ArgLoc,
    BlockLoc,
    Dead,
    GapLoc,
    Loc,
    NodeLoc,
    Path,
    anchor_path,
    block_of,
    child,
    get,
    paths_of,
    starts_with,
    stmt_list,
    stmt_path,
)
from usl_core.cursors.search import require_loc, require_locs
from usl_core.cursors.survivor import nearest_survivor
from usl_core.deep import deeply
from usl_core.errors import InvalidCursorError, SchedulingError, Span
from usl_core.ir.identity import Identical
from usl_core.ir.nodes import Arg, Interval, Node, NodeBase, Proc
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import Step
from usl_core.ir.types import Type


class Owner(Protocol):
    """What a cursor points into: the user's Procedure. One with `procedure_of(ir)` also says which Procedure a callee is."""

    @property
    def ir(self) -> Proc:
        """The tree that cursors point into."""


class Cursor(Identical):
    """A place in a procedure. Made by navigation and patterns only (`make_cursor`)."""

    __slots__ = ("loc", "owner")

    def __init__(self, owner: Owner, loc: Loc) -> None:
        self.owner = owner
        self.loc = loc

    def proc(self) -> Any:
        """The procedure that the cursor points into."""
        return self.owner

    def parent(self) -> Cursor:
        """The statement (or, of an expression, the expression) around this one; invalid at the top."""
        raise NotImplementedError

    @overload
    def find(self, pattern: str, many: Literal[False] = False) -> Any: ...
    @overload
    def find(self, pattern: str, many: Literal[True]) -> list[Any]: ...
    @deeply
    def find(self, pattern: str, many: bool = False) -> Any:
        """The first match of a pattern in this code, itself included; with many, the list of all matches."""
        if many:
            return [make_cursor(self.owner, loc) for loc in require_locs(self.owner.ir, self.loc, pattern)]
        return make_cursor(self.owner, require_loc(self.owner.ir, self.loc, pattern))

    def is_ancestor_of(self, other: Cursor) -> bool:
        """Whether other is inside this code, or is it."""
        if not isinstance(other, Cursor):
            raise SchedulingError(f"is_ancestor_of() takes a cursor, got {other!r}", code="E404")
        if self.owner is not other.owner:
            return False
        if isinstance(self.loc, GapLoc):
            return self.loc == other.loc
        inner = paths_of(other.loc)
        return bool(inner) and all(any(starts_with(path, root) for root in paths_of(self.loc)) for path in inner)

    def _at(self, path: Path) -> Any:
        return make_cursor(self.owner, NodeLoc(path))

    def _parent(self, path: Path) -> Cursor:
        return make_cursor(self.owner, NodeLoc(path))

    def _invalid(self, reason: str) -> InvalidCursor:
        return InvalidCursor(self.owner, Dead(reason))

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cursor) and self.owner is other.owner and self.loc == other.loc

    def __hash__(self) -> int:
        return hash((id(self.owner), self.loc))

    @deeply
    def __str__(self) -> str:
        return show_marked(self.owner.ir, self.loc)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}\n{self}\n>"


def place_of(cursor: Cursor) -> Span | None:
    """Where the code that a cursor shows stands in a source, or the nearest code around it that does; None if it shows none."""
    around = (get(cursor.owner.ir, path[:length]) for path in paths_of(cursor.loc) for length in range(len(path), 0, -1))
    return next((node.span for node in around if node.span.line), None)


class InvalidCursor(Cursor):
    """No place: where navigation led nowhere, or code that an operator removed. False; any use is an error with the reason.

    follow forwards the places of origin's procedure, where the lost code was, to this one's.
    """

    __slots__ = ("follow", "origin")

    def __init__(
        self, owner: Owner, loc: Dead, origin: Cursor | None = None, follow: Callable[[Loc], Loc] | None = None
    ) -> None:
        super().__init__(owner, loc)
        self.origin = origin
        self.follow = follow

    @property
    def reason(self) -> str:
        """Why there is no such place."""
        assert isinstance(self.loc, Dead)
        return self.loc.reason

    def notes(self) -> list[str]:
        """A line for an error message, about an operator's removal: the nearest code that is left."""
        if self.origin is None or self.follow is None:
            return []
        left = nearest_survivor(self.origin.owner.ir, self.origin.loc, self.follow)
        if left is None:
            return ["nothing around it is left"]
        return [f"the nearest code that is left: {head_line(self.owner.ir, get(self.owner.ir, left), left)}"]

    def parent(self) -> Cursor:
        """An invalid cursor has no place to go to. Raises: InvalidCursorError."""
        self._refuse()

    def find(self, pattern: str, many: bool = False) -> Any:
        """An invalid cursor has nothing in it. Raises: InvalidCursorError."""
        self._refuse()

    def is_ancestor_of(self, other: Cursor) -> bool:
        """False."""
        self._refuse()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        self._refuse()

    def __iter__(self) -> Iterator[Any]:
        self._refuse()

    def __len__(self) -> int:
        self._refuse()

    def __getitem__(self, index: int | slice) -> Any:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise invalid_cursor_error(self.reason, self.notes())

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"invalid cursor: {self.reason}"

    def __repr__(self) -> str:
        return f"<InvalidCursor: {self.reason}>"


HOW_TO_KEEP = "hint: take the cursor again with find() in the new procedure, or forward it before that operator"
LOST_BY = ("removed by", "replaced by", "torn apart by")
"""How the reason of a `Dead` begins that an operator made."""


def invalid_cursor_error(reason: str, notes: Sequence[str] = ()) -> InvalidCursorError:
    """The error for the use of a dead location; reason is that of `Dead`."""
    if reason.startswith(LOST_BY):
        return InvalidCursorError(f"invalid cursor: the code it pointed to was {reason}", notes=(*notes, HOW_TO_KEEP))
    return InvalidCursorError(f"invalid cursor: {reason}", notes=notes)


class NodeCursor(Cursor):
    """A cursor to one node of the tree."""

    __slots__ = ("_node",)

    _node: Any
    """The node, once it has been asked for: the tree of a cursor never changes."""

    @property
    def path(self) -> Path:
        """Steps from the procedure to the node."""
        assert isinstance(self.loc, NodeLoc)
        return self.loc.path

    @property
    def node(self) -> Any:
        """The node of the IR."""
        try:
            return self._node
        except AttributeError:
            self._node = get(self.owner.ir, self.path)
            return self._node

    def _operand(self, field: str) -> ExprCursor:
        cursor = self._child((field, None))
        assert isinstance(cursor, ExprCursor)
        return cursor

    def _children(self, field: str, count: int) -> tuple[Any, ...]:
        return tuple([self._child((field, index)) for index in range(count)])

    def _child(self, step: Step) -> Any:
        return _cursor_to_node(self.owner, child(self.node, step), (*self.path, step))

    def _spelling(self, sym: Sym) -> str:
        return spelling(self.owner.ir, sym, self.path)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} `{head_line(self.owner.ir, self.node, self.path)}` in {self.owner.ir.name}\n{self}\n>"


class StmtCursor(NodeCursor):
    """A cursor to a statement."""

    __slots__ = ()

    def parent(self) -> Cursor:
        """The loop or `if` around the statement; invalid at the top."""
        above = self.path[:-1]
        return self._parent(above) if above else self._invalid("a statement at the top of a procedure has no parent")

    def next(self, n: int = 1) -> Any:
        """The n-th statement after this one in its block; invalid past the end."""
        n = _number(n, "next() and prev()")
        field, index = self.path[-1]
        assert index is not None
        if not 0 <= index + n < len(stmt_list(self.owner.ir, self.path[:-1], field)):
            place = "after" if n > 0 else "before"
            return self._invalid(f"there is no statement {abs(n)} {place} `{head_line(self.owner.ir, self.node, self.path)}`")
        return self._at((*self.path[:-1], (field, index + n)))

    def prev(self, n: int = 1) -> Any:
        """The n-th statement before this one in its block; invalid past the start."""
        return self.next(-_number(n, "next() and prev()"))

    def before(self) -> GapCursor:
        """The gap before this statement."""
        return self.as_block().before()

    def after(self) -> GapCursor:
        """The gap after this statement."""
        return self.as_block().after()

    def as_block(self) -> BlockCursor:
        """The block of just this statement."""
        return BlockCursor(self.owner, block_of(self.path))

    def expand(self, lo: int | None = None, hi: int | None = None) -> BlockCursor:
        """The block of this statement and lo before and hi after it; None, or more than there are, is all."""
        return self.as_block().expand(lo, hi)


class ExprCursor(NodeCursor):
    """A cursor to an expression."""

    __slots__ = ()

    def type(self) -> Type:
        """The type of the expression: a scalar, control or (of windows and whole buffers) tensor type."""
        typ: Type = self.node.type
        return typ

    def parent(self) -> Cursor:
        """The expression, or else the statement or formal, that this expression is a part of."""
        above = self.path[:-1]
        if isinstance(get(self.owner.ir, above), Interval):
            above = above[:-1]
        if not above:
            return self._invalid("an assertion of a procedure has no parent")
        return self._parent(above)


class BlockCursor(Cursor):
    """A cursor to consecutive statements, at least one."""

    __slots__ = ()
    loc: BlockLoc

    def parent(self) -> Cursor:
        """The loop or `if` around the block; invalid at the top."""
        parent = self.loc.parent
        return self._parent(parent) if parent else self._invalid("a block at the top of a procedure has no parent")

    def __len__(self) -> int:
        return self.loc.hi - self.loc.lo

    def __iter__(self) -> Iterator[Any]:
        return iter([self[index] for index in range(len(self))])

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> BlockCursor: ...
    def __getitem__(self, index: int | slice) -> Any:
        """b[i], a statement, and b[lo:hi], a block; both count from 0, negative numbers from the end."""
        if isinstance(index, int):
            if not -len(self) <= index < len(self):
                raise IndexError(f"statement {index} of a block of {len(self)}")
            return self._at(stmt_path(self.loc, index % len(self)))
        if not isinstance(index, slice):
            _number(index, "the index of a block")
        lo, hi, step = index.indices(len(self))
        if step != 1 or lo >= hi:
            raise InvalidCursorError(
                f"[{_slice_text(index)}] of a block of {len(self)} is not one or more consecutive statements"
            )
        return BlockCursor(self.owner, BlockLoc(self.loc.parent, self.loc.field, self.loc.lo + lo, self.loc.lo + hi))

    def before(self) -> GapCursor:
        """The gap before the first statement."""
        return GapCursor(self.owner, GapLoc(self.loc.parent, self.loc.field, self.loc.lo, "before"))

    def after(self) -> GapCursor:
        """The gap after the last statement."""
        return GapCursor(self.owner, GapLoc(self.loc.parent, self.loc.field, self.loc.hi - 1, "after"))

    def expand(self, lo: int | None = None, hi: int | None = None) -> BlockCursor:
        """The block with lo more statements before and hi after; None, or more than there are, is all."""
        loc = self.loc
        length = len(stmt_list(self.owner.ir, loc.parent, loc.field))
        start = 0 if lo is None else max(0, loc.lo - max(0, _number(lo, "expand()")))
        end = length if hi is None else min(length, loc.hi + max(0, _number(hi, "expand()")))
        return BlockCursor(self.owner, BlockLoc(loc.parent, loc.field, start, end))


def _number(value: Any, what: str) -> int:
    """A count that a user gives."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise SchedulingError(f"{what}: a number of statements is wanted, got {value!r}", code="E404")
    return value


def _slice_text(index: slice) -> str:
    parts = ["" if index.start is None else str(index.start), "" if index.stop is None else str(index.stop)]
    return ":".join(parts if index.step is None else [*parts, str(index.step)])


class GapCursor(Cursor):
    """A cursor to the place before or after a statement, its anchor, which it follows when code moves."""

    __slots__ = ()
    loc: GapLoc

    def anchor(self) -> Any:
        """The statement that the gap hangs on."""
        return self._at(anchor_path(self.loc))

    def parent(self) -> Cursor:
        """The loop or `if` around the gap; invalid at the top."""
        parent = self.loc.parent
        return self._parent(parent) if parent else self._invalid("a gap at the top of a procedure has no parent")


_CLASSES: dict[type[NodeBase], type[Cursor]] = {}
C = TypeVar("C", bound=type[Cursor])


def cursor_to(kind: type[NodeBase]) -> Callable[[C], C]:
    """Declares the class of cursors to nodes of a kind."""

    def declare(cls: C) -> C:
        _CLASSES[kind] = cls
        return cls

    return declare


def make_cursor(owner: Owner, loc: Loc) -> Cursor:
    """The cursor to loc in owner's IR, of the class that fits what is there."""
    match loc:
        case NodeLoc(()):
            return InvalidCursor(owner, Dead("a procedure as a whole has no cursor"))
        case NodeLoc((("args", int(index)),)):
            return _CLASSES[Arg](owner, ArgLoc(index))
        case NodeLoc(path):
            return _cursor_to_node(owner, get(owner.ir, path), path)
        case BlockLoc():
            return BlockCursor(owner, loc)
        case GapLoc():
            return GapCursor(owner, loc)
        case ArgLoc():
            return _CLASSES[Arg](owner, loc)
        case Dead():
            return InvalidCursor(owner, loc)


def _cursor_to_node(owner: Owner, node: Node, path: Path) -> Cursor:
    cursor = _CLASSES[type(node)](owner, NodeLoc(path))
    if isinstance(cursor, NodeCursor):
        cursor._node = node
    return cursor


__all__ = [
    "HOW_TO_KEEP",
    "LOST_BY",
    "BlockCursor",
    "Cursor",
    "ExprCursor",
    "GapCursor",
    "InvalidCursor",
    "NodeCursor",
    "Owner",
    "StmtCursor",
    "invalid_cursor_error",
    "make_cursor",
]
