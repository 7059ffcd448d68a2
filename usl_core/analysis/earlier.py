"""Whether a pure producer has already written a place in an earlier iteration of the loops around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.conditions import Conflict, covering, instance
from usl_core.analysis.conflict import describe_model, refuting_model
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Kind
from usl_core.analysis.formula import Formula
from usl_core.analysis.producer import Producer
from usl_core.profiling import profiled


@profiled("obligation", "written earlier")
def why_not_written_earlier(ctx: Context, made: Producer, outermost: int, where: Sequence[Formula]) -> Conflict | None:
    """A place that made writes where the formulas `where` hold and no earlier instance of it certainly wrote, or None.

    ctx holds before the code of made. Earlier is an instance in the same iteration of the loops up to `outermost` (excluded),
    and in an earlier one of those from it on, which runs if the facts of ctx about these hold of it.
    """
    earlier = written_earlier(ctx, made, outermost)
    for write in made.writes():
        known = [*ctx.facts, *where, *write.guard]
        question = f"whether {made.buffer.name} has been written before"
        model = refuting_model(known, covering(write.point, earlier), question, write.node)
        if model is not None:
            reason = f"a place of {made.buffer.name} may not have been written before"
            return Conflict(reason, write, values=describe_model(model, known, write.point))
    return None


def written_earlier(ctx: Context, made: Producer, outermost: int, where: Sequence[Formula] = ()) -> list[Access]:
    """What earlier instances of made, of which the formulas `where` hold, certainly wrote; see `why_not_written_earlier`."""
    names = [loop.iter for loop in ctx.scope.loops[outermost:]]
    others = {name: name.copy() for name in names}
    env = {name: affine.var(other) for name, other in others.items()}
    options = [
        fml.and_([*(fml.eq(env[outer], affine.var(outer)) for outer in names[:position]), fml.lt(env[name], affine.var(name))])
        for position, name in enumerate(names)
    ]
    facts = [fml.subst(f, env) for f in (*where, *(f for f in ctx.facts if set(fml.free_syms(f)) & set(names)))]
    certain = [w for w in made.writes() if w.exact and w.kind is Kind.WRITE]
    return [
        replace(w, iters=(*w.iters, *others.values()), guard=(*w.guard, *facts, fml.or_(options)))
        for w in instance(certain, env)
    ]
