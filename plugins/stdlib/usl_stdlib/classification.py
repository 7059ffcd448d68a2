"""What kind of loop a loop is, read off its accesses: a guess that says which operators are worth trying."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from usl_core.cursors import AllocCursor, AssignConfigCursor, CallCursor, CheckCursor, ForCursor
from usl_stdlib.accesses import Access, accesses, known_at
from usl_stdlib.inspection import Code, enclosing, require_cursor, walk
from usl_stdlib.ranges import Known, NotLinear, end
from usl_stdlib.symbolic import Polynomial


class LoopKind(Enum):
    """How the iterations of a loop depend on each other."""

    MAP = "map"
    """No iteration touches what another writes."""
    REDUCTION = "reduction"
    """Iterations meet only where they reduce into the same places, by one operation for each buffer."""
    SEQUENTIAL = "sequential"
    """An iteration may need what earlier ones did."""


@dataclass(frozen=True, slots=True)
class LoopClass:
    """What `classify` found: the kind, and the buffers in which iterations may meet, by name."""

    kind: LoopKind
    carried: tuple[str, ...] = ()


def classify(loop: ForCursor) -> LoopClass:
    """Whether the iterations of a loop are independent, add into the same places, or may need one another.

        for i in seq(0, n): y[i] = 2.0 * x[i]          map
        for i in seq(0, n): s += x[i]                  reduction, carried: s
        for i in seq(1, n): x[i] = x[i - 1]            sequential, carried: x

    Iterations are apart in a buffer if in one of its dimensions the boxes that they access are. That is a simple test: a loop
    called sequential may be a map, and a map is not proved to be one; `parallelize_loop` asks for the proof.

    Raises:
        SchedulingError: loop is no cursor to a loop.
    """
    require_cursor("classify", loop, ForCursor)
    if _has_order(loop):
        return LoopClass(LoopKind.SEQUENTIAL)
    carried: list[str] = []
    sums = True
    for group in _shared_and_written(loop):
        if not _apart(loop.name(), group, known_at(loop)):
            carried.append(group[0].buffer.name)
            sums = sums and all(each.kind == "reduce" and each.op == group[0].op for each in group)
    if not carried:
        return LoopClass(LoopKind.MAP)
    return LoopClass(LoopKind.REDUCTION if sums else LoopKind.SEQUENTIAL, tuple(carried))


def _has_order(code: Code) -> bool:
    """Whether code writes configuration or may stop the program, callees included."""
    for stmt in walk(code, AssignConfigCursor, CheckCursor, CallCursor):
        if not isinstance(stmt, CallCursor) or _has_order(stmt.subproc()):
            return True
    return False


def _shared_and_written(loop: ForCursor) -> list[list[Access]]:
    """The accesses in an iteration to each buffer that outlives it and is written."""
    groups: dict[int, list[Access]] = {}
    for access in accesses(loop.body()):
        declared = access.buffer.declaration
        if not (isinstance(declared, AllocCursor) and loop in enclosing(declared)):
            groups.setdefault(id(access.buffer), []).append(access)
    return [group for group in groups.values() if any(each.kind != "read" for each in group)]


def _apart(iterator: str, group: Sequence[Access], known: Known) -> bool:
    """Whether two iterations never touch one element, seen from one dimension."""
    return any(_apart_in(dim, iterator, group, known) for dim in range(len(group[0].index)))


def _apart_in(dim: int, iterator: str, group: Sequence[Access], known: Known) -> bool:
    """In this dimension every access is within `a * i + base` and a further elements, with one a >= 1 and one base."""
    lows: list[Polynomial] = []
    highs: list[Polynomial] = []
    for access in group:
        index = access.index[dim]
        if index is None or not index.is_linear_in({iterator}):
            return False
        try:
            lows.append(end(index, access.iterators, greatest=False))
            highs.append(end(index, access.iterators, greatest=True))
        except NotLinear:
            return False
    if not all(value.is_linear_in({iterator}) for value in (*lows, *highs)):
        return False
    step = lows[0].coefficient(iterator)
    same = all(value.coefficient(iterator) == step for value in (*lows, *highs))
    return same and step != 0 and all(known.positive(low - high + abs(int(step))) for low in lows for high in highs)
