"""From linear forms back to readable control expressions: the inverse of `lower`, up to normal form."""

from __future__ import annotations

from collections.abc import Callable

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Atom, Lin, Min, Product, Quot, Stride
from usl_core.analysis.formula import Formula
from usl_core.errors import NOWHERE, Span
from usl_core.ir import make
from usl_core.ir.config import FieldSym
from usl_core.ir.externs import MAX, MIN, Extern
from usl_core.ir.nodes import Expr, ExternCall, ReadConfig, StrideExpr, index_literal, index_read
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import update
from usl_core.ir.types import INDEX

Term = tuple[Expr, int]
Holds = Callable[[Formula], bool]
"""Whether a formula is proved at the place in question."""


# ---- to expressions


def from_lin(lin: Lin, span: Span = NOWHERE) -> Expr:
    """An index expression whose linear form is lin: remainders and maxima are found again, positive terms come first.

    lin has no `Product`: no control expression multiplies two unknowns.
    """
    lin = _small_remainders(lin)
    terms, constant = _terms(lin)
    positive = [make.mul(coefficient, part) for part, coefficient in terms if coefficient > 0]
    negative = [make.mul(-coefficient, part) for part, coefficient in terms if coefficient < 0]
    if positive:
        expr, rest = positive[0], positive[1:]
        for part in rest:
            expr = make.add(expr, part)
        for part in negative:
            expr = make.sub(expr, part)
        expr = make.offset(expr, constant)
    elif negative and constant == 0:
        expr, rest = make.neg(negative[0]), negative[1:]
        for part in rest:
            expr = make.sub(expr, part)
    else:
        expr = index_literal(constant)
        for part in negative:
            expr = make.sub(expr, part)
    return expr if expr.span.line or not span.line else update(expr, span=span)


def _small_remainders(lin: Lin) -> Lin:
    """`(n + 3 * i) / 4 - i` as `(n - i) / 4`: what normalisation took out of a quotient goes back where that cancels."""
    for atom, coefficient in lin.terms.items():
        if not isinstance(atom, Quot):
            continue
        back = [a for a, c in atom.num.terms.items() if 2 * c >= atom.den and lin.terms.get(a) == -coefficient]
        constant = atom.num.const > 0 and lin.const == -coefficient
        if back or constant:
            # floor((num - den * x) / den) is floor(num / den) - x
            num = affine.combine(atom.num, 1, Lin(1 if constant else 0, dict.fromkeys(back, 1)), -atom.den)
            rest = {a: c for a, c in lin.terms.items() if a is not atom and a not in back}
            return Lin(0 if constant else lin.const, {**rest, Quot(num, atom.den): coefficient})
    return lin


def _terms(lin: Lin) -> tuple[list[Term], int]:
    """The terms of lin in its own order, remainders recognised and put last; and the constant that is left."""
    terms, constant = dict(lin.terms), lin.const
    found: list[Term] = []
    for atom, coefficient in lin.terms.items():
        if isinstance(atom, Quot) and atom in terms and coefficient < 0 and coefficient % atom.den == 0:
            times = -coefficient // atom.den
            # e % c is e - c * (e / c); a constant in e is taken from lin's only if it is all of it
            inside = atom.num.const * times
            if inside in (0, constant) and all(terms.get(a, 0) >= times * c > 0 for a, c in atom.num.terms.items()):
                kept = affine.combine(Lin(0, terms), 1, atom.num, -times).terms
                terms = {a: c for a, c in kept.items() if a != atom}
                constant -= inside
                found.append((make.mod(from_lin(atom.num), atom.den), times))
    return [*(_term(atom, coefficient) for atom, coefficient in terms.items()), *found], constant


def _term(atom: Atom, coefficient: int) -> Term:
    if isinstance(atom, Min) and coefficient < 0:
        return _nested(MAX, [-arg for arg in atom.args]), -coefficient
    return _atom(atom), coefficient


def _atom(atom: Atom) -> Expr:
    match atom:
        case FieldSym(config=config, field=field):
            return ReadConfig(config, field, type=INDEX)
        case Sym():
            return index_read(atom)
        case Quot(num=num, den=den):
            return make.quot(from_lin(num), den)
        case Min(args=args):
            return _nested(MIN, list(args))
        case Stride(buffer=buffer, dim=dim):
            return StrideExpr(buffer, dim, type=INDEX)
        case Product():
            raise AssertionError("a product of sizes has no control expression")


def _nested(fn: Extern, args: list[Lin]) -> Expr:
    first, *rest = [from_lin(arg) for arg in sorted(args, key=_order)]
    expr = first
    for arg in rest:
        expr = ExternCall(fn, (expr, arg), type=INDEX)
    return expr


def _order(lin: Lin) -> tuple[int, list[int], int, str]:
    """Constants last, then by the age of the names, so that the text does not depend on hashing."""
    names = sorted(s.number for s in affine.syms(lin))
    return (0 if lin.terms else 1, names, lin.const, repr(sorted(map(repr, lin.terms.items()))))


# ---- with what is known


def reduce_lin(lin: Lin, holds: Holds) -> Lin:
    """lin with the quotients and minima settled that holds decides: `(4 * io + ii) / 4` is io where 0 <= ii < 4."""
    result = Lin(lin.const)
    for atom, coefficient in lin.terms.items():
        result = affine.combine(result, 1, _reduce_atom(atom, holds), coefficient)
    return result


def _reduce_atom(atom: Atom, holds: Holds) -> Lin:
    match atom:
        case Quot(num=num, den=den):
            return _reduce_quotient(affine.quotient(reduce_lin(num, holds), den), holds)
        case Min(args=args):
            return _reduce_minimum(affine.minimum(reduce_lin(a, holds) for a in sorted(args, key=_order)), holds)
        case Sym() | Stride() | Product():
            return affine.of_atom(atom)


def _reduce_quotient(lin: Lin, holds: Holds) -> Lin:
    """A quotient whose numerator lies in one period, or splits into a multiple of the divisor and such a rest."""
    result = Lin(lin.const)
    for atom, coefficient in lin.terms.items():
        value = affine.of_atom(atom)
        if isinstance(atom, Quot):
            for guess in (0, -1, 1):
                low = atom.num - guess * atom.den
                if holds(fml.ge(low)) and holds(fml.lt(low, affine.const(atom.den))):
                    value = Lin(guess)
                    break
            else:
                value = _without_small_part(atom, holds)
        result = affine.combine(result, 1, value, coefficient)
    return result


def _without_small_part(atom: Quot, holds: Holds) -> Lin:
    """`(4 * a + b) / 8` is `a / 2` where 0 <= b < 4: the terms divisible by a factor of the divisor, and a small rest."""
    for factor in sorted({abs(c) for c in atom.num.terms.values() if abs(c) > 1}, reverse=True):
        if atom.den % factor:
            continue
        small = Lin(atom.num.const % factor, {a: c for a, c in atom.num.terms.items() if c % factor})
        large = atom.num - small
        if small.terms and holds(fml.ge(small)) and holds(fml.lt(small, affine.const(factor))):
            return affine.quotient(affine.quotient(large, factor), atom.den // factor)
    return affine.of_atom(atom)


def _reduce_minimum(lin: Lin, holds: Holds) -> Lin:
    result = Lin(lin.const)
    for atom, coefficient in lin.terms.items():
        value = affine.of_atom(atom)
        if isinstance(atom, Min):
            args = sorted(atom.args, key=_order)
            least = next((a for a in args if all(b is a or holds(fml.le(a, b)) for b in args)), None)
            value = least if least is not None else value
        result = affine.combine(result, 1, value, coefficient)
    return result
