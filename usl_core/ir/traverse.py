"""Walks over the IR: children with their steps, rebuilding with sharing, substitution, free names, fresh binders.

A rewrite returns the very same node when nothing below it changed, so that analyses memoised by identity stay valid.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from usl_core.ir.children import CHILDREN
from usl_core.ir.children import Step as Step
from usl_core.ir.children import child_fields as child_fields
from usl_core.ir.children import children as children
from usl_core.ir.children import get_field as get_field
from usl_core.ir.children import walk as walk
from usl_core.ir.children import walk_block as walk_block
from usl_core.ir.nodes import (
    Alloc,
    Arg,
    Assign,
    AssignConfig,
    BinaryOp,
    Block,
    Call,
    Cast,
    Expr,
    ExternCall,
    For,
    Interval,
    Literal,
    Node,
    Proc,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    StrideExpr,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.signature import may_mention
from usl_core.ir.sym import Sym
from usl_core.ir.types import TensorType

N = TypeVar("N", bound=Node)


def with_field(node: N, name: str, value: Any) -> N:
    """node with one child field replaced; a window expression's type follows its intervals."""
    if name == "shape":
        typ = node.type  # type: ignore[attr-defined]
        assert isinstance(typ, TensorType)
        return update(node, type=TensorType(typ.scalar, value, typ.window))
    changed = update(node, **{name: value})
    if isinstance(changed, WindowExpr):
        return retype_window(changed)  # type: ignore[return-value]
    return changed


def update(node: N, **changes: Any) -> N:
    """node with fields replaced: `dataclasses.replace`, at half its price."""
    kind = type(node)
    names = _FIELDS.get(kind)
    if names is None:
        names = _FIELDS[kind] = tuple([field.name for field in dataclasses.fields(node) if field.init])
    for name in names:
        if name not in changes:
            changes[name] = getattr(node, name)
    return kind(**changes)


_FIELDS: dict[type[Node], tuple[str, ...]] = {}
"""The fields of each kind of node that it is made of."""


def extent(lo: Expr, hi: Expr) -> Expr:
    """`hi - lo`, folded where both are literals or lo is 0 or hi is `lo + c`."""
    if isinstance(lo, Literal) and isinstance(hi, Literal):
        return Literal(hi.value - lo.value, type=lo.type, span=lo.span)
    if isinstance(lo, Literal) and lo.value == 0:
        return hi
    if isinstance(hi, BinaryOp) and hi.op == "+" and same_expr(hi.lhs, lo):
        return hi.rhs
    return BinaryOp("-", hi, lo, type=hi.type, span=lo.span)


def retype_window(window: WindowExpr) -> WindowExpr:
    """window with its type's shape recomputed from its intervals."""
    assert isinstance(window.type, TensorType)
    shape = tuple(extent(i.lo, i.hi) for i in window.idx if isinstance(i, Interval))
    return update(window, type=TensorType(window.type.scalar, shape, window=True))


def map_children(node: N, fn: Callable[[Node], Node]) -> N:
    """node with fn applied to each direct child; the same object if fn changed none.

    The extents in the type of a whole-buffer Read are rewritten along, as they are not children.
    """
    result = node
    for name, many in CHILDREN[type(node)]:
        value = get_field(node, name)
        if many:
            new = tuple([fn(child) for child in value])
            if any(a is not b for a, b in zip(new, value, strict=True)):
                result = with_field(result, name, new)
        else:
            new_child = fn(value)
            if new_child is not value:
                result = with_field(result, name, new_child)
    if isinstance(node, Read) and isinstance(node.type, TensorType):
        shape = tuple([fn(extent_) for extent_ in node.type.shape])
        if any(a is not b for a, b in zip(shape, node.type.shape, strict=True)):
            result = update(result, type=TensorType(node.type.scalar, shape, node.type.window))  # type: ignore[arg-type]
    return result


def rewrite(node: N, rule: Callable[[Node], Node | None]) -> N:
    """Bottom-up: children first, then rule on the rebuilt node; None means "leave as it is"."""

    def visit(old: Node) -> Node:
        new = map_children(old, visit)
        replaced = rule(new)
        return new if replaced is None else replaced

    return visit(node)  # type: ignore[return-value]


def rewrite_about(node: N, names: Iterable[Sym], rule: Callable[[Node], Node | None]) -> N:
    """`rewrite` by a rule that changes nothing but nodes with one of names in or below them."""
    may = may_mention(names)

    def visit(old: Node) -> Node:
        if isinstance(old, Stmt) and not may(old):
            return old
        new = map_children(old, visit)
        replaced = rule(new)
        return new if replaced is None else replaced

    return visit(node)  # type: ignore[return-value]


def substitute(node: N, env: Mapping[Sym, Expr]) -> N:
    """node[sym -> expr] for control variables (reads without indices). Binders are unique, so nothing is captured."""

    def rule(old: Node) -> Node | None:
        if isinstance(old, Read) and not old.idx:
            return env.get(old.name)
        return None

    return rewrite_about(node, env, rule) if env else node


def substitute_block(block: Block, env: Mapping[Sym, Expr]) -> Block:
    return tuple(substitute(stmt, env) for stmt in block)


def rename(node: N, names: Mapping[Sym, Sym]) -> N:
    """node with names replaced wherever they occur, binders included."""
    return rewrite_about(node, names, lambda old: _renamed(old, names)) if names else node


