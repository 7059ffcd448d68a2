"""Whole buffers as arguments, whose type repeats that of their declaration."""

from __future__ import annotations

from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import NodeLoc
from usl_core.ir.memo import per_node
from usl_core.ir.nodes import Alloc, Arg, Call, For, If, Node, Read, SimpleStmt, Stmt, WindowStmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import same_expr, update, walk
from usl_core.ir.types import TensorType, Type


def with_declared_types(edit: Edit) -> Edit:
    """The types of whole buffers, as arguments, brought up to date after extents of declarations were rewritten."""
    if not any(map(_passes_whole, edit.proc.body)):
        return edit
    declared: dict[Sym, Type] = {}
    stale = False
    for node in walk(edit.proc):
        if isinstance(node, Alloc | Arg | WindowStmt):
            declared[node.name] = node.rhs.type if isinstance(node, WindowStmt) else node.type
        elif isinstance(node, Read) and isinstance(node.type, TensorType):
            stale = stale or not _same(node.type, declared[node.name])

    def rule(node: Node) -> Node | None:
        if isinstance(node, Read) and isinstance(node.type, TensorType) and not _same(node.type, declared[node.name]):
            return update(node, type=declared[node.name])
        return None

    return edit.rewrite_exprs(Now(NodeLoc(())), rule) if stale else edit


@per_node
def _passes_whole(stmt: Stmt) -> bool:
    """Whether a whole buffer is an argument in or below stmt."""
    match stmt:
        case Call(args=args):
            return any(isinstance(arg, Read) and isinstance(arg.type, TensorType) for arg in args)
        case For(body=body):
            return any(map(_passes_whole, body))
        case If(body=body, orelse=orelse):
            return any(map(_passes_whole, (*body, *orelse)))
        case SimpleStmt():
            return False


def _same(a: TensorType, b: Type) -> bool:
    return isinstance(b, TensorType) and all(same_expr(x, y) for x, y in zip(a.shape, b.shape, strict=True))
