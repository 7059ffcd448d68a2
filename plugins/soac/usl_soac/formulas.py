"""What truth values of a program say of sizes, and proving them from facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.core import Atom, Const, Statement, Type
from usl_soac.facts import Facts
from usl_soac.folding import arithmetic
from usl_soac.scalars import BOOL, I64
from usl_soac.sizes import Compare, Term, literal, name, substitute


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of sizes."""

    compare: Compare

    def negated(self) -> Formula:
        return Test(self.compare.negated())


@dataclass(frozen=True, slots=True)
class Both:
    """`left and right`, or with op "or" one of them."""

    op: Literal["and", "or"]
    left: Formula
    right: Formula

    def negated(self) -> Formula:
        return Both("or" if self.op == "and" else "and", self.left.negated(), self.right.negated())


@dataclass(frozen=True, slots=True)
class Other:
    """A truth value of which only the name is known, or its opposite; a constant."""

    atom: Atom
    holds: bool = True

    def negated(self) -> Formula:
        return Other(self.atom, not self.holds)


Formula = Test | Both | Other


def proves(formula: Formula, facts: Facts) -> bool:
    """Whether a formula certainly holds."""
    match formula:
        case Test(compare=compare):
            return facts.proves(compare)
        case Both(op="and", left=left, right=right):
            return proves(left, facts) and proves(right, assume(left, facts))
        case Both(left=left, right=right):
            return proves(right, assume(left.negated(), facts)) or proves(left, assume(right.negated(), facts))
        case Other(atom=atom, holds=holds):
            return isinstance(atom, Const) and bool(atom.value) == holds


def assume(formula: Formula, facts: Facts) -> Facts:
    """Facts with a formula that holds."""
    match formula:
        case Test(compare=compare):
            return facts.assume(compare)
        case Both(op="and", left=left, right=right):
            return assume(right, assume(left, facts))
        case Both(left=left, right=right):
            if proves(left.negated(), facts):
                return assume(right, facts)
            if proves(right.negated(), facts):
                return assume(left, facts)
            return facts
        case Other():
            return facts


def compares(formula: Formula) -> list[Compare] | None:
    """The comparisons that a formula says hold all, None if it says something else."""
    match formula:
        case Test(compare=compare):
            return [compare]
        case Both(op="and", left=left, right=right):
            first, second = compares(left), compares(right)
            return None if first is None or second is None else [*first, *second]
        case _:
            return None


def _without(formula: Formula, names: set[Sym]) -> Formula:
    """The formula with nothing said of what mentions these names."""
    match formula:
        case Test(compare=compare):
            mentioned = compare.left.names() | compare.right.names()
            return Other(Sym("unknown")) if mentioned & names else formula
        case Both(op=op, left=left, right=right):
            return Both(op, _without(left, names), _without(right, names))
        case Other():
            return formula


_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}


class Formulas:
    """The names of a function with what they are computed from."""

    def __init__(self) -> None:
        self.formulas: dict[Sym, Formula] = {}
        self.terms: dict[Sym, Term] = {}
        self.types: dict[Sym, Type] = {}
        self.iotas: dict[Sym, Term] = {}
        """Arrays of 0, 1, … with their numbers of elements."""

    def note(self, statement: Statement) -> None:
        """Remembers what a statement computes."""
        for param in statement.pattern:
            self.types[param.name] = param.type
        match statement.value:
            case core.Op(op=op, args=args, operand=operand):
                self._operation(statement, op, args, operand == I64, operand == BOOL)
            case core.Iota(count=count, scalar=scalar) if scalar == I64:
                self.iotas[statement.pattern[0].name] = self.term(count)
            case core.Copy(atom=atom):
                if statement.pattern[0].type == Type(I64):
                    self.terms[statement.pattern[0].name] = self.term(atom)
                elif statement.pattern[0].type == Type(BOOL):
                    self.formulas[statement.pattern[0].name] = self.of(atom)
            case core.Coerce(array=array) if array in self.iotas:
                self.iotas[statement.pattern[0].name] = self.iotas[array]
            case core.If():
                self._choice(statement, statement.value)
            case _:
                pass

    def _choice(self, statement: Statement, choice: core.If) -> None:
        """`a and b`, `a or b` where b is evaluated only if it decides; what b's own names say is not known outside of it.

        What stands in the branches has been noted.
        """
        if [param.type for param in statement.pattern] != [Type(BOOL)]:
            return
        inside = {param.name for body in (choice.then, choice.orelse) for each in body.statements for param in each.pattern}
        condition = self.of(choice.condition)
        sides = ((condition, choice.then), (condition.negated(), choice.orelse))
        for (_, known), (open_, body) in (sides, sides[::-1]):
            decided = known.results[0]
            if isinstance(decided, Const):
                rest = _without(self.of(body.results[0]), inside)
                both: Formula = Both("and", open_, rest) if not decided.value else Both("or", open_.negated(), rest)
                self.formulas[statement.pattern[0].name] = both
                return

    def _operation(self, statement: Statement, op: str, args: Sequence[Atom], integers: bool, truths: bool) -> None:
        (param,) = statement.pattern
        if integers and op in _COMPARISONS:
            self.formulas[param.name] = self.comparison(op, self.term(args[0]), self.term(args[1]))
        elif integers and param.type.scalar == I64:
            term = arithmetic(op, [self.term(arg) for arg in args])
            if term is not None:
                self.terms[param.name] = term
        elif truths and op in ("and", "or"):
            left, right = map(self.of, args)
            self.formulas[param.name] = Both("and" if op == "and" else "or", left, right)
        elif truths and op == "not":
            self.formulas[param.name] = self.of(args[0]).negated()

    def comparison(self, op: str, left: Term, right: Term) -> Formula:
        match op:
            case "<":
                return Test(Compare("<", left, right))
            case "<=":
                return Test(Compare("<=", left, right))
            case ">":
                return Test(Compare("<", right, left))
            case ">=":
                return Test(Compare("<=", right, left))
            case "==":
                return Test(Compare("==", left, right))
            case _:
                return Test(Compare("!=", left, right))

    def of(self, atom: Atom) -> Formula:
        """What a truth value says."""
        return self.formulas.get(atom, Other(atom)) if isinstance(atom, Sym) else Other(atom)

    def term(self, atom: Atom) -> Term:
        """An i64 over the names that it is computed from."""
        if isinstance(atom, Sym):
            return self.terms.get(atom, name(atom))
        return literal(int(atom.value))

    def is_i64(self, atom: Atom) -> bool:
        if isinstance(atom, Const):
            return atom.scalar == I64
        return atom in self.terms or atom not in self.types or self.types[atom] == Type(I64)

    def canonical(self, term: Term) -> Term:
        """A term over the names that its names are computed from."""
        return substitute(term, {sym: self.terms[sym] for sym in term.names() if sym in self.terms})

    def head(self, array: Sym) -> Term | None:
        """The first dimension of an array."""
        dims = self.types[array].dims if array in self.types else ()
        return self.canonical(dims[0]) if dims and dims[0] is not None else None
