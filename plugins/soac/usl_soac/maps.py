"""Elaboration of `map`: each inner dimension of the result is invariant, predicted, or that of the first element.

Invariant: its term mentions no parameter of the function, and there is no test. Predicted: a slice of the function that gives
it is cheap; it is evaluated for the first element, and tested for all before the map. Peeled: the first element's result gives
it, the others are tested as they are computed; every element's work is done once.
Reference: Henriksen 2014, §3.4, figs. 16 to 18. Fig. 17, which computes the first element's sizes apart, doubles the work of
functions that call themselves in a map; the peeled form takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType
from usl_soac import core, failures
from usl_soac.building import TRUE, Dims, Scope, is_total_scalar, number
from usl_soac.checking import Context, coerced
from usl_soac.core import Atom, Body, Failure, Lambda, Param, Site, Statement, Type
from usl_soac.rows import enter, same_heads
from usl_soac.scalars import BOOL, I64
from usl_soac.sizes import ZERO, Compare, Term, maximum, name
from usl_soac.slices import backward_slice
from usl_soac.traverse import refresh, rename, used_by_body, used_by_statement


@dataclass(slots=True)
class _Map:
    """A map while its dimensions are decided."""

    statement: Statement
    expr: core.Map
    arrays: tuple[Sym, ...]
    head: Term
    certs: tuple[Sym, ...]
    params: tuple[Param, ...]
    inner: Scope
    results: list[Atom]
    dims: list[Dims]


def mapped(statement: Statement, expr: core.Map, scope: Scope, context: Context) -> None:
    """`map`"""
    arrays = tuple(map(scope.array, expr.arrays))
    certs = same_heads("map", arrays, statement, scope, context)
    inner = scope.child()
    params = enter(expr.function.params, [scope.shape(array)[1:] for array in arrays], inner)
    results, dims = context.body(expr.function.body, inner)
    hoist_invariant(inner, scope)
    context.invariant[expr] = tuple(tuple(map(inner.is_outside, each)) for each in dims)
    this = _Map(statement, expr, arrays, scope.shape(arrays[0])[0], certs, params, inner, results, dims)
    varying = list(dict.fromkeys(dim for each in dims for dim in each if not inner.is_outside(dim)))
    predicted, code = _cheap(varying, this, context)
    known: dict[Term, Term] = {}
    if predicted:
        assert code is not None
        firsts = _predict(predicted, code, this, scope)
        known = {term: name(sym) for term, sym in zip(predicted, firsts, strict=True)}
    _emit(this, known, [term for term in varying if term not in known], scope)


def hoist_invariant(inner: Scope, outer: Scope) -> None:
    """Moves total scalar code that uses nothing from inside to before the body."""
    kept = []
    for statement in inner.statements:
        if is_total_scalar(statement) and used_by_statement(statement).isdisjoint(inner.own):
            outer.add(statement)
            for param in statement.pattern:
                inner.own.discard(param.name)
                if param.name in inner.terms:
                    outer.terms[param.name] = inner.terms[param.name]
                if param.name in inner.conditions:
                    outer.conditions[param.name] = inner.conditions[param.name]
        else:
            kept.append(statement)
    inner.statements = kept


def _cheap(varying: Sequence[Term], this: _Map, context: Context) -> tuple[list[Term], Body | None]:
    """The dimensions that a cheap slice of the function gives, together if possible, and that slice."""
    if not varying:
        return [], None
    code = _slice(varying, this, context)
    if code is not None:
        return list(varying), code
    chosen = [term for term in varying if len(varying) > 1 and _slice([term], this, context) is not None]
    code = _slice(chosen, this, context) if chosen else None
    return (chosen, code) if code is not None else ([], None)


def _slice(terms: Sequence[Term], this: _Map, context: Context) -> Body | None:
    if any(map(context.is_unknown, terms)):
        return None
    roots = {sym for term in terms for sym in term.names()}
    work = this.inner.child()
    work.code = {}
    work.statements = list(backward_slice(this.inner.statements, roots))
    sizes = [work.reify(term) for term in terms]
    return context.cheap(work.body(sizes))


def _predict(terms: Sequence[Term], code: Body, this: _Map, scope: Scope) -> list[Sym]:
    """The sizes of the first element, 0 if there is none, and the test that all elements give them."""
    needed = used_by_body(code)
    pairs = [(param, array) for param, array in zip(this.params, this.arrays, strict=True) if param.name in needed]
    if not pairs:
        # It depends on what is computed inside, not on an element; any array counts them.
        pairs = [(this.params[0], this.arrays[0])]
    span = this.statement.span
    empty = scope.compare(Compare("==", this.head, ZERO), "empty")
    first = scope.child()
    own = {param.name: param.name.copy() for param, _ in pairs}
    for param, array in pairs:
        typ = param.type
        first.emit(core.Index(array, (number(0),), span=span), [Param(own[param.name], typ)], this.certs, span)
    fresh = refresh(code, own)
    first.statements += fresh.statements
    sizes = [Param(Sym("r"), Type(I64), span=span) for _ in terms]
    nothing = Body((), tuple(number(0) for _ in terms))
    scope.emit(core.If(empty, nothing, first.body(fresh.results), span=span), sizes, span=span)
    firsts = [param.name for param in sizes]
    all_alike = _all_alike(pairs, code, firsts, this, scope)
    failed_at = _first_unlike(pairs, code, firsts, all_alike, this, scope)
    scalar, rank, texts = _described(terms, firsts, failed_at, this)
    certs = scope.check(all_alike, failures.irregular(scalar, rank, span), texts)
    for term, size in zip(terms, firsts, strict=True):
        # The function tests that too, but memory for its results is taken before.
        enough = scope.compare(Compare("<=", ZERO, name(size)))
        certs = (*certs, *scope.check(enough, _negative(term, this), (size,)))
    this.certs = (*this.certs, *certs)
    return firsts


def _negative(term: Term, this: _Map) -> Site:
    """The test in the function that a size is not negative, if it has one."""
    found = _test(term, this)
    return failures.negative_rows(this.statement.span) if found is None else found[1].site


def _test(term: Term, this: _Map) -> tuple[Sym, core.Assert] | None:
    for statement in this.inner.statements:
        test = statement.value
        if not isinstance(test, core.Assert) or test.site.failure is not Failure.SHAPE:
            continue
        if Compare("<=", ZERO, term) in this.inner.condition(test.condition).true:
            return statement.pattern[0].name, test
    return None


def _certs(dims: Dims, wanted: Dims, this: _Map) -> tuple[Sym, ...]:
    """The tests that say that dimensions are the wanted ones: none, where not all are tests in the function for signs."""
    certs: list[Sym] = []
    for dim, other in zip(dims, wanted, strict=True):
        if dim != other:
            found = _test(dim, this)
            if found is None or other != maximum(dim, ZERO):
                return ()
            certs.append(found[0])
    return tuple(certs)


def _compared(code: Body, firsts: Sequence[Sym], inner: Scope) -> tuple[Atom, tuple[Atom, ...]]:
    """Whether an element's sizes are these, and its sizes."""
    fresh = refresh(code)
    inner.statements += fresh.statements
    alike: Atom = TRUE
    for got, wanted in zip(fresh.results, firsts, strict=True):
        alike = inner.both(alike, inner.op("==", (got, wanted), I64, BOOL, "same"))
    return alike, fresh.results


