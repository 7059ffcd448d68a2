"""Goals `form >= 0` by replacing each variable with its bound: what settles most bounds of accesses, in microseconds.

The variable bound last (the innermost iterator) goes first: a hypothesis that bounds it by what was bound before is
subtracted, which leaves a form over the latter. Several hypotheses are tried in turn, the latest first, within a small budget;
a quotient has the two that define it. Success is a proof, a non-negative combination of hypotheses; failure says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import gcd

from usl_core.analysis.affine import Atom, Lin, Min, Quot, combine, of_atom, parts
from usl_core.analysis.formula import Const, Eq, Formula, Ge, Or
from usl_core.analysis.models import Witnesses
from usl_core.ir.memo import lazy
from usl_core.ir.sym import Sym
from usl_core.profiling import profiled

BUDGET = 40
"""Subtractions tried for one goal; for one of many terms, two for each."""
MAX_REMEMBERED = 1024
"""Places whose hypotheses are kept, with what was found out from them."""
remembers = True
"""Whether any are."""


class Hypotheses(tuple[Formula, ...]):
    """Formulas taken as true, with what finds those that bound a variable. Immutable, like every tuple."""

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
        """For each atom when it occurred first; a quotient or minimum comes just after the last variable in it."""
        ranks: dict[Atom, float] = {}
        for position, f in enumerate(self):
            if isinstance(f, Ge | Eq):
                for atom in f.lin.terms:
                    ranks.setdefault(atom, float(position))
        for atom in [a for a in ranks if isinstance(a, Quot | Min)]:
            ranks[atom] = _rank(atom, ranks)
        return ranks

    @lazy
    def _bounds(self) -> Mapping[Atom, list[Lin]]:
        """The forms known to be >= 0, each with the atom in it that was bound last."""
        ranks = self._ranks
        by_atom: dict[Atom, list[Lin]] = {}
        for f in self:
            if isinstance(f, Ge | Eq) and f.lin.terms:
                last = max(f.lin.terms, key=ranks.__getitem__)
                by_atom.setdefault(last, []).append(f.lin)
                if isinstance(f, Eq):
                    by_atom[last].append(-f.lin)
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

    def _bound(self, goal: Formula) -> bool:
        match goal:
            case Ge(lin=lin):
                return _Search(self._bounds, self._ranks, max(BUDGET, 2 * len(lin.terms))).at_least_zero(lin)
            case Eq(lin=lin):
                return self._bound(Ge(lin)) and self._bound(Ge(-lin))
            case Or(args=args):
                return any(self._bound(arg) for arg in args)
            case Const(value=value):
                return value or self._contradictory
            case _:
                return False

    @lazy
    def _contradictory(self) -> bool:
        """Whether an equation (of two places that might meet, say) has sides that the inequalities keep apart."""
        equations = [f.lin for f in self if isinstance(f, Eq)]
        rest = Hypotheses(f for f in self if not isinstance(f, Eq)) if equations else self
        return any(rest.bound(Ge(side - 1)) for lin in equations for side in (lin, -lin))


@lru_cache(maxsize=MAX_REMEMBERED)
def _at(facts: tuple[Formula, ...]) -> Hypotheses:
    return Hypotheses(facts)


class _Search:
    def __init__(self, bounds: Mapping[Atom, list[Lin]], ranks: Mapping[Atom, float], budget: int) -> None:
        self.bounds = bounds
        self.ranks = ranks
        self.budget = budget

    def at_least_zero(self, lin: Lin) -> bool:
        terms = lin.terms
        if not terms:
            return lin.const >= 0
        atom = max(terms, key=self._rank) if len(terms) > 1 else next(iter(terms))
        c = terms[atom]
        if isinstance(atom, Min) and c > 0:  # every argument must do
            return all(self.at_least_zero(_with_value(lin, atom, arg)) for arg in atom.args)
        for fact in self._facts(atom, c > 0):
            if self.budget <= 0:
                return False
            self.budget -= 1
            if self.at_least_zero(_subtract(lin, c, fact, fact.terms[atom])):
                return True
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


def _rank(atom: Atom, ranks: Mapping[Atom, float]) -> float:
    if isinstance(atom, Quot | Min):
        return max((_rank(a, ranks) for part in parts(atom) for a in part.terms), default=-1.0) + 0.5
    return ranks.get(atom, -1.0)


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
