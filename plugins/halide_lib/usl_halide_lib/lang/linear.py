"""Linear forms with `/ k`, min and max: the values of bounds, and when the difference of two has a sign.

`Lin` is Σ coefficient·atom + constant, all integers. Forms are normal enough that what cancels does: `(k·A + B)/k = A + B/k`,
nested quotients are one, a minimum of forms that differ by a constant is one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import lt
from typing import Any
from zlib import crc32

Ends = tuple[int | None, int | None]
"""The least and the greatest value, None where there is no bound."""


class Facts(dict[str, Ends]):
    """What is known of variables. What was found from it is kept, so it must not change."""

    def __init__(self, known: Mapping[str, Ends] | None = None) -> None:
        super().__init__(known or {})
        self.found: dict[tuple[Lin, int], int | None] = {}
        self.samples: dict[Lin | Atom, Sample] = {}


@dataclass(frozen=True, slots=True)
class Variable:
    """A parameter, a window's end, or a loop's variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Quotient:
    """The floor of form / divisor, divisor > 1."""

    form: Lin
    divisor: int


@dataclass(frozen=True, slots=True)
class Extremum:
    """The greatest or the least of two forms."""

    is_max: bool
    a: Lin
    b: Lin


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value of which only ends are known; key tells it from others."""

    key: object
    low: int | None
    high: int | None


Atom = Variable | Quotient | Extremum | Unknown
Terms = tuple[tuple[Atom, int], ...]
Sample = tuple[int, ...]


class Lin:
    """A linear form, immutable; terms are sorted, their coefficients not 0. names are the variables that occur.

    A plain class, since the engine makes tens of thousands of them: hash and order are worked out when they are asked for.
    """

    __slots__ = ("_hash", "_key", "constant", "names", "terms")

    def __init__(self, terms: Terms = (), constant: int = 0, names: frozenset[str] = frozenset()) -> None:
        self.terms, self.constant, self.names = terms, constant, names
        self._hash: int | None = None
        self._key = ""

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Lin) and self.constant == other.constant and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.terms, self.constant))
        return self._hash

    def __repr__(self) -> str:
        return f"Lin({self.key})"

    @property
    def key(self) -> str:
        """A text that orders forms, the same in each process; numbers come last."""
        if not self._key:
            self._key = f"{''.join([f'({order(atom)} {c})' for atom, c in self.terms]) or '~'}{self.constant}"
        return self._key

    def __add__(self, other: Lin | int) -> Lin:
        if isinstance(other, int):
            return Lin(self.terms, self.constant + other, self.names) if other else self
        if not other.terms:
            return self if not other.constant else Lin(self.terms, self.constant + other.constant, self.names)
        if not self.terms:
            return other if not self.constant else Lin(other.terms, other.constant + self.constant, other.names)
        return self._with(other, 1)

    def __sub__(self, other: Lin | int) -> Lin:
        if isinstance(other, int):
            return self + -other
        if self.terms == other.terms:
            return Lin((), self.constant - other.constant)
        if not other.terms:
            return self if not other.constant else Lin(self.terms, self.constant - other.constant, self.names)
        return self._with(other, -1)

    def _with(self, other: Lin, sign: int) -> Lin:
        sums = dict(self.terms)
        for atom, coefficient in other.terms:
            sums[atom] = sums.get(atom, 0) + sign * coefficient
        return made(sums, self.constant + sign * other.constant)

    def __neg__(self) -> Lin:
        return self.scaled(-1)

    def scaled(self, factor: int) -> Lin:
        """factor times the form."""
        if factor == 1:
            return self
        if factor == 0:
            return Lin()
        return Lin(tuple([(atom, factor * c) for atom, c in self.terms]), factor * self.constant, self.names)

    def is_constant(self) -> bool:
        """Whether it is a number."""
        return not self.terms

    def is_plain(self) -> bool:
        """Whether it is made of variables alone."""
        return all(isinstance(atom, Variable) for atom, _ in self.terms)


def order(atom: Atom) -> str:
    """A text that orders atoms: extrema, quotients, variables."""
    match atom:
        case Variable(name=name):
            return f"V{name}"
        case Quotient(form=form, divisor=k):
            return f"Q{form.key}/{k}"
        case Extremum(is_max=is_max, a=a, b=b):
            return f"E{is_max:d}{a.key},{b.key}"
        case Unknown():
            return f"U{atom.key!r}"


def names_in(atom: Atom) -> frozenset[str]:
    """The variables of an atom."""
    match atom:
        case Variable(name=name):
            return frozenset({name})
        case Quotient(form=form):
            return form.names
        case Extremum(a=a, b=b):
            return a.names | b.names
        case Unknown():
            return frozenset()


def made(sums: Mapping[Atom, int], constant: int) -> Lin:
    """The form of coefficients by atom."""
    terms = [(a, c) for a, c in sums.items() if c]
    if len(terms) > 1:
        terms.sort(key=lambda term: order(term[0]))
        return Lin(tuple(terms), constant, frozenset().union(*[names_in(atom) for atom, _ in terms]))
    return Lin(tuple(terms), constant, names_in(terms[0][0]) if terms else frozenset())


def of_atom(atom: Atom) -> Lin:
    """An atom as a form."""
    return Lin(((atom, 1),), 0, names_in(atom))


def variable(name: str) -> Lin:
    """A variable as a form."""
    return of_atom(Variable(name))


def const(value: int) -> Lin:
    """A number as a form."""
    return Lin((), value)


def quotient(form: Lin, divisor: int) -> Lin:
    """The floor of form / divisor, divisor > 0."""
    if divisor == 1:
        return form
    whole = {atom: c // divisor for atom, c in form.terms if c % divisor == 0}
    rest = {atom: c for atom, c in form.terms if c % divisor}
    outside, inside = divmod(form.constant, divisor)
    if not rest:
        return made(whole, outside)
    if len(rest) == 1:
        ((atom, c),) = rest.items()
        if isinstance(atom, Quotient) and c == 1:  # (B / a + c) / b = (B + c·a) / (a·b)
            inner = quotient(atom.form + inside * atom.divisor, atom.divisor * divisor)
            return made(whole, outside) + inner
    return made(whole, outside) + of_atom(Quotient(made(rest, inside), divisor))


def ends(form: Lin, facts: Facts) -> Ends:
    """The least and the greatest value of a form, as far as can be seen."""
    return _lower(form, facts), _negated(_lower(-form, facts))


def _negated(value: int | None) -> int | None:
    return None if value is None else -value


def _lower(form: Lin, facts: Facts, depth: int = 2) -> int | None:
    key = (form, depth)
    if key not in facts.found:
        facts.found[key] = _least(form, facts, depth)
    return facts.found[key]


def _least(form: Lin, facts: Facts, depth: int) -> int | None:
    total: int | None = form.constant
    for atom, c in form.terms:
        low, high = _atom_ends(atom, facts)
        end = low if c > 0 else high
        if end is None:
            total = None
            break
        assert total is not None
        total += c * end
    if depth:
        for atom, c in form.terms:
            found = _relaxed(form, atom, c, facts, depth - 1)
            total = found if total is None else total if found is None else max(total, found)
    return total


def _relaxed(form: Lin, atom: Atom, c: int, facts: Facts, depth: int) -> int | None:
    """A lower end with one quotient or extremum replaced by what bounds it."""
    rest = form - of_atom(atom).scaled(c)
    match atom:
        case Quotient(form=inner, divisor=k) if (other := _opposite(form, k, c)) is not None:
            # a/k - b/k is at least (a - b)/k, each rounded down
            between = _lower(inner - other.form, facts, depth)
            together = form - of_atom(atom).scaled(c) + of_atom(other).scaled(c)
            below = _lower(together, facts, depth)
            return None if between is None or below is None else below + c * (between // k)
        case Quotient(form=inner, divisor=k) if c % k == 0:  # k·q is in [inner - k + 1, inner]
            return _lower(rest + (inner - (k - 1 if c > 0 else 0)).scaled(c // k), facts, depth)
        case Extremum(is_max=is_max, a=a, b=b):
            both = [_lower(rest + each.scaled(c), facts, depth) for each in (a, b)]
            given = [each for each in both if each is not None]
            if is_max == (c > 0):  # at least either
                return max(given, default=None)
            return min(given) if len(given) == 2 else None
        case _:
            return None


def _opposite(form: Lin, divisor: int, c: int) -> Quotient | None:
    """A quotient by the same divisor with the coefficient -c, where c is positive."""
    if c < 0:
        return None
    return next((a for a, b in form.terms if b == -c and isinstance(a, Quotient) and a.divisor == divisor), None)


def _atom_ends(atom: Atom, facts: Facts) -> Ends:
    match atom:
        case Variable(name=name):
            return facts.get(name, (None, None))
        case Unknown(low=low, high=high):
            return low, high
        case Quotient(form=form, divisor=k):
            low, high = ends(form, facts)
            return None if low is None else low // k, None if high is None else high // k
        case Extremum(is_max=is_max, a=a, b=b):
            (la, ha), (lb, hb) = ends(a, facts), ends(b, facts)
            if is_max:
                return _best(max, la, lb), None if ha is None or hb is None else max(ha, hb)
            return None if la is None or lb is None else min(la, lb), _best(min, ha, hb)


def _best(choose: object, a: int | None, b: int | None) -> int | None:
    given = [each for each in (a, b) if each is not None]
    if not given:
        return None
    return max(given) if choose is max else min(given)


SAMPLES = range(4)


def sample(form: Lin, facts: Facts) -> Sample:
    """The form's values in a few assignments to its variables that obey the facts: what is false there is not worth a proof."""
    known = facts.samples.get(form)
    if known is None:
        parts = [(_sample_of(atom, facts), c) for atom, c in form.terms]
        known = tuple([form.constant + sum([c * values[k] for values, c in parts]) for k in SAMPLES])
        facts.samples[form] = known
    return known


