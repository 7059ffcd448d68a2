"""Ranges and guards in place of each other: loops that run further than their body, loops that stop where their guard does."""

from __future__ import annotations

from typing import Any

from usl_core import Procedure
from usl_core.cursors import ForCursor, IfCursor
from usl_core.errors import SchedulingError
from usl_core.inspect import prove
from usl_core.scheduling import cut_loop, delete_pass, divide_loop, eliminate_dead_code, mult_loops, shift_loop, simplify
from usl_stdlib.accesses import conjuncts
from usl_stdlib.expressions import fresh, loop_at, require, starts_at_zero, text
from usl_stdlib.reporting import explained


@explained
def round_loop(p: Procedure, loop: Any, factor: int, up: bool = True) -> Procedure:
    """Let a loop run a number of times that factor divides.

        for i in seq(0, n):          for i in seq(0, 8 * ((n + 7) / 8)):
            s                ~>          if i < n:
                                             s

    is `round_loop(p, "i", 8)`. With up=False the loop is cut instead: `seq(0, n / 8 * 8)`, and a second one for what is left,
    without guards. A loop that factor provably divides stays as it is. Rounding up starts the loop at 0 and simplifies the
    procedure.

    Forwarding: the loop stays itself, its body too.

    Raises:
        SchedulingError: the factor is below 1.
    """
    loop = loop_at(p, loop)
    require(factor >= 1, f"the factor must be at least 1, got {factor}")
    name, names = loop.name(), [fresh(p, f"{loop.name()}o"), fresh(p, f"{loop.name()}i")]
    lo, hi = text(loop.lo()), text(loop.hi())
    if not up:
        whole = f"{lo} + (({hi}) - ({lo})) / {factor} * {factor}"
        return cut_loop(p, loop, whole if not starts_at_zero(loop) else f"({hi}) / {factor} * {factor}")
    q = p if starts_at_zero(loop) else shift_loop(p, loop, 0)
    try:
        divide_loop(q, loop, factor, names, perfect=True)
    except SchedulingError:
        return _joined(divide_loop(q, loop, factor, names, tail="guard"), loop, name)
    return p


@explained
def undo_divide_and_guard_loop(p: Procedure, loop: Any) -> Procedure:
    """Join the two loops of a division again; the guard of its last tile stays.

        for io in seq(0, (n + 7) / 8):          for i in seq(0, 8 * ((n + 7) / 8)):
            for ii in seq(0, 8):                    if i < n:
                if 8 * io + ii < n:     ~>              s
                    s

    loop is the outer one; the new one has its name without the `o` at the end. `bound_loop_by_if` goes on to `seq(0, n)`. The
    procedure is simplified.

    Forwarding: both loops go to the new one, the body stays itself.

    Raises:
        SchedulingError: what `mult_loops` raises: the loops are not directly nested, the inner one has no constant extent.
    """
    loop = loop_at(p, loop)
    name = loop.name()
    return _joined(p, loop, fresh(p, name.removesuffix("o") if len(name) > 1 else name))


def _joined(p: Procedure, outer: ForCursor, name: str) -> Procedure:
    return simplify(mult_loops(p, outer, name))


@explained
def bound_loop_by_if(p: Procedure, loop: Any) -> Procedure:
    """Let a loop run only as long as the condition around its whole body holds.

        for ii in seq(0, 8):                    for ii in seq(0, min(8, n - 8 * io)):
            if 8 * io + ii < n:     ~>              s
                s

    The condition is a conjunction of comparisons in which the iterator has the factor 1 or -1. What is provably within the
    range becomes its end: `for i in seq(0, 8 * ((n + 7) / 8)): if i < n` becomes `seq(0, n)`.

    Forwarding: the `if` is gone. The loop and the body stay themselves where only the end of the range changes; where its
    start does, they are new.

    Raises:
        SchedulingError: the body is no `if`, or it has an `else`; the condition is none that bounds the iterator.
    """
    loop = loop_at(p, loop)
    guard = loop.body()[0]
    if len(loop.body()) != 1 or not isinstance(guard, IfCursor) or guard.orelse():
        message = f"the body of the loop {loop.name()} is not one `if` without `else`"
        raise SchedulingError(message, span=loop.node.span, code="E414")
    starts, ends = _limits(loop, guard)
    off: list[ForCursor] = []
    for end in ends:
        p = _cut(p, loop, end)
        off.append(p.forward(loop).next())
    for start in starts:
        p = _cut(p, loop, start)
        off.append(p.forward(loop))
        loop = off[-1].next()
    p = eliminate_dead_code(p, p.forward(loop).body()[0])
    for each in off:
        p = delete_pass(eliminate_dead_code(p, p.forward(each).body()[0]), each)
    return p


def _limits(loop: ForCursor, guard: IfCursor) -> tuple[list[str], list[str]]:
    """Where the iterations for which a condition holds begin and end, as far as the range does not say so already."""
    starts: list[str] = []
    ends: list[str] = []
    for value in conjuncts(guard.cond(), {}, True):  # value >= 0
        factor, rest = value.coefficient(loop.name()), value.substitute({loop.name(): 0})
        if factor == -1 and not prove(loop, f"{text(loop.hi())} <= {rest + 1}"):
            ends.append(str(rest + 1))
        if factor == 1 and not prove(loop, f"{-rest} <= {text(loop.lo())}"):
            starts.append(str(-rest))
    if not starts and not ends:
        message = f"the condition {text(guard.cond())} does not bound the iterator {loop.name()}"
        raise SchedulingError(message, span=guard.node.span, code="E414")
    return starts, ends


def _cut(p: Procedure, loop: ForCursor, at: str) -> Procedure:
    """The loop cut at a place, or at the end of its range that is nearest to it."""
    here = p.forward(loop)
    lo, hi = text(here.lo()), text(here.hi())
    for place in (at, f"min({hi}, {at})", f"max({lo}, {at})"):
        try:
            return cut_loop(p, here, place)
        except SchedulingError:
            continue
    return cut_loop(p, here, f"max({lo}, min({hi}, {at}))")
