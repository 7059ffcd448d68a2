"""Rows that are added to again and again get a few terms at once, two rows at a time where they share terms (unroll and jam).

    for y in seq(0, m):                           for y in seq(0, m / 2):                      # and a loop for an odd m
        for k in seq(0, 64):                          for k in seq(0, 16):
            for x in seq(0, n):                           for x in seq(0, n):
                c[y, x] += a[y, k] * b[k, x]  ~>              for yj in seq(0, 2):
                                                                  for kj in seq(0, 4):
                                                                      c[2 * y + yj, x] += a[…, 4 * k + kj] * b[4 * k + kj, x]

An element is loaded and stored once for four terms, which are added in the same order, and what both rows need is loaded once.
Operators do it, so that all of it is proved.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from usl_core import Procedure
from usl_core.cursors import ForCursor
from usl_core.errors import SchedulingError, Undecided
from usl_core.ir.nodes import Expr, For, Literal, Read, Reduce
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import walk as walk_nodes
from usl_core.scheduling import divide_loop, reorder_loops
from usl_halide_lib.partition import is_whole, rows_of

MOST = 9
"""The terms at a time beyond which they do not pay: each is loaded, and the element is loaded and stored once less."""
FACTORS = 4, 3, 5, 2
"""What a loop over more terms is divided by: the first of these that leaves nothing."""
SHARING = 2
"""The rows at a time. Four took longer, as their terms fill the registers."""


def jammed(p: Procedure, whole: Collection[tuple[str, str]] = ()) -> Procedure:
    """The procedure with several terms at a time added to rows; whole has those left alone, as `partitioned` takes them."""
    q = p
    for loop in rows_of(p):
        if not is_whole(loop, whole) and len(loop.node.body) == 1 and isinstance(loop.node.body[0], Reduce):
            with suppress(SchedulingError, Undecided):
                q = _with_terms(q, q.forward(loop), 1)
                q = _with_rows(q, q.forward(loop))
    return q


def _with_terms(p: Procedure, row: ForCursor, terms: int) -> Procedure:
    """The procedure with the loops of terms around a row inside of it, until an element gets MOST terms."""
    around, extent = row.parent(), _terms(row)
    if not isinstance(around, ForCursor) or not extent:
        return p
    if terms * extent <= MOST:
        p = reorder_loops(p, around)
        return _with_terms(p, p.forward(row), terms * extent)
    factor = next((each for each in FACTORS if extent % each == 0 and terms * each <= MOST), 0)
    if not factor:
        return p
    p = divide_loop(p, around, factor, [around.name(), f"{around.name()}j"], perfect=True)
    return reorder_loops(p, p.forward(around).body()[0])


def _terms(row: ForCursor) -> int:
    """The iterations of the loop around a row if each adds a term to the same elements; 0 if it is no such loop."""
    around = row.parent()
    if not isinstance(around, ForCursor) or len(around.node.body) > 1 or _reads_of(_sum(row.node).idx, around.node.iter):
        return 0
    low, high = around.node.lo, around.node.hi
    return int(high.value) if isinstance(low, Literal) and isinstance(high, Literal) and not low.value else 0


def _with_rows(p: Procedure, row: ForCursor) -> Procedure:
    """The procedure with two iterations of the loop around the terms at a time, if both read the same rows."""
    inner: list[ForCursor] = [row]
    around = row.parent()
    if _terms(row) and isinstance(around, ForCursor):
        inner, around = [around, row], around.parent()
    if not isinstance(row.node.body[0], For) or not isinstance(around, ForCursor):
        return p
    if len(around.node.body) > 1 or not _share(row.node, around.node.iter):
        return p
    p = divide_loop(p, around, SHARING, [around.name(), f"{around.name()}j"], tail="cut")
    pair = p.forward(around).body()[0]
    for _ in inner:
        p = reorder_loops(p, p.forward(pair))
    return p


def _share(row: For, rows: Sym) -> bool:
    """Whether iterations of a loop add to rows of their own what they read in the same places."""
    total = _sum(row)
    along = [each for each in walk_nodes(total.rhs) if isinstance(each, Read) and _reads_of(each.idx, row.iter)]
    return bool(_reads_of(total.idx, rows)) and any(not _reads_of(each.idx, rows) for each in along)


def _sum(row: For) -> Reduce:
    return next(each for each in walk_nodes(row) if isinstance(each, Reduce))


def _reads_of(exprs: Collection[Expr], name: Sym) -> bool:
    """Whether a name is in one of some expressions."""
    return any(isinstance(each, Read) and each.name is name for expr in exprs for each in walk_nodes(expr))
