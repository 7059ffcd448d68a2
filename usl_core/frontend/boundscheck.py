"""The static checks of a whole procedure: bounds, ranges, extents, calls. See `usl_core.analysis.obligations`."""

from __future__ import annotations

from usl_core.analysis.obligations import check_proc_invariant
from usl_core.ir.nodes import Proc
from usl_core.profiling import profiled


@profiled("frontend", "check")
def check_proc(proc: Proc) -> None:
    """Prove that every access of proc is in bounds, every range ordered and every call legal.

    Raises:
        BoundsError: with values of sizes and iterators that break an obligation.
        Undecided: the solver could not tell.
    """
    check_proc_invariant(proc)
