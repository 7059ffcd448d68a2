"""inline_assign: an assigned value takes the place of the reads that see it."""

from __future__ import annotations

from dataclasses import dataclass, field

from usl_core.analysis.conditions import conflict_between
from usl_core.analysis.conflict import overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, reads_of, summary
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import Loc, NodeLoc, Path, stmt_list
from usl_core.errors import counterexample
from usl_core.ir import nodes as ir
from usl_core.ir.printer import show
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import children, depends_on_data, mentioned
from usl_core.ir.types import ScalarType
from usl_core.primitives.base import edit_of, primitive, refuse, require_no
from usl_core.primitives.locate import Where, context_at, stmt_at
from usl_core.primitives.moving import effect
from usl_core.primitives.stmts.liveness import read_later
from usl_core.primitives.stmts.locations import conflict_notes, reads_target, same_location, target
from usl_core.procedure import Procedure


@primitive()
def inline_assign(proc: Procedure, stmt: Where) -> Edit:
    """Put the right side of an assignment wherever its value is read, and drop the assignment.

        t = x[i] * 2.0       ~>      y[i] = x[i] * 2.0 + 1.0
        y[i] = t + 1.0

    The value is followed through the rest of the block that the assignment stands in, up to an assignment of the same location
    or the end of the block, where the buffer must not be read any more. The allocation stays (`delete_buffer`).

    Raises:
        SchedulingError: the location is changed in between other than by a plain `=` at the end, may be the one of some read
        but is not proved to be, or is passed to a call; what the right side reads may be modified before a use; the value may
        be read after the block, or in a later iteration; the right side reads the location itself.
    Forwarding: the assignment is gone; a cursor to a read of it goes to the expression that takes its place.
    Also known as: forward substitution, copy propagation; the inverse of bind_expr.
    """
    path, old = stmt_at(proc, stmt, ir.Assign, "an assignment")

    ctx = context_at(proc, path)
    place = _place(ctx, old)
    region = _Region(place)
    region.follow(ctx, path, _rest(proc, path))
    _require_unchanged(ctx, _rest(proc, path), path, old, region)
    _require_evaluated(old, path, region)

    new: dict[Loc, ir.Expr] = {NodeLoc(use): old.rhs for use in region.uses}
    edit = edit_of(proc).replace_exprs(new).delete(NodeLoc(path))
    _require_dead(proc, ctx, path, old, place, region, edit)
    return edit


# ---- locate


def _place(ctx: Context, old: ir.Assign) -> Access:
    """The location that is written, which the right side does not read."""
    place = target(ctx, old)
    name = old.name.name
    if place.iters:
        refuse(f"the location of {name} has an index made of data", old.span, code="E418")
    found = reads_target(ctx, (old.rhs,), place)
    if found is not None:
        refuse(f"the right side reads {name} itself", old.span, conflict_notes(found), code="E454")
    return place


def _rest(proc: Procedure, path: Path) -> ir.Block:
    field_, index = path[-1]
    assert index is not None
    return stmt_list(proc.ir, path[:-1], field_)[index + 1 :]


