"""Values in a buffer and what runs while they are needed: accesses in the order in which the program makes them.

A value lives from the write that makes it to its last read. Where two locations are put in one place (`resize_dim` with fold,
`reuse_buffer`), no value of one may be written while one of the other lives. The order is that of sequential execution: an
instance of a statement is named by the iterations and positions on the way to it, compared lexicographically, so that a value
that lives into the next iteration of a loop is seen. Reference: Feautrier 1992, scheduling vectors of a loop nest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.conditions import head_line
from usl_core.analysis.conflict import Values, describe_model, refuting_model
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Kind, reads_of, rename, summary
from usl_core.analysis.exposed import exposed_read
from usl_core.analysis.formula import Formula
from usl_core.analysis.solver import Proved, prove
from usl_core.errors import counterexample
from usl_core.ir.nodes import Block, Call, For, If, SimpleStmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import binders
from usl_core.primitives.buffers.uses import mentions, with_windows
from usl_core.records import dataclass

Together = Callable[[tuple[Lin, ...], tuple[Lin, ...]], Sequence[Sequence[Formula]]]
"""When two different locations are to be one place: alternatives, each a conjunction."""


@dataclass(frozen=True, slots=True)
class Event:
    """All instances of one access, and when they happen.

    time has a component for each position in a list of statements, each iterator and each branch on the way, then whether the
    access comes before (0) or with (1) the statement's own write. That of a call ends at the call, inside which the order is
    not known. bound are the iterators in it; the access's guard holds their ranges.
    """

    access: Access
    time: tuple[Lin, ...]
    bound: tuple[Sym, ...]

    @property
    def reads(self) -> bool:
        """Whether it needs the value that was there before."""
        return self.access.kind is not Kind.WRITE

    @property
    def modifies(self) -> bool:
        """Whether it leaves another value."""
        return self.access.modifies


@dataclass(frozen=True, slots=True)
class Clash:
    """A value that is overwritten between its write and a read of it, with values of the iterators that make it so."""

    write: Access
    over: Access
    read: Access
    values: Values

    def notes(self) -> list[str]:
        """Lines for an error message."""
        name = self.read.buffer.name
        return [
            f"a value of {name} is written in: {head_line(self.write.node)}",
            f"then its place is written in: {head_line(self.over.node)}",
            f"then the value is read in: {head_line(self.read.node)}",
            *counterexample(self.values),
        ]


# ---- events


def events(ctx: Context, block: Block, buffer: Sym) -> list[Event]:
    """The accesses of block, executed where ctx holds, to a buffer that is allocated in it or before it."""
    return list(_of_block(ctx, block, buffer, (), (), len(ctx.facts)))


def _of_block(
    ctx: Context, block: Block, buffer: Sym, prefix: tuple[Lin, ...], bound: tuple[Sym, ...], known: int
) -> Iterator[Event]:
    for position, stmt in enumerate(block):
        here = (*prefix, affine.const(position))
        match stmt:
            case For(iter=name, body=body):
                inside = ctx.enter(stmt, "body")
                yield from _of_block(inside, body, buffer, (*here, affine.var(name)), (*bound, name), known)
            case If(cond=cond, body=body, orelse=orelse):
                yield from _events(ctx, reads_of(cond), buffer, (*here, affine.ZERO), bound, known)
                for number, (field, branch) in enumerate((("body", body), ("orelse", orelse)), start=1):
                    inside = ctx.enter(stmt, field)
                    yield from _of_block(inside, branch, buffer, (*here, affine.const(number)), bound, known)
            case SimpleStmt():
                for access in summary(stmt).accesses:
                    time = here if isinstance(stmt, Call) else (*here, affine.const(int(access.modifies)))
                    yield from _events(ctx, [access], buffer, time, bound, known)
        ctx = ctx.after(stmt)


def _events(
    ctx: Context, accesses: Sequence[Access], buffer: Sym, time: tuple[Lin, ...], bound: tuple[Sym, ...], known: int
) -> Iterator[Event]:
    for access in ctx.scope.resolve_all(accesses):
        if access.buffer is buffer:
            yield Event(replace(access, guard=(*access.guard, *ctx.facts[known:])), time, bound)


def _instance(event: Event, fixed: frozenset[Sym]) -> Event:
    """event with names of its own for everything that is bound in it, but for the iterators in fixed."""
    env = {name: affine.var(name.copy()) for name in (*event.bound, *event.access.iters) if name not in fixed}
    return Event(rename(event.access, env), tuple(affine.subst(t, env) for t in event.time), ())


def precedes(first: Event, second: Event) -> Formula:
    """That the one instance happens before the other, or in one call with it, where the order is not known."""
    options: list[Formula] = []
    equal: list[Formula] = []
    for a, b in zip(first.time, second.time, strict=False):
        options.append(fml.and_([*equal, fml.lt(a, b)]))
        equal.append(fml.eq(a - b))
        if equal[-1] == fml.FALSE:
            break
    else:
        if isinstance(first.access.node, Call):
            options.append(fml.and_(equal))
    # That no time decreases where they first may differ is implied, and mostly refutes a clash without looking at the options.
    moved = next(((a, b) for a, b in zip(first.time, second.time, strict=False) if a != b), None)
    return fml.and_([*([fml.le(*moved)] if moved else []), fml.or_(options)])


# ---- lifetimes


def own_iterations(ctx: Context, block: Block, buffer: Sym) -> frozenset[Sym]:
    """The iterators of loops around all uses of buffer into whose iterations no value of it comes from outside.

    A value and its reads are then in one iteration of each of them. ctx is the context before block, in which or before
    which the buffer is allocated.
    """
    around: list[Sym] = []
    fixed = 0
    names = with_windows(block, buffer)
    while True:
        users = [position for position, stmt in enumerate(block) if mentions(stmt, names)]
        if len(users) != 1:
            return frozenset(around[:fixed])
        stmt = block[users[0]]
        ctx = ctx.after_all(block[: users[0]])
        match stmt:
            case For(iter=name, body=body):
                ctx = ctx.enter(stmt, "body")
                around.append(name)
                block = body
                if buffer in binders(stmt) or exposed_read(ctx, body, buffer) is None:
                    fixed = len(around)
            case If(body=body, orelse=orelse) if not mentions(stmt.cond, names):
                branches = [b for b in (body, orelse) if any(mentions(s, names) for s in b)]
                if len(branches) != 1:
                    return frozenset(around[:fixed])
                ctx = ctx.enter(stmt, "body" if branches[0] is body else "orelse")
                block = branches[0]
            case If() | SimpleStmt():
                return frozenset(around[:fixed])


def clash(
    facts: Sequence[Formula], values: Sequence[Event], others: Sequence[Event], together: Together, own: frozenset[Sym]
) -> Clash | None:
    """A write among others that may come between a write among values and a read of what it wrote, in one place with it.

    together tells when the locations of a value and of another access share a place; own are iterators of which a value and its
    reads are in one iteration. Reductions read and write.

    Raises:
        Undecided: the solver could not tell.
    """
    # Of the three instances one may keep the names of the code.
    writes = [_instance(e, own) for e in values if e.modifies]
    for read in (_instance(e, own) for e in values if e.reads):
        for over in (e for e in others if e.modifies):
            for second_half in _second_halves(over, read, together):
                if len(writes) > 1 and _impossible(facts, second_half, over, read):
                    continue
                for write in writes:
                    found = _overwritten(facts, write, over, read, second_half)
                    if found is not None:
                        return found
    return None


def _second_halves(over: Event, read: Event, together: Together) -> Iterator[list[Formula]]:
    """What holds when over happens before read in the same place, by alternatives."""
    for shared in together(read.access.point, over.access.point):
        case = [*over.access.guard, *read.access.guard, *shared, precedes(over, read)]
        if fml.FALSE not in case:
            yield case


def _impossible(facts: Sequence[Formula], case: Sequence[Formula], *events: Event) -> bool:
    """Whether case is contradictory even without what it says of places inside of windows: a quick question, mostly enough."""
    inside = {name for event in events for name in event.access.iters}
    outline = [formula for formula in case if inside.isdisjoint(fml.free_syms(formula))]
    return isinstance(prove([*facts, *outline], fml.FALSE), Proved)


def _overwritten(
    facts: Sequence[Formula], write: Event, over: Event, read: Event, second_half: Sequence[Formula]
) -> Clash | None:
    w, r = write.access, read.access
    same = [fml.eq(x - y) for x, y in zip(w.point, r.point, strict=True)]
    # The order comes last: disjunctions are split when everything else is known.
    case = [*same, *w.guard, *second_half, precedes(write, over)]
    if fml.FALSE in case or _impossible(facts, case, write, over, read):
        return None
    question = f"whether a value of {r.buffer.name} is overwritten while it is needed"
    model = refuting_model([*facts, *case], fml.FALSE, question, r.node)
    if model is None:
        return None
    shown = [*w.point, *over.access.point, *r.point]
    return Clash(w, over.access, r, describe_model(model, [*facts, *case], shown))
