"""Elaboration of loops: a dimension of a carried array stays, grows by the same amount in each round, or is carried itself.

The candidate for each dimension is its initial term; the body is elaborated under the candidates, and those that its result
does not confirm get another: first `initial + k * round`, where the body adds k, a term from outside; then a carried i64. By
induction on the rounds what is confirmed holds. The paper has no rule for loops.
"""

from __future__ import annotations

from dataclasses import dataclass

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.building import Dims, Scope
from usl_soac.checking import Context, coerced
from usl_soac.core import Atom, Body, Param, Statement, Type
from usl_soac.scalars import I64
from usl_soac.sizes import ZERO, Compare, Term, maximum, name, substitute


@dataclass(slots=True)
class _Dimension:
    """What is assumed of one dimension of a carried array: at each round `now`, after all of them `last`."""

    initial: Term
    step: Term | None = ZERO  # None: it is carried
    carried: Param | None = None

    def at(self, index: Sym | None) -> Term:
        """At the start of a round."""
        if self.carried is not None:
            return name(self.carried.name)
        assert self.step is not None
        if self.step == ZERO:
            return self.initial
        assert index is not None
        return self.initial + self.step * name(index)


@dataclass(slots=True)
class _Round:
    """The body and the condition under some candidates."""

    inner: Scope
    results: list[Atom]
    dims: list[Dims]
    condition: Body | None
    params: tuple[Param, ...]


def loop(statement: Statement, expr: core.Loop, scope: Scope, context: Context) -> None:
    """`for` and `while`"""
    initial = tuple(map(scope.atom, expr.initial))
    bound = None if expr.bound is None else scope.atom(expr.bound)
    counts = bound is not None and expr.condition is None
    index = expr.index
    if index is None and counts:
        index = Param(Sym("i"), Type(I64), span=expr.span)
    assumed = [[_Dimension(term) for term in scope.shape(atom)] for atom in initial]
    while True:
        before = len(context.mistakes)
        known = dict(context.invariant)
        done = _round(expr, index, bound, assumed, scope, context)
        if _confirmed(done, assumed, index if counts else None, scope, context):
            break
        # A mistake found under a wrong candidate is none.
        del context.mistakes[before:]
        context.invariant.clear()
        context.invariant.update(known)
    _emit(statement, expr, (initial, bound, index), assumed, done, scope)


def _round(
    expr: core.Loop,
    index: Param | None,
    bound: Atom | None,
    assumed: list[list[_Dimension]],
    scope: Scope,
    context: Context,
) -> _Round:
    inner = scope.child()
    if index is not None:
        inner.bind(index)
        inner.facts = inner.facts.assume(Compare("<=", ZERO, name(index.name)))
        if bound is not None:
            inner.facts = inner.facts.assume(Compare("<", name(index.name), scope.term(bound)))
    params = []
    for param, dims in zip(expr.params, assumed, strict=True):
        for dim in dims:
            if dim.carried is not None:
                inner.bind(dim.carried)
        typed = Param(param.name, Type(param.type.scalar, tuple(d.at(index.name if index else None) for d in dims)))
        inner.bind(typed)
        params.append(typed)
    condition = None
    if expr.condition is not None:
        asked = inner.child()
        results, _ = context.body(expr.condition, asked)
        condition = asked.body(results, expr.condition.span)
    results, found = context.body(expr.body, inner)
    return _Round(inner, results, found, condition, tuple(params))


def _confirmed(done: _Round, assumed: list[list[_Dimension]], index: Param | None, scope: Scope, context: Context) -> bool:
    """Whether the round keeps what was assumed; where not, something weaker is assumed from now on."""
    stable = True
    for dims, found in zip(assumed, done.dims, strict=True):
        for dim, term in zip(dims, found, strict=True):
            if dim.carried is not None or context.is_unknown(term):
                continue
            i = index.name if index is not None else None
            expected = dim.at(i)
            if i is not None and dim.step is not None:
                expected = dim.initial + dim.step * (name(i) + 1)
            if done.inner.facts.equal(term, expected):
                continue
            stable = False
            grown = term - dim.at(i)
            if dim.step == ZERO and i is not None and done.inner.is_outside(grown):
                dim.step = grown
            else:
                dim.step, dim.carried = None, Param(Sym("k"), Type(I64))
    return stable


def _emit(
    statement: Statement,
    expr: core.Loop,
    head: tuple[tuple[Atom, ...], Atom | None, Param | None],
    assumed: list[list[_Dimension]],
    done: _Round,
    scope: Scope,
) -> None:
    initial, bound, index = head
    carried: list[Param] = []
    starts: list[Atom] = []
    nexts: list[Atom] = []
    finals: dict[Sym, Param] = {}
    for dims, found in zip(assumed, done.dims, strict=True):
        for dim, term in zip(dims, found, strict=True):
            if dim.carried is not None:
                carried.append(dim.carried)
                starts.append(scope.reify(dim.initial))
                nexts.append(done.inner.reify(term))
                finals[dim.carried.name] = Param(dim.carried.name.copy(), Type(I64))
    results: list[Atom] = []
    pattern = [*finals.values()]
    rounds = ZERO
    if bound is not None:
        rounds = scope.term(bound)
        if not scope.facts.proves(Compare("<=", ZERO, rounds)):
            rounds = maximum(rounds, ZERO)
    next_index = {index.name: name(index.name) + 1} if index is not None else {}
    for param, dims, atom in zip(statement.pattern, assumed, done.results, strict=True):
        after = tuple(
            name(finals[dim.carried.name].name) if dim.carried is not None else dim.initial + (dim.step or ZERO) * rounds
            for dim in dims
        )
        pattern.append(Param(param.name, Type(param.type.scalar, after), span=param.span))
        if any(dim.carried is not None for dim in dims):
            results.append(atom)
        else:
            now = tuple(substitute(dim.at(index.name if index else None), next_index) for dim in dims)
            results.append(coerced(atom, now, (), done.inner))
    made = core.Loop(
        (*carried, *done.params),
        (*starts, *initial),
        index,
        bound,
        done.condition,
        done.inner.body([*nexts, *results], expr.body.span),
        span=expr.span,
    )
    scope.emit(made, pattern, span=statement.span)
