"""Loops whose iterations take turns are divided by two: what is halved, or asked for its parity, is known in each half.

    for x in seq(0, n):                              y[0] = …                              # if m is odd
        y[x] = f[(m + x) / 2]           ~>           for xo in seq(0, (n - m % 2) / 2):
                                                         y[m % 2 + 2 * xo] = f[(m + m % 2) / 2 + xo]
                                                         y[m % 2 + 2 * xo + 1] = f[(m + m % 2) / 2 + xo]

Elements of f lie side by side then, where a compiler would gather them. Operators do it, so that all of it is proved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

from usl_core import Procedure
from usl_core.cursors import BinaryOpCursor, ForCursor
from usl_core.errors import SchedulingError, Undecided
from usl_core.ir.nodes import BinaryOp, For, If, Literal, Read, Reduce
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import depends_on_data
from usl_core.ir.types import ControlType
from usl_core.scheduling import cut_loop, divide_loop, rewrite_expr, shift_loop, unroll_loop
from usl_halide_lib.partition import Form, forms_of, inside, is_whole, rows_of
from usl_stdlib import walk

MOST = 96
"""The number of quotients and of accesses in a loop beyond which it is left as it is: each is a step of its own."""


def halved(p: Procedure, whole: Collection[tuple[str, str]] = ()) -> Procedure:
    """The procedure with two iterations at a time in rows where all that is halved has the same parity.

    whole has the rows that are left alone, as `partitioned` takes them.
    """
    q = p
    for loop in rows_of(p):
        parity = _parity(loop.node)
        if parity is not None and not is_whole(loop, whole):
            with suppress(SchedulingError, Undecided):
                q = _divided(q, q.forward(loop), parity)
    return q


def _parity(loop: For) -> str | None:
    """What is to be added to the iterator so that all that is halved is even; None where this is not the way."""
    found = list(_halves(loop))
    statements = list(inside(loop.body))
    if not any(op == "/" for op, _ in found) or any(isinstance(each, For | Reduce | If) for each in statements):
        return None
    if max(len(found), sum(isinstance(each, Read) and bool(each.idx) for each in statements)) > MOST:
        return None
    odd = {frozenset(term for term, c in form.terms.items() if c % 2) for _, form in found}
    if len(odd) != 1 or any(form.names != {loop.iter: 1} for _, form in found):
        return None
    return Form(0, {}, dict.fromkeys(sorted(odd.pop()), 1)).text()


def _halves(loop: For) -> Iterator[tuple[str, Form]]:
    """Sums with the iterator that are divided by 2."""
    form_of = forms_of(loop)
    for each in inside(loop.body):
        if (half := _half(each)) is not None and (form := form_of(half.lhs)) is not None and form.names:
            yield half.op, form


def _half(node: object) -> BinaryOp | None:
    """A quotient or a remainder by 2 of control values."""
    match node:
        case BinaryOp(op="/" | "%", type=ControlType(), rhs=Literal(value=2)) if not depends_on_data(node):
            return node
    return None


def _divided(p: Procedure, loop: ForCursor, parity: str) -> Procedure:
    low, high, name = show_expr(loop.node.lo), show_expr(loop.node.hi), loop.name()
    odd = f"({parity}) % 2" if low == "0" else f"{low} + ({low} + {parity}) % 2"
    try:
        p = cut_loop(p, loop, odd)
    except (SchedulingError, Undecided):  # the loop may be empty
        p = cut_loop(p, loop, f"min({odd}, {high})")
    rows = p.forward(loop).next()
    p = shift_loop(p, rows, 0)
    p = divide_loop(p, p.forward(rows), 2, [name, f"{name}h"], tail="cut")
    pairs = p.forward(rows)
    p = unroll_loop(p, pairs.body()[0])
    pairs = p.forward(pairs)
    form_of = forms_of(pairs.node)
    for found in list(walk(pairs, BinaryOpCursor)):
        here = p.forward(found) if _half(found.node) else None
        half = _half(here.node) if here else None
        if here is None or half is None:
            continue
        form = form_of(half.lhs)
        if form is not None and not form.names:
            continue
        if form is None or form.names != {pairs.node.iter: 2}:
            raise SchedulingError(f"{show_expr(here.node)} is not two times {name}")
        rest = Form(0, {}, form.terms)
        text = f"{name} + ({rest.text()}) / 2{_added(form.constant // 2)}" if rest.terms else name + _added(form.constant // 2)
        p = rewrite_expr(p, here, text if half.op == "/" else str(form.constant % 2))
    return p


def _added(constant: int) -> str:
    return f" {'-' if constant < 0 else '+'} {abs(constant)}" if constant else ""
