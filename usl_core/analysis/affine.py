"""Linear forms over integer atoms: the normal form of control expressions.

A `Lin` is `const + sum(coefficient * atom)`. Atoms are variables (`Sym`), quotients by a literal, minima, strides, and products
that are not linear (extents multiplied for a stride), which the analysis treats as unknown integers that are equal if
their factors are. `e % c` is `e - c * (e / c)` and `max(a, b)` is `-min(-a, -b)`, so that equal values meet in one form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import gcd
from typing import Any

from usl_core.ir.sym import Sym
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Quot:
    """floor(num / den) with den >= 2; num's coefficients and den have no common factor."""

    num: Lin
    den: int


@dataclass(frozen=True, slots=True)
class Min:
    """The least of two or more linear forms."""

    args: frozenset[Lin]


@dataclass(frozen=True, slots=True)
class Stride:
    """stride(buffer, dim) of a window formal, in elements."""

    buffer: Sym
    dim: int


@dataclass(frozen=True, slots=True)
class Product:
    """A product of linear forms none of which is constant; opaque to the solver."""

    args: tuple[Lin, ...]


Atom = Sym | Quot | Min | Stride | Product


class Lin:
    """An immutable linear form; equality and hash are structural."""

    __slots__ = ("_hash", "const", "terms")

    def __init__(self, const: int, terms: Mapping[Atom, int] | None = None) -> None:
        self.const = const
        self.terms: Mapping[Atom, int] = terms if terms is not None else {}
        self._hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.const, frozenset(self.terms.items())))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Lin) and self.const == other.const and self.terms == other.terms)

    def __repr__(self) -> str:
        parts = [f"{c}*{a!r}" for a, c in self.terms.items()]
        return " + ".join([*parts, str(self.const)])

    def __add__(self, other: Lin | int) -> Lin:
        if isinstance(other, int):
            return Lin(self.const + other, self.terms)
        return combine(self, 1, other, 1)

    def __sub__(self, other: Lin | int) -> Lin:
        if isinstance(other, int):
            return Lin(self.const - other, self.terms)
        return combine(self, 1, other, -1)

    def __rsub__(self, other: int) -> Lin:
        return Lin(other - self.const, {a: -c for a, c in self.terms.items()})

    def __neg__(self) -> Lin:
        return self.scale(-1)

    def scale(self, factor: int) -> Lin:
        """The form times factor."""
        if factor == 0:
            return ZERO
        return Lin(self.const * factor, {a: c * factor for a, c in self.terms.items()})

    @property
    def is_const(self) -> bool:
        """Whether no atom occurs in it."""
        return not self.terms


ZERO = Lin(0)


def const(value: int) -> Lin:
    """The form of a number."""
    return Lin(value)


def var(name: Sym) -> Lin:
    """The form of a variable."""
    return Lin(0, {name: 1})


def of_atom(atom: Atom) -> Lin:
    """The form of one atom with factor 1."""
    return Lin(0, {atom: 1})


def combine(a: Lin, x: int, b: Lin, y: int) -> Lin:
    """x * a + y * b."""
    terms = {atom: c * x for atom, c in a.terms.items()} if x != 1 else dict(a.terms)
    for atom, c in b.terms.items():
        total = terms.get(atom, 0) + y * c
        if total:
            terms[atom] = total
        else:
            terms.pop(atom, None)
    return Lin(x * a.const + y * b.const, terms)


