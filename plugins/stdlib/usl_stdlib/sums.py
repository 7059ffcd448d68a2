"""Finding the sums of a loop: locations that it only adds to, or reduces into by another operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from usl_core import Procedure
from usl_core.cursors import AllocCursor, AssignCursor, CallCursor, ForCursor, ReadCursor, ReduceCursor, WindowExprCursor
from usl_core.errors import SchedulingError
from usl_stdlib.bounds import infer_bounds
from usl_stdlib.expressions import expressions, mentions, statements, text, window_text
from usl_stdlib.inspection import children, walk
from usl_stdlib.ranges import Range
from usl_stdlib.symbolic import polynomial


@dataclass(frozen=True, slots=True)
class Sum:
    """What a loop adds up, or reduces by another operation, in one buffer: a location, a window, or several of them that are
    neighbours, as one window.

    split is the number of dimensions, the first ones that the window keeps, in which the locations differ: 0 for a single one.
    wide says that each is a window itself.
    """

    buffer: str
    window: str
    split: int
    wide: bool


def reductions(loop: ForCursor) -> list[Sum]:
    """The sums of a loop, buffer by buffer.

    Raises:
        SchedulingError: it adds to several locations of one buffer that are no neighbours.
    """
    found: dict[str, dict[str, tuple[Any, ...]]] = {}
    spoilt: set[str] = set()
    ops: dict[str, str] = {}
    inner = {stmt.name() for stmt in statements(loop.body()) if isinstance(stmt, ForCursor | AllocCursor)}
    for stmt in statements(loop.body()):
        for name, window, op in _added(stmt):
            if ops.setdefault(name, op) != op:
                spoilt.add(name)
            entries = [each for entry in window for each in (entry if isinstance(entry, tuple) else (entry,))]
            if name in inner or any(mentions(entry, each) for entry in entries for each in (loop.name(), *inner)):
                spoilt.add(name)
            found.setdefault(name, {})[window_text(name, window)] = window
        spoilt |= _otherwise_used(stmt)
    return [_sum(loop, name, windows) for name, windows in found.items() if name not in spoilt]


def _sum(loop: ForCursor, name: str, windows: dict[str, tuple[Any, ...]]) -> Sum:
    """The window that holds all the windows of a buffer which a loop adds to."""
    wide = any(isinstance(entry, tuple) for window in windows.values() for entry in window)
    if len(windows) == 1:
        return Sum(name, min(windows), 0, wide)
    entries = [[_entry(each) for each in window] for window in windows.values()]
    ranges = infer_bounds(loop.body(), name).ranges
    apart = _apart(entries, ranges)
    if not apart or any(isinstance(each, tuple) for window in windows.values() for each in window[: apart[-1] + 1]):
        raise SchedulingError(
            f"the loop {loop.name()} adds to several locations of {name} that are no block: {', '.join(sorted(windows))}",
            span=loop.node.span,
            notes=["hint: stage each in a buffer of its own, or give each a loop of its own by fission"],
            code="E460",
        )
    shown = [str(ranges[dim]) if dim in apart else each for dim, each in enumerate(entries[0])]
    return Sum(name, f"{name}[{', '.join(shown)}]", len(apart), wide)


def _apart(entries: Sequence[Sequence[str]], ranges: Sequence[Range]) -> list[int]:
    """The dimensions in which the locations of a block differ; none if they are no block. A whole buffer has no entries."""
    if len({len(each) for each in entries}) > 1:
        return []
    apart = [dim for dim, shown in enumerate(zip(*entries, strict=True)) if len(set(shown)) > 1]
    size = prod((ranges[dim].size for dim in apart), start=polynomial(1)).constant
    return apart if size is not None and size <= len(entries) else []


def _entry(entry: Any) -> str:
    return f"{text(entry[0])}:{text(entry[1])}" if isinstance(entry, tuple) else text(entry)


def _added(stmt: Any) -> Iterator[tuple[str, tuple[Any, ...], str]]:
    """The locations that a statement only adds to, or reduces into by another operation, and that operation."""
    if isinstance(stmt, ReduceCursor):
        yield stmt.name(), stmt.idx(), stmt.op()
    elif isinstance(stmt, CallCursor):
        for formal, arg in zip(stmt.subproc().args(), stmt.args(), strict=True):
            if isinstance(arg, WindowExprCursor | ReadCursor) and (op := _only_adds(stmt.subproc(), formal.name())):
                yield arg.name(), arg.idx(), op


def _otherwise_used(stmt: Any) -> set[str]:
    """The buffers that a statement reads or overwrites."""
    used = {stmt.name()} if isinstance(stmt, AssignCursor) else set()
    exprs = expressions(stmt)
    if isinstance(stmt, CallCursor):
        formals = stmt.subproc().args()
        adds = [isinstance(arg, WindowExprCursor | ReadCursor) for arg in exprs]
        added = [ok and bool(_only_adds(stmt.subproc(), f.name())) for ok, f in zip(adds, formals, strict=True)]
        exprs = tuple([e for arg, ok in zip(exprs, added, strict=True) for e in (children(arg) if ok else (arg,))])
    return used | {each.name() for expr in exprs for each in walk(expr, ReadCursor, WindowExprCursor)}


def _only_adds(callee: Procedure, formal: str) -> str:
    """The operation by which a callee reduces into a formal, if it does nothing else with it; else nothing."""
    stmts = list(statements(callee))
    ops = {stmt.op() for stmt in stmts if isinstance(stmt, ReduceCursor) and stmt.name() == formal}
    return ops.pop() if len(ops) == 1 and all(formal not in _otherwise_used(stmt) for stmt in stmts) else ""
