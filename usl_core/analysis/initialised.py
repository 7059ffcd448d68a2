"""Whether data that decides about control certainly has a value, where code runs that did not run before.

A condition or `idx` on uninitialised data stops the program. What was written may itself be uninitialised, so only constants
and control values count as written, and places that anything else may be written to do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from usl_core.analysis.conditions import covered
from usl_core.analysis.conflict import overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, block_summary, fresh, reads_of
from usl_core.analysis.exposed import definite_writes
from usl_core.cursors.path import Path, stmt_list
from usl_core.ir.config import FieldSym
from usl_core.ir.externs import IDX
from usl_core.ir.nodes import Alloc, Assign, BinaryOp, Block, Call, Expr, ExprBase, ExternCall, If, Node, Proc, Read, Stmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import child_nodes, depends_on_data, walk, walk_block
from usl_core.ir.types import ScalarType
from usl_core.profiling import profiled


@profiled("obligation", "control has values")
def control_without_value(proc: Proc, path: Path, ctx: Context, code: Block) -> Node | None:
    """A condition or `idx` on data in code that may have no value; None if all have one.

    code is, or stands in, what is at path of proc, in iterations of which ctx knows.
    """
    written = _Written(proc, path)
    for here, stmt in ctx.walk(code):
        if isinstance(stmt, Call) and on_data(stmt.proc.body) is not None:
            return stmt
        for deciding in _deciding(stmt):
            reads = [a for a in here.scope.resolve_all(reads_of(deciding)) if not isinstance(a.buffer, FieldSym)]
            if _may_lack_value(deciding) or not all(written.certainly(here, read) for read in reads):
                return deciding
    return None


def on_data(block: Block) -> Node | None:
    """Control that depends on data, in block or in a callee."""
    for node in walk_block(block):
        if isinstance(node, ExprBase) and depends_on_data(node):
            return node
        if isinstance(node, Call) and on_data(node.proc.body) is not None:
            return node
    return None


def _deciding(stmt: Stmt) -> Iterator[Expr]:
    """The data on which the control of a statement, without those inside it, depends."""
    if isinstance(stmt, If) and depends_on_data(stmt.cond):
        yield stmt.cond
    for child in child_nodes(stmt):
        for node in walk(child) if not isinstance(child, Stmt) else ():
            if isinstance(node, ExternCall) and node.fn is IDX:
                yield node.args[0]


def _may_lack_value(expr: Expr) -> bool:
    """Whether expr may be without a value although all that it reads has one: a divisor is 0, a root is of less."""
    data = [node for node in walk(expr) if isinstance(node, BinaryOp | ExternCall) and isinstance(node.type, ScalarType)]
    return any(isinstance(node, ExternCall) or node.op in ("/", "%") for node in data)


def _is_certain(write: Access) -> bool:
    """Whether what a write leaves has a value, as it reads no data."""
    stmt = write.node
    if not isinstance(stmt, Assign) or _may_lack_value(stmt.rhs):
        return False
    return not any(isinstance(node, Read) and isinstance(node.type, ScalarType) for node in walk(stmt.rhs))


@dataclass
class _Written:
    """What is written to local buffers before the statement at path, and by anything."""

    proc: Proc
    path: Path
    known: dict[Sym, tuple[list[Access], list[Access]] | None] = field(default_factory=dict)

    def certainly(self, ctx: Context, read: Access) -> bool:
        """Whether the place of a read certainly has a value."""
        if read.buffer not in self.known:
            self.known[read.buffer] = self._writes(read.buffer)
        found = self.known[read.buffer]
        if found is None:
            return False
        certain, other = found
        return covered(ctx.facts, read, certain) and all(overlap(ctx.facts, read, fresh(write)) is None for write in other)

    def _writes(self, name: Sym) -> tuple[list[Access], list[Access]] | None:
        """The certain writes before the place, of what has a value; and all writes anywhere of what may have none."""
        start = self._after_alloc(name)
        if start is None:
            return None
        level, first = start
        certain: list[Access] = []
        for end in range(level, len(self.path)):
            list_name, index = self.path[end]
            before = stmt_list(self.proc, self.path[:end], list_name)[first:index]
            if before:
                ctx = Context.at(self.proc, (*self.path[:end], (list_name, first)))
                certain += [write for write in definite_writes(ctx, before, name) if _is_certain(write)]
            first = 0
        list_name, _ = self.path[level]
        rest = stmt_list(self.proc, self.path[:level], list_name)[start[1] :]
        accesses = block_summary(rest).accesses  # a window of the buffer is bound in there
        return certain, [a for a in accesses if a.modifies and a.buffer is name and not _is_certain(a)]

    def _after_alloc(self, name: Sym) -> tuple[int, int] | None:
        """The level of path, and the position in its list, just after the allocation of a local buffer; None for others."""
        for level, (list_name, index) in enumerate(self.path):
            for position, stmt in enumerate(stmt_list(self.proc, self.path[:level], list_name)[:index]):
                if isinstance(stmt, Alloc) and stmt.name is name:
                    return level, position + 1
        return None
