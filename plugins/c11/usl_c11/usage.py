"""What a procedure mentions: names, fields, callees."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from usl_core.backend import written_formals
from usl_core.ir.config import FieldSym
from usl_core.ir.nodes import (
    Alloc,
    Arg,
    Assign,
    AssignConfig,
    BinaryOp,
    Call,
    Expr,
    ExprBase,
    If,
    Literal,
    Node,
    ReadConfig,
    Stmt,
    StrideExpr,
    WindowStmt,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import inner_stmts, mentioned, names_used, walk, walk_kinds
from usl_core.ir.types import ControlType, TensorType
from usl_core.placement import PlacedMemory


def is_data(arg: Arg) -> bool:
    """Whether a formal takes data."""
    return not isinstance(arg.type, ControlType)


def is_placed(arg: Arg) -> bool:
    """Whether a formal is passed as the number of a row."""
    return isinstance(arg.type, TensorType) and arg.mem is not None and issubclass(arg.mem, PlacedMemory)


def known_strides(preds: Sequence[Expr]) -> dict[tuple[Sym, int], int]:
    """Strides that assertions fix to a constant: `stride(A, 1) == 1`."""
    known: dict[tuple[Sym, int], int] = {}
    for pred in preds:
        match pred:
            case BinaryOp(op="and", lhs=lhs, rhs=rhs):
                known |= known_strides([lhs, rhs])
            case (
                BinaryOp(op="==", lhs=StrideExpr(name=name, dim=dim), rhs=Literal(value=value))
                | BinaryOp(op="==", lhs=Literal(value=value), rhs=StrideExpr(name=name, dim=dim))
            ):
                known[name, dim] = int(value)
            case ExprBase():
                pass
    return known


def readable_fields(nodes: Iterable[Node]) -> Iterator[FieldSym]:
    """The configuration fields that nodes mention and that C may read back, in order; callees are not looked into."""
    for root in nodes:
        for node in walk_kinds(root, ReadConfig, AssignConfig):
            if isinstance(node, ReadConfig | AssignConfig) and node.config.fields[node.field].readable:
                yield node.config.sym(node.field)


def mentions(stmt: Stmt, name: Sym) -> bool:
    """Whether stmt, or anything in it, names a buffer or scalar."""
    return any(getattr(node, "name", None) is name for node in walk(stmt))


def is_read_first(name: Sym, rest: Sequence[Stmt]) -> bool:
    """Whether the first statement of rest that uses a buffer, itself or through a window made before, reads it or cannot set
    it. A loop or a branch is as the first such statement in it."""
    return _is_read_first({name}, rest)


def _is_read_first(known: Collection[Sym], rest: Sequence[Stmt]) -> bool:
    names = set(known)
    for stmt in rest:
        if isinstance(stmt, WindowStmt) and stmt.rhs.name in names:
            names.add(stmt.name)
        elif any(mentions(stmt, each) for each in names):
            if not any(_may_set(node, names) for node in walk_kinds(stmt, Assign, WindowStmt, Call)):
                return True
            if isinstance(stmt, Assign):
                return not names.isdisjoint(names_used(stmt.rhs))
            blocks = (stmt.body, stmt.orelse) if isinstance(stmt, If) else (inner_stmts(stmt),)
            return any(_is_read_first(names, block) for block in blocks)
    return False


def _may_set(node: Node, names: Collection[Sym]) -> bool:
    if isinstance(node, Call):
        written = written_formals(node.proc)
        pairs = zip(node.proc.args, node.args, strict=True)
        return any(formal.name in written and getattr(actual, "name", None) in names for formal, actual in pairs)
    return (isinstance(node, Assign) and node.name in names) or (isinstance(node, WindowStmt) and node.rhs.name in names)


def first_use_assigns(name: Sym, rest: Sequence[Stmt]) -> bool:
    """Whether the first statement of rest that mentions name is an assignment to it that does not read it."""
    for stmt in rest:
        if mentions(stmt, name):
            return isinstance(stmt, Assign) and stmt.name is name and name not in names_used(stmt.rhs)
    return True


def last_uses(stmts: Sequence[Stmt]) -> dict[int, list[Sym]]:
    """The tensors that stmts allocate, by the position of the last statement that can reach them, through windows too."""
    last = {stmt.name: at for at, stmt in enumerate(stmts) if isinstance(stmt, Alloc) and isinstance(stmt.type, TensorType)}
    if not last:
        return {}
    at_last: dict[Sym, int] = {}
    for at in reversed(range(len(stmts))):
        stmt = stmts[at]
        reach = at_last.get(stmt.name, at) if isinstance(stmt, WindowStmt) else at  # what it looks at lives as long as it
        for name in mentioned(stmt):
            at_last[name] = max(at_last.get(name, at), reach)
    found: dict[int, list[Sym]] = {}
    for name, at in last.items():
        found.setdefault(at_last.get(name, at), []).append(name)
    return found
