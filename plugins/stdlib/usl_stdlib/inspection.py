"""Getting around in code: walking it, the loops around a place, what two places have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from usl_core import Procedure
from usl_core.arguments import checked
from usl_core.cursors import (
    AllocCursor,
    AssignConfigCursor,
    AssignCursor,
    BinaryOpCursor,
    BlockCursor,
    CallCursor,
    CastCursor,
    CheckCursor,
    Cursor,
    ExprCursor,
    ExternFunctionCursor,
    ForCursor,
    IfCursor,
    InvalidCursor,
    ReadCursor,
    ReduceCursor,
    StmtCursor,
    UnaryMinusCursor,
    WindowExprCursor,
    WindowStmtCursor,
)
from usl_core.errors import PatternError, SchedulingError, UsageError

Code = Procedure | Cursor
"""A procedure stands for its body."""


Kind = str | type[Cursor]
"""One of KINDS, or a class of cursors (`usl_core.cursors.kinds`)."""

KINDS: dict[str, tuple[type[Cursor], ...]] = {
    "statements": (StmtCursor,),
    "loops": (ForCursor,),
    "branches": (IfCursor,),
    "writes": (AssignCursor, ReduceCursor),
    "calls": (CallCursor,),
    "allocations": (AllocCursor,),
    "windows": (WindowStmtCursor, WindowExprCursor),
    "expressions": (ExprCursor,),
    "reads": (ReadCursor,),
}
"""What `walk` and traversals can look for by name."""


def walk(code: Code, *kinds: Kind) -> Iterator[Any]:
    """The statements and expressions of code, in source order, what contains others before these; code itself too.

    kinds chooses among them: "statements", "loops", "branches", "writes" (`=` and `+=`), "calls", "allocations", "windows",
    "expressions", "reads" (of control values too), or classes of cursors (`usl_core.cursors.kinds`). Callees are not entered.

    Raises:
        UsageError: code is neither a procedure nor a cursor; a kind is unknown.
    """
    if not isinstance(code, Cursor | Procedure):
        raise UsageError(f"walk: a procedure or a cursor is wanted, got {code!r}")
    classes = tuple(each for kind in kinds for each in _classes(kind))
    return _walk(code, classes or (Cursor,))


def _classes(kind: Kind) -> tuple[type[Cursor], ...]:
    if isinstance(kind, type) and issubclass(kind, Cursor):
        return (kind,)
    if not (isinstance(kind, str) and kind in KINDS):
        raise UsageError(f"walk: the kinds are {', '.join(KINDS)} and classes of cursors, got {kind!r}")
    return KINDS[kind]


def _walk(code: Code, classes: tuple[type[Cursor], ...]) -> Iterator[Any]:
    if isinstance(code, classes) and not isinstance(code, BlockCursor):
        yield code
    for child in children(code) if any(not issubclass(each, StmtCursor) for each in classes) else _statements(code):
        yield from _walk(child, classes)


def _statements(code: Code) -> tuple[Any, ...]:
    """The statements directly inside code."""
    match code:
        case ForCursor():
            return tuple(code.body())
        case IfCursor():
            return (*code.body(), *orelse(code))
        case StmtCursor() | ExprCursor():
            return ()
        case _:
            return children(code)


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


def require_cursor(function: str, place: object, kind: type[Cursor] = Cursor) -> None:
    """What a function is given is a cursor of a kind.

    Raises:
        SchedulingError: it is something else, such as a pattern.
    """
    if isinstance(place, kind) and not isinstance(place, InvalidCursor):
        return
    if isinstance(place, InvalidCursor):
        place.parent()  # an error with the reason
    wanted = "a cursor" if kind is Cursor else f"a cursor of kind {kind.__name__}"
    shown = type(place).__name__ if isinstance(place, Cursor) else repr(place)
    raise SchedulingError(f"{function}: {wanted} is wanted, got {shown}", notes=["hint: find() gives one"], code="E404")


def enclosing(place: Cursor) -> Iterator[Any]:
    """The statements around a place, innermost first."""
    parent = place.parent()
    while parent:
        if isinstance(parent, StmtCursor):
            yield parent
        parent = parent.parent()


def enclosing_loops(place: Cursor) -> list[ForCursor]:
    """The loops around a place, innermost first; a loop is not around itself.

    Raises:
        SchedulingError: place is no cursor.
    """
    require_cursor("enclosing_loops", place)
    return [stmt for stmt in enclosing(place) if isinstance(stmt, ForCursor)]


def enclosing_loop(place: Cursor, name: str | None = None) -> ForCursor:
    """The innermost loop around a place, or the innermost called name.

    Raises:
        SchedulingError: place is no cursor. PatternError: there is no such loop; the notes list those that there are.
    """
    require_cursor("enclosing_loop", place)
    around = enclosing_loops(place)
    for loop in around:
        if name is None or loop.name() == name:
            return loop
    wanted = "no loop" if name is None else f"no loop {name}"
    listed = [f"the loops around it are {', '.join(loop.name() for loop in around)}"] if around else []
    raise PatternError(f"enclosing_loop: there is {wanted} around the place", notes=listed)


@checked
def common_ancestor(places: Iterable[Cursor]) -> Any:
    """The innermost statement that is, or is around, each of the places; invalid if only the procedure is.

    Raises:
        SchedulingError: there are no places, one is no cursor, or they lie in different procedures.
    """
    all_places = list(places)
    for place in all_places:
        require_cursor("common_ancestor", place)
    if not all_places or any(place.proc() is not all_places[0].proc() for place in all_places):
        raise SchedulingError("common_ancestor: one or more cursors of one procedure are wanted", code="E404")
    first = all_places[0]
    candidates = [*([first] if isinstance(first, StmtCursor) else []), *enclosing(first)]
    for candidate in candidates:
        if all(candidate.is_ancestor_of(place) for place in all_places):
            return candidate
    return candidates[-1].parent() if candidates else first.parent()


def loop_nest(loop: ForCursor) -> list[ForCursor]:
    """loop and those perfectly nested in it: each is all of the body of the one before.

    Raises:
        SchedulingError: loop is no cursor to a loop.
    """
    require_cursor("loop_nest", loop, ForCursor)
    nest = [loop]
    while len(nest[-1].body()) == 1 and isinstance(nest[-1].body()[0], ForCursor):
        nest.append(nest[-1].body()[0])
    return nest


def procedures_of(function: str, given: Procedure | Iterable[Procedure]) -> list[Procedure]:
    """Instructions as they were given to a function of the library, one or several; a SchedulingError if one is none."""
    chosen = [given] if isinstance(given, Procedure) else list(given)
    strangers = [each for each in chosen if not isinstance(each, Procedure)]
    if strangers:
        raise SchedulingError(f"{function}: instructions are procedures, got {strangers[0]!r}", code="E404")
    return chosen
