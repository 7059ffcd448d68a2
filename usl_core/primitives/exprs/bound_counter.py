"""bound_counter: the limits of an index made of a counter become those that the counter keeps by itself."""

from __future__ import annotations

from usl_core.analysis import formula as fml
from usl_core.analysis.counting import span_of
from usl_core.analysis.raise_ import from_lin
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.ir.externs import IDX
from usl_core.ir.nodes import ExternCall
from usl_core.ir.printer import show_expr
from usl_core.primitives.base import edit_of, primitive, refuse, require_proved
from usl_core.primitives.exprs.bodies import statement_of
from usl_core.primitives.locate import Expression, Where, context_at, expr_at, limit
from usl_core.procedure import Procedure


@primitive()
def bound_counter(proc: Procedure, index: Where, lo: Expression | None = None, hi: Expression | None = None) -> Edit:
    """Give an index made of a counter other limits, which the counter never reaches either.

        c = 0                                     c = 0
        for i in seq(0, n):                       for i in seq(0, n):
            y[idx(c, 0, n)] = x[i]        ~>          y[idx(c, 0, i + 1)] = x[i]
            c += select(0, k[i], 1, 0)                c += select(0, k[i], 1, 0)

    is `bound_counter(p, "idx(c, _, _)")`. A counter is a scalar that is set to a number or a control value, and then only
    grows, by numbers, or by a `select` of numbers, in loops and branches of any kind: so it is at least what it was set to, and
    at most that plus all that may have been added before the place. The index may also be a sum or difference of counters,
    numbers and control values. Without lo and hi the limits are the closest ones. What is then known of the places that are
    touched, `y[0]` to `y[i]`, is there for all operators: that a block of elements from there on is in bounds, that other
    iterations touch other places, or that a loop in place reads what is not overwritten yet.

    Raises:
        SchedulingError: the index is not `idx` of such data; it may be outside of the limits that it has, or would get; the
        data may wrap around at the end of its type (assert a bound of the sizes).
    Forwarding: everything stays itself but the limits.
    """
    path, old = expr_at(proc, index)
    if not isinstance(old, ExternCall) or old.fn is not IDX:
        refuse(f"{show_expr(old)} is no index made of data", old.span, ["hint: idx(c, _, _)"], code="E404")
    place = statement_of(path)
    ctx = context_at(proc, place)
    data, (low, high) = old.args[0], (ctx.index(each) for each in old.args[1:])
    found = span_of(proc.ir, place, data, ctx.holds)
    if found is None:
        hint = "hint: a counter is set to a number, then only grows by numbers; assert a bound of the sizes, so that it fits"
        refuse(f"{show_expr(data)} is not known to be made of counters that do not wrap", old.span, [hint], code="E412")
    new_lo = from_lin(found.lo) if lo is None else limit(proc, path, lo)
    new_hi = from_lin(found.hi + 1) if hi is None else limit(proc, path, hi)
    for which, one, other in (("has", low, high), ("would get", ctx.index(new_lo), ctx.index(new_hi))):
        goal = fml.and_([fml.le(one, found.lo), fml.lt(found.hi, other)])
        message = f"{show_expr(data)} may lie outside of the limits that its index {which}"
        require_proved(ctx, goal, message, old.span, values=[found.lo, found.hi, one, other])
    edit = edit_of(proc)
    for position, new in ((1, new_lo), (2, new_hi)):
        edit = edit.replace_expr(NodeLoc((*path, ("args", position))), new)
    return edit
