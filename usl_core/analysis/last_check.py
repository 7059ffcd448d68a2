"""The last check: procedures proved as a whole, in copies of which nothing is remembered.

An operator proves again what it changed, and takes the rest from what nodes and this process remember. A mistake there is met
here, before anything is made of a procedure: its form and every obligation are checked from the text alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from usl_core.analysis.obligations import check_proc_invariant
from usl_core.analysis.parallel import check_parallel
from usl_core.analysis.solver import nothing_remembered
from usl_core.collector import collected_later
from usl_core.errors import UslError
from usl_core.ir.nodes import Call, Node, Proc
from usl_core.ir.traverse import map_children, update
from usl_core.ir.verify import problems
from usl_core.profiling import profiled


@contextmanager
def last_check(procs: Sequence[Proc]) -> Iterator[dict[Proc, Proc]]:
    """Gives copies of procs and of all that they call, by their originals; everything is proved of each copy. Inside nothing
    is remembered either, so that what is made of the copies there relies on them alone.

    Raises:
        UslError: a procedure is ill-formed, which is a bug of an operator. BoundsError, BackendError, Undecided: an obligation
            fails or cannot be decided, or iterations of a `par` loop may interfere.
    """
    copies: dict[Proc, Proc] = {}
    with nothing_remembered():
        with collected_later():
            for proc in procs:
                fresh_copy(proc, copies)
            for copy in copies.values():
                _check(copy)
        yield copies


def fresh_copy(proc: Proc, copies: dict[Proc, Proc]) -> Proc:
    """proc in new nodes, of which nothing is known, with its callees copied likewise; callees come into copies first."""

    def copied(node: Node) -> Node:
        new = map_children(node, copied)
        if isinstance(new, Call):
            return update(new, proc=fresh_copy(new.proc, copies))
        return update(node) if new is node else new

    if proc not in copies:
        new = copied(proc)
        assert isinstance(new, Proc)
        copies[proc] = new
    return copies[proc]


@profiled("analysis", "last check")
def _check(proc: Proc) -> None:
    found = problems(proc)
    if found:
        notes = [*found, "hint: an operator made it so, which is a bug; please report it"]
        raise UslError(f"{proc.name} is ill-formed", span=proc.span, notes=notes, code="E002")
    check_proc_invariant(proc)
    check_parallel(proc)