Pairs = Sequence[tuple[Param, Sym]]


def _all_alike(pairs: Pairs, code: Body, firsts: Sequence[Sym], this: _Map, scope: Scope) -> Atom:
    inner = scope.child()
    alike, _ = _compared(code, firsts, inner)
    span = this.statement.span
    function = refresh(Lambda(tuple(param for param, _ in pairs), inner.body([alike])))
    flags = scope.one(
        core.Map(function, tuple(array for _, array in pairs), span=span), Type(BOOL, (this.head,)), "alike", this.certs
    )
    a, b, c = Sym("a"), Sym("b"), Sym("c")
    both = Statement((Param(c, Type(BOOL)),), core.Op("and", (a, b), BOOL))
    op = Lambda((Param(a, Type(BOOL)), Param(b, Type(BOOL))), Body((both,), (c,)))
    return scope.one(core.Reduce(op, (TRUE,), (flags,), True, span=span), Type(BOOL), "regular")


def _first_unlike(pairs: Pairs, code: Body, firsts: Sequence[Sym], all_alike: Atom, this: _Map, scope: Scope) -> list[Atom]:
    """Where the test fails, the first element that is not like the first, and its sizes: for the text alone."""
    span = this.statement.span
    search = scope.child()
    position = Param(Sym("i"), Type(I64))
    going = Param(Sym("going"), Type(BOOL))
    carried = [position, going, *(Param(Sym("got"), Type(I64)) for _ in firsts)]
    loop_body = search.child()
    own = {param.name: param.name.copy() for param, _ in pairs}
    for param, array in pairs:
        element = Param(own[param.name], param.type)
        loop_body.emit(core.Index(array, (position.name,), span=span), [element], this.certs, span)
    alike, got = _compared(refresh(code, own), firsts, loop_body)
    step = loop_body.op("+", (position.name, loop_body.op("select", (alike, number(1), number(0)), BOOL)))
    body = loop_body.body([step, alike, *got])
    condition = Body((), (going.name,))
    initial: tuple[Atom, ...] = (number(0), TRUE, *firsts)
    found = [Param(each.name.copy(), each.type) for each in carried]
    search.emit(core.Loop(tuple(carried), initial, None, None, condition, body, span=span), found, span=span)
    results = [found[0].name, *(param.name for param in found[2:])]
    pattern = [Param(Sym("at"), Type(I64)), *(Param(Sym("got"), Type(I64)) for _ in firsts)]
    fine = Body((), (number(0), *firsts))
    scope.emit(core.If(all_alike, fine, search.body(results), span=span), pattern, span=span)
    return [param.name for param in pattern]


