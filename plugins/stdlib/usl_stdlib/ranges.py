"""Intervals of control values, and how iterators are eliminated from them.

A value that depends on iterators lies between those for the ends of their ranges. The ends of an inner loop may depend on outer
iterators, so inner ones go first. For linear values both ends are reached. Source: interval analysis as in Qian 2024, §4.2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

from usl_stdlib.symbolic import (
    ZERO,
    Atom,
    Extreme,
    Polynomial,
    Quotient,
    Remainder,
    extreme,
    name,
    polynomial,
    quotient,
    with_terms_together,
)


@dataclass(frozen=True, slots=True)
class Range:
    """The integers from lo up to hi, hi excluded: `lo:hi` of a window."""

    lo: Polynomial
    hi: Polynomial

    def __str__(self) -> str:
        return f"{self.lo}:{self.hi}"

    @property
    def size(self) -> Polynomial:
        """How many there are. It may be less than 0 where nothing is in the range, as under a condition that never holds."""
        return with_terms_together(self.hi - self.lo)

    @property
    def most(self) -> int | None:
        """A number that size is seen not to exceed, whatever its names are; None: no number is."""
        return _most(self.size, _SPLITS)

    def at(self, **sizes: int) -> Range:
        """The range for given sizes."""
        return Range(self.lo.at(**sizes), self.hi.at(**sizes))


@dataclass(frozen=True, slots=True)
class Iteration:
    """The name of an iterator and what it ranges over, in terms of those around it."""

    name: str
    range: Range


Iterators = Sequence[Iteration]
"""Iterators, each inside those before it."""


class NotLinear(Exception):
    """An iterator cannot be eliminated: it occurs in a product."""


def end(value: Polynomial, iterators: Iterators, greatest: bool) -> Polynomial:
    """The greatest or the least that value can be while the iterators are in their ranges; it is not exceeded.

    Raises:
        NotLinear: value is a product of iterators.
    """
    for each in reversed(iterators):
        value = without(value, each, greatest)
    return value


def without(value: Polynomial, iterator: Iteration, greatest: bool) -> Polynomial:
    """value at the end of one iterator's range where it is greatest, or least."""
    total = ZERO
    for monomial, factor in value.terms:
        term = Polynomial(((monomial, factor),))
        if not term.mentions(iterator.name):
            total = total + term
        elif len(monomial) == 1:
            total = total + _end_of_atom(monomial[0], iterator, (factor > 0) == greatest) * factor
        else:
            raise NotLinear
    return with_terms_together(total)


def _end_of_atom(atom: Atom, iterator: Iteration, greatest: bool) -> Polynomial:
    match atom:
        case str():
            return iterator.range.hi - 1 if greatest else iterator.range.lo
        case Quotient(of=of, by=by):
            return quotient(without(of, iterator, greatest), by)
        case Remainder(of=of, by=by):
            lo, hi = without(of, iterator, False).constant, without(of, iterator, True).constant
            if lo is not None and hi is not None and lo // by == hi // by:
                return polynomial((hi if greatest else lo) % by)
            return polynomial(by - 1 if greatest else 0)
        case Extreme(op=op, args=args):
            return extreme(op, [without(arg, iterator, greatest) for arg in args])


