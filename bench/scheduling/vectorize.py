"""Vectorising a loop: each subexpression gets a vector register and a loop of its own, which an instruction then replaces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from usl_avx512.memories import AVX512
from usl_core import Procedure
from usl_core.cursors.kinds import BinaryOpCursor, CastCursor, LiteralCursor
from usl_core.scheduling import bind_expr, divide_loop, expand_dim, fission, lift_alloc, set_memory

LANES = 16


def vectorize(p: Procedure, loop: Any, *, tail: str = "cut", prefix: str = "v") -> Procedure:
    """Divide a loop over one assignment by the lanes, and turn the tiles into one loop over the lanes per operation."""
    p = (
        divide_loop(p, loop, LANES, ["xo", "xi"], perfect=True)
        if tail == "perfect"
        else divide_loop(p, loop, LANES, ["xo", "xi"], tail=tail)
    )
    lanes = p.forward(loop).body()[0]
    assignment = lanes.body()[0]
    names: list[str] = []
    for expr in operations(assignment.rhs()):
        names.append(f"{prefix}{len(names)}")
        p = bind_expr(p, [p.forward(expr)], names[-1])
    stmts = [p.forward(assignment)]
    while len(stmts) < 2 * len(names) + 1:
        stmts.append(stmts[-1].prev())
    made = stmts[1:]
    registers, values = made[1::2], made[::2]
    for register in registers:
        p = expand_dim(p, register, LANES, lanes.name())
        p = lift_alloc(p, register)
        p = set_memory(p, register, AVX512)
    for value in reversed(values):
        p = fission(p, p.forward(value).after())
    return p


def operations(expr: Any) -> Iterable[Any]:
    """What an instruction computes each, operands first: every operation, and reads with the cast around them.

    A cast at the root belongs to the store, a literal divisor to the division.
    """
    yield from _operations(expr.arg() if isinstance(expr, CastCursor) else expr)


def _operations(expr: Any) -> Iterable[Any]:
    if isinstance(expr, BinaryOpCursor):
        yield from _operations(expr.lhs())
        if not (expr.op() == "/" and isinstance(expr.rhs(), LiteralCursor)):
            yield from _operations(expr.rhs())
    yield expr
