"""Walks over the IR: children with their steps, rebuilding with sharing, substitution, free names, fresh binders.

A rewrite returns the very same node when nothing below it changed, so that analyses memoised by identity stay valid.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar, overload

from usl_core.ir.externs import IDX
from usl_core.ir.memo import per_node
from usl_core.ir.nodes import (
    Alloc,
    Arg,
    Assign,
    AssignConfig,
    BinaryOp,
    Block,
    Call,
    Cast,
    Check,
    Expr,
    ExprBase,
    ExternCall,
    For,
    If,
    Interval,
    Literal,
    LoopMode,
    Node,
    NodeBase,
    Pass,
    Proc,
    Read,
    ReadConfig,
    Reduce,
    SimpleStmt,
    Stmt,
    StmtBase,
    StrideExpr,
    UnaryMinus,
    Use,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.sym import Sym
from usl_core.ir.types import COND, TensorType

N = TypeVar("N", bound=Node)

Step = tuple[str, int | None]
"""One step down: a field, and the position in it where the field is a tuple."""

_CHILDREN: dict[type[NodeBase], tuple[tuple[str, bool], ...]] = {
    Read: (("idx", True),),
    Literal: (),
    UnaryMinus: (("arg", False),),
    BinaryOp: (("lhs", False), ("rhs", False)),
    ExternCall: (("args", True),),
    Cast: (("arg", False),),
    Interval: (("lo", False), ("hi", False)),
    WindowExpr: (("idx", True),),
    StrideExpr: (),
    ReadConfig: (),
    Assign: (("idx", True), ("rhs", False)),
    Reduce: (("idx", True), ("rhs", False)),
    AssignConfig: (("rhs", False),),
    Pass: (),
    Check: (("cond", False),),
    If: (("cond", False), ("body", True), ("orelse", True)),
    For: (("lo", False), ("hi", False), ("body", True)),
    Alloc: (("shape", True),),
    WindowStmt: (("rhs", False),),
    Call: (("args", True),),
    Arg: (("shape", True),),
    Proc: (("args", True), ("preds", True), ("body", True)),
}
"""The fields that hold children, and whether they hold a tuple. `shape` is `type.shape` of a tensor-typed binder."""


def child_fields(node: Node) -> tuple[tuple[str, bool], ...]:
    """Names of the fields of node that hold child nodes, with True where the field is a tuple."""
    return _CHILDREN[type(node)]


def get_field(node: Node, name: str) -> Any:
    """The child or tuple of children in a field; `shape` is that of the binder's type (empty for scalars)."""
    if name == "shape":
        assert isinstance(node, Alloc | Arg)
        return node.type.shape if isinstance(node.type, TensorType) else ()
    return getattr(node, name)


def with_field(node: N, name: str, value: Any) -> N:
    """node with one child field replaced; a window expression's type follows its intervals."""
    if name == "shape":
        assert isinstance(node, Alloc | Arg) and isinstance(node.type, TensorType)
        return update(node, type=TensorType(node.type.scalar, value, node.type.window))
    changed = update(node, **{name: value})
    if isinstance(changed, WindowExpr):
        return retype_window(changed)  # type: ignore[return-value]
    return changed


def update(node: N, **changes: Any) -> N:
    """A copy of node with fields replaced and nothing remembered: `dataclasses.replace`, at a fraction of its time."""
    kind = type(node)
    changed = object.__new__(kind)
    for name, set_field in _SETTERS[kind]:
        set_field(changed, changes.pop(name) if name in changes else getattr(node, name))
    _forget(changed, None)
    assert not changes, f"{kind.__name__} has no {', '.join(changes)}"
    return changed


def fields_of(node: Node) -> list[Any]:
    """The values of node's fields; `made_of` makes a node of them."""
    return [getattr(node, name) for name, _ in _SETTERS[type(node)]]


def made_of(kind: type[N], values: Iterable[Any]) -> N:
    """The node of a kind with these values of its fields."""
    made = object.__new__(kind)
    for (_, set_field), value in zip(_SETTERS[kind], values, strict=True):
        set_field(made, value)
    _forget(made, None)
    return made


