"""Whether a pure producer has already written a place in an earlier iteration of the loops around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.conditions import Conflict, covering, instance
from usl_core.analysis.conflict import describe_model
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Kind, fresh
from usl_core.analysis.formula import Formula
from usl_core.analysis.producer import Producer
from usl_core.analysis.solver import Proved, Refuted, Unknown, prove
from usl_core.errors import Undecided
from usl_core.ir.sym import Sym


def written_earlier(ctx: Context, made: Producer, outermost: int, where: Sequence[Formula]) -> Conflict | None:
    """Whether each place that made writes where the formulas `where` hold was certainly written by an earlier instance of it.

    ctx holds before the code of made. Earlier is an instance in the same iteration of the loops up to `outermost` (excluded),
    and in an earlier one of those from it on, which runs if the facts of ctx about these hold of it.
    """
    names = [loop.iter for loop in ctx.loops[outermost:]]
    certain = [w for w in made.writes() if w.exact and w.kind is Kind.WRITE]
    for write in made.writes():
        here = fresh(write)
        known = [*ctx.facts, *where, *here.guard]
        likely = [covering(here.point, _previous(ctx, certain, names, position)) for position in range(len(names))]
        if any(isinstance(prove(known, goal), Proved) for goal in reversed(likely)):
            continue
        goal = covering(here.point, _earlier(ctx, certain, names))
        match prove(known, goal):
            case Proved():
                pass
            case Refuted(model=model):
                reason = f"a place of {made.buffer.name} may not have been written before"
                return Conflict(reason, write, values=describe_model(model, known, here.point))
            case Unknown(reason=why):
                message = f"could not decide whether {made.buffer.name} has been written before"
                raise Undecided(message, span=write.node.span, notes=[f"solver: {why}"])
    return None


def _previous(ctx: Context, writes: Sequence[Access], names: Sequence[Sym], position: int) -> list[Access]:
    """The writes in the iteration before this one of the loop at position, at any iterations of the loops inside it."""
    env: dict[Sym, Lin] = {names[position]: affine.var(names[position]) - 1}
    env |= {name: affine.var(name.copy()) for name in names[position + 1 :]}
    return _at(ctx, writes, names, env)


def _earlier(ctx: Context, writes: Sequence[Access], names: Sequence[Sym]) -> list[Access]:
    """The writes in all earlier iterations."""
    env: dict[Sym, Lin] = {name: affine.var(name.copy()) for name in names}
    options = [
        fml.and_([*(fml.eq(env[outer], affine.var(outer)) for outer in names[:position]), fml.lt(env[name], affine.var(name))])
        for position, name in enumerate(names)
    ]
    return [replace(w, guard=(*w.guard, fml.or_(options))) for w in _at(ctx, writes, names, env)]


def _at(ctx: Context, writes: Sequence[Access], names: Sequence[Sym], env: Mapping[Sym, Lin]) -> list[Access]:
    """The writes at other iterations, where the same facts must hold as at this one."""
    facts = [fml.subst(f, env) for f in ctx.facts if set(fml.free_syms(f)) & set(names)]
    bound = [atom for name in names if name in env for atom in env[name].terms if isinstance(atom, Sym) and atom not in names]
    return [replace(w, iters=(*w.iters, *bound), guard=(*w.guard, *facts)) for w in instance(writes, env)]
