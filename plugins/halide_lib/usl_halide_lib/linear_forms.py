"""Index expressions as sums, read off the tree alone: how an index goes with a lane, and what is the same in all lanes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usl_core import build
from usl_core.ir import nodes as ir
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, mentioned

Term = Sym | tuple[object, ...]
"""A variable; or `(num / den)` as the key of num with den, the names in it last; or the text of anything else, with names."""


@dataclass(frozen=True, slots=True)
class Sum:
    """`constant + sum of factor * term`."""

    constant: int
    terms: dict[Term, int]

    def key(self) -> object:
        """Equal for equal sums."""
        return self.constant, frozenset(self.terms.items())

    @staticmethod
    def inside(term: Term) -> frozenset[Sym]:
        """The names in a term."""
        if isinstance(term, Sym):
            return frozenset((term,))
        names: Any = term[-1]
        found: frozenset[Sym] = names
        return found

    def plus(self, other: Sum, factor: int = 1) -> Sum:
        """This and factor times other."""
        terms = dict(self.terms)
        for term, c in other.terms.items():
            terms[term] = terms.get(term, 0) + factor * c
        return Sum(self.constant + factor * other.constant, {term: c for term, c in terms.items() if c})


def linear(expr: ir.Expr) -> Sum | None:
    """An index as a sum; None if it is data."""
    match expr:
        case ir.Read(name=name, idx=()):
            return Sum(0, {name: 1})
        case ir.Literal(value=int() as value):
            return Sum(value, {})
        case ir.UnaryMinus(arg=arg):
            inner = linear(arg)
            return None if inner is None else Sum(0, {}).plus(inner, -1)
        case ir.BinaryOp(op="+" | "-" as op, lhs=lhs, rhs=rhs):
            left, right = linear(lhs), linear(rhs)
            return None if left is None or right is None else left.plus(right, 1 if op == "+" else -1)
        case ir.BinaryOp(op="*", lhs=lhs, rhs=rhs):
            left, right = linear(lhs), linear(rhs)
            if left is not None and right is not None and not left.terms:
                left, right = right, left
            if left is None or right is None or right.terms:
                return None
            return Sum(0, {}).plus(left, right.constant)
        case ir.BinaryOp(op="/", lhs=lhs, rhs=ir.Literal(value=int() as den)):
            inner = linear(lhs)
            return None if inner is None else _quotient(inner, den)
        case ir.BinaryOp(op="%") | ir.ExternCall():
            if depends_on_data(expr):
                return None
            return Sum(0, {("text", show_expr(expr), mentioned(expr)): 1})
        case ir.Read() | ir.Literal() | ir.BinaryOp() | ir.Cast() | ir.WindowExpr() | ir.StrideExpr() | ir.ReadConfig():
            return None


def _quotient(num: Sum, den: int) -> Sum:
    """num / den, rounded down: multiples of den in num leave the quotient."""
    whole, rest = divmod(num.constant, den)
    outside = Sum(whole, {term: c // den for term, c in num.terms.items() if c % den == 0})
    inside = Sum(rest, {term: c for term, c in num.terms.items() if c % den})
    if not inside.terms:
        return outside
    names = frozenset[Sym]().union(*map(Sum.inside, inside.terms))
    return outside.plus(Sum(0, {("/", inside.constant, frozenset(inside.terms.items()), den, names): 1}))


@dataclass(frozen=True, slots=True)
class LaneForm:
    """`(factor * lane + rest) / den + constant`."""

    factor: int
    den: int
    rest: int
    constant: int

    @property
    def kind(self) -> tuple[int, int, int]:
        """What it is but for the constant."""
        return self.factor, self.den, self.rest

    def at(self, lane: int) -> int:
        """Its value in a lane."""
        return (self.factor * lane + self.rest) // self.den + self.constant

    def moved(self, lane: Any) -> Any:
        """What the lane adds to the constant."""
        scaled = lane if self.factor == 1 else build.mul(self.factor, lane)
        if self.den == 1:
            return scaled
        return build.div(build.add(scaled, self.rest) if self.rest else scaled, self.den)


def lane_form(index: Sum, lane: Sym) -> tuple[object, LaneForm] | None:
    """What in an index is the same in all lanes, without the number, and the rest; None if lanes go otherwise than forward."""
    moving = [term for term in index.terms if lane in Sum.inside(term)]
    if len(moving) != 1:
        return None
    (term,) = moving
    factor = index.terms[term]
    rest = frozenset((each, c) for each, c in index.terms.items() if each is not term)
    if isinstance(term, Sym):
        return (rest, LaneForm(factor, 1, 0, index.constant)) if factor > 0 else None
    if term[0] != "/" or factor != 1:
        return None
    _, number, inner, den, _ = term
    terms: Any = inner
    parts = dict(terms)
    if set(parts) != {lane} or parts[lane] < 0 or not isinstance(number, int) or not isinstance(den, int):
        return None
    return rest, LaneForm(parts[lane], den, number, index.constant)
