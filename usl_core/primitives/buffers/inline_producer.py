"""inline_producer: the formula of what loop nests fill a buffer with takes the place of the buffer's reads."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import NoReturn, TypeVar

from usl_core.analysis import formula as fml
from usl_core.analysis.conditions import conflict_between
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Kind
from usl_core.analysis.formula import Formula
from usl_core.analysis.lower import Lowering
from usl_core.analysis.solver import Proved
from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import BlockLoc, Loc, NodeLoc, Path, get_stmt, stmts
from usl_core.equivalence import Relation
from usl_core.errors import Span
from usl_core.ir.nodes import Assign, BinaryOp, Expr, If, Literal, Node, Read, Reduce, Stmt
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, rewrite, same_expr, walk
from usl_core.ir.types import BOOL, scalar_of
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_no, require_proved
from usl_core.primitives.buffers.filling import Filling, Fork, Value, fillings
from usl_core.primitives.buffers.uses import Use, passed_whole, rest_of_block, uses_in
from usl_core.primitives.locate import Where, alloc_at, context_at
from usl_core.primitives.moving import effect
from usl_core.procedure import Procedure
from usl_core.records import dataclass

N = TypeVar("N", Expr, Stmt)

_MOST_COPIES = 16


@primitive(Relation.REFINES)
def inline_producer(proc: Procedure, buf: Where) -> Edit:
    """Compute the elements of a local buffer where they are read, and drop the buffer and the loops that fill it.

        x: T[n]
        for i in seq(0, n):          for j in seq(0, m):
            x[i] = a[i] + b[i]   ~>      y[j] = a[j / 2] + b[j / 2]
        for j in seq(0, m):
            y[j] = x[j / 2]

    The buffer is filled by nests of loops in its own block, each with one assignment, or with an `if` and an assignment to the
    same place in its branches. The indices of the assignment give the iterators back: each occurs in one dimension, alone or as
    in `4 * io + ii`. Where several nests or branches may have made what a statement reads, it is put into an `if`, whose
    condition says which made it last. Elements may be read anywhere afterwards, through `idx` and in conditions on data
    too, and each as often as it is read.

    Raises:
        SchedulingError: the buffer is filled in another way (a sum has no formula), or reads itself; it is passed to a call,
        used through a window, or before it is filled; what a formula reads may be modified before a use; the formula has a
        condition or `idx` on data and may be evaluated at places that were not filled; which nest made an element depends on
        data; a formula out of bounds where it would be read.
    Forwarding: the allocation and the loops are gone; a cursor to a read goes to the formula that takes its place.
    Also known as: compute_inline (Halide, TVM), loop fusion by substitution.
    """
    path, alloc = alloc_at(proc, buf)

    rest = rest_of_block(proc.ir, path)
    uses = uses_in(proc.ir, rest, alloc.name) if rest is not None else []
    require(bool(uses), f"{alloc.name.name} is not used", alloc.span, code="E451")
    assert rest is not None
    found = fillings(proc, rest, alloc.name)
    require(bool(found), f"{alloc.name.name} is read and never filled", alloc.span, code="E454")
    zero = Literal(0 if scalar_of(alloc.type).is_int else Fraction(0), type=scalar_of(alloc.type), span=alloc.span)
    inlining = _Inlining(proc, alloc.name, len(rest.parent), tuple(found), zero)
    readers = inlining.readers(uses)
    for filling in found:
        _require_unchanged(proc, rest, filling, alloc.name, readers)

    edit = inlining.in_expressions(rest, readers) or inlining.in_statements(readers)
    return edit.splice_many([(NodeLoc(path), ()), *((NodeLoc(filling.path), ()) for filling in found)])


def _stmt_around(path: Path) -> Path:
    """The path of the statement that an expression belongs to."""
    return path[: max(at for at, (field, _) in enumerate(path) if field in ("body", "orelse")) + 1]


def _require_unchanged(proc: Procedure, rest: BlockLoc, filling: Filling, name: Sym, readers: Sequence[Use]) -> None:
    """What the formula reads is not modified between the nest and the last reader."""
    block, depth = stmts(proc.ir, rest), len(rest.parent)
    last = max(position for use in readers if (position := use.path[depth][1]) is not None)
    leaf = isinstance(block[last - rest.lo], Assign | Reduce)  # writes after it has read
    ctx = context_at(proc, filling.path)
    reads = [a for a in effect(ctx, (get_stmt(proc.ir, filling.path),)).accesses if a.kind is Kind.READ]
    crossed = effect(ctx, block[filling.position + 1 - rest.lo : last + (not leaf) - rest.lo])
    conflict = conflict_between(ctx.facts, reads, [a for a in crossed.accesses if a.modifies])
    require_no(conflict, f"what the formula of {name.name} reads may be modified before its last use")


@dataclass(frozen=True, slots=True)
class _Inlining:
    """A buffer, what fills it, and what an element is that nothing filled, whose value is anything."""

    proc: Procedure
    name: Sym
    depth: int
    """How many steps lead to the block of the buffer."""
    found: tuple[Filling, ...]
    undefined: Literal

    def readers(self, uses: Sequence[Use]) -> list[Use]:
        """The reads of the buffer, all of which formulas may replace."""
        name, found = self.name.name, list[Use]()
        for use in uses:
            if any(self._position(use.path) == filling.position for filling in self.found):
                continue
            stmt = get_stmt(self.proc.ir, _stmt_around(use.path))
            span = use.node.span.or_else(stmt.span)
            if not isinstance(use.node, Read) or passed_whole(use):
                refuse(f"{name} is used through a window, by its strides, or as a whole", span, code="E450")
            require(bool(self._before(use.path)), f"{name} is read before it is filled", span, code="E450")
            if not isinstance(stmt, Assign | Reduce | If):
                self._refuse_place(span)
            found.append(use)
        require(bool(found), f"{name} is not read", None, code="E451")
        return found

    def _refuse_place(self, span: Span) -> NoReturn:
        hints = ["hint: bind_expr gives the value a name first"]
        refuse(f"{self.name.name} is read where its formula cannot stand", span, hints, code="E450")

    def _position(self, path: Path) -> int:
        position = path[self.depth][1]
        assert position is not None
        return position

    def _before(self, path: Path) -> list[Filling]:
        """What fills the buffer before the statement at path, the last first."""
        return [filling for filling in reversed(self.found) if filling.position < self._position(path)]

    # ---- what takes the place of a read

    def value(self, ctx: Context, read: Read, found: Sequence[Filling]) -> Value:
        """The element that read reads where ctx holds, if found has filled it, the last first."""
        last, *earlier = found
        if not earlier:
            if last.may_stop():
                self._require_filled(ctx, read, last)
            return last.value(read.idx, lambda: self.undefined)
        conditions = last.reached(read.idx)
        pending = [cond for cond in conditions if not _proved(ctx, (cond,))]
        if not pending:
            return last.value(read.idx, lambda: self.value(ctx, read, earlier))
        if not last.is_exact() or any(map(depends_on_data, pending)):
            message = f"which of the nests that fill {self.name.name} makes {show_expr(read)} is not known before it runs"
            refuse(message, read.span if read.span.line else None, code="E454")
        if _proved(ctx, conditions, negated=True):
            return self.value(ctx, read, earlier)
        cond = reduce(lambda a, b: BinaryOp("and", a, b, type=BOOL, span=read.span), pending)
        inside, outside = ctx.assume([ctx.truth(cond)]), ctx.assume([ctx.falsity(cond)])
        then = last.value(read.idx, lambda: self.value(inside, read, earlier))
        return Fork(cond, then, self.value(outside, read, earlier))

    def _require_filled(self, ctx: Context, read: Read, filling: Filling) -> None:
        """The element was computed, so that decisions on data were taken at its place before."""
        goal, ranges = _formula(ctx, filling.reached(read.idx))
        message = f"{show_expr(read)} may not be filled, and its formula has a condition or `idx` on data"
        require_proved(ctx, goal, message, read.span if read.span.line else None, extra=ranges)

    # ---- edits

    def in_expressions(self, rest: BlockLoc, readers: Sequence[Use]) -> Edit | None:
        """Where each element has one formula: that takes the place of the reads."""
        if len(self.found) > 1 or not isinstance(self.found[0].choice, Assign):
            return None
        for use in readers:
            assert isinstance(use.node, Read)
            self.value(context_at(self.proc, _stmt_around(use.path)), use.node, self.found)

        def rule(node: Node) -> Expr | None:
            if not isinstance(node, Read) or node.name is not self.name:
                return None
            value = self.found[0].value(node.idx, lambda: self.undefined)
            assert not isinstance(value, Fork)
            return value

        return edit_of(self.proc).rewrite_exprs(rest, rule, {self.name})

    def in_statements(self, readers: Sequence[Use]) -> Edit:
        """The statements that read the buffer, in copies under the conditions of its formulas."""
        heads: dict[Loc, Expr] = {}
        new: dict[Path, Stmt] = {}
        for path in dict.fromkeys(_stmt_around(use.path) for use in readers):
            stmt, ctx, found = get_stmt(self.proc.ir, path), context_at(self.proc, path), self._before(path)
            if isinstance(stmt, If):
                heads[NodeLoc((*path, ("cond", None)))] = self._condition(ctx, stmt.cond, found)
            else:
                new[path] = self._under(ctx, stmt, found, 1)
        edit = edit_of(self.proc).replace_exprs(heads)
        edit = edit.splice_many((NodeLoc(path), (stmt,)) for path, stmt in new.items())
        for path, stmt in new.items():
            first = edit.path(NodeLoc(path))
            while isinstance(stmt, If):
                first, stmt = (*first, ("body", 0)), stmt.body[0]
            edit = edit.redirect(NodeLoc(path), Now(NodeLoc(first)))
        return edit

    def _condition(self, ctx: Context, cond: Expr, found: Sequence[Filling]) -> Expr:
        while (read := self._last_read(cond)) is not None:
            value = self.value(ctx, read, found)
            if isinstance(value, Fork):
                self._refuse_place(read.span.or_else(cond.span))
            cond = _with_value(cond, read, value)
        return cond

    def _under(self, ctx: Context, stmt: Stmt, found: Sequence[Filling], copies: int) -> Stmt:
        read = self._last_read(stmt)
        if read is None:
            return stmt

        def choose(ctx: Context, value: Value, copies: int) -> Stmt:
            if copies > _MOST_COPIES:
                refuse(f"the statement would be copied more than {_MOST_COPIES} times", stmt.span, code="E404")
            if not isinstance(value, Fork):
                return self._under(ctx, _with_value(stmt, read, value), found, copies)
            inside = outside = ctx
            if not depends_on_data(value.cond):
                inside, outside = ctx.assume([ctx.truth(value.cond)]), ctx.assume([ctx.falsity(value.cond)])
            then, other = choose(inside, value.then, 2 * copies), choose(outside, value.other, 2 * copies)
            return If(value.cond, (then,), (other,), span=value.cond.span)

        return choose(ctx, self.value(ctx, read, found), copies)

    def _last_read(self, node: Node) -> Read | None:
        """An innermost one where reads are inside reads."""
        reads = (each for each in reversed(list(walk(node))) if isinstance(each, Read) and each.name is self.name)
        return next(reads, None)


def _formula(ctx: Context, conditions: Sequence[Expr]) -> tuple[Formula, list[Formula]]:
    """That all conditions hold, and what is known of clamped data in them."""
    lowering = Lowering(symbolic=True)
    formula = ctx.settle_truth(fml.and_([lowering.truth(cond) for cond in conditions]))
    return formula, [ctx.settle_truth(known) for known in lowering.ranges]


def _proved(ctx: Context, conditions: Sequence[Expr], *, negated: bool = False) -> bool:
    """Whether all conditions certainly hold; negated: whether one of them certainly does not."""
    formula, ranges = _formula(ctx, conditions)
    return isinstance(ctx.prove(fml.not_(formula) if negated else formula, ranges), Proved)


def _with_value(node: N, read: Read, value: Expr) -> N:
    def rule(each: Node) -> Expr | None:
        same = isinstance(each, Read) and each.name is read.name and all(map(same_expr, each.idx, read.idx))
        return value if same else None

    return rewrite(node, rule)
