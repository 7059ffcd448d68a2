"""Where a buffer is used in a piece of code, itself or through windows of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from usl_core.cursors.path import BlockLoc, Path, block_of, stmt_list, stmt_path, stmts
from usl_core.ir import nodes
from usl_core.ir.nodes import Call, Node, Proc, Read, StrideExpr, WindowExpr, WindowStmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import children, mentioned, update, use_of, walk, walk_kinds
from usl_core.ir.types import TensorType
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Use:
    """A node that mentions a buffer by name."""

    path: Path
    node: nodes.Use


def uses_at(path: Path, node: Node, name: Sym) -> Iterator[Use]:
    """Every mention of name other than in binding position at node (which is at path) and below, in source order."""
    if name not in mentioned(node):
        return
    if isinstance(node, nodes.Use) and node.name is name:
        yield Use(path, node)
    for step, child in children(node):
        yield from uses_at((*path, step), child, name)


def uses_in(proc: Proc, block: BlockLoc, name: Sym) -> list[Use]:
    """The uses of name in block."""
    found: list[Use] = []
    for offset, stmt in enumerate(stmts(proc, block)):
        found += uses_at(stmt_path(block, offset), stmt, name)
    return found


def renamed(node: Node, old: Sym, new: Sym) -> Node | None:
    """The rule that uses another buffer wherever old is used."""
    use = use_of(node)
    return update(node, name=new) if use is not None and use.name is old else None


def mentions(node: Node, names: frozenset[Sym] | set[Sym]) -> bool:
    """Whether node uses one of names; binding it does not count."""
    return not mentioned(node).isdisjoint(names)


def with_windows(code: Sequence[Node], name: Sym) -> frozenset[Sym]:
    """name and the windows of it that code binds, those of windows too."""
    names = {name}
    for part in code:
        if mentions(part, names):
            for node in walk_kinds(part, WindowStmt):
                if node.rhs.name in names:
                    names.add(node.name)
    return frozenset(names)


def rest_of_block(proc: Proc, path: Path) -> BlockLoc | None:
    """What follows the statement at path in its block: the scope of what it binds. None at the end of the block."""
    own = block_of(path)
    length = len(stmt_list(proc, own.parent, own.field))
    return BlockLoc(own.parent, own.field, own.hi, length) if own.hi < length else None


def passed_whole(use: Use) -> bool:
    """Whether a use is the whole buffer as an argument of a call."""
    return isinstance(use.node, Read) and isinstance(use.node.type, TensorType)


def reads_strides(code: Sequence[Node], names: frozenset[Sym]) -> Node | None:
    """A place where the meaning of code depends on the strides of a buffer in names, other than a call's assertions.

    Assertions are proved again when a layout changes; a condition on a stride would change its value in silence.
    """
    for part in code:
        for node in walk(part) if mentions(part, names) else ():
            if isinstance(node, StrideExpr) and node.name in names:
                return node
            if isinstance(node, Call) and _callee_reads_strides(node, names):
                return node
    return None


def _callee_reads_strides(call: Call, names: frozenset[Sym]) -> bool:
    body = call.proc.body
    return any(
        reads_strides(body, with_windows(body, formal.name)) is not None
        for formal, actual in zip(call.proc.args, call.args, strict=True)
        if isinstance(actual, Read | WindowExpr) and actual.name in names
    )
