"""Pure producers: code that fills a buffer with values that depend on nothing but the place.

Code that writes one buffer b, such that whoever writes b[l] writes the same value there, may write it again, earlier or later,
as long as each read of b[l] comes after some write of it. Stencils whose producer is computed tile by tile, with a halo, repeat
writes in this way. Reference: docs/semantics.md, "Repeated work".

The code is cut into units: single statements where possible, or blocks with the temporaries and sums that belong together.
A unit reads nothing of b from before it. Two instances of units that write a common place must do the same computation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.computation import Computation, Value, computation, value_computation
from usl_core.analysis.conditions import Conflict, conflict_between, covering, instance, order_facts
from usl_core.analysis.conflict import describe_model, overlap, overlap_formula, refuting_model
from usl_core.analysis.context import Context
from usl_core.analysis.dataflow import equal
from usl_core.analysis.effects import Access, Kind, Summary, block_summary, fresh, reads_of, replace_accesses
from usl_core.analysis.exposed import exposed_read
from usl_core.analysis.formula import Formula
from usl_core.ir.nodes import Alloc, Assign, AssignConfig, Block, Call, Check, For, If, Pass, Reduce, Stmt, WindowStmt
from usl_core.ir.sym import Sym
from usl_core.profiling import profiled
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Producer:
    """Code that is a pure producer of buffer; `summary` is its effect in terms of allocations and formals."""

    buffer: Sym
    summary: Summary

    def writes(self) -> list[Access]:
        """What it writes, as accesses."""
        return [a for a in self.summary.accesses if a.modifies]

    def inputs(self) -> list[Access]:
        """What it reads besides its own buffer."""
        return [a for a in self.summary.accesses if a.kind is Kind.READ and a.buffer is not self.buffer]


@dataclass(frozen=True, slots=True)
class _Unit:
    """Code that leaves values of its own making; ctx holds before it."""

    ctx: Context
    writes: tuple[Access, ...]
    key: Computation | None


@profiled("obligation", "pure producer")
def producer(ctx: Context, block: Block, fixed: int) -> Producer | Conflict:
    """block as a pure producer, in all iterations of the loops around it but the first `fixed`, or why it is none.

    ctx holds before block. The first `fixed` loops around it are at one iteration.
    """
    whole = block_summary(block)
    effect = replace_accesses(whole, ctx.scope.resolve_all(whole.accesses))
    if effect.checks or effect.touches_config:
        return Conflict("it has a `check`, or uses configuration state")
    written = list(dict.fromkeys(a.buffer for a in effect.accesses if a.modifies))
    if len(written) != 1:
        names = ", ".join(name.name for name in written) or "nothing"
        return Conflict(f"a producer that may be repeated writes one buffer; this code writes {names}")
    (buffer,) = written
    private = next((a for a in effect.accesses if ctx.scope.buffers[a.buffer].depth > fixed), None)
    if private is not None:
        return Conflict(f"{private.buffer.name} is another buffer in each iteration", private)
    units = _units(ctx, block, buffer)
    if units is None:
        reads = (a for a in effect.accesses if a.buffer is buffer and a.kind is not Kind.WRITE)
        return Conflict(f"the producer of {buffer.name} reads it, or adds to it", next(reads, None))
    return _different_values(units, buffer, fixed) or Producer(buffer, effect)


def _units(ctx: Context, block: Block, buffer: Sym) -> list[_Unit] | None:
    """The units of block; None if it reads values of buffer from before it."""
    if not any(isinstance(stmt, Alloc) for stmt in block):
        split = _split(ctx, block, buffer)
        if split is not None:
            return split
    return _one(ctx, block, buffer)


def _split(ctx: Context, block: Block, buffer: Sym) -> list[_Unit] | None:
    found: list[_Unit] = []
    for stmt in block:
        inner = _of_stmt(ctx, stmt, buffer)
        if inner is None:
            return None
        found += inner
        ctx = ctx.after(stmt)
    return found


def _of_stmt(ctx: Context, stmt: Stmt, buffer: Sym) -> list[_Unit] | None:
    match stmt:
        case For(body=body):
            return _units(ctx.enter(stmt, "body"), body, buffer)
        case If(body=body, orelse=orelse):
            then = _units(ctx.enter(stmt, "body"), body, buffer)
            other = _units(ctx.enter(stmt, "orelse"), orelse, buffer)
            asks = any(a.buffer is buffer for a in ctx.scope.resolve_all(reads_of(stmt.cond)))
            return None if then is None or other is None or asks else [*then, *other]
        case WindowStmt() | Pass():
            return []
        case Assign() | Reduce() | AssignConfig() | Check() | Alloc() | Call():
            return _one(ctx, (stmt,), buffer)


def _one(ctx: Context, block: Block, buffer: Sym) -> list[_Unit] | None:
    if exposed_read(ctx, block, buffer) is not None:
        return None
    writes = tuple(a for a in ctx.scope.resolve_all(block_summary(block).accesses) if a.modifies)
    match block:
        case (Assign(rhs=rhs),):  # where it writes is known to be the same
            key = value_computation(ctx, rhs)
        case _:
            key = computation(ctx, block)
    return [_Unit(ctx, writes, key)] if writes else []


# ---- one value for each place


def _different_values(units: Sequence[_Unit], buffer: Sym, fixed: int) -> Conflict | None:
    for position, unit in enumerate(units):
        for other in units[position:]:
            found = _differ(unit, other, buffer, fixed)
            if found is not None:
                return found
    return None


def _differ(unit: _Unit, other: _Unit, buffer: Sym, fixed: int) -> Conflict | None:
    """Two instances that write a common place and may not do the same computation, or None if there are none."""
    env = {loop.iter: affine.var(loop.iter.copy()) for loop in other.ctx.scope.loops[fixed:]}
    facts = list(dict.fromkeys([*unit.ctx.facts, *(fml.subst(f, env) for f in other.ctx.facts)]))
    goals = _same_computation(unit.key, other.key, env)
    reason = f"the value written to one place of {buffer.name} depends on more than the place"
    for write in unit.writes:
        for again in instance(other.writes, env):
            apart = fresh(write)
            if goals is None:
                values = overlap(facts, apart, again)
                if values is not None:
                    return Conflict(reason, write, again, values)
                continue
            found = _unequal([*facts, *overlap_formula(apart, again)], goals, reason, write, again)
            if found is not None:
                return found
    return None


def _same_computation(a: Computation | None, b: Computation | None, env: dict[Sym, Lin]) -> list[Formula] | None:
    """What makes an instance of a equal to one of b under env; None if they have different shapes."""
    if a is None or b is None or a.shape != b.shape:
        return None
    renaming = {**env, **{theirs: affine.var(ours) for ours, theirs in zip(a.iters, b.iters, strict=True)}}
    goals = (equal(ours, _subst(theirs, renaming)) for ours, theirs in zip(a.values, b.values, strict=True))
    return [goal for goal in dict.fromkeys(goals) if goal != fml.TRUE]


def _subst(value: Value, env: dict[Sym, Lin]) -> Value:
    return affine.subst(value, env) if isinstance(value, Lin) else fml.subst(value, env)


def _unequal(facts: Sequence[Formula], goals: Iterable[Formula], reason: str, a: Access, b: Access) -> Conflict | None:
    for goal in goals:
        model = refuting_model(facts, goal, f"whether {reason}", a.node)
        if model is not None:
            return Conflict(reason, a, b, describe_model(model, [goal, *facts], a.point))
    return None


# ---- moving a producer's later iterations ahead of, or behind, its consumer


@profiled("obligation", "consumed in time")
def why_not_consumed_in_time(ctx: Context, loop: For, made: Producer, consumer: Summary) -> Conflict | None:
    """Why the consumer may not follow the producer iteration by iteration of loop instead of after all of them, or None.

    ctx is the context before loop, whose body is the producer; consumer is the effect of the code that will end the body.
    The consumer must not modify what later iterations of the producer read, nor the buffer; what it reads of the buffer must
    have been written by then, where a later iteration writes it at all.
    """
    if consumer.checks:
        return Conflict("a check does not move across effects")
    name, later = loop.iter, loop.iter.copy()
    low, high = ctx.index(loop.lo), ctx.index(loop.hi)
    facts = [*ctx.facts, *order_facts(name, later, low, high)]
    modifies = [a for a in consumer.accesses if a.modifies]
    for access in modifies:
        if access.buffer is made.buffer:
            return Conflict(f"the second part modifies {made.buffer.name} too", access)
    found = conflict_between(facts, modifies, instance(made.inputs(), {name: affine.var(later)}))
    if found is not None:
        return found
    reads = [a for a in consumer.accesses if a.buffer is made.buffer]  # of other code than the producer's, as none modifies it
    earlier = _until(name, made.writes(), low)
    for write in instance(made.writes(), {name: affine.var(later)}):
        for read in reads:
            found = _read_too_early(facts, read, write, earlier)
            if found is not None:
                return found
    return None


def _until(name: Sym, writes: Sequence[Access], low: Lin) -> list[Access]:
    """The certain writes of this iteration, and those of all from low to it."""
    certain = [w for w in writes if w.exact and w.kind is Kind.WRITE]
    before = name.copy()
    index = affine.var(before)
    ranged = [
        replace(w, iters=(*w.iters, before), guard=(*w.guard, fml.le(low, index), fml.lt(index, affine.var(name))))
        for w in instance(certain, {name: index})
    ]
    return [*certain, *ranged]


def _read_too_early(facts: Sequence[Formula], read: Access, write: Access, earlier: Sequence[Access]) -> Conflict | None:
    meet = [*facts, *overlap_formula(read, write)]
    if fml.FALSE in meet:
        return None
    name = read.buffer.name
    model = refuting_model(meet, covering(read.point, earlier), f"whether {name} is read before it is written", read.node)
    if model is None:
        return None
    return Conflict(f"{name} may be read before it is written", read, write, describe_model(model, meet, read.point))
