"""Whether values written at a place may be read afterwards: the way from a statement to the end of a buffer's life.

Afterwards means: in other iterations of a loop, in what follows it in the blocks around it, and in later iterations of the
loops around it. A read counts only if it may see a value from before the code it stands in, which no iteration between
overwrites for certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.conditions import Conflict, covered, instance
from usl_core.analysis.conflict import overlap, overlap_formula
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access
from usl_core.analysis.exposed import definite_writes
from usl_core.analysis.formula import Formula
from usl_core.analysis.repeating import footprint
from usl_core.cursors.path import Path, get, get_stmt, stmt_list
from usl_core.ir.nodes import Block, For, LoopMode, Proc
from usl_core.ir.sym import Sym
from usl_core.profiling import profiled
from usl_core.records import dataclass


def seen_by(
    facts: Sequence[Formula], writes: Sequence[Access], reads: Sequence[Access], between: Sequence[Access] = ()
) -> Conflict | None:
    """A write and a read that may meet, with none of the certain writes `between` in the same place. Bound names differ."""
    for write in writes:
        for read in reads:
            if read.buffer is not write.buffer or (values := overlap(facts, write, read)) is None:
                continue
            if not between or not covered([*facts, *overlap_formula(write, read)], read, between):
                return Conflict(f"the value may be read from {read.buffer.name}", write, read, values)
    return None


@profiled("obligation", "seen later")
def seen_after(proc: Proc, path: Path, facts: Sequence[Formula], writes: Sequence[Access]) -> Conflict | None:
    """Whether code that runs after the statement at path may read what writes left there.

    facts hold of the writes and include those at path.
    """
    buffers = {w.buffer for w in writes}
    for after in _afterwards(proc, path):
        used = buffers & after.ctx.scope.buffers.keys()
        reads = [a for a in footprint(after.ctx, after.code).inputs if a.buffer in used] if used else []
        known, later = [*facts, *after.facts], instance(reads, after.env)
        if seen_by(known, writes, later) is not None and (found := _seen_in(after, known, writes)) is not None:
            return found
    return None


def _seen_in(after: _After, facts: Sequence[Formula], writes: Sequence[Access]) -> Conflict | None:
    """Whether a statement of code that runs later may read what nothing before it has certainly overwritten."""
    ctx, buffers = after.ctx, {w.buffer for w in writes} & after.ctx.scope.buffers.keys()
    certain = [w for buffer in buffers for w in after.writes_between(buffer)]
    for stmt in after.code:
        reads = instance([a for a in footprint(ctx, (stmt,)).inputs if a.buffer in buffers], after.env)
        found = seen_by(facts, writes, reads, certain)
        if found is not None:
            return found
        certain += instance([w for buffer in buffers for w in definite_writes(ctx, (stmt,), buffer)], after.env)
        ctx = ctx.after(stmt)
    return None


@dataclass(frozen=True, slots=True)
class _After:
    """Code that may run after a statement, with facts about it, and a renaming of its iterators.

    For a later iteration of a sequential loop, `order` are the iterators of the statement and of that iteration.
    """

    ctx: Context
    code: Block
    facts: tuple[Formula, ...] = ()
    env: Mapping[Sym, affine.Lin] = field(default_factory=dict)
    order: tuple[Sym, Sym] | None = None

    def writes_between(self, buffer: Sym) -> list[Access]:
        """What the iterations between the statement's and that of the code certainly write."""
        if self.order is None:
            return []
        name, later = self.order
        middle = name.copy()
        inside = (fml.lt(affine.var(name), affine.var(middle)), fml.lt(affine.var(middle), affine.var(later)))
        writes = instance(definite_writes(self.ctx, self.code, buffer), {name: affine.var(middle)})
        return [replace(w, iters=(*w.iters, middle), guard=(*w.guard, *inside)) for w in writes]


def _afterwards(proc: Proc, path: Path) -> Iterator[_After]:
    """Code that may run after the statement at path."""
    for depth in range(len(path), 0, -1):
        owner, (name, position) = path[: depth - 1], path[depth - 1]
        if position is None or name not in ("body", "orelse"):
            continue
        block = stmt_list(proc, owner, name)
        rest = block[position + 1 :]
        if rest:
            yield _After(Context.at(proc, (*owner, (name, position))).after(block[position]), rest)
        around = get(proc, owner)
        if isinstance(around, For):
            yield _next_iterations(proc, owner)


def _next_iterations(proc: Proc, path: Path) -> _After:
    loop = get_stmt(proc, path)
    assert isinstance(loop, For)
    later = loop.iter.copy()
    inside = Context.at(proc, path).enter(loop, "body")
    facts = (fml.lt(affine.var(loop.iter), affine.var(later)), fml.lt(affine.var(later), inside.index(loop.hi)))
    order = (loop.iter, later) if loop.mode is LoopMode.SEQ else None
    return _After(inside, loop.body, facts, {loop.iter: affine.var(later)}, order)
