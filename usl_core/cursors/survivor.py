"""What is left near code that is gone, so that an error can point at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from usl_core.cursors.path import ArgLoc, BlockLoc, Loc, NodeLoc, Path, get, paths_of, stmt_list
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
    lost = paths_of(loc)
    if not lost or isinstance(loc, ArgLoc):
        return
    start = lost[0]
    if isinstance(loc, BlockLoc):
        yield from lost
    for length in range(len(start), 0, -1):
        if not isinstance(get(proc, start[:length]), Interval):
            yield start[:length]
    field, index = start[0]
    if field == "body" and index is not None:
        count = len(stmt_list(proc, (), field))
        for other in sorted(range(count), key=lambda position: (abs(position - index), position)):
            yield ((field, other),)
