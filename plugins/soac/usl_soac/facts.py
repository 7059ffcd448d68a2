"""What is known about sizes at a place: equations, applied as rewrites, and inequalities, for linear arithmetic on a few terms.

Inequalities are of integers, while terms wrap (`sizes`). So a comparison is used, as a fact or as a goal, only where bounds of
what stands in it show that neither side wraps; else the answer is "not known". Facts never change what a program means.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import gcd

from usl_core.ir.sym import Sym
from usl_soac.sizes import (
    SIZE_LIMIT,
    ZERO,
    Apply,
    Choice,
    Compare,
    Monomial,
    Term,
    literal,
    name,
    of,
    show_atom,
    substitute,
    substitute_compare,
)

_WIDEST = 2**63
_MOST_FACTS = 8  # relevant inequalities that one proof may use, besides those that bound a single name
_MOST_ROWS = 400  # of an elimination: more is "not known"

# A row of integers: the sum of coefficient * monomial, with the constant under (), is >= 0.
Row = dict[Monomial, int]
Bounds = tuple[int, int]


@dataclass(frozen=True)
class Facts:
    """What holds here. A Facts never changes; `assume` and `with_sizes` give larger ones."""

    rewrites: dict[Sym, Term] = field(default_factory=dict)
    bounds: dict[Monomial, Bounds] = field(default_factory=dict)
    rows: tuple[Row, ...] = ()
    tests: tuple[Compare, ...] = ()  # comparisons that hold, as they were assumed

    def normal(self, term: Term) -> Term:
        """term with the equations applied."""
        return substitute(term, self.rewrites)

    def equal(self, left: Term, right: Term) -> bool:
        """Whether the forms are equal after the equations."""
        return left == right or self.normal(left) == self.normal(right)

    def with_sizes(self, terms: Iterable[Term]) -> Facts:
        """These are lengths of arrays that are passed: at least 0, at most SIZE_LIMIT."""
        return self._with_lengths(terms, SIZE_LIMIT)

    def with_lengths(self, terms: Iterable[Term]) -> Facts:
        """These are lengths of arrays that a program computes, at least 0; it may count one that it never makes."""
        return self._with_lengths(terms, _WIDEST - 1)

    def _with_lengths(self, terms: Iterable[Term], most: int) -> Facts:
        facts = self
        for term in terms:
            facts = facts._bounded(self.normal(term), 0, most)
        return facts

    def assume(self, test: Compare) -> Facts:
        """These facts and test, which holds."""
        facts = self
        if test.op == "==":
            facts = facts._with_equation(test)
        here = substitute_compare(test, facts.rewrites)
        facts = replace(facts, tests=(*facts.tests, test))
        match here.op:
            case "==":
                return facts._at_most(here.left, here.right, 0)._at_most(here.right, here.left, 0)
            case "<=":
                return facts._at_most(here.left, here.right, 0)
            case "<":
                return facts._at_most(here.left, here.right, 1)
            case "!=":
                return facts._unequal(here)

    def proves(self, test: Compare) -> bool:
        """Whether test certainly holds here; False says only that it is not known."""
        here = substitute_compare(test, self.rewrites)
        if here.known is not None:
            return here.known
        if any(here == substitute_compare(known, self.rewrites) for known in self.tests):
            return True
        match here.op:
            case "==":
                return self._proves_at_most(here.left, here.right, 0) and self._proves_at_most(here.right, here.left, 0)
            case "!=":
                return self._proves_at_most(here.left, here.right, 1) or self._proves_at_most(here.right, here.left, 1)
            case "<=":
                return self._proves_at_most(here.left, here.right, 0)
            case "<":
                return self._proves_at_most(here.left, here.right, 1)

    def range_of(self, term: Term) -> Bounds:
        """Bounds of the sum that term is, in the integers; the term wraps only if they leave those of an i64."""
        low = high = 0
        for monomial, coefficient in term.parts:
            ends = [coefficient * end for end in self._range(monomial)]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def is_exact(self, term: Term) -> bool:
        """Whether term certainly does not wrap."""
        low, high = self.range_of(term)
        return low >= -_WIDEST and high < _WIDEST

    def counts(self, term: Term) -> bool:
        """Whether no product in term wraps either: elsewhere a product is a number of its own, whatever its factors are."""
        for monomial, _ in term.parts:
            most = 1
            for atom in monomial:
                most *= max(map(abs, self._range((atom,))))
            if most >= _WIDEST:
                return False
        return self.is_exact(term)

    def _range(self, monomial: Monomial) -> Bounds:
        if not monomial:
            return 1, 1
        known = self.bounds.get(monomial, (-_WIDEST, _WIDEST - 1))
        if len(monomial) == 1:
            return _meet(known, self._atom_range(monomial))
        ends = (1, 1)
        for atom in monomial:
            low, high = self._range((atom,))
            corners = [a * b for a in ends for b in (low, high)]
            ends = (min(corners), max(corners))
        # A product that may wrap can have any value.
        return _meet(known, ends) if ends[0] >= -_WIDEST and ends[1] < _WIDEST else known

    def _atom_range(self, monomial: Monomial) -> Bounds:
        widest = (-_WIDEST, _WIDEST - 1)
        match monomial[0]:
            case Apply("//", (dividend, divisor)) if (divisor.constant or 0) > 0 and self.is_exact(dividend):
                low, high = self.range_of(dividend)
                assert divisor.constant is not None
                return low // divisor.constant, high // divisor.constant
            case Apply("min" | "max" as op, args) if all(map(self.is_exact, args)):
                ranges = [self.range_of(arg) for arg in args]
                choose = min if op == "min" else max
                return choose(low for low, _ in ranges), choose(high for _, high in ranges)
            case Choice(_, yes, no) if self.is_exact(yes) and self.is_exact(no):
                (a, b), (c, d) = self.range_of(yes), self.range_of(no)
                return min(a, c), max(b, d)
        return widest

    def _bounded(self, term: Term, low: int, high: int) -> Facts:
        match term.parts:
            case (((first, *rest), 1),):
                monomial = (first, *rest)
                known = self.bounds.get(monomial, (-_WIDEST, _WIDEST - 1))
                return replace(self, bounds={**self.bounds, monomial: _meet(known, (low, high))})
            case _:
                pass
        if term.constant is not None or not self.is_exact(term):
            return self
        return replace(self, rows=(*self.rows, _row(term, -low), _row_of_difference(ZERO, term, high)))

    def _with_equation(self, test: Compare) -> Facts:
        difference = self.normal(test.left) - self.normal(test.right)
        solved = _solve(difference)
        if solved is None:
            return self
        old, new = solved
        rewrites = {key: substitute(value, {old: new}) for key, value in self.rewrites.items()}
        facts = replace(self, rewrites={**rewrites, old: new})
        known = self.bounds.get((old,))
        # What was known of the name holds of its term; rows keep the name, so the equation goes there too.
        if known is not None:
            facts = facts._bounded(new, *known)
        return facts._at_most(name(old), new, 0)._at_most(new, name(old), 0)

    def _at_most(self, left: Term, right: Term, gap: int) -> Facts:
        """These facts and left + gap <= right."""
        if not (self.is_exact(left) and self.is_exact(right)):
            return self
        facts = self
        low, _ = self.range_of(left)
        _, high = self.range_of(right)
        facts = facts._bounded(right, low + gap, _WIDEST - 1) if _is_single(right) else facts
        facts = facts._bounded(left, -_WIDEST, high - gap) if _is_single(left) else facts
        row = _row_of_difference(right, left, -gap)
        return facts if all(not monomial for monomial in row) else replace(facts, rows=(*facts.rows, row))

    def _unequal(self, test: Compare) -> Facts:
        if self._proves_at_most(test.left, test.right, 0):
            return self._at_most(test.left, test.right, 1)
        if self._proves_at_most(test.right, test.left, 0):
            return self._at_most(test.right, test.left, 1)
        return self

    def _proves_at_most(self, left: Term, right: Term, gap: int) -> bool:
        if not (self.is_exact(left) and self.is_exact(right)):
            return False
        for side, op, other in ((left, "max", right), (right, "min", left)):
            for (atom, *more), factor in ((m, f) for m, f in side.parts if m and f > 0):
                if not more and isinstance(atom, Apply) and atom.op == op:  # the extreme of several: it holds of each of them
                    cases = [side - of(atom) * factor + arg * factor for arg in atom.args]
                    pairs = [(each, other) if side is left else (other, each) for each in cases]
                    return all(self._proves_at_most(*pair, gap) for pair in pairs)
        # The opposite, left + gap - 1 >= right, must have no solution.
        goal = _row_of_difference(left, right, gap - 1)
        rows = self._relevant(goal)
        return rows is not None and _infeasible([goal, *rows])

    def _relevant(self, goal: Row) -> list[Row] | None:
        """The inequalities that are connected to the goal by what stands in them, with the bounds of that."""
        seen = {monomial for monomial in goal if monomial}
        chosen: list[Row] = []
        remaining = [*self.rows]
        done: set[Monomial] = set()
        while True:
            for monomial in seen - done:
                remaining.extend(self._axioms(monomial))
            done |= seen
            connected = [row for row in remaining if not seen.isdisjoint(row)]
            if not connected or len(chosen) >= _MOST_FACTS:
                break
            chosen.extend(connected)
            remaining = [row for row in remaining if seen.isdisjoint(row)]
            seen |= {monomial for row in connected for monomial in row if monomial}
        for monomial in seen:
            low, high = self._range(monomial)
            if low > -_WIDEST:
                chosen.append({monomial: 1, (): -low})
            if high < _WIDEST - 1:
                chosen.append({monomial: -1, (): high})
        return chosen

    def _axioms(self, monomial: Monomial) -> list[Row]:
        """What holds of an atom by its meaning."""
        if len(monomial) != 1:
            return []
        self_term = of(monomial[0])
        match monomial[0]:
            case Apply("//", (dividend, divisor)) if (divisor.constant or 0) > 0 and self.is_exact(dividend):
                k = divisor.constant
                assert k is not None
                below = _row_of_difference(dividend, ZERO, 0)
                below[monomial] = below.get(monomial, 0) - k
                above = {key: -value for key, value in below.items()}
                above[()] = above.get((), 0) + k - 1
                return [below, above]
            case Apply("min", args):
                return [_row_of_difference(arg, self_term, 0) for arg in args if self.is_exact(arg)]
            case Apply("max", args):
                return [_row_of_difference(self_term, arg, 0) for arg in args if self.is_exact(arg)]
            case _:
                return []


def _meet(a: Bounds, b: Bounds) -> Bounds:
    # An empty meeting is a contradiction: the place is never reached, and either bounds are right.
    met = max(a[0], b[0]), min(a[1], b[1])
    return met if met[0] <= met[1] else a


def _is_single(term: Term) -> bool:
    return len(term.parts) == 1 and term.parts[0][1] == 1 and bool(term.parts[0][0])


def _row(term: Term, shift: int) -> Row:
    row: Row = dict(term.parts)
    row[()] = row.get((), 0) + shift
    return row


def _row_of_difference(left: Term, right: Term, shift: int) -> Row:
    """left - right + shift, in the integers: a Term's coefficients would wrap."""
    row: Row = dict(left.parts)
    for monomial, coefficient in right.parts:
        row[monomial] = row.get(monomial, 0) - coefficient
    row[()] = row.get((), 0) + shift
    return {monomial: coefficient for monomial, coefficient in row.items() if coefficient or not monomial}


