"""Statements that write one location of a buffer, as the operators on pairs of writes see them."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.analysis.conditions import head_line
from usl_core.analysis.conflict import Values, overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Kind, reads_of, summary
from usl_core.errors import counterexample
from usl_core.ir.nodes import Assign, Expr, Reduce

Write = Assign | Reduce


def target(ctx: Context, stmt: Write) -> Access:
    """The location that stmt modifies, in terms of allocations and formals."""
    (access,) = [a for a in summary(stmt).accesses if a.modifies]
    return ctx.scope.resolve(access)


def reads_target(ctx: Context, exprs: tuple[Expr, ...], place: Access) -> tuple[Access, Values] | None:
    """A read in exprs that may see the location place, and values that make it do so."""
    for expr in exprs:
        for read in ctx.scope.resolve_all(reads_of(expr)):
            found = overlap(ctx.facts, read, place)
            if found is not None:
                return read, found
    return None


def same_location(ctx: Context, access: Access, place: Access) -> bool:
    """Whether an access without unknown indices is proved to touch place, which has none either."""
    if access.buffer is not place.buffer or access.iters:
        return False
    goal = fml.and_([fml.eq(x, y) for x, y in zip(access.point, place.point, strict=True)])
    return ctx.holds(goal)


def conflict_notes(found: tuple[Access, Values]) -> list[str]:
    """Lines for a refusal: what reads the location, and when."""
    read, values = found
    verb = "read" if read.kind is Kind.READ else read.kind.value
    return [f"{verb} of {read.buffer.name} in: {head_line(read.node)}", *counterexample(values)]
