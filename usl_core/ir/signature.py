"""What is below a statement, in a few bits: so a search for code passes by a whole subtree without looking into it.

A signature has one bit for each kind of node, one for parallel loops, and two of 240 for each name (a Bloom filter): a subtree
whose signature lacks a bit of what is looked for does not hold it; one that has them all may. Statements never change, so that
each remembers its signature, and a rewrite pays for the spine that it built anew. Reference: Bloom 1970, "Space/time trade-offs
in hash coding with allowable errors", CACM 13(7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeVar
from zlib import crc32

from usl_core.ir.nodes import (
    Alloc,
    Arg,
    Assign,
    AssignConfig,
    BinaryOp,
    Call,
    Cast,
    Check,
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
    Stmt,
    StmtBase,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import children, inner_stmts
from usl_core.ir.types import TensorType

N = TypeVar("N", bound=Node)

_KINDS: tuple[type[NodeBase], ...] = (
    *(Read, Literal, UnaryMinus, BinaryOp, ExternCall, Cast, Interval, WindowExpr, StrideExpr, ReadConfig),
    *(Assign, Reduce, AssignConfig, Pass, Check, If, For, Alloc, WindowStmt, Call, Arg, Proc),
)
KIND: dict[type[NodeBase], int] = {kind: 1 << position for position, kind in enumerate(_KINDS)}
"""The bit of a kind of node."""
PAR = 1 << len(_KINDS)
"""The bit of parallel loops."""
_NAME_BITS = 240


@lru_cache(maxsize=65536)
def name_bits(name: str) -> int:
    """The bits of a name."""
    number = crc32(name.encode())
    return (1 << number % _NAME_BITS | 1 << (number >> 16) % _NAME_BITS) << (len(_KINDS) + 1)


def heads(stmt: Stmt) -> int:
    """The kinds of stmt and the statements in it, and the names by which they are known: of iterators, allocations, windows,
    targets, callees, configurations and fields. What is in their expressions does not count."""
    found = stmt.heads
    if not found:
        found = KIND[type(stmt)]
        for name in own_names(stmt):
            found |= name_bits(name)
        if isinstance(stmt, For) and stmt.mode is LoopMode.PAR:
            found |= PAR
        for inner in inner_stmts(stmt):
            found |= heads(inner)
        object.__setattr__(stmt, "heads", found)
    return found


def words(stmt: Stmt) -> int:
    """`heads`, and the same of all expressions in stmt and in the statements in it, extents in their types included."""
    found = stmt.words
    if not found:
        found = heads(stmt)
        for _, child in children(stmt):
            found |= words(child) if isinstance(child, StmtBase) else _expr_words(child)
        object.__setattr__(stmt, "words", found)
    return found


def _expr_words(node: Node) -> int:
    found = KIND[type(node)]
    for name in own_names(node):
        found |= name_bits(name)
    for _, child in children(node):
        found |= _expr_words(child)
    if isinstance(node, Read) and isinstance(node.type, TensorType):
        for extent in node.type.shape:  # no children, but rewritten along
            found |= _expr_words(extent)
    return found


def walk_kinds(node: Node, *kinds: type[N]) -> Iterator[N]:
    """The nodes of some kinds at node and below, in source order; statements without them are passed by."""
    wanted = 0
    for kind in kinds:
        wanted |= KIND[kind]

    signature = heads if all(issubclass(kind, StmtBase) for kind in kinds) else words
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, StmtBase):
            if not signature(node) & wanted:
                continue
        elif signature is heads and not isinstance(node, Proc):  # no statements in it
            continue
        if isinstance(node, kinds):
            yield node
        stack.extend(reversed([child for _, child in children(node)]))


def may_mention(names: Iterable[Sym]) -> Callable[[Stmt], bool]:
    """Whether one of names may be used or bound in a statement."""
    wanted = tuple({name_bits(name.name) for name in names})
    if len(wanted) == 1:
        (only,) = wanted
        return lambda stmt: (stmt.words or words(stmt)) & only == only

    def test(stmt: Stmt) -> bool:
        found = stmt.words or words(stmt)
        return any(found & bits == bits for bits in wanted)

    return test


def own_names(node: Node) -> Iterator[str]:
    """The names by which node itself could be asked for, as they are spelt."""
    match node:
        case For(iter=sym):
            yield sym.name
        case Alloc(name=sym) | Assign(name=sym) | Reduce(name=sym) | WindowStmt(name=sym) | Arg(name=sym):
            yield sym.name
        case Read(name=sym) | WindowExpr(name=sym):
            yield sym.name
        case StrideExpr(name=sym):
            yield sym.name
            yield "stride"
        case Call(proc=callee):
            yield callee.name
        case ExternCall(fn=fn):
            yield fn.name
        case Cast(type=typ):
            yield str(typ)
        case Check():
            yield "check"
        case AssignConfig(config=config, field=field) | ReadConfig(config=config, field=field):
            yield config.name
            yield field
        case Literal() | UnaryMinus() | BinaryOp() | Interval() | Pass() | If() | Proc():
            return
