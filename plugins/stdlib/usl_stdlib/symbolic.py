"""Symbolic numbers: polynomials with rational coefficients over sizes, iterators, and what index arithmetic makes of them.

They are what inspection answers with: `16 * io + 16` as the end of a region, `M * N * K` as a number of accesses. A value of
degree 1 prints as an expression that operators accept. Nothing here is trusted; operators prove what they are told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb, lcm
from typing import Any

from usl_core.cursors import (
    BinaryOpCursor,
    ExternFunctionCursor,
    LiteralCursor,
    ReadCursor,
    UnaryMinusCursor,
)


@dataclass(frozen=True, slots=True)
class Quotient:
    """`of / by`, rounded to minus infinity."""

    of: Polynomial
    by: int

    def __str__(self) -> str:
        return f"{_factor(self.of)} / {self.by}"


@dataclass(frozen=True, slots=True)
class Remainder:
    """`of % by`, from 0 to by - 1."""

    of: Polynomial
    by: int

    def __str__(self) -> str:
        return f"{_factor(self.of)} % {self.by}"


@dataclass(frozen=True, slots=True)
class Extreme:
    """`min(args)` or `max(args)`."""

    op: str
    args: tuple[Polynomial, ...]

    def __str__(self) -> str:
        text = str(self.args[0])
        for arg in self.args[1:]:  # the object language has them for two values
            text = f"{self.op}({text}, {arg})"
        return text


Number = int | Fraction

Atom = str | Quotient | Remainder | Extreme
"""A name as printed, or an operation that is not a polynomial."""

Monomial = tuple[Atom, ...]
"""A product of atoms, sorted by their text; an atom occurs as often as its power."""


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of monomials with coefficients other than 0. Equality is structural; `+ - *` work with ints too."""

    terms: tuple[tuple[Monomial, Number], ...] = ()

    def __add__(self, other: Polynomial | int) -> Polynomial:
        terms = polynomial(other).terms
        return _collect((*self.terms, *terms)) if terms and self.terms else Polynomial(terms or self.terms)

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        return self + -polynomial(other)

    def __neg__(self) -> Polynomial:
        return Polynomial(tuple((monomial, -factor) for monomial, factor in self.terms))

    def __rsub__(self, other: int) -> Polynomial:
        return polynomial(other) - self

    def __mul__(self, other: Polynomial | Number) -> Polynomial:
        factor = polynomial(other)
        if factor.terms == ONE.terms:
            return self
        return _collect((_sorted(a + b), x * y) for a, x in self.terms for b, y in factor.terms)

    __radd__ = __add__
    __rmul__ = __mul__

    def __str__(self) -> str:
        return _show(self)

    @property
    def constant(self) -> Number | None:
        """The value, if it depends on nothing."""
        if not self.terms:
            return 0
        return self.terms[0][1] if self.terms[0][0] == () and len(self.terms) == 1 else None

    def mentions(self, name: str) -> bool:
        """Whether the value may depend on a name."""
        return name in self.names()

    def names(self) -> frozenset[str]:
        """The names that occur."""
        return frozenset(name for monomial, _ in self.terms for atom in monomial for name in _names(atom))

    def coefficient(self, name: str) -> Number:
        """The factor of name alone, 0 if there is none."""
        return dict(self.terms).get((name,), 0)

    def is_linear_in(self, names: Set[str]) -> bool:
        """Whether these names occur in `c * name` only."""
        inside = [monomial for monomial, _ in self.terms if any(names & _names(atom) for atom in monomial)]
        return all(len(monomial) == 1 and isinstance(monomial[0], str) for monomial in inside)

    def substitute(self, values: Mapping[str, Polynomial | int]) -> Polynomial:
        """The value with others in place of names."""
        if not self.names() & values.keys():
            return self
        return self.map_atoms(lambda atom: polynomial(values[atom]) if isinstance(atom, str) and atom in values else None)

    def map_atoms(self, change: Callable[[Atom], Polynomial | None]) -> Polynomial:
        """The value with other values in place of atoms, also inside of others; None leaves an atom as it is."""
        total = Polynomial()
        for monomial, factor in self.terms:
            product = polynomial(factor)
            for atom in monomial:
                product = product * _changed(atom, change)
            total = total + product
        return total

    def at(self, **sizes: int) -> Polynomial:
        """The value for given sizes, a constant if they are all that it depends on: `p.at(n=64)`."""
        return self.substitute(sizes)

    def value(self, **sizes: int) -> Number:
        """The number for given sizes.

        Raises:
            ValueError: it depends on more than these.
        """
        found = self.at(**sizes).constant
        if found is None:
            raise ValueError(f"{self} depends on {', '.join(sorted(self.names() - sizes.keys()))}")
        return found