def _renamed(old: Node, names: Mapping[Sym, Sym]) -> Node | None:
    match old:
        case (
            Read(name=name)
            | WindowExpr(name=name)
            | StrideExpr(name=name)
            | Assign(name=name)
            | Reduce(name=name)
            | Alloc(name=name)
            | WindowStmt(name=name)
            | Arg(name=name)
        ):
            return update(old, name=names[name]) if name in names else None
        case For(iter=name):
            return update(old, iter=names[name]) if name in names else None
        case _:
            return None


def binders(node: Node) -> Iterator[Sym]:
    """The names that node or anything below it binds (iterators, allocations, windows, formals)."""
    for sub in walk(node):
        match sub:
            case Alloc(name=name) | WindowStmt(name=name) | Arg(name=name) | For(iter=name):
                yield name
            case _:
                pass


def with_fresh_binders(block: Block) -> Block:
    """A copy of block in which every bound name is new: what a rewrite that duplicates code must insert."""
    names = {name: name.copy() for stmt in block for name in binders(stmt)}
    return tuple(rename(stmt, names) for stmt in block)


def names_used(node: Node) -> Iterator[Sym]:
    """Every name that occurs below node other than in binding position, with repeats."""
    for sub in walk(node):
        match sub:
            case Read(name=name) | WindowExpr(name=name) | StrideExpr(name=name) | Assign(name=name) | Reduce(name=name):
                yield name
            case _:
                pass


def free_names(*nodes: Node) -> frozenset[Sym]:
    """The names that nodes use and do not bind."""
    used = {name for node in nodes for name in names_used(node)}
    return frozenset(used.difference(*[set(binders(node)) for node in nodes]))


def same_expr(a: Node, b: Node) -> bool:
    """Structural equality of expressions (positions ignored, names equal as they are)."""
    return same(a, b)


def same(a: Node, b: Node, names: Mapping[Sym, Sym] | None = None) -> bool:
    """Whether a and b are equal up to renaming of bound names and position; names maps a's free names to b's."""
    return _Same(dict(names or {})).nodes(a, b)


class _Same:
    def __init__(self, names: dict[Sym, Sym]) -> None:
        self.names = names

    def bind(self, a: Sym, b: Sym) -> bool:
        self.names[a] = b
        return True

    def name(self, a: Sym, b: Sym) -> bool:
        return self.names.get(a, a) is b

    def nodes(self, a: Node, b: Node) -> bool:
        if type(a) is not type(b) or not self.heads(a, b):
            return False
        for field, many in CHILDREN[type(a)]:
            left, right = get_field(a, field), get_field(b, field)
            if not many:
                left, right = (left,), (right,)
            if len(left) != len(right):
                return False
            if field == "body" and isinstance(a, For) and isinstance(b, For):
                self.bind(a.iter, b.iter)
            if not all(self.nodes(x, y) for x, y in zip(left, right, strict=True)):
                return False
        return self.bind_after(a, b)

    def heads(self, a: Any, b: Any) -> bool:
        match a:
            case Read() | WindowExpr():
                return self.name(a.name, b.name)
            case StrideExpr():
                return self.name(a.name, b.name) and a.dim == b.dim
            case Assign() | Reduce():
                return self.name(a.name, b.name)
            case Literal():
                return bool(a.value == b.value and a.type == b.type)
            case BinaryOp():
                return bool(a.op == b.op)
            case ExternCall():
                return a.fn is b.fn
            case Cast():
                return bool(a.type == b.type)
            case ReadConfig() | AssignConfig():
                return bool(a.config is b.config and a.field == b.field)
            case For():
                return a.mode is b.mode
            case Call():
                return a.proc is b.proc or same(a.proc, b.proc)
            case Alloc():
                return a.mem is b.mem and _same_type_head(a.type, b.type)
            case Arg():
                return a.mem is b.mem and _same_type_head(a.type, b.type) and self.bind(a.name, b.name)
            case Proc():
                return bool(a.name == b.name and a.instr == b.instr and a.aliasable == b.aliasable)
            case _:
                return True

    def bind_after(self, a: Node, b: Node) -> bool:
        match a, b:
            case (Alloc(name=x), Alloc(name=y)) | (WindowStmt(name=x), WindowStmt(name=y)):
                return self.bind(x, y)
            case _:
                return True


def _same_type_head(a: Any, b: Any) -> bool:
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        return a.scalar == b.scalar and a.window == b.window and len(a.shape) == len(b.shape)
    return bool(a == b)


def same_block(a: Block, b: Block, names: Mapping[Sym, Sym] | None = None) -> bool:
    """`same` for two blocks; names bound in one statement stay bound in the next."""
    compare = _Same(dict(names or {}))
    return len(a) == len(b) and all(compare.nodes(x, y) for x, y in zip(a, b, strict=True))


def changed_span(old: Block, new: Block) -> tuple[int, int, int]:
    """(start, old_end, new_end): old and new have the same statements before start, and from old_end and new_end on.

    Between them the first and the last differ. Slices are compared, which costs a few nanoseconds a statement.
    """
    shared = min(len(old), len(new))
    start = _longest(shared, lambda lo, hi: old[lo:hi] == new[lo:hi])
    before, after = len(old), len(new)
    end = _longest(shared - start, lambda lo, hi: old[before - hi : before - lo] == new[after - hi : after - lo])
    return start, before - end, after - end


def _longest(limit: int, same_between: Callable[[int, int], bool]) -> int:
    """The greatest number up to limit so that everything before it is the same, by halving."""
    lo, hi = 0, limit
    while lo < hi:
        middle = (lo + hi + 1) // 2
        if same_between(lo, middle):
            lo = middle
        else:
            hi = middle - 1
    return lo


def is_stmt(node: Node) -> bool:
    return isinstance(node, Stmt)
