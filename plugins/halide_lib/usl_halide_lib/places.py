"""What a func, a stage and a loop name are in a procedure.

A func is a local buffer, or a formal that the procedure writes. Its stages are the outermost statements that write it, in
order. A loop is named by its iterator, or by what a directive called it. Halide.md, part I.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from usl_core import Procedure
from usl_core.cursors import (
    AllocCursor,
    ArgCursor,
    AssignCursor,
    BinaryOpCursor,
    BlockCursor,
    CallCursor,
    ForCursor,
    IfCursor,
    LiteralCursor,
    ReadCursor,
    ReduceCursor,
    StmtCursor,
    WindowExprCursor,
    WindowStmtCursor,
    head_line,
)
from usl_core.inspect import affine
from usl_core.ir.traverse import mentioned
from usl_stdlib import walk


@dataclass(slots=True, eq=False)
class Stage:
    """One statement that writes a func. loops are its own, by the names that directives use; root is the statement.

    Cursors are those of the version in which they were found, and forwarded on use.
    """

    func: Func
    number: int
    root: Any
    writes: list[Any]
    loops: dict[str, Any] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)
    """The names that directives have used up, and by which."""
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)
    """What a `fuse` called two loops that are still two: the outer and the inner one."""
    labels: dict[str, str] = field(default_factory=dict)
    """What Halide calls a loop that a directive made: `y.yi`."""

    @property
    def write(self) -> Any:
        """The last write, which is inside of all loops of a nest."""
        return self.writes[-1]

    def __str__(self) -> str:
        return self.func.name if self.number == 0 else f"{self.func.name}.update({self.number - 1})"


@dataclass(slots=True, eq=False)
class Func:
    """A buffer and the stages that write it, in order. dims are its dimensions by the names of the first stage's loops."""

    name: str
    buffer: Any
    local: bool
    stages: list[Stage] = field(default_factory=list)
    dims: list[str | None] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    """What is added to an iterator in the index of each dimension."""
    problem: Any = None
    """A statement because of which this is no func, and why."""


def statements(code: Any) -> Iterator[Any]:
    """The statements of a procedure, a statement or a block, what contains others before these, without their expressions."""
    match code:
        case Procedure():
            inside = list(code.body())
        case ForCursor():
            yield code
            inside = list(code.body())
        case IfCursor():
            yield code
            orelse = code.orelse()
            inside = [*code.body(), *(orelse or ())]
        case StmtCursor():
            yield code
            inside = []
        case _:
            inside = list(code)
    for each in inside:
        yield from statements(each)


def find_funcs(p: Procedure, block: Sequence[Any] | None = None) -> dict[str, Func]:
    """The funcs of a procedure, or of one of its blocks, in the order in which they are first written."""
    top = list(p.body()) if block is None else list(block)
    buffers: dict[str, Any] = {each.name(): each for each in p.args() if isinstance(each, ArgCursor) and each.mem() is not None}
    buffers |= {each.name(): each for each in top if isinstance(each, AllocCursor)}
    funcs: dict[str, Func] = {}
    for stmt in top:
        inner = list(statements(stmt))
        inside = {each.name() for each in inner if isinstance(each, AllocCursor | WindowStmtCursor)}
        for name, writes in _writes(stmt).items():
            if name in inside or name not in buffers:
                continue
            buffer = buffers[name]
            func = funcs.setdefault(name, Func(name, buffer, isinstance(buffer, AllocCursor)))
            stage = Stage(func, len(func.stages), stmt, writes)
            stage.loops = {loop.name(): loop for loop in _own_loops(stmt, writes)}
            func.stages.append(stage)
        for call in (each for each in inner if isinstance(each, CallCursor)):
            for arg in call.args():
                name = arg.name() if isinstance(arg, ReadCursor | WindowExprCursor) else ""
                if name in buffers and name in funcs:
                    funcs[name].problem = call
    _find_placed(top, funcs)
    for func in funcs.values():
        _find_dims(func)
    return funcs


def _find_placed(top: Sequence[Any], funcs: dict[str, Func]) -> None:
    """The funcs that are allocated in loops: their stages are the outermost statements that write them and feed no others."""
    for alloc in (each for stmt in top for each in statements(stmt) if isinstance(each, AllocCursor)):
        if alloc.name() in funcs or not alloc.parent():
            continue
        name, func = alloc.name(), Func(alloc.name(), alloc, True)
        for write in _writes(alloc.expand()).get(name, []):
            root = write
            while (above := root.parent()) != alloc.parent() and not _feeds_others(above, name):
                root = above
            if func.stages and func.stages[-1].root == root:
                func.stages[-1].writes.append(write)
            else:
                func.stages.append(Stage(func, len(func.stages), root, [write]))
        for stage in func.stages:
            stage.loops = {loop.name(): loop for loop in _own_loops(stage.root, stage.writes)}
        if func.stages:
            funcs[name] = func


