"""Simplification of the sized core to a fixpoint: copies, constants, repetitions, known branches, invariants, dead code.

Every rule keeps the meaning, failures too. What is particular to arrays is in `array_rules`. Sizes of arrays stand in their
types, so an array that is only measured is dead. Reference: docs/soac.md, §7; Henriksen 2014, fig. 10.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, fields, replace

from usl_core.ir.sym import Sym
from usl_soac import array_rules, core
from usl_soac.building import is_total_scalar
from usl_soac.core import Atom, Body, Const, Expr, Lambda, Param, Statement, Type
from usl_soac.dead import MayFail, always, without_dead_code
from usl_soac.folding import arithmetic, fold
from usl_soac.scalars import BOOL, I64
from usl_soac.sizes import Term, literal, name
from usl_soac.traverse import Renaming, atoms, bodies, used_by_statement, walk

ROUNDS = 12


def simplify(body: Body, params: Iterable[Param] = (), may_fail: MayFail = always, *, tests_stay: bool = True) -> Body:
    """The body, simplified until nothing changes, or long enough; params are names that it has from outside."""
    for _ in range(ROUNDS):
        forward = _Forward(may_fail, _uses(body))
        known = _Known()
        for param in params:
            known.types[param.name] = param.type
        new = without_dead_code(forward.body(body, known), may_fail, tests_stay=tests_stay)
        if not forward.changed and _statements(new) == _statements(body):
            return new
        body = new
    return body


def _statements(body: Body) -> int:
    return sum(1 + len(statement.pattern) for statement in walk(body))


def _uses(body: Body) -> Counter[Sym]:
    """How often each name is used, not counting types."""
    result: Counter[Sym] = Counter(atom for atom in body.results if isinstance(atom, Sym))
    for statement in walk(body):
        result.update(atom for atom in atoms(statement.value) if isinstance(atom, Sym))
        for inner in bodies(statement.value):
            result.update(atom for atom in inner.results if isinstance(atom, Sym))
    return result


@dataclass(slots=True)
class _Known:
    """What is known at a place of what was computed before it."""

    available: dict[Hashable, tuple[Sym, ...]] = field(default_factory=dict)
    """Names with the value of an expression."""
    terms: dict[Sym, Term] = field(default_factory=dict)
    by_term: dict[Term, Atom] = field(default_factory=dict)
    types: dict[Sym, Type] = field(default_factory=dict)
    defs: dict[Sym, Statement] = field(default_factory=dict)
    """Statements of this very body."""

    def inside(self) -> _Known:
        return _Known(dict(self.available), dict(self.terms), dict(self.by_term), dict(self.types))

    def term(self, atom: Atom) -> Term | None:
        if isinstance(atom, Sym):
            return self.terms.get(atom, name(atom))
        return literal(int(atom.value)) if atom.scalar == I64 else None


class _Forward:
    """One pass from the front."""

    def __init__(self, may_fail: MayFail, uses: Counter[Sym]) -> None:
        self.may_fail = may_fail
        self.uses = uses
        self.renaming = Renaming({})
        self.changed = False

    def alias(self, param: Param, atom: Atom) -> None:
        self.changed = True
        self.renaming.values[param.name] = atom
        self.renaming.forget()

    def body(self, body: Body, known: _Known) -> Body:
        made: list[Statement] = []
        self.statements(body.statements, known, made)
        return replace(body, statements=tuple(made), results=tuple(map(self.renaming.atom, body.results)))

    def statements(self, statements: Iterable[Statement], known: _Known, made: list[Statement]) -> None:
        for statement in statements:
            self.statement(statement, known, made)

    def statement(self, statement: Statement, known: _Known, made: list[Statement]) -> None:
        """Adds what becomes of a statement."""
        statement = self.head(statement)
        expr = statement.value
        replaced: list[Statement] | None = None
        match expr:
            case core.Copy(atom=atom):
                self.alias(statement.pattern[0], atom)
                return
            case core.If(condition=Const(value=value), then=then, orelse=orelse):
                self.chosen(statement, then if value else orelse, known, made)
                return
            case core.Coerce(array=array, dims=dims) if array in known.types and known.types[array].dims == dims:
                self.alias(statement.pattern[0], array)
                return
            case core.Op():
                if self.operation(statement, expr, known):
                    return
            case core.Index():
                replaced = array_rules.of_index(statement, expr, known.defs, self.uses, self.may_fail)
            case core.Reduce(arrays=(array, *_)) if array in known.types:
                replaced = array_rules.of_reduce(statement, expr, known.defs, known.types[array].dims[0])
            case core.Map(arrays=(array, *_)) if array in known.types:
                head = known.types[array].dims[0]
                replaced = array_rules.of_map(statement, expr, head) if head is not None else None
            case _:
                pass
        if replaced is not None:
            self.changed = True
            self.statements(replaced, known, made)
            return
        statement = self.inner(statement, known, made)
        if isinstance(statement.value, core.If) and not self.different(statement, known, made):
            return
        if not self.repeated(statement, known):
            self.keep(statement, known, made)

    def head(self, statement: Statement) -> Statement:
        """The statement renamed, its bodies not yet."""
        if bodies(statement.value):
            certs = tuple(cert for cert in map(self.renaming.atom, statement.certs) if isinstance(cert, Sym))
            pattern = tuple(replace(param, type=self.renaming.type(param.type)) for param in statement.pattern)
            return replace(statement, value=self.shallow(statement.value), certs=tuple(dict.fromkeys(certs)), pattern=pattern)
        renamed = self.renaming.statement(statement)
        return replace(renamed, certs=tuple(dict.fromkeys(renamed.certs)))

    def shallow(self, expr: Expr) -> Expr:
        changed: dict[str, object] = {}
        for each in fields(expr):
            value = getattr(expr, each.name)
            if isinstance(value, Sym | Const):
                changed[each.name] = self.renaming.atom(value)
            elif isinstance(value, tuple) and value and isinstance(value[0], Sym | Const):
                changed[each.name] = tuple(map(self.renaming.atom, value))
        return replace(expr, **changed)  # type: ignore[arg-type]

    def keep(self, statement: Statement, known: _Known, made: list[Statement]) -> None:
        made.append(statement)
        for param in statement.pattern:
            known.types[param.name] = param.type
            known.defs[param.name] = statement

    def chosen(self, statement: Statement, body: Body, known: _Known, made: list[Statement]) -> None:
        """A branch whose condition is known, in place."""
        self.statements(body.statements, known, made)
        for param, atom in zip(statement.pattern, body.results, strict=True):
            self.alias(param, self.renaming.atom(atom))

    def operation(self, statement: Statement, expr: core.Op, known: _Known) -> bool:
        """Whether the result is a known atom."""
        (param,) = statement.pattern
        found = fold(expr.op, expr.args, expr.operand)
        if found is None and expr.operand == I64 and param.type.scalar == I64:
            terms = [known.term(arg) for arg in expr.args]
            term = arithmetic(expr.op, [each for each in terms if each is not None])
            if term is not None:
                found = self.by_term(param, term, known)
        if found is not None:
            self.alias(param, found)
            return True
        return False

    def by_term(self, param: Param, term: Term, known: _Known) -> Atom | None:
        if term.constant is not None:
            return Const(term.constant, I64)
        if term.name is not None:
            return term.name
        if term in known.by_term:
            return known.by_term[term]
        known.terms[param.name] = term
        known.by_term[term] = param.name
        return None

    def inner(self, statement: Statement, known: _Known, made: list[Statement]) -> Statement:
        """The statement with its bodies simplified; total scalar code that does not vary moves before maps and loops."""
        expr = statement.value
        match expr:
            case core.If(then=then, orelse=orelse):
                value: Expr = replace(expr, then=self.body(then, known.inside()), orelse=self.body(orelse, known.inside()))
            case core.Loop():
                value = self.loop(expr, known, made)
            case core.Map(function=function):
                value = replace(expr, function=self.function(function, known, made))
            case core.Filter(predicate=function):
                value = replace(expr, predicate=self.function(function, known, made))
            case core.Reduce(op=function) | core.Scan(op=function) | core.Hist(op=function):
                value = replace(expr, op=self.function(function, known, made))
            case _:
                return statement
        return replace(statement, value=value)

    def function(self, function: Lambda, known: _Known, made: list[Statement]) -> Lambda:
        inside = known.inside()
        params = self.renaming.params(function.params)
        for param in params:
            inside.types[param.name] = param.type
        body = self.body(function.body, inside)
        body = self.hoisted(body, {param.name for param in params}, known, made)
        return replace(function, params=params, body=body)

    def loop(self, loop: core.Loop, known: _Known, made: list[Statement]) -> core.Loop:
        inside = known.inside()
        params = self.renaming.params(loop.params)
        for param in params:
            inside.types[param.name] = param.type
        bound = {param.name for param in params} | ({loop.index.name} if loop.index is not None else set())
        condition = None if loop.condition is None else self.body(loop.condition, inside.inside())
        body = self.hoisted(self.body(loop.body, inside), bound, known, made)
        return replace(loop, params=params, condition=condition, body=body)

    def hoisted(self, body: Body, bound: set[Sym], known: _Known, made: list[Statement]) -> Body:
        inside = bound | {param.name for statement in body.statements for param in statement.pattern}
        kept = []
        for statement in body.statements:
            if is_total_scalar(statement) and used_by_statement(statement).isdisjoint(inside):
                self.changed = True
                inside -= {param.name for param in statement.pattern}
                self.keep(statement, known, made)
            else:
                kept.append(statement)
        return replace(body, statements=tuple(kept)) if len(kept) < len(body.statements) else body

    def different(self, statement: Statement, known: _Known, made: list[Statement]) -> bool:
        """Whether an `if` is left when results that are equal in both branches are known; else it has been replaced."""
        expr = statement.value
        assert isinstance(expr, core.If)
        pairs = list(zip(statement.pattern, expr.then.results, expr.orelse.results, strict=True))
        same = [left == right for _, left, right in pairs]
        is_selected = (
            len(pairs) == 1 and not expr.then.statements and not expr.orelse.statements and pairs[0][0].type.scalar == BOOL
        )
        if is_selected and {pairs[0][1], pairs[0][2]} == {Const(True, BOOL), Const(False, BOOL)}:
            param, left, _ = pairs[0]
            if left == Const(True, BOOL):
                self.alias(param, expr.condition)
            else:
                self.keep(replace(statement, value=core.Op("not", (expr.condition,), BOOL, span=expr.span)), known, made)
                self.changed = True
            return False
        if not any(same):
            return True
        for (param, left, _), is_same in zip(pairs, same, strict=True):
            if is_same:
                self.alias(param, left)
        rest = [pair for pair, is_same in zip(pairs, same, strict=True) if not is_same]
        then = replace(expr.then, results=tuple(left for _, left, _ in rest))
        orelse = replace(expr.orelse, results=tuple(right for _, _, right in rest))
        value = replace(expr, then=then, orelse=orelse)
        # What is left may have a size among the results that have just become other names.
        pattern = tuple(replace(param, type=self.renaming.type(param.type)) for param, _, _ in rest)
        self.keep(replace(statement, pattern=pattern, value=value), known, made)
        return False

    def repeated(self, statement: Statement, known: _Known) -> bool:
        """Whether the same has been computed before; a test that has been passed is not made again."""
        expr = statement.value
        if bodies(expr) or isinstance(expr, core.Foreign | core.Kernel):
            return False
        skip = {"span", "site", "values"} if isinstance(expr, core.Assert) else {"span"}
        parts = tuple(getattr(expr, each.name) for each in fields(expr) if each.name not in skip)
        key = (type(expr), parts, frozenset(statement.certs))
        if key in known.available:
            for param, sym in zip(statement.pattern, known.available[key], strict=True):
                self.alias(param, sym)
            return True
        known.available[key] = tuple(param.name for param in statement.pattern)
        return False
