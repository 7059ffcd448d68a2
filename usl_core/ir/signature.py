"""What is below a statement, in a few bits: so a search for code passes by a whole subtree without looking into it.

A signature has one bit for each kind of node, and two of 240 for each name (a Bloom filter): a subtree whose signature lacks a
bit of what is looked for does not hold it; one that has them all may. Statements never change, so that each remembers its
signature, and a rewrite pays for the spine that it built anew. Reference: Bloom 1970, "Space/time trade-offs in hash coding
with allowable errors", CACM 13(7).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from zlib import crc32

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
    Stmt,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.traverse import children

_KINDS: tuple[type[Node], ...] = (
    *(Read, Literal, UnaryMinus, BinaryOp, ExternCall, Cast, Interval, WindowExpr, StrideExpr, ReadConfig),
    *(Assign, Reduce, AssignConfig, Pass, Check, If, For, Alloc, WindowStmt, Call, Arg, Proc),
)
KIND: dict[type[Node], int] = {kind: 1 << position for position, kind in enumerate(_KINDS)}
"""The bit of a kind of node."""
_NAME_BITS = 240


@lru_cache(maxsize=65536)
def name_bits(name: str) -> int:
    """The bits of a name."""
    number = crc32(name.encode())
    return (1 << number % _NAME_BITS | 1 << (number >> 16) % _NAME_BITS) << len(_KINDS)


def heads(stmt: Stmt) -> int:
    """The kinds of stmt and the statements in it, and the names by which they are known: of iterators, allocations, windows,
    targets, callees, configurations and fields. What is in their expressions does not count."""
    found = stmt.heads
    if not found:
        found = KIND[type(stmt)]
        for name in own_names(stmt):
            found |= name_bits(name)
        for inner in _inner(stmt):
            found |= heads(inner)
        object.__setattr__(stmt, "heads", found)
    return found


def words(stmt: Stmt) -> int:
    """`heads`, and the same of all expressions in stmt and in the statements in it."""
    found = stmt.words
    if not found:
        found = heads(stmt)
        for _, child in children(stmt):
            found |= words(child) if isinstance(child, Stmt) else _expr_words(child)
        object.__setattr__(stmt, "words", found)
    return found


def _expr_words(node: Node) -> int:
    found = KIND[type(node)]
    for name in own_names(node):
        found |= name_bits(name)
    for _, child in children(node):
        found |= _expr_words(child)
    return found


def _inner(stmt: Stmt) -> Block:
    match stmt:
        case For(body=body):
            return body
        case If(body=body, orelse=orelse):
            return (*body, *orelse)
        case _:
            return ()


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
        case _:
            return