_SETTERS: dict[type[NodeBase], list[tuple[str, Callable[[NodeBase, Any], None]]]] = {
    kind: [(field.name, getattr(kind, field.name).__set__) for field in dataclasses.fields(kind) if field.init]
    for kind in _CHILDREN
}
_forget: Callable[[NodeBase, None], None] = vars(NodeBase)["memo"].__set__


def children(node: Node) -> Iterator[tuple[Step, Node]]:
    """The direct children of node, in source order, each with the step that leads to it."""
    for name, many in _CHILDREN[type(node)]:
        value = get_field(node, name)
        if many:
            for position, child in enumerate(value):
                yield (name, position), child
        else:
            yield (name, None), value


@overload
def child_nodes(node: Expr | Interval | Alloc) -> tuple[Expr | Interval, ...]: ...
@overload
def child_nodes(node: Node) -> tuple[Node, ...]: ...
def child_nodes(node: Node) -> tuple[Node, ...]:
    """The direct children of node, in source order."""
    return _NODES[type(node)](node)


def _shape(node: Any) -> tuple[Node, ...]:
    return node.type.shape if isinstance(node.type, TensorType) else ()


_NODES: dict[type[NodeBase], Callable[[Any], tuple[Node, ...]]] = {
    Read: lambda node: node.idx,
    Literal: lambda node: (),
    UnaryMinus: lambda node: (node.arg,),
    BinaryOp: lambda node: (node.lhs, node.rhs),
    ExternCall: lambda node: node.args,
    Cast: lambda node: (node.arg,),
    Interval: lambda node: (node.lo, node.hi),
    WindowExpr: lambda node: node.idx,
    StrideExpr: lambda node: (),
    ReadConfig: lambda node: (),
    Assign: lambda node: (*node.idx, node.rhs),
    Reduce: lambda node: (*node.idx, node.rhs),
    AssignConfig: lambda node: (node.rhs,),
    Pass: lambda node: (),
    Check: lambda node: (node.cond,),
    If: lambda node: (node.cond, *node.body, *node.orelse),
    For: lambda node: (node.lo, node.hi, *node.body),
    Alloc: _shape,
    WindowStmt: lambda node: (node.rhs,),
    Call: lambda node: node.args,
    Arg: _shape,
    Proc: lambda node: (*node.args, *node.preds, *node.body),
}
"""`children` without the steps, for walks that do not need to know where they are: several times as fast."""


def walk(node: Node) -> Iterator[Node]:
    """node and everything below it, in source order. Callees are not entered."""
    return walk_block((node,))


def walk_block(block: tuple[Node, ...]) -> Iterator[Node]:
    """Each node of block and everything below it, in source order."""
    pending = list(reversed(block))
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(_NODES[type(node)](node))


def operands(expr: Expr, op: str) -> list[Expr]:
    """What a chain of one operator joins: a, b and c of `a and b and c`."""
    found: list[Expr] = []
    pending = [expr]
    while pending:
        node = pending.pop()
        if isinstance(node, BinaryOp) and node.op == op:
            pending += (node.rhs, node.lhs)
        else:
            found.append(node)
    return found


def walk_kinds(node: Node, *kinds: type[N]) -> Iterator[N]:
    """The nodes of some kinds at node and below, in source order."""
    return (found for found in walk(node) if isinstance(found, kinds))


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
    for name, many in _CHILDREN[type(node)]:
        value = get_field(node, name)
        if many:
            new = tuple([fn(child) for child in value])
            if new != value:  # nodes are equal only to themselves
                result = with_field(result, name, new)
        else:
            new_child = fn(value)
            if new_child is not value:
                result = with_field(result, name, new_child)
    if isinstance(node, Read) and isinstance(node.type, TensorType):
        shape = tuple([fn(extent_) for extent_ in node.type.shape])
        if shape != node.type.shape:
            result = update(result, type=TensorType(node.type.scalar, shape, node.type.window))  # type: ignore[arg-type]
    return result


def rewrite(node: N, rule: Callable[[Node], Node | None]) -> N:
    """Bottom-up: children first, then rule on the rebuilt node; None means "leave as it is"."""

    def visit(old: Node) -> Node:
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

    def visit(old: Node) -> Node:
        if mentioned(old).isdisjoint(env):
            return old
        new = map_children(old, visit)
        replaced = rule(new)
        return new if replaced is None else replaced

    return visit(node) if env else node  # type: ignore[return-value]


