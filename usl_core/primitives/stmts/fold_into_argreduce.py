"""fold_into_argreduce: the search for an extreme and its position becomes two reductions."""

from __future__ import annotations

from dataclasses import replace

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import NodeLoc, Path
from usl_core.ir.externs import SELECT
from usl_core.ir.make import add, compare
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import (
    Alloc,
    Assign,
    BinaryOp,
    Block,
    Cast,
    Expr,
    ExternCall,
    For,
    If,
    Literal,
    LoopMode,
    Pass,
    Read,
    Reduce,
    Stmt,
    index_literal,
    index_read,
)
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, free_names, same_expr, substitute
from usl_core.ir.types import ScalarType, is_control
from usl_core.primitives.base import edit_of, primitive, refuse, require
from usl_core.primitives.exprs.kept import forward_kept
from usl_core.primitives.locate import Where, context_at, loop_at
from usl_core.primitives.loops.iterations import runs_at_least_once
from usl_core.primitives.loops.modes import require_still_parallel
from usl_core.primitives.stmts.locations import conflict_notes, reads_target, target
from usl_core.procedure import Procedure
from usl_core.records import dataclass


@primitive()
def fold_into_argreduce(proc: Procedure, loop: Where) -> Edit:
    """Write the search for the greatest or least element, and the first position of it, as two reductions.

                                         before = m
        for i in seq(0, n):              for i in seq(0, n):
            if x[i] > m:        ~>           m @= max(x[i])
                m = x[i]                 first = 2147483647
                k = i32(i)               for i in seq(0, n):
                                             first @= min(select(x[i], m, 2147483647, i32(i)))
                                         k = select(before, m, first, k)

    `before` is a copy of m, and k stays what it was where no element is greater than that; unless the loop is proved to run,
    the last line stands under an `if` that asks. With `<` it is the least element. The position is a control value as an
    integer. NaN and the sign of 0 are as for `fold_into_reduce`.

    Raises:
        SchedulingError: the loop is parallel, or more is in it than an `if` around these two assignments; the comparison allows
        ties (`>=`), for which the last position would be kept; m or k is another location in each iteration; the element reads
        m or k; the position is not proved to rise, or to fit its type.
    Forwarding: the loop goes to the first one, the `if` and the assignment of m to the reduction in it, that of k to the last
    statement.
    Also known as: argmax, argmin; arg reductions (Halide).
    """
    path, old = loop_at(proc, loop)
    require(old.mode is LoopMode.SEQ, "iterations of a parallel loop find no first position", old.span)
    search = _Search.of(old)
    _require_apart(proc, path, old, search)
    _require_rising(proc, path, old, search)

    ctx = context_at(proc, path)
    before, first = Sym(f"{search.extreme.name.name}_before"), Sym(f"{search.position.name.name}_first")
    new = search.reductions(old, before, first)
    if not ctx.holds(runs_at_least_once(ctx, old)):
        new = (*new[:-1], If(compare("<", old.lo, old.hi), (new[-1],), (), span=old.span))
    edit = _forwarded(edit_of(proc).replace(NodeLoc(path), new), path, search, new)
    require_still_parallel(edit, path[:-1])
    return replace(edit, refines=True)  # a branch on what has no value stops the run


@dataclass(frozen=True, slots=True)
class _Search:
    """The parts of `if e > m: m = e; k = g`, and where they are in the loop; op is max or min."""

    op: str
    extreme: Assign
    position: Assign
    at: tuple[int, int, int]

    @staticmethod
    def of(loop: For) -> _Search:
        code = _without_pass(loop.body)
        if len(code) != 1 or not isinstance(branch := code[0][1], If) or branch.orelse:
            refuse("the loop is to have an `if` without `else` in it, and nothing more", loop.span, code="E404")
        inner, cond = _without_pass(branch.body), branch.cond
        writes = [stmt for _, stmt in inner if isinstance(stmt, Assign)]
        if len(inner) != 2 or len(writes) != 2:
            refuse("the `if` is to assign the element and its position, and nothing more", branch.span, code="E404")
        if not (isinstance(cond, BinaryOp) and cond.op in ("<", ">") and isinstance(cond.lhs.type, ScalarType)):
            hints = ["hint: `>` and `<` keep the first of equal elements"]
            refuse("the `if` does not ask whether an element is greater or less than another", cond.span, hints, code="E404")
        greater, less = (cond.lhs, cond.rhs) if cond.op == ">" else (cond.rhs, cond.lhs)
        ways = (("max", greater, less), ("min", less, greater))
        found = [
            (op, n)
            for n, write in enumerate(writes)
            for op, new, known in ways
            if same_expr(write.rhs, new) and same_expr(known, _read(write))
        ]
        if not found:
            refuse("neither assignment gives what is compared to what it is compared with", branch.span, code="E412")
        op, n = found[0]
        return _Search(op, writes[n], writes[1 - n], (code[0][0], inner[n][0], inner[1 - n][0]))

    def reductions(self, loop: For, before: Sym, first: Sym) -> Block:
        m, k, (typ, of_k) = _read(self.extreme), _read(self.position), map(_scalar, (self.extreme, self.position))
        copy, none = Read(before, (), type=typ), Literal(of_k.int_range()[1], type=of_k)
        found = Read(first, (), type=of_k)
        name = loop.iter.copy()
        element, position = (substitute(e.rhs, {loop.iter: index_read(name)}) for e in (self.extreme, self.position))
        (a, b), (c, d) = ((element, m), (copy, m)) if self.op == "max" else ((m, element), (m, copy))
        reduction = Reduce(self.extreme.name, self.extreme.idx, self.extreme.rhs, self.op, span=self.extreme.span)
        search = Reduce(first, (), _select(a, b, none, position), "min", span=self.position.span)
        return (
            Alloc(before, typ, DRAM, span=loop.span),
            Assign(before, (), m, span=loop.span),
            For(loop.iter, loop.lo, loop.hi, (reduction,), loop.mode, span=loop.span),
            Alloc(first, of_k, DRAM, span=loop.span),
            Assign(first, (), none, span=loop.span),
            For(name, loop.lo, loop.hi, (search,), loop.mode, span=loop.span),
            Assign(self.position.name, self.position.idx, _select(c, d, found, k), span=self.position.span),
        )


