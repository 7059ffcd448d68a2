"""What the children of each kind of node are, and walks over all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
    StrideExpr,
    UnaryMinus,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.types import TensorType

Step = tuple[str, int | None]
"""One step down: a field, and the position in it where the field is a tuple."""

CHILDREN: dict[type[Node], tuple[tuple[str, bool], ...]] = {
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
    return CHILDREN[type(node)]


def get_field(node: Node, name: str) -> Any:
    """The child or tuple of children in a field; `shape` is that of the binder's type (empty for scalars)."""
    if name == "shape":
        typ = node.type  # type: ignore[attr-defined]  # only Alloc and Arg have this field
        return typ.shape if isinstance(typ, TensorType) else ()
    return getattr(node, name)


def children(node: Node) -> Iterator[tuple[Step, Node]]:
    """The direct children of node, in source order, each with the step that leads to it."""
    for name, many in CHILDREN[type(node)]:
        value = get_field(node, name)
        if many:
            for position, child in enumerate(value):
                yield (name, position), child
        else:
            yield (name, None), value


def walk(node: Node) -> Iterator[Node]:
    """node and everything below it, in source order. Callees are not entered."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        for name, many in reversed(CHILDREN[type(node)]):
            value = get_field(node, name)
            if many:
                stack.extend(reversed(value))
            else:
                stack.append(value)


def walk_block(block: Block) -> Iterator[Node]:
    for stmt in block:
        yield from walk(stmt)