def substitute_block(block: Block, env: Mapping[Sym, Expr]) -> Block:
    """`substitute` for each statement of a block."""
    return tuple(substitute(stmt, env) for stmt in block)


def rename(node: N, names: Mapping[Sym, Sym]) -> N:
    """node with names replaced wherever they occur, binders included."""
    return rewrite(node, lambda old: _renamed(old, names)) if names else node


def _renamed(old: Node, names: Mapping[Sym, Sym]) -> Node | None:
    name = use.name if (use := use_of(old)) is not None else binder(old)
    if name is None or name not in names:
        return None
    return update(old, iter=names[name]) if isinstance(old, For) else update(old, name=names[name])


def use_of(node: Node) -> Use | None:
    """node, if it mentions a name other than to bind it. Rules about one buffer ask this first, then treat each such kind."""
    match node:
        case Read() | WindowExpr() | StrideExpr() | Assign() | Reduce():
            return node
        case Literal() | UnaryMinus() | BinaryOp() | ExternCall() | Cast() | ReadConfig() | Interval():
            return None
        case AssignConfig() | Pass() | Check() | If() | For() | Alloc() | WindowStmt() | Call() | Arg() | Proc():
            return None


def binder(node: Node) -> Sym | None:
    """The name that node itself binds: an iterator, allocation, window or formal."""
    match node:
        case For(iter=name) | Alloc(name=name) | WindowStmt(name=name) | Arg(name=name):
            return name
        case ExprBase() | Interval() | Proc():
            return None
        case Assign() | Reduce() | AssignConfig() | Pass() | Check() | If() | Call():
            return None


def binders(node: Node) -> Iterator[Sym]:
    """The names that node or anything below it binds."""
    return (name for sub in walk(node) if (name := binder(sub)) is not None)


def inner_stmts(stmt: Stmt) -> Block:
    """The statements directly inside a statement: the body of a loop, both branches of an `if`."""
    match stmt:
        case For(body=body):
            return body
        case If(body=body, orelse=orelse):
            return (*body, *orelse)
        case SimpleStmt():
            return ()


@per_node
def iterators(stmt: Stmt) -> frozenset[Sym]:
    """The iterators of the loops at or below a statement."""
    own = (stmt.iter,) if isinstance(stmt, For) else ()
    return frozenset(own).union(*map(iterators, inner_stmts(stmt)))


@per_node
def has_parallel(stmt: Stmt) -> bool:
    """Whether there is a `par` loop at or below a statement."""
    return (isinstance(stmt, For) and stmt.mode is LoopMode.PAR) or any(map(has_parallel, inner_stmts(stmt)))


def loop_of(block: Block, name: Sym) -> For | None:
    """The loop in block, at any depth, whose iterator is name."""
    for stmt in block:
        if name in iterators(stmt):
            return stmt if isinstance(stmt, For) and stmt.iter is name else loop_of(inner_stmts(stmt), name)
    return None


@per_node
def depends_on_data(expr: Node) -> bool:
    """Whether control depends on data in expr: it is a condition on data, or takes an index from data (`idx`).

    Elements of buffers are data themselves and do not count.
    """
    for node in walk(expr):
        if (isinstance(node, BinaryOp) and node.type is COND) or (isinstance(node, ExternCall) and node.fn is IDX):
            return True
    return False


def walk_stmts(block: Block) -> Iterator[Stmt]:
    """Each statement of block and inside it, in source order."""
    pending = list(reversed(block))
    while pending:
        stmt = pending.pop()
        yield stmt
        pending += reversed(inner_stmts(stmt))


def with_fresh_binders(block: Block) -> Block:
    """A copy of block in which every bound name is new: what a rewrite that duplicates code must insert."""
    names = {name: name.copy() for stmt in block for name in binders(stmt)}
    return tuple(rename(stmt, names) for stmt in block)


def names_used(node: Node) -> Iterator[Sym]:
    """Every name that occurs below node other than in binding position, with repeats."""
    return (use.name for sub in walk(node) if (use := use_of(sub)) is not None)


