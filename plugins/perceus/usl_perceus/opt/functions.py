"""Specialisation of higher-order functions to known arguments.

A call `f(xs, g)`, where g is a top-level function or a lambda that is bound in sight, becomes a call of a copy of f in which
g is called by name; a lambda is lifted to a function that takes its captures as parameters, and so does the copy. In the
copy the parameter is known in turn, so that the recursive call of f becomes one of the copy: `map(xs, f)` becomes a loop of
its own. Calls of known closures become plain calls. Closures that nobody needs any more go with `simplify`.

Without bounds this would not end: a function in continuation-passing style calls itself with a new closure, which captures
its own one, so that each copy would need another. A call among functions that call each other is not specialised for closures
that one of them makes, but for those that they pass on. And the copies make the program at most `GROWTH` times as large, except
those of functions that ask for it (`FunDef.specialize`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from usl_perceus.ir import (
    Atom,
    Call,
    CallClosure,
    Expr,
    FunDef,
    FunRef,
    FunType,
    Lambda,
    Let,
    Param,
    Program,
    Ret,
    Var,
)
from usl_perceus.opt.callgraph import call_graph, callees, components
from usl_perceus.opt.simplify import simplify_expr, size
from usl_perceus.traverse import fresh_copy, map_children, walk, with_children

GROWTH = 3
"""How many times as large a program may become, in expressions."""
LIMIT = 100
"""Copies per program, also of functions that ask for them."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is known of a closure: the top-level function behind it, and the captures, which go before its arguments."""

    fun: str
    captures: tuple[Atom, ...] = ()


Known = Mapping[Var, Target]


def specialize_functions(program: Program) -> Program:
    """Copy higher-order functions for the closures that they are called with, as far as these are known."""
    return _Specializer(program).program()


