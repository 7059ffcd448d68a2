"""What every operator must hold to where configuration fields are in play.

Fields are locations of the store, so that moving, repeating and removing statements is judged by their effects like any other.
What effects do not see is where an operator evaluates a control expression anew: the bounds of a loop that it splits, the
condition of an `if` that it copies, an index. Such expressions must not read a field that the procedure writes
(docs/semantics.md, "time of evaluation"); the shapes of buffers and windows read no field at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from usl_core.analysis.fields_used import field_use
from usl_core.ir.config import FieldSym
from usl_core.ir.memo import per_node
from usl_core.ir.nodes import (
    Alloc,
    Arg,
    Assign,
    AssignConfig,
    BinaryOp,
    Call,
    Cast,
    Check,
    Expr,
    ExternCall,
    For,
    If,
    Interval,
    Literal,
    Node,
    Pass,
    Proc,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    StmtBase,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.traverse import child_nodes, inner_stmts, walk_kinds
from usl_core.ir.types import TensorType


def unsteady_control(proc: Proc) -> ReadConfig | None:
    """A read of a field that proc writes, in a loop's bounds, a condition or an index; None if there is none."""
    written = field_use(proc).written
    for stmt in proc.body if written else ():
        for field, read in _control_reads(stmt).items():
            if field in written:
                return read
    return None


def shape_that_reads(proc: Proc) -> ReadConfig | None:
    """A read of a field in the extents of a buffer or the bounds of a window; None if there is none."""
    reading = proc.body if field_use(proc).all else ()
    return next((read for stmt in reading for read in _shape_reads(stmt).values()), None)


@per_node
def _control_reads(stmt: Stmt) -> Mapping[FieldSym, ReadConfig]:
    return _first_reads(stmt, _control, _control_reads)


@per_node
def _shape_reads(stmt: Stmt) -> Mapping[FieldSym, ReadConfig]:
    return _first_reads(stmt, _shapes, _shape_reads)


def _first_reads(
    stmt: Stmt, exprs: Callable[[Stmt], Iterator[Expr]], inside: Callable[[Stmt], Mapping[FieldSym, ReadConfig]]
) -> Mapping[FieldSym, ReadConfig]:
    """For each field that some expressions of stmt read, the first such read; inside tells of a statement in it."""
    found: dict[FieldSym, ReadConfig] = {}
    if field_use(stmt).read:
        for expr in exprs(stmt):
            for read in walk_kinds(expr, ReadConfig):
                found.setdefault(read.config.sym(read.field), read)
        for inner in inner_stmts(stmt):
            for field, read in inside(inner).items():
                found.setdefault(field, read)
    return found


def _own_nodes(stmt: Stmt) -> Iterator[Node]:
    """stmt and the expressions in it that are in no statement inside it."""
    pending: list[Node] = [stmt]
    while pending:
        node = pending.pop()
        yield node
        pending += [child for child in reversed(child_nodes(node)) if not isinstance(child, StmtBase)]


def _control(stmt: Stmt) -> Iterator[Expr]:
    """The control expressions that say which statements run and where they reach; those of arguments are the callee's."""
    for node in _own_nodes(stmt):
        match node:
            case For(lo=lo, hi=hi):
                yield lo
                yield hi
            case If(cond=cond):
                yield cond
            case Read(idx=idx) | Assign(idx=idx) | Reduce(idx=idx):
                yield from idx
            case Literal() | UnaryMinus() | BinaryOp() | ExternCall() | Cast() | WindowExpr() | StrideExpr() | ReadConfig():
                pass
            case Interval() | AssignConfig() | Pass() | Check() | Alloc() | WindowStmt() | Call() | Arg() | Proc():
                pass


def _shapes(stmt: Stmt) -> Iterator[Expr]:
    for node in _own_nodes(stmt):
        if isinstance(node, Alloc) and isinstance(node.type, TensorType):
            yield from node.type.shape
        elif isinstance(node, WindowExpr):
            for entry in node.idx:
                yield from (entry.lo, entry.hi) if isinstance(entry, Interval) else (entry,)
