"""The bounds engine (halide.md §5.3): per hole a symbolic interval over parameters, windows and the loops around the hole.

Loop variables are eliminated innermost first. Where a variable occurs in several terms of a form, quotients and extrema are
taken apart so that what cancels does: `x - x / 2` on 0…9 is 0…5. Nothing here is trusted: the procedure that is made from it is
proved safe again, and the property tests run target programs with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import lcm

from usl_halide_lib.lang.linear import (
    Extremum,
    Facts,
    Lin,
    Quotient,
    Unknown,
    Variable,
    const,
    ends,
    extremum,
    names_in,
    of_atom,
    quotient,
    substituted,
    variable,
)

MOST_RESIDUES = 64
"""Up to which common multiple of divisors a variable is taken apart into quotient and remainder."""
MOST_BRANCHES = 4
"""Up to how many extrema of one form are taken apart."""


@dataclass(frozen=True, slots=True)
class Range:
    """A variable that takes the values low…high; None is no bound."""

    name: str
    low: Lin | None
    high: Lin | None


@dataclass(frozen=True)
class Extremes:
    """The greatest and least values of forms under ranges, outermost first; facts know of what is not eliminated."""

    facts: Facts
    _large: tuple[int, Facts] | None = field(default=None, init=False, compare=False, repr=False)

    def upper(self, form: Lin, ranges: tuple[Range, ...]) -> Lin | None:
        """A form over what no range binds that is at least form everywhere; None if there is none."""
        found = self.without_unknown(form)
        for place in range(len(ranges) - 1, -1, -1):
            if found is None:
                return None
            at = ranges[place]
            if at.name in found.names:
                if at.low is not None and at.low == at.high:
                    found = substituted(found, at.name, at.low, self.facts)
                else:
                    found = self._eliminated(found, at, MOST_BRANCHES)
        return found

    def lower(self, form: Lin, ranges: tuple[Range, ...]) -> Lin | None:
        """The same for the least value."""
        found = self.upper(-form, ranges)
        return None if found is None else -found

    def without_unknown(self, form: Lin) -> Lin | None:
        """A form that is at least this one, with its values of unknown origin at their ends."""
        result = const(form.constant)
        for atom, c in form.terms:
            found = self._end_of_unknown(atom, c > 0)
            if found is None:
                return None
            result += found.scaled(c)
        return result

    def _end_of_unknown(self, atom: object, is_upper: bool) -> Lin | None:
        match atom:
            case Unknown(low=low, high=high):
                end = high if is_upper else low
                return None if end is None else const(end)
            case Quotient(form=form, divisor=k):
                inner = self._open(form, is_upper)
                return None if inner is None else quotient(inner, k)
            case Extremum(is_max=is_max, a=a, b=b):
                return self._of_both(is_max, is_upper, self._open(a, is_upper), self._open(b, is_upper))
            case Variable():
                return of_atom(atom)
            case _:
                raise AssertionError(atom)

    def _open(self, form: Lin, is_upper: bool) -> Lin | None:
        if is_upper:
            return self.without_unknown(form)
        found = self.without_unknown(-form)
        return None if found is None else -found

    def _of_both(self, is_max: bool, is_upper: bool, a: Lin | None, b: Lin | None) -> Lin | None:
        """An end of an extremum from the ends of its parts; an end that is missing decides, or does not matter."""
        given = [each for each in (a, b) if each is not None]
        if not given or (len(given) < 2 and is_max == is_upper):
            return None
        return extremum(is_max, given, self.facts)

    def _eliminated(self, form: Lin, at: Range, branches: int) -> Lin | None:
        """An upper end of form with one variable gone."""
        name = at.name
        plain = self._plainly(form, at)
        holding = [atom for atom, _ in form.terms if name in names_in(atom)]
        if len(holding) < 2 and not (holding and _nests(holding[0], name)):
            return plain
        better = self._branched(form, at, branches) or self._by_residues(form, at)
        return self.tighter(self.tighter(plain, better), self._relaxed(form, at))

    def _relaxed(self, form: Lin, at: Range) -> Lin | None:
        """A quotient q of B by k replaced by what bounds it, as k·q is in [B - k + 1, B]."""
        for atom, c in form.terms:
            if isinstance(atom, Quotient) and at.name in atom.form.names and c % atom.divisor == 0:
                bound = (atom.form - (0 if c > 0 else atom.divisor - 1)).scaled(c // atom.divisor)
                return self._plainly(form - of_atom(atom).scaled(c) + bound, at)
        return None

    def tighter(self, a: Lin | None, b: Lin | None) -> Lin | None:
        """The lesser of two upper ends; a where they cannot be compared, the one for large extents."""
        if a is None or b is None:
            return b if a is None else a
        difference = b - a
        _, high = ends(difference, self.facts)
        if high is None or high > 0:
            _, high = ends(_without_quotients(difference), self._of_large_windows())
        return b if high is not None and high <= 0 else a

    def _of_large_windows(self) -> Facts:
        """What is known where no extent is small: it decides between ends of which either may be the better one."""
        known = len(self.facts)
        if self._large is None or self._large[0] != known:
            facts = Facts(
                {
                    name: (64, high) if ".len" in name and high is None else (low, high)
                    for name, (low, high) in self.facts.items()
                }
            )
            object.__setattr__(self, "_large", (known, facts))
        assert self._large is not None
        return self._large[1]

    def _plainly(self, form: Lin, at: Range) -> Lin | None:
        """Each term at its own end."""
        result = const(form.constant)
        for atom, c in form.terms:
            found = self._end(atom, at, c > 0)
            if found is None:
                return None
            result += found.scaled(c)
        return result

    def _end(self, atom: object, at: Range, is_upper: bool) -> Lin | None:
        match atom:
            case Variable(name=name):
                return (at.high if is_upper else at.low) if name == at.name else of_atom(atom)
            case Quotient(form=form, divisor=k):
                inner = self._side(form, at, is_upper)
                return None if inner is None else quotient(inner, k)
            case Extremum(is_max=is_max, a=a, b=b):
                return self._of_both(is_max, is_upper, self._side(a, at, is_upper), self._side(b, at, is_upper))
            case _:
                raise AssertionError(atom)

    def _side(self, form: Lin, at: Range, is_upper: bool) -> Lin | None:
        if at.name not in form.names:
            return form
        if is_upper:
            return self._eliminated(form, at, 1)
        found = self._eliminated(-form, at, 1)
        return None if found is None else -found

    def _branched(self, form: Lin, at: Range, branches: int) -> Lin | None:
        """One extremum is either of its parts, each where it is that one."""
        chosen = next((t for t in form.terms if isinstance(t[0], Extremum) and at.name in names_in(t[0])), None)
        if chosen is None or not branches:
            return None
        atom, c = chosen
        assert isinstance(atom, Extremum)
        rest = form - of_atom(atom).scaled(c)
        results: list[Lin] = []
        for this, other in ((atom.a, atom.b), (atom.b, atom.a)):
            condition = this - other if atom.is_max else other - this
            narrowed = self.narrowed((at,), condition)
            if narrowed is None:
                continue
            found = self._eliminated_or_same(rest + this.scaled(c), narrowed[0], branches - 1)
            if found is None:
                return None
            results.append(found)
        return extremum(True, results, self.facts) if results else None

    def _eliminated_or_same(self, form: Lin, at: Range, branches: int) -> Lin | None:
        return self._eliminated(form, at, branches) if at.name in form.names else form

    def _by_residues(self, form: Lin, at: Range) -> Lin | None:
        """x as K·q + r, K the common multiple of what x is divided by; r runs through its values."""
        k = _common_divisor(form, at.name)
        if not 1 < k <= MOST_RESIDUES or at.low is None or at.high is None:
            return None
        name = f"{at.name}/{k}"
        exact = at.low.is_constant() and at.high.is_constant()
        results: list[Lin] = []
        for r in range(k):
            low = quotient(at.low - r + (k - 1), k) if exact else quotient(at.low, k)
            high = quotient(at.high - r, k) if exact else quotient(at.high, k)
            if exact and low.constant > high.constant:
                continue
            part = substituted(form, at.name, variable(name).scaled(k) + r, self.facts)
            found = self._plainly(part, Range(name, low, high))
            if found is None:
                return None
            results.append(found)
        kept = extremum(True, results, self.facts) if results else None
        return kept if kept is None or not any(isinstance(a, Extremum) and a.is_max for a, _ in kept.terms) or exact else None

    def narrowed(self, ranges: tuple[Range, ...], condition: Lin) -> tuple[Range, ...] | None:
        """The ranges where condition ≥ 0, None if it holds nowhere; only what is linear in its innermost variable narrows."""
        _, high = ends(condition, self.facts)
        if high is not None and high < 0:
            return None
        for place in range(len(ranges) - 1, -1, -1):
            at = ranges[place]
            if at.name not in condition.names:
                continue
            c = dict(condition.terms).get(Variable(at.name), 0)
            rest = condition - variable(at.name).scaled(c)
            if c == 0 or at.name in rest.names:
                return ranges
            new = self._narrower(at, c, rest)
            if new is None:
                return None
            return (*ranges[:place], new, *ranges[place + 1 :])
        return ranges

    def _narrower(self, at: Range, c: int, rest: Lin) -> Range | None:
        """The range where c·x + rest ≥ 0."""
        if c > 0:  # x ≥ ceil(-rest / c)
            end = quotient(-rest + (c - 1), c)
            low = end if at.low is None else extremum(True, [at.low, end], self.facts)
            new = replace(at, low=low)
        else:  # x ≤ floor(rest / -c)
            end = quotient(rest, -c)
            high = end if at.high is None else extremum(False, [at.high, end], self.facts)
            new = replace(at, high=high)
        if new.low is not None and new.high is not None:
            _, most = ends(new.high - new.low, self.facts)
            if most is not None and most < 0:
                return None
        return new


def _without_quotients(form: Lin) -> Lin:
    """A multiple of a form that is at least as large: k times a quotient by k is in [dividend - k + 1, dividend]."""
    whole = lcm(*(atom.divisor for atom, _ in form.terms if isinstance(atom, Quotient)))
    if whole == 1 or whole > MOST_RESIDUES:
        return form
    result = const(whole * form.constant)
    for atom, c in form.terms:
        if isinstance(atom, Quotient):
            factor = c * whole // atom.divisor
            result += (atom.form if c > 0 else atom.form - (atom.divisor - 1)).scaled(factor)
        else:
            result += of_atom(atom).scaled(c * whole)
    return result


def _nests(atom: object, name: str) -> bool:
    """Whether a variable occurs more than once in one atom."""
    match atom:
        case Quotient(form=form):
            inside = [each for each, _ in form.terms if name in names_in(each)]
            return len(inside) > 1 or (bool(inside) and _nests(inside[0], name))
        case Extremum(a=a, b=b):
            return name in a.names and name in b.names
        case _:
            return False


def _common_divisor(form: Lin, name: str) -> int:
    """The number by which a variable can be divided so that all its quotients become linear."""
    result = 1
    for atom, _ in form.terms:
        match atom:
            case Quotient(form=inner, divisor=k) if name in inner.names:
                result = lcm(result, k * _common_divisor(inner, name))
            case Extremum(a=a, b=b):
                result = lcm(result, _common_divisor(a, name), _common_divisor(b, name))
            case _:
                pass
    return result