class _Specializer:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._funs = dict(program.funs)
        self._copies: dict[tuple[str, tuple[tuple[int, str], ...]], str] = {}
        self._todo: list[str] = []
        self._family: dict[str, int] = {}
        """Functions that call each other, and all that is made of them, have the same number."""
        for number, group in enumerate(components(call_graph(program))):
            self._family.update(dict.fromkeys(group, number))
        self._here = 0
        self._room = (GROWTH - 1) * sum(size(fun.body) for fun in program.funs.values())

    def program(self) -> Program:
        for name in self._program.funs:
            self._specialize(name)
        while self._todo:
            self._specialize(self._todo.pop(0))
        return replace(self._program, funs=self._funs)

    def _specialize(self, name: str) -> None:
        """Specialise the calls in one function."""
        self._here = self._family[name]
        fun = self._funs[name]
        self._funs[name] = replace(fun, body=simplify_expr(self.expr(simplify_expr(fun.body), {})))

    def expr(self, expr: Expr, known: Known) -> Expr:
        match expr:
            case Let(var=var, value=value, body=body):
                target = self._target(value)
                if target is not None:
                    return replace(expr, value=_calling(target, value), body=self.expr(body, {**known, var: target}))
                return with_children(expr, (self.expr(value, known), self.expr(body, known)))
            case Lambda(body=body):
                # what a lambda does not capture it cannot use
                inner = {var: target for var, target in known.items() if not target.captures}
                return with_children(expr, (self.expr(body, inner),))
            case CallClosure(fun=closure, args=args, type=type):
                target = self._of_atom(closure, known)
                if target is None:
                    return expr
                return self.expr(Call(target.fun, (*target.captures, *args), type, span=expr.span), known)
            case Call():
                return self._call(expr, known)
            case _:
                return map_children(expr, lambda child: self.expr(child, known))

    def _of_atom(self, atom: Atom, known: Known) -> Target | None:
        if isinstance(atom, FunRef):
            return Target(atom.fun)
        return known.get(atom) if isinstance(atom, Var) else None

    def _target(self, value: Expr) -> Target | None:
        """The function behind a closure expression; a lambda is lifted, unless it does nothing but call a function."""
        match value:
            case Ret(atom=FunRef(fun=fun)):
                return Target(fun)
            case Lambda(captures=captures, params=params, body=Call(fun=fun, args=args)) if args == (*captures, *params):
                return Target(fun, captures)
            case Lambda():
                return Target(self._lift(value), value.captures)
            case _:
                return None

    def _lift(self, value: Lambda) -> str:
        name = self._fresh("lambda")
        new = {var: var.copy() for var in (*value.captures, *value.params)}
        params = tuple(Param(var) for var in new.values())
        body = fresh_copy(value.body, new)
        self._funs[name] = FunDef(name, params, value.result, body, throws=value.throws, span=value.span)
        self._family[name] = self._here
        self._todo.append(name)
        return name

    def _fresh(self, base: str) -> str:
        number = 1
        while f"{base}#{number}" in self._funs:
            number += 1
        return f"{base}#{number}"

    def _call(self, expr: Call, known: Known) -> Expr:
        """A call with known closures among its arguments becomes a call of a copy."""
        fun = self._funs[expr.fun]
        found = {i: target for i, arg in enumerate(expr.args) if (target := self._of_atom(arg, known)) is not None}
        recursive = self._family[expr.fun] == self._here
        targets = {
            i: target
            for i, target in found.items()
            if not (recursive and self._family[target.fun] == self._here) and not _changes(fun, i)
        }
        if not targets:
            return expr
        key = (expr.fun, tuple((i, target.fun) for i, target in targets.items()))
        if key not in self._copies:
            cost = 0 if fun.specialize else size(fun.body)
            if len(self._copies) >= LIMIT or cost > self._room:
                return expr
            self._room -= cost
            name = self._copies[key] = self._fresh(expr.fun)
            self._funs[name] = self._copy(fun, name, targets)
            self._family[name] = self._family[expr.fun]
            self._todo.append(name)
        args = [arg for i, arg in enumerate(expr.args) if i not in targets]
        args += [capture for target in targets.values() for capture in target.captures]
        return replace(expr, fun=self._copies[key], args=tuple(args))

    def _copy(self, fun: FunDef, name: str, targets: Mapping[int, Target]) -> FunDef:
        """fun with captures instead of the known parameters; their closures are made again first, should they be needed."""
        new = {param.var: param.var.copy() for param in fun.params}
        body = fresh_copy(fun.body, new)
        params = [replace(param, var=new[param.var]) for i, param in enumerate(fun.params) if i not in targets]
        for i, target in targets.items():
            closure = new[fun.params[i].var]
            assert isinstance(closure.type, FunType)
            captures = tuple(Var("c", atom.type) for atom in target.captures)
            params += [Param(var) for var in captures]
            inner = tuple(Var("p", type) for type in closure.type.params)
            call = Call(target.fun, (*captures, *inner), closure.type.result, span=fun.span)
            made: Expr = Lambda(captures, inner, closure.type.result, call, closure.type.throws, span=fun.span)
            if not captures:
                made = Ret(FunRef(target.fun, closure.type), span=fun.span)
            body = Let(closure, made, body, span=fun.span)
        # what the function calls by name itself, its promises do cover
        given = fun.given | ({target.fun for target in targets.values()} - callees(fun.body))
        return replace(fun, name=name, params=tuple(params), body=body, given=given)


def _changes(fun: FunDef, i: int) -> bool:
    """Whether fun calls itself with other closures for parameter i, so that a copy would serve its first round only."""
    given = [expr.args[i] for expr in walk(fun.body) if isinstance(expr, Call) and expr.fun == fun.name]
    return any(arg is not fun.params[i].var and not isinstance(arg, FunRef) for arg in given)


def _calling(target: Target, value: Expr) -> Expr:
    """The closure expression, as one that calls the function that it was lifted to."""
    if not isinstance(value, Lambda):
        return value
    args = (*value.captures, *value.params)
    return replace(value, body=Call(target.fun, args, value.result, span=value.span))
