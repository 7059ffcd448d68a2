"""Writing configuration as rarely as can be proved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from usl_core import Procedure
from usl_core.arguments import checked
from usl_core.cursors import AssignConfigCursor, CallCursor, ForCursor, IfCursor, PassCursor, StmtCursor
from usl_core.errors import SchedulingError, Undecided
from usl_core.interp import ConfigKey
from usl_core.ir.config import FieldSym
from usl_core.scheduling import (
    delete_config,
    delete_pass,
    fission,
    insert_noop_call,
    remove_loop,
    reorder_stmts,
    write_config,
)
from usl_stdlib.config_writes import ConfigWrites, count_config_writes, first_line, inner_blocks, shown, statements


@dataclass(frozen=True, slots=True)
class ConfigReport:
    """What `hoist_config` did: the writes of each field before and after, and what it costs.

    modulo names the fields that may hold something else at the end of the procedure: where a loop may not run at all, the
    write in front of it is made nevertheless. kept says of each write in a loop why it stays there. undecided holds the
    questions that the solver could not settle; what depended on them stayed as it was.
    """

    before: ConfigWrites
    after: ConfigWrites
    modulo: frozenset[FieldSym]
    kept: tuple[str, ...]
    undecided: tuple[str, ...]

    def __str__(self) -> str:
        """A table with one line a field."""
        rows = [("field", "writes in the text", *_heading(self.before))]
        for key in self.before.static:
            name = f"{key[0].name}.{key[1]}"
            rows.append((name, *(f"{a} -> {b}" for a, b in self._counts(key))))
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        if self.modulo:
            lines.append(f"equivalent modulo {', '.join(sorted(name.name for name in self.modulo))}")
        lines += [*self.kept, *(f"undecided: {question}" for question in self.undecided)]
        return "\n".join(lines)

    def _counts(self, key: ConfigKey) -> list[tuple[int, int]]:
        before, after = self.before, self.after
        counts = [(before.static[key], after.static.get(key, 0))]
        if before.sizes is not None:
            counts.append((before.per_run[key], after.per_run.get(key, 0)))
        return counts


def _heading(writes: ConfigWrites) -> list[str]:
    return [] if writes.sizes is None else [f"in a run with {shown(writes.sizes)}".rstrip()]


@checked
def hoist_config(
    p: Procedure, sizes: Mapping[str, int | bool] | None = None, configs: Mapping[ConfigKey, Any] | None = None
) -> tuple[Procedure, ConfigReport]:
    """Write each configuration field as rarely as can be proved: the procedure, and a report of the writes before and after.

        for i in seq(0, n):                  config_ld(stride(x, 0))
            config_ld(stride(x, 0))    ~>    for i in seq(0, n):
            load(x[i, 0:16], ...)                load(x[i, 0:16], ...)

    A write that changes nothing, or is overwritten before it is read, goes. Any other, also a call of an instruction that does
    nothing but write fields, moves out of the loops around it, as far as its value can be computed and no other value is
    needed in between: by `write_config` in front of the loop and `delete_config` inside, or else by `reorder_stmts`,
    `fission` and `remove_loop`. Writes in callees that are no instructions stay; `inline` these first.

    What fields hold at the end stays the same, unless a loop that a write left may not run at all. With sizes (and configs,
    the fields' values at the start) the report has the writes of a run too, see `count_config_writes`.

    Raises:
        SchedulingError: sizes lacks a control formal. InterpError: p cannot run with these sizes.
    """
    before = count_config_writes(p, sizes, configs)
    known = len(p.history())
    attempts = _Attempts()
    changed = True
    while changed:
        changed = False
        for write in [stmt for stmt in statements(p.body()) if _only_writes_fields(stmt)]:
            here = p.forward(write)
            if not here:
                continue
            better = attempts.first(_ways_up(p, here))
            if better is not None:
                p, changed = better, True
    modulo = frozenset[FieldSym]().union(*(step.modulo for step in p.history()[known:]))
    after = count_config_writes(p, sizes, configs)
    return p, ConfigReport(before, after, modulo, _kept(p), tuple(attempts.undecided))


Attempt = Callable[[], Procedure]


class _Attempts:
    """Tries schedules; remembers what the solver could not decide."""

    def __init__(self) -> None:
        self.undecided: dict[str, None] = {}

    def first(self, attempts: Iterable[Attempt]) -> Procedure | None:
        """The result of the first that applies."""
        for attempt in attempts:
            try:
                return attempt()
            except SchedulingError:
                continue
            except Undecided as error:
                self.undecided.setdefault(error.message)
        return None


def _only_writes_fields(stmt: Any) -> bool:
    """Whether a statement is a configuration write, or a call that does nothing else."""
    return isinstance(stmt, AssignConfigCursor) or (isinstance(stmt, CallCursor) and _writes_fields(stmt) is True)


def _writes_fields(stmt: Any) -> bool | None:
    """True if stmt writes fields and does nothing else, None if it does nothing at all, False if it does something else."""
    match stmt:
        case AssignConfigCursor():
            return True
        case PassCursor():
            return None
        case CallCursor():
            parts = [_writes_fields(each) for each in stmt.subproc().body()]
        case ForCursor() | IfCursor():
            parts = [_writes_fields(each) for inner in inner_blocks(stmt) for each in inner]
        case _:
            return False
    return False if False in parts else True if True in parts else None


# ---- what is tried for one write, the best first


def _ways_up(p: Procedure, write: StmtCursor) -> Iterator[Attempt]:
    yield lambda: _without(p, write)
    around = _loops(write)
    for loop in around:
        yield lambda loop=loop: _written_before(p, write, loop)  # type: ignore[misc]
    if around and write.parent() == around[-1]:
        yield lambda: _split_off(p, write, around[-1])


def _loops(stmt: StmtCursor) -> list[ForCursor]:
    """The loops around a statement, outermost first."""
    found: list[ForCursor] = []
    parent: Any = stmt.parent()
    while parent:
        if isinstance(parent, ForCursor):
            found.append(parent)
        parent = parent.parent()
    return found[::-1]


def _without(p: Procedure, write: StmtCursor) -> Procedure:
    """p without a write that makes no difference, not even at the end of the procedure."""
    q = delete_config(p, write)
    if q.history()[-1].modulo:
        raise SchedulingError("the end of the procedure may see the difference")
    return _tidy(q, write)


def _written_before(p: Procedure, write: Any, loop: ForCursor) -> Procedure:
    """p with the write in front of a loop around it instead; an instruction that did it does it there."""
    gap = loop.before()
    if isinstance(write, CallCursor):
        q = insert_noop_call(p, gap, write.subproc(), list(write.args()))
    else:
        q = write_config(p, gap, write.config(), write.field(), write.rhs())
    return _without(q, q.forward(write))


def _split_off(p: Procedure, write: StmtCursor, loop: ForCursor) -> Procedure:
    """p with the write, which stands directly in a loop, done once before it."""
    q, here = p, write
    while here.prev():
        q = reorder_stmts(q, here.expand(1, 0))
        here = q.forward(here)
    if here.next():
        q = fission(q, here.after())
    return remove_loop(q, q.forward(here).parent())


def _tidy(p: Procedure, deleted: StmtCursor) -> Procedure:
    """p without the loops around a deleted write that were left with nothing to do."""
    loop = p.forward(deleted.parent()) if isinstance(deleted.parent(), ForCursor) else None
    if isinstance(loop, ForCursor) and len(loop.body()) == 1 and isinstance(loop.body()[0], PassCursor):
        return delete_pass(p, loop.body()[0])
    return p


# ---- what could not be done


def why_it_stays(p: Procedure, write: StmtCursor, loop: ForCursor) -> str | None:
    """Why a configuration write cannot leave a loop around it; None if it can."""
    try:
        _written_before(p, write, loop)
    except (SchedulingError, Undecided) as error:
        return "; ".join([error.message, *error.notes[:1]])
    return None


def _kept(p: Procedure) -> tuple[str, ...]:
    """A line for each write that stays in a loop."""
    found = []
    for write in filter(_only_writes_fields, statements(p.body())):
        for loop in _loops(write)[-1:]:
            reason = why_it_stays(p, write, loop)
            if reason is not None:
                found.append(f"{first_line(write)} stays in the loop `{first_line(loop)}`: {reason}")
    return tuple(found)