def lowest(lin: Lin) -> Lin:
    """lin divided by the common factor of its coefficients, the constant rounded down: of the same sign for all integers."""
    common = gcd(*lin.terms.values())
    return lin if common <= 1 else Lin(lin.const // common, {a: c // common for a, c in lin.terms.items()})


def quotient(num: Lin, den: int) -> Lin:
    """floor(num / den), den >= 1: multiples of den are taken out, and the rest is reduced to lowest terms."""
    assert den >= 1
    if den == 1:
        return num
    whole = {a: c // den for a, c in num.terms.items()}
    rest_terms = {a: c % den for a, c in num.terms.items() if c % den}
    outside = Lin(num.const // den, {a: c for a, c in whole.items() if c})
    rest_const = num.const % den
    if not rest_terms:
        return outside
    common = gcd(den, *rest_terms.values())
    # floor((g*x + r) / (g*d)) = floor((x + floor(r/g)) / d)
    rest = Lin(rest_const // common, {a: c // common for a, c in rest_terms.items()})
    if den // common == 1:
        return outside + rest
    inner = flatten_quotient(rest, den // common)
    if inner.num is not rest:  # of a quotient: to lowest terms again
        return outside + quotient(inner.num, inner.den)
    return outside + of_atom(inner)


def flatten_quotient(num: Lin, den: int) -> Quot:
    """floor(floor(x / a) / b) is floor(x / (a*b)) for positive a, b."""
    if num.const == 0 and len(num.terms) == 1:
        ((atom, c),) = num.terms.items()
        if c == 1 and isinstance(atom, Quot):
            return Quot(atom.num, atom.den * den)
    return Quot(num, den)


def remainder(num: Lin, den: int) -> Lin:
    """`num - den * (num / den)`, which lies in [0, den); den is positive (docs/semantics.md, "Control values")."""
    return num - quotient(num, den).scale(den)


def minimum(args: Iterable[Lin]) -> Lin:
    """The least of args; forms that differ by a constant are compared at once."""
    kept: list[Lin] = []
    for arg in args:
        for position, other in enumerate(kept):
            difference = arg - other
            if difference.is_const:
                if difference.const < 0:
                    kept[position] = arg
                break
        else:
            kept.append(arg)
    return kept[0] if len(kept) == 1 else of_atom(Min(frozenset(kept)))


def maximum(args: Iterable[Lin]) -> Lin:
    """The maximum as a form: minus the minimum of the opposites."""
    return -minimum([-arg for arg in args])


def product(args: Iterable[Lin]) -> Lin:
    """The product; linear if at most one factor is not constant, otherwise a `Product` atom with sorted factors."""
    factor, rest = 1, []
    for arg in args:
        if arg.is_const:
            factor *= arg.const
        else:
            rest.append(arg)
    if not rest:
        return Lin(factor)
    if len(rest) == 1:
        return rest[0].scale(factor)
    return Lin(0, {Product(tuple(sorted(rest, key=_rank))): factor})


def _rank(form: Lin) -> tuple[int, int, list[tuple[int, int]]]:
    """A place in an order of all forms. Hashes alone give none: those of -1 and -2 are the same, and so are those of forms."""
    return hash(form), form.const, sorted((hash(atom), c) for atom, c in form.terms.items())


def atoms(lin: Lin) -> Iterator[Atom]:
    """Every atom of lin, those inside quotients, minima and products included."""
    for atom in lin.terms:
        yield atom
        for part in parts(atom):
            yield from atoms(part)


def parts(atom: Atom) -> tuple[Lin, ...]:
    """The forms of which an atom is made; none for a variable or a stride."""
    match atom:
        case Quot(num=num):
            return (num,)
        case Min(args=args):
            return tuple(args)
        case Product(args=factors):
            return factors
        case _:
            return ()


def syms(lin: Lin) -> Iterator[Sym]:
    """The variables of lin; a stride counts as its buffer's name."""
    for atom in atoms(lin):
        if isinstance(atom, Sym):
            yield atom
        elif isinstance(atom, Stride):
            yield atom.buffer


def subst(lin: Lin, env: Mapping[Any, Lin], strides: Callable[[Stride], Lin | None] | None = None) -> Lin:
    """lin with the atoms in env, most often variables, replaced; strides maps Stride atoms or answers None to keep them."""
    result = Lin(lin.const)
    changed = False
    for atom, coefficient in lin.terms.items():
        new = _subst_atom(atom, env, strides)
        changed = changed or new is not None
        result = combine(result, 1, new if new is not None else of_atom(atom), coefficient)
    return result if changed else lin


def _subst_atom(atom: Atom, env: Mapping[Any, Lin], strides: Callable[[Stride], Lin | None] | None) -> Lin | None:
    if isinstance(atom, Sym) or atom in env:
        return env.get(atom)
    match atom:
        case Stride():
            return strides(atom) if strides is not None else None
        case Quot(num=num, den=den):
            new = subst(num, env, strides)
            return quotient(new, den) if new is not num else None
        case Min(args=args):
            new_args = [subst(arg, env, strides) for arg in args]
            return minimum(new_args) if any(a is not b for a, b in zip(new_args, args, strict=True)) else None
        case Product(args=factors):
            new_args = [subst(arg, env, strides) for arg in factors]
            return product(new_args) if any(a is not b for a, b in zip(new_args, factors, strict=True)) else None
