"""block_scan: the running results of a loop become those of the loop by itself, combined with what there was before it."""

from __future__ import annotations

from dataclasses import replace

from usl_core.analysis.conflict import overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access
from usl_core.analysis.values import Values
from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import BlockLoc, NodeLoc, Path, after, before
from usl_core.ir.combining import combined
from usl_core.ir.make import offset
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Alloc, Assign, Expr, For, LoopMode, Node, Pass, Read, Reduce, index_literal, index_read
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
            y[f] = s                     for k in seq(0, n):
                                             y[f] = s + t[k]
                                         s += t[n - 1]

    is `block_scan(p, "i", "t")`, for any reduction `s op= e` and any assignments and reductions after it, which may use s as
    they like. What carries results from one element to the next is then a loop over t alone, which `recursive_doubling` makes
    short. To scan in blocks, `divide_loop` first: of each block only the last line waits for the block before. Results of R
    and floats are combined in another order, which counts as equal.

    Raises:
        SchedulingError: the loop is parallel, does not start at 0, or may have no iteration; it does not begin with a reduction
        into one location; what follows that writes the location, or what a later iteration reads; the value reads the location.
    Forwarding: the loop goes to the one over e, and e stays itself; the statements after the reduction stay themselves, and the
    reduction is the last line.
    Also known as: prefix sums by blocks, scan-then-propagate (Blelloch 1990, "Prefix Sums and Their Applications").
    """
    path, old = loop_at(proc, loop)
    ctx = context_at(proc, path)
    require(old.mode is LoopMode.SEQ, "iterations of a parallel loop have no running results", old.span)
    if ctx.value(ctx.index(old.lo)) != 0:
        refuse("the loop does not start at 0", old.span, ["hint: shift_loop"], code="E404")
    require_proved(ctx, runs_at_least_once(ctx, old), "the loop may have no iteration", old.span, values=[ctx.index(old.hi)])
    scan = _Scan.of(old)
    scan.require_legal(ctx, old)

    found, typ = new_name(name), scan.type
    first = (*path, ("body", scan.at))
    edit = edit_of(proc)
    edit = _combined(edit, scan, BlockLoc(path, "body", scan.at + 1, len(old.body)), found, old)
    edit = edit.replace(NodeLoc(first), (Assign(found, (index_read(old.iter),), scan.start.rhs, span=scan.start.span),))
    edit = edit.insert(after(path), (_running(found, typ, scan.start, old.hi),))
    edit = edit.insert(before(path), (Alloc(found, TensorType(typ, (old.hi,)), DRAM, span=old.span),))
    lazy = isinstance(scan.start.op, Operation)  # written out, it may have a value where an operand has none
    return replace(_forwarded(edit, path, first, scan.start), refines=lazy)


class _Scan:
    """The reduction with which the body of a loop begins, its position, and the statements after it."""

    def __init__(self, start: Reduce, at: int, rest: tuple[Write, ...]) -> None:
        self.start, self.at, self.rest = start, at, rest
        assert isinstance(start.rhs.type, ScalarType)
        self.type = start.rhs.type

    @staticmethod
    def of(loop: For) -> _Scan:
        code = [(n, stmt) for n, stmt in enumerate(loop.body) if not isinstance(stmt, Pass)]
        (at, start), rest = code[0] if code else (0, Pass()), [stmt for _, stmt in code[1:]]
        if not isinstance(start, Reduce):
            hints = ["hint: fold_into_reduce makes reductions; fission brings what stands before them out of the loop"]
            refuse("the loop does not begin with a reduction", loop.span, hints, code="E404")
        writes = [stmt for stmt in rest if isinstance(stmt, Assign | Reduce)]
        for stmt in rest:
            if stmt not in writes:
                message = f"after the reduction there is {type(stmt).__name__}, where only assignments and reductions may be"
                refuse(message, stmt.span, ["hint: if_to_select, inline, bind_expr and fission"], code="E404")
        if not writes:
            hints = ["hint: a reduction without running results is for parallelize_reduction"]
            refuse("nothing uses the running results", loop.span, hints, code="E404")
        return _Scan(start, at, tuple(writes))

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
            refuse(
                f"the value reads {start.name.name}, into which it is reduced", start.span, conflict_notes(found), code="E411"
            )
        for stmt in self.rest:
            self._require_reads_only(inside, values, stmt, place)
        behind = effect(inside, self.rest)
        ahead = effect(inside, (Assign(Sym("t"), (), start.rhs),))
        conflict = why_not_later_before_earlier(ctx, loop, ahead=ahead, behind=behind)
        require_no(
            conflict, f"what follows the reduction may change what later iterations of {loop.iter.name} reduce", loop.span
        )

    def _require_reads_only(self, inside: Context, values: Values, stmt: Write, place: Access) -> None:
        """A statement after the reduction uses its location, and nothing else that may be it, and does not write it."""
        name = self.start.name
        if overlap(inside.facts, target(inside, stmt), place) is not None:
            refuse(f"{name.name} is written after it is reduced into", stmt.span, code="E411")
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


def _combined(edit: Edit, scan: _Scan, rest: BlockLoc, found: Sym, loop: For) -> Edit:
    """The statements after the reduction in a loop of their own, with combined values, and the reduction of the last one."""
    start, name = scan.start, loop.iter.copy()

    def of(position: Expr) -> Expr:
        return Read(found, (position,), type=scan.type, span=start.span)

    def rule(node: Node) -> Node | None:
        if isinstance(node, Read) and node.name is start.name:
            return combined(start.op, node, of(index_read(name)), node.span)
        return None

    path, there = rest.parent, Now(rest)
    edit = edit.rewrite_exprs(rest, rule, {start.name})
    edit = edit.substitute(there, {loop.iter: index_read(name)})
    edit = edit.wrap(there, lambda body: For(name, loop.lo, loop.hi, body, loop.mode, span=loop.span))
    edit = edit.move(Now(NodeLoc((*path, ("body", rest.lo)))), Now(after(path)), joins=True)
    total = Reduce(start.name, start.idx, of(offset(loop.hi, -1)), start.op, span=start.span)
    return edit.insert(Now(after(_later(path, 1))), (total,))


def _running(found: Sym, typ: ScalarType, start: Reduce, end: Expr) -> For:
    """Each element combined with the one before."""
    name = Sym("j")
    here = index_read(name)
    value = Read(found, (offset(here, -1),), type=typ, span=start.span)
    return For(name, index_literal(1), end, (Reduce(found, (here,), value, start.op, span=start.span),), span=start.span)


def _later(path: Path, count: int) -> Path:
    """The path of a statement so many places behind the one at path."""
    field, index = path[-1]
    assert index is not None
    return (*path[:-1], (field, index + count))


# ---- forward


def _forwarded(edit: Edit, path: Path, first: Path, start: Reduce) -> Edit:
    at, total = (*_later(path, 1), *first[len(path) :]), _later(path, 4)
    now = edit.node(Now(NodeLoc(total)))
    edit = edit.redirect(NodeLoc(first), Now(NodeLoc(total)), inside=False)
    for step, child in children(start):
        if step[0] == "idx":
            edit = forward_kept(edit, (*first, step), child, total, now)
        else:
            edit = forward_kept(edit, (*first, step), child, at, edit.node(Now(NodeLoc(at))))
    return edit
