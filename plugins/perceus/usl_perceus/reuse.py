"""Reuse analysis, guided by drops (Reinking 2022, §4.2.4), and reuse specialisation (§4.2.5).

In a branch of a match on x with a constructor whose blocks have s bytes, a `drop x` becomes `val ru = drop-reuse x` if some
path from there builds a block of s bytes: that constructor takes the token, and every other path frees it as soon as it
is clear that it is not needed. A path that may build several such blocks gives the token to the one that shares most fields
with x, the first among equals. An exception that passes a live token frees it.

Deciding at the drop rather than at the match: Lorenzen and Leijen, Reference Counting with Frame-Limited Reuse, ICFP 2022.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from usl_core.errors import Span
from usl_perceus.chains import split_ops, with_ops
from usl_perceus.ir import (
    EXN,
    Atom,
    Branch,
    Call,
    CallClosure,
    Con,
    Do,
    Drop,
    DropReuse,
    Dup,
    Expr,
    Fill,
    ForeignCall,
    FreeToken,
    If,
    Jump,
    KernelCall,
    Label,
    Lambda,
    Layout,
    Let,
    LetJoin,
    MakeCon,
    MakeConHole,
    Match,
    NewHole,
    Nullary,
    Prim,
    Program,
    Raise,
    Ret,
    TokenType,
    TryLet,
    Var,
)
from usl_perceus.layout import Datas, block_of, block_size
from usl_perceus.traverse import FreeVars, children, map_children, type_of, walk
from usl_perceus.verify import may_throw


def reuse(program: Program) -> Program:
    """Turn drops into drop-reuses where the memory can be used again, and give the tokens to constructors."""
    funs = {name: replace(fun, body=_Analysis(program).expr(fun.body)) for name, fun in program.funs.items()}
    return replace(program, funs=funs)


def keep_fields(program: Program) -> Program:
    """Reuse specialisation: note which fields of a reused block are in place already, and whether its header is."""
    changed = {}
    for name, fun in program.funs.items():
        origins = _origins(fun.body)
        changed[name] = replace(fun, body=_mark_kept(fun.body, origins, program.datas, {}))
    return replace(program, funs=changed)


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The block that a token comes from: constructor and binders of the match."""

    con: Con
    binders: tuple[Var, ...]


def kept_fields(source: Source, con: Con, args: tuple[object, ...], datas: Datas) -> tuple[int, ...]:
    """Indices of the fields of con that the block of source holds already, at the same place."""
    if source.con == con:
        return tuple(i for i, arg in enumerate(args) if source.binders[i] is arg)
    old, new = _places(source.con, datas), _places(con, datas)
    shared = range(min(len(args), len(source.binders)))
    return tuple(i for i in shared if source.binders[i] is args[i] and old[i] == new[i])


def _places(con: Con, datas: Datas) -> dict[int, tuple[tuple[tuple[int, ...], int], ...]]:
    """For each field of a block where its leaves are."""
    block = block_of(con, datas)
    offsets = [(leaf.path, 8 * i) for i, leaf in enumerate(block.scanned)]
    offsets += [(leaf.path, offset) for leaf, offset in block.raw]
    return {i: tuple((path, at) for path, at in offsets if path[0] == i) for i in range(len(con.fields))}


