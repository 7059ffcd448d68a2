"""lift_reduce_constant: a factor of every term of a sum is multiplied once, after the sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from usl_core.analysis.conflict import overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Kind, reads_of, summary
from usl_core.analysis.values import Values
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import Loc, NodeLoc, Path, after, stmt_path, stmts
from usl_core.errors import counterexample
from usl_core.ir.nodes import Alloc, Assign, BinaryOp, Block, Expr, For, If, Literal, Read, Reduce, SimpleStmt, Stmt, WindowStmt
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import binders, free_names, same_expr, update
from usl_core.primitives.base import edit_of, primitive, refuse, require
from usl_core.primitives.locate import Where, block_at, context_at
from usl_core.primitives.loops.iterations import runs_at_least_once
from usl_core.primitives.moving import changes_value, effect
from usl_core.primitives.stmts.locations import same_location, target
from usl_core.procedure import Procedure
from usl_core.records import dataclass

_VERBS = {Kind.READ: "read", Kind.WRITE: "overwrite", Kind.REDUCE: "change"}


@primitive()
def lift_reduce_constant(proc: Procedure, pair: Where) -> Edit:
    """Take a constant factor out of a sum, given as the block of its initialisation and its loop.

        x = 0.0                          x = 0.0
        for i in seq(0, n):      ~>      for i in seq(0, n):
            x += c * e                       x += e
                                         x = c * x

    c is the first factor of the (first) reduction that the loop does not change, and every reduction into x in the loop or nest
    must have it; x stands for any location that does not depend on the loop. All at one type; integers wrap alike.

    Raises:
        SchedulingError: the block is not `x = 0` and a loop; the loop touches x other than by reductions with a common factor
        that it does not change; c reads data or divides, and the loop may run without a reduction (c may have no value then);
        the loop contains a `check`.
    Forwarding: everything stays itself; the factor is gone from the terms.
    """
    block = block_at(proc, pair)
    init, loop = _sum(stmts(proc.ir, block))
    init_path, loop_path = stmt_path(block, 0), stmt_path(block, 1)

    ctx = context_at(proc, init_path)
    found = _Terms(_place(ctx, init))
    found.stmt(ctx, loop_path, loop, certain=True)
    if not found.terms:
        refuse(f"the loop has no reduction into {_shown(init)}", loop.span, code="E412")
    _require_no_check(ctx, loop)
    factor = _common_factor(ctx, loop, found.terms)
    _require_value(ctx, factor, loop, found.terms)

    rest: dict[Loc, Expr] = {}
    for term in found.terms:
        without = _without(term.stmt.rhs, factor)
        assert without is not None
        rest[NodeLoc((*term.path, ("rhs", None)))] = without
    value = Read(init.name, init.idx, type=init.rhs.type, span=loop.span)
    product = BinaryOp("*", factor, value, type=init.rhs.type, span=loop.span)
    edit = edit_of(proc).replace_exprs(rest)
    return edit.insert(after(loop_path), (Assign(init.name, init.idx, product, span=loop.span),), joins=True)


# ---- locate


def _sum(block: Block) -> tuple[Assign, For]:
    require(len(block) == 2, f"a block of two statements is wanted, not {len(block)}", block[0].span)
    init, loop = block
    if not (isinstance(init, Assign) and isinstance(init.rhs, Literal) and init.rhs.value == 0):
        hint = "hint: give the initialisation a statement of its own, directly before the loop"
        refuse("the first statement must set the sum to 0", init.span, [hint], code="E404")
    if not isinstance(loop, For):
        refuse(f"a loop must follow, found {type(loop).__name__}", loop.span, code="E404")
    return init, loop


def _shown(init: Assign) -> str:
    return show_expr(Read(init.name, init.idx, type=init.rhs.type))


def _place(ctx: Context, init: Assign) -> Access:
    place = target(ctx, init)
    if place.iters:
        refuse(f"the location {_shown(init)} has an index made of data", init.span, code="E418")
    return place


# ---- check


@dataclass(frozen=True, slots=True)
class _Term:
    """A reduction into the sum; certain says that it runs at least once."""

    path: Path
    stmt: Reduce
    certain: bool


@dataclass
class _Terms:
    """The reductions into place below a loop; anything else there that may touch place is refused."""

    place: Access
    terms: list[_Term] = field(default_factory=list)

    def stmt(self, ctx: Context, path: Path, stmt: Stmt, *, certain: bool) -> None:
        match stmt:
            case For(body=body):
                runs = certain and ctx.holds(runs_at_least_once(ctx, stmt))
                self.block(ctx.enter(stmt, "body"), path, "body", body, certain=runs)
            case If(cond=cond, body=body, orelse=orelse):
                self.untouched(ctx, reads_of(cond))
                self.block(ctx.enter(stmt, "body"), path, "body", body, certain=False)
                self.block(ctx.enter(stmt, "orelse"), path, "orelse", orelse, certain=False)
            case Alloc() | WindowStmt():
                pass
            case Reduce(op="+") if same_location(ctx, target(ctx, stmt), self.place):
                self.untouched(ctx, [a for e in (*stmt.idx, stmt.rhs) for a in reads_of(e)])
                self.terms.append(_Term(path, stmt, certain))
            case SimpleStmt():
                self.untouched(ctx, summary(stmt).accesses)

    def block(self, ctx: Context, parent: Path, name: str, block: Block, *, certain: bool) -> None:
        for position, stmt in enumerate(block):
            self.stmt(ctx, (*parent, (name, position)), stmt, certain=certain)
            ctx = ctx.after(stmt)

    def untouched(self, ctx: Context, accesses: Sequence[Access]) -> None:
        """place has no bound names, so that those of the accesses meet no others."""
        for access in ctx.scope.resolve_all(accesses):
            found = overlap(ctx.facts, access, self.place)
            if found is not None:
                message = f"the loop may {_VERBS[access.kind]} the sum other than by adding a term to it"
                refuse(message, access.node.span, counterexample(found), code="E411")


def _require_no_check(ctx: Context, loop: For) -> None:
    if effect(ctx, (loop,)).checks:
        message = "the loop contains a `check`, which would stop the run with another value in the sum"
        refuse(message, loop.span, code="E411")


def _common_factor(ctx: Context, loop: For, terms: list[_Term]) -> Expr:
    """The first factor of the first term that the loop does not change; every other term must have it."""
    first = terms[0].stmt
    inside, writes = set(binders(loop)), effect(ctx, (loop,))
    factors = _factors(first.rhs)
    if len(factors) == 1:
        refuse(f"{show_expr(first.rhs)} is not a product", first.rhs.span, code="E404")
    for factor in factors:
        if not (free_names(factor) & inside) and changes_value(ctx, factor, writes) is None:
            break
    else:
        message = f"no factor of {show_expr(first.rhs)} is the same in all iterations"
        refuse(message, first.rhs.span, code="E411")
    for term in terms[1:]:
        if _without(term.stmt.rhs, factor) is None:
            message = f"{show_expr(term.stmt.rhs)}, added to the same sum, has no factor {show_expr(factor)}"
            refuse(message, term.stmt.span, code="E411")
    return factor


def _factors(expr: Expr) -> list[Expr]:
    """The operands of a product and of the products in it, in source order."""
    if isinstance(expr, BinaryOp) and expr.op == "*":
        return [*_factors(expr.lhs), *_factors(expr.rhs)]
    return [expr]


def _without(expr: Expr, factor: Expr) -> Expr | None:
    """The product expr without one occurrence of factor; None if it has none, or consists of it."""
    if not (isinstance(expr, BinaryOp) and expr.op == "*"):
        return None
    if same_expr(expr.lhs, factor):
        return expr.rhs
    if (left := _without(expr.lhs, factor)) is not None:
        return update(expr, lhs=left)
    if same_expr(expr.rhs, factor):
        return expr.lhs
    right = _without(expr.rhs, factor)
    return None if right is None else update(expr, rhs=right)


def _require_value(ctx: Context, factor: Expr, loop: For, terms: list[_Term]) -> None:
    if Values(ctx).leaves(factor) and not any(term.certain for term in terms):
        what = "be uninitialised" if reads_of(factor) else "have no value"
        message = f"the loop may add nothing, and {show_expr(factor)} may {what}, while the sum would be 0"
        hint = "hint: assert that the loop runs, as in `assert n >= 1`, and take the reduction out of any `if`"
        refuse(message, loop.span, [hint], code="E412")
