"""Tests that facts prove are left out (H1), and those of affine indices become tests of a loop's two ends (H3).

H1: a test that follows from what is known where it stands. H3: a test of an index that is affine in the counter of a loop,
or in the elements of an iota, becomes one for the first round and one for the last. What does not vary moves out in `lifting`.
Reference: docs/soac.md, §7; Henriksen 2014, fig. 10.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.building import TRUE, Scope
from usl_soac.core import Atom, Body, Const, Lambda, Param, Statement, Type
from usl_soac.facts import Facts
from usl_soac.formulas import Formula, Formulas, assume, compares, proves
from usl_soac.scalars import BOOL, CERT, I64
from usl_soac.sizes import COUNT_LIMIT, ONE, SIZE_LIMIT, ZERO, Compare, Term, literal, name, substitute
from usl_soac.traverse import Renaming, bodies, lambda_of

PASSED = Const(True, CERT)
SMALL_STRIDE = 2**10


def discharged(body: Body, params: Iterable[Param]) -> Body:
    """H1 and H3."""
    facts = Facts()
    formulas = Formulas()
    for param in params:
        facts = facts.with_sizes(_dims(param.type))
    return _Discharge().body(body, facts, formulas, None)[0]


def _dims(typ: Type) -> list[Term]:
    return [dim for dim in typ.dims if dim is not None]


@dataclass(slots=True)
class _Counter:
    """What a body is repeated for: its counter, the number of rounds, and what is bound inside."""

    index: Sym
    rounds: Term
    inside: set[Sym]
    ends: list[Statement] = field(default_factory=list)
    """Tests of the first and the last round, to stand before."""


class _Discharge:
    def __init__(self) -> None:
        self.renaming = Renaming({})

    def body(self, body: Body, facts: Facts, formulas: Formulas, counter: _Counter | None) -> tuple[Body, Facts]:
        made: list[Statement] = []
        if counter is not None:
            counter.inside |= {param.name for statement in body.statements for param in statement.pattern}
        for statement in body.statements:
            facts = self.statement(statement, facts, formulas, counter, made)
        results = tuple(map(self.renaming.atom, body.results))
        return replace(body, statements=tuple(made), results=results), facts

    def statement(
        self, statement: Statement, facts: Facts, formulas: Formulas, counter: _Counter | None, made: list[Statement]
    ) -> Facts:
        """Adds what is left of a statement; what is known after it."""
        certs = tuple(cert for cert in map(self.renaming.atom, statement.certs) if isinstance(cert, Sym))
        statement = replace(statement, certs=certs)
        expr = statement.value
        if isinstance(expr, core.Assert):
            formula = formulas.of(expr.condition)
            if proves(formula, facts):
                self.renaming.values[statement.pattern[0].name] = PASSED
                return facts
            if counter is not None and self.at_ends(expr, formula, facts, formulas, counter):
                self.renaming.values[statement.pattern[0].name] = PASSED
                return facts
            made.append(statement)
            return assume(formula, facts)
        formulas.note(statement)
        if bodies(expr):
            statement = self.inner(statement, facts, formulas, made)
            formulas.note(statement)
        made.append(statement)
        return self.after(statement, facts, formulas)

    def after(self, statement: Statement, facts: Facts, formulas: Formulas) -> Facts:
        for param in statement.pattern:
            facts = facts.with_lengths(map(formulas.canonical, _dims(param.type)))
        match statement.value:
            case core.Op(op="%", args=(_, Const(value=divisor)), operand=operand) if operand == I64 and divisor > 0:
                rest = name(statement.pattern[0].name)
                facts = facts.assume(Compare("<=", ZERO, rest)).assume(Compare("<", rest, literal(int(divisor))))
            case core.Filter(arrays=(array, *_)) if array in formulas.types:
                heads = _dims(formulas.types[array])
                facts = facts.assume(Compare("<=", name(statement.pattern[0].name), formulas.canonical(heads[0])))
            case _:
                pass
        return facts

    # ---- bodies

    def inner(self, statement: Statement, facts: Facts, formulas: Formulas, made: list[Statement]) -> Statement:
        """The statement with tests taken out of its bodies; what stands before it is added."""
        expr = statement.value
        match expr:
            case core.If(condition=condition, then=then, orelse=orelse):
                formula = formulas.of(condition)
                left, _ = self.body(then, assume(formula, facts), formulas, None)
                right, _ = self.body(orelse, assume(formula.negated(), facts), formulas, None)
                return replace(statement, value=replace(expr, then=left, orelse=right))
            case core.Loop():
                return replace(statement, value=self.loop(expr, facts, formulas, made))
            case core.Map() | core.Reduce() | core.Scan() | core.Filter() | core.Hist():
                return replace(statement, value=self.soac(expr, statement, facts, formulas, made))
            case _:
                return statement

    def loop(self, loop: core.Loop, facts: Facts, formulas: Formulas, made: list[Statement]) -> core.Loop:
        inside = facts
        for param in loop.params:
            formulas.types[param.name] = param.type
            inside = inside.with_lengths(map(formulas.canonical, _dims(param.type)))
        condition = None if loop.condition is None else self.body(loop.condition, inside, formulas, None)[0]
        counter = None
        if loop.index is not None:
            index = name(loop.index.name)
            inside = inside.assume(Compare("<=", ZERO, index))
            if loop.bound is not None:
                rounds = formulas.term(loop.bound)
                inside = inside.assume(Compare("<", index, rounds))
                if loop.condition is None:
                    counter = _Counter(loop.index.name, rounds, {param.name for param in loop.params})
        body, _ = self.body(loop.body, inside, formulas, counter)
        if counter is not None:
            made.extend(counter.ends)
        return replace(loop, condition=condition, body=body)

    def soac(self, expr: core.Soac, statement: Statement, facts: Facts, formulas: Formulas, made: list[Statement]) -> core.Soac:
        function = lambda_of(expr)
        inside = facts
        for param in function.params:
            formulas.types[param.name] = param.type
            inside = inside.with_lengths(map(formulas.canonical, _dims(param.type)))
        counter = None
        if not isinstance(expr, core.Hist):
            head = formulas.head(expr.arrays[0])
            if head is not None:
                # There is an element, or this would not be evaluated.
                inside = inside.assume(Compare("<=", ONE, head))
        if isinstance(expr, core.Map | core.Filter):
            for param, array in zip(function.params, expr.arrays, strict=True):
                count = formulas.iotas.get(array)
                if count is not None:
                    element = name(param.name)
                    inside = inside.assume(Compare("<=", ZERO, element)).assume(Compare("<", element, count))
                    counter = _Counter(param.name, count, {each.name for each in function.params})
        body, _ = self.body(function.body, inside, formulas, counter)
        if counter is not None:
            made.extend(replace(each, certs=(*statement.certs, *each.certs)) for each in counter.ends)
        return _with_function(expr, replace(function, body=body))

    # ---- H3

    def at_ends(self, expr: core.Assert, formula: Formula, facts: Facts, formulas: Formulas, counter: _Counter) -> bool:
        """Whether a test has become tests of the first and the last round."""
        parts = compares(formula)
        values = [formulas.term(value) for value in expr.values if formulas.is_i64(value)]
        if parts is None or len(values) != len(expr.values):
            return False
        parts = [Compare(part.op, facts.normal(part.left), facts.normal(part.right)) for part in parts]
        terms = [term for part in parts for term in (part.left, part.right)]
        exact = all(_is_affine(term, counter, facts) and facts.is_exact(term) for term in terms)
        if not exact and not _is_range(parts, counter, facts):
            return False
        if any(not (value.names() - {counter.index}).isdisjoint(counter.inside) for value in values):
            return False
        if any(part.op in ("==", "!=") for part in parts):
            return False
        scope = Scope()
        none = scope.compare(Compare("<=", counter.rounds, ZERO), "empty")
        for end in (ZERO, counter.rounds - 1):
            # With more rounds an index would leave the array before it wraps.
            few: Atom = TRUE if exact else scope.compare(Compare("<=", counter.rounds, literal(SIZE_LIMIT)))
            if not exact and facts.range_of(parts[1].right)[1] > COUNT_LIMIT:
                few = scope.both(few, scope.compare(Compare("<=", parts[1].right, literal(COUNT_LIMIT))))
            ok = few
            for part in parts:
                ok = scope.both(ok, scope.compare(_at(part, counter.index, end)))
            allowed = scope.op("or", (none, ok), BOOL, BOOL, "ok")
            scope.check(allowed, expr.site, [scope.reify(substitute(value, {counter.index: end})) for value in values])
        counter.ends.extend(scope.statements)
        return True


def _at(part: Compare, index: Sym, end: Term) -> Compare:
    return Compare(part.op, substitute(part.left, {index: end}), substitute(part.right, {index: end}))


def _is_affine(term: Term, counter: _Counter, facts: Facts) -> bool:
    """Whether a term is a multiple of the counter plus what does not vary."""
    inside = counter.inside | {counter.index}
    for monomial, _ in term.parts:
        alone = monomial == (counter.index,)
        if not alone and not Term(((monomial, 1),)).names().isdisjoint(inside):
            return False
    return True


def _is_range(parts: Sequence[Compare], counter: _Counter, facts: Facts) -> bool:
    """Whether the comparisons say `0 <= a*i + b < n`, n a size: if they hold in the first round, b is small, and nothing wraps.

    So many rounds that `a*i` could wrap are too many: an index has left the array long before.
    """
    match parts:
        case [Compare(op="<=", left=low, right=term), Compare(op="<", left=again, right=size)]:
            factor = dict(term.parts).get((counter.index,), 0)
            return (
                low == ZERO
                and term == again
                and 0 < abs(factor) <= SMALL_STRIDE
                and _is_affine(term, counter, facts)
                and size.names().isdisjoint(counter.inside | {counter.index})
                and facts.is_exact(size)
            )
        case _:
            return False


def _with_function(expr: core.Soac, function: Lambda) -> core.Soac:
    match expr:
        case core.Map():
            return replace(expr, function=function)
        case core.Filter():
            return replace(expr, predicate=function)
        case core.Reduce() | core.Scan() | core.Hist():
            return replace(expr, op=function)
