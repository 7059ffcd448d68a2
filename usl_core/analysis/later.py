"""Whether values written at a place may be read afterwards: the way from a statement to the end of a buffer's life.

Afterwards means: in other iterations of a loop, in what follows it in the blocks around it, and in later iterations of the
loops around it. A read counts only if it may see a value from before the code it stands in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.conditions import Conflict, instance
from usl_core.analysis.conflict import overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access
from usl_core.analysis.formula import Formula
from usl_core.analysis.repeating import footprint
from usl_core.cursors.path import Path, get, get_stmt, stmt_list
from usl_core.ir.nodes import Block, For, Proc
from usl_core.ir.sym import Sym
from usl_core.profiling import profiled


def seen_by(facts: Sequence[Formula], writes: Sequence[Access], reads: Sequence[Access]) -> Conflict | None:
    """A write and a read that may meet. Bound names of the two differ."""
    for write in writes:
        for read in reads:
            if read.buffer is write.buffer and (values := overlap(facts, write, read)) is not None:
                return Conflict(f"the value may be read from {read.buffer.name}", write, read, values)
    return None


@profiled("obligation", "seen later")
def seen_after(proc: Proc, path: Path, facts: Sequence[Formula], writes: Sequence[Access]) -> Conflict | None:
    """Whether code that runs after the statement at path may read what writes left there.

    facts hold of the writes and include those at path.
    """
    buffers = {w.buffer for w in writes}
    for ctx, code, more, env in _afterwards(proc, path):
        used = buffers & ctx.scope.buffers.keys()
        reads = [a for a in footprint(ctx, code).inputs if a.buffer in used] if used else []
        found = seen_by([*facts, *more], writes, instance(reads, env))
        if found is not None:
            return found
    return None


def _afterwards(proc: Proc, path: Path) -> Iterator[tuple[Context, Block, list[Formula], dict[Sym, affine.Lin]]]:
    """Code that may run after the statement at path, with its context, facts about it, and a renaming of its iterators."""
    for depth in range(len(path), 0, -1):
        owner, (field, position) = path[: depth - 1], path[depth - 1]
        if position is None or field not in ("body", "orelse"):
            continue
        block = stmt_list(proc, owner, field)
        rest = block[position + 1 :]
        if rest:
            yield Context.at(proc, (*owner, (field, position))).after(block[position]), rest, [], {}
        around = get(proc, owner)
        if isinstance(around, For):
            yield _next_iterations(proc, owner)


def _next_iterations(proc: Proc, path: Path) -> tuple[Context, Block, list[Formula], dict[Sym, affine.Lin]]:
    loop = get_stmt(proc, path)
    assert isinstance(loop, For)
    later = loop.iter.copy()
    inside = Context.at(proc, path).enter(loop, "body")
    facts = [fml.lt(affine.var(loop.iter), affine.var(later)), fml.lt(affine.var(later), inside.index(loop.hi))]
    return inside, loop.body, facts, {loop.iter: affine.var(later)}
