"""Shared blocks are copied where they are matched, if what is built in their memory is built on most paths from there.

    if unique x { val ru = &x } else { dup ys; decref x; val ru = NULL }

becomes

    if unique x { val ru = &x } else { dup ys; val ru = copy x; decref x }

The copy is the block that the constructor would have allocated, made earlier. From then on the token is memory for certain:
there is no test, fields that do not change are in place on either path, and so their values need not be kept until the
constructor, over calls in between. A shared block costs an allocation in vain where a path frees the token, hence
`USES_PER_WASTE`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from usl_perceus.chains import split_ops
from usl_perceus.ir import (
    CopyToken,
    DecRef,
    Do,
    DropReuse,
    Expr,
    FreeToken,
    IfUnique,
    MakeCon,
    MakeConHole,
    NullToken,
    Op,
    Program,
    Raise,
    TokenType,
    Var,
)
from usl_perceus.traverse import children, map_children, substitute

USES_PER_WASTE = 2
"""How many constructors that use a token there must be for each path that frees it."""


def copy_shared(program: Program) -> Program:
    """Copy shared blocks at their matches where that is worth it."""
    return replace(program, funs={name: replace(fun, body=_copied(fun.body)) for name, fun in program.funs.items()})


@dataclass(slots=True)
class _Census:
    """What happens to tokens: how many are bound by tests for uniqueness, used by constructors, freed; and otherwise bound."""

    tested: dict[Var, None] = field(default_factory=dict)
    used: Counter[Var] = field(default_factory=Counter)
    freed: Counter[Var] = field(default_factory=Counter)
    untested: set[Var] = field(default_factory=set)

    def chosen(self) -> Iterator[Var]:
        for token in self.tested:
            if token not in self.untested and self.used[token] >= max(1, USES_PER_WASTE * self.freed[token]):
                yield token


def _copied(body: Expr) -> Expr:
    census = _Census()
    _take_census(body, census)
    certain: dict[Var, Var] = {}
    for token in census.chosen():
        assert isinstance(token.type, TokenType)
        certain[token] = Var(token.name, replace(token.type, certain=True))
    return _with_copies(substitute(body, certain), frozenset(certain.values())) if certain else body


def _take_census(expr: Expr, census: _Census) -> None:
    ops, rest = split_ops(expr)
    for op in ops:
        match op:
            case IfUnique(shared=(*_, DecRef(), NullToken(token=token))):
                census.tested[token] = None
            case IfUnique(unique=unique, shared=shared):
                census.untested.update(inner.token for inner in (*unique, *shared) if isinstance(inner, NullToken | DropReuse))
            case DropReuse(token=token) | NullToken(token=token):
                census.untested.add(token)
            case FreeToken(token=token) if not isinstance(rest, Raise):  # an exception is rare
                census.freed[token] += 1
            case _:
                pass
    if isinstance(rest, MakeCon | MakeConHole) and rest.token is not None:
        census.used[rest.token] += 1
    for child in children(rest):
        _take_census(child, census)


def _with_copies(expr: Expr, certain: frozenset[Var]) -> Expr:
    if isinstance(expr, Do):
        return replace(expr, op=_copying(expr.op, certain), body=_with_copies(expr.body, certain))
    return map_children(expr, lambda child: _with_copies(child, certain))


def _copying(op: Op, certain: frozenset[Var]) -> Op:
    match op:
        case IfUnique(shared=(*dups, DecRef() as decref, NullToken(token=token))) if token in certain:
            return replace(op, shared=(*dups, CopyToken(token, op.var, span=op.span), decref))
        case _:
            return op
