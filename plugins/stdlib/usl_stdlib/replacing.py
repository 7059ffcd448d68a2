"""Mapping code onto instructions wherever they fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from usl_core.arguments import checked
from usl_core.cursors.cursor import make_cursor
from usl_core.cursors.path import BlockLoc, Path
from usl_core.errors import SchedulingError
from usl_core.ir.nodes import Block, For, If, Proc
from usl_core.ir.shape import shape, shapes
from usl_core.primitives.calls.fit import fits
from usl_core.primitives.calls.replace import replace
from usl_core.procedure import Procedure


@checked
def replace_all(p: Procedure, instructions: Procedure | Iterable[Procedure]) -> Procedure:
    """Replace every block that an instruction matches by a call of it, innermost first.

    instructions are tried in the order given, so that a special form goes before a general one. A block does not match if one
    of its buffers is not in the memory that the instruction names: so loads and stores, which have the same body, are told
    apart. What no instruction matches stays as it is; an undecided obligation (`Undecided`) is not swallowed.
    """
    chosen = [instructions] if isinstance(instructions, Procedure) else list(instructions)
    strangers = [each for each in chosen if not isinstance(each, Procedure)]
    if strangers:
        raise SchedulingError(f"replace_all: instructions are procedures, got {strangers[0]!r}", code="E404")
    for instruction in chosen:
        p = _replace_one(p, instruction)
    return p


def _replace_one(p: Procedure, instruction: Procedure) -> Procedure:
    wanted = instruction.ir.body
    candidates = [make_cursor(p, loc) for loc in _blocks(p.ir, wanted) if fits(p.ir, loc, instruction.ir)]
    for cursor in candidates:
        block = p.forward(cursor)
        if not block:
            continue
        try:
            p = replace(p, block, instruction)
        except SchedulingError:
            continue
    return p


def _blocks(proc: Proc, wanted: Block) -> list[BlockLoc]:
    """The blocks whose statements have the shapes of wanted's, inner ones first."""
    found: list[BlockLoc] = []
    first, *rest = shapes(wanted)
    count = len(wanted)
    for parent, field, block in _lists(proc, ()):
        for lo, stmt in enumerate(block[: len(block) - count + 1]):
            if (stmt.shape_code or shape(stmt)) == first and [shape(later) for later in block[lo + 1 : lo + count]] == rest:
                found.append(BlockLoc(parent, field, lo, lo + count))
    return found


def _lists(node: Proc | For | If, path: Path) -> Iterator[tuple[Path, str, Block]]:
    """Every statement list below node, inner ones first."""
    fields = (("body", node.body), *((("orelse", node.orelse),) if isinstance(node, If) else ()))
    for field, block in fields:
        for position, stmt in enumerate(block):
            if isinstance(stmt, For | If):
                yield from _lists(stmt, (*path, (field, position)))
    for field, block in fields:
        if block:
            yield path, field, block
