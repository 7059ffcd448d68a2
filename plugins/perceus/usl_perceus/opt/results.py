"""Which constructors the results of functions are made by, and matches without the branches for others.

A function that inserts into a tree never gives an empty one; what is done with its result then needs no branch for that. The
sets are the least solution over all calls: a call of f gives what the body of f gives, by the branches that may be taken.
Parameters, fields, and what comes from closures, cells, arrays and C, may be anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from usl_perceus.ir import (
    Atom,
    Call,
    CallClosure,
    DataType,
    Do,
    Expr,
    Fill,
    ForeignCall,
    If,
    Jump,
    KernelCall,
    Lambda,
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
    TryLet,
    Type,
    Var,
)
from usl_perceus.layout import Datas
from usl_perceus.traverse import map_children, type_of

Tags = frozenset[int]
"""Numbers of constructors of one data type."""
Known = Mapping[Var, Tags]
"""What variables may be made by; those left out, by any constructor."""


def narrow_matches(program: Program) -> Program:
    """Leave out the branches for constructors that a function's result is never made by (`Match.never`)."""
    results: dict[str, Tags] = dict.fromkeys(program.funs, frozenset())
    changed = True
    while changed:
        changed = False
        for name, fun in program.funs.items():
            found = _Results(program.datas, results).of(fun.body, {})
            changed |= found != results[name]
            results[name] = found
    narrowed = _Results(program.datas, results).narrowed
    funs = {name: replace(fun, body=narrowed(fun.body, {})) for name, fun in program.funs.items()}
    return replace(program, funs=funs)


class _Results:
    def __init__(self, datas: Datas, results: Mapping[str, Tags]) -> None:
        self._datas = datas
        self._results = results

    def _all(self, type: Type) -> Tags:
        """The constructors of a type; none, which then says nothing, if it is no data type."""
        return frozenset(con.tag for con in self._datas[type.name].cons) if isinstance(type, DataType) else frozenset()

    def _atom(self, atom: Atom, known: Known) -> Tags:
        match atom:
            case Nullary(con=con):
                return frozenset({con.tag})
            case Var() if atom in known:
                return known[atom]
            case _:
                return self._all(atom.type)

    def of(self, expr: Expr, known: Known) -> Tags:
        """What expr may give, as far as it returns."""
        match expr:
            case Ret(atom=atom):
                return self._atom(atom, known)
            case MakeCon(con=con):
                return frozenset({con.tag})
            case Call(fun=fun):
                return self._results[fun]
            case Let(var=var, value=value, body=body):
                return self.of(body, {**known, var: self.of(value, known)})
            case TryLet(var=var, value=value, body=body, handler=handler):
                return self.of(body, {**known, var: self.of(value, known)}) | self.of(handler, known)
            case Match(var=var, branches=branches, default=default):
                possible = self._atom(var, known)
                taken = [branch for branch in branches if branch.con.tag in possible]
                found = [self.of(branch.body, {**known, var: frozenset({branch.con.tag})}) for branch in taken]
                if default is not None and possible.difference(branch.con.tag for branch in branches):
                    found.append(self.of(default, known))
                return frozenset[int]().union(*found)
            case If(then=then, orelse=orelse):
                return self.of(then, known) | self.of(orelse, known)
            case LetJoin(join_body=join_body, body=body):
                return self.of(join_body, known) | self.of(body, known)
            case Jump() | Raise():  # to a body that is looked at where it stands; out of here
                return frozenset()
            case CallClosure() | Prim() | ForeignCall() | KernelCall() | Lambda() | NewHole() | MakeConHole() | Fill() | Do():
                return self._all(type_of(expr))
            case _:
                assert_never(expr)

    def narrowed(self, expr: Expr, known: Known) -> Expr:
        match expr:
            case Let(var=var, value=value):
                known = {**known, var: self.of(value, known)}
            case TryLet(var=var, value=value):
                known = {**known, var: self.of(value, known)}
            case Match(var=var) if known.get(var):
                expr = self._without_others(expr, known[var])
            case Lambda():
                known = {}
            case _:
                pass
        return map_children(expr, lambda child: self.narrowed(child, known))

    def _without_others(self, expr: Match, possible: Tags) -> Match:
        branches = tuple(branch for branch in expr.branches if branch.con.tag in possible)
        covered = possible <= {branch.con.tag for branch in branches}
        return replace(
            expr,
            branches=branches,
            default=None if covered else expr.default,
            never=self._all(expr.var.type) - possible,
        )