def _sample_of(atom: Atom, facts: Facts) -> Sample:
    known = facts.samples.get(atom)
    if known is None:
        match atom:
            case Variable(name=name):
                known = _chosen(*facts.get(name, (None, None)), crc32(name.encode()))
            case Unknown(low=low, high=high):
                known = _chosen(low, high, len(facts.samples))
            case Quotient(form=form, divisor=k):
                known = tuple([value // k for value in sample(form, facts)])
            case Extremum(is_max=is_max, a=a, b=b):
                known = tuple(map(max if is_max else min, sample(a, facts), sample(b, facts)))
        facts.samples[atom] = known
    return known


def _chosen(low: int | None, high: int | None, seed: int) -> Sample:
    """The ends of a range, or values not far from where it ends or from 0, and two inside."""
    least = low if low is not None else (-57 if high is None else high - 91)
    greatest = max(high if high is not None else least + 97, least)  # no value at all is as good as any
    spread = greatest - least + 1
    return least, greatest, least + seed % spread, least + (seed >> 7) % spread


def extremum(is_max: bool, forms: Iterable[Lin], facts: Facts) -> Lin:
    """The greatest or the least of forms; those that another one is known to dominate are left out."""
    kept: list[Lin] = []
    for form in (part for each in forms for part in parts(is_max, each)):
        if any(_dominates(is_max, other, form, facts) for other in kept):
            continue
        kept = [other for other in kept if not _dominates(is_max, form, other, facts)]
        kept.append(form)
    kept.sort(key=lambda form: form.key)
    result = kept[0]
    for form in kept[1:]:
        result = of_atom(Extremum(is_max, result, form))
    return result


def parts(is_max: bool, form: Lin) -> list[Lin]:
    """The forms whose extremum a form is."""
    if len(form.terms) == 1 and form.terms[0][1] == 1:
        atom = form.terms[0][0]
        if isinstance(atom, Extremum) and atom.is_max == is_max:
            return [part + form.constant for each in (atom.a, atom.b) for part in parts(is_max, each)]
    return [form]


def _dominates(is_max: bool, a: Lin, b: Lin, facts: Facts) -> bool:
    greater, less = (a, b) if is_max else (b, a)
    if any(map(lt, sample(greater, facts), sample(less, facts))):
        return False
    difference = greater - less
    if not difference.terms:
        return difference.constant >= 0
    low = _lower(difference, facts)
    return low is not None and low >= 0


def substituted(form: Lin, name: str, value: Lin, facts: Facts) -> Lin:
    """The form with a variable replaced."""
    if name not in form.names:
        return form
    result = const(form.constant)
    for atom, c in form.terms:
        result += _replaced(atom, name, value, facts).scaled(c)
    return result


def _replaced(atom: Atom, name: str, value: Lin, facts: Facts) -> Lin:
    if name not in names_in(atom):
        return of_atom(atom)
    match atom:
        case Variable():
            return value
        case Quotient(form=form, divisor=k):
            return quotient(substituted(form, name, value, facts), k)
        case Extremum(is_max=is_max, a=a, b=b):
            return extremum(is_max, [substituted(each, name, value, facts) for each in (a, b)], facts)
        case Unknown():
            return of_atom(atom)


def number_of(form: Lin, env: Mapping[str, Any]) -> int:
    """A form for given values, without wrapping."""
    total = form.constant
    for atom, c in form.terms:
        match atom:
            case Variable(name=name):
                value = int(env[name])
            case Quotient(form=inner, divisor=k):
                value = number_of(inner, env) // k
            case Extremum(is_max=is_max, a=a, b=b):
                value = (max if is_max else min)(number_of(a, env), number_of(b, env))
            case _:
                raise AssertionError(atom)
        total += c * value
    return total
