"""The reference-counted heap semantics (docs/semantics.md, §9), extended to every form of `ir`.

The machine keeps, besides the heap with its counts, how many references each variable of each activation owns. It refuses to
go on when a program uses a block that is gone, gives up a reference that it does not own, or lets an activation end that
still owns something (`Fault`). `check_counts` and `check_garbage_free` state the two theorems for one state.
Threads run at once, when they are spawned.
"""

from __future__ import annotations

from collections.abc import Mapping

from perceus_semantics import standard
from perceus_semantics.heap.crossing import to_standard
from perceus_semantics.heap.machine import Machine, Observer
from perceus_semantics.heap.state import State
from perceus_semantics.heap.theorems import check_counts, check_garbage_free
from perceus_semantics.heap.values import Fault, Stats
from perceus_semantics.standard import Foreign
from usl_perceus.ir import Program

__all__ = ["Fault", "Observer", "State", "Stats", "check_counts", "check_garbage_free", "run"]


def run(
    program: Program,
    fun: str,
    *,
    fuel: int = 1_000_000,
    observer: Observer | None = None,
    foreigns: Mapping[str, Foreign] | None = None,
    output: list[bytes] | None = None,
    stats: Stats | None = None,
) -> object:
    """What a call of fun without arguments gives, as `standard.plain` shows it. Afterwards the heap is empty.

    observer is called before each step that is not a resource operation.

    Raises:
        Fault: ownership is broken, or the heap is not empty at the end.
        OutOfFuel: after fuel steps.
    """
    machine = Machine(program, observer, foreigns or {}, [] if output is None else output, fuel)
    value, raised = machine.run(fun)
    shown = standard.plain(to_standard(machine, value))
    machine.drop(value)
    if stats is not None:
        for name in Stats.__slots__:
            setattr(stats, name, getattr(machine.stats, name))
    if machine.heap or machine.tokens:
        raise Fault(f"the heap is not empty at the end: {machine.describe()}")
    return ("raise", shown) if raised else shown
