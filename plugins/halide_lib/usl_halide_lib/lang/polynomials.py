"""Expressions of + - * as polynomials: two that are the same polynomial are equal over the reals, and modulo 2^N."""

from __future__ import annotations

from fractions import Fraction

from usl_halide_lib.lang.nodes import Const, Name, Node, Op

Monomial = tuple[str, ...]
"""The variables of a product, sorted, each as often as its power."""
Polynomial = dict[Monomial, Fraction]

MOST_TERMS = 500
"""Beyond so many terms nothing is claimed."""


def same_polynomial(a: Node, b: Node) -> bool:
    """Whether both are polynomials, and the same. False says nothing."""
    if a.type != b.type:
        return False
    left, right = _polynomial(a), _polynomial(b)
    return left is not None and left == right


def _polynomial(node: Node) -> Polynomial | None:
    match node:
        case Const(value=value):
            return {(): Fraction(value)} if value else {}
        case Name(name=name):
            return {(name,): Fraction(1)}
        case Op(op="neg", args=(a,)):
            inner = _polynomial(a)
            return None if inner is None else {each: -c for each, c in inner.items()}
        case Op(op="add" | "sub" | "mul", args=(a, b)):
            left, right = _polynomial(a), _polynomial(b)
            if left is None or right is None:
                return None
            if node.op == "mul":
                return _product(left, right)
            return _sum(left, right, Fraction(1 if node.op == "add" else -1))
        case _:
            return None


def _sum(a: Polynomial, b: Polynomial, factor: Fraction) -> Polynomial:
    result = dict(a)
    for each, c in b.items():
        result[each] = result.get(each, Fraction(0)) + factor * c
    return {each: c for each, c in result.items() if c}


def _product(a: Polynomial, b: Polynomial) -> Polynomial | None:
    if len(a) * len(b) > MOST_TERMS:
        return None
    result: Polynomial = {}
    for left, c in a.items():
        for right, d in b.items():
            both = tuple(sorted((*left, *right)))
            result[both] = result.get(both, Fraction(0)) + c * d
    return {each: c for each, c in result.items() if c}
