"""Mapping code onto instructions wherever they fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from usl_core import Procedure
from usl_core.arguments import checked
from usl_core.cursors import BlockCursor
from usl_core.errors import SchedulingError
from usl_core.inspect import alike
from usl_core.ir.nodes import Block, For, If, Proc, SimpleStmt
from usl_core.scheduling import replace
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
    chosen = _procedures("replace_all", instructions)
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
    chosen = _procedures("replace_once", instructions)
    for instruction in chosen:
        for replaced in _replacements(p, instruction):
            return replaced
    names = ", ".join(each.name() for each in chosen[:8])
    raise SchedulingError(f"replace_once: nothing in {p.name()} is a call of {names or 'no procedure'}", code="E461")


def _procedures(function: str, given: Procedure | Iterable[Procedure]) -> list[Procedure]:
    chosen = [given] if isinstance(given, Procedure) else list(given)
    strangers = [each for each in chosen if not isinstance(each, Procedure)]
    if strangers:
        raise SchedulingError(f"{function}: instructions are procedures, got {strangers[0]!r}", code="E404")
    return chosen


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
