"""The tail "shift_inwards" of divide_loop: the last tile is moved back until it is full, and overlaps the one before it.

With n = m * q + r and 0 < r < q, tiles run the iterations 0 .. m * q - 1 and then n - q .. n - 1. Those from n - q on run
again after all up to m * q - 1 have run: a repetition of iteration i meets what the iterations after it have done. Each
repetition must change nothing, and then the next one finds the same state. Also known as: ShiftInwards (Halide).
"""

from __future__ import annotations

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.conditions import instance
from usl_core.analysis.context import Context
from usl_core.analysis.formula import Formula
from usl_core.analysis.repeating import footprint, why_not_running_again
from usl_core.ir.nodes import For
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.primitives.base import require_no, require_proved


def require_shiftable(ctx: Context, loop: For, factor: int) -> None:
    """There is room for one tile, and the iterations of the overlap may run again, or divide_loop refuses."""
    extent, shown = ctx.index(loop.hi), show_expr(loop.hi)
    message = f"cannot prove that {shown} is at least {factor}, so a tile may not fit"
    hint = f"specialize on `{shown} >= {factor}` and divide the first copy, or use another tail"
    require_proved(ctx, fml.ge(extent, factor), message, loop.span, values=(extent,), hint=hint)
    inside = ctx.enter(loop, "body")
    later = loop.iter.copy()
    own = footprint(inside, loop.body)
    since = instance(own.modifies, {loop.iter: affine.var(later)})
    again, between = _overlap(inside, loop, later, factor)
    conflict = why_not_running_again(inside, loop.body, again, between, since)
    message = f"the iterations of {loop.iter.name} in the overlap of the last two tiles may have an effect when they run again"
    require_no(conflict, message, loop.span)


def _overlap(ctx: Context, loop: For, later: Sym, factor: int) -> tuple[list[Formula], list[Formula]]:
    """What holds of an iteration that runs again, and of one that ran after its first run: there may be none."""
    index, other, extent = affine.var(loop.iter), affine.var(later), ctx.index(loop.hi)
    full = affine.quotient(extent, factor).scale(factor)
    again = [fml.lt(full, extent), fml.le(extent - factor, index), fml.lt(index, full)]
    return again, [fml.lt(index, other), fml.lt(other, full)]
