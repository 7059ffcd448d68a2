"""Whole buffers as arguments, whose type repeats that of their declaration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import NodeLoc
from usl_core.ir.nodes import Alloc, Arg, Block, Call, For, If, Node, Proc, Read, Stmt, WindowStmt
from usl_core.ir.signature import may_mention
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import changed_span, same_expr, update
from usl_core.ir.types import TensorType, Type


def with_declared_types(edit: Edit) -> Edit:
    """The types of whole buffers, as arguments, brought up to date after extents of declarations or names were rewritten."""
    concerned: set[Sym] = set()
    for node in new_code(edit.origin, edit.proc):
        match node:
            case Alloc(name=name) | WindowStmt(name=name) | Arg(name=name):
                concerned.add(name)
            case Call(args=args):
                concerned.update(arg.name for arg in args if isinstance(arg, Read) and isinstance(arg.type, TensorType))
            case _:
                pass
    if not concerned:
        return edit
    declared = dict(_declarations(edit.proc, concerned))

    def rule(node: Node) -> Node | None:
        match node:
            case Read(name=name, type=TensorType() as typ) if name in concerned and not _same(typ, declared[name]):
                return update(node, type=declared[name])
            case _:
                return None

    return edit.rewrite_exprs(Now(NodeLoc(())), rule, concerned)


def new_code(old: Proc, new: Proc) -> Iterator[Stmt | Arg]:
    """The formals and statements of new that are not those of old. An edit shares what it leaves alone: that is not entered."""
    before = set(map(id, old.args))
    yield from (arg for arg in new.args if id(arg) not in before)
    yield from _new_in_block(old.body, new.body)


def _new_in_block(old: Block, new: Block) -> Iterator[Stmt]:
    start, old_end, new_end = changed_span(old, new)
    gone = old[start:old_end]
    kept = set(map(id, gone))
    loops = {stmt.iter: stmt for stmt in gone if isinstance(stmt, For)}
    for position, stmt in enumerate(new[start:new_end]):
        if id(stmt) in kept:
            continue
        yield stmt
        match stmt:
            case For(iter=name, body=body):
                yield from _new_in_block(loops[name].body if name in loops else (), body)
            case If(body=body, orelse=orelse):
                before = gone[position] if position < len(gone) else None
                then, other = (before.body, before.orelse) if isinstance(before, If) else ((), ())
                yield from _new_in_block(then, body)
                yield from _new_in_block(other, orelse)
            case _:
                pass


def _declarations(proc: Proc, names: Set[Sym]) -> Iterator[tuple[Sym, Type]]:
    for arg in proc.args:
        if arg.name in names:
            yield arg.name, arg.type
    may = may_mention(names)

    def visit(block: Iterable[Stmt]) -> Iterator[tuple[Sym, Type]]:
        for stmt in block:
            if not may(stmt):
                continue
            match stmt:
                case Alloc(name=name, type=typ) if name in names:
                    yield name, typ
                case WindowStmt(name=name, rhs=rhs) if name in names:
                    yield name, rhs.type
                case For(body=body):
                    yield from visit(body)
                case If(body=body, orelse=orelse):
                    yield from visit((*body, *orelse))
                case _:
                    pass

    yield from visit(proc.body)


def _same(a: TensorType, b: Type) -> bool:
    return isinstance(b, TensorType) and all(same_expr(x, y) for x, y in zip(a.shape, b.shape, strict=True))