class _Analysis:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._binders: dict[Var, Branch] = {}
        self._free = FreeVars()

    def expr(self, expr: Expr) -> Expr:
        """expr with reuse wherever a drop of a matched block stands."""
        match expr:
            case Match(var=var, branches=branches, default=default):
                new, outer = [], self._binders
                for branch in branches:
                    self._binders = {**outer, var: branch}
                    new.append(replace(branch, body=self.expr(branch.body)))
                self._binders = outer
                return replace(expr, branches=tuple(new), default=None if default is None else self.expr(default))
            case Lambda():
                outer, self._binders = self._binders, {}  # a lambda does not capture the binders
                inside = map_children(expr, self.expr)
                self._binders = outer
                return inside
            case Do(op=Drop(var=var) as op, body=body) if var in self._binders:
                inner = self._matched_fields(var, body)
                for field in inner:
                    body = Do(Drop(field, span=op.span), body, span=expr.span)
                return with_ops([Dup(field, span=op.span) for field in inner], self._drop(op, body, expr.span))
            case _:
                return map_children(expr, self.expr)

    def _matched_fields(self, var: Var, body: Expr) -> list[Var]:
        """Fields of the block var that go with it, were matched themselves, and whose memory body may use.

        They get drops of their own: `drop x` becomes `dup y; drop x; drop y` for a field y of x.
        """
        found = []
        for field in self._binders[var].binders:
            pairing = self._pairing(field)
            if pairing is not None and field not in self._free.of(body) and pairing.best(body) is not None:
                found.append(field)
        return found

    def _pairing(self, var: Var) -> _Pairing | None:
        """A token for the block var, if a match has shown its size."""
        branch = self._binders.get(var)
        if branch is None or not branch.binders or self._program.datas[branch.con.data].layout is not Layout.BOXED:
            return None
        size = block_size(branch.con, self._program.datas)
        return _Pairing(self._program, Var("ru", TokenType(size)), size, Source(branch.con, branch.binders))

    def _drop(self, op: Drop, body: Expr, span: Span) -> Expr:
        """`op; body`, as drop-reuse if body has a use for the memory."""
        pairing = self._pairing(op.var)
        if pairing is None or pairing.best(body) is None:
            return Do(op, self.expr(body), span=span)
        return Do(DropReuse(pairing.token, op.var, span=op.span), self.expr(pairing.attach(body)), span=span)


class _Pairing:
    """Gives one token to constructors. In scope of a token, no path may do without using or freeing it."""

    def __init__(self, program: Program, token: Var, size: int, source: Source) -> None:
        self._program = program
        self.token = token
        self._size = size
        self._source = source
        self._labels: dict[Label, int | None] = {}
        self._known: dict[Expr, int | None] = {}
        self._reserved: set[Label] = set()

    def best(self, expr: Expr) -> int | None:
        """The most fields that a constructor in expr which may take the token shares with its source; None without any such."""
        if expr not in self._known:
            self._known[expr] = max(self._scores(expr), default=None)
        return self._known[expr]

    def _scores(self, expr: Expr) -> list[int]:
        match expr:
            case MakeCon():
                return self._score(expr)
            case MakeConHole(body=body):
                return [*self._score(expr), *self._scores(body)]
            case LetJoin(label=label, join_body=join_body):
                self._labels[label] = self.best(join_body)
            case Jump(label=label):
                score = self._labels.get(label)
                return [] if score is None else [score]
            case Lambda():
                return []
            case _:
                pass
        return [score for score in map(self.best, children(expr)) if score is not None]

    def _score(self, expr: MakeCon | MakeConHole) -> list[int]:
        datas = self._program.datas
        if expr.token is not None or datas[expr.con.data].layout is not Layout.BOXED:
            return []
        if block_size(expr.con, datas) != self._size:
            return []
        kept = kept_fields(self._source, expr.con, expr.args, datas)
        return [2 * len(kept) + (expr.con == self._source.con)]

    def attach(self, expr: Expr) -> Expr:
        """expr, which owns the token: each path uses or frees it."""
        if self.best(expr) is None:
            ops, rest = split_ops(expr)
            return with_ops((FreeToken(self.token, span=rest.span), *ops), rest)
        match expr:
            case MakeCon():
                return replace(expr, token=self.token)
            case MakeConHole(body=body):
                if self._wins(max(self._score(expr), default=None), (body,)):
                    return replace(expr, token=self.token)
                return replace(expr, body=self.attach(body))
            case Let(value=value, body=body):
                return self._let(expr, value, body)
            case TryLet(value=value, body=body, handler=handler):
                if self._wins(self.best(value), (body, handler)):
                    return replace(expr, value=self.attach(value))
                return replace(expr, body=self.attach(body), handler=self.attach(handler))
            case LetJoin():
                return self._join(expr)
            case Match(branches=branches, default=default):
                new = tuple(replace(branch, body=self.attach(branch.body)) for branch in branches)
                return replace(expr, branches=new, default=None if default is None else self.attach(default))
            case If(then=then, orelse=orelse):
                return replace(expr, then=self.attach(then), orelse=self.attach(orelse))
            case NewHole(body=body) | Do(body=body):
                return replace(expr, body=self.attach(body))
            case Jump():
                return expr  # the join point uses the token
            case Ret() | Raise() | Call() | CallClosure() | Prim() | ForeignCall() | KernelCall() | Lambda() | Fill():
                raise AssertionError("nothing here takes a token")
            case _:
                assert_never(expr)

    def _wins(self, mine: int | None, later: tuple[Expr, ...]) -> bool:
        """Whether to use the token now, with the score mine. It must be kept for join points that expect it."""
        if mine is None or any(self._is_awaited(expr) for expr in later):
            return False
        return all(other is None or mine >= other for other in map(self.best, later))

    def _is_awaited(self, expr: Expr) -> bool:
        return any(isinstance(inner, Jump) and inner.label in self._reserved for inner in walk(expr))

    def _let(self, expr: Let, value: Expr, body: Expr) -> Expr:
        if self._wins(self.best(value), (body,)):
            return replace(expr, value=self.attach(value))
        if not may_throw(value, self._program):
            return replace(expr, body=self.attach(body))
        exn = Var("ex", EXN)
        handler = Do(FreeToken(self.token, span=expr.span), Raise(exn, type_of(body), span=expr.span), span=expr.span)
        return TryLet(expr.var, value, self.attach(body), exn, handler, span=expr.span)

    def _join(self, expr: LetJoin) -> Expr:
        """The join point takes the token if its body has a use for it; paths that do not jump there use it or free it."""
        if self._labels.get(expr.label) is None:
            return replace(expr, body=self.attach(expr.body))
        self._reserved.add(expr.label)
        return replace(expr, join_body=self.attach(expr.join_body), body=self.attach(expr.body))


