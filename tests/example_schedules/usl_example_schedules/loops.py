"""Schedules for all loops of a procedure."""

from __future__ import annotations

from typing import Any

from usl_core import Procedure, SchedulingError, parallelize_loop
from usl_stdlib import LoopKind, classify, enclosing_loops, top_down


def parallelize_outermost(p: Procedure) -> Procedure:
    """Every loop in parallel whose iterations are independent, and that is in no other parallel loop. What is refused stays."""
    return top_down(_if_independent)(p)


def _if_independent(p: Procedure, loop: Any) -> Procedure:
    if any(outer.mode() == "par" for outer in enclosing_loops(loop)):
        raise SchedulingError("parallelize_outermost: the loop is in a parallel loop")
    if classify(loop).kind is not LoopKind.MAP:
        raise SchedulingError("parallelize_outermost: the iterations of the loop depend on each other")
    return parallelize_loop(p, loop)
