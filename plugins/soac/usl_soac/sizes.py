"""Sizes as terms: polynomials over names, equal if and only if they are the same polynomial.

A name is a Sym; two of the same spelling are different names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from usl_core.ir.sym import Sym

Monomial = tuple[Sym, ...]
"""The names of a product, sorted, each as often as its power."""


@dataclass(frozen=True, slots=True)
class Term:
    """A sum of integer multiples of products of names. Make it with `literal`, `name` and arithmetic."""

    parts: tuple[tuple[Monomial, int], ...]
    """Sorted; no coefficient is 0."""

    def __add__(self, other: Term) -> Term:
        return _term([*self.parts, *other.parts])

    def __neg__(self) -> Term:
        return _term((names, -factor) for names, factor in self.parts)

    def __sub__(self, other: Term) -> Term:
        return self + -other

    def __mul__(self, other: Term) -> Term:
        return _term((tuple(sorted((*a, *b))), m * n) for a, m in self.parts for b, n in other.parts)

    @property
    def constant(self) -> int | None:
        """Its value if it mentions no name."""
        if not self.parts:
            return 0
        return self.parts[0][1] if len(self.parts) == 1 and not self.parts[0][0] else None

    def show(self, spelling: Callable[[Sym], str]) -> str:
        """Its text: `2*n + m - 1`, the largest products first."""
        text = ""
        for names, factor in reversed(self.parts):
            product = "*".join([*([str(abs(factor))] if abs(factor) != 1 or not names else []), *map(spelling, names)])
            sign = "-" if factor < 0 else "+"
            text += f" {sign} {product}" if text else f"{'-' if factor < 0 else ''}{product}"
        return text or "0"

    def names(self) -> frozenset[Sym]:
        """The names it mentions."""
        return frozenset(name for monomial, _ in self.parts for name in monomial)


def literal(value: int) -> Term:
    """A number."""
    return Term((((), value),) if value else ())


def name(sym: Sym) -> Term:
    """A name of a size or of an i64."""
    return Term((((sym,), 1),))


def _term(parts: Iterable[tuple[Monomial, int]]) -> Term:
    total: dict[Monomial, int] = {}
    for names, factor in parts:
        total[names] = total.get(names, 0) + factor
    return Term(tuple(sorted((item for item in total.items() if item[1]), key=lambda item: (len(item[0]), item[0]))))