def _not_negative(term: Term, scope: Scope) -> Term:
    """A dimension that does not vary. Tests in the function say that it is not negative; without elements none is made."""
    return term if scope.facts.proves(Compare("<=", ZERO, term)) else maximum(term, ZERO)


def _described(
    terms: Sequence[Term], firsts: Sequence[Sym], failed_at: Sequence[Atom], this: _Map
) -> tuple[ScalarType, int, list[Atom]]:
    """The first result with a dimension that is tested: its dimensions at the element that fails, and at the first."""
    at, *got = failed_at
    for param, dims in zip(this.statement.pattern, this.dims, strict=True):
        if any(dim in terms for dim in dims):
            shown = [(got[terms.index(dim)], firsts[terms.index(dim)]) for dim in dims if dim in terms]
            return param.type.scalar, len(shown), [at, *(a for a, _ in shown), *(b for _, b in shown)]
    raise AssertionError("a dimension that belongs to no result")


def _emit(this: _Map, known: dict[Term, Term], peeled: Sequence[Term], scope: Scope) -> None:
    """The map itself: with the predicted sizes in the place of those computed inside, the peeled ones as first results."""
    sizes = [Param(Sym("r"), Type(I64), span=this.statement.span) for _ in peeled]
    # A size that is one name is the predicted one from here on: the test says so.
    same: dict[Sym, Atom] = {}
    for term, first in known.items():
        if term.name is not None and first.name is not None:
            same[term.name] = first.name
    outside = {**known, **{term: name(param.name) for term, param in zip(peeled, sizes, strict=True)}}
    invariant = {dim: _not_negative(dim, scope) for dims in this.dims for dim in dims if dim not in outside}
    shapes = [(this.head, *({**invariant, **outside}[dim] for dim in dims)) for dims in this.dims]
    results: list[Atom] = [this.inner.reify(term) for term in peeled]
    for atom, dims in zip(this.results, this.dims, strict=True):
        wanted = tuple(dim if dim.name in same else {**invariant, **known}.get(dim, dim) for dim in dims)
        results.append(coerced(atom, wanted, _certs(dims, wanted, this), this.inner))
    body = rename(this.inner.body(results, this.expr.function.body.span), same)
    function = Lambda(this.params, body, span=this.expr.function.span)
    pattern = [
        Param(param.name, Type(param.type.scalar, dims), span=param.span)
        for param, dims in zip(this.statement.pattern, shapes, strict=True)
    ]
    made = core.Map(function, this.arrays, sizes=len(peeled), span=this.expr.span)
    scope.emit(made, [*sizes, *pattern], this.certs, this.statement.span)
