"""Mapping code onto instructions wherever they fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from usl_core.cursors.cursor import make_cursor
from usl_core.cursors.path import BlockLoc, Path
from usl_core.errors import SchedulingError
from usl_core.ir.nodes import Block, For, If, Node, Proc, Stmt
from usl_core.primitives.calls.replace import replace
from usl_core.procedure import Procedure


def replace_all(p: Procedure, instructions: Procedure | Iterable[Procedure]) -> Procedure:
    """Replace every block that an instruction matches by a call of it, innermost first.

    instructions are tried in the order given, so that a special form goes before a general one. A block does not match if one
    of its buffers is not in the memory that the instruction names: so loads and stores, which have the same body, are told
    apart. What no instruction matches stays as it is; an undecided obligation (`Undecided`) is not swallowed.
    """
    chosen = [instructions] if isinstance(instructions, Procedure | str) else list(instructions)
    strangers = [each for each in chosen if not isinstance(each, Procedure)]
    if strangers:
        raise SchedulingError(f"replace_all: instructions are procedures, got {strangers[0]!r}", code="E404")
    for instruction in chosen:
        p = _replace_one(p, instruction)
    return p


def _replace_one(p: Procedure, instruction: Procedure) -> Procedure:
    wanted = instruction.ir.body
    candidates = [make_cursor(p, loc) for loc in _blocks(p.ir, wanted)]
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
    """The blocks whose statements are of the kinds of wanted's, inner ones first."""
    found: list[BlockLoc] = []
    for parent, field, block in _lists(proc, ()):
        for lo in range(len(block) - len(wanted) + 1):
            if all(_alike(a, b) for a, b in zip(wanted, block[lo : lo + len(wanted)], strict=True)):
                found.append(BlockLoc(parent, field, lo, lo + len(wanted)))
    return found


def _lists(node: Node, path: Path) -> Iterator[tuple[Path, str, Block]]:
    """Every statement list below node, inner ones first."""
    fields = {"body": getattr(node, "body", ()), "orelse": getattr(node, "orelse", ())}
    for field, block in fields.items():
        for position, stmt in enumerate(block):
            yield from _lists(stmt, (*path, (field, position)))
    for field, block in fields.items():
        if block:
            yield path, field, block


def _alike(a: Stmt, b: Stmt) -> bool:
    """Whether two statements could match: the same kinds all the way down."""
    if type(a) is not type(b):
        return False
    match a, b:
        case For(), For():
            return a.mode is b.mode and _all_alike(a.body, b.body)
        case If(), If():
            return _all_alike(a.body, b.body) and _all_alike(a.orelse, b.orelse)
        case _:
            return True


def _all_alike(a: Block, b: Block) -> bool:
    return len(a) == len(b) and all(_alike(x, y) for x, y in zip(a, b, strict=True))
