"""Getting around in code: walking it, the loops around a place, what two places have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from usl_core.cursors.cursor import BlockCursor, Cursor, InvalidCursor, StmtCursor
from usl_core.cursors.kinds import (
    AllocCursor,
    AssignConfigCursor,
    AssignCursor,
    BinaryOpCursor,
    CallCursor,
    CastCursor,
    CheckCursor,
    ExternFunctionCursor,
    ForCursor,
    IfCursor,
    ReadCursor,
    ReduceCursor,
    UnaryMinusCursor,
    WindowExprCursor,
    WindowStmtCursor,
)
from usl_core.errors import PatternError, SchedulingError
from usl_core.procedure import Procedure

Code = Procedure | Cursor
"""A procedure stands for its body."""


def walk(code: Code, *kinds: type[Cursor]) -> Iterator[Any]:
    """Every statement and expression of code, in source order, what contains others before these; code itself too.

    kinds are classes of cursors (`usl_core.cursors.kinds`); with any, only cursors of these come: `walk(p, ForCursor)` are the
    loops. Callees are not entered.

    Raises:
        SchedulingError: code is neither a procedure nor a cursor.
    """
    if not isinstance(code, Cursor | Procedure):
        raise SchedulingError(f"walk: a procedure or a cursor is wanted, got {code!r}", code="E404")
    if isinstance(code, Cursor) and (not kinds or isinstance(code, kinds)) and not isinstance(code, BlockCursor):
        yield code
    for child in children(code):
        yield from walk(child, *kinds)


def children(code: Code) -> tuple[Any, ...]:
    """The statements and expressions directly inside code."""
    match code:
        case Procedure():
            return tuple(code.body())
        case BlockCursor():
            return tuple(code)
        case InvalidCursor():
            return (code.parent(),)  # an error with the reason
        case ForCursor():
            return (code.lo(), code.hi(), *code.body())
        case IfCursor():
            return (code.cond(), *code.body(), *orelse(code))
        case StmtCursor():
            return _parts_of_simple(code)
        case _:
            return _parts_of_expression(code)


def orelse(branch: IfCursor) -> tuple[Any, ...]:
    """The statements under `else`, maybe none."""
    block = branch.orelse()
    return tuple(block) if block else ()


def _parts_of_simple(stmt: StmtCursor) -> tuple[Any, ...]:
    match stmt:
        case AssignCursor() | ReduceCursor():
            return (*stmt.idx(), stmt.rhs())
        case AssignConfigCursor():
            return (stmt.rhs(),)
        case CallCursor():
            return stmt.args()
        case WindowStmtCursor():
            return (stmt.winexpr(),)
        case CheckCursor():
            return (stmt.cond(),)
        case AllocCursor():
            return stmt.shape()
        case _:
            return ()


def _parts_of_expression(expr: Cursor) -> tuple[Any, ...]:
    match expr:
        case ReadCursor():
            return expr.idx()
        case BinaryOpCursor():
            return (expr.lhs(), expr.rhs())
        case UnaryMinusCursor() | CastCursor():
            return (expr.arg(),)
        case ExternFunctionCursor():
            return expr.args()
        case WindowExprCursor():
            return tuple(part for entry in expr.idx() for part in (entry if isinstance(entry, tuple) else (entry,)))
        case _:
            return ()


def enclosing(place: Cursor) -> Iterator[Any]:
    """The statements around a place, innermost first."""
    parent = place.parent()
    while parent:
        if isinstance(parent, StmtCursor):
            yield parent
        parent = parent.parent()


def enclosing_loops(place: Cursor) -> list[ForCursor]:
    """The loops around a place, innermost first; a loop is not around itself."""
    return [stmt for stmt in enclosing(place) if isinstance(stmt, ForCursor)]


def enclosing_loop(place: Cursor, name: str | None = None) -> ForCursor:
    """The innermost loop around a place, or the innermost called name.

    Raises:
        PatternError: there is no such loop; the notes list those that there are.
    """
    around = enclosing_loops(place)
    for loop in around:
        if name is None or loop.name() == name:
            return loop
    wanted = "no loop" if name is None else f"no loop {name}"
    listed = [f"the loops around it are {', '.join(loop.name() for loop in around)}"] if around else []
    raise PatternError(f"enclosing_loop: there is {wanted} around the place", notes=listed)


def common_ancestor(places: Iterable[Cursor]) -> Any:
    """The innermost statement that is, or is around, each of the places; invalid if only the procedure is.

    Raises:
        SchedulingError: there are no places, or they lie in different procedures.
    """
    all_places = list(places)
    if not all_places or any(place.proc() is not all_places[0].proc() for place in all_places):
        raise SchedulingError("common_ancestor: one or more cursors of one procedure are wanted", code="E404")
    first = all_places[0]
    candidates = [*([first] if isinstance(first, StmtCursor) else []), *enclosing(first)]
    for candidate in candidates:
        if all(candidate.is_ancestor_of(place) for place in all_places):
            return candidate
    return candidates[-1].parent() if candidates else first.parent()


def loop_nest(loop: ForCursor) -> list[ForCursor]:
    """loop and those perfectly nested in it: each is all of the body of the one before."""
    nest = [loop]
    while len(nest[-1].body()) == 1 and isinstance(nest[-1].body()[0], ForCursor):
        nest.append(nest[-1].body()[0])
    return nest
