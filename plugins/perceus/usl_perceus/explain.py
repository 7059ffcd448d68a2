"""For every allocation of a compiled program whether and why it reuses memory: the data behind `usl fun --explain`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from usl_core.deep import deep
from usl_core.errors import Span
from usl_perceus.allocation import Takes, takes_memory
from usl_perceus.ir import (
    Branch,
    Call,
    Con,
    CopyToken,
    Do,
    Drop,
    DropReuse,
    Expr,
    Free,
    FunDef,
    IfUnique,
    KernelCall,
    Lambda,
    Layout,
    MakeCon,
    MakeConHole,
    Match,
    Op,
    Prim,
    Program,
    TakeToken,
    Var,
)
from usl_perceus.ir.nodes import Node
from usl_perceus.layout import block_size
from usl_perceus.sharing import Shared, sharing
from usl_perceus.traverse import children, walk


@dataclass(frozen=True, slots=True)
class Allocation:
    """One place where a block is made.

    what: the constructor's name, `closure`, or the primitive. size: bytes of a constructor's block, header included.
    reused: on unique data the block is built in the memory of another one. why: a sentence without a full stop, for the user.
    kept: the names of the fields that need no store then. function: the function that it is in after inlining. called: the
    function whose call it is, in which the block is made.
    """

    span: Span
    function: str
    what: str
    size: int | None
    reused: bool
    why: str
    kept: tuple[str, ...] = ()
    must_reuse: bool = False
    called: str | None = None


def allocations(program: Program) -> list[Allocation]:
    """The allocations of a program after all passes, in the order of the source."""
    found = [item for items in by_function(program).values() for item in items]
    return sorted(found, key=lambda item: (item.span.file, item.span.line, item.span.column))


def by_function(program: Program) -> dict[str, list[Allocation]]:
    """The allocations of each function of a program after all passes."""
    copies = {name: known.copies for name, known in deep(partial(sharing, program)).items()}
    return {name: _of_function(program, fun, copies[name]) for name, fun in program.funs.items()}


def _of_function(program: Program, fun: FunDef, copies: Mapping[Node, Shared]) -> list[Allocation]:
    tokens = {
        inner.token: inner for inner in walk(fun.body) if isinstance(inner, MakeCon | MakeConHole) and inner.token is not None
    }
    borrowed = frozenset(param.var for param in fun.params if param.borrowed)
    return list(_Explainer(program, fun, tokens, copies).expr(fun.body, _Path(borrowed=borrowed)))


@dataclass(frozen=True, slots=True)
class _Matched:
    """A block that was taken apart on the way: where, and the token that it became, if it was given up for one."""

    var: Var
    con: Con
    span: Span
    token: Var | None = None
    given_up: bool = False


@dataclass(frozen=True, slots=True)
class _Path:
    matched: tuple[_Matched, ...] = ()
    borrowed: frozenset[Var] = frozenset()


class _Explainer:
    def __init__(
        self, program: Program, fun: FunDef, users: Mapping[Var, MakeCon | MakeConHole], copies: Mapping[Node, Shared]
    ) -> None:
        self._program = program
        self._fun = fun
        self._users = users
        self._copies = copies

    def expr(self, expr: Expr, path: _Path) -> Iterator[Allocation]:
        match expr:
            case MakeCon() | MakeConHole() if self._program.datas[expr.con.data].layout is Layout.BOXED:
                yield self._constructor(expr, path)
            case Lambda() if takes_memory(expr, self._program) is Takes.ALWAYS:
                yield self._new(expr, "closure", "a closure keeps the values it uses in a block")
            case Prim(op=op) if expr in self._copies:
                yield self._new(expr, op, f"the array is copied: {self._copies[expr].why}")
            case Prim(op="array_append" as op):
                yield self._new(expr, op, "the array moves to a larger block when its own is full")
            case Prim(op=op) if takes_memory(expr, self._program) is Takes.ALWAYS:
                yield self._new(expr, op, f"{op} always makes a new block")
            case KernelCall(kernel=kernel) if expr in self._copies:
                yield self._new(expr, kernel, f"the array that it writes is copied: {self._copies[expr].why}")
            case Call(fun=fun) if expr in self._copies:
                what = f"call of {source_name(fun)}"
                made = self._new(expr, what, f"it builds in the memory of its arguments, and here {self._copies[expr].why}")
                yield replace(made, called=fun)
            case Match():
                yield from self._match(expr, path)
                return
            case Do(op=op, body=body):
                yield from self._wasted(op)
                yield from self.expr(body, _after(op, path))
                return
            case Lambda():
                path = _Path()
            case _:
                pass
        for child in children(expr):
            yield from self.expr(child, path)

    def _new(self, expr: Node, what: str, why: str) -> Allocation:
        return Allocation(expr.span, self._fun.name, what, None, False, why)

    def _wasted(self, op: Op) -> Iterator[Allocation]:
        """Copies of blocks that no constructor is built in on some path."""
        for inner in op.shared if isinstance(op, IfUnique) else ():
            if isinstance(inner, CopyToken) and inner in self._copies and inner.token not in self._users:
                yield self._new(inner, f"copy of {inner.var.name}", self._copies[inner].why)

    def _match(self, expr: Match, path: _Path) -> Iterator[Allocation]:
        for branch in expr.branches:
            yield from self.expr(branch.body, self._below(expr, branch, path))
        if expr.default is not None:
            yield from self.expr(expr.default, path)

    def _below(self, expr: Match, branch: Branch, path: _Path) -> _Path:
        if self._program.datas[branch.con.data].layout is not Layout.BOXED or not branch.con.fields:
            return path
        borrowed = path.borrowed | frozenset(branch.binders) if expr.var in path.borrowed else path.borrowed
        return _Path((*path.matched, _Matched(expr.var, branch.con, expr.span)), borrowed)

    def _constructor(self, expr: MakeCon | MakeConHole, path: _Path) -> Allocation:
        size = block_size(expr.con, self._program.datas)
        kept = tuple(expr.con.fields[i][0] for i in expr.kept)
        reused, why = expr.token is not None, self._why_not(expr, size, path)
        if expr in self._copies:
            reused, why = False, self._copies[expr].why
        elif expr.token is not None:
            source = next((item for item in path.matched if item.token is expr.token), None)
            why = "it is built in the memory of a block that is not needed any more"
            if source is not None:
                why = f"it is built in the memory of {_named(source)}, if that is not shared"
        return Allocation(expr.span, self._fun.name, expr.con.name, size, reused, why, kept, expr.must_reuse)

    def _why_not(self, expr: MakeCon | MakeConHole, size: int, path: _Path) -> str:
        """The most telling reason why no memory is at hand."""
        fitting = [item for item in reversed(path.matched) if block_size(item.con, self._program.datas) == size]
        for item in fitting:
            if item.var in path.borrowed:
                return f"{_named(item)} has the right size, but it is borrowed: the caller keeps it"
        for item in fitting:
            if not item.given_up:
                return f"{_named(item)} has the right size, but it is still needed here"
        for item in fitting:
            user = self._users.get(item.token) if item.token is not None else None
            if user is not None:
                return f"the memory of {_named(item)} goes to {user.con.name}{_line(user.span)}"
        if fitting:
            return f"the memory of {_named(fitting[0])} was given back already"
        if path.matched:
            last = path.matched[-1]
            other = block_size(last.con, self._program.datas)
            return f"no block of {size} bytes was taken apart before; {_named(last)} has {other}"
        return "no block was taken apart before that it could use"


def _after(op: Op, path: _Path) -> _Path:
    """The path behind op: blocks given up are marked."""
    match op:
        case DropReuse(token=token, var=var) | TakeToken(token=token, var=var):
            return _mark(path, var, token)
        case Drop(var=var) | Free(var=var):
            return _mark(path, var, None)
        case IfUnique(unique=unique):
            for inner in unique:
                path = _after(inner, path)
            return path
        case _:
            return path


def _mark(path: _Path, var: Var, token: Var | None) -> _Path:
    matched = tuple(
        replace(item, token=token, given_up=True) if item.var is var and not item.given_up else item for item in path.matched
    )
    return replace(path, matched=matched)


def _named(item: _Matched) -> str:
    return f"the {item.con.name} matched{_line(item.span)}"


def source_name(name: str) -> str:
    """The name of a function without what passes have appended."""
    return name.split("@")[0].split("#")[0]


def _line(span: Span) -> str:
    return f" in line {span.line}" if span.line > 0 else ""
