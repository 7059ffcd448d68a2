"""Which configuration fields a piece of code may read and write: what most questions about configuration stop at.

Unlike a `Summary` it says nothing of where or when, so that a rewrite pays for the spine it rebuilt, and code without
configuration for next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from usl_core.ir.config import FieldSym
from usl_core.ir.memo import per_node
from usl_core.ir.nodes import AssignConfig, Call, For, If, Literal, Node, Proc, ReadConfig, SimpleStmt, Stmt
from usl_core.ir.traverse import child_nodes
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class FieldUse:
    """The configuration fields that code reads, writes, or needs in assertions of callees."""

    read: frozenset[FieldSym] = frozenset()
    written: frozenset[FieldSym] = frozenset()

    @property
    def all(self) -> frozenset[FieldSym]:
        """All fields that occur."""
        return self.read | self.written


NO_FIELDS = FieldUse()


@per_node
def field_use(node: Proc | Stmt) -> FieldUse:
    """The configuration fields that running node may read or write, in callees too; assertions read."""
    match node:
        case Proc(preds=preds, body=body):
            return _union([_reads(preds), *map(field_use, body)])
        case For(lo=lo, hi=hi, body=body):
            return _union([_reads((lo, hi)), *map(field_use, body)])
        case If(cond=cond, body=body, orelse=orelse):
            return _union([_reads((cond,)), *map(field_use, body), *map(field_use, orelse)])
        case AssignConfig(config=config, field=name):
            return _union([FieldUse(written=frozenset([config.sym(name)])), _reads(child_nodes(node))])
        case Call(proc=proc, args=args):
            return _union([field_use(proc), _reads(args)])
        case SimpleStmt():
            return _reads(child_nodes(node))


def _reads(exprs: tuple[Node, ...]) -> FieldUse:
    found: list[FieldSym] = []
    pending = list(exprs)
    while pending:  # as `walk_block`, which takes twice as long
        node = pending.pop()
        if isinstance(node, ReadConfig):
            found.append(node.config.sym(node.field))
        elif not isinstance(node, Literal):
            pending += child_nodes(node)
    return FieldUse(read=frozenset(found)) if found else NO_FIELDS


def _union(parts: Iterable[FieldUse]) -> FieldUse:
    some = [part for part in parts if part is not NO_FIELDS]
    if len(some) < 2:
        return some[0] if some else NO_FIELDS
    return FieldUse(
        frozenset[FieldSym]().union(*(p.read for p in some)), frozenset[FieldSym]().union(*(p.written for p in some))
    )