def _feeds_others(scope: Any, name: str) -> bool:
    """Whether code reads a buffer for anything but writes of it."""
    return any(not (isinstance(stmt, AssignCursor | ReduceCursor) and stmt.name() == name) for stmt in reads(scope, name))


def _writes(stmt: Any) -> dict[str, list[Any]]:
    """The writes of each buffer in a statement."""
    found: dict[str, list[Any]] = {}
    for each in (inner for inner in statements(stmt) if isinstance(inner, AssignCursor | ReduceCursor)):
        found.setdefault(each.name(), []).append(each)
    return found


def _own_loops(stmt: Any, writes: Iterable[Any]) -> list[Any]:
    """The loops of a statement that are around writes, outermost first; an inner one hides an outer one of its name."""
    found: list[Any] = []
    for write in writes:
        found += [loop for loop in reversed(around(write)) if loop not in found]
    return [loop for loop in found if loop == stmt or stmt.is_ancestor_of(loop)]


def around(place: Any, stop: Any = None) -> list[Any]:
    """The loops around a place, innermost first, up to stop, which is not among them."""
    found = []
    parent = place.parent()
    while parent and parent != stop:
        if isinstance(parent, ForCursor):
            found.append(parent)
        parent = parent.parent()
    return found


def _find_dims(func: Func) -> None:
    """What the first stage's indices are: each an iterator plus a number, or None."""
    write = func.stages[0].writes[0]
    names = {loop.name() for loop in func.stages[0].loops.values()}
    for index in write.idx():
        name, offset = iterator_plus(index)
        taken = name in func.dims
        func.dims.append(name if name in names and not taken else None)
        func.offsets.append(offset)


def iterator_plus(index: Any) -> tuple[str | None, int]:
    """An index `i`, `i + c`, `c + i` or `i - c` as the name and the number; no name if it is something else."""
    match index:
        case ReadCursor() if not index.idx():
            return index.name(), 0
        case BinaryOpCursor() if index.op() in ("+", "-"):
            left, right = index.lhs(), index.rhs()
            if isinstance(left, LiteralCursor) and index.op() == "+":
                left, right = right, left
            if isinstance(left, ReadCursor) and not left.idx() and isinstance(right, LiteralCursor):
                value = int(right.value())
                return left.name(), value if index.op() == "+" else -value
            found = affine(index)
            if found is not None and len(found.terms) == 1 and next(iter(found.terms.values())) == 1:
                return next(iter(found.terms)), found.constant
    return None, 0


def reads(scope: Any, name: str) -> Iterator[Any]:
    """The statements in scope that read a buffer, once each."""
    if not _may_mention(scope, name):
        return
    for stmt in statements(scope):
        if not _may_mention(stmt, name):
            continue
        parts: list[Any]
        match stmt:
            case AssignCursor() | ReduceCursor():
                parts = [*stmt.idx(), stmt.rhs()]
            case IfCursor():
                parts = [stmt.cond()]
            case CallCursor():
                parts = list(stmt.args())
            case WindowStmtCursor():
                parts = [stmt.winexpr()]
            case _:
                continue
        if any(each.name() == name for part in parts for each in walk(part, ReadCursor, WindowExprCursor)):
            yield stmt


def _may_mention(code: Any, name: str) -> bool:
    """Whether code mentions what may be printed as name (the second of two buffers t is t_1): seen without a walk."""
    if isinstance(code, Procedure):
        nodes: list[Any] = [code.ir]
    else:
        nodes = [each.node for each in code] if isinstance(code, BlockCursor) else [code.node]
    return any(name == each.name or name.startswith(f"{each.name}_") for node in nodes for each in mentioned(node))


def text_of(expression: Any) -> str:
    """An expression as it is printed."""
    return head_line(expression.owner.ir, expression.node).strip()


def did_you_mean(name: str, known: Iterable[str]) -> list[str]:
    """The note that names what may have been meant, if anything."""
    close = get_close_matches(name, list(known), n=1)
    return [f"did you mean {close[0]}?"] if close else []
