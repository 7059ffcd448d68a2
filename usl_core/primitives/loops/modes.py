"""Parallel loops under operators: those that an operator makes of others, and those around what it changes."""

from __future__ import annotations

from usl_core.analysis.context import Context
from usl_core.analysis.parallel import why_not_parallelizable
from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import NodeLoc, Path, get_stmt
from usl_core.errors import Undecided
from usl_core.ir.nodes import For, LoopMode, Proc
from usl_core.primitives.base import require_no


def parallel_if_free_of_races(edit: Edit, path: Path) -> Edit:
    """edit, with the loop that is now at path made sequential if it is `par` and its iterations are not proved independent."""
    loop = get_stmt(edit.proc, path)
    assert isinstance(loop, For)
    if loop.mode is LoopMode.SEQ or _is_parallelizable(edit.proc, path, loop):
        return edit
    return edit.update(Now(NodeLoc(path)), mode=LoopMode.SEQ)


def require_still_parallel(edit: Edit, path: Path) -> None:
    """The `par` loops of the original around path, which the edit changes inside only, stay free of races, or the operator
    refuses.

    A loop that may race already is left to the check before code generation.
    """
    for depth in range(1, len(path) + 1):
        old = get_stmt(edit.origin, path[:depth])
        if not isinstance(old, For):
            continue
        now = edit.path(NodeLoc(path[:depth]))
        loop = get_stmt(edit.proc, now)
        if isinstance(loop, For) and loop.mode is LoopMode.PAR:
            conflict = why_not_parallelizable(Context.at(edit.proc, now), loop)
            if conflict is not None and _is_parallelizable(edit.origin, path[:depth], old):
                require_no(conflict, f"the iterations of parallel loop {loop.iter.name} would interfere", loop.span)


def _is_parallelizable(proc: Proc, path: Path, loop: For) -> bool:
    try:
        return why_not_parallelizable(Context.at(proc, path), loop) is None
    except Undecided:
        return False
