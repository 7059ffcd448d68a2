"""reorder_loops: two nested loops change places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.context import Context
from usl_core.analysis.formula import Formula
from usl_core.analysis.raise_ import from_lin
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, Path
from usl_core.ir.externs import MAX, MIN, Extern
from usl_core.ir.nodes import Expr, ExternCall, For
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import free_names
from usl_core.primitives.base import edit_of, primitive, refuse, require_no
from usl_core.primitives.locate import Where, context_at, loop_at
from usl_core.primitives.loops.iterations import bounds, why_not_interchangeable
from usl_core.primitives.loops.modes import parallel_if_free_of_races
from usl_core.procedure import Procedure


@primitive()
def reorder_loops(proc: Procedure, loops: Where) -> Edit:
    """Swap two directly nested loops, given as `"i j"` or by a cursor to the outer one.

        for i in seq(a, b):              for j in seq(c, d):
            for j in seq(c, d):  ~>          for i in seq(a, b):
                s                                s

        for i in seq(0, n):              for j in seq(0, n - 1):
            for j in seq(0, i):  ~>          for i in seq(j + 1, n):
                s                                s

    The limits of the inner loop may be sums with the outer iterator in them once, or a `max` (`min`) of such as the lower
    (upper) limit. Each loop keeps its mode, but a parallel one that comes outside and whose iterations may interfere there
    becomes sequential.

    Raises:
        SchedulingError: the inner loop is not alone in the outer one; its range depends on the outer iterator in another way;
        two iterations that would change places touch the same location.
    Forwarding: each loop moves with its name, the body stays innermost.
    Also known as: reorder (Halide, TVM), loop interchange.
    """
    path, outer = loop_at(proc, loops)

    inner = outer.body[0]
    if len(outer.body) != 1 or not isinstance(inner, For):
        hint = "hint: separate the other statements with fission first"
        message = f"the body of loop {outer.iter.name} must be one loop and nothing else"
        refuse(message, outer.span, [hint], code="E404")
    return interchanged(proc, path, outer, inner)


def interchanged(proc: Procedure, path: Path, outer: For, inner: For) -> Edit:
    """Two loops swapped, the inner alone in the outer, which is at path; or the operator refuses."""
    ctx = context_at(proc, path)
    limits = _turned(ctx, outer, inner) if outer.iter in free_names(inner.lo, inner.hi) else ()
    conflict = why_not_interchangeable(ctx, outer, inner)
    message = f"iterations of {outer.iter.name} and {inner.iter.name} that would change places do not commute"
    require_no(conflict, message, outer.span)

    edit = edit_of(proc)
    for loop, at, form in limits:
        edit = edit.replace_expr(NodeLoc((*path, *loop, (at, None))), from_lin(form, outer.span))
    return parallel_if_free_of_races(edit.interchange(NodeLoc(path)), path)


# ---- ranges that depend on the outer iterator


def _turned(ctx: Context, outer: For, inner: For) -> list[tuple[Path, str, Lin]]:
    """The new limits: of the inner loop over all that the outer one gives it, of the outer one where the inner one is known."""
    first, end = bounds(ctx, outer)
    j = affine.var(inner.iter)
    lowest, highest, lower, upper = list[Lin](), list[Lin](), [first], [end]
    for slope, rest in _parts(ctx.enter(outer, "body"), inner.lo, MAX, outer, inner):
        lowest.append(rest if slope == 0 else rest + first if slope > 0 else rest - end + 1)
        if slope:  # slope * i + rest <= j
            (upper if slope > 0 else lower).append(j - rest + 1 if slope > 0 else rest - j)
    for slope, rest in _parts(ctx.enter(outer, "body"), inner.hi, MIN, outer, inner):
        highest.append(rest if slope == 0 else rest + end - 1 if slope > 0 else rest - first)
        if slope:  # j < slope * i + rest
            (lower if slope > 0 else upper).append(j - rest + 1 if slope > 0 else rest - j)
    from_, to = _range(ctx, lowest, highest)
    inside = ctx.assume([fml.le(from_, j), fml.lt(j, to)])
    start, stop = _range(inside, lower, upper)
    return [((("body", 0),), "lo", from_), ((("body", 0),), "hi", to), ((), "lo", start), ((), "hi", stop)]


def _parts(ctx: Context, limit: Expr, fn: Extern, outer: For, inner: For) -> Iterable[tuple[int, Lin]]:
    """The sums that a limit is the largest or smallest of, each as a multiple of the outer iterator and the rest."""
    if isinstance(limit, ExternCall) and limit.fn is fn:
        for arg in limit.args:
            yield from _parts(ctx, arg, fn, outer, inner)
        return
    form = ctx.index(limit)
    slope = form.terms.get(outer.iter, 0)
    rest = form - affine.var(outer.iter).scale(slope)
    if abs(slope) > 1 or outer.iter in set(affine.syms(rest)):
        message = f"the range of {inner.iter.name} depends on {outer.iter.name}: {show_expr(limit)}"
        refuse(message, inner.span, code="E414")
    yield slope, rest


def _range(ctx: Context, lower: Sequence[Lin], upper: Sequence[Lin]) -> tuple[Lin, Lin]:
    """From the largest of lower to the smallest of upper, and no further down than that."""
    low = affine.maximum(_needed(ctx, lower, lambda a, b: fml.le(a, b)))
    high = affine.minimum(_needed(ctx, upper, lambda a, b: fml.le(b, a)))
    return low, high if ctx.holds(fml.le(low, high)) else affine.maximum([low, high])


def _needed(ctx: Context, forms: Sequence[Lin], beaten: Callable[[Lin, Lin], Formula]) -> list[Lin]:
    """The forms that no other one makes superfluous."""
    kept = list(dict.fromkeys(forms))
    for form in tuple(kept):
        if any(other is not form and ctx.holds(beaten(form, other)) for other in kept):
            kept.remove(form)
    return kept
