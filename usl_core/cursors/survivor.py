"""What is left near code that is gone, so that an error can point at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import assert_never

from usl_core.cursors.path import ArgLoc, BlockLoc, Dead, GapLoc, Loc, NodeLoc, Path, anchor_path, get, stmt_list, stmt_path
from usl_core.ir.nodes import Interval, Proc


def nearest_survivor(proc: Proc, loc: Loc, follow: Callable[[Loc], Loc]) -> Path | None:
    """Where the nearest code to loc of proc is in the tree that follow leads to, or None if none is left.

    Statements of a block that live come first, then what is around loc from the inside out, then the neighbours of the
    outermost statement, the closest first.
    """
    for path in _by_nearness(proc, loc):
        found = follow(NodeLoc(path))
        if isinstance(found, NodeLoc):
            return found.path
    return None


def _by_nearness(proc: Proc, loc: Loc) -> Iterator[Path]:
    start = _first_path(loc)
    if not start:
        return
    if isinstance(loc, BlockLoc):
        yield from (stmt_path(loc, offset) for offset in range(loc.hi - loc.lo))
    for length in range(len(start), 0, -1):
        if not isinstance(get(proc, start[:length]), Interval):
            yield start[:length]
    field, index = start[0]
    if field == "body" and index is not None:
        count = len(stmt_list(proc, (), field))
        for other in sorted(range(count), key=lambda position: (abs(position - index), position)):
            yield ((field, other),)


def _first_path(loc: Loc) -> Path:
    match loc:
        case NodeLoc(path):
            return path
        case BlockLoc():
            return stmt_path(loc, 0)
        case GapLoc():
            return anchor_path(loc)
        case ArgLoc() | Dead():
            return ()
        case _:
            assert_never(loc)