def _solve(difference: Term) -> tuple[Sym, Term] | None:
    """A name and the term that it equals where difference is 0: the last name in order, so that nothing else decides."""
    best: tuple[Sym, Term] | None = None
    for monomial, coefficient in difference.parts:
        if len(monomial) != 1 or coefficient not in (1, -1) or not isinstance(monomial[0], Sym):
            continue
        rest = Term(tuple(part for part in difference.parts if part[0] != monomial))
        if monomial[0] not in rest.names() and (best is None or best[0] < monomial[0]):
            best = monomial[0], rest * -coefficient
    return best


def _infeasible(rows: list[Row]) -> bool:
    """Whether no integers satisfy all rows, by the elimination of Fourier and Motzkin; False where that takes too many rows."""
    current = [_tightened(row) for row in rows]
    while True:
        if any(len(row) <= 1 and row.get((), 0) < 0 for row in current):
            return True
        monomials = {monomial for row in current for monomial in row if monomial}
        if not monomials:
            return False
        # The one with the fewest new rows first; the text makes the choice the same in every run.
        chosen = min(monomials, key=lambda m: (_new_rows(current, m), _text(m)))
        current = _eliminated(current, chosen)
        if len(current) > _MOST_ROWS:
            return False


def _text(monomial: Monomial) -> str:
    return "*".join(show_atom(atom, repr) for atom in monomial)


