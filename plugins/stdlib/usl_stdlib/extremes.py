"""The ends of a value over iterators whose terms move together, as in `i - i / 2` and `max(i, 3) - min(i, 3)`.

Where all terms of a value grow with an iterator, its end is at an end of the range. Otherwise the iterator is replaced, for one
remainder after the other, by `K * q + r`, so that quotients of it are sums; and a minimum is looked at where either argument
is the smaller one, in the part of the range where it is. What is left is bounded term by term.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from usl_stdlib.ranges import Iteration, Iterators, Known, NotLinear, Range, end, greatest, least, without
from usl_stdlib.symbolic import Atom, Extreme, Polynomial, Quotient, Remainder, extreme, name, quotient, with_terms_together

Case = tuple[Polynomial, tuple[Iteration, ...]]
"""A value, and the ranges of iterators for which it stands."""
MOST_REMAINDERS = 64
"""How many remainders of one iterator are looked at where its range is between two numbers."""
FEW_REMAINDERS = 8
"""How many where it is not: each may give another end."""
MOST_ENDS = 4
"""How many ends one value has at most, `max` of which is its end."""
MOST_CASES = 200
"""How many cases of one value are looked at; what goes beyond is bounded term by term."""


def tight_end(value: Polynomial, iterators: Iterators, upper: bool, known: Known | None = None) -> Polynomial:
    """The greatest or the least that value can be while the iterators are in their ranges; it is not exceeded.

    Raises:
        NotLinear: value is a product of iterators.
    """
    known = known or Known()
    plain = end(value, iterators, upper)
    if not _is_correlated(value, iterators):
        return plain
    found = _Search(upper, known).end(value, tuple(iterators))
    if found is None:
        return plain
    worse = known.at_most(found, plain) if upper else known.at_most(plain, found)
    better = known.at_most(plain, found) if upper else known.at_most(found, plain)
    return plain if better and not worse else found


def _is_correlated(value: Polynomial, iterators: Iterators) -> bool:
    """Whether an iterator occurs in several places of value, not all of which grow the same way."""
    return any(_direction(value, each.name) is None for each in iterators)


@dataclass
class _Search:
    upper: bool
    known: Known
    cases: int = 0

    def end(self, value: Polynomial, iterators: tuple[Iteration, ...]) -> Polynomial | None:
        """The end of value; None if nothing is in the ranges."""
        while iterators and not value.mentions(iterators[-1].name):
            if _is_empty(iterators[-1].range):
                return None
            iterators = iterators[:-1]
        if not iterators:
            return value
        inner, outer = iterators[-1], iterators[:-1]
        if _is_empty(inner.range):
            return None
        way = _direction(value, inner.name)
        if way is not None:
            place = inner.range.hi - 1 if (way > 0) == self.upper else inner.range.lo
            return self.end(with_terms_together(value.substitute({inner.name: place})), outer)
        self.cases += 1
        cases = list(self._cases(value, inner, outer)) if self.cases <= MOST_CASES else []
        if not cases:
            return self.end(without(value, inner, self.upper), outer)
        ends = [found for part, each in cases if (found := self.end(part, each)) is not None]
        if not ends:
            return None
        found = (greatest if self.upper else least)(list(dict.fromkeys(ends)), self.known)
        if _count(found) > MOST_ENDS:
            return self.end(without(value, inner, self.upper), outer)
        return found

    def _cases(self, value: Polynomial, inner: Iteration, outer: tuple[Iteration, ...]) -> Iterator[Case]:
        """Values for parts of the range; none where it is not known how to take value apart."""
        parts = list(_cases_of_remainders(_without_remainders(value, inner.name), inner))
        if parts:
            return ((part, (*outer, each)) for part, each in parts)
        atom = _innermost(value, inner.name)
        return iter(()) if atom is None else _cases_of_extreme(value, atom, inner, outer)


def _count(value: Polynomial) -> int:
    """How many values the minima and maxima of a value are of."""
    return sum(len(atom.args) for atom in _atoms(value) if isinstance(atom, Extreme))


def _is_empty(of: Range) -> bool:
    size = of.size.constant
    return size is not None and size <= 0


# ---- minima and maxima


def _innermost(value: Polynomial, iterator: str) -> Extreme | None:
    """A minimum or maximum with an iterator in it, in which there is no other such."""
    for atom in _atoms(value):
        if not _mentions(atom, iterator):
            continue
        parts = atom.args if isinstance(atom, Extreme) else (atom.of,) if isinstance(atom, Quotient | Remainder) else ()
        inside = next((found for part in parts if (found := _innermost(part, iterator)) is not None), None)
        if inside is not None:
            return inside
        if isinstance(atom, Extreme):
            return atom
    return None


def _cases_of_extreme(value: Polynomial, atom: Extreme, inner: Iteration, outer: tuple[Iteration, ...]) -> Iterator[Case]:
    first, *others = atom.args
    rest = extreme(atom.op, others)
    ahead = [first - other if atom.op == "max" else other - first for other in others]  # all >= 0 where the first one is it
    behind = [-each for each in ahead] if len(ahead) == 1 else []
    for chosen, conditions in ((first, ahead), (rest, behind)):
        ranges = (*outer, inner)
        for condition in conditions:
            ranges = _where(condition, ranges[-1], ranges[:-1])
        yield value.map_atoms(lambda each, chosen=chosen: chosen if each == atom else None), ranges  # type: ignore[misc]


def _where(nonnegative: Polynomial, inner: Iteration, outer: tuple[Iteration, ...]) -> tuple[Iteration, ...]:
    """Parts of ranges that hold all iterations in which a value is >= 0, as far as it is linear."""
    scaled = nonnegative * lcm(*(Fraction(factor).denominator for _, factor in nonnegative.terms))
    factor = int(scaled.coefficient(inner.name))
    rest = scaled - name(inner.name) * factor
    lo, hi = inner.range.lo, inner.range.hi
    if rest.mentions(inner.name):
        return (*outer, inner)
    if factor > 0:
        part = Range(extreme("max", [lo, -quotient(rest, factor)]), hi)
    elif factor < 0:
        part = Range(lo, extreme("min", [hi, quotient(rest, -factor) + 1]))
    else:
        part = inner.range
    best = rest + (hi - 1 if factor > 0 else lo) * factor  # for none of the others can it be more
    return (*(_where(best, outer[-1], outer[:-1]) if outer else ()), Iteration(inner.name, part))


# ---- quotients


def _cases_of_remainders(value: Polynomial, inner: Iteration) -> Iterator[tuple[Polynomial, Iteration]]:
    period = lcm(*(_period(atom, inner.name) for atom in _atoms(value)))
    if not 1 < period <= (FEW_REMAINDERS if inner.range.size.constant is None else MOST_REMAINDERS):
        return
    other = f"{inner.name}'"
    for rest in range(period):
        lo = -quotient(-inner.range.lo + rest, period)
        hi = quotient(inner.range.hi - (rest + 1), period) + 1
        yield value.substitute({inner.name: name(other) * period + rest}), Iteration(other, Range(lo, hi))


def _period(atom: Atom, iterator: str) -> int:
    """A number such that an atom is a sum in q where the iterator is that times q, and something."""
    match atom:
        case Quotient(of=of, by=by) if of.mentions(iterator):
            inside = lcm(*(_period(each, iterator) for each in _atoms(of)))
            factor = of.coefficient(iterator)
            return by // gcd(by, int(factor)) if inside == 1 and Fraction(factor).denominator == 1 else inside * by
        case Extreme(args=args):
            return lcm(*(_period(each, iterator) for arg in args for each in _atoms(arg)))
        case _:
            return 1


def _without_remainders(value: Polynomial, iterator: str) -> Polynomial:
    """value with `x - k * (x / k)` in place of `x % k`, and one quotient in place of a quotient of a quotient."""

    def change(atom: Atom) -> Polynomial | None:
        match atom:
            case Remainder(of=of, by=by) if of.mentions(iterator):
                inside = of.map_atoms(change)
                return inside - _joined(inside, by) * by
            case Quotient(of=of, by=by) if of.mentions(iterator):
                return _joined(of.map_atoms(change), by)
            case _:
                return None

    return value.map_atoms(change)


def _joined(of: Polynomial, by: int) -> Polynomial:
    """`of / by`; `(x / a + b) / by` is `(x + a * b) / (a * by)`."""
    inside = [(monomial[0], factor) for monomial, factor in of.terms if len(monomial) == 1]
    quotients = [atom for atom, factor in inside if isinstance(atom, Quotient) and factor == 1]
    if len(quotients) != 1:
        return quotient(of, by)
    atom = quotients[0]
    rest = of - Polynomial((((atom,), 1),))
    return quotient(atom.of + rest * atom.by, atom.by * by)


# ---- how values depend on an iterator


def _direction(value: Polynomial, iterator: str) -> int | None:
    """1 if value does not fall where the iterator grows, -1 if it does not rise, 0 if it does neither; None: unknown.

    Raises:
        NotLinear: the iterator occurs in a product.
    """
    ways = set()
    for monomial, factor in value.terms:
        if not any(_mentions(atom, iterator) for atom in monomial):
            continue
        if len(monomial) != 1:
            raise NotLinear
        way = _direction_of_atom(monomial[0], iterator)
        if way is None:
            return None
        ways.add(way if factor > 0 else -way)
    return _common(ways)


def _direction_of_atom(atom: Atom, iterator: str) -> int | None:
    match atom:
        case str():
            return 1 if atom == iterator else 0
        case Quotient(of=of):
            return _direction(of, iterator)
        case Remainder(of=of):
            return None if of.mentions(iterator) else 0
        case Extreme(args=args):
            ways = [_direction(arg, iterator) for arg in args]
            known = {way for way in ways if way is not None}
            return _common(known) if len(known) == len(set(ways)) else None


def _common(ways: set[int]) -> int | None:
    moving = ways - {0}
    return None if len(moving) > 1 else next(iter(moving), 0)


def _atoms(value: Polynomial) -> list[Atom]:
    """The atoms of the terms of value, in its order."""
    return [atom for monomial, _ in value.terms for atom in monomial]


def _mentions(atom: Atom, iterator: str) -> bool:
    match atom:
        case str():
            return atom == iterator
        case Quotient(of=of) | Remainder(of=of):
            return of.mentions(iterator)
        case Extreme(args=args):
            return any(arg.mentions(iterator) for arg in args)


def hull(values: Sequence[Polynomial], iterators: Iterators, known: Known | None = None) -> Range:
    """A range that holds all these values while the iterators are in their ranges.

    Raises:
        NotLinear: one is a product of iterators.
    """
    known = known or Known()
    lo = least([tight_end(value, iterators, False, known) for value in values], known)
    hi = greatest([tight_end(value, iterators, True, known) for value in values], known)
    return Range(lo, hi + 1)
