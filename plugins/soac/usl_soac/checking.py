"""What the rules of elaboration share: the functions around, the test that two sizes are equal, other names of sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.building import Dims, Scope
from usl_soac.core import Atom, Body, Function, Param, Site, Type
from usl_soac.errors import SoacError
from usl_soac.sizes import Compare, Term

SIZES_DIFFER, PROMISE_REFUTED = "E762", "E764"

Terms = tuple[tuple[Term | None, ...], ...]
"""For each result of a function each dimension as a term over its sizes and i64 parameters, None where there is none."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Code for all dimensions of a function's results, over those of its sizes and parameters that it needs."""

    params: tuple[Param, ...]
    body: Body


@dataclass(frozen=True, slots=True)
class Callee:
    """What callers know of a function; without a shape its sizes come with its result."""

    function: Function
    terms: Terms
    shape: Slice | None = None

    @property
    def is_static(self) -> bool:
        """Whether callers know all dimensions."""
        return all(term is not None for dims in self.terms for term in dims)


Elaborate = Callable[[Body, Scope, "Context"], tuple[list[Atom], list[Dims]]]


@dataclass(slots=True)
class Context:
    """What all rules share while one function is elaborated."""

    callees: Mapping[str, Callee]
    cheap: Callable[[Body], Body | None]
    """A slice simplified, None where it costs too much."""
    elaborate: Elaborate
    unknown: set[Sym] = field(default_factory=set)
    """Dimensions of recursive calls of which nothing is known yet."""
    mistakes: list[SoacError] = field(default_factory=list)
    invariant: dict[core.Map, tuple[tuple[bool, ...], ...]] = field(default_factory=dict)
    """For each map of the typed core, result and inner dimension: whether it is one term for all elements."""

    def body(self, body: Body, scope: Scope) -> tuple[list[Atom], list[Dims]]:
        """Elaborates a body into a scope; its results and their dimensions."""
        return self.elaborate(body, scope, self)

    def is_unknown(self, term: Term) -> bool:
        return not term.names().isdisjoint(self.unknown)


def check_equal(
    left: Term, right: Term, site: Site, scope: Scope, context: Context, code: str = SIZES_DIFFER
) -> tuple[Sym, ...]:
    """chk: nothing where the terms are equal, else a test; a mistake is noted where they differ whatever names stand for."""
    if scope.facts.equal(left, right) or context.is_unknown(left) or context.is_unknown(right):
        return ()
    difference = left - right
    for known in (difference, -difference):
        if known in scope.tested:
            return (scope.tested[known],)
    if difference.constant is not None:
        shown = site.text.format(*(term.show() for term in (left, right)))
        context.mistakes.append(SoacError(shown, span=site.span, code=code))
    values = (scope.reify(left), scope.reify(right))
    certs = scope.check(scope.compare(Compare("==", left, right)), site, values)
    scope.tested[difference] = certs[0]
    return certs


def coerced(atom: Atom, dims: Dims, certs: Sequence[Sym], scope: Scope) -> Atom:
    """The array under other names of its dimensions, which the tests say are the same."""
    if not isinstance(atom, Sym) or (scope.shape(atom) == dims and not certs):
        return atom
    return scope.one(core.Coerce(atom, dims, atom.name), Type(scope.scalars[atom], dims), atom.name, certs)
