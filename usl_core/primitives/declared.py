"""Whole buffers as arguments, whose type repeats that of their declaration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import NodeLoc
from usl_core.ir.memo import per_node
from usl_core.ir.nodes import Alloc, Arg, Call, Node, Read, Stmt, WindowStmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import inner_stmts, same_expr, update, walk
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
        stale = stale or _is_stale(node, declared)

    def rule(node: Node) -> Node | None:
        return update(node, type=declared[node.name]) if _is_stale(node, declared) else None

    return edit.rewrite_exprs(Now(NodeLoc(())), rule) if stale else edit


def _is_stale(node: Node, declared: Mapping[Sym, Type]) -> TypeGuard[Read]:
    """Whether node is a whole buffer with another shape than the declaration's."""
    if not (isinstance(node, Read) and isinstance(node.type, TensorType)):
        return False
    typ = declared[node.name]
    same = isinstance(typ, TensorType) and all(map(same_expr, node.type.shape, typ.shape))
    return not same


@per_node
def _passes_whole(stmt: Stmt) -> bool:
    """Whether a whole buffer is an argument in or below stmt."""
    if isinstance(stmt, Call):
        return any(isinstance(arg, Read) and isinstance(arg.type, TensorType) for arg in stmt.args)
    return any(map(_passes_whole, inner_stmts(stmt)))
