"""What every operator must hold to where configuration fields are in play.

Fields are locations of the store, so that moving, repeating and removing statements is judged by their effects like any other.
What effects do not see is where an operator evaluates a control expression anew: the bounds of a loop that it splits, the
condition of an `if` that it copies, an index. Such expressions must not read a field that the procedure writes
(docs/semantics.md, "time of evaluation"); the shapes of buffers and windows read no field at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from usl_core.analysis.fields_used import field_use
from usl_core.ir import nodes as ir
from usl_core.ir.config import FieldSym
from usl_core.ir.memo import per_node
from usl_core.ir.traverse import child_nodes, inner_stmts, walk_kinds
from usl_core.ir.types import TensorType


def unsteady_control(proc: ir.Proc) -> ir.ReadConfig | None:
    """A read of a field that proc writes, in a loop's bounds, a condition or an index; None if there is none."""
    written = field_use(proc).written
    for stmt in proc.body if written else ():
        for field, read in _control_reads(stmt).items():
            if field in written:
                return read
    return None


def shape_that_reads(proc: ir.Proc) -> ir.ReadConfig | None:
    """A read of a field in the extents of a buffer or the bounds of a window; None if there is none."""
    reading = proc.body if field_use(proc).all else ()
    return next((read for stmt in reading for read in _shape_reads(stmt).values()), None)


@per_node
def _control_reads(stmt: ir.Stmt) -> Mapping[FieldSym, ir.ReadConfig]:
    return _first_reads(stmt, _control, _control_reads)


@per_node
def _shape_reads(stmt: ir.Stmt) -> Mapping[FieldSym, ir.ReadConfig]:
    return _first_reads(stmt, _shapes, _shape_reads)


def _first_reads(
    stmt: ir.Stmt, exprs: Callable[[ir.Stmt], Iterator[ir.Expr]], inside: Callable[[ir.Stmt], Mapping[FieldSym, ir.ReadConfig]]
) -> Mapping[FieldSym, ir.ReadConfig]:
    """For each field that some expressions of stmt read, the first such read; inside tells of a statement in it."""
    found: dict[FieldSym, ir.ReadConfig] = {}
    if field_use(stmt).read:
        for expr in exprs(stmt):
            for read in walk_kinds(expr, ir.ReadConfig):
                found.setdefault(read.config.sym(read.field), read)
        for inner in inner_stmts(stmt):
            for field, read in inside(inner).items():
                found.setdefault(field, read)
    return found


def _own_nodes(stmt: ir.Stmt) -> Iterator[ir.Node]:
    """stmt and the expressions in it that are in no statement inside it."""
    pending: list[ir.Node] = [stmt]
    while pending:
        node = pending.pop()
        yield node
        pending += [child for child in reversed(child_nodes(node)) if not isinstance(child, ir.StmtBase)]


def _control(stmt: ir.Stmt) -> Iterator[ir.Expr]:
    """The control expressions that say which statements run and where they reach; those of arguments are the callee's."""
    for node in _own_nodes(stmt):
        match node:
            case ir.For(lo=lo, hi=hi):
                yield lo
                yield hi
            case ir.If(cond=cond):
                yield cond
            case ir.Read(idx=idx) | ir.Assign(idx=idx) | ir.Reduce(idx=idx):
                yield from idx
            case (
                ir.Literal()
                | ir.UnaryMinus()
                | ir.BinaryOp()
                | ir.ExternCall()
                | ir.Cast()
                | ir.WindowExpr()
                | ir.StrideExpr()
                | ir.ReadConfig()
            ):
                pass
            case (
                ir.Interval()
                | ir.AssignConfig()
                | ir.Pass()
                | ir.Check()
                | ir.Alloc()
                | ir.WindowStmt()
                | ir.Call()
                | ir.Arg()
                | ir.Proc()
            ):
                pass


def _shapes(stmt: ir.Stmt) -> Iterator[ir.Expr]:
    for node in _own_nodes(stmt):
        if isinstance(node, ir.Alloc) and isinstance(node.type, TensorType):
            yield from node.type.shape
        elif isinstance(node, ir.WindowExpr):
            for entry in node.idx:
                yield from (entry.lo, entry.hi) if isinstance(entry, ir.Interval) else (entry,)
