"""Tail recursion modulo constructor, by destination passing.

A call whose result only goes into a constructor that is then the result of the function is a tail call, if the callee
is told where to put its result:

    fun map(xs, f) = match xs { Cons(x, xx) -> val y = f(x); val ys = map(xx, f); Cons(y, ys);  Nil -> Nil }

becomes

    fun map(xs, f) = match xs {
      Cons(x, xx) -> val y = f(x); val c, h = Cons(y, □); map@hole(xx, f, h); c
      Nil         -> Nil
    }
    fun map@hole(xs, f, h) = match xs {
      Cons(x, xx) -> val y = f(x); val c, h' = Cons(y, □); *h := c; map@hole(xx, f, h')
      Nil         -> *h := Nil
    }

The first block is the result. A large function is not kept twice: it only makes a slot for its result,
`val h = hole in map@hole(xs, f, h)`. Nor is one that also calls itself otherwise, as an insertion that rebalances does, and may
come to a tail call without: those calls then are of map@hole, too, where both functions would take turns.

All functions of a recursive group with that (boxed) result type take part, so that mutual recursion is covered, nested
constructors too. A function that raises fills its hole first, with a constant of the type, so that what has been built so far
can be dropped; a group that may raise and whose type has no constant does not take part.

Reference: Minamide, A Functional Representation of Data Structures with a Hole, POPL 1998.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from usl_core.errors import Span
from usl_perceus.ir import (
    EXN,
    UNIT,
    Call,
    DataType,
    Expr,
    Fill,
    FunDef,
    HoleType,
    If,
    Jump,
    Layout,
    Let,
    LetJoin,
    MakeCon,
    MakeConHole,
    Match,
    NewHole,
    Nullary,
    Param,
    Program,
    Raise,
    Ret,
    TryLet,
    Type,
    Var,
)
from usl_perceus.opt.callgraph import call_graph, components, is_recursive, tail_expressions
from usl_perceus.opt.simplify import is_pure, size
from usl_perceus.traverse import atoms, fresh_copy, hole_elem, type_of, walk
from usl_perceus.verify import may_throw

SUFFIX = "@hole"
LARGE = 600
"""Functions of more expressions are not kept twice."""


def trmc(program: Program) -> Program:
    """Turn calls that are in tail position but for constructors into tail calls."""
    graph = call_graph(program)
    funs = dict(program.funs)
    for group in components(graph):
        if is_recursive(group, graph):
            for members in _by_result(group, program):
                if any(_has_site(program.funs[name].body, members) for name in members):
                    for name in members:
                        funs[name], funs[name + SUFFIX] = _split(program, program.funs[name], members)
    return replace(program, funs=funs)


def _by_result(group: Collection[str], program: Program) -> list[tuple[str, ...]]:
    """The functions of a group that can pass their results by destination, those of one type together, in the group's order."""
    found: dict[Type, list[str]] = {}
    for name in group:
        fun = program.funs[name]
        if isinstance(fun.result, DataType) and program.datas[fun.result.name].layout is Layout.BOXED:
            found.setdefault(fun.result, []).append(name)
    quiet = {type for type, names in found.items() if not any(program.funs[name].throws for name in names)}
    return [tuple(names) for type, names in found.items() if type in quiet or _constant(type, program) is not None]


def _constant(type: Type, program: Program) -> Nullary | None:
    """A constant of a data type, if it has one."""
    assert isinstance(type, DataType)
    return next((Nullary(con) for con in program.datas[type.name].cons if not con.fields), None)


@dataclass(frozen=True, slots=True)
class _Site:
    """`val y = call; steps; C(.., y, ..)`: pure steps that do not need y, and the constructors around y, innermost first."""

    call: Call
    steps: tuple[Let, ...]
    cons: tuple[tuple[MakeCon, int, Var], ...]


def _has_site(body: Expr, members: Collection[str]) -> bool:
    return any(isinstance(expr, Let) and _site(expr, members) is not None for expr in tail_expressions(body))


def _site(expr: Let, members: Collection[str]) -> _Site | None:
    """expr as a call that is in tail position but for constructors, or None."""
    call = expr.value
    if not isinstance(call, Call) or call.fun not in members:
        return None
    inner, rest = expr.var, expr.body
    steps: list[Let] = []
    cons: list[tuple[MakeCon, int, Var]] = []
    while isinstance(rest, Let):
        uses = _uses(rest.value, inner)
        if uses == 0 and is_pure(rest.value):
            steps.append(rest)
        elif isinstance(rest.value, MakeCon) and uses == 1 and rest.value.args.count(inner) == 1:
            cons.append((rest.value, rest.value.args.index(inner), rest.var))
            inner = rest.var
        else:
            return None
        rest = rest.body
    if not isinstance(rest, MakeCon) or rest.args.count(inner) != 1:
        return None
    cons.append((rest, rest.args.index(inner), Var(rest.con.name.lower(), rest.con.type)))
    hidden = {expr.var, *(var for _, _, var in cons[:-1])}
    mentioned = [atom for step in steps for atom in _all_atoms(step.value)]
    mentioned += [arg for con, at, _ in cons for i, arg in enumerate(con.args) if i != at]
    if any(atom in hidden for atom in mentioned if isinstance(atom, Var)):
        return None
    return _Site(call, tuple(steps), tuple(cons))


def _uses(expr: Expr, var: Var) -> int:
    return sum(1 for atom in _all_atoms(expr) if atom is var)


def _takes_turns(body: Expr, members: Collection[str]) -> bool:
    """Whether body calls members in the middle, and on some other path only in tail position but for constructors."""
    calls = any(isinstance(expr, Let) and _in_the_middle(expr, members) for expr in tail_expressions(body))
    return calls and _only_extends(body, members)


