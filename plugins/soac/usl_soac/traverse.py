"""Walks over the core: what a piece of code uses and binds, renaming, and copies with fresh names.

Names in the dimensions of types count as uses: whoever allocates an array needs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.core import Atom, Body, Const, Expr, Lambda, Param, Statement, Type
from usl_soac.scalars import BOOL
from usl_soac.sizes import Term, literal, name, substitute

Values = Mapping[Sym, Atom]
N = TypeVar("N")


def atoms(expr: Expr) -> Iterator[Atom]:
    """The atoms of an expression itself, in order; those of bodies in it are not counted."""
    for each in fields(expr):
        value = getattr(expr, each.name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Sym | Const):
                yield item


def bodies(expr: Expr) -> tuple[Body, ...]:
    """The bodies directly in an expression."""
    match expr:
        case core.If(then=then, orelse=orelse):
            return (then, orelse)
        case core.Loop(condition=condition, body=body):
            return (body,) if condition is None else (condition, body)
        case core.Map(function=function) | core.Filter(predicate=function):
            return (function.body,)
        case core.Reduce(op=function) | core.Scan(op=function) | core.Hist(op=function):
            return (function.body,)
        case _:
            return ()


def lambda_of(expr: core.Soac) -> Lambda:
    """The function that it applies."""
    match expr:
        case core.Map(function=function) | core.Filter(predicate=function):
            return function
        case core.Reduce(op=function) | core.Scan(op=function) | core.Hist(op=function):
            return function


def names_in_types(params: tuple[Param, ...]) -> frozenset[Sym]:
    """The names that dimensions mention."""
    return frozenset(sym for param in params for dim in param.type.dims if dim is not None for sym in dim.names())


def used(expr: Expr) -> frozenset[Sym]:
    """The names that an expression needs from around it."""
    result = {atom for atom in atoms(expr) if isinstance(atom, Sym)}
    match expr:
        case core.If(then=then, orelse=orelse):
            result |= used_by_body(then) | used_by_body(orelse)
        case core.Loop(params=params, index=index, condition=condition, body=body):
            inside = used_by_body(body) | (used_by_body(condition) if condition is not None else frozenset())
            inside |= names_in_types(params)
            result |= inside - {param.name for param in (*params, *((index,) if index else ()))}
        case core.Map() | core.Reduce() | core.Scan() | core.Filter() | core.Hist():
            result |= used_by_lambda(lambda_of(expr))
        case core.Coerce(dims=dims):
            result |= {sym for dim in dims if dim is not None for sym in dim.names()}
        case _:
            pass
    return frozenset(result)


def used_by_lambda(function: Lambda) -> frozenset[Sym]:
    """The names that a function needs from around it."""
    inside = used_by_body(function.body) | names_in_types(function.params)
    return inside - {param.name for param in function.params}


def used_by_statement(statement: Statement) -> frozenset[Sym]:
    """The names that a statement needs: those of its value, its tests, and its types."""
    bound = {param.name for param in statement.pattern}
    return (used(statement.value) | set(statement.certs) | names_in_types(statement.pattern)) - bound


def used_by_body(body: Body) -> frozenset[Sym]:
    """The names that a body needs from around it."""
    result = {atom for atom in body.results if isinstance(atom, Sym)}
    for statement in reversed(body.statements):
        result -= {param.name for param in statement.pattern}
        result |= used_by_statement(statement)
    return frozenset(result)


def walk(body: Body) -> Iterator[Statement]:
    """All statements, those in bodies of statements too, each before what is in it."""
    for statement in body.statements:
        yield statement
        for inner in bodies(statement.value):
            yield from walk(inner)


# ---- renaming


def binders(function: core.Function) -> Iterator[Param]:
    """All that a function binds."""
    yield from function.params
    for statement in walk(function.body):
        yield from statement.pattern
        match statement.value:
            case core.Loop(params=params, index=index):
                yield from params
                yield from () if index is None else (index,)
            case core.Map() | core.Reduce() | core.Scan() | core.Filter() | core.Hist():
                yield from lambda_of(statement.value).params
            case _:
                pass


def term_of(atom: Atom) -> Term:
    """An i64 atom as a term."""
    if isinstance(atom, Sym):
        return name(atom)
    return literal(int(atom.value))


class Renaming:
    """Puts atoms in the place of names, in types too; what binds is left as it is, or with `fresh` renamed as well."""

    def __init__(self, values: Values, *, fresh: bool = False) -> None:
        self.values = dict(values)
        self.fresh = fresh
        self._terms: dict[Sym, Term] | None = None

    def forget(self) -> None:
        """After a change of `values`."""
        self._terms = None

    def atom(self, atom: Atom) -> Atom:
        return self.values.get(atom, atom) if isinstance(atom, Sym) else atom

    def sym(self, sym: Sym) -> Sym:
        """A name in a place where only a name can stand."""
        result = self.atom(sym)
        assert isinstance(result, Sym), f"{sym!r} becomes a constant where an array or a cert stands"
        return result

    def term(self, term: Term) -> Term:
        if not self.values or not term.names():
            return term
        if self._terms is None:
            self._terms = {sym: term_of(atom) for sym, atom in self.values.items() if isinstance(atom, Sym) or _is_int(atom)}
        return substitute(term, self._terms)

    def type(self, typ: Type) -> Type:
        return replace(typ, dims=tuple(None if dim is None else self.term(dim) for dim in typ.dims)) if typ.dims else typ

    def bind(self, param: Param) -> Param:
        """The param where it is bound; its type is renamed after all names of the pattern are."""
        if not self.fresh:
            return param
        sym = param.name.copy()
        self.values[param.name] = sym
        self._terms = None
        return replace(param, name=sym)

    def params(self, params: tuple[Param, ...]) -> tuple[Param, ...]:
        bound = [self.bind(param) for param in params]
        return tuple(replace(param, type=self.type(param.type)) for param in bound)

    def body(self, body: Body) -> Body:
        statements = tuple(map(self.statement, body.statements))
        return replace(body, statements=statements, results=tuple(map(self.atom, body.results)))

    def statement(self, statement: Statement) -> Statement:
        value = self.expr(statement.value)
        certs = tuple(cert for cert in map(self.atom, statement.certs) if isinstance(cert, Sym))
        return replace(statement, value=value, certs=certs, pattern=self.params(statement.pattern))

    def function(self, function: Lambda) -> Lambda:
        params = self.params(function.params)
        return replace(function, params=params, body=self.body(function.body))

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case core.Loop():
                return self._loop(expr)
            case core.Coerce():
                return replace(expr, array=self.sym(expr.array), dims=self.type(Type(BOOL, expr.dims)).dims)
            case _:
                changed = {each.name: self._field(getattr(expr, each.name)) for each in fields(expr) if each.name != "span"}
                return cast(Expr, replace(cast(Any, expr), **changed))

    def _field(self, value: object) -> object:
        match value:
            case Sym() | Const():
                return self.atom(value)
            case tuple():
                return tuple(map(self._field, value))
            case Body():
                return self.body(value)
            case Lambda():
                return self.function(value)
            case _:
                return value

    def _loop(self, loop: core.Loop) -> core.Loop:
        initial = tuple(map(self.atom, loop.initial))
        bound = None if loop.bound is None else self.atom(loop.bound)
        index = None if loop.index is None else self.params((loop.index,))[0]
        params = self.params(loop.params)
        condition = None if loop.condition is None else self.body(loop.condition)
        body = self.body(loop.body)
        return replace(loop, params=params, initial=initial, index=index, bound=bound, condition=condition, body=body)


def _is_int(atom: Const) -> bool:
    return isinstance(atom.value, int)


def rename(node: N, values: Values) -> N:
    """A body, lambda, statement or expression with atoms in the place of names."""
    return _renamed(node, Renaming(values)) if values else node


def refresh(node: N, values: Values | None = None) -> N:
    """A copy in which everything that is bound has a new name, so that it can stand beside the original."""
    return _renamed(node, Renaming(values or {}, fresh=True))


def _renamed(node: N, renaming: Renaming) -> N:
    whole: Any = node
    match node:
        case Body():
            return cast(N, renaming.body(whole))
        case Lambda():
            return cast(N, renaming.function(whole))
        case Statement():
            return cast(N, renaming.statement(whole))
        case _:
            return cast(N, renaming.expr(whole))