_NO_NAMES = frozenset[Sym]()


@per_node
def mentioned(node: Node) -> frozenset[Sym]:
    """The names that occur at or below node other than in binding position, also in the types of whole buffers."""
    below = [mentioned(child) for child in child_nodes(node) if not isinstance(child, Literal)]
    if isinstance(node, Read) and isinstance(node.type, TensorType):
        below += [mentioned(extent_) for extent_ in node.type.shape]
    use = use_of(node)
    some = [names for names in below if names]
    if use is not None:
        return frozenset((use.name,)).union(*some)
    return some[0] if len(some) == 1 else _NO_NAMES.union(*some)


def free_names(*nodes: Node) -> frozenset[Sym]:
    """The names that nodes use and do not bind."""
    if len(nodes) == 1:
        return _free(nodes[0])
    return frozenset[Sym]().union(*map(_free, nodes)).difference(*map(bound, nodes))


@per_node
def _free(node: Node) -> frozenset[Sym]:
    below = frozenset[Sym]().union(*map(_free, child_nodes(node)))
    use = use_of(node)
    return below - bound(node) if use is None else below | {use.name}


@per_node
def bound(node: Node) -> frozenset[Sym]:
    """The names that node or anything below it binds: `binders`, remembered."""
    if isinstance(node, ExprBase | Interval):
        return _NO_NAMES
    own = binder(node)
    return frozenset(() if own is None else (own,)).union(*map(bound, child_nodes(node)))


def same_expr(a: Node, b: Node) -> bool:
    """Structural equality of expressions (positions ignored, names equal as they are)."""
    return same(a, b)


def same(a: Node, b: Node, names: Mapping[Sym, Sym] | None = None) -> bool:
    """Whether a and b are equal up to renaming of bound names and position; names maps a's free names to b's."""
    return _Same(dict(names or {})).nodes(a, b)


class _Same:
    def __init__(self, names: dict[Sym, Sym]) -> None:
        self.names = names

    def nodes(self, a: Node, b: Node) -> bool:
        if type(a) is not type(b) or not same_head(a, b, self.names):
            return False
        for field, many in _CHILDREN[type(a)]:
            left, right = get_field(a, field), get_field(b, field)
            if not many:
                left, right = (left,), (right,)
            if len(left) != len(right):
                return False
            if field == "body" and isinstance(a, For) and isinstance(b, For):
                self.names[a.iter] = b.iter
            if not all(self.nodes(x, y) for x, y in zip(left, right, strict=True)):
                return False
        if isinstance(a, Alloc | WindowStmt | Arg) and isinstance(b, Alloc | WindowStmt | Arg):
            self.names[a.name] = b.name
        return True


def same_head(a: Node, b: Any, names: Mapping[Sym, Sym]) -> bool:
    """Whether a and b, of one kind, are the same but for children and the names that they bind; names maps a's names to b's."""
    match a:
        case Read() | WindowExpr() | Assign():
            return names.get(a.name, a.name) is b.name
        case Reduce():
            return names.get(a.name, a.name) is b.name and bool(a.op == b.op)
        case StrideExpr():
            return names.get(a.name, a.name) is b.name and a.dim == b.dim
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
        case Alloc() | Arg():
            return a.mem is b.mem and _same_type_head(a.type, b.type)
        case Proc():
            return bool(a.name == b.name and a.instr == b.instr and a.aliasable == b.aliasable)
        case UnaryMinus() | Interval() | Pass() | Check() | If() | WindowStmt():
            return True


def _same_type_head(a: Any, b: Any) -> bool:
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        return a.scalar == b.scalar and a.window == b.window and len(a.shape) == len(b.shape)
    return bool(a == b)


def same_block(a: Block, b: Block, names: Mapping[Sym, Sym] | None = None) -> bool:
    """`same` for two blocks; names bound in one statement stay bound in the next."""
    compare = _Same(dict(names or {}))
    return len(a) == len(b) and all(compare.nodes(x, y) for x, y in zip(a, b, strict=True))


def is_stmt(node: Node) -> bool:
    """Whether node is a statement."""
    return isinstance(node, StmtBase)
