"""stage_mem: a block works on a copy of part of a buffer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from usl_core.analysis import formula as fml
from usl_core.analysis.conditions import covered
from usl_core.analysis.conflict import overlap
from usl_core.analysis.context import Context
from usl_core.analysis.exposed import definite_writes, exposed_read
from usl_core.analysis.solver import Proved
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import BlockLoc, NodeLoc, after, before, stmt_list, stmt_path, stmts
from usl_core.errors import Span, Undecided
from usl_core.ir import nodes as ir
from usl_core.ir.combining import identity, is_idempotent, spelt
from usl_core.ir.memory import DRAM
from usl_core.ir.operation import Operation
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, free_names, update, use_of
from usl_core.ir.types import ScalarType, TensorType
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_proved
from usl_core.primitives.buffers.partial import one_reduction, start_outside
from usl_core.primitives.buffers.region import Region, region_of, window_of
from usl_core.primitives.buffers.uses import Use, mentions, passed_whole, reads_strides, renamed, uses_in, with_windows
from usl_core.primitives.locate import Where, block_at, context_at, expr_at, scope_at
from usl_core.primitives.locate import window as window_text
from usl_core.primitives.loops.modes import require_still_parallel
from usl_core.primitives.moving import effect, new_name
from usl_core.primitives.stmts.locations import Write
from usl_core.procedure import Procedure


@primitive()
def stage_mem(proc: Procedure, block: Where, window: Where, name: str, accum: bool = False, start: Where | None = None) -> Edit:
    """Let a block work on a copy of a window of a buffer, `stage_mem(p, block, "x[lo:hi, pt]", "t")`.

                                 t: T[hi - lo]
                                 for i0 in seq(0, hi - lo):
                                     t[i0] = x[lo + i0, pt]
        s            ~>          s[x[e, pt] -> t[e - lo]]
                                 for i0 in seq(0, hi - lo):
                                     x[lo + i0, pt] = t[i0]

    Accesses that certainly lie outside of the window stay on x, through windows of it too. Copying in is left out if the block
    writes all of the window and reads nothing of it that it has not written before; copying out if it writes nothing. With
    accum, t starts at 0 and is added to x at the end; one by `*` starts at 1, by `&` at all bits, by `min` or `max` at the
    greatest or least integer of its type, or else at x itself. In that last case start may be a loop around the block that only
    combines more with x: t then starts at what x was before that loop, read once into `t_start`. Where the window may reach
    over the end of the buffer the copies are guarded. The copy lives in DRAM; `set_memory` moves it.

    Raises:
        SchedulingError: an access to x in the block may lie partly outside of the window (values are shown); the block may
        reach the window through another one made before it, or makes one that is used after it; the window may be empty;
        the block depends on strides of x; accum, and the block does more than reduce into the window by one operation; start,
        and that loop does more with the window, or changes where it lies; an iteration of a parallel loop around would copy
        what another one writes.
    Forwarding: everything stays with the same statement; a cursor to the block holds the same statements, without the copies.
    Also known as: stage_window, cache_read and cache_write (TVM), staging.
    """
    where = block_at(proc, block)
    code = stmts(proc.ir, where)
    span = code[0].span
    region = _region(proc, where, window)
    target = new_name(name)

    ctx = context_at(proc, stmt_path(where, 0))
    _require_extents(ctx, region)
    _require_sole_name(proc, where, ctx, region)
    apart = _outside(proc, where, ctx, region, span)
    edit = _redirected(edit_of(proc), where, apart, _redirection(ctx, region, target), region.buffer)

    alloc = ir.Alloc(target, region.type(), DRAM, span=span)
    inner, changed = ctx.after(alloc), edit.stmts(where)
    touched = [a for a in effect(inner, changed).accesses if a.buffer is target]
    require(bool(touched), f"the block does not use {region.buffer.name}", span, code="E451")
    op = one_reduction(touched, region) if accum else ""
    require(accum or start is None, "start is for partial results, with accum", span)
    copies = _Copies(ctx, region, target, span)
    opening: ir.Block = (alloc,)
    if accum:
        edit, filled = _started(edit, proc, where, copies, op, start)
        opening = (alloc, filled)
    elif _must_copy_in(copies, inner, changed):
        opening = (alloc, copies.copy_in())

    edit = edit.insert(before(stmt_path(where, 0)), opening)
    if any(a.modifies for a in touched):
        edit = edit.insert(after(stmt_path(where, where.hi - where.lo - 1)), (copies.copy_out(op),))
    require_still_parallel(edit, where.parent)  # what is copied may be more than what the block touches
    return edit


# ---- locate


def _region(proc: Procedure, where: BlockLoc, window: Where) -> Region:
    start = stmt_path(where, 0)
    if isinstance(window, str):
        expr: ir.Expr = window_text(proc, start, window)
    else:
        expr = expr_at(proc, window)[1]
    if not isinstance(expr, ir.WindowExpr | ir.Read) or not isinstance(expr.type, ScalarType | TensorType):
        refuse(f"a window of a buffer is wanted, like x[0:4, i], not {show_expr(expr)}", expr.span, code="E404")
    visible = {binding.sym for binding in scope_at(proc, start).values()}
    hidden = sorted(name.name for name in free_names(expr) - visible)
    if hidden:
        refuse(f"{', '.join(hidden)} is not in scope before the block", expr.span, code="E416")
    if depends_on_data(expr):
        refuse(f"the window {show_expr(expr)} depends on data", expr.span, code="E418")
    typ = context_at(proc, start).scope.buffers[expr.name].type
    return region_of(expr, typ.shape if isinstance(typ, TensorType) else ())


# ---- check


def _require_extents(ctx: Context, region: Region) -> None:
    for interval in region.intervals:
        low, high = ctx.index(interval.lo), ctx.index(interval.hi)
        message = f"the window may be empty: cannot prove {show_expr(interval.lo)} < {show_expr(interval.hi)}"
        require_proved(ctx, fml.lt(low, high), message, interval.span, values=(low, high))


def _require_sole_name(proc: Procedure, where: BlockLoc, ctx: Context, region: Region) -> None:
    """The block reaches the buffer under one name (and windows of its own), and nothing after it reaches the copy."""
    block, name = stmts(proc.ir, where), region.buffer.name
    root = ctx.scope.root(region.buffer)
    others = sorted(other for other in ctx.scope.buffers if other is not region.buffer and ctx.scope.root(other) is root)
    for use in [use for other in others for use in uses_in(proc.ir, where, other)]:
        if not isinstance(use.node, ir.StrideExpr) and not _is_apart(proc, use, ctx, region):
            used = use.node.name.name
            hint = f"hint: stage {used} instead, or inline the window"
            span = use.node.span.or_else(block[0].span)
            refuse(f"the block also reaches {name} under the name {used}", span, [hint], code="E450")
    own = with_windows(block, region.buffer)
    for stmt in stmt_list(proc.ir, where.parent, where.field)[where.hi :]:
        if mentions(stmt, own - {region.buffer}):
            hint = "hint: take the statements that use it into the block"
            refuse(f"a window of {name} that the block makes is used after it", stmt.span, [hint], code="E416")
    found = reads_strides(block, own)
    if found is not None:
        refuse(f"the block depends on strides of {name}, which the copy does not have", found.span, code="E457")


def _is_apart(proc: Procedure, use: Use, start: Context, region: Region) -> bool:
    """Whether a use of the buffer, or of a window of it, certainly lies outside of the region; start holds before the block."""
    node = use.node
    assert not isinstance(node, ir.StrideExpr)
    ctx = context_at(proc, use.path)
    typ = ctx.scope.buffers[node.name].type
    box = Region(node.name, region.scalar, (), typ.shape if isinstance(typ, TensorType) else ())
    box = replace(box, dims=box.whole() if passed_whole(use) else node.idx)
    try:
        return overlap(ctx.facts, box.locations(ctx, node), region.locations(start, node)) is None
    except Undecided:
        return False


def _outside(proc: Procedure, where: BlockLoc, start: Context, region: Region, span: Span) -> list[Use]:
    """The uses of the buffer that lie outside of the region; all others certainly lie inside, or stage_mem refuses."""
    found: list[Use] = []
    for use in uses_in(proc.ir, where, region.buffer):
        node = use.node
        assert isinstance(node, ir.Read | ir.WindowExpr | ir.Assign | ir.Reduce)
        indices = region.whole() if passed_whole(use) else node.idx
        ctx = context_at(proc, use.path)
        if not _is_inside(ctx, region, indices) and _is_apart(proc, use, start, region):
            found.append(use)
            continue
        _require_intervals_kept(use, region, indices)
        for part in region.inclusion(ctx, indices):
            shown = show_expr(ir.Read(node.name, node.idx, type=node.rhs.type) if isinstance(node, Write) else node)
            message = f"cannot prove that {shown} lies inside the window {_shown(region)}, in dimension {part.dim}"
            hint = "stage a larger window, or a smaller block"
            place = node.span.or_else(span)
            require_proved(ctx, part.goal, message, place, values=part.values, extra=part.extra, hint=hint)
    return found


def _is_inside(ctx: Context, region: Region, indices: tuple[ir.Expr | ir.Interval, ...]) -> bool:
    if any(isinstance(i, ir.Interval) and not isinstance(b, ir.Interval) for i, b in zip(indices, region.dims, strict=True)):
        return False
    return all(isinstance(ctx.prove(part.goal, part.extra), Proved) for part in region.inclusion(ctx, indices))


def _require_intervals_kept(use: Use, region: Region, indices: tuple[ir.Expr | ir.Interval, ...]) -> None:
    """A view of the buffer has as many dimensions over the copy as over the buffer."""
    for dim, (index, bound) in enumerate(zip(indices, region.dims, strict=True)):
        if isinstance(index, ir.Interval) and not isinstance(bound, ir.Interval):
            message = f"the block makes a window of {region.buffer.name} over dimension {dim}, of which one point is staged"
            refuse(message, use.node.span, [f"hint: stage {show_expr(bound)}:{show_expr(bound)} + 1 instead"], code="E455")


def _shown(region: Region) -> str:
    def entry(dim: ir.Expr | ir.Interval) -> str:
        return f"{show_expr(dim.lo)}:{show_expr(dim.hi)}" if isinstance(dim, ir.Interval) else show_expr(dim)

    return f"{region.buffer.name}[{', '.join(map(entry, region.dims))}]" if region.dims else region.buffer.name


def _started(
    edit: Edit, proc: Procedure, where: BlockLoc, copies: _Copies, op: str | Operation, start: Where | None
) -> tuple[Edit, ir.Stmt]:
    """The statement that gives the copy the value at which a partial result starts; edit, which has saved it before the loop
    start if it must be."""
    region = copies.region
    neutral = identity(op, region.scalar)
    if neutral is not None:
        return edit, copies.filled(neutral)
    require(is_idempotent(op), f"a reduction by {spelt(op)} has no value to start at", copies.span, code="E454")
    if start is None:
        return edit, copies.copy_in()
    path, ctx = start_outside(proc, where, start, region, op)
    _require_extents(ctx, region)
    saved = Sym(f"{copies.target.name}_start")
    there = _Copies(ctx, region, saved, copies.span)
    edit = edit.insert(before(path), (ir.Alloc(saved, region.type(), DRAM, span=copies.span), there.copy_in()))
    return edit, copies.copy_of(saved)


# ---- the copies


class _Copies:
    """Loops over the elements of a region, with what keeps them in bounds."""

    def __init__(self, ctx: Context, region: Region, target: Sym, span: Span) -> None:
        self.ctx, self.region, self.target, self.span = ctx, region, target, span

    def copy_in(self) -> ir.Stmt:
        def load(ours: tuple[ir.Expr, ...], theirs: tuple[ir.Expr, ...]) -> ir.Stmt:
            return ir.Assign(self.target, ours, self._read(self.region.buffer, theirs), span=self.span)

        return self._loops(load, guarded=True)

    def copy_of(self, other: Sym) -> ir.Stmt:
        """Copies another buffer of the same shape."""
        return self._loops(lambda ours, _: ir.Assign(self.target, ours, self._read(other, ours), span=self.span), guarded=False)

    def filled(self, value: ir.Literal) -> ir.Stmt:
        literal = update(value, span=self.span)
        return self._loops(lambda ours, _: ir.Assign(self.target, ours, literal, span=self.span), guarded=False)

    def copy_out(self, op: str | Operation) -> ir.Stmt:
        """Stores the copy, or combines it with what is there."""

        def store(ours: tuple[ir.Expr, ...], theirs: tuple[ir.Expr, ...]) -> ir.Stmt:
            value = self._read(self.target, ours)
            if op:
                return ir.Reduce(self.region.buffer, theirs, value, op, span=self.span)
            return ir.Assign(self.region.buffer, theirs, value, span=self.span)

        return self._loops(store, guarded=True)

    def _read(self, name: Sym, idx: tuple[ir.Expr, ...]) -> ir.Expr:
        return ir.Read(name, idx, type=self.region.scalar, span=self.span)

    def _loops(self, make_stmt: Callable[[tuple[ir.Expr, ...], tuple[ir.Expr, ...]], ir.Stmt], *, guarded: bool) -> ir.Stmt:
        extents = self.region.extents()
        iterators = tuple(Sym(f"i{level}") for level in range(len(extents)))
        loops = [ir.For(i, ir.index_literal(0), e, (), span=self.span) for i, e in zip(iterators, extents, strict=True)]
        ctx = self.ctx
        for loop in loops:
            ctx = ctx.enter(loop, "body")
        theirs = self.region.element(iterators)
        stmt = make_stmt(tuple(map(ir.index_read, iterators)), theirs)
        condition = self.region.inside(ctx, theirs) if guarded else None
        if condition is not None:
            stmt = ir.If(condition, (stmt,), span=self.span)
        for loop in reversed(loops):
            stmt = update(loop, body=(stmt,))
        return stmt


def _must_copy_in(copies: _Copies, inner: Context, block: ir.Block) -> bool:
    """Whether block, which works on the copy, may read what was in the window before it, or may leave some of that there; inner
    holds before it."""
    if exposed_read(inner, block, copies.target) is not None:
        return True
    box = copies.region.places(copies.ctx, copies.target, block[0])
    return not covered(inner.facts, box, definite_writes(inner, block, copies.target))


# ---- edit


def _redirected(edit: Edit, where: BlockLoc, apart: list[Use], rule: Callable[[ir.Node], ir.Node | None], name: Sym) -> Edit:
    """edit with rule applied to the uses of name in a block, those in apart excepted."""
    kept = name.copy()
    for use in apart:
        edit = edit.update(NodeLoc(use.path), name=kept)
    edit = edit.rewrite_exprs(where, rule, {name})
    if not apart:
        return edit
    return edit.rewrite_exprs(where, lambda node: renamed(node, kept, name), {kept})


def _redirection(ctx: Context, region: Region, target: Sym) -> Callable[[ir.Node], ir.Node | None]:
    """The rule that turns uses of the buffer into uses of the copy; every use is known to lie inside the window."""
    dense = region.type()

    def rule(node: ir.Node) -> ir.Node | None:
        use = use_of(node)
        if use is None or use.name is not region.buffer:
            return None
        match use:
            case ir.Read(type=TensorType()):
                if region.is_all(ctx):
                    return ir.Read(target, (), type=dense, span=node.span)
                return window_of(target, use, region.relative(region.whole()))
            case ir.Read() | ir.Assign() | ir.Reduce():
                return update(use, name=target, idx=region.relative(use.idx))
            case ir.WindowExpr():
                return window_of(target, use, region.relative(use.idx))
            case ir.StrideExpr():
                return None

    return rule