# ---- reuse specialisation


def _origins(body: Expr) -> dict[Var, Source]:
    """For each token the block that it comes from."""
    found: dict[Var, Source] = {}

    def visit(expr: Expr, matched: dict[Var, Branch]) -> None:
        if isinstance(expr, Do) and isinstance(expr.op, DropReuse):
            branch = matched[expr.op.var]
            found[expr.op.token] = Source(branch.con, branch.binders)
        if not isinstance(expr, Match):
            for child in children(expr):
                visit(child, matched)
            return
        for branch in expr.branches:
            visit(branch.body, {**matched, expr.var: branch})
        if expr.default is not None:
            visit(expr.default, matched)

    visit(body, {})
    return found


def _mark_kept(expr: Expr, origins: dict[Var, Source], datas: Datas, known: Mapping[Var, Con]) -> Expr:
    """known: the constructors of variables under a match, which tell that a field holds a constant."""
    if isinstance(expr, MakeCon | MakeConHole) and expr.token in origins:
        source = origins[expr.token]
        args = tuple(_as_binder(arg, source, i, known) for i, arg in enumerate(expr.args))
        kept = kept_fields(source, expr.con, args, datas)
        expr = replace(expr, kept=kept, same_con=source.con == expr.con)
    if not isinstance(expr, Match):
        return map_children(expr, lambda child: _mark_kept(child, origins, datas, known))
    new = []
    for branch in expr.branches:
        body = _mark_kept(branch.body, origins, datas, {**known, expr.var: branch.con})
        new.append(replace(branch, body=body))
    default = None if expr.default is None else _mark_kept(expr.default, origins, datas, known)
    return replace(expr, branches=tuple(new), default=default)


def _as_binder(arg: Atom | None, source: Source, i: int, known: Mapping[Var, Con]) -> Atom | None:
    """The binder of field i of the source, if the constant arg is what it holds; else arg."""
    if isinstance(arg, Nullary) and i < len(source.binders) and known.get(source.binders[i]) == arg.con:
        return source.binders[i]
    return arg
