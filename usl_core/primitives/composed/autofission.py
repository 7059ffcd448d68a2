"""autofission: fission, and loops that it left without work are removed."""

from __future__ import annotations

from collections.abc import Callable

from usl_core.arguments import checked
from usl_core.cursors.cursor import make_cursor
from usl_core.cursors.path import GapLoc, NodeLoc, Path, after, block_of, get_stmt, next_place, stmt_list, stmt_path
from usl_core.errors import SchedulingError
from usl_core.ir.nodes import For
from usl_core.ir.traverse import free_names
from usl_core.primitives.base import require
from usl_core.primitives.locate import Where, gap_at
from usl_core.primitives.loops.fission import fission
from usl_core.primitives.loops.remove_loop import remove_loop
from usl_core.primitives.operators import as_operator
from usl_core.procedure import Procedure


@checked
@as_operator()
def autofission(
    proc: Procedure, gap: Where, n_lifts: int | None = 1, report: Callable[[SchedulingError], object] | None = None
) -> Procedure:
    """Split the loop around a gap with `fission`, n_lifts times, and drop each loop that then only repeats itself.

        for i in seq(a, b):          s1
            s1               ~>      for i in seq(a, b):
            s2                           s2

    for an s1 that does not use i and may run again without effect (`remove_loop`: under `if a < b`, unless the loop is proved
    to run). Where these conditions fail, both loops stay. History shows the steps one by one.

    With n_lifts None everything around the gap is split. With report it goes as far as it can: report is called with the
    refusal at which it stopped (`report=print` shows it), and the result is what was split until then.

    Raises:
        SchedulingError: `fission` refuses, and there is no report. Undecided: the solver could not tell whether a loop may go.
    Forwarding: as `fission`, then `remove_loop`.
    """
    require(n_lifts is None or n_lifts >= 1, f"n_lifts must be at least 1, got {n_lifts}")
    place = gap_at(proc, gap)

    for _ in range(max(1, len(place.parent)) if n_lifts is None else n_lifts):
        try:
            proc, place = _one_lift(proc, place)
        except SchedulingError as refusal:
            if report is None:
                raise
            report(refusal)
            break
    return proc


def _one_lift(proc: Procedure, gap: GapLoc) -> tuple[Procedure, GapLoc]:
    """The result of splitting what is around gap, and the gap between its halves."""
    proc = fission(proc, make_cursor(proc, gap))
    first = gap.parent
    proc = _without_loop(proc, next_place(first))
    block = block_of(first)
    before = len(stmt_list(proc.ir, block.parent, block.field))
    proc = _without_loop(proc, first)
    added = len(stmt_list(proc.ir, block.parent, block.field)) - before
    return proc, after(stmt_path(block, added))


def _without_loop(proc: Procedure, path: Path) -> Procedure:
    """proc without the loop at path, if what is there is a loop that need not be one."""
    stmt = get_stmt(proc.ir, path)
    if not isinstance(stmt, For) or stmt.iter in free_names(*stmt.body):
        return proc
    try:
        return remove_loop(proc, make_cursor(proc, NodeLoc(path)))
    except SchedulingError:
        return proc
