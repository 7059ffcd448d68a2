"""Mapping code onto instructions wherever they fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from usl_core import Procedure
from usl_core.arguments import checked
from usl_core.cursors import BlockCursor
from usl_core.errors import SchedulingError
from usl_core.ir.nodes import Assign, BinaryOp, Block, Expr, For, If, Literal, Read, Reduce, SimpleStmt, Stmt
from usl_core.ir.traverse import child_nodes
from usl_core.ir.types import ControlType
from usl_core.scheduling import replace


@checked
def replace_all(p: Procedure, instructions: Procedure | Iterable[Procedure]) -> Procedure:
    """Replace every block that an instruction matches by a call of it, innermost first.

    instructions are tried in the order given, so that a special form goes before a general one. A block does not match if one
    of its buffers is not in the memory that the instruction names: so loads and stores, which have the same body, are told
    apart. What no instruction matches stays as it is; an undecided obligation (`Undecided`) is not swallowed.
    """
    for instruction in _procedures("replace_all", instructions):
        for replaced in _replacements(p, instruction):
            p = replaced
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
    wanted = instruction.ir.body
    for cursor in [_cursor(p, *place, len(wanted)) for place in _places(p.ir.body, wanted)]:
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


def _places(block: Block, wanted: Block, around: _Around = ()) -> Iterator[tuple[_Around, int]]:
    """Where in block there might be wanted, with other names, indices and arguments; inner places first."""
    for at, stmt in enumerate(block):
        match stmt:
            case For(body=body):
                yield from _places(body, wanted, (*around, (at, "body")))
            case If(body=body, orelse=orelse):
                yield from _places(body, wanted, (*around, (at, "body")))
                yield from _places(orelse, wanted, (*around, (at, "orelse")))
            case SimpleStmt():
                pass
    kind = type(wanted[0])
    for first in range(len(block) - len(wanted) + 1):
        if type(block[first]) is kind and _alike(wanted, block[first : first + len(wanted)]):
            yield around, first


def _alike(wanted: Block, block: Block) -> bool:
    """Whether statements of the same kinds nest in the same way, with the same operators on data."""
    return len(wanted) == len(block) and all(_alike_stmts(a, b) for a, b in zip(wanted, block, strict=True))


def _alike_stmts(a: Stmt, b: Stmt) -> bool:
    match a, b:
        case For(), For():
            return _alike(a.body, b.body)
        case If(), If():
            return _alike(a.body, b.body) and _alike(a.orelse, b.orelse)
        case Assign() | Reduce(), Assign() | Reduce():
            return type(a) is type(b) and _alike_data(a.rhs, b.rhs)
        case _:
            return type(a) is type(b)


def _alike_data(a: Expr, b: Expr) -> bool:
    """A literal may stand for a scalar; expressions on control values may be any."""
    if isinstance(a.type, ControlType) or isinstance(a, Read | Literal):
        return isinstance(b.type, ControlType) or isinstance(b, Read | Literal)
    if type(a) is not type(b) or (isinstance(a, BinaryOp) and isinstance(b, BinaryOp) and a.op != b.op):
        return False
    pairs = zip(child_nodes(a), child_nodes(b), strict=False)
    return all(_alike_data(x, y) for x, y in pairs if isinstance(x, Expr) and isinstance(y, Expr))
