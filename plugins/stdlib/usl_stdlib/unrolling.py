"""Loops and buffers without indices, and what is left over: unrolling and cleaning up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from usl_core import Procedure
from usl_core.cursors import AllocCursor, ForCursor, LiteralCursor
from usl_core.errors import SchedulingError, Undecided
from usl_core.ir.memory import MemoryClass
from usl_core.scheduling import (
    cut_loop,
    delete_buffer,
    delete_pass,
    eliminate_dead_code,
    shift_loop,
    simplify,
    unroll_buffer,
    unroll_loop,
)
from usl_stdlib.combinators import attempt, bottom_up
from usl_stdlib.expressions import loop_at, require, text
from usl_stdlib.inspection import Code, walk
from usl_stdlib.reporting import explained


@explained
def unroll_loops(p: Procedure, where: Any = None, threshold: int | None = None) -> Procedure:
    """Unroll every loop that runs a constant number of times, inner ones first.

    where is code to look in, by default all; threshold leaves out loops that run more often. A loop that no operator can
    unroll stays.
    """
    scope = _scope(p, where)

    def unrolled(q: Procedure, loop: ForCursor) -> Procedure:
        times = _trips(loop)
        if times is None or (threshold is not None and times > threshold):
            raise SchedulingError("the loop is not short")
        return unroll_loop(q, loop)

    return bottom_up(unrolled)(p, *([] if scope is None else [scope]))


@explained
def unroll_buffers(p: Procedure, where: Any = None, memory: MemoryClass | None = None) -> Procedure:
    """Make a buffer of its own of every element of local buffers, dimension by dimension, outer ones first.

        acc: f32[2, 16] @ AVX512                  acc_0: f32[16] @ AVX512
        ... acc[0, 0:16] ... acc[1, 0:16]   ~>    acc_1: f32[16] @ AVX512

    is what vector registers in a tile want: the compiler sees variables. A dimension that is indexed by anything but
    literals stays (`unroll_loops` goes before), and so do those inside of it. where is code to look in, by default all; memory
    leaves out buffers in others.
    """
    scope = _scope(p, where)
    places = walk(p if scope is None else scope, "allocations")
    for alloc in [each for each in places if memory is None or each.mem() is memory]:
        for each in _family(p, alloc):
            p = each
    return p


def _family(p: Procedure, alloc: AllocCursor) -> Iterator[Procedure]:
    """The procedure after each dimension of a buffer that can be unrolled."""
    todo = [alloc]
    while todo:
        here = p.forward(todo.pop())
        extent = here.shape()[0] if here.shape() else None
        if not isinstance(extent, LiteralCursor):
            continue
        count, gap = int(extent.value()), len(here.as_block().expand())
        try:
            p = unroll_buffer(p, here, 0)
        except SchedulingError:
            continue
        yield p
        first = p.forward(here)
        made = len(first.as_block().expand()) - gap + 1
        todo += [first.next(index) if index else first for index in range(min(made, count))]


@explained
def cut_loop_and_unroll(p: Procedure, loop: Any, count: int) -> Procedure:
    """Unroll the first count iterations of a loop; the others stay a loop.

        for i in seq(0, n):          s[i -> 0]
            s                ~>      s[i -> 1]
                                     for i in seq(2, n):
                                         s

    is `cut_loop_and_unroll(p, "i", 2)`, where n is at least 2.

    Forwarding: the body goes to the first iteration; the loop too.

    Raises:
        SchedulingError: the count is below 1; it is not proved that the loop runs so often.
    """
    loop = loop_at(p, loop)
    require(count >= 1, f"the count must be at least 1, got {count}")
    lo = loop.lo()
    if isinstance(lo, LiteralCursor):
        return unroll_loop(cut_loop(p, loop, int(lo.value()) + count), loop)
    p = shift_loop(cut_loop(p, loop, f"{text(lo)} + {count}"), loop, 0)
    return unroll_loop(p, loop)


@explained
def cleanup(p: Procedure) -> Procedure:
    """Simplify, and drop what does nothing: dead branches, empty loops, `pass`, buffers that nobody uses.

    A branch of which the solver cannot tell whether it is taken stays.
    """
    p = simplify(p)
    p = _everywhere(p, "branches", eliminate_dead_code)
    p = _everywhere(p, "allocations", delete_buffer)
    return _everywhere(simplify(p), "statements", delete_pass)


def _everywhere(p: Procedure, over: str, operator: Callable[..., Procedure]) -> Procedure:
    """An operator wherever it applies, inner places first; where the solver cannot tell, it does not."""

    def tried(q: Procedure, place: Any) -> Procedure:
        try:
            return operator(q, place)
        except Undecided as error:
            raise SchedulingError(error.message) from error

    return bottom_up(attempt(tried), over)(p)


def _scope(p: Procedure, where: Code | str | None) -> Any:
    """The code that a function looks in; None for all."""
    if where is None or isinstance(where, Procedure):
        return None
    return p.find(where) if isinstance(where, str) else p.forward(where)


def _trips(loop: ForCursor) -> int | None:
    lo, hi = loop.lo(), loop.hi()
    if isinstance(lo, LiteralCursor) and isinstance(hi, LiteralCursor):
        return max(0, int(hi.value()) - int(lo.value()))
    return None
