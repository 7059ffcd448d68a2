"""guard_redundant: code that would write what is there already, or what nothing will read, runs under a condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.conditions import Conflict, covering, instance
from usl_core.analysis.conflict import overlap
from usl_core.analysis.context import Context
from usl_core.analysis.earlier import why_not_written_earlier, written_earlier
from usl_core.analysis.later import seen_after
from usl_core.analysis.producer import Producer, producer
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import BlockLoc, Path, get, get_stmt, splice, stmt_path, stmts
from usl_core.ir.nodes import Expr, For, If, Pass, Proc, ReadConfig
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import depends_on_data, walk
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.locate import Where, block_at, condition
from usl_core.primitives.moving import effect, require_closed
from usl_core.procedure import Procedure


@primitive()
def guard_redundant(proc: Procedure, stmt: Where, cond: Where) -> Edit:
    """Skip code where it would write only what it has already written, or only what nobody will read.

        s                    ~>      if cond:
                                         s

    The code fills one buffer, with values that depend on the place alone. Whenever cond is false, each place that it would
    write was written by its own run in an earlier iteration of the loops around it, and neither the place nor what the value
    depends on has been modified since. Of a stencil's producer only what is new in each iteration remains.

    Or the code writes local buffers only, and whenever cond is false, nothing reads what it would have written before it is
    written again: it is not needed yet. Some places may be skipped for the one reason and others for the other, as in a
    pyramid, where every second iteration needs a new place, `d[i / 2 + 1]`; what has been written before, cond let through.

    Raises:
        SchedulingError: the code is no pure producer; a place may not have been written before when cond is false; something
        else in the loop modifies the buffer or what the code reads; and what it writes may be read later when cond is false.
        What the code binds is used after it.
    Forwarding: the statements stay themselves, inside the `if`.
    Also known as: sliding window (Halide), the prologue in one statement of Qian 2024, fig. 4.4a.
    """
    where = block_at(proc, stmt)
    path = stmt_path(where, 0)
    code = stmts(proc.ir, where)
    test = condition(proc, path, cond)
    span = code[0].span

    require_closed(proc.ir, where, span)
    edit = edit_of(proc).wrap(where, lambda body: If(test, body, span=span))
    needed = _needed(proc.ir, where, test)
    if needed is None:
        return edit
    read = _read_later(proc.ir, edit.proc, where, test)
    if read is not None and not _new_places_are_not_needed(proc.ir, edit.proc, where, test):
        message = f"the code may be needed where {show_expr(test)} is false"
        notes = [*needed.notes(), "nor is it known to be needed later only:", *read.notes()]
        refuse(message, span, notes, code="E411")

    return replace(edit, refines=True)  # code that is skipped does not stop at what has no value


def _needed(ir: Proc, where: BlockLoc, test: Expr) -> Conflict | None:
    """Why the code may have to run where test is false, or None: some number of loops around it shows that it need not."""
    ctx = Context.at(ir, stmt_path(where, 0))
    skipped = [fml.not_(ctx.truth(test))]
    found: Conflict | None = None
    for position, made in _producers(ir, where):
        found = made if isinstance(made, Conflict) else why_not_written_earlier(ctx, made, position, skipped)
        if found is None:
            return None
    return found or Conflict("there is no loop around it, so it runs once")


def _producers(ir: Proc, where: BlockLoc) -> Iterator[tuple[int, Producer | Conflict]]:
    """For each loop around the code, the innermost first, the code as a producer that nothing else in the loop disturbs."""
    path = stmt_path(where, 0)
    ctx = Context.at(ir, path)
    around = [at for depth in range(len(path)) if isinstance(get(ir, at := path[:depth]), For)]
    for position in reversed(range(len(around))):
        made = producer(ctx, stmts(ir, where), fixed=position)
        if isinstance(made, Conflict):  # more loops make it only harder
            yield position, made
            return
        yield position, _disturbed(ir, where, around[position], made) or made


def _new_places_are_not_needed(ir: Proc, guarded: Proc, where: BlockLoc, test: Expr) -> bool:
    """Whether what the code would write where test is false, but for places written where test was true, is not read later.

    No read of the guarded program sees the difference: the last write before it in the original one runs, or wrote what is
    there since a run, or is one that this function asks about.
    """
    path = stmt_path(where, 0)
    ctx = Context.at(ir, path)
    if any(isinstance(node, ReadConfig) for node in walk(test)):  # a field may have held something else in that iteration
        return False
    truth = ctx.truth(test)
    for position, made in _producers(ir, where):
        if isinstance(made, Conflict) or ctx.scope.buffers[made.buffer].is_formal:
            continue
        earlier = written_earlier(ctx, made, position, [truth])
        skipped = [([*ctx.facts, fml.not_(truth), fml.not_(covering(w.point, earlier))], w) for w in made.writes()]
        if all(seen_after(guarded, path, facts, [write]) is None for facts, write in skipped):
            return True
    return False


def _read_later(ir: Proc, guarded: Proc, where: BlockLoc, test: Expr) -> Conflict | None:
    """Why what the code would write where test is false may be read afterwards in the guarded program, or None."""
    path = stmt_path(where, 0)
    ctx = Context.at(ir, path)
    done = effect(ctx, stmts(ir, where))
    writes = [a for a in done.accesses if a.modifies]
    if done.checks or done.config_writes:
        return Conflict("it has a `check`, or writes configuration")
    seen = next((a for a in writes if ctx.scope.buffers[a.buffer].is_formal), None)
    if seen is not None:
        return Conflict(f"the caller sees what it writes to {seen.buffer.name}", seen)
    skipped = [*ctx.facts, fml.not_(ctx.truth(test))]
    return seen_after(guarded, path, skipped, writes)


def _disturbed(ir: Proc, where: BlockLoc, path: Path, made: Producer) -> Conflict | None:
    """What in the loop at path, besides the code, may modify what the code writes or reads, or depends on data."""
    at = stmt_path(where, 0)
    branches = (get(ir, at[:depth]) for depth in range(len(path), len(at)))
    if any(isinstance(branch, If) and depends_on_data(branch.cond) for branch in branches):
        return Conflict("whether the code runs in an earlier iteration depends on data")
    without = splice(ir, where, (Pass(),))
    loop = get_stmt(without, path)
    assert isinstance(loop, For)
    inside = Context.at(without, path).enter(loop, "body")
    env = {loop.iter: affine.var(loop.iter.copy())}
    others = instance([a for a in effect(inside, loop.body).accesses if a.modifies], env)
    facts = [*Context.at(ir, at).facts, *(fml.subst(f, env) for f in inside.facts)]
    for touched in (*made.writes(), *made.inputs()):
        for other in others:
            if touched.buffer is other.buffer and (values := overlap(facts, touched, other)) is not None:
                return Conflict(f"{touched.buffer.name} may be modified by other code in the loop", touched, other, values)
    return None