def _in_the_middle(expr: Let, members: Collection[str]) -> bool:
    if _site(expr, members) is not None:
        return False
    return any(isinstance(inner, Call) and inner.fun in members for inner in walk(expr.value))


def _only_extends(expr: Expr, members: Collection[str]) -> bool:
    match expr:
        case Let():
            if _site(expr, members) is not None:
                return True
            return not _in_the_middle(expr, members) and _only_extends(expr.body, members)
        case Match(branches=branches, default=default):
            others = (branch.body for branch in branches)
            return any(_only_extends(body, members) for body in (*others, *(() if default is None else (default,))))
        case If(then=then, orelse=orelse):
            return _only_extends(then, members) or _only_extends(orelse, members)
        case LetJoin(join_body=join_body, body=body):
            return _only_extends(join_body, members) or _only_extends(body, members)
        case _:
            return False


def _all_atoms(expr: Expr) -> list[object]:
    return [atom for inner in walk(expr) for atom in atoms(inner)]


def _split(program: Program, fun: FunDef, members: Collection[str]) -> tuple[FunDef, FunDef]:
    """The function, and the one that is told where to put its result."""
    assert isinstance(fun.result, DataType)
    new: Mapping[Var, Var] = {param.var: param.var.copy() for param in fun.params}
    params = tuple(replace(param, var=new[param.var]) for param in fun.params)
    hole, slot = Var("h", HoleType(fun.result)), Var("h", HoleType(fun.result))
    destination = _Destination(program, members)
    body = destination.expr(fresh_copy(fun.body, new), hole)
    inner = replace(fun, name=fun.name + SUFFIX, params=(*params, Param(hole)), result=UNIT, body=body)
    if fun.throws or (size(fun.body) <= LARGE and not _takes_turns(fun.body, members)):
        return replace(fun, body=destination.expr(fun.body, None)), inner
    args = (*(param.var for param in fun.params), slot)
    return replace(fun, body=NewHole(slot, Call(inner.name, args, UNIT, span=fun.span), span=fun.span)), inner


class _Destination:
    """Rewrites an expression in tail position so that it fills a hole with its value; returns the value if hole is None."""

    def __init__(self, program: Program, members: Collection[str]) -> None:
        self._program = program
        self._members = members

    def expr(self, expr: Expr, hole: Var | None) -> Expr:
        match expr:
            case Let(value=value, body=body):
                site = _site(expr, self._members)
                if site is not None:
                    return self._extend(site, hole)
                return self._let(expr.var, value, self.expr(body, hole), hole, expr.span)
            case TryLet(body=body, handler=handler):
                return replace(expr, body=self.expr(body, hole), handler=self.expr(handler, hole))
            case Match(branches=branches, default=default):
                new = tuple(replace(branch, body=self.expr(branch.body, hole)) for branch in branches)
                return replace(expr, branches=new, default=None if default is None else self.expr(default, hole))
            case If(then=then, orelse=orelse):
                return replace(expr, then=self.expr(then, hole), orelse=self.expr(orelse, hole))
            case LetJoin(join_body=join_body, body=body):
                return replace(expr, join_body=self.expr(join_body, hole), body=self.expr(body, hole))
            case _ if hole is None:
                return expr
            case Ret(atom=atom):
                return Fill(hole, atom, span=expr.span)
            case Jump():
                return replace(expr, type=UNIT)
            case Raise():
                return self._raise(expr, hole)
            case Call(fun=fun, args=args) if fun in self._members:
                return replace(expr, fun=fun + SUFFIX, args=(*args, hole), type=UNIT)
            case _:
                result = Var("r", type_of(expr))
                return self._let(result, expr, Fill(hole, result, span=expr.span), hole, expr.span)

    def _let(self, var: Var, value: Expr, body: Expr, hole: Var | None, span: Span) -> Expr:
        """`val var = value; body`; if value raises the hole is filled before the exception goes on."""
        if hole is None or not may_throw(value, self._program):
            return Let(var, value, body, span=span)
        exn = Var("ex", EXN)
        return TryLet(var, value, body, exn, self._raise(Raise(exn, UNIT, span=span), hole), span=span)

    def _raise(self, raised: Raise, hole: Var) -> Expr:
        constant = _constant(hole_elem(hole), self._program)
        assert constant is not None
        filled = Fill(hole, constant, span=raised.span)
        return Let(Var("_", UNIT), filled, replace(raised, type=UNIT), span=raised.span)

    def _extend(self, site: _Site, hole: Var | None) -> Expr:
        """The steps, then the constructors from the outermost to the innermost, each put where the one before left its hole."""
        target, made = hole, list[tuple[MakeCon, int, Var, Var, Var | None]]()
        for con, at, var in reversed(site.cons):
            block, inner = var.copy(), Var("h", HoleType(con.args[at].type))
            made.append((con, at, block, inner, target))
            target = inner
        call, result = site.call, made[0][2]
        assert target is not None
        expr: Expr = replace(call, fun=call.fun + SUFFIX, args=(*call.args, target), type=UNIT)
        if hole is None:
            expr = Let(Var("_", UNIT), expr, Ret(result, span=call.span), span=call.span)
        for con, at, block, inner, outer in reversed(made):
            if outer is not None:
                expr = Let(Var("_", UNIT), Fill(outer, block, span=con.span), expr, span=con.span)
            args = tuple(None if i == at else arg for i, arg in enumerate(con.args))
            expr = MakeConHole(block, inner, con.con, args, at, expr, must_reuse=con.must_reuse, token=con.token, span=con.span)
        for step in reversed(site.steps):
            expr = replace(step, body=expr)
        return expr