def _new_rows(rows: list[Row], monomial: Monomial) -> int:
    positive = sum(row.get(monomial, 0) > 0 for row in rows)
    negative = sum(row.get(monomial, 0) < 0 for row in rows)
    return positive * negative - positive - negative


def _eliminated(rows: list[Row], monomial: Monomial) -> list[Row]:
    positive = [row for row in rows if row.get(monomial, 0) > 0]
    negative = [row for row in rows if row.get(monomial, 0) < 0]
    result = {_key(row): row for row in rows if not row.get(monomial, 0)}
    for above in positive:
        for below in negative:
            row = _tightened(_combined(above, -below[monomial], below, above[monomial]))
            result[_key(row)] = row
    return list(result.values())


def _key(row: Row) -> frozenset[tuple[Monomial, int]]:
    return frozenset(row.items())


def _combined(a: Row, a_factor: int, b: Row, b_factor: int) -> Row:
    return {m: a.get(m, 0) * a_factor + b.get(m, 0) * b_factor for m in {*a, *b}}


def _tightened(row: Row) -> Row:
    """The row divided by what divides all its coefficients, the constant rounded down."""
    kept = {m: c for m, c in row.items() if m and c}
    divisor = gcd(*kept.values())
    if divisor > 1:
        kept = {m: c // divisor for m, c in kept.items()}
    kept[()] = row.get((), 0) // divisor if divisor > 1 else row.get((), 0)
    return kept


def facts_of(*tests: Compare, sizes: Iterable[Sym] = ()) -> Facts:
    """The facts that these comparisons are, with these names lengths of arrays."""
    facts = Facts().with_sizes([name(size) for size in sizes])
    for test in tests:
        facts = facts.assume(test)
    return facts


def at_least_zero(term: Term) -> Compare:
    return Compare("<=", literal(0), term)
