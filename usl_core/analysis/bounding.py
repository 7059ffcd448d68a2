"""Goals `form >= 0` by replacing each variable with its bound: what settles most bounds of accesses, in microseconds.

The variable bound last (the innermost iterator) goes first: a hypothesis that bounds it by what was bound before is
subtracted, which leaves a form over the latter. Several hypotheses are tried in turn, the latest first, within a small budget;
a quotient has the two that define it. Success is a proof, a non-negative combination of hypotheses; failure says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from math import gcd

from usl_core.analysis.affine import Atom, Lin, Min, Quot, atoms, combine, of_atom, parts
from usl_core.analysis.formula import And, Const, Eq, Formula, Ge, Or, ge
from usl_core.analysis.models import Witnesses
from usl_core.ir.memo import lazy
from usl_core.ir.sym import Sym
from usl_core.profiling import profiled

NESTED = 1 / 64
"""How much later than what is in it a quotient or minimum counts as bound."""
BUDGET = 40
"""Subtractions tried for one goal; for one of many terms, two for each; with what was resolved, five times as many."""
PASSES = 4
"""How often facts that were found may help to find others."""
MAX_REMEMBERED = 1024
"""Places whose hypotheses are kept, with what was found out from them."""
remembers = True
"""Whether any are."""


class Hypotheses(tuple[Formula, ...]):
    """Formulas taken as true, with what finds those that bound a variable. Immutable, like every tuple."""

    budget = BUDGET
    """Subtractions tried for one goal."""
    before: Hypotheses | None = None
    """The first of these, from which what was found out is taken over."""

    def with_more(self, facts: tuple[Formula, ...]) -> Hypotheses:
        """These and more, at a place where these are known."""
        found = Hypotheses.at((*self, *facts))
        if found is not self:
            found.before = self
        return found

    @staticmethod
    def at(facts: tuple[Formula, ...]) -> Hypotheses:
        """The hypotheses at a place: the same object, with what was found out from it, where the same was known before."""
        return _at(facts) if remembers else Hypotheses(facts)

    @lazy
    def members(self) -> frozenset[Formula]:
        """The hypotheses as a set, to find one in."""
        return frozenset(self)

    @lazy
    def _ranks(self) -> dict[Atom, float]:
        """For each atom when it was bound, as far as that was asked for."""
        return dict(self._bound_at)

    @lazy
    def _bound_at(self) -> dict[Atom, float]:
        """For each name when it was bound: the newest name that a hypothesis is the first to have in a term of its own is bound
        there, other names in it before all others. A quotient or minimum comes just after the last variable in it."""
        ranks = dict(self.before._bound_at) if self.before else {}
        first = len(self.before or ())
        for position, f in enumerate(self[first:], first):
            if isinstance(f, Ge | Eq):
                bound = [a for a in f.lin.terms if isinstance(a, Sym) and a not in ranks]
                if bound:
                    ranks[max(bound, key=lambda name: name.number)] = position
                for atom in atoms(f.lin):
                    if not isinstance(atom, Quot | Min):
                        ranks.setdefault(atom, -0.5)
        return ranks

    @lazy
    def _bounds(self) -> Mapping[Atom, list[Lin]]:
        """The forms known to be >= 0, each with the atom in it that was bound last."""
        ranks = self._ranks
        by_atom = dict(self.before._bounds) if self.before else {}
        for f in self[len(self.before or ()) :]:
            if isinstance(f, Ge | Eq) and f.lin.terms:
                last = max(f.lin.terms, key=lambda atom: _rank(atom, ranks))
                by_atom[last] = [*by_atom.get(last, ()), f.lin, *([-f.lin] if isinstance(f, Eq) else [])]
        return by_atom

    @lazy
    def _witnesses(self) -> Witnesses:
        return Witnesses(self)

    @profiled("solver", "witness")
    def refuting(self, goal: Formula) -> Mapping[Sym, int | bool] | None:
        """Values of the variables for which all formulas hold and goal does not; None means "don't know"."""
        if goal not in self._refuted:
            self._refuted[goal] = self._witnesses.refuting(goal)
        return self._refuted[goal]

    @lazy
    def _refuted(self) -> dict[Formula, Mapping[Sym, int | bool] | None]:
        return {}

    @profiled("solver", "witness")
    def common(self, lin: Lin) -> int | None:
        """The only number that lin may be proved to be; None if it has several values, or that is not known."""
        return self._witnesses.common(lin)

    @lazy
    def _bounded(self) -> dict[Formula, bool]:
        return {}

    @profiled("solver", "bounds")
    def bound(self, goal: Formula) -> bool:
        """Whether goal follows by replacing variables with their bounds; False means "don't know"."""
        found = self._bounded.get(goal)
        if found is None:
            found = self._bounded[goal] = self._bound(goal)
        return found

    def proved(self, goal: Formula) -> None:
        """Take note of a goal that was proved otherwise, so that it is not asked again here."""
        self._bounded[goal] = True

    def _bound(self, goal: Formula) -> bool:
        match goal:
            case Ge(lin=lin):
                return _Search(self._bounds, self._ranks, max(self.budget, 2 * len(lin.terms))).at_least_zero(lin)
            case Eq(lin=lin):
                return self._bound(Ge(lin)) and self._bound(Ge(-lin))
            case Or(args=args):
                return any(self._bound(arg) for arg in args)
            case And(args=args):
                return all(self._bound(arg) for arg in args)
            case Const(value=value):
                return value or self._contradictory
            case _:
                return False

    @lazy
    def resolved(self) -> Hypotheses:
        """These facts, and what follows where others exclude the alternatives of a minimum: `x >= a` from `x >= min(a, n)` and
        `x < n`. That is how loops begin and end that were cut at clamped places."""
        known = self
        for _ in range(PASSES if any(True for _ in _minima(self)) else 0):
            found = dict.fromkeys(part for lin, atom in _minima(known) for part in known._resolve(lin, atom))
            new = [f for f in found if isinstance(f, Ge) and f not in known.members]
            if not new:
                break
            known = known.with_more(tuple(new))
        if known is not self:
            known.budget = 5 * BUDGET
        return known

    def _resolve(self, lin: Lin, atom: Min) -> Iterator[Formula]:
        """What follows from lin >= 0, in which atom occurs: all of its arguments may stand for it, or one that is possible."""
        values = [_with_value(lin, atom, arg) for arg in atom.args]
        if lin.terms[atom] > 0:
            yield from (ge(value) for value in values if any(isinstance(each, Min) for each in value.terms))
            return
        possible = [value for value in values if not self.bound(ge(-value, 1))]
        if len(possible) <= 1:
            yield from map(ge, possible or values)

    @lazy
    def _contradictory(self) -> bool:
        """Whether an equation (of two places that might meet, say) has sides that the inequalities keep apart."""
        equations = [f.lin for f in self if isinstance(f, Eq)]
        rest = Hypotheses(f for f in self if not isinstance(f, Eq)) if equations else self
        return any(rest.bound(Ge(side - 1)) for lin in equations for side in (lin, -lin))


@lru_cache(maxsize=MAX_REMEMBERED)
def _at(facts: tuple[Formula, ...]) -> Hypotheses:
    return Hypotheses(facts)


def _minima(facts: Iterable[Formula]) -> Iterator[tuple[Lin, Min]]:
    """The forms known to be >= 0 with the minima that are terms of them."""
    return ((f.lin, atom) for f in facts if isinstance(f, Ge) for atom in f.lin.terms if isinstance(atom, Min))


class _Search:
    def __init__(self, bounds: Mapping[Atom, list[Lin]], ranks: dict[Atom, float], budget: int) -> None:
        self.bounds = bounds
        self.ranks = ranks
        self.budget = budget
        self.failed: set[Lin] = set()

    def at_least_zero(self, lin: Lin) -> bool:
        terms = lin.terms
        if not terms:
            return lin.const >= 0
        if lin in self.failed:
            return False
        for atom in sorted(terms, key=self._rank, reverse=True) if len(terms) > 1 else terms:
            c = terms[atom]
            if isinstance(atom, Min) and c > 0:  # every argument must do
                return all(self.at_least_zero(_with_value(lin, atom, arg)) for arg in atom.args)
            for fact in self._facts(atom, c > 0):
                if self.budget <= 0:
                    return False
                self.budget -= 1
                if self.at_least_zero(_subtract(lin, c, fact, fact.terms[atom])):
                    return True
            if not isinstance(atom, Min):  # a minimum that no argument does for may be a bound of what was bound before it
                break
        self.failed.add(lin)
        return False

    def _rank(self, atom: Atom) -> float:
        return _rank(atom, self.ranks)

    def _facts(self, atom: Atom, positive: bool) -> Iterator[Lin]:
        """Forms >= 0 in which atom occurs with that sign and everything else was bound before it, the latest first."""
        yield from (lin for lin in reversed(self.bounds.get(atom, ())) if (lin.terms[atom] > 0) is positive)
        if isinstance(atom, Quot):
            rest = combine(atom.num, 1, of_atom(atom), -atom.den)  # 0 <= num - den * quotient <= den - 1
            if not positive:
                yield rest
                return
            if self.at_least_zero(atom.num):  # the quotient is then >= 0 too, as it is rounded
                yield of_atom(atom)
            yield rest.scale(-1) + (atom.den - 1)
        elif isinstance(atom, Min) and not positive:
            yield from (combine(arg, 1, of_atom(atom), -1) for arg in atom.args)


def _rank(atom: Atom, ranks: dict[Atom, float]) -> float:
    found = ranks.get(atom)
    if found is None:
        found = max((_rank(a, ranks) for part in parts(atom) for a in part.terms), default=-1.0) + NESTED
        ranks[atom] = found
    return found


def _subtract(lin: Lin, c: int, fact: Lin, a: int) -> Lin:
    """A positive multiple of lin less the multiple of fact that cancels the atom with coefficients c and a, in lowest terms."""
    common = gcd(c, a)
    result = combine(lin, abs(a) // common, fact, -(abs(c) // common))
    if result.terms:
        shared = gcd(*result.terms.values())
        if shared > 1:
            return Lin(result.const // shared, {x: k // shared for x, k in result.terms.items()})
    return result


def _with_value(lin: Lin, atom: Atom, value: Lin) -> Lin:
    """lin with atom replaced."""
    return combine(Lin(lin.const, {x: k for x, k in lin.terms.items() if x != atom}), 1, value, lin.terms[atom])
