"""Whether code may run again: re-execution of an instance after other code has run.

An instance may run again if it then does what it did before: what it reads from outside has not been modified since, by itself
or by others, so it takes the same way and writes the same values; and others have not modified these places, so that they are
there already. Reads of what it has written itself do not count, so that `c = 0; c += a * b` may run again.
Reference: docs/semantics.md, "Repeated work".
"""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.analysis.conditions import Conflict, conflict_between
from usl_core.analysis.conflict import overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Kind, block_summary, fresh
from usl_core.analysis.exposed import exposed_read
from usl_core.analysis.formula import Formula
from usl_core.ir.nodes import Block
from usl_core.profiling import profiled
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Footprint:
    """What an instance of code depends on and what it changes, in terms of allocations and formals.

    inputs are the reads (and reductions) that may see what was there before the code.
    """

    inputs: tuple[Access, ...]
    modifies: tuple[Access, ...]


def footprint(ctx: Context, block: Block) -> Footprint:
    """The footprint of block, which stands where ctx holds."""
    accesses = ctx.scope.resolve_all(block_summary(block).accesses)
    modifies = tuple(a for a in accesses if a.modifies)
    modified = {a.buffer for a in modifies}
    closed = {buffer for buffer in modified if exposed_read(ctx, block, buffer) is None}
    inputs = tuple(a for a in accesses if a.kind is not Kind.WRITE and a.buffer not in closed)
    return Footprint(inputs, modifies)


@profiled("obligation", "runs again")
def why_not_running_again(
    ctx: Context, block: Block, again: Sequence[Formula] = (), between: Sequence[Formula] = (), since: Sequence[Access] = ()
) -> Conflict | None:
    """Why block may not run once more after code with the modifications `since` has run, or None if it may.

    The formulas `again` hold of an instance that runs again, `between` of it and of one that has run since, if there is any;
    ctx holds before block. Bound names of `since` differ from block's. A `check` in block holds again, as control values do
    not change.
    """
    own = footprint(ctx, block)
    found = _changes_its_inputs([*ctx.facts, *again], own)
    if found is not None:
        return found
    facts = [*ctx.facts, *again, *between]
    modified = [a for a in since if a.modifies]
    for touched in (*own.modifies, *own.inputs):
        for write in modified:
            values = overlap(facts, touched, write)
            if values is not None:
                reason = f"{touched.buffer.name} may be modified between a run and its repetition"
                return Conflict(reason, touched, write, values)
    return None


def _changes_its_inputs(facts: Sequence[Formula], own: Footprint) -> Conflict | None:
    for access in own.inputs:
        if access.kind is Kind.REDUCE:
            verb = "adds" if access.op == "+" else "combines"
            return Conflict(f"a reduction into {access.buffer.name} {verb} again when it runs again", access)
    return conflict_between(facts, own.modifies, [fresh(a) for a in own.inputs])
