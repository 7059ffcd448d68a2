"""clone_buffer: some users of a buffer get a copy of their own, computed in the same way."""

from __future__ import annotations

from collections.abc import Iterator

from usl_core.analysis.context import Context
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import BlockLoc, Path, after, before, starts_with, stmt_list, stmt_path, stmts
from usl_core.ir.nodes import Alloc, Block, For, If, SimpleStmt, Stmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import rename, update, with_fresh_binders
from usl_core.primitives.base import edit_of, primitive, refuse, require
from usl_core.primitives.buffers.layout import scope_of
from usl_core.primitives.buffers.uses import mentions, renamed, with_windows
from usl_core.primitives.locate import Where, alloc_at, block_at, context_at
from usl_core.primitives.moving import effect, new_name
from usl_core.procedure import Procedure


@primitive()
def clone_buffer(proc: Procedure, buf: Where, block: Where, name: str) -> Edit:
    """Compute a local buffer twice, and let a block that reads it read the second one, `clone_buffer(p, "x", block, "y")`.

                             x: T[n]
        x: T[n]              y: T[n]
        s1           ~>      s1[x -> y]
        s2                   s1
        s3                   s2
                             s3[x -> y]

    Whatever writes x is preceded by a copy that writes y: whole statements where they write nothing else, otherwise the
    statements inside. So x and y hold the same at all times, and each can have its own place and shape later.

    Raises:
        SchedulingError: the block lies outside of the scope of the buffer, does not read it, or writes it; a statement that
        writes the buffer writes something else too, has a `check`, or writes it through a window.
    Forwarding: everything stays with the same code.
    """
    path, alloc = alloc_at(proc, buf)
    where = block_at(proc, block)
    target = new_name(name)

    _require_reads_only(proc, path, alloc, where)
    scope = scope_of(proc.ir, path)
    copied = list(_writers(context_at(proc, path).after(alloc), scope, stmts(proc.ir, scope)[1:], alloc, where))

    edit = edit_of(proc).rewrite_exprs(
        where,
        lambda node: renamed(node, alloc.name, target),
        {alloc.name},
    )
    copies = ((before(at), _copy(stmt, alloc, target)) for at, stmt in copied)
    return edit.splice_many([(after(path), (update(alloc, name=target),)), *copies])


def _copy(stmt: Stmt, alloc: Alloc, target: Sym) -> Block:
    return tuple(rename(each, {alloc.name: target}) for each in with_fresh_binders((stmt,)))


def _require_reads_only(proc: Procedure, path: Path, alloc: Alloc, where: BlockLoc) -> None:
    """The block is in the scope of the buffer and reads it, under its own name."""
    name, scope, code = alloc.name, scope_of(proc.ir, path), stmts(proc.ir, where)
    span = code[0].span
    around = stmt_path(where, 0)[: len(path)]
    visible = len(around) == len(path) and around[:-1] == path[:-1] and around[-1][0] == path[-1][0] and around > path
    require(visible, f"the block is not in the scope of {name.name}", span, code="E416")
    own, rest = with_windows(code, name), stmt_list(proc.ir, where.parent, where.field)[where.hi :]
    if any(mentions(stmt, with_windows(stmts(proc.ir, scope), name) - own) for stmt in code) or any(
        mentions(stmt, own - {name}) for stmt in rest
    ):
        message = f"the block reaches {name.name} through a window that it does not make, or makes one that is used after it"
        refuse(message, span, ["hint: inline_window"], code="E450")
    require(any(mentions(stmt, {name}) for stmt in code), f"the block does not use {name.name}", span, code="E451")
    writes = any(a.modifies and a.buffer is name for a in effect(context_at(proc, stmt_path(where, 0)), code).accesses)
    require(not writes, f"the block writes {name.name}", span, code="E454")


def _writers(ctx: Context, at: BlockLoc, block: Block, alloc: Alloc, where: BlockLoc) -> Iterator[tuple[Path, Stmt]]:
    """The statements that write the buffer and nothing else, outermost ones that do not hold the block at where.

    block is the end of the list that at is in; ctx holds before it.
    """
    length = at.hi
    for position, stmt in enumerate(block, length - len(block)):
        path = stmt_path(BlockLoc(at.parent, at.field, position, position + 1), 0)
        done = effect(ctx, (stmt,))
        modified = {a.buffer for a in done.accesses if a.modifies}
        if alloc.name in modified:
            windows = {window for window in ctx.scope.windows if ctx.scope.root(window) is alloc.name}
            if mentions(stmt, windows):
                message = f"{alloc.name.name} is written where a window shows it too"
                refuse(message, stmt.span, ["hint: inline_window"], code="E450")
            holds = starts_with(where.parent, path)
            if modified == {alloc.name} and not done.checks and not holds:
                yield path, stmt
            else:
                yield from _inside(ctx, path, stmt, alloc, where)
        ctx = ctx.after(stmt)


def _inside(ctx: Context, path: Path, stmt: Stmt, alloc: Alloc, where: BlockLoc) -> Iterator[tuple[Path, Stmt]]:
    match stmt:
        case For(body=body):
            yield from _writers(ctx.enter(stmt, "body"), BlockLoc(path, "body", 0, len(body)), body, alloc, where)
        case If(body=body, orelse=orelse):
            yield from _writers(ctx.enter(stmt, "body"), BlockLoc(path, "body", 0, len(body)), body, alloc, where)
            yield from _writers(ctx.enter(stmt, "orelse"), BlockLoc(path, "orelse", 0, len(orelse)), orelse, alloc, where)
        case SimpleStmt():
            message = f"the statement does more than to write {alloc.name.name}, so it cannot run for a copy too"
            refuse(message, stmt.span, code="E454")
