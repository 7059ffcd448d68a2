"""mult_loops: two nested loops become one."""

from __future__ import annotations

from typing import NoReturn

from usl_core.analysis import formula as fml
from usl_core.analysis.context import Context
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, body_of
from usl_core.ir import make
from usl_core.ir.nodes import For, LoopMode, index_read
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import free_names
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_no
from usl_core.primitives.locate import Where, context_at, loop_at
from usl_core.primitives.loops.iterations import bounds, why_not_interchangeable
from usl_core.primitives.loops.modes import parallel_if_free_of_races
from usl_core.primitives.moving import new_name
from usl_core.procedure import Procedure


@primitive()
def mult_loops(proc: Procedure, outer: Where, k: str) -> Edit:
    """Make one loop, named k, of two directly nested ones, one of which runs a constant number of times.

        for i in seq(a, b):          for k in seq(c * a, c * b):
            for j in seq(0, c):  ~>      s[i -> k / c, j -> k % c]
                s

        for i in seq(0, c):          for k in seq(c * a, c * b):
            for j in seq(a, b):  ~>      s[i -> k % c, j -> k / c]
                s

    If only the outer one does, its iterations come together, for which those that change places must commute. The result is
    `par` if both loops are and its iterations do not interfere (their last ones, which run after the others, are many in it).
    The inverse of `divide_loop`.

    Raises:
        SchedulingError: the outer loop contains anything but the inner one; neither runs from 0 to a constant of at least 1
        that is known there; only the outer one does, and the range of the inner one depends on it, or iterations do not
        commute.
    Forwarding: both loops go to the new one, the body stays.
    Also known as: collapse, fuse (Halide, TVM), coalescing.
    """
    path, old = loop_at(proc, outer)
    name = new_name(k)

    inner = old.body[0]
    if len(old.body) != 1 or not isinstance(inner, For):
        hint = "hint: move other statements out with fission"
        refuse(f"the body of the loop {old.iter.name} is not one loop", old.span, [hint], code="E404")
    inner_path = (*path, ("body", 0))
    ctx, inside = context_at(proc, path), context_at(proc, inner_path)
    extent, slow, fast = _count(inside, inner), old, inner
    if extent is None and old.iter not in free_names(inner.lo, inner.hi) and (extent := _count(ctx, old)) is not None:
        slow, fast = inner, old
        message = f"iterations of {old.iter.name} and {inner.iter.name} that would change places do not commute"
        require_no(why_not_interchangeable(ctx, old, inner), message, old.span)
    if extent is None:
        _refuse_symbolic(inside, inner)
    require(extent >= 1, f"the loop {fast.iter.name} never runs", fast.span)

    index = index_read(name)
    env = {slow.iter: make.quot(index, extent), fast.iter: make.mod(index, extent)}
    mode = LoopMode.PAR if old.mode is inner.mode is LoopMode.PAR else LoopMode.SEQ
    edit = edit_of(proc).substitute(body_of(inner_path, len(inner.body)), env)
    edit = edit.replace_expr(NodeLoc((*path, ("lo", None))), make.mul(extent, slow.lo))
    edit = edit.replace_expr(NodeLoc((*path, ("hi", None))), make.mul(extent, slow.hi))
    edit = edit.unwrap(NodeLoc(inner_path)).update(NodeLoc(path), iter=name, mode=mode)
    edit = edit.redirect(NodeLoc(inner_path), NodeLoc(path), inside=False)
    return parallel_if_free_of_races(edit, path)


def _count(ctx: Context, loop: For) -> int | None:
    """How often a loop from 0 runs, if that is one number where ctx holds."""
    low, high = bounds(ctx, loop)
    return ctx.value(high) if ctx.holds(fml.eq(low)) else None


def _refuse_symbolic(ctx: Context, inner: For) -> NoReturn:
    if not ctx.holds(fml.eq(bounds(ctx, inner)[0])):
        hint = "hint: use shift_loop"
        refuse(f"the inner loop must start at 0, not at {show_expr(inner.lo)}", inner.span, [hint], code="E412")
    hint = "hint: divide it first, or fix the size with partial_eval"
    refuse(f"the extent {show_expr(inner.hi)} of the inner loop is not a constant", inner.span, [hint], code="E415")
