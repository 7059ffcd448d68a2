"""What automation asks about expressions and the buffers in them: text, parts, the names they mention, where a buffer comes from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from usl_core.cursors.cursor import BlockCursor, NodeCursor, StmtCursor
from usl_core.cursors.display import head_line
from usl_core.cursors.kinds import (
    AllocCursor,
    ArgCursor,
    AssignConfigCursor,
    AssignCursor,
    BinaryOpCursor,
    CallCursor,
    CastCursor,
    ExternFunctionCursor,
    ForCursor,
    IfCursor,
    ReadCursor,
    ReduceCursor,
    StrideExprCursor,
    UnaryMinusCursor,
    WindowExprCursor,
    WindowStmtCursor,
)
from usl_core.procedure import Procedure


def text(place: NodeCursor) -> str:
    """An expression as printed, or the first line of a statement. Operators read it back in the same scope."""
    return head_line(place.owner.ir, place.node).strip()


def children(expr: Any) -> tuple[Any, ...]:
    """The expressions directly inside an expression, indices included."""
    match expr:
        case BinaryOpCursor():
            return (expr.lhs(), expr.rhs())
        case UnaryMinusCursor() | CastCursor():
            return (expr.arg(),)
        case ExternFunctionCursor():
            return expr.args()
        case ReadCursor():
            return expr.idx()
        case WindowExprCursor():
            return tuple([each for entry in expr.idx() for each in (entry if isinstance(entry, tuple) else (entry,))])
        case _:
            return ()


def parts(expr: Any) -> Iterator[Any]:
    """An expression and all those inside it, outer ones first."""
    yield expr
    for child in children(expr):
        yield from parts(child)


def mentions(expr: Any, name: str) -> bool:
    """Whether an expression contains a name."""
    return any(isinstance(each, _NAMED) and each.name() == name for each in parts(expr))


_NAMED = (ReadCursor, WindowExprCursor, StrideExprCursor)


def expressions(stmt: Any) -> tuple[Any, ...]:
    """The expressions of a statement itself, not those of statements inside it."""
    match stmt:
        case AssignCursor() | ReduceCursor():
            return (*stmt.idx(), stmt.rhs())
        case ForCursor():
            return (stmt.lo(), stmt.hi())
        case IfCursor():
            return (stmt.cond(),)
        case CallCursor():
            return stmt.args()
        case WindowStmtCursor():
            return (stmt.winexpr(),)
        case AllocCursor():
            return stmt.shape()
        case AssignConfigCursor():
            return (stmt.rhs(),)
        case _:
            return ()


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


def walk(stmts: Any) -> Iterator[Any]:
    """Every statement of a block or list, those that contain others before these."""
    for stmt in stmts:
        yield stmt
        for block in blocks(stmt):
            yield from walk(block)


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
    taken = {arg.name() for arg in p.args()}
    taken |= {stmt.name() for stmt in walk(p.body()) if isinstance(stmt, AllocCursor | WindowStmtCursor | ForCursor)}
    return next(name for name in (base, *(f"{base}{i}" for i in range(1, len(taken) + 2))) if name not in taken)


def numbered(base: str) -> Iterator[str]:
    """base, base1, base2, ..."""
    yield base
    yield from (f"{base}{i}" for i in count(1))
