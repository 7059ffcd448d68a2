"""Loads between the iterations of a loop of another length, so that no burst of them waits: `spread_into`."""

from __future__ import annotations

from typing import Any, Literal

from usl_core import Procedure
from usl_core.cursors import ForCursor, LiteralCursor
from usl_core.errors import SchedulingError
from usl_core.scheduling import divide_loop, fuse, rename_loop, reorder_stmts, shift_loop, unroll_loop
from usl_stdlib.expressions import loop_at
from usl_stdlib.reporting import explained

Tail = Literal["bound", "guard"]
"""What becomes of a last share of the work that is smaller."""


@explained
def spread_into(
    p: Procedure, loads: Any, into: Any, *, trips: tuple[int, int] | None = None, tail: Tail = "bound"
) -> tuple[Procedure, ForCursor]:
    """Distribute the iterations of a loop evenly over those of a later loop of the same block, which may be longer or shorter.

        for l in seq(0, 6):              for i in seq(0, 4):
            load(a, l)                       if i < 3:
        for i in seq(0, 4):      ~>              for l_each in seq(0, 2): load(a, 2 * i + l_each)
            use(b, i)                        use(b, i)

    The first iterations of the second loop get the work of the first, as many each as need be. Both count from 0 afterwards.
    trips says how often the two run, where their bounds are no numbers; it is proved. Where the last iteration with work has
    less of it, its loop is shorter; with tail="guard" an `if` in the loop says so, which then has the same number of iterations
    each time and can be spread again.

    Returns the procedure and the loop.

    Raises:
        SchedulingError: a bound is no number, without trips; a loop never runs; the loads do not commute with what stands
        between the loops, or with what iterations of the second do that now come before them.
    """
    first, second = loop_at(p, loads), loop_at(p, into)
    count, room = trips or (_trips(first), _trips(second))
    name, kept = first.name(), second.name()
    p = shift_loop(shift_loop(p, first, 0), second, 0)
    while p.forward(first).next() != p.forward(second):
        p = reorder_stmts(p, p.forward(first).expand(0, 1))
    each = -(-count // room)
    work = first.body()[0]
    if each > 1:
        p = divide_loop(p, first, each, [name, f"{name}_each"], tail=tail if count % each else "perfect")
    turns = -(-count // each)
    if turns < room:
        outer = _around(p, work, name)
        p = divide_loop(p, outer, room, [f"{name}_all", name], tail="guard")
        p = unroll_loop(p, _around(p, work, f"{name}_all"))
    p = fuse(p, _around(p, work, name), p.forward(second))
    if p.forward(second).name() != kept:
        p = rename_loop(p, p.forward(second), kept)
    return p, p.forward(second)


def _trips(loop: ForCursor) -> int:
    """How often a loop runs, which its bounds must say."""
    lo, hi = loop.lo(), loop.hi()
    if not (isinstance(lo, LiteralCursor) and isinstance(hi, LiteralCursor) and hi.value() > lo.value()):
        message = f"spread_into: the bounds of loop {loop.name()} must be numbers, and it must run"
        raise SchedulingError(message, span=loop.node.span, code="E404")
    return int(hi.value() - lo.value())


def _around(p: Procedure, stmt: Any, name: str) -> ForCursor:
    """The nearest loop called name around a statement."""
    here: Any = p.forward(stmt).parent()
    while not (isinstance(here, ForCursor) and here.name() == name):
        here = here.parent()
    return here
