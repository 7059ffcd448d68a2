"""Reads that may see a value from before a piece of code: its upward-exposed reads of one buffer.

A rewrite that gives each iteration a buffer of its own, or leaves out copying in, is legal only if there are none.
Certain writes are the definite ones of Reinking 2022, §3.5.4; the rule is in docs/soundness.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.conditions import Conflict, covered, covering
from usl_core.analysis.conflict import describe_model, overlap, overlap_formula
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Kind, call_effect, fresh, proc_summary, reads_of, rename, summary
from usl_core.analysis.formula import Formula
from usl_core.analysis.solver import Refuted, prove
from usl_core.ir.memo import per_node
from usl_core.ir.nodes import Block, Call, For, If, Proc, SimpleStmt, Stmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data
from usl_core.profiling import profiled


@dataclass
class _Search:
    buffer: Sym
    found: Access | None = None
    unmet: tuple[Sequence[Formula], Formula] | None = None
    """What is known where `found` stands, and what would cover it."""
    before: Sequence[Access] | None = None
    """What may have been written before the code: elsewhere there is nothing to see. None: anything."""

    def block(self, ctx: Context, block: Block, written: Sequence[Access]) -> list[Access]:
        """The exact writes that block adds to written; `found` is set at the first read that they do not cover."""
        added: list[Access] = []
        for stmt in block:
            if self.found is not None:
                break
            if self.touched_by(ctx, stmt):
                added += self.stmt(ctx, stmt, [*written, *added])
            ctx = ctx.after(stmt)
        return added

    def touched_by(self, ctx: Context, stmt: Stmt) -> bool:
        """Whether stmt has an access to the buffer at all, which most of a long block have not."""
        return any(ctx.scope.root(name) is self.buffer for name in summary(stmt).by_buffer)

    def stmt(self, ctx: Context, stmt: Stmt, written: Sequence[Access]) -> list[Access]:
        match stmt:
            case For():
                return self.loop(ctx, stmt, written)
            case If(cond=cond, body=body, orelse=orelse):
                self.check(ctx, reads_of(cond), written)
                inside, otherwise = ctx.enter(stmt, "body"), ctx.enter(stmt, "orelse")
                then = self.block(inside, body, written)
                other = self.block(otherwise, orelse, written)
                if depends_on_data(cond) or inside.fields.assumed != ctx.fields.assumed:
                    return []  # which branch runs is not a matter of iterators and sizes alone
                new = len(ctx.facts)
                return _guarded(then, inside.facts[new:]) + _guarded(other, otherwise.facts[new:])
            case Call(proc=proc):
                outside = call_effect(stmt, [a for a in proc_summary(proc).accesses if a.buffer not in _closed(proc)])
                self.check(ctx, outside.accesses, written)
                return self.exact_writes(ctx.scope.resolve_all(summary(stmt).accesses))
            case SimpleStmt():
                own = ctx.scope.resolve_all(summary(stmt).accesses)
                self.check(ctx, own, written)
                return self.exact_writes(own)

    def loop(self, ctx: Context, loop: For, written: Sequence[Access]) -> list[Access]:
        inside = ctx.enter(loop, "body")
        # Writes of earlier iterations count: collect the body's exact writes first, then read it with them.
        body_writes = _Search(self.buffer, None).writes(inside, loop.body)
        index = affine.var(loop.iter)  # not all that inside knows: what fields hold there is no condition for the writes
        limits = [fml.le(ctx.index(loop.lo), index), fml.lt(index, ctx.index(loop.hi))]
        earlier_index = loop.iter.copy()
        env = {loop.iter: affine.var(earlier_index)}
        earlier = [
            replace(
                rename(w, env),
                iters=(*w.iters, earlier_index),
                guard=(
                    *[fml.subst(g, env) for g in (*w.guard, *limits)],
                    fml.lt(affine.var(earlier_index), affine.var(loop.iter)),
                ),
            )
            for w in body_writes
        ]
        self.block(inside, loop.body, [*written, *earlier])
        return [replace(w, iters=(*w.iters, loop.iter), guard=(*w.guard, *limits)) for w in body_writes]

    def writes(self, ctx: Context, block: Block) -> list[Access]:
        """The exact writes of a block, without looking at reads."""
        added: list[Access] = []
        for stmt in block:
            if self.touched_by(ctx, stmt):
                own = ctx.scope.resolve_all(summary(stmt).accesses)
                added += self.exact_writes(own)
            ctx = ctx.after(stmt)
        return added

    def exact_writes(self, accesses: Sequence[Access]) -> list[Access]:
        return [a for a in accesses if a.buffer is self.buffer and a.kind is Kind.WRITE and a.exact]

    def check(self, ctx: Context, accesses: Sequence[Access], written: Sequence[Access]) -> None:
        for access in accesses:
            access = ctx.scope.resolve(access)
            needs = access.buffer is self.buffer and access.kind is not Kind.WRITE
            if needs and self.found is None and not covered(ctx.facts, access, written) and self.may_see(ctx, access, written):
                self.found = access
                self.unmet = [*ctx.facts, *access.guard], covering(access.point, [fresh(w) for w in written])

    def may_see(self, ctx: Context, access: Access, written: Sequence[Access]) -> bool:
        """Whether there may be a value from before in the place of a read where written does not cover it."""
        if self.before is None:
            return True
        meeting = [write for write in self.before if overlap(ctx.facts, access, write) is not None]
        return not all(covered([*ctx.facts, *overlap_formula(access, write)], access, written) for write in meeting)


def _guarded(writes: Sequence[Access], facts: Sequence[fml.Formula]) -> list[Access]:
    return [replace(w, guard=(*w.guard, *facts)) for w in writes]


@per_node
def _closed(proc: Proc) -> frozenset[Sym]:
    """The formals of which a procedure reads only what it has written itself."""
    ctx, modified = Context.of_proc(proc), proc_summary(proc).modified
    return frozenset(a.name for a in proc.args if a.name in modified and exposed_read(ctx, proc.body, a.name) is None)


@profiled("obligation", "written before read")
def exposed_read(ctx: Context, block: Block, buffer: Sym, before: Sequence[Access] | None = None) -> Access | None:
    """A read (or reduction) of buffer in block that may see what was there before block, or None if there is none.

    ctx is the context before block; buffer is an allocation or formal, accessed directly or through windows. before is all that
    may have been written to it since it was allocated, if that is known: what else is read is uninitialised.
    """
    search = _Search(buffer, before=before)
    search.block(ctx, block, ())
    return search.found


def exposure_notes(ctx: Context, block: Block, buffer: Sym) -> list[str]:
    """Lines for an error message about the exposed read: which it is, and values for which nothing covers it."""
    search = _Search(buffer)
    search.block(ctx, block, ())
    if search.found is None or search.unmet is None:
        return []
    known, goal = search.unmet
    answer = prove(known, goal)
    values = describe_model(answer.model, known, search.found.point) if isinstance(answer, Refuted) else {}
    return Conflict("nothing is certain to have written it before", search.found, values=values).notes()


@profiled("obligation", "written before read")
def definite_writes(ctx: Context, block: Block, buffer: Sym) -> list[Access]:
    """What block certainly writes of buffer."""
    return _Search(buffer).writes(ctx, block)
