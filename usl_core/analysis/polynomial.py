"""Polynomials over numbered atoms: the normal form of data expressions at one type.

Coefficients are rationals for R and floating types, and residues modulo 2^N for integers: the ring laws of `+ - *` hold there,
and nothing else is used. Two expressions with one polynomial have one value wherever they have any.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from usl_core.errors import Undecided
from usl_core.ir.types import ScalarType
from usl_core.records import dataclass

Monomial = tuple[int, ...]
"""Numbers of atoms, sorted; an atom occurs as often as its power."""

MAX_TERMS = 2000
"""Products of sums that grow beyond this many terms are not compared."""


@dataclass(frozen=True, slots=True)
class Poly:
    """A sum of monomials with coefficients other than 0, sorted, so that equality is structural."""

    type: ScalarType
    terms: tuple[tuple[Monomial, Fraction], ...]

    @property
    def constant(self) -> Fraction | None:
        """The value of a polynomial without atoms; None for any other."""
        if not self.terms:
            return Fraction(0)
        ((monomial, coefficient), *rest) = self.terms
        return coefficient if not rest and not monomial else None


def poly(typ: ScalarType, terms: Mapping[Monomial, Fraction]) -> Poly:
    """The polynomial of these terms, each monomial sorted; coefficients may be 0."""
    if len(terms) > MAX_TERMS:
        raise Undecided(f"the sum of products has more than {MAX_TERMS} terms, which is too long to compare")
    if typ.is_int:
        terms = {monomial: coefficient % (1 << typ.bits) for monomial, coefficient in terms.items()}
    return Poly(typ, tuple(sorted((monomial, c) for monomial, c in terms.items() if c)))


def constant(typ: ScalarType, value: int | Fraction) -> Poly:
    """The polynomial of a number at a type."""
    return poly(typ, {(): Fraction(value)})


def atom(typ: ScalarType, number: int) -> Poly:
    """The polynomial of one atom."""
    return poly(typ, {(number,): Fraction(1)})


def add(a: Poly, b: Poly) -> Poly:
    """The sum, at the type of both."""
    terms = dict(a.terms)
    for monomial, coefficient in b.terms:
        terms[monomial] = terms.get(monomial, Fraction(0)) + coefficient
    return poly(a.type, terms)


def scale(a: Poly, factor: int | Fraction) -> Poly:
    """factor * a; a factor that is not whole is for R and floating types only."""
    return poly(a.type, {monomial: coefficient * factor for monomial, coefficient in a.terms})


def mul(a: Poly, b: Poly) -> Poly:
    """The product, at the type of both."""
    if len(a.terms) * len(b.terms) > MAX_TERMS * 20:
        raise Undecided("the product of sums is too long to compare")
    terms: dict[Monomial, Fraction] = {}
    for left, x in a.terms:
        for right, y in b.terms:
            monomial = tuple(sorted(left + right))
            terms[monomial] = terms.get(monomial, Fraction(0)) + x * y
    return poly(a.type, terms)
