"""What code costs: scalar operations, if it consists of these and of branches; else more than any bound.

Reference: the cost model of docs/soac.md, §6. Henriksen 2014, §2.4, counts recurrences only, and lets array constructors pass.
"""

from __future__ import annotations

from math import inf

from usl_soac import core
from usl_soac.core import Body, Statement

CHEAP = 64
"""A slice that costs more is not evaluated apart."""


def cost(body: Body) -> float:
    """The scalar operations of a body on its longest path; infinite with an array operation, a loop or a call in it."""
    return sum(map(_cost, body.statements))


def _cost(statement: Statement) -> float:
    match statement.value:
        case core.If(then=then, orelse=orelse):
            return 1 + max(cost(then), cost(orelse))
        case core.Index():
            return inf if statement.pattern[0].type.dims else 1
        case core.Op() | core.Copy() | core.Assert():
            return 1
        case core.Coerce():
            return 0
        case _:
            return inf