ZERO, ONE = Polynomial(), Polynomial((((), 1),))


def polynomial(value: Polynomial | Number) -> Polynomial:
    """A number as a polynomial."""
    if isinstance(value, Polynomial):
        return value
    return Polynomial((((), value),)) if value else ZERO


def name(spelling: str) -> Polynomial:
    """The value of a size or an iterator."""
    return Polynomial((((spelling,), 1),))


def quotient(of: Polynomial, by: int) -> Polynomial:
    """`of / by`, rounded to minus infinity: what by divides is taken out."""
    whole, rest = _split(of, by)
    known = rest.constant
    floor = polynomial(known // by) if known is not None else _atom(Quotient(rest, by))
    return whole * Fraction(1, by) + floor


def remainder(of: Polynomial, by: int) -> Polynomial:
    """`of % by`."""
    _, rest = _split(of, by)
    known = rest.constant
    return polynomial(known % by) if known is not None else _atom(Remainder(rest, by))


def extreme(op: str, args: Iterable[Polynomial]) -> Polynomial:
    """`min` or `max` of values. Of those that differ by a number only one remains."""
    given = list(args)
    kept = _undominated(op, list(_flat(op, given)))
    if len(given) > 1:
        sums = list(_with_sums_apart(op, given))
        apart = _undominated(op, sums)
        kept = apart if len(apart) < len(sums) else kept  # else it would only be longer
    return kept[0] if len(kept) == 1 else _atom(Extreme(op, tuple(sorted(kept, key=str))))


def _undominated(op: str, args: Iterable[Polynomial]) -> list[Polynomial]:
    kept: list[Polynomial] = []
    for arg in args:
        for position, other in enumerate(kept):
            difference = (arg - other).constant
            if difference is not None:
                kept[position] = other if (difference > 0) == (op == "min") else arg
                break
        else:
            kept.append(arg)
    return kept


def _flat(op: str, args: Iterable[Polynomial]) -> Iterator[Polynomial]:
    """The arguments, and in place of those that are `op` of others, these."""
    for arg in args:
        match arg.terms:
            case (((Extreme(op=inner, args=nested),), factor),) if inner == op and factor == 1:
                yield from nested
            case _:
                yield arg


def _with_sums_apart(op: str, args: Iterable[Polynomial]) -> Iterator[Polynomial]:
    """`_flat`, and in place of a sum of something and `op` of others, the sums with these."""
    for arg in args:
        single = [(monomial[0], factor) for monomial, factor in arg.terms if len(monomial) == 1]
        match [(atom, factor) for atom, factor in single if isinstance(atom, Extreme)]:
            case [(Extreme(op=inner, args=nested) as atom, 1)] if inner == op:
                yield from _with_sums_apart(op, [arg - _atom(atom) + each for each in nested])
            case _:
                yield arg


def with_terms_together(value: Polynomial) -> Polynomial:
    """What cancels inside of a minimum or maximum goes into it: `4 * i + min(4, n - 4 * i)` is `min(4 * i + 4, n)`."""
    for monomial, factor in value.terms:
        match monomial:
            case (Extreme(op=op, args=args) as atom,) if factor == 1:
                inside = [dict(arg.terms) for arg in args]
                moves = [each for each in value.terms if each[0] and any(arg.get(each[0]) == -each[1] for arg in inside)]
                moved = Polynomial(tuple(moves))
                if moved.terms:
                    return value - _atom(atom) - moved + extreme(op, [arg + moved for arg in args])
    return value


def sum_over(value: Polynomial, iterator: str, lo: Polynomial, hi: Polynomial) -> Polynomial | None:
    """The sum of value for iterator from lo up to hi (excluded), lo <= hi; None if value is no polynomial in it.

    Source: Faulhaber's formula, Graham, Knuth, Patashnik 1994, Concrete Mathematics, §6.5.
    """
    total = ZERO
    for monomial, factor in value.terms:
        power = monomial.count(iterator)
        rest = Polynomial(((tuple(atom for atom in monomial if atom != iterator), factor),))
        if rest.mentions(iterator):
            return None
        if not power:
            total = total + rest * (hi - lo)
            continue
        total = total + rest * (_at(_power_sum(power), hi) - _at(_power_sum(power), lo))
    return total


@cache
def _power_sum(power: int) -> tuple[Fraction, ...]:
    """Coefficients of 1, m, m^2, ... in the sum of x^power over 0 <= x < m."""
    total = [Fraction(0)] * (power + 2)
    total[power + 1] = Fraction(1)
    for lower in range(power):
        for degree, coefficient in enumerate(_power_sum(lower)):
            total[degree] -= comb(power + 1, lower) * coefficient
    return tuple(coefficient / (power + 1) for coefficient in total)


def _at(coefficients: tuple[Fraction, ...], value: Polynomial) -> Polynomial:
    """Horner's rule."""
    total = ZERO
    for coefficient in reversed(coefficients):
        total = total * value + polynomial(coefficient)
    return total


# ---- from code


def value_of(expr: Any, names: Mapping[str, Polynomial | None] | None = None) -> Polynomial | None:
    """A control expression, given by a cursor; None if it reads configuration, data or strides.

    names gives other values to names, None to those whose value is not known.
    """
    match expr:
        case LiteralCursor() if isinstance(expr.value(), int):
            return polynomial(int(expr.value()))
        case ReadCursor() if not expr.idx():
            return (names or {}).get(expr.name(), name(expr.name()))
        case UnaryMinusCursor():
            arg = value_of(expr.arg(), names)
            return None if arg is None else arg * -1
        case BinaryOpCursor():
            lhs, rhs = value_of(expr.lhs(), names), value_of(expr.rhs(), names)
            return None if lhs is None or rhs is None else _operation(expr.op(), lhs, rhs)
        case ExternFunctionCursor() if expr.name() in ("min", "max"):
            args = [value_of(arg, names) for arg in expr.args()]
            known = [arg for arg in args if arg is not None]
            return extreme(expr.name(), known) if len(known) == len(args) else None
        case _:
            return None


def _operation(op: str, lhs: Polynomial, rhs: Polynomial) -> Polynomial | None:
    match op, rhs.constant:
        case "+", _:
            return lhs + rhs
        case "-", _:
            return lhs - rhs
        case "*", _:
            return lhs * rhs
        case "/", int() as by if by >= 1:
            return quotient(lhs, by)
        case "%", int() as by if by >= 1:
            return remainder(lhs, by)
        case _:
            return None


# ---- the normal form


def _collect(terms: Iterable[tuple[Monomial, Number]]) -> Polynomial:
    found: dict[Monomial, Number] = {}
    for monomial, factor in terms:
        found[monomial] = found.get(monomial, 0) + factor
    if any(isinstance(atom, Remainder) for monomial in found for atom in monomial):
        _rejoin(found)
    kept = [(monomial, _whole(factor)) for monomial, factor in found.items() if factor]
    return Polynomial(tuple(sorted(kept, key=_order) if len(kept) > 1 else kept))


def _whole(factor: Number) -> Number:
    """An int where it is one: computing with these is quicker."""
    return factor.numerator if isinstance(factor, Fraction) and factor.denominator == 1 else factor


def _magnitude(factor: Number) -> Number:
    return -factor if factor < 0 else factor


def _order(term: tuple[Monomial, Number]) -> tuple[int, Number, str]:
    """High degrees first, then large factors, as people write them."""
    return (-len(term[0]), -_magnitude(term[1]), str(term[0][0]) if len(term[0]) == 1 else " ".join(map(str, term[0])))


def _rejoin(terms: dict[Monomial, Number]) -> None:
    """`e % c + c * (e / c)` becomes e."""
    for monomial, factor in list(terms.items()):
        if len(monomial) == 1 and isinstance(atom := monomial[0], Remainder):
            partner = (Quotient(atom.of, atom.by),)
            if factor and terms.get(partner) == factor * atom.by:
                del terms[monomial], terms[partner]
                for each, coefficient in atom.of.terms:
                    terms[each] = terms.get(each, 0) + coefficient * factor


def _sorted(monomial: Monomial) -> Monomial:
    return tuple(sorted(monomial, key=str))


def _atom(atom: Atom) -> Polynomial:
    return Polynomial((((atom,), 1),))


def _names(atom: Atom) -> frozenset[str]:
    match atom:
        case str():
            return frozenset({atom})
        case Quotient(of=of) | Remainder(of=of):
            return of.names()
        case Extreme(args=args):
            return frozenset[str]().union(*(arg.names() for arg in args))


def _changed(atom: Atom, change: Callable[[Atom], Polynomial | None]) -> Polynomial:
    new = change(atom)
    if new is not None:
        return new
    match atom:
        case str():
            return name(atom)
        case Quotient(of=of, by=by):
            return quotient(of.map_atoms(change), by)
        case Remainder(of=of, by=by):
            return remainder(of.map_atoms(change), by)
        case Extreme(op=op, args=args):
            return extreme(op, [arg.map_atoms(change) for arg in args])


def _split(value: Polynomial, by: int) -> tuple[Polynomial, Polynomial]:
    """The terms that by divides, and the others; of the constant, so much that 0 <= rest < by."""
    whole, rest = ZERO, ZERO
    for monomial, factor in value.terms:
        multiple = factor // by * by if not monomial else (factor if factor % by == 0 else 0)
        whole = whole + _collect([(monomial, multiple)])
        rest = rest + _collect([(monomial, factor - multiple)])
    return whole, rest


# ---- text


def _show(value: Polynomial) -> str:
    """Positive terms first; over one denominator if there is one."""
    scale = lcm(*(factor.denominator for _, factor in value.terms))
    if scale != 1:
        return f"{_factor(value * scale)} / {scale}"
    text = ""
    for monomial, factor in sorted(value.terms, key=lambda term: term[1] < 0):
        sign = (" - " if factor < 0 else " + ") if text else ("-" if factor < 0 else "")
        text += sign + _product(factor, monomial)
    return text or "0"


def _product(factor: Number, monomial: Monomial) -> str:
    """A term without its sign."""
    powers = {atom: monomial.count(atom) for atom in monomial}
    alone = len(powers) == 1 and factor == 1  # with a minus before it, `/` would take that to its dividend
    parts = [] if _magnitude(factor) == 1 and monomial else [str(_magnitude(factor))]
    for atom, power in powers.items():
        text = f"({atom})" if isinstance(atom, Quotient | Remainder) and not (alone and power == 1) else str(atom)
        parts.append(text if power == 1 else f"{text}**{power}")
    return " * ".join(parts)


def _factor(value: Polynomial) -> str:
    """A value as an operand of `/` and `%`."""
    text = str(value)
    return text if text.isidentifier() or text.isdecimal() else f"({text})"
