"""What automation asks about code: the text of expressions, the names they mention, where a buffer comes from."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from usl_core import Procedure
from usl_core.cursors import (
    AllocCursor,
    ArgCursor,
    BlockCursor,
    ForCursor,
    IfCursor,
    LiteralCursor,
    NodeCursor,
    ReadCursor,
    StmtCursor,
    StrideExprCursor,
    WindowExprCursor,
    WindowStmtCursor,
    head_line,
)
from usl_core.errors import SchedulingError
from usl_stdlib.inspection import Code, children, walk


def text(place: NodeCursor) -> str:
    """An expression as printed, or the first line of a statement. Operators read it back in the same scope."""
    return head_line(place.owner.ir, place.node).strip()


def mentions(expr: Any, name: str) -> bool:
    """Whether an expression contains a name."""
    return any(each.name() == name for each in walk(expr, ReadCursor, WindowExprCursor, StrideExprCursor))


def statements(code: Code) -> Iterator[Any]:
    """Every statement of code, those that contain others before these; code itself too."""
    return walk(code, StmtCursor)


def expressions(stmt: Any) -> tuple[Any, ...]:
    """The expressions of a statement itself, not those of statements inside it."""
    return tuple([each for each in children(stmt) if not isinstance(each, StmtCursor)])


def blocks(stmt: Any) -> tuple[BlockCursor, ...]:
    """The blocks directly inside a statement."""
    match stmt:
        case ForCursor():
            return (stmt.body(),)
        case IfCursor():
            orelse = stmt.orelse()
            return (stmt.body(), orelse) if isinstance(orelse, BlockCursor) else (stmt.body(),)
        case _:
            return ()


def loop_at(p: Procedure, where: Any) -> ForCursor:
    """The loop that a user names by a cursor, its iterator or a pattern.

    Raises:
        SchedulingError: it is no loop, or not in p.
    """
    found = p.find_loop(where) if isinstance(where, str) else p.forward(where)
    if not isinstance(found, ForCursor):
        raise SchedulingError(f"a loop is wanted, got {found!r}", notes=["hint: give its name, or a cursor to it"], code="E404")
    return found


def starts_at_zero(loop: ForCursor) -> bool:
    """Whether the first iteration is written as 0."""
    lo = loop.lo()
    return isinstance(lo, LiteralCursor) and lo.value() == 0


def require(condition: bool, message: str) -> None:
    """An argument is one that the function takes.

    Raises:
        SchedulingError: it is not.
    """
    if not condition:
        raise SchedulingError(message, code="E404")


def block_at(p: Procedure, where: Any) -> BlockCursor:
    """The statements that a user names by a cursor to one or several, or a pattern.

    Raises:
        SchedulingError: it is no statement, or not in p.
    """
    found = p.find(where) if isinstance(where, str) else p.forward(where)
    if not isinstance(found, BlockCursor | StmtCursor):
        raise SchedulingError(f"a block of statements is wanted here, found {type(found).__name__}", code="E404")
    return found if isinstance(found, BlockCursor) else found.as_block()


def statement_of(expr: Any) -> StmtCursor:
    """The statement that an expression is part of."""
    while not isinstance(expr, StmtCursor):
        expr = expr.parent()
    return expr


def binder(place: Any, name: str) -> AllocCursor | ArgCursor | WindowStmtCursor | None:
    """What name stands for at a place, if it is data: the nearest allocation or window before it, or the formal."""
    stmt: Any = statement_of(place)
    while stmt:
        if isinstance(stmt, AllocCursor | WindowStmtCursor) and stmt.name() == name:
            return stmt
        stmt = stmt.prev() or stmt.parent()
    return next((arg for arg in place.proc().args() if arg.name() == name), None)


def window_text(name: str, entries: tuple[Any, ...]) -> str:
    """`name[lo:hi, pt]` from the indices of an access."""
    shown = [f"{text(e[0])}:{text(e[1])}" if isinstance(e, tuple) else text(e) for e in entries]
    return f"{name}[{', '.join(shown)}]" if shown else name


def fresh(p: Procedure, base: str) -> str:
    """base, or base with a number, so that nothing in p has that name yet."""
    return unused(taken_names(p), base)


def taken_names(p: Procedure) -> set[str]:
    """What the formals, buffers, windows and iterators of p are called."""
    taken = {arg.name() for arg in p.args()}
    return taken | {stmt.name() for stmt in statements(p) if isinstance(stmt, AllocCursor | WindowStmtCursor | ForCursor)}


def unused(taken: Collection[str], base: str) -> str:
    """base, or base with a number, so that it is not taken."""
    return next(name for name in (base, *(f"{base}{i}" for i in range(1, len(taken) + 2))) if name not in taken)
