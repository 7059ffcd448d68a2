"""Several iterations of a loop at once: `interleave` and `unroll_and_jam`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usl_core import Procedure
from usl_core.cursors import AllocCursor, ArgCursor, ForCursor
from usl_core.errors import UsageError
from usl_core.ir.memory import MemoryClass
from usl_core.scheduling import unroll_loop
from usl_stdlib.dividing import divide
from usl_stdlib.expressions import binder, loop_at
from usl_stdlib.reductions import ParallelReduction, parallelize_reduction
from usl_stdlib.reporting import Places, explained
from usl_stdlib.spreading import spread
from usl_stdlib.sums import reductions


@dataclass(frozen=True, slots=True, repr=False)
class Unrolled(Places):
    """What `interleave` and `unroll_and_jam` created: the loop whose body does several iterations, the one that does the rest
    (none if there is no rest), and the buffers that now have an element for each of the iterations. reduction tells of partial
    sums."""

    loop: ForCursor
    tail: ForCursor | None
    buffers: tuple[AllocCursor, ...]
    reduction: ParallelReduction | None


_TAILS = ("perfect", "cut", "guard")
"""Those of `vectorize`; the rest is single iterations, which are no lanes to mask."""


@explained
def interleave(
    p: Procedure, loop: Any, factor: int, tail: str = "cut", par_reduce: bool = False, memory: MemoryClass | None = None
) -> tuple[Procedure, Unrolled]:
    """Do factor iterations of a loop at once, statement by statement, so that they overlap in the processor.

                                         for io in seq(0, n / 2):
        for i in seq(0, n):                  x_v: f32[2, 16]
            x_v: f32[16]                     load(x_v[0, 0:16], x[2 * io, 0:16])
            load(x_v, x[i, 0:16])    ~>      load(x_v[1, 0:16], x[2 * io + 1, 0:16])
            store(y[i, 0:16], x_v)           store(y[2 * io, 0:16], x_v[0, 0:16])
                                             store(y[2 * io + 1, 0:16], x_v[1, 0:16])

    with a loop for the last `n % 2` iterations if tail is "cut"; "perfect" and "guard" are as in `vectorize`. Inner loops are
    jammed. With par_reduce each of the iterations has its own partial sums of what the loop adds up (`parallelize_reduction`),
    in memory or else where the sums live; `replace_all` maps the statements that clear them and add them up. Where it adds
    nothing up, it makes no difference, so that one schedule serves loops with sums and loops without.

    Returns the procedure and an `Unrolled`.

    Raises:
        SchedulingError: statements of different iterations depend on each other; with par_reduce, the loop adds to locations of
        a buffer that are no neighbours; what `divide_loop` raises.
    Also known as: modulo unrolling, interleave_loop (Exo 2).
    """
    return _unrolled(p, loop_at(p, loop), factor, tail, par_reduce, memory, singles=True)


@explained
def unroll_and_jam(
    p: Procedure, loop: Any, factor: int, tail: str = "cut", par_reduce: bool = False, memory: MemoryClass | None = None
) -> tuple[Procedure, Unrolled]:
    """Do factor iterations of a loop at once, inside of the loops that it contains.

        for i in seq(0, n):                  for io in seq(0, n / 2):
            for k in seq(0, m):      ~>          for k in seq(0, m):
                y[i] += A[i, k] * x[k]               y[2 * io] += A[2 * io, k] * x[k]
                                                     y[2 * io + 1] += A[2 * io + 1, k] * x[k]

    with a loop for the last `n % 2` iterations if tail is "cut"; "perfect" and "guard" are as in `vectorize`. Statements beside
    the inner loops are unrolled before and after them; the body of an innermost loop is repeated as a whole (`interleave`
    repeats each statement). par_reduce and memory are those of `interleave`.

    Returns the procedure and an `Unrolled`.

    Raises:
        SchedulingError: the limits of an inner loop depend on the outer one; statements of different iterations depend on each
        other; what `divide_loop` raises.
    Also known as: register tiling.
    """
    return _unrolled(p, loop_at(p, loop), factor, tail, par_reduce, memory, singles=False)


def _unrolled(
    p: Procedure,
    loop: ForCursor,
    factor: int,
    tail: str,
    par_reduce: bool,
    memory: MemoryClass | None,
    singles: bool,
) -> tuple[Procedure, Unrolled]:
    if tail not in _TAILS:
        raise UsageError(f"tail is one of {', '.join(map(repr, _TAILS))}, got {tail!r}")
    reduction: ParallelReduction | None = None
    if par_reduce and reductions(loop):
        p, reduction = parallelize_reduction(p, loop, factor, memory or _home(loop), tail)
        main, rest, wide = reduction.loop, reduction.tail, reduction.lanes
    else:
        p, divided = divide(p, loop, factor, tail)
        main, rest, wide = divided.loop, divided.tail, divided.loop.body()[0]
    p, copies, allocs = spread(p, wide, singles=singles)
    buffers = [*(reduction.sums if reduction is not None else ()), *allocs]
    for each in (*copies, *(reduction.starts + reduction.ends if reduction is not None else ())):
        p = unroll_loop(p, each)
    return p, Unrolled(
        p.forward(main),
        None if rest is None else p.forward(rest),
        tuple([p.forward(each) for each in buffers]),
        None if reduction is None else reduction.forward(p),
    )


def _home(loop: ForCursor) -> MemoryClass | None:
    """The memory of what a loop adds up."""
    found = binder(loop, reductions(loop)[0].buffer)
    return found.mem() if isinstance(found, AllocCursor | ArgCursor) else None
