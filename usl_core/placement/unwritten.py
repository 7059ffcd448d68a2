"""Buffers that are certainly read before anything has been written to them, as far as the text shows it.

A local memory is not cleared: such a program would compute with what some other one has left there. Only what is certain is
refused: the first statement that mentions the buffer reads it, and no `if` and no loop that may not run stands around it.
"""

from __future__ import annotations

from usl_core.errors import BackendError, Span
from usl_core.ir.nodes import (
    Alloc,
    Assign,
    Block,
    Call,
    For,
    If,
    Literal,
    Node,
    Proc,
    Read,
    Reduce,
    SimpleStmt,
    Stmt,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import child_nodes, walk
from usl_core.ir.types import SIZE
from usl_core.placement.memory import PlacedMemory
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class _First:
    """The first mention of a buffer: whether it is certainly a read, and where."""

    read: bool
    span: Span


def require_written(proc: Proc) -> None:
    """Raises: BackendError: a buffer in a memory that is placed is read before it is written, if it is read at all."""
    sizes = frozenset(arg.name for arg in proc.args if arg.type is SIZE)
    _search(proc.body, sizes)


def _search(block: Block, sizes: frozenset[Sym]) -> None:
    for position, stmt in enumerate(block):
        match stmt:
            case Alloc() if issubclass(stmt.mem, PlacedMemory):
                found = _first(block[position + 1 :], {stmt.name}, sizes, True)
                if found is not None and found.read:
                    raise BackendError(
                        f"{stmt.name.name} in memory {stmt.mem.name} is read before anything is written to it",
                        span=found.span,
                        notes=("hint: load it, or clear it, first: the memory holds what some other program has left there",),
                    )
            case For(body=body):
                _search(body, sizes)
            case If(body=body, orelse=orelse):
                _search(body, sizes)
                _search(orelse, sizes)
            case SimpleStmt():
                pass


def _first(block: Block, names: set[Sym], sizes: frozenset[Sym], outermost: bool) -> _First | None:
    """The first mention of a buffer, which has these names, in block; outermost: no loop is around it.

    A loop that is outermost and does not run is left for good, so that what stands behind it does not come first later.
    """
    for stmt in block:
        if isinstance(stmt, WindowStmt):
            if stmt.rhs.name in names:
                names.add(stmt.name)
            continue
        found = _in_stmt(stmt, names, sizes, outermost)
        if found is not None:
            return found
    return None


def _in_stmt(stmt: Stmt, names: set[Sym], sizes: frozenset[Sym], outermost: bool) -> _First | None:
    match stmt:
        case For(body=body):
            found = _first(body, names, sizes, False)
            if found is not None and found.read and not (outermost or _runs(stmt, sizes)):
                return _First(False, found.span)
            return found
        case If():
            inside = (node for branch in (stmt.body, stmt.orelse) for each in branch for node in walk(each))
            return _First(False, stmt.span) if any(_is_of(node, names) for node in inside) else None
        case Assign(name=name, rhs=rhs) if name in names:
            return _First(any(_is_of(node, names) for node in walk(rhs)), stmt.span)
        case Reduce(name=name) if name in names:
            return _First(True, stmt.span)
        case Call(proc=callee):
            return _in_call(stmt, callee, names)
        case SimpleStmt():
            read = any(_is_of(node, names) for child in child_nodes(stmt) for node in walk(child))
            return _First(True, stmt.span) if read else None


def _in_call(call: Call, callee: Proc, names: set[Sym]) -> _First | None:
    pairs = list(zip(callee.args, call.args, strict=True))
    if any(_is_of(node, names) for _, actual in pairs if not isinstance(actual, Read | WindowExpr) for node in walk(actual)):
        return _First(True, call.span)
    inside = {formal.name for formal, actual in pairs if _is_of(actual, names)}
    if not inside:
        return None
    found = _first(callee.body, inside, frozenset(arg.name for arg in callee.args if arg.type is SIZE), True)
    return None if found is None else _First(found.read, call.span)


def _runs(loop: For, sizes: frozenset[Sym]) -> bool:
    """Whether a loop runs, by its limits alone: `seq(0, 4)`, or `seq(0, n)` with a size n."""
    lo, hi = loop.lo, loop.hi
    if not isinstance(lo, Literal):
        return False
    if isinstance(hi, Literal):
        return int(lo.value) < int(hi.value)
    return isinstance(hi, Read) and lo.value == 0 and hi.name in sizes


def _is_of(node: Node, names: set[Sym]) -> bool:
    return isinstance(node, Read | WindowExpr) and node.name in names
