"""Terms for the sizes of arrays: polynomials over names and opaque atoms, in the arithmetic of `i64`, one form for equal ones.

Two terms are equal statically if and only if their forms are (`==`): no solver is asked. Coefficients are taken modulo 2^64,
as integers of programs wrap, so equal forms have equal values whatever the names stand for. What an atom applies to (`//`,
`min`, `max`, a choice) is never distributed over a sum: `2*n // 2` is not `n` where `2*n` wraps. Facts are in `facts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from usl_core.ir.sym import Sym

BITS = 64
# No array that is passed has more elements along one dimension: so a sum of a few such sizes never wraps.
SIZE_LIMIT = 2**48
# No array that is joined or indexed has more: a program may count elements that it never makes, but only so far.
COUNT_LIMIT = 2**62
# The largest size that a procedure takes.
KERNEL_SIZE_LIMIT = 2**31 - 1


def wrap(value: int) -> int:
    """value modulo 2^64, as an i64."""
    return (value + (1 << BITS - 1)) % (1 << BITS) - (1 << BITS - 1)


@dataclass(frozen=True)
class Apply:
    """An operation that polynomials do not have: `//` (by a literal), `min`, `max` (of two or more terms, sorted)."""

    op: Literal["//", "min", "max"]
    args: tuple[Term, ...]

    def show(self, spelling: Spelling) -> str:
        if self.op == "//":
            return f"{_operand(self.args[0], spelling)} // {self.args[1].show(spelling)}"
        return f"{self.op}({', '.join(arg.show(spelling) for arg in self.args)})"


@dataclass(frozen=True)
class Choice:
    """`yes if test else no`, where test compares terms."""

    test: Compare
    yes: Term
    no: Term

    def show(self, spelling: Spelling) -> str:
        return f"({self.yes.show(spelling)} if {self.test.show(spelling)} else {self.no.show(spelling)})"


Spelling = Callable[[Sym], str]
SizeAtom = Sym | Apply | Choice
Monomial = tuple[SizeAtom, ...]  # sorted by _order; the empty one is the constant's


def spelling_of(sym: Sym) -> str:
    """The name as it was written; two names may have one spelling."""
    return sym.name


def _order(atom: SizeAtom) -> tuple[int, int, str]:
    return (0, atom.number, "") if isinstance(atom, Sym) else (1, 0, atom.show(repr))


def show_atom(atom: SizeAtom, spelling: Spelling) -> str:
    return spelling(atom) if isinstance(atom, Sym) else atom.show(spelling)


def _degree_first(monomial: Monomial) -> tuple[int, tuple[tuple[int, int, str], ...]]:
    return (-len(monomial), tuple(map(_order, monomial)))


@dataclass(frozen=True)
class Term:
    """A polynomial: pairs of a monomial and its coefficient (an i64, never 0), monomials sorted, each once."""

    parts: tuple[tuple[Monomial, int], ...]

    @cached_property
    def _names(self) -> frozenset[Sym]:
        return frozenset(name for monomial, _ in self.parts for atom in monomial for name in _names_of(atom))

    def names(self) -> frozenset[Sym]:
        """The names that stand in the term, in its atoms too."""
        return self._names

    @property
    def constant(self) -> int | None:
        """The value if the term mentions nothing, else None."""
        if not self.parts:
            return 0
        return self.parts[0][1] if len(self.parts) == 1 and not self.parts[0][0] else None

    @property
    def name(self) -> Sym | None:
        """The name if the term is one, else None."""
        if len(self.parts) == 1 and self.parts[0][1] == 1 and len(self.parts[0][0]) == 1:
            atom = self.parts[0][0][0]
            return atom if isinstance(atom, Sym) else None
        return None

    def __add__(self, other: Term | int) -> Term:
        return _collect([*self.parts, *_term(other).parts])

    def __sub__(self, other: Term | int) -> Term:
        return self + _term(other) * -1

    def __mul__(self, other: Term | int) -> Term:
        return _collect((tuple(sorted(a + b, key=_order)), c * d) for a, c in self.parts for b, d in _term(other).parts)

    def __neg__(self) -> Term:
        return self * -1

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: int) -> Term:
        return _term(other) - self

    def __floordiv__(self, divisor: int) -> Term:
        """self // divisor, rounded down; the divisor is not 0."""
        if divisor == 0:
            raise ZeroDivisionError("a term is divided by 0")
        if divisor == 1:
            return self
        if self.constant is not None:
            return literal(self.constant // divisor)
        return of(Apply("//", (self, literal(divisor))))

    def show(self, spelling: Spelling = spelling_of) -> str:
        """Its text, `2*n + m - 1`: the largest products first, but a positive one before a negative one."""
        if not self.parts:
            return "0"
        text = ""
        for monomial, coefficient in sorted(self.parts, key=lambda part: (part[1] < 0 or not part[0], _degree_first(part[0]))):
            sign = ("-" if coefficient < 0 else "") if not text else (" - " if coefficient < 0 else " + ")
            text += sign + _show_product(monomial, abs(coefficient), spelling)
        return text

    def __str__(self) -> str:
        return self.show()


def _show_product(monomial: Monomial, coefficient: int, spelling: Spelling) -> str:
    if len(monomial) == 1 and coefficient == 1:
        return show_atom(monomial[0], spelling)
    factors = [
        f"({show_atom(atom, spelling)})" if isinstance(atom, Apply) and atom.op == "//" else show_atom(atom, spelling)
        for atom in monomial
    ]
    return "*".join(factors if coefficient == 1 and factors else [str(coefficient), *factors])


def _operand(term: Term, spelling: Spelling) -> str:
    single = term.name is not None or term.constant is not None
    return term.show(spelling) if single else f"({term.show(spelling)})"


def _names_of(atom: SizeAtom) -> Iterator[Sym]:
    match atom:
        case Sym():
            yield atom
        case Apply(args=args):
            for arg in args:
                yield from arg.names()
        case Choice(test=test, yes=yes, no=no):
            for term in (test.left, test.right, yes, no):
                yield from term.names()


def _collect(parts: Iterable[tuple[Monomial, int]]) -> Term:
    sums: dict[Monomial, int] = {}
    for monomial, coefficient in parts:
        sums[monomial] = sums.get(monomial, 0) + coefficient
    kept = [(monomial, wrap(coefficient)) for monomial, coefficient in sums.items() if wrap(coefficient)]
    return Term(tuple(sorted(kept, key=lambda part: _degree_first(part[0]))))


def _term_order(term: Term) -> list[tuple[tuple[int, tuple[tuple[int, int, str], ...]], int]]:
    return [(_degree_first(monomial), coefficient) for monomial, coefficient in term.parts]


def _term(value: Term | int) -> Term:
    return value if isinstance(value, Term) else literal(value)


def of(atom: SizeAtom) -> Term:
    """The term that is this atom."""
    return Term((((atom,), 1),))


def name(sym: Sym) -> Term:
    """The term that is this name of a size or of an i64."""
    return of(sym)


def literal(value: int) -> Term:
    """The term of this value, taken modulo 2^64."""
    return Term((((), wrap(value)),) if wrap(value) else ())


ZERO, ONE = literal(0), literal(1)


def product(terms: Iterable[Term]) -> Term:
    result = ONE
    for term in terms:
        result = result * term
    return result


def total(terms: Iterable[Term]) -> Term:
    result = ZERO
    for term in terms:
        result = result + term
    return result


def minimum(*terms: Term | int) -> Term:
    return _extremum("min", min, [_term(term) for term in terms])


def maximum(*terms: Term | int) -> Term:
    return _extremum("max", max, [_term(term) for term in terms])


def _extremum(op: Literal["min", "max"], choose: Callable[[list[int]], int], terms: list[Term]) -> Term:
    flat: dict[Term, None] = {}
    for term in terms:
        atom = _single_atom(term)
        flat.update(dict.fromkeys(atom.args if isinstance(atom, Apply) and atom.op == op else (term,)))
    constants = [term.constant for term in flat if term.constant is not None]
    rest = [term for term in flat if term.constant is None]
    if constants:
        rest.append(literal(choose(constants)))
    return rest[0] if len(rest) == 1 else of(Apply(op, tuple(sorted(rest, key=_term_order))))


def _single_atom(term: Term) -> SizeAtom | None:
    match term.parts:
        case (((atom,), 1),):
            return atom
        case _:
            return None


def ceiling_quotient(dividend: Term, divisor: int) -> Term:
    """dividend / divisor rounded up; the divisor is positive."""
    return (dividend + (divisor - 1)) // divisor


def choice(test: Compare, yes: Term, no: Term) -> Term:
    """`yes if test else no`, decided where the comparison is."""
    known = test.known
    if known is not None:
        return yes if known else no
    return yes if yes == no else of(Choice(test, yes, no))


@dataclass(frozen=True)
class Compare:
    """A comparison of the values of two terms as i64."""

    op: Literal["==", "!=", "<=", "<"]
    left: Term
    right: Term

    @property
    def known(self) -> bool | None:
        """Whether it holds whatever the names stand for, None where that depends on them."""
        difference = (self.left - self.right).constant
        if self.op in ("==", "!="):
            return None if difference is None else (difference == 0) == (self.op == "==")
        if difference == 0:
            return self.op == "<="
        left, right = self.left.constant, self.right.constant
        if left is None or right is None:
            return None
        return left <= right if self.op == "<=" else left < right

    def negated(self) -> Compare:
        match self.op:
            case "==":
                return Compare("!=", self.left, self.right)
            case "!=":
                return Compare("==", self.left, self.right)
            case "<=":
                return Compare("<", self.right, self.left)
            case "<":
                return Compare("<=", self.right, self.left)

    def show(self, spelling: Spelling = spelling_of) -> str:
        return f"{self.left.show(spelling)} {self.op} {self.right.show(spelling)}"

    def __str__(self) -> str:
        return self.show()


def substitute(term: Term, values: Mapping[Sym, Term]) -> Term:
    """term with names replaced, all at once."""
    if not values or term.names().isdisjoint(values):
        return term
    return total(product([literal(c), *(_substitute_atom(atom, values) for atom in monomial)]) for monomial, c in term.parts)


def _substitute_atom(atom: SizeAtom, values: Mapping[Sym, Term]) -> Term:
    match atom:
        case Sym():
            return values.get(atom, name(atom))
        case Apply("//", (dividend, divisor)):
            assert divisor.constant is not None
            return substitute(dividend, values) // divisor.constant
        case Apply(op, args):
            return (minimum if op == "min" else maximum)(*(substitute(arg, values) for arg in args))
        case Choice(test, yes, no):
            return choice(substitute_compare(test, values), substitute(yes, values), substitute(no, values))


def substitute_compare(test: Compare, values: Mapping[Sym, Term]) -> Compare:
    return Compare(test.op, substitute(test.left, values), substitute(test.right, values))


def evaluate(term: Term, values: Mapping[Sym, int]) -> int:
    """The term's value as an i64, where each name has the given one."""
    result = 0
    for monomial, coefficient in term.parts:
        factor = coefficient
        for atom in monomial:
            factor = wrap(factor * _evaluate_atom(atom, values))
        result += factor
    return wrap(result)


def _evaluate_atom(atom: SizeAtom, values: Mapping[Sym, int]) -> int:
    match atom:
        case Sym():
            return values[atom]
        case Apply("//", (dividend, divisor)):
            return wrap(evaluate(dividend, values) // evaluate(divisor, values))
        case Apply(op, args):
            return (min if op == "min" else max)(evaluate(arg, values) for arg in args)
        case Choice(test, yes, no):
            return evaluate(yes if holds(test, values) else no, values)


def holds(test: Compare, values: Mapping[Sym, int]) -> bool:
    left, right = evaluate(test.left, values), evaluate(test.right, values)
    match test.op:
        case "==":
            return left == right
        case "!=":
            return left != right
        case "<=":
            return left <= right
        case "<":
            return left < right
