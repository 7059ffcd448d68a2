"""Mapping code onto instructions wherever they fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from usl_core import Procedure
from usl_core.arguments import checked
from usl_core.cursors import AssignConfigCursor, BlockCursor, GapCursor, LiteralCursor
from usl_core.errors import SchedulingError
from usl_core.inspect import alike
from usl_core.ir.nodes import Block, For, If, Proc, SimpleStmt
from usl_core.scheduling import replace, write_config
from usl_stdlib.expressions import text
from usl_stdlib.inspection import procedures_of
from usl_stdlib.nearly import NearMiss, near_misses


@checked
def replace_all(
    p: Procedure, instructions: Procedure | Iterable[Procedure], report: Callable[[NearMiss], object] | None = None
) -> Procedure:
    """Replace every block that an instruction matches by a call of it, innermost first.

    instructions are tried in the order given, so that a special form goes before a general one. A block does not match if one
    of its buffers is not in the memory that the instruction names: so loads and stores, which have the same body, are told
    apart. What no instruction matches stays as it is; report is called with the `near_misses` among it (`report=print` shows
    them). An undecided obligation (`Undecided`) is not swallowed.
    """
    chosen = procedures_of("replace_all", instructions)
    for instruction in chosen:
        for replaced in _replacements(p, instruction):
            p = replaced
    if report is not None:
        for miss in near_misses(p, chosen):
            report(miss)
    return p


@checked
def replace_once(p: Procedure, instructions: Procedure | Iterable[Procedure]) -> Procedure:
    """Replace the first block that an instruction matches by a call of it, innermost first.

    instructions are tried in the order given, as by `replace_all`.

    Raises:
        SchedulingError: nothing matches.
    """
    chosen = procedures_of("replace_once", instructions)
    for instruction in chosen:
        for replaced in _replacements(p, instruction):
            return replaced
    names = ", ".join(each.name() for each in chosen[:8])
    raise SchedulingError(f"replace_once: nothing in {p.name()} is a call of {names or 'no procedure'}", code="E461")


@checked
def replace_with_config(p: Procedure, block: Any, instruction: Procedure) -> Procedure:
    """Replace code by an instruction that also sets fields to constants, which the code does not.

        for i in seq(0, 16):                 mvout(y[0:16], acc)     # its body: FENCE.pending = True, then the loop
            y[i] = acc[i]            ~>

    The writes that stand at the start and at the end of the instruction's body are made around block first (`write_config`),
    as far as that is legal; then all is replaced. block is a cursor or a pattern.

    Raises:
        SchedulingError: what `write_config` and `replace` raise; a field is set to something else than a number or a truth
            value, which depends on the arguments of the call: write it before, and replace both.
    """
    found = p.find(block) if isinstance(block, str) else p.forward(block)
    inside = found if isinstance(found, BlockCursor) else found.as_block()
    body = list(instruction.body())
    first = next((number for number, stmt in enumerate(body) if not isinstance(stmt, AssignConfigCursor)), len(body))
    rest = body[first:]
    after = next((number for number, stmt in enumerate(rest[::-1]) if not isinstance(stmt, AssignConfigCursor)), len(rest))
    for write in body[:first]:
        p = _set(p, p.forward(inside).before(), write)
    for write in rest[len(rest) - after :][::-1]:
        p = _set(p, p.forward(inside).after(), write)
    return replace(p, p.forward(inside).expand(first, after), instruction)


def _set(p: Procedure, gap: GapCursor, write: Any) -> Procedure:
    """p with the write of a constant in a gap."""
    value = write.rhs()
    if not isinstance(value, LiteralCursor):
        name = f"{write.config().name}.{write.field()}"
        message = f"replace_with_config: what {name} is set to depends on the arguments of the call: {text(value)}"
        raise SchedulingError(message, notes=["hint: write it first with write_config, and replace both"], code="E404")
    number = value.value()
    return write_config(p, gap, write.config(), write.field(), number if isinstance(number, bool | int) else float(number))


def _replacements(p: Procedure, instruction: Procedure) -> Iterator[Procedure]:
    """The procedure after each replacement, one after another."""
    count = len(instruction.ir.body)
    for cursor in [_cursor(p, *place, count) for place in _places(p.ir.body, instruction.ir)]:
        block = p.forward(cursor)
        if not block:
            continue
        try:
            p = replace(p, block, instruction)
        except SchedulingError:
            continue
        yield p


_Around = tuple[tuple[int, str], ...]
"""The loops and branches around a place: in the procedure's body, the number of a statement and its branch, and so on."""


def _cursor(p: Procedure, around: _Around, first: int, count: int) -> BlockCursor:
    found = p.body()
    for at, branch in around:
        found = getattr(found[at], branch)()
    return found[first : first + count]


def _places(block: Block, wanted: Proc, around: _Around = ()) -> Iterator[tuple[_Around, int]]:
    """Where in block there might be the body of wanted, with other names, indices and arguments; inner places first."""
    for at, stmt in enumerate(block):
        match stmt:
            case For(body=body):
                yield from _places(body, wanted, (*around, (at, "body")))
            case If(body=body, orelse=orelse):
                yield from _places(body, wanted, (*around, (at, "body")))
                yield from _places(orelse, wanted, (*around, (at, "orelse")))
            case SimpleStmt():
                pass
    count = len(wanted.body)
    for first in range(len(block) - count + 1):
        if alike(wanted, block[first : first + count]):
            yield around, first
