"""Whether a call can come of a block at all, found cheaply: most tries of `replace` are made to fail.

Two tests in front of unification: the shapes of the statements (`usl_core.ir.shape`), and where the buffers of the block live.
What they let through is unified and compared as ever, and what they refuse, that would refuse too, for a reason that is looked
for only when somebody reads the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from usl_core.cursors.path import BlockLoc, Path, stmts
from usl_core.errors import SchedulingError, Span
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.nodes import Alloc, Assign, Block, ExprBase, For, If, Node, Proc, Read, Reduce, SimpleStmt, WindowStmt
from usl_core.ir.shape import shape
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import binders, children, get_field, rename
from usl_core.ir.types import ControlType

_RENAMED: WeakKeyDictionary[Proc, Proc] = WeakKeyDictionary()


def renamed(callee: Proc) -> Proc:
    """callee with names of its own, which no block to be unified with it has."""
    found = _RENAMED.get(callee)
    if found is None:
        found = _RENAMED[callee] = rename(callee, {name: name.copy() for name in binders(callee)})
    return found


Explained = tuple[str, Span | None, Sequence[str]]
"""The message, span and notes of an error."""


def refuse_mismatch(explain: Callable[[], Explained]) -> NoReturn:
    """Raise the refusal of a block that is no call."""
    raise SchedulingError.deferred(explain, "E430")


def turn_away(proc: Proc, loc: BlockLoc, callee: Proc, explain: Callable[[], Explained]) -> None:
    """Refuse a block that does not fit callee."""
    if not fits(proc, loc, callee):
        refuse_mismatch(explain)


def alike(body: Block, block: Block) -> bool:
    """Whether the statements have the shapes of those of a callee's body."""
    return len(body) == len(block) and all(shape(a) == shape(b) for a, b in zip(body, block, strict=True))


def fits(proc: Proc, loc: BlockLoc, callee: Proc) -> bool:
    """Whether a call of callee may stand for a block: False only if unification or the memories of its arguments refuse it."""
    block = stmts(proc, loc)
    return alike(callee.body, block) and _well_placed(proc, loc, callee, block)


def _well_placed(proc: Proc, loc: BlockLoc, callee: Proc, block: Block) -> bool:
    """Whether the buffers that stand for callee's formals are in their memories, and one buffer for each formal."""
    wanted = {arg.name: arg.mem or DRAM for arg in callee.args if not isinstance(arg.type, ControlType)}
    buffers: dict[Sym, Sym] = {}
    for formal, buffer in _matched(callee.body, block):
        if formal in wanted and buffers.setdefault(formal, buffer) is not buffer:
            return False
    found = memories(proc, (*loc.parent, (loc.field, loc.lo)), set(buffers.values()))
    return all(issubclass(found.get(buffer, wanted[formal]), wanted[formal]) for formal, buffer in buffers.items())


def _matched(body: Block, block: Block) -> Iterator[tuple[Sym, Sym]]:
    """The names of data that stand at the same places of two blocks of one shape."""
    other: Sequence[Any] = block  # of the same kinds
    for a, b in zip(body, other, strict=True):
        match a:
            case Assign() | Reduce():
                yield a.name, b.name
                yield from _matched_data(a.rhs, b.rhs)
            case For():
                yield from _matched(a.body, b.body)
            case If():
                yield from _matched(a.body, b.body)
                yield from _matched(a.orelse, b.orelse)
            case SimpleStmt():
                pass


def _matched_data(a: Node, b: Node) -> Iterator[tuple[Sym, Sym]]:
    if isinstance(a, ExprBase) and isinstance(a.type, ControlType):
        return
    if isinstance(a, Read):
        if isinstance(b, Read):
            yield a.name, b.name
        return
    for (_, x), (_, y) in zip(children(a), children(b), strict=False):
        yield from _matched_data(x, y)


def memories(proc: Proc, path: Path, names: set[Sym]) -> dict[Sym, MemoryClass]:
    """The memories of those of names that are bound before the statement at path: a window is where its buffer is."""
    found = {arg.name: arg.mem or DRAM for arg in proc.args if arg.name in names}
    missing = names - found.keys()
    for earlier in _blocks_before(proc, path) if missing else ():
        for stmt in reversed(earlier):
            if isinstance(stmt, Alloc | WindowStmt) and stmt.name in missing:
                found |= _memory(proc, path, stmt)
                missing = missing - {stmt.name}
                if not missing:
                    return found
    return found


def _memory(proc: Proc, path: Path, stmt: Alloc | WindowStmt) -> dict[Sym, MemoryClass]:
    if isinstance(stmt, Alloc):
        return {stmt.name: stmt.mem}
    looked_at = stmt.rhs.name
    found = memories(proc, path, {looked_at})
    return {stmt.name: found[looked_at]} if looked_at in found else {}


def _blocks_before(proc: Proc, path: Path) -> Iterator[Block]:
    """The statements before the one at path in its list, then those before the statement around it, and so on."""
    nodes: list[Block] = []
    node: Node = proc
    for field, index in path:
        block: Block = get_field(node, field)
        assert index is not None
        nodes.append(block[:index])
        node = block[index]
    return reversed(nodes)
