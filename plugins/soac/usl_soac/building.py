"""Making statements of the sized core: operations, terms as code, tests; and what is known at a place meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from usl_core.errors import NOWHERE, Span
from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType
from usl_soac import core
from usl_soac.core import Atom, Body, Const, Expr, Param, Site, Statement, Type
from usl_soac.facts import Facts
from usl_soac.scalars import BOOL, CERT, I64
from usl_soac.sizes import Apply, Choice, Compare, SizeAtom, Term, literal, name, substitute

TRUE, FALSE = Const(True, BOOL), Const(False, BOOL)
PARTIAL = frozenset({"//", "%", "**"})
Dims = tuple[Term, ...]


def number(value: int) -> Const:
    """An i64."""
    return Const(value, I64)


@dataclass(frozen=True, slots=True)
class Condition:
    """What holds where a truth value is true, and where it is false, as far as it is about sizes."""

    true: tuple[Compare, ...] = ()
    false: tuple[Compare, ...] = ()


class Scope:
    """A body while it is made: its statements so far, and what is known of the names that are visible in it."""

    def __init__(self, outer: Scope | None = None) -> None:
        self.outer = outer
        self.statements: list[Statement] = []
        self.own: set[Sym] = set()  # what is bound here, and in the bodies around only where outer is None
        self.dims: dict[Sym, Dims] = dict(outer.dims) if outer else {}
        self.scalars: dict[Sym, ScalarType] = dict(outer.scalars) if outer else {}
        self.terms: dict[Sym, Term] = dict(outer.terms) if outer else {}
        self.values: dict[Sym, Atom] = dict(outer.values) if outer else {}
        self.conditions: dict[Sym, Condition] = dict(outer.conditions) if outer else {}
        self.code: dict[Term, Atom] = dict(outer.code) if outer else {}
        self.tested: dict[Term, Sym] = dict(outer.tested) if outer else {}
        self.facts: Facts = outer.facts if outer else Facts()

    def child(self, facts: Iterable[Compare] = ()) -> Scope:
        """A body inside this one."""
        inner = Scope(self)
        for fact in facts:
            inner.facts = inner.facts.assume(fact)
        return inner

    # ---- what names stand for

    def atom(self, atom: Atom) -> Atom:
        """The atom of the sized core for one of the typed core."""
        return self.values.get(atom, atom) if isinstance(atom, Sym) else atom

    def array(self, sym: Sym) -> Sym:
        found = self.atom(sym)
        assert isinstance(found, Sym)
        return found

    def term(self, atom: Atom) -> Term:
        """An i64 as a term over the names that it is computed from."""
        if isinstance(atom, Sym):
            return self.terms.get(atom, name(atom))
        return literal(int(atom.value))

    def canonical(self, term: Term) -> Term:
        """A term of the typed core over the names that its names are computed from."""
        return substitute(term, {sym: self.term(self.atom(sym)) for sym in term.names()})

    def shape(self, atom: Atom) -> Dims:
        """Σ: the dimensions of an array, none for a scalar."""
        return self.dims.get(atom, ()) if isinstance(atom, Sym) else ()

    def scalar_of(self, atom: Atom) -> ScalarType:
        return self.scalars[atom] if isinstance(atom, Sym) else atom.scalar

    def is_outside(self, term: Term) -> bool:
        """Whether a term mentions nothing that is bound in this body."""
        return term.names().isdisjoint(self.own)

    # ---- statements

    def bind(self, param: Param) -> None:
        """Make a name known that this body binds."""
        self.own.add(param.name)
        self.scalars[param.name] = param.type.scalar
        if param.type.dims:
            self.dims[param.name] = tuple(dim for dim in param.type.dims if dim is not None)
            self.facts = self.facts.with_lengths(self.dims[param.name])

    def add(self, statement: Statement) -> None:
        self.statements.append(statement)
        for param in statement.pattern:
            self.bind(param)

    def emit(self, expr: Expr, pattern: Sequence[Param], certs: Sequence[Sym] = (), span: Span = NOWHERE) -> None:
        self.add(Statement(tuple(pattern), expr, tuple(dict.fromkeys(certs)), span=span))

    def one(self, expr: Expr, typ: Type, spelling: str = "t", certs: Sequence[Sym] = ()) -> Sym:
        sym = Sym(spelling)
        self.emit(expr, (Param(sym, typ),), certs, expr.span)
        return sym

    def op(
        self, op: str, args: Sequence[Atom], operand: ScalarType = I64, result: ScalarType = I64, spelling: str = "t"
    ) -> Sym:
        return self.one(core.Op(op, tuple(args), operand), Type(result), spelling)

    # ---- terms as code

    def reify(self, term: Term, spelling: str = "k") -> Atom:
        """An atom with a term's value."""
        constant = term.constant
        if constant is not None:
            return number(constant)
        if term.name is not None:
            return term.name
        if term not in self.code:
            positive = sorted(term.parts, key=lambda part: part[1] < 0)
            result: Atom | None = None
            for monomial, coefficient in positive:
                result = self._plus(result, monomial, coefficient, spelling)
            assert result is not None
            self.code[term] = result
            if isinstance(result, Sym):
                self.terms[result] = term
        return self.code[term]

    def _plus(self, sum_: Atom | None, monomial: tuple[SizeAtom, ...], coefficient: int, spelling: str) -> Atom:
        subtract = sum_ is not None and coefficient < 0
        if subtract:
            coefficient = -coefficient
        factors: list[Atom] = [self._reify_atom(atom) for atom in monomial]
        if coefficient != 1 or not factors:
            factors.insert(0, number(coefficient))
        value = factors[0]
        for factor in factors[1:]:
            value = self.op("*", (value, factor), spelling=spelling)
        if sum_ is None:
            return value
        return self.op("-" if subtract else "+", (sum_, value), spelling=spelling)

    def _reify_atom(self, atom: SizeAtom) -> Atom:
        match atom:
            case Sym():
                return atom
            case Apply(op, args):
                inner = [self.reify(arg) for arg in args]
                result = inner[0]
                for other in inner[1:]:
                    result = self.op(op, (result, other))
                return result
            case Choice(test, yes, no):
                return self.op("select", (self.compare(test), self.reify(yes), self.reify(no)), BOOL)

    def compare(self, test: Compare, spelling: str = "ok") -> Atom:
        """A comparison as code."""
        if test.known is not None:
            return Const(test.known, BOOL)
        left, right = self.reify(test.left), self.reify(test.right)
        sym = self.op(test.op, (left, right), I64, BOOL, spelling)
        self.conditions[sym] = Condition((test,), (test.negated(),))
        return sym

    def both(self, left: Atom, right: Atom) -> Atom:
        """`left and right`"""
        if left == TRUE:
            return right
        if right == TRUE or left == FALSE:
            return left
        sym = self.op("and", (left, right), BOOL, BOOL, "ok")
        self.conditions[sym] = Condition((*self.condition(left).true, *self.condition(right).true))
        return sym

    def condition(self, atom: Atom) -> Condition:
        """What a truth value says of sizes."""
        return self.conditions.get(atom, Condition()) if isinstance(atom, Sym) else Condition()

    # ---- tests

    def check(self, condition: Atom, site: Site, values: Sequence[Atom] = ()) -> tuple[Sym, ...]:
        """`c = assert(condition)`; nothing if it is true as written."""
        if condition == TRUE:
            return ()
        cert = Sym("c")
        self.emit(core.Assert(condition, site, tuple(values), span=site.span), (Param(cert, Type(CERT)),), span=site.span)
        return (cert,)

    def body(self, results: Sequence[Atom], span: Span = NOWHERE) -> Body:
        return Body(tuple(self.statements), tuple(results), span=span)


def is_total_scalar(statement: Statement) -> bool:
    """Whether a statement computes scalars from scalars, whatever they are: it can be evaluated too often without harm."""
    if statement.certs or any(param.type.dims or param.type.scalar is CERT for param in statement.pattern):
        return False
    match statement.value:
        case core.Copy():
            return True
        case core.Op(op=op, args=args, operand=operand):
            if op not in PARTIAL or operand.is_real:
                return True
            divisor = args[-1]
            return op != "**" and isinstance(divisor, Const) and divisor.value != 0
        case core.If(then=then, orelse=orelse):
            return all(map(is_total_scalar, (*then.statements, *orelse.statements)))
        case _:
            return False
