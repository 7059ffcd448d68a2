"""Rows in strips, where a C compiler makes no good vectors of a whole row: what is computed before is kept for a strip.

A table of narrow numbers, which no instruction gathers from, is looked up in a loop of its own:

    for x in seq(0, n):                           at: i32[256]
        y[x] = table[idx(e, 0, m)]     ~>         for x in seq(0, (n + 255) / 256):
                                                      for xi in seq(0, min(256, n - 256 * x)):
                                                          at[xi] = e
                                                      for xi in seq(0, min(256, n - 256 * x)):
                                                          y[256 * x + xi] = table[idx(at[xi], 0, m)]

Sums of many rows go row by row; all at once need more pointers and vectors than there are registers:

    for x in seq(0, n):                           for x in ...:
        s: f32                                        for xi in ...: s[xi] = 0.0
        s = 0.0                        ~>             for r in seq(0, 7):
        for r in seq(0, 7):                               for xi in ...:
            for q in seq(0, 7):                               for q in seq(0, 7):
                s += f[r, x + q]                                  s[xi] += f[r, 256 * x + xi + q]

Places that are asked for their parity are numbered from the beginning of a strip, so that the answers are the same for all
strips, and are computed once:

    for x in seq(0, n):                           for x in seq(0, n / 64):                   # and a loop for the rest
        y[x] = select((e + x) % 2, …)     ~>          for xi in seq(0, 64):
                                                          y[64 * x + xi] = select((e + xi) % 2, …)

Operators do it, so that all of it is proved.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import TypeGuard

from usl_core import Procedure
from usl_core.cursors import BinaryOpCursor, Cursor, ForCursor, ReadCursor
from usl_core.errors import SchedulingError, Undecided
from usl_core.ir import externs
from usl_core.ir.nodes import Alloc, Assign, BinaryOp, Cast, Expr, ExternCall, For, If, Literal, Node, Read, Reduce
from usl_core.ir.types import ControlType, ScalarType
from usl_core.scheduling import bind_expr, divide_loop, expand_dim, fission, lift_alloc, reorder_loops, rewrite_expr
from usl_halide_lib.partition import Form, forms_of, inside, is_whole, rows_of
from usl_stdlib import walk

STRIP = 256
"""The elements of a strip: several vectors, and a kilobyte."""
TURNS = 64
"""The elements of a strip of places that take turns: one or two vectors of narrow numbers, so that its loop disappears."""
MOST_LOADS = 64
"""The number of reads in a sum beyond which it goes row by row."""


def in_strips(p: Procedure, whole: Collection[tuple[str, str]] = ()) -> Procedure:
    """The procedure with rows in strips where that helps; whole has those that are left alone, as `partitioned` takes them."""
    q = p
    for loop in rows_of(p):
        if is_whole(loop, whole):
            continue
        with suppress(SchedulingError, Undecided):
            if _looks_up(loop.node):
                q = _looked_up_apart(q, q.forward(loop))
            elif _sums_much(loop.node):
                q = _summed_by_rows(q, q.forward(loop))
            elif _takes_turns(loop.node):
                q = _turns_by_strips(q, q.forward(loop))
    return q


def _looks_up(row: For) -> bool:
    """Whether a row without loops in it ends in a look-up in a table of narrow integers, at a place that has to be computed."""
    last = row.body[-1]
    if not isinstance(last, Assign) or any(isinstance(each, For | If | Reduce) for each in inside(row.body)):
        return False
    return any(_index(each) is not None for each in inside((last,)))


def _index(read: object) -> ExternCall | None:
    """The computed index of a read of a table of narrow integers."""
    if (
        not isinstance(read, Read)
        or not isinstance(read.type, ScalarType)
        or read.type.bits not in (8, 16)
        or len(read.idx) != 1
    ):
        return None
    index = read.idx[0]
    if not isinstance(index, ExternCall) or index.fn is not externs.IDX:
        return None
    place = index.args[0]
    return None if isinstance(place.arg if isinstance(place, Cast) else place, Read) else index


def _looked_up_apart(p: Procedure, row: ForCursor) -> Procedure:
    p = divide_loop(p, row, STRIP, [row.name(), f"{row.name()}i"], tail="bound")
    strip = p.forward(row).body()[0]
    table = next(each for each in walk(strip.body()[-1], ReadCursor) if _index(each.node) is not None)
    p = bind_expr(p, table.idx()[0].args()[0], "place")
    strip = p.forward(strip)
    statement = strip.body()[-1]
    return _kept_for_strip(p, strip, statement.prev().prev(), statement.before())


def _kept_for_strip(p: Procedure, strip: ForCursor, scalar: Cursor, gap: Cursor) -> Procedure:
    p = expand_dim(p, scalar, str(STRIP), strip.name())
    p = lift_alloc(p, p.forward(scalar), 2)
    return fission(p, p.forward(gap))


def _sums_much(row: For) -> bool:
    """Whether a row is a scalar, its first value, a nest of constant loops that adds to it, and a use."""
    match row.body:
        case (Alloc(name=name, type=ScalarType()), Assign(), For(body=(For(body=(Reduce() as inner,)) as second,)) as first, _):
            loads = sum(isinstance(each, Read) and bool(each.idx) for each in inside((inner,)))
            return inner.name is name and loads * _extent(first) * _extent(second) > MOST_LOADS
        case _:
            return False


def _extent(loop: For) -> float:
    """The iterations of a loop from 0; none if their number is not constant."""
    return int(loop.hi.value) if isinstance(loop.hi, Literal) else 0


def _summed_by_rows(p: Procedure, row: ForCursor) -> Procedure:
    p = divide_loop(p, row, STRIP, [row.name(), f"{row.name()}i"], tail="bound")
    strip = p.forward(row).body()[0]
    scalar, _, nest, use = strip.body()
    p = _kept_for_strip(p, strip, scalar, nest.before())
    p = fission(p, p.forward(use).before())
    return reorder_loops(p, p.forward(nest).parent())


def _takes_turns(row: For) -> bool:
    """Whether a row without loops in it asks for the parity of its places."""
    nodes = list(inside(row.body))
    if any(isinstance(each, For | If | Reduce) for each in nodes):
        return False
    form_of = forms_of(row)
    return any(_is_parity(each) and (form := form_of(each.lhs)) is not None and form.names == {row.iter: 1} for each in nodes)


def _is_parity(node: Node) -> TypeGuard[BinaryOp]:
    return isinstance(node, BinaryOp) and node.op == "%" and isinstance(node.type, ControlType) and _is_two(node.rhs)


def _is_two(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.value == 2


def _turns_by_strips(p: Procedure, row: ForCursor) -> Procedure:
    p = divide_loop(p, row, TURNS, [row.name(), f"{row.name()}i"], tail="cut")
    strip = p.forward(row).body()[0]
    form_of = forms_of(strip.node)
    for found in walk(strip, BinaryOpCursor):
        if not _is_parity(found.node):
            continue
        form = form_of(found.node.lhs)
        if form is not None and form.names == {strip.node.iter: 1}:
            odd = Form(form.constant % 2, {}, {term: c for term, c in form.terms.items() if c % 2})
            p = rewrite_expr(p, p.forward(found), f"({strip.name()} + {odd.text()}) % 2")
    return p
