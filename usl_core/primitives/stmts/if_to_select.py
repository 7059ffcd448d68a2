"""if_to_select: a branch on data becomes a choice between values."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest

from usl_core.analysis.values import Values
from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import NodeLoc, Path
from usl_core.ir.choices import choice
from usl_core.ir.combining import identity, is_idempotent, spelt
from usl_core.ir.externs import IDX, SELECT
from usl_core.ir.nodes import Assign, BinaryOp, Block, Expr, ExternCall, If, Node, Pass, Read, Reduce, Stmt
from usl_core.ir.operation import Operation
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import children, update, walk
from usl_core.ir.types import ScalarType
from usl_core.primitives.base import edit_of, primitive, refuse, require
from usl_core.primitives.exprs.kept import forward_kept
from usl_core.primitives.locate import Where, context_at, stmt_at
from usl_core.primitives.loops.modes import require_still_parallel
from usl_core.primitives.stmts.locations import Write, conflict_notes, reads_target, target
from usl_core.procedure import Procedure
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class _Pair:
    """The writes of one location in the two branches, with their positions there; either may be missing."""

    body: Write | None
    orelse: Write | None
    at: tuple[int | None, int | None]

    @property
    def first(self) -> Write:
        """One that is there."""
        found = self.body or self.orelse
        assert found is not None
        return found


@primitive()
def if_to_select(proc: Procedure, stmt: Where) -> Edit:
    """Write a branch on data as a choice between two values, which lanes of a vector can make each for itself.

        if a < b:                                       if a < b:
            x = e     ~>    x = select(a, b, e, f)          s += e    ~>    s += select(a, b, e, 0.0)
        else:
            x = f

    A branch that is missing leaves x as it is, and combines a reduction with the identity of its operation, or if it has none
    (`max` of floats) with what is there. All comparisons, `and` and `or` are made of `select`s; of floats, what is neither less
    nor greater counts as equal, also NaN. The branches may write several places, the same ones in the same order.

    Raises:
        SchedulingError: the condition is no comparison of data; a branch does more than assign and reduce, or writes other
        places than the other one, or in another way; an index in a branch depends on data; the condition reads what a statement
        but the last one writes; iterations of a parallel loop around would meet.
    Forwarding: statements of both branches go to those that stand for them, and so does the `if` to the first; values stay
    themselves.
    """
    path, old = stmt_at(proc, stmt, If, "an `if`")
    _require_compares_data(old.cond)

    ctx = context_at(proc, path)
    pairs = _pairs(old, Values(ctx))
    for pair in pairs:
        _require_no_index_of_data(pair)
    for pair in pairs[:-1]:
        found = reads_target(ctx, (old.cond,), target(ctx, pair.first))
        if found is not None:
            refuse(f"the condition reads {pair.first.name.name}", pair.first.span, conflict_notes(found), code="E411")

    new = [_chosen(old.cond, pair) for pair in pairs]
    edit = edit_of(proc).replace(NodeLoc(path), tuple(new))
    edit = edit.redirect(NodeLoc(path), Now(NodeLoc(path)), inside=False)
    for offset, pair in enumerate(pairs):
        edit = _forwarded(edit, path, offset, pair)
    require_still_parallel(edit, path[:-1])
    return replace(edit, refines=True)  # a branch on what has no value stops the run


# ---- check


def _require_compares_data(cond: Expr) -> None:
    logical = isinstance(cond, BinaryOp) and cond.op in ("and", "or")
    if logical and any(_is_idx(node) for node in walk(cond)):
        refuse("the condition has an index made of data, which a select would always evaluate", cond.span, code="E418")
    for part in _parts(cond):
        if not (isinstance(part, BinaryOp) and isinstance(part.lhs.type, ScalarType)):
            hints = ["hint: select compares data; conditions on control values are for `specialize` and cut_loop"]
            refuse(f"{show_expr(part)} is no comparison of data", part.span.or_else(cond.span), hints, code="E404")


def _parts(cond: Expr) -> list[Expr]:
    """The conditions that `and` and `or` combine."""
    if isinstance(cond, BinaryOp) and cond.op in ("and", "or"):
        return [*_parts(cond.lhs), *_parts(cond.rhs)]
    return [cond]


def _is_idx(node: Node) -> bool:
    return isinstance(node, ExternCall) and node.fn is IDX


def _pairs(old: If, values: Values) -> list[_Pair]:
    body, orelse = _writes(old.body), _writes(old.orelse)
    if body and orelse and len(body) != len(orelse):
        refuse("the branches write different places", old.span, ["hint: fission makes branches of one statement"], code="E412")
    found: list[_Pair] = []
    for a, b in zip_longest(body, orelse, fillvalue=None):
        pair = _Pair(a[1] if a else None, b[1] if b else None, (a[0] if a else None, b[0] if b else None))
        _require_alike(pair, values)
        found.append(pair)
    require(bool(found), "the branches write nothing", old.span, code="E412")
    return found


def _writes(block: Block) -> list[tuple[int, Write]]:
    """The assignments and reductions that a branch is made of, with their positions."""
    found: list[tuple[int, Write]] = []
    for position, stmt in enumerate(block):
        if isinstance(stmt, Assign | Reduce):
            found.append((position, stmt))
        elif not isinstance(stmt, Pass):
            hints = ["hint: make an inner `if` a select first"] if isinstance(stmt, If) else []
            refuse(f"a branch has {type(stmt).__name__} in it, which no value can stand for", stmt.span, hints, code="E404")
    return found


def _require_alike(pair: _Pair, values: Values) -> None:
    a, b = pair.body, pair.orelse
    if a is None or b is None:
        return
    if values.location(a.name, a.idx) != values.location(b.name, b.idx):
        refuse("the branches are not proved to write the same place", b.span, code="E412")
    if _operation(a) != _operation(b):
        refuse(
            "one branch assigns what the other one reduces into, or both reduce by different operations", b.span, code="E412"
        )


def _operation(stmt: Write) -> str | Operation:
    return stmt.op if isinstance(stmt, Reduce) else ""


def _require_no_index_of_data(pair: _Pair) -> None:
    """`idx` of data without a value stops the run, which a branch that is not taken did not."""
    for stmt in (pair.body, pair.orelse):
        if stmt is not None and any(_is_idx(node) for node in walk(stmt)):
            refuse("an index in a branch is made of data, which need not have a value there", stmt.span, code="E418")


# ---- edit


def _chosen(cond: Expr, pair: _Pair) -> Stmt:
    stmt = pair.first
    values = [_kept(stmt) if each is None else each.rhs for each in (pair.body, pair.orelse)]
    assert isinstance(cond, BinaryOp)
    return update(stmt, rhs=choice(cond, values[0], values[1], _less))


def _kept(stmt: Write) -> Expr:
    """The value that leaves the location of a write as it is."""
    typ = stmt.rhs.type
    assert isinstance(typ, ScalarType)
    old = Read(stmt.name, stmt.idx, type=typ, span=stmt.span)
    if isinstance(stmt, Assign):
        return old
    neutral = identity(stmt.op, typ)
    if neutral is None:
        require(is_idempotent(stmt.op), f"a reduction by {spelt(stmt.op)} has no identity", stmt.span)
        return old
    return neutral


def _forwarded(edit: Edit, path: Path, offset: int, pair: _Pair) -> Edit:
    """Cursors to the writes of a pair, and into their values, go to the statement that stands for both."""
    field, index = path[-1]
    assert index is not None
    there = (*path[:-1], (field, index + offset))
    now = edit.node(Now(NodeLoc(there)))
    for branch, position, stmt in zip(("body", "orelse"), pair.at, (pair.body, pair.orelse), strict=True):
        if stmt is None:
            continue
        at = (*path, (branch, position))
        edit = edit.redirect(NodeLoc(at), Now(NodeLoc(there)), inside=False)
        for step, child in children(stmt):
            edit = forward_kept(edit, (*at, step), child, there, now)
    return edit


def _less(a: Expr, b: Expr, then: Expr, other: Expr) -> Expr:
    return ExternCall(SELECT, (a, b, then, other), type=then.type, span=then.span)
