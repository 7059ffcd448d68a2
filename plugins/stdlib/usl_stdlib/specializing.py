"""Code for particular values: `binary_specialize`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from usl_core import Procedure
from usl_core.cursors import ExprCursor
from usl_core.scheduling import eliminate_dead_code, specialize
from usl_stdlib.combinators import attempt
from usl_stdlib.expressions import block_at, require, text
from usl_stdlib.reporting import explained


@explained
def binary_specialize(p: Procedure, block: Any, expr: Any, values: Sequence[int]) -> Procedure:
    """Copies of a block for particular values of an expression, found by comparing with the middle value.

                 if n < 8:
                     if n == 4: s
        s   ~>       else: s
                 else:
                     if n == 8: s
                     else: s

    is `binary_specialize(p, s, "n", [4, 8])`: a chain of comparisons as long as the logarithm of their number. expr is a text
    or a cursor. Copies for other values remain, unless what is known there rules them out. `simplify` then uses what holds in
    each copy.

    Forwarding: the block goes to the copy for the least value.

    Raises:
        SchedulingError: there are no values, or one twice; what `specialize` raises.
    """
    place = block_at(p, block)
    chosen = sorted(values)
    require(bool(chosen), "values are wanted to specialize for")
    require(len(set(chosen)) == len(chosen), f"each value once, got {chosen}")
    return _specialized(p, place, text(p.forward(expr)) if isinstance(expr, ExprCursor) else str(expr), chosen)


def _specialized(p: Procedure, block: Any, expr: str, values: list[int]) -> Procedure:
    if len(values) == 1:
        p = specialize(p, block, [f"{expr} == {values[0]}"])
        return attempt(eliminate_dead_code)(p, p.forward(block)[0].parent())
    middle = len(values) // 2
    p = specialize(p, block, [f"{expr} < {values[middle]}"])
    branch = p.forward(block)[0].parent()
    low, high = branch.body(), branch.orelse()
    p = _specialized(p, low, expr, values[:middle])
    return _specialized(p, p.forward(high), expr, values[middle:])
