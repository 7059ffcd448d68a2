"""Elaboration of `if`: each dimension is one term, a size defined before it, cut out of it, or comes with the array.

A cut moves the statements that compute the sizes of a branch into an `if` of their own before, which gives the sizes and the
scalars that the rest of the branch needs of them: nothing is computed twice. Reference: Henriksen 2014, §3.3 and §4, figs. 15,
22 and 23; the cut is not in the paper, which keeps such sizes existential.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType
from usl_soac import core
from usl_soac.building import Dims, Scope
from usl_soac.checking import Context, coerced
from usl_soac.core import Atom, Body, Const, Param, Statement, Type
from usl_soac.scalars import BOOL, CERT, I64
from usl_soac.sizes import Term, name
from usl_soac.slices import backward_slice
from usl_soac.traverse import rename, used_by_statement

Pair = tuple[Term, Term]


@dataclass(slots=True)
class _Side:
    """One branch: its scope and results; what a cut moves out of it."""

    scope: Scope
    results: list[Atom]
    dims: list[Dims]
    moved: list[Statement] = field(default_factory=list)
    rest: list[Statement] = field(default_factory=list)
    shared: list[Sym] = field(default_factory=list)
    """What is moved and used by the rest."""
    renamed: dict[Sym, Atom] = field(default_factory=dict)
    """Its names after the `if` before."""


def branch(statement: Statement, expr: core.If, scope: Scope, context: Context) -> None:
    """`if`"""
    condition = scope.atom(expr.condition)
    known = scope.condition(condition)
    sides = []
    for body, facts in ((expr.then, known.true), (expr.orelse, known.false)):
        inner = scope.child(facts)
        sides.append(_Side(inner, *context.body(body, inner)))
    then, orelse = sides
    joined, open_ = _join(then, orelse, scope, context)
    ahead = [pair for pair in open_ if all(side.scope.is_outside(t) for side, t in zip(sides, pair, strict=True))]
    cut = _cut(sides, ahead, [pair for pair in open_ if pair not in ahead])
    before = [*ahead, *cut]
    if before:
        names = _ahead(condition, sides, before, scope)
        joined.update({pair: name(sym) for pair, sym in zip(before, names, strict=True)})
    with_result = [pair for pair in open_ if pair not in before]
    _emit(statement, condition, sides, joined, with_result, scope)


def _join(then: _Side, orelse: _Side, scope: Scope, context: Context) -> tuple[dict[Pair, Term], list[Pair]]:
    """The dimensions that are one term over names from outside, and the pairs of terms that are not."""
    joined: dict[Pair, Term] = {}
    open_: dict[Pair, None] = {}
    for left, right in ((a, b) for x, y in zip(then.dims, orelse.dims, strict=True) for a, b in zip(x, y, strict=True)):
        outside = then.scope.is_outside(left), orelse.scope.is_outside(right)
        if context.is_unknown(left) or context.is_unknown(right):
            # What nothing is known of yet may become whatever the other side says.
            joined[left, right] = right if context.is_unknown(left) else left
        elif left == right and all(outside):
            joined[left, right] = left
        elif outside[1] and then.scope.facts.equal(left, right):
            joined[left, right] = right
        elif outside[0] and orelse.scope.facts.equal(left, right):
            joined[left, right] = left
        else:
            open_[left, right] = None
    return joined, list(open_)


def _cut(sides: Sequence[_Side], ahead: Sequence[Pair], wanted: Sequence[Pair]) -> list[Pair]:
    """The pairs for which both branches can be cut, all at once if possible; the sides know then what is moved."""
    for chosen in (list(wanted), *([pair] for pair in wanted if len(wanted) > 1)):
        cuts = [_try(side, [pair[i] for pair in chosen]) for i, side in enumerate(sides)]
        if all(cut is not None for cut in cuts):
            for side, cut in zip(sides, cuts, strict=True):
                assert cut is not None
                side.moved, side.rest, side.shared = cut
            return chosen
    for side in sides:
        side.rest = side.scope.statements
    return []


def _try(side: _Side, terms: Sequence[Term]) -> tuple[list[Statement], list[Statement], list[Sym]] | None:
    """What computes the terms, the rest, and what the rest uses of it, if that is scalars."""
    roots = {sym for term in terms for sym in term.names()}
    moved = backward_slice(side.scope.statements, roots)
    chosen = set(moved)
    rest = [statement for statement in side.scope.statements if statement not in chosen]
    needed = {sym for statement in rest for sym in used_by_statement(statement)}
    needed |= {atom for atom in side.results if isinstance(atom, Sym)}
    needed |= {sym for dims in side.dims for dim in dims for sym in dim.names()}
    bound = [param for statement in moved for param in statement.pattern]
    shared = [param for param in bound if param.name in needed]
    if any(param.type.dims for param in shared):
        return None
    return moved, rest, [param.name for param in shared]


def _ahead(condition: Atom, sides: Sequence[_Side], pairs: Sequence[Pair], scope: Scope) -> list[Sym]:
    """The `if` before: the sizes, and what the rests of the branches use of the statements that compute them."""
    sizes = [Param(Sym("k"), Type(I64)) for _ in pairs]
    for i, side in enumerate(sides):
        for size, pair in zip(sizes, pairs, strict=True):
            alone = pair[i].name
            if alone is not None and alone in side.shared:
                side.renamed.setdefault(alone, size.name)
    carried = [
        (side, Param(sym.copy(), Type(side.scope.scalars[sym])), sym)
        for side in sides
        for sym in side.shared
        if sym not in side.renamed
    ]
    bodies = []
    for i, side in enumerate(sides):
        inner = scope.child()
        inner.statements = list(side.moved)
        inner.code = {}
        results = [inner.reify(pair[i]) for pair in pairs]
        others = [sym if owner is side else nothing(param.type.scalar) for owner, param, sym in carried]
        bodies.append(inner.body([*results, *others]))
    then, orelse = bodies
    pattern = [*sizes, *(param for _, param, _ in carried)]
    scope.emit(core.If(condition, then, orelse), pattern)
    for owner, param, sym in carried:
        owner.renamed[sym] = param.name
    return [param.name for param in sizes]


def nothing(scalar: ScalarType) -> Const:
    """A value that is never looked at."""
    return Const(True if scalar in (BOOL, CERT) else 0, scalar)


def _emit(
    statement: Statement,
    condition: Atom,
    sides: Sequence[_Side],
    joined: dict[Pair, Term],
    with_result: Sequence[Pair],
    scope: Scope,
) -> None:
    """The `if` of what is left; sizes that nothing gives before come first among its results."""
    sizes = [Param(Sym("k"), Type(I64)) for _ in with_result]
    joined.update({pair: name(param.name) for pair, param in zip(with_result, sizes, strict=True)})
    shapes = [tuple(joined[pair] for pair in zip(x, y, strict=True)) for x, y in zip(sides[0].dims, sides[1].dims, strict=True)]
    known = {param.name for param in sizes}
    bodies: list[Body] = []
    for i, side in enumerate(sides):
        side.scope.statements = side.rest
        results = [side.scope.reify(pair[i]) for pair in with_result]
        for atom, shape in zip(side.results, shapes, strict=True):
            comes_with_sizes = any(not known.isdisjoint(dim.names()) for dim in shape)
            results.append(atom if comes_with_sizes else coerced(atom, shape, (), side.scope))
        bodies.append(rename(side.scope.body(results), side.renamed))
    pattern = [
        *sizes,
        *(
            Param(param.name, Type(param.type.scalar, dims), span=param.span)
            for param, dims in zip(statement.pattern, shapes, strict=True)
        ),
    ]
    scope.emit(core.If(condition, bodies[0], bodies[1], span=statement.span), pattern, span=statement.span)
