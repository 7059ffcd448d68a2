"""block_scan: the running results of a loop become those of the loop by itself, combined with what there was before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from usl_core.analysis.conditions import why_not_commuting
from usl_core.analysis.conflict import overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access
from usl_core.analysis.values import Values
from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import NodeLoc, Path, after, before
from usl_core.ir.combining import combined, identity, spelt
from usl_core.ir.make import offset
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import (
    Alloc,
    Assign,
    Block,
    Expr,
    For,
    LoopMode,
    Node,
    Pass,
    Read,
    Reduce,
    index_literal,
    index_read,
)
from usl_core.ir.operation import Operation
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import children, depends_on_data, free_names, walk
from usl_core.ir.types import ScalarType, TensorType
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_no, require_proved
from usl_core.primitives.exprs.kept import forward_kept
from usl_core.primitives.locate import Where, context_at, loop_at
from usl_core.primitives.loops.iterations import runs_at_least_once, why_not_later_before_earlier
from usl_core.primitives.moving import effect, new_name
from usl_core.primitives.stmts.locations import Write, conflict_notes, reads_target, target
from usl_core.procedure import Procedure


@primitive()
def block_scan(proc: Procedure, loop: Where, name: str) -> Edit:
    """Compute the running results of a loop by themselves, and combine them with what there was before it.

                                         t: T[n]
                                         for i in seq(0, n):
                                             t[i] = e
        for i in seq(0, n):              for j in seq(1, n):
            s += e               ~>          t[j] += t[j - 1]
            y[f] = s                     for i in seq(0, n):
                                             y[f] = s + t[i]
                                         s += t[n - 1]

    is `block_scan(p, "i", "t")`, for any reduction `s op= e` and any assignments and reductions around it, which may use s as
    they like. Those before it use what is there without e: where there are such, t has one element more, and begins with the
    identity of the operation, so that they read `s + t[i]` and those behind it `s + t[i + 1]`. What carries results from one
    element to the next is then a loop over t alone, which `recursive_doubling` makes short. To scan in blocks, `divide_loop`
    first: of each block only the last line waits for the block before. Results of R and floats are combined in another order,
    which counts as equal.

    Raises:
        SchedulingError: the loop is parallel, does not start at 0, or may have no iteration; more is in it than one reduction,
        whose place is always the same, and assignments and reductions that use the result; one of these writes the place, or
        what a later iteration reduces; the value reads the place; an operation without identity, and uses before it.
    Forwarding: the loop and the statements around the reduction stay themselves, the reduction is the last line, and e goes to
    the new loop over it.
    Also known as: prefix sums by blocks, inclusive and exclusive; scan-then-propagate (Blelloch 1990, "Prefix Sums and Their
    Applications").
    """
    path, old = loop_at(proc, loop)
    ctx = context_at(proc, path)
    require(old.mode is LoopMode.SEQ, "iterations of a parallel loop have no running results", old.span)
    if ctx.value(ctx.index(old.lo)) != 0:
        refuse("the loop does not start at 0", old.span, ["hint: shift_loop"], code="E404")
    require_proved(ctx, runs_at_least_once(ctx, old), "the loop may have no iteration", old.span, values=[ctx.index(old.hi)])
    scan = _Scan.of(old, new_name(name))
    scan.require_legal(ctx, old)

    edit, first = edit_of(proc), (*path, ("body", scan.at))
    for position, stmt in enumerate(old.body):
        if isinstance(stmt, Assign | Reduce) and stmt is not scan.start:
            edit = edit.rewrite_exprs(NodeLoc((*path, ("body", position))), scan.combined(old, position), {scan.start.name})
    other = old.iter.copy()
    edit = edit.substitute(NodeLoc(path), {old.iter: index_read(other)}).update(NodeLoc(path), iter=other)
    edit = edit.delete(NodeLoc(first)).insert(after(path), (scan.total(old),))
    ahead = scan.ahead(old)
    edit = edit.insert(before(path), ahead)
    lazy = isinstance(scan.start.op, Operation)  # written out, it may have a value where an operand has none
    return replace(_forwarded(edit, path, first, scan.start, len(ahead)), refines=lazy)


class _Scan:
    """The reduction in the body of a loop, its position, and the statements around it; found is for its running results."""

    def __init__(self, start: Reduce, at: int, rest: tuple[tuple[int, Write], ...], found: Sym) -> None:
        self.start, self.at, self.rest, self.found = start, at, rest, found
        assert isinstance(start.rhs.type, ScalarType)
        self.type = start.rhs.type
        self.shift = 1 if any(position < at for position, _ in rest) else 0
        """How many elements there are before the result of the first iteration."""

    @staticmethod
    def of(loop: For, name: Sym) -> _Scan:
        code = [(n, stmt) for n, stmt in enumerate(loop.body) if not isinstance(stmt, Pass)]
        writes = [(n, stmt) for n, stmt in code if isinstance(stmt, Assign | Reduce)]
        for n, stmt in code:
            if (n, stmt) not in writes:
                message = f"there is {type(stmt).__name__} in the loop, where only assignments and reductions may be"
                refuse(message, stmt.span, ["hint: if_to_select, inline, bind_expr and fission"], code="E404")
        found = next((n for n, stmt in writes if isinstance(stmt, Reduce) and _is_used(n, stmt, writes)), None)
        if found is None:
            hint = "hint: fold_into_reduce makes reductions; one whose results nobody uses is for parallelize_reduction"
            refuse("no statement of the loop uses the results of a reduction in it", loop.span, [hint], code="E404")
        start = loop.body[found]
        assert isinstance(start, Reduce)
        return _Scan(start, found, tuple((n, stmt) for n, stmt in writes if n != found), name)

    # ---- check

    def require_legal(self, ctx: Context, loop: For) -> None:
        start = self.start
        if any(depends_on_data(index) for index in start.idx):
            refuse(f"an index of {start.name.name} is made of data", start.span, code="E418")
        if loop.iter in free_names(*start.idx):
            refuse(f"each iteration reduces into another place of {start.name.name}", start.span, code="E412")
        inside = ctx.enter(loop, "body")
        values = Values(inside)
        place = target(inside, start)
        found = reads_target(inside, (start.rhs,), place)
        if found is not None:
            message = f"the value reads {start.name.name}, into which it is reduced"
            what, *_ = conflict_notes(found)  # without values: one iteration alone hides the difference
            refuse(message, start.span, [what], code="E411")
        for _, stmt in self.rest:
            self._require_reads_only(inside, values, stmt, place)
        self._require_values_unchanged(ctx, inside, loop)
        if self.shift and identity(start.op, self.type) is None:
            message = f"{spelt(start.op)} has no identity, for the first of those that use the result before it changes"
            refuse(message, start.span, ["hint: rotate_loop, or cut off the first iteration"], code="E404")

    def _require_values_unchanged(self, ctx: Context, inside: Context, loop: For) -> None:
        """No statement changes what is reduced after it, in its own or a later iteration."""
        ahead = effect(inside, (Assign(self.found, (), self.start.rhs),))
        conflict = why_not_later_before_earlier(ctx, loop, ahead=ahead, behind=effect(inside, [stmt for _, stmt in self.rest]))
        message = f"what uses the results may change what later iterations of {loop.iter.name} reduce"
        require_no(conflict, message, loop.span)
        before = effect(inside, [stmt for position, stmt in self.rest if position < self.at])
        require_no(why_not_commuting(inside.facts, before, ahead), "what is reduced may change before", loop.span)

    def _require_reads_only(self, inside: Context, values: Values, stmt: Write, place: Access) -> None:
        """A statement uses the location of the reduction, and nothing else that may be it, and does not write it."""
        name = self.start.name
        if overlap(inside.facts, target(inside, stmt), place) is not None:
            refuse(f"{name.name} is written otherwise than by the reduction", stmt.span, code="E411")
        here = values.location(name, self.start.idx)
        for node in walk(stmt):
            if not isinstance(node, Read) or not isinstance(node.type, ScalarType):
                continue
            same = node.name is name and values.location(name, node.idx) == here
            other = None if same else reads_target(inside, (node,), place)
            if other is not None or (node.name is name and not same):
                message = f"what is read here may be {name.name}, but is not written as in the reduction"
                refuse(message, stmt.span, conflict_notes(other) if other else (), code="E411")

    # ---- edit

    def at_index(self, position: Expr) -> Expr:
        return Read(self.found, (position,), type=self.type, span=self.start.span)

    def combined(self, loop: For, position: int) -> Callable[[Node], Node | None]:
        """The rule by which a statement reads the result of its own iteration, or of the one before."""
        behind = offset(index_read(loop.iter), self.shift if position > self.at else 0)

        def rule(node: Node) -> Node | None:
            if isinstance(node, Read) and node.name is self.start.name:
                return combined(self.start.op, node, self.at_index(behind), node.span)
            return None

        return rule

    def ahead(self, loop: For) -> Block:
        """The results of the loop by itself."""
        start, end, name = self.start, offset(loop.hi, self.shift), Sym("j")
        here = index_read(name)
        value = Assign(self.found, (offset(index_read(loop.iter), self.shift),), start.rhs, span=start.span)
        step = Reduce(self.found, (here,), self.at_index(offset(here, -1)), start.op, span=start.span)
        neutral = identity(start.op, self.type) if self.shift else None
        return (
            Alloc(self.found, TensorType(self.type, (end,)), DRAM, span=loop.span),
            *([Assign(self.found, (index_literal(0),), neutral, span=start.span)] if neutral is not None else []),
            For(loop.iter, loop.lo, loop.hi, (value,), span=loop.span),
            For(name, index_literal(1), end, (step,), span=start.span),
        )

    def total(self, loop: For) -> Reduce:
        """What all iterations together do to the location."""
        start = self.start
        return Reduce(start.name, start.idx, self.at_index(offset(loop.hi, self.shift - 1)), start.op, span=start.span)


def _is_used(at: int, start: Reduce, writes: Sequence[tuple[int, Write]]) -> bool:
    """Whether another statement reads what a reduction writes."""
    others = (node for n, stmt in writes if n != at for node in walk(stmt))
    return any(isinstance(node, Read) and node.name is start.name for node in others)


# ---- forward


def _forwarded(edit: Edit, path: Path, first: Path, start: Reduce, ahead: int) -> Edit:
    """Cursors to the reduction go to the total, and those to its value to where that is computed."""
    total, values = _later(path, ahead + 1), (*_later(path, ahead - 2), ("body", 0))
    edit = edit.redirect(NodeLoc(first), Now(NodeLoc(total)), inside=False)
    for step, child in children(start):
        there = total if step[0] == "idx" else values
        edit = forward_kept(edit, (*first, step), child, there, edit.node(Now(NodeLoc(there))))
    return edit


def _later(path: Path, count: int) -> Path:
    """The path of a statement so many places behind the one at path."""
    field, index = path[-1]
    assert index is not None
    return (*path[:-1], (field, index + count))
