"""Contracts: no configuration field is written more often than meant, or holds something else at the end."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod

from usl_core import Procedure
from usl_core.arguments import checked
from usl_core.cursors import AssignConfigCursor, BlockCursor, CallCursor, ForCursor, IfCursor, LiteralCursor, StmtCursor
from usl_core.errors import NOWHERE, SchedulingError, Span
from usl_core.interp import ConfigKey
from usl_core.ir.config import Config
from usl_core.scheduling import write_config
from usl_stdlib.config_writes import Way, config_writes, first_line, inner_blocks
from usl_stdlib.hoisting import why_it_stays

_OP = "max_config_writes"


@checked
def max_config_writes(p: Procedure, n: int, configs: Sequence[Config] | None = None) -> Procedure:
    """Demand that a run writes no configuration field more than n times. The result is p itself.

    A write in a loop counts as often as the loop runs, which must be a literal number; of the branches of an `if` the one with
    more writes counts. With configs only their fields count: one that says what is in flight is written by each transfer.

    Raises:
        SchedulingError: a field may be written more often; the message shows the loop that keeps a write inside.
    """
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise SchedulingError(f"{_OP}: n must be a number of writes, got {n!r}", code="E404")
    ways: dict[ConfigKey, list[Way]] = {}
    for config, name, way in config_writes(p.body()):
        if configs is None or config in configs:
            ways.setdefault((config, name), []).append(way)
    for key, found in ways.items():
        if _most(p.body(), key) > n:
            raise _too_many(p, key, found, n)
    return p


@checked
def holds_at_end(p: Procedure, config: Config, field: str, value: int | float | bool | str) -> Procedure:
    """Demand that a configuration field certainly holds value when a procedure ends. The result is p itself.

        holds_at_end(p, FENCE, "pending", False)      # no transfer is in flight that nobody waits for

    value is what `write_config` takes: a number, a truth value, or text in the names that are visible at the end of p. An
    operator may leave something else in a field at the end, as `Procedure.assurance` then says; this contract refuses that.

    Raises:
        SchedulingError: the field may hold something else, or its value at the end is not known.
    """
    last = p.body()[-1]
    try:
        step = write_config(p, last.after(), config, field, value).history()[-1]
    except SchedulingError as error:
        raise SchedulingError(f"holds_at_end: {error.message}", span=error.span, notes=error.notes, code=error.code) from None
    if step.modulo:
        writes = [way for each, name, way in config_writes(p.body()) if (each, name) == (config, field)]
        last_write = first_line(_statement(writes[-1])) if writes else "nothing in it"
        notes = [f"it is written last by: {last_write}", "hint: write it at the end, or call what does"]
        message = f"holds_at_end: {config.name}.{field} may hold something else than {value} at the end of {p.name()}"
        raise SchedulingError(message, span=_span((last,)), notes=notes, code="E443")
    return p


def _most(block: BlockCursor, key: ConfigKey) -> float:
    """The most writes of a field in one execution of block."""
    return sum(_most_of(stmt, key) for stmt in block)


def _most_of(stmt: StmtCursor, key: ConfigKey) -> float:
    match stmt:
        case AssignConfigCursor():
            return int((stmt.config(), stmt.field()) == key)
        case CallCursor():
            return _most(stmt.subproc().body(), key)
        case ForCursor():
            once = _most(stmt.body(), key)
            return once * _trips(stmt) if once else 0
        case _:
            return max((_most(inner, key) for inner in inner_blocks(stmt)), default=0)


def _trips(loop: ForCursor) -> float:
    """How often a loop runs, infinite if that is not written in the text."""
    lo, hi = loop.lo(), loop.hi()
    return float(hi.value() - lo.value()) if isinstance(lo, LiteralCursor) and isinstance(hi, LiteralCursor) else inf


def _too_many(p: Procedure, key: ConfigKey, ways: list[Way], n: int) -> SchedulingError:
    """The error, at the innermost loop around the write that is made most often; without a loop at the last write."""
    limit = {0: "at all", 1: "more than once"}.get(n, f"more than {n} times")
    message = f"{_OP}: {key[0].name}.{key[1]} may be written {limit} in a run"
    worst = max(ways, key=lambda way: prod(_trips(each) for each in way if isinstance(each, ForCursor)))
    depths = [depth for depth, each in enumerate(worst) if isinstance(each, ForCursor) and _trips(each) > 1]
    if not depths:
        notes = [f"it is written by: {first_line(_statement(way))}" for way in ways]
        return SchedulingError(message, span=_span((_statement(ways[-1]),)), notes=notes, code="E441")
    loop, write = worst[: depths[-1] + 1], _statement(worst[depths[-1] + 1 :])
    around = loop[-1]
    reason = why_it_stays(p, write, around) if write.owner is p and isinstance(around, ForCursor) else None
    notes = [
        f"the loop `{first_line(loop[-1])}` keeps a write inside: {first_line(write)}",
        f"it cannot leave: {reason}" if reason else "hint: hoist_config moves out what it can",
    ]
    return SchedulingError(message, span=_span(loop), notes=notes, code="E441")


def _statement(way: Way) -> StmtCursor:
    """The write, or the call that leads to it."""
    return next(each for each in way if not isinstance(each, ForCursor | IfCursor))


def _span(way: Way) -> Span:
    """Where the last of these statements stands, or the nearest around it that a source text has; else the procedure."""
    known = [stmt.node.span for stmt in reversed(way) if stmt.node.span is not NOWHERE]
    return known[0] if known else way[0].owner.ir.span
