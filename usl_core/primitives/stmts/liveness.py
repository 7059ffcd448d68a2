"""Whether a value that is no longer written would have been read."""

from __future__ import annotations

from collections.abc import Iterator

from usl_core.analysis.conflict import Values, overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Kind, fresh
from usl_core.cursors.path import Path, stmt_list
from usl_core.ir.nodes import Alloc, Block, For, Proc
from usl_core.ir.sym import Sym
from usl_core.primitives.moving import effect


def read_later(old: Proc, new: Proc, path: Path, place: Access) -> tuple[Access, Values] | None:
    """A read in new that may see what the statement at path of old wrote to place, and values that make it do so.

    new is old without that statement; nothing else has moved. place is in terms of allocations, and its buffer is one. A read
    counts if it may run later, in a later iteration of a loop around too, and may be of the same location, whatever is
    written there in between.
    """
    ctx = Context.at(old, path)
    level = _level_of_alloc(old, path, place.buffer)
    for start, block in _later(new, path, level):
        here = Context.at(new, start)
        for access in effect(here, block).accesses:
            if access.buffer is place.buffer and access.kind is not Kind.WRITE:
                found = overlap([*here.facts, *ctx.facts], fresh(access), place)  # maybe in another iteration
                if found is not None:
                    return access, found
    return None


def _level_of_alloc(proc: Proc, path: Path, name: Sym) -> int:
    """How many steps of path lead to the owner of the list that allocates name."""
    for level, (field, index) in enumerate(path):
        block = stmt_list(proc, path[:level], field)
        if any(isinstance(stmt, Alloc) and stmt.name is name for stmt in block[:index]):
            return level
    raise AssertionError(f"{name!r} is not allocated before the statement")


def _later(proc: Proc, path: Path, level: int) -> Iterator[tuple[Path, Block]]:
    """The statements that may run after the place at path, as blocks with the paths of their first statements.

    Everything in the outermost loop below level may run again; what is around that loop, from level on, runs later where it
    stands later.
    """
    for end in range(level, len(path)):
        field, index = path[end]
        assert index is not None
        block = stmt_list(proc, path[:end], field)
        last = end == len(path) - 1
        repeats = not last and isinstance(block[index], For)
        start = index if last or repeats else index + 1
        if start < len(block):
            yield (*path[:end], (field, start)), block[start:]
        if repeats:
            return
