"""recursive_doubling: a loop that combines each element with one before it takes steps twice as long."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.context import Context
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, after, before
from usl_core.ir.make import offset
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Alloc, Assign, Expr, For, LoopMode, Pass, Read, Reduce, index_read
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, substitute
from usl_core.ir.types import ScalarType, TensorType
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_proved
from usl_core.primitives.locate import Where, context_at, loop_at
from usl_core.primitives.moving import new_name
from usl_core.procedure import Procedure


@primitive()
def recursive_doubling(proc: Procedure, loop: Where, name: str) -> Edit:
    """Take one step of a scan for all elements at once, and leave the rest to steps twice as long.

                                         u: T[n]
                                         for k in seq(d, n):
        for j in seq(d, n):                  u[k] = t[k - d]
            t[j] += t[j - d]     ~>      for j in seq(d, n):
                                             t[j] += u[j]
                                         for l in seq(2 * d, n):
                                             t[l] += t[l - 2 * d]

    is `recursive_doubling(p, "j", "u")`. The first two loops can run in the lanes of a vector; done again and again to the last
    loop, which is left out where it would have no iteration, a scan of n elements takes log2(n) steps. Any reduction will do;
    results of R and floats are combined in another order, which counts as equal.

    Raises:
        SchedulingError: the loop is parallel, begins below 0 or may have no iteration; it does more than combine an element
        with the one of an earlier iteration, always as many before; two iterations may have the same element; it is not proved
        whether a longer step would have an iteration.
    Forwarding: the loop and its statement stay themselves; what is read goes to the copy.
    Also known as: Hillis and Steele's scan (1986, "Data Parallel Algorithms"), Kogge-Stone adders.
    """
    path, old = loop_at(proc, loop)
    ctx = context_at(proc, path)
    require(old.mode is LoopMode.SEQ, "iterations of a parallel loop do not follow each other", old.span)
    code = [stmt for stmt in old.body if not isinstance(stmt, Pass)]
    if len(code) != 1 or not isinstance(stmt := code[0], Reduce) or not isinstance(element := stmt.rhs, Read):
        hints = ["hint: block_scan makes such a loop, and fold_into_reduce such a statement"]
        refuse("the loop is to have one reduction by an element in it, and nothing more", old.span, hints, code="E404")
    inside = ctx.enter(old, "body")
    step = _step(inside, old, stmt, element)
    low, high = ctx.index(old.lo), ctx.index(old.hi)
    message = "it is not proved that the loop begins at 0 or later and has an iteration"
    require_proved(ctx, fml.and_([fml.le(affine.ZERO, low), fml.lt(low, high)]), message, old.span, values=[low, high])

    copy, typ = new_name(name), element.type
    assert isinstance(typ, ScalarType)
    start, other = offset(old.lo, step), old.iter.copy()
    here = index_read(old.iter)
    copied = Assign(copy, (index_read(other),), substitute(element, {old.iter: index_read(other)}), span=stmt.span)
    ahead = (
        Alloc(copy, TensorType(typ, (old.hi,)), DRAM, span=old.span),
        For(other, old.lo, old.hi, (copied,), span=old.span),
    )
    edit = edit_of(proc)
    position = old.body.index(stmt)
    edit = edit.replace_expr(NodeLoc((*path, ("body", position), ("rhs", None))), Read(copy, (here,), type=typ, span=stmt.span))
    if not ctx.holds(fml.le(high, low + step)):
        message = f"it is not proved whether a step of {2 * step} would have an iteration"
        hint = "hint: cut_loop, or a loop with literal limits"
        require_proved(ctx, fml.le(low + step, high), message, old.span, values=[low, high], hint=hint)
        edit = edit.insert(after(path), (_longer(old, stmt, element, start, step),))
    return edit.insert(before(path), ahead)


# ---- check


def _step(inside: Context, loop: For, stmt: Reduce, element: Read) -> int:
    """How many iterations before the element is the target of the reduction."""
    if element.name is not stmt.name:
        refuse(f"the element is one of {element.name.name}, not of {stmt.name.name}", stmt.span, code="E412")
    if any(depends_on_data(index) for index in (*stmt.idx, *element.idx)):
        refuse("an index is made of data", stmt.span, code="E418")
    written, read = ([inside.index(index) for index in idx] for idx in (stmt.idx, element.idx))
    found = _distance(loop.iter, written, read)
    if found is None:
        name = stmt.name.name
        message = f"the iterations are not seen to have an element of {name} each, and to read that of an earlier one"
        refuse(message, stmt.span, code="E412")
    back = {loop.iter: affine.var(loop.iter) - affine.const(found)}
    for here, there in zip(written, read, strict=True):
        message = f"cannot prove that what is read was the target {found} iterations before"
        require_proved(inside, fml.eq(affine.subst(here, back), there), message, stmt.span, values=[here, there])
    return found


def _distance(name: Sym, written: Sequence[Lin], read: Sequence[Lin]) -> int | None:
    """By how many iterations an index differs that is different in each one, a multiple of the iterator and what is fixed."""
    for here, there in zip(written, read, strict=True):
        times = here.terms.get(name, 0)
        fixed = here - affine.combine(affine.var(name), times, affine.ZERO, 0)
        apart = here - there
        if (
            times
            and name not in affine.syms(fixed)
            and apart.is_const
            and apart.const % times == 0
            and apart.const // times > 0
        ):
            return apart.const // times
    return None


# ---- edit


def _longer(loop: For, stmt: Reduce, element: Read, start: Expr, step: int) -> For:
    """The loop with steps twice as long."""
    name = loop.iter.copy()
    here = index_read(name)
    idx = tuple(substitute(index, {loop.iter: here}) for index in stmt.idx)
    back = tuple(substitute(index, {loop.iter: offset(here, -2 * step)}) for index in stmt.idx)
    value = Read(element.name, back, type=element.type, span=element.span)
    return For(name, start, loop.hi, (Reduce(stmt.name, idx, value, stmt.op, span=stmt.span),), span=loop.span)