# ---- comparing


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of names.

    least has values that names are not below (sizes: 1), whole pairs of a value and a number that divides it, around the loops
    around, whose iterators are in their ranges.
    """

    least: Mapping[str, int] = field(default_factory=dict)
    whole: tuple[tuple[Polynomial, int], ...] = ()
    around: tuple[Iteration, ...] = ()

    def simplified(self, value: Polynomial) -> Polynomial:
        """value with exact division in place of `/` where the divisor is known to divide."""

        def change(atom: Atom) -> Polynomial | None:
            if not isinstance(atom, Quotient | Remainder):
                return None
            if not any(atom.of == of and by % atom.by == 0 for of, by in self.whole):
                return None
            return atom.of * Fraction(1, atom.by) if isinstance(atom, Quotient) else ZERO

        return value.map_atoms(change) if self.whole else value

    def nonnegative(self, value: Polynomial) -> bool:
        """Whether value is seen to be at least 0. False says nothing."""
        if value.constant is not None:
            return value.constant >= 0
        try:
            return self._nonnegative(value, _SPLITS)
        except NotLinear:
            return False

    def at_most(self, a: Polynomial, b: Polynomial) -> bool:
        """Whether a <= b is seen to hold."""
        return self.nonnegative(b - a)

    def positive(self, value: Polynomial) -> bool:
        """Whether value is seen to be at least 1."""
        return self.nonnegative(value - 1)

    def _nonnegative(self, value: Polynomial, splits: int) -> bool:
        value = self.simplified(value)
        extremes = sorted(_extremes(value).items(), key=lambda each: each[1])
        for atom, one_is_enough in extremes:
            cases = (self._nonnegative(_put(value, atom, arg), splits - 1) for arg in atom.args)
            return splits > 0 and (any(cases) if one_is_enough else all(cases))
        if splits > 0 and any(self._nonnegative(smaller, splits - 1) for smaller in _without_a_pair(value)):
            return True
        if value.names() & {each.name for each in self.around}:
            return splits > 0 and self._nonnegative(end(value, self.around, greatest=False), splits - 1)
        if self._sum_of_nonnegatives(value):
            return True
        return splits > 0 and any(self._nonnegative(smaller, splits - 1) for smaller in _without_a_quotient(value))

    def _sum_of_nonnegatives(self, value: Polynomial) -> bool:
        """Whether no term is negative when each name is its least value plus a number that is at least 0."""
        shifted = value.substitute({each: name(each) + least for each, least in self.least.items()})
        return _no_term_is_negative(shifted, self.least.keys())


def _without_a_quotient(value: Polynomial) -> Iterator[Polynomial]:
    """Values that value is at least, each with a rational number in place of one quotient.

    `of / by` is more than (of - by) / by, and at most of / by. Which one goes first matters where others make up for it.
    """
    multiplied = {atom for monomial, _ in value.terms for atom in monomial if len(monomial) > 1}
    for monomial, factor in value.terms:
        match monomial:
            case (Quotient(of=of, by=by) as ratio,) if ratio not in multiplied:
                yield _put(value, ratio, (of - (by - 1 if factor > 0 else 0)) * Fraction(1, by))


def _most(value: Polynomial, splits: int) -> int | None:
    """The least number found that value does not exceed."""
    if value.constant is not None:
        return floor(value.constant)
    if not splits:
        return None
    for atom, one_is_enough in _extremes(value * -1).items():
        found = [_most(_put(value, atom, arg), splits - 1) for arg in atom.args]
        known = [each for each in found if each is not None]
        if one_is_enough:
            return min(known, default=None)
        return max(known) if len(known) == len(found) else None
    found = [_most(-larger, splits - 1) for larger in _without_a_pair(-value)]
    return min((each for each in found if each is not None), default=None)


def _without_a_pair(value: Polynomial) -> Iterator[Polynomial]:
    """Values that value is at least, with `(a - b) / by` in place of `a / by - b / by`, which is as much or more.

    a - b is a number: so quotients of values that move together are compared, whatever these are.
    """
    ratios = [
        (atom, factor) for monomial, factor in value.terms if len(monomial) == 1 and isinstance(atom := monomial[0], Quotient)
    ]
    for one, factor in ratios:
        for other, negative in ratios:
            if factor > 0 and negative == -factor and one.by == other.by and (one.of - other.of).constant is not None:
                difference = quotient(one.of - other.of, one.by)
                yield value - _of(one) * factor + _of(other) * factor + difference * factor


def _of(atom: Atom) -> Polynomial:
    return Polynomial((((atom,), 1),))


def _no_term_is_negative(value: Polynomial, nonnegative: Set[str]) -> bool:
    """Whether value is a sum of nonnegative terms, given names that are. A remainder is from 0 to its divisor less 1."""
    total = ZERO
    for monomial, factor in value.terms:
        match monomial:
            case (Remainder(by=by),) if factor < 0:
                total = total + polynomial(by - 1) * factor
            case _:
                total = total + Polynomial(((monomial, factor),))
    atoms = {atom for monomial, _ in total.terms for atom in monomial}
    return all(factor >= 0 for _, factor in total.terms) and all(_is_nonnegative(atom, nonnegative) for atom in atoms)


def _is_nonnegative(atom: Atom, nonnegative: Set[str]) -> bool:
    match atom:
        case str():
            return atom in nonnegative
        case Remainder():
            return True
        case Quotient(of=of):
            return _no_term_is_negative(of, nonnegative)
        case Extreme():
            return False


_SPLITS = 6
"""How many minima, maxima and quotients one comparison looks into."""


def _extremes(value: Polynomial) -> dict[Extreme, bool]:
    """The minima and maxima in a value; true where putting in any one argument makes the value no greater.

    That is so for `-min(...)` and for `max(...)`.
    """
    found: dict[Extreme, bool] = {}
    for monomial, factor in value.terms:
        for atom in monomial:
            if isinstance(atom, Extreme):
                found[atom] = atom not in found and len(monomial) == 1 and (factor > 0) == (atom.op == "max")
    return found


def _put(value: Polynomial, atom: Atom, new: Polynomial) -> Polynomial:
    """value with something else in place of an atom."""
    return value.map_atoms(lambda each: new if each == atom else None)


def least(values: Sequence[Polynomial], known: Known) -> Polynomial:
    """The least of values, as `min` where it is not seen which one that is."""
    return extreme("min", _undominated(values, known.at_most))


def greatest(values: Sequence[Polynomial], known: Known) -> Polynomial:
    """The greatest of values, as `max` where it is not seen which one that is."""
    return extreme("max", _undominated(values, lambda a, b: known.at_most(b, a)))


def _undominated(values: Sequence[Polynomial], better: Callable[[Polynomial, Polynomial], bool]) -> list[Polynomial]:
    """The values that no other is better than; of equal ones the first."""
    kept: list[Polynomial] = []
    for value in values:
        if not any(better(other, value) for other in kept):
            kept = [other for other in kept if not better(value, other)] + [value]
    return kept
