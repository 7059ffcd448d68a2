"""Loops that carry a number from element to element, in blocks of as many as a register has lanes: filters and running sums.

What a block computes for itself is done in lanes first; one instruction does the rest. Only operators are composed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from usl_core import Procedure
from usl_core.cursors import AllocCursor, AssignCursor, ReadCursor, ReduceCursor
from usl_core.errors import UslError
from usl_core.scheduling import bind_expr, divide_loop, expand_dim, fission, lift_alloc, replace, set_memory, simplify

FILTERS = {"f32": "ps", "f64": "pd", "i32": "epi32", "i64": "epi64"}
LANES = {"f32": 16, "f64": 8, "i32": 16, "i64": 8}


def filtered(p: Procedure, loop: Any) -> Procedure | None:
    """The loop of a filter, whose flags are computed in lanes; None if the loop is none, or an operator refuses.

        keep = …                                     keep[0:16] = …
        t[idx(kept, 0, n)] = item              ~>    t, kept = what is kept of item[0:16], behind what is there
        kept += select(0, keep, 1, 0)

    Only filters of one array of numbers of 32 or 64 bits are.
    """
    body = list(loop.body())
    own = [each for each in body if isinstance(each, AllocCursor)]
    if len(body) < 3 or not isinstance(body[-2], AssignCursor) or not isinstance(body[-1], ReduceCursor):
        return None
    item = body[-2].rhs()
    items = [each for each in own if _reads(item, each.name())]
    if not items or len(body[-2].idx()) != 1 or (kind := str(items[0].type())) not in FILTERS:
        return None
    from usl_avx512 import isa

    return _in_blocks(p, loop, own, body[-3], LANES[kind], getattr(isa, f"mm512_filter_{FILTERS[kind]}"))


def _reads(value: Any, name: str) -> bool:
    """Whether a value is that of a scalar."""
    return isinstance(value, ReadCursor) and value.name() == name and not list(value.idx())


def _in_blocks(
    p: Procedure, loop: Any, own: Sequence[Any], last: Any, lanes: int, instruction: Procedure | None
) -> Procedure | None:
    """The loop in blocks: what is before and with `last` in lanes, the rest by an instruction, or as running sums. own: what is
    allocated in it, of which a register each is kept."""
    from usl_avx512 import AVX512, cpu_features, isa, scan_block
    from usl_stdlib import vectorize

    try:
        outer, inner = f"{loop.name()}o", f"{loop.name()}i"
        q = divide_loop(p, loop, lanes, [outer, inner], tail="cut")
        for each in own:
            q = lift_alloc(expand_dim(q, q.forward(each), lanes, inner), q.forward(each))
            q = set_memory(q, q.forward(each), AVX512)
        q = fission(q, q.forward(last).after(), 1)
        first = q.forward(last).parent()
        rest = first.next()
        q = vectorize(q, first, lanes, AVX512, isa.for_lanes(lanes, cpu_features()))[0]
        return simplify(scan_block(q, rest) if instruction is None else replace(q, q.forward(rest), instruction))
    except UslError:
        return None


def running(p: Procedure, loop: Any) -> Procedure | None:
    """The loop of running sums of real numbers, blocks in steps of doubling length; None if it is none, or an operator refuses.

        total += x[i]        ~>    total, t[16 * io:16 * io + 16] = the sums of x[16 * io:16 * io + 16] up to each, behind total
        t[i] = total

    Sums are regrouped, as the operator of a scan is associative.
    """
    body = list(loop.body())
    if len(body) < 2 or not isinstance(body[-2], ReduceCursor) or not isinstance(body[-1], AssignCursor):
        return None
    kind = str(body[-2].rhs().type())
    if kind not in ("f32", "f64") or body[-2].op() != "+" or not _reads(body[-1].rhs(), body[-2].name()):
        return None
    from usl_avx512 import scan_schedule

    try:
        if len(body) == 2:
            made: Procedure = scan_schedule(p, loop)
            return made
    except UslError:
        pass
    try:
        q = bind_expr(p, [body[-2].rhs()], "term")
    except UslError:
        return None
    loop = q.forward(loop)
    own = [each for each in loop.body() if isinstance(each, AllocCursor)]
    return _in_blocks(q, loop, own, list(loop.body())[-3], LANES[kind], None)