def _without_pass(block: Block) -> list[tuple[int, Stmt]]:
    return [(n, stmt) for n, stmt in enumerate(block) if not isinstance(stmt, Pass)]


def _read(stmt: Assign) -> Read:
    return Read(stmt.name, stmt.idx, type=_scalar(stmt), span=stmt.span)


def _scalar(stmt: Assign) -> ScalarType:
    assert isinstance(stmt.rhs.type, ScalarType)
    return stmt.rhs.type


def _select(a: Expr, b: Expr, then: Expr, other: Expr) -> Expr:
    """then where a < b, else other."""
    return ExternCall(SELECT, (a, b, then, other), type=then.type, span=other.span)


# ---- check


def _require_apart(proc: Procedure, path: Path, loop: For, search: _Search) -> None:
    """Both locations are the same in all iterations, different ones, and no element is read from them."""
    for stmt in (search.extreme, search.position):
        if loop.iter in free_names(*stmt.idx):
            refuse(f"each iteration has another {stmt.name.name}", stmt.span, code="E412")
        if any(depends_on_data(index) for index in stmt.idx):
            refuse("an index of what is assigned is made of data", stmt.span, code="E418")
    ctx = context_at(proc, (*path, ("body", search.at[0])))
    element = search.extreme.rhs
    for stmt, exprs in ((search.extreme, (element,)), (search.position, (element, _read(search.extreme)))):
        found = reads_target(ctx, exprs, target(ctx, stmt))
        if found is not None:
            what, *_ = conflict_notes(found)  # without values: at most sizes the first iteration hides the difference
            refuse(f"{stmt.name.name} may be read as an element", stmt.span, [what], code="E411")


def _require_rising(proc: Procedure, path: Path, loop: For, search: _Search) -> None:
    """The position never falls from one iteration to the next, and is no greater or less than its type can say."""
    position, typ = search.position.rhs, _scalar(search.position)
    if not (isinstance(position, Cast) and is_control(position.arg.type) and typ.is_int):
        refuse(f"{show_expr(position)} is no control value as an integer", search.position.span, code="E404")
    ctx = context_at(proc, (*path, ("body", search.at[0])))
    following = substitute(position.arg, {loop.iter: add(index_read(loop.iter), index_literal(1))})
    here, later = ctx.index(position.arg), ctx.index(following)
    message = f"cannot prove that {show_expr(position.arg)} never falls from one iteration to the next"
    require(ctx.holds(fml.le(here, later)), message, position.span, code="E412")
    least, greatest = typ.int_range()
    goal = fml.and_([fml.le(affine.const(least), here), fml.le(here, affine.const(greatest))])
    if not ctx.holds(goal):
        hint = "hint: assert a bound of the loop's end"
        refuse(f"cannot prove that {show_expr(position.arg)} fits {typ}", position.span, [hint], code="E412")


# ---- forward


def _forwarded(edit: Edit, path: Path, search: _Search, new: Block) -> Edit:
    field, start = path[-1]
    assert start is not None

    def there(offset: int, *more: tuple[str, int | None]) -> Path:
        return (*path[:-1], (field, start + offset), *more)

    branch, extreme, position = search.at
    at, reduction = (*path, ("body", branch)), there(2, ("body", 0))
    last: Stmt = new[-1]
    end = there(len(new) - 1, *([("body", 0)] if isinstance(last, If) else []))
    for old, to in (
        (path, there(2)),
        (at, reduction),
        ((*at, ("body", extreme)), reduction),
        ((*at, ("body", position)), end),
    ):
        edit = edit.redirect(NodeLoc(old), Now(NodeLoc(to)), inside=False)
    element = search.extreme.rhs
    return forward_kept(edit, (*at, ("body", extreme), ("rhs", None)), element, (*reduction, ("rhs", None)), element)
