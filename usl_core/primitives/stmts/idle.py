"""Statements that do nothing, and how they go: `pass`, and loops and branches that hold nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import BlockLoc, GapLoc, NodeLoc, Path, block_of
from usl_core.frontend.operators import negation
from usl_core.ir.memo import per_node
from usl_core.ir.nodes import Block, For, If, Pass, SimpleStmt, Stmt
from usl_core.ir.traverse import depends_on_data, inner_stmts


def does_nothing(stmt: Stmt) -> bool:
    """Whether stmt does nothing but perhaps look at data."""
    return isinstance(stmt, Pass | For | If) and (isinstance(stmt, Pass) or all(map(does_nothing, inner_stmts(stmt))))


@per_node
def is_idle(stmt: Stmt) -> bool:
    """Whether stmt does nothing. A condition on data does something: it stops the run where the data is poison."""
    if isinstance(stmt, If) and depends_on_data(stmt.cond):
        return False
    return isinstance(stmt, Pass) or (isinstance(stmt, For | If) and all(map(is_idle, inner_stmts(stmt))))


def has_only_else(stmt: Stmt) -> bool:
    """Whether stmt is an `if` on control that does nothing where its condition holds."""
    return isinstance(stmt, If) and not depends_on_data(stmt.cond) and all(map(is_idle, stmt.body))


def negated(edit: Edit, path: Path, stmt: If) -> Edit:
    """`if not c: s` for the `if c: pass else: s` at path of the current tree."""
    edit = edit.replace_expr(Now(NodeLoc((*path, ("cond", None)))), negation(stmt.cond, span=stmt.cond.span))
    count = len(stmt.orelse)
    edit = edit.move(Now(BlockLoc(path, "orelse", 0, count)), Now(GapLoc(path, "body", 0, "before")))
    return edit.delete(Now(BlockLoc(path, "body", count, count + len(stmt.body))))


def without_idle(edit: Edit, *, passes: bool) -> Edit:
    """edit without the loops and branches that do nothing in its result, and if passes is set without any `pass`."""
    for path, stmt in reversed(list(_below((), "body", edit.proc.body))):
        if isinstance(stmt, If) and has_only_else(stmt):
            edit = negated(edit, path, stmt)
    idle = [Now(block) for block in _idle((), "body", edit.proc.body, passes)]
    return edit.splice_many((block, ()) for block in idle)


@per_node
def _holds_idle(stmt: Stmt) -> bool:
    """Whether stmt, or a statement in it, does nothing, or nothing where its condition holds."""
    return is_idle(stmt) or has_only_else(stmt) or any(map(_holds_idle, inner_stmts(stmt)))


def _below(parent: Path, field: str, block: Block) -> Iterator[tuple[Path, Stmt]]:
    """The statements that do something and hold one that does not, outer ones first."""
    for position, stmt in enumerate(block):
        path = (*parent, (field, position))
        if is_idle(stmt) or not _holds_idle(stmt):
            continue
        yield path, stmt
        match stmt:
            case For(body=body):
                yield from _below(path, "body", body)
            case If(body=body, orelse=orelse):
                yield from _below(path, "body", body)
                yield from _below(path, "orelse", orelse)
            case SimpleStmt():
                pass


def _idle(parent: Path, field: str, block: Block, passes: bool) -> Iterator[BlockLoc]:
    """The statements that go, as blocks. One `pass` stays where there is nothing else."""
    idle = [is_idle(stmt) for stmt in block]
    if all(idle) and field == "orelse" and block:
        yield BlockLoc(parent, field, 0, len(block))
        return
    for position, stmt in enumerate(block):
        if not _holds_idle(stmt):
            continue
        path = (*parent, (field, position))
        if idle[position] and (not isinstance(stmt, Pass) or (passes and not (all(idle) and position == 0))):
            yield block_of(path)
        match stmt:
            case For(body=body) if not idle[position]:
                yield from _idle(path, "body", body, passes)
            case If(body=body, orelse=orelse) if not idle[position]:
                yield from _idle(path, "body", body, passes)
                yield from _idle(path, "orelse", orelse, passes)
            case SimpleStmt() | For() | If():
                pass