@dataclass
class _Region:
    """What runs after the assignment in its block, up to the statement that overwrites the location."""

    place: Access
    uses: list[Path] = field(default_factory=list)
    length: int = 0
    """How many statements of the rest of the block the value lives through, the overwriting one included."""
    overwritten: bool = False
    last_use: int | None = None
    """The position in the rest of the block of the last statement with a use."""

    names: set[Sym] = field(default_factory=set)
    """The buffer of the location, and windows of it: what mentions none of them does not touch the location."""

    def follow(self, ctx: Context, path: Path, rest: ir.Block) -> None:
        name, index = path[-1]
        assert index is not None
        self.names = {
            self.place.buffer,
            *(window for window in ctx.scope.windows if ctx.scope.root(window) is self.place.buffer),
        }
        for position, stmt in enumerate(rest):
            before = len(self.uses)
            self.overwritten = isinstance(stmt, ir.Assign) and same_location(ctx, target(ctx, stmt), self.place)
            self.stmt(ctx, (*path[:-1], (name, index + 1 + position)), stmt, overwrites=self.overwritten)
            self.length = position + 1
            if len(self.uses) > before:
                self.last_use = position
            if self.overwritten:
                return
            ctx = ctx.after(stmt)

    def stmt(self, ctx: Context, path: Path, stmt: ir.Stmt, *, overwrites: bool = False) -> None:
        if self.names.isdisjoint(mentioned(stmt)):
            return
        match stmt:
            case ir.WindowStmt(name=name):
                self.names.add(name)
            case ir.Assign() | ir.Reduce():
                for step, child in children(stmt):
                    self.expr(ctx, (*path, step), child)
                if not overwrites:
                    self.untouched(ctx, target(ctx, stmt), "changed")
            case ir.AssignConfig(rhs=rhs):
                self.expr(ctx, (*path, ("rhs", None)), rhs)
            case ir.If(cond=cond):
                self.expr(ctx, (*path, ("cond", None)), cond)
                self.block(ctx.enter(stmt, "body"), path, "body", stmt.body)
                self.block(ctx.enter(stmt, "orelse"), path, "orelse", stmt.orelse)
            case ir.For():
                self.block(ctx.enter(stmt, "body"), path, "body", stmt.body)
            case ir.Call():
                for access in ctx.scope.resolve_all(summary(stmt).accesses):
                    self.untouched(ctx, access, "used by a call")
            case ir.Pass() | ir.Check() | ir.Alloc():
                pass

    def block(self, ctx: Context, parent: Path, name: str, block: ir.Block) -> None:
        for position, stmt in enumerate(block):
            self.stmt(ctx, (*parent, (name, position)), stmt)
            ctx = ctx.after(stmt)

    def expr(self, ctx: Context, path: Path, node: ir.Node) -> None:
        """The reads in an expression: of the location, which become uses, or of others."""
        if isinstance(node, ir.Read) and isinstance(node.type, ScalarType):
            read = ctx.scope.resolve(reads_of(node)[-1])
            if same_location(ctx, read, self.place):
                self.uses.append(path)
                return
            self.untouched(ctx, read, "read")
        for step, child in children(node):
            self.expr(ctx, (*path, step), child)

    def untouched(self, ctx: Context, access: Access, how: str) -> None:
        """place has no bound names, so that those of access meet no others."""
        found = overlap(ctx.facts, access, self.place)
        if found is not None:
            message = f"the location may be {how} in: {show(access.node).strip().splitlines()[0]}"
            refuse(message, access.node.span, counterexample(found), code="E454")


# ---- check


def _require_unchanged(ctx: Context, rest: ir.Block, path: Path, old: ir.Assign, region: _Region) -> None:
    """Nothing that runs between the assignment and a use modifies what the right side reads."""
    if region.last_use is None:
        return
    last = rest[region.last_use]
    leaf = isinstance(last, ir.Assign | ir.Reduce | ir.AssignConfig)  # writes after it has read
    crossed = effect(ctx, rest[: region.last_use + (not leaf)])
    reads = ctx.scope.resolve_all(reads_of(old.rhs))
    conflict = conflict_between(ctx.facts, reads, [a for a in crossed.accesses if a.modifies])
    require_no(conflict, "what the right side reads may be modified before its last use", old.span)


def _require_evaluated(old: ir.Assign, path: Path, region: _Region) -> None:
    """An index made of uninitialised data stops the run; it must not do so less often than before."""
    if depends_on_data(old.rhs) and not any(_unconditional(use, path) for use in region.uses):
        message = "the right side has an index made of data and would be evaluated only in loops or branches, or not at all"
        refuse(message, old.span, code="E418")


def _unconditional(use: Path, path: Path) -> bool:
    """Whether a use stands in a statement of the same block as the assignment at path, and not below it."""
    return all(name not in ("body", "orelse", "cond") for name, _ in use[len(path) :])


def _require_dead(
    proc: Procedure, ctx: Context, path: Path, old: ir.Assign, place: Access, region: _Region, edit: Edit
) -> None:
    name = place.buffer.name
    local = not ctx.scope.buffers[place.buffer].is_formal
    if region.overwritten:
        if not local and effect(ctx, _rest(proc, path)[: region.length]).checks:
            message = f"a `check` may stop the run before {name}, which the caller sees, is overwritten"
            refuse(message, old.span, code="E411")
        return
    if not local:
        hint = "hint: the caller sees the value, unless a later statement of the same block overwrites it"
        refuse(f"{name} is not allocated in the procedure", old.span, [hint], code="E419")
    found = read_later(proc.ir, edit.proc, path, place)
    if found is not None:
        read, values = found
        where = show(read.node).strip().splitlines()[0]
        message = f"the value may still be read after its block, or in a later iteration: {where}"
        refuse(message, old.span, counterexample(values), code="E419")
