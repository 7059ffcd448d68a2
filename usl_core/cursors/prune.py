"""Where a pattern cannot match: statements without the kinds of nodes and the names that it asks for.

The test looks at signatures (`usl_core.ir.signature`) and may let through what does not match, but passes by nothing that does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Literal, assert_never

from usl_core.cursors.display import names_printed_as
from usl_core.cursors.pattern_syntax import (
    ANY,
    AccessPattern,
    AllocPattern,
    AnyPattern,
    BinaryPattern,
    CallPattern,
    ConfigWritePattern,
    EntryPattern,
    ExprPattern,
    FieldPattern,
    ForPattern,
    IfPattern,
    LiteralPattern,
    MinusPattern,
    PassPattern,
    Pattern,
    SlicePattern,
    StmtPattern,
    WritePattern,
)
from usl_core.ir import nodes as ir
from usl_core.ir.nodes import NodeBase, Stmt
from usl_core.ir.signature import KIND, heads, name_bits, words

MayHold = Callable[[Stmt], bool]
Needs = tuple[tuple[int, ...], ...]
"""Of each entry a signature must have all bits of one alternative."""


def anywhere(_: Stmt) -> bool:
    """Nothing is passed by."""
    return True


@lru_cache(maxsize=4096)
def may_hold(pattern: Pattern, want: Literal["loops", "stmt", "expr", "any"]) -> MayHold:
    """Whether a match may begin at a statement or inside it; loops: of the names of loops alone."""
    if want == "loops":
        return _test(heads, ((KIND[ir.For],), *(_name(name) for name in pattern.names)))
    in_stmts = _test(heads, tuple(_stmt(pattern.stmts[0]))) if pattern.stmts and want != "expr" else None
    in_exprs = _test(words, tuple(_expr(pattern.expr))) if pattern.expr is not None and want != "stmt" else None
    if in_stmts is None or in_exprs is None:
        return in_stmts or in_exprs or anywhere
    stmts, exprs = in_stmts, in_exprs
    return lambda stmt: stmts(stmt) or exprs(stmt)


def _test(signature: Callable[[Stmt], int], needs: Needs) -> MayHold:
    known = attrgetter(signature.__name__)  # most signatures are there already: then nothing is called
    needs = tuple(dict.fromkeys(alternatives for alternatives in needs if 0 not in alternatives))
    if not needs:
        return anywhere
    single = 0
    for alternatives in needs:
        single |= alternatives[0]
    if all(len(alternatives) == 1 for alternatives in needs):
        return lambda stmt: (known(stmt) or signature(stmt)) & single == single

    def test(stmt: Stmt) -> bool:
        found = known(stmt) or signature(stmt)
        return all(any(found & bits == bits for bits in alternatives) for alternatives in needs)

    return test


def _name(name: str) -> tuple[int, ...]:
    """A name as the program has it or as it is printed."""
    return (0,) if name == ANY else tuple([name_bits(spelt) for spelt in sorted(names_printed_as(name))])


def _word(name: str) -> tuple[int, ...]:
    """A name that the printer shows as it is."""
    return (0,) if name == ANY else (name_bits(name),)


def _kinds(*kinds: type[NodeBase]) -> tuple[int, ...]:
    return tuple([KIND[kind] for kind in kinds])


def _stmt(pattern: StmtPattern) -> Iterator[tuple[int, ...]]:
    """What a matching statement has in its `heads`: nothing of expressions."""
    match pattern:
        case AnyPattern():
            return
        case ForPattern(name=name, body=body):
            yield _kinds(ir.For)
            yield _name(name)
            yield from _stmts(body)
        case IfPattern(body=body, orelse=orelse):
            yield _kinds(ir.If)
            yield from _stmts(body)
            yield from _stmts(orelse or ())
        case AllocPattern(name=name):
            yield _kinds(ir.Alloc)
            yield _name(name)
        case WritePattern(target=target, reduce=reduce):
            yield _kinds(ir.Reduce) if reduce else _kinds(ir.Assign, ir.WindowStmt)
            yield _name(target.name)
        case ConfigWritePattern(target=target):
            yield _kinds(ir.AssignConfig)
            yield _word(target.config)
            yield _word(target.field)
        case CallPattern(name=name):
            yield _kinds(ir.Call, ir.Check)
            yield _word(name)
        case PassPattern():
            yield _kinds(ir.Pass)
        case _:
            assert_never(pattern)


def _stmts(patterns: Iterable[StmtPattern]) -> Iterator[tuple[int, ...]]:
    for pattern in patterns:
        yield from _stmt(pattern)


def _expr(pattern: EntryPattern) -> Iterator[tuple[int, ...]]:
    """What a statement has in its `words` that a matching expression is in."""
    match pattern:
        case AnyPattern():
            return
        case AccessPattern(name=name, idx=idx):
            yield _kinds(ir.Read, ir.WindowExpr)
            yield _name(name)
            yield from _exprs(idx or ())
        case SlicePattern(lo=lo, hi=hi):
            yield _kinds(ir.Interval)
            yield from _exprs((lo, hi))
        case LiteralPattern():
            yield _kinds(ir.Literal)
        case MinusPattern(arg=arg):
            yield _kinds(ir.UnaryMinus)
            yield from _expr(arg)
        case BinaryPattern(lhs=lhs, rhs=rhs):
            yield _kinds(ir.BinaryOp)
            yield from _exprs((lhs, rhs))
        case CallPattern(name=name, args=args):
            yield _kinds(ir.ExternCall, ir.Cast, ir.StrideExpr)
            yield _word(name)
            yield from () if name == "stride" else _exprs(args or ())  # what stride is of is no expression
        case FieldPattern(config=config, field=field):
            yield _kinds(ir.ReadConfig)
            yield _word(config)
            yield _word(field)
        case _:
            assert_never(pattern)


def _exprs(patterns: Sequence[EntryPattern] | Sequence[ExprPattern]) -> Iterator[tuple[int, ...]]:
    for pattern in patterns:
        yield from _expr(pattern)
