"""What code does to configuration fields: the values after it, in terms of those before it.

A `Transformer` maps each field that code may write to the values it may have afterwards; other fields keep theirs. A value is a
set of cases `guard -> value`, at most one of which holds; where none does the value is unknown. That is the ternary logic of
Reinking 2022, §3.5.1 and §3.10 in classical terms: `e` is defined if one of the guards holds. In guards and values a `FieldSym`
stands for what the field held before the code. Transformers are free of context, and memoised by the identity of nodes.

Reference: Reinking 2022, §3.5.3 and §3.11; corrections: docs/semantics.md, "Configuration".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import product
from math import prod

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.effects import bindings, strides_bound, strides_of_actuals, summary
from usl_core.analysis.fields_used import field_use
from usl_core.analysis.formula import Bool, Formula
from usl_core.analysis.lower import Lowering
from usl_core.ir import nodes as ir
from usl_core.ir.config import FieldSym
from usl_core.ir.memo import per_node
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data
from usl_core.ir.types import BOOL, ControlType, ScalarType
from usl_core.profiling import profiled
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Datum:
    """A data value that the analysis can compare: a literal, what a scalar holds, or what a field held before (their Sym)."""

    key: Hashable


Value = Lin | Formula | Datum
"""What a field holds: a linear form (index, size, stride), a formula (bool), or data."""


@dataclass(frozen=True, slots=True)
class Case:
    """The field has this value where guard holds."""

    guard: Formula
    value: Value


Cases = tuple[Case, ...]
Transformer = Mapping[FieldSym, Cases]

LIMIT = 16
"""More cases than this are not told apart: the value is then unknown."""

UNCHANGED: Transformer = {}


# ---- values


def identity(field: FieldSym) -> Value:
    """What field held before."""
    return of_sym(field, field)


def of_sym(field: FieldSym, name: Sym) -> Value:
    """name as a value of field's type."""
    typ = field.declared.type
    if typ is BOOL:
        return Bool(name)
    return affine.var(name) if isinstance(typ, ControlType) else Datum(name)


def equal(a: Value, b: Value) -> Formula:
    """That two values of one type are certainly equal."""
    match a, b:
        case Lin(), Lin():
            return fml.eq(a, b)
        case Datum(), Datum():
            return fml.TRUE if a.key == b.key else fml.FALSE
        case _:
            assert not isinstance(a, Lin | Datum) and not isinstance(b, Lin | Datum), (a, b)
            return fml.iff(a, b)


def value_of(expr: ir.Expr) -> Value | None:
    """The value of the right side of a configuration write; None if it is not tracked."""
    if isinstance(expr.type, ControlType):
        lowering = Lowering(symbolic=True)
        return lowering.truth(expr) if expr.type is BOOL else lowering.index(expr)
    match expr:
        case ir.Literal(value=value, type=ScalarType(name=name)):
            return Datum((name, value))
        case ir.Read(name=name, idx=()):
            return Datum(name)
        case ir.ReadConfig(config=config, field=field):
            return Datum(config.sym(field))
        case ir.ExprBase():  # some other value: no fact is kept
            return None


def mentioned(value: Value) -> Iterator[Sym]:
    """The variables in a value, and the scalar or field of data."""
    match value:
        case Lin():
            yield from affine.syms(value)
        case Datum(key=key):
            if isinstance(key, Sym):
                yield key
        case _:
            yield from fml.free_syms(value)


def fields_in(cases: Cases) -> tuple[FieldSym, ...]:
    """The fields by whose values cases are expressed."""
    used = dict.fromkeys(name for case in cases for name in (*fml.free_syms(case.guard), *mentioned(case.value)))
    return tuple(name for name in used if isinstance(name, FieldSym))


@dataclass(frozen=True, slots=True)
class Env:
    """Values for variables, of each kind."""

    lins: Mapping[Sym, Lin]
    bools: Mapping[Sym, Formula]
    data: Mapping[Sym, Datum]
    strides: fml.StrideMap | None = None

    @staticmethod
    def of(values: Mapping[Sym, Value], strides: fml.StrideMap | None = None) -> Env:
        """The environment that replaces names by values."""
        lins = {name: v for name, v in values.items() if isinstance(v, Lin)}
        data = {name: v for name, v in values.items() if isinstance(v, Datum)}
        bools = {name: v for name, v in values.items() if not isinstance(v, Lin | Datum)}
        return Env(lins, bools, data, strides)

    def formula(self, f: Formula) -> Formula:
        """f with names replaced."""
        return fml.subst(f, self.lins, self.strides, self.bools)

    def value(self, value: Value) -> Value:
        """A value with names replaced."""
        match value:
            case Lin():
                return affine.subst(value, self.lins, self.strides)
            case Datum(key=key):
                return self.data.get(key, value) if isinstance(key, Sym) else value
            case _:
                return self.formula(value)


def settle(env: Transformer, cases: Cases) -> Cases:
    """cases in terms of the values before env, which happened first; where env does not know a value they do not hold."""
    return joined(tuple(new for case in cases for new in _settled(env, case))[:LIMIT])


def joined(cases: Cases) -> Cases:
    """cases, of which one is certain if two have its value under conditions of which one holds whenever the other does not."""
    for number, case in enumerate(cases):
        for other in cases[:number]:
            if case.value == other.value and fml.not_(other.guard) == case.guard:
                return (Case(fml.TRUE, case.value),)
    return cases


def _settled(env: Transformer, case: Case) -> Cases:
    used = dict.fromkeys([*fml.free_syms(case.guard), *mentioned(case.value)])
    fields = [f for f in used if isinstance(f, FieldSym) and f in env]
    if not fields:
        return (case,)
    if prod(len(env[f]) for f in fields) > LIMIT:
        return ()
    found: list[Case] = []
    for choice in product(*(env[f] for f in fields)):
        values = Env.of({f: c.value for f, c in zip(fields, choice, strict=True)})
        guard = fml.and_([*(c.guard for c in choice), values.formula(case.guard)])
        if guard != fml.FALSE:
            found.append(Case(guard, values.value(case.value)))
    return tuple(found)


def certainly(cases: Cases, value: Value) -> Formula:
    """That the value described by cases is known and equals value."""
    return fml.or_([fml.and_([case.guard, equal(case.value, value)]) for case in cases])


# ---- statements


@per_node
def of_stmt(stmt: ir.Stmt) -> Transformer:
    """What one statement does to configuration fields."""
    return _of_stmt(stmt) if field_use(stmt).written else UNCHANGED


def of_block(block: ir.Block) -> Transformer:
    """What a block does, in terms of what is bound outside of it."""
    state: dict[FieldSym, Cases] = {}
    for stmt in block:
        step = {field: settle(state, cases) for field, cases in of_stmt(stmt).items()}
        state = without_data({**state, **step}, summary(stmt).modified)
    allocs, named = bindings(block)
    if allocs or named:
        outside = Env.of({}, strides_bound(allocs, named))
        state = {f: tuple(Case(outside.formula(c.guard), outside.value(c.value)) for c in cases) for f, cases in state.items()}
        state = without_data(state, allocs)
    return state


@per_node
@profiled("analysis", "configuration")
def of_proc(proc: ir.Proc) -> Transformer:
    """What a procedure's body does, in terms of its formals."""
    if not field_use(proc).written:
        return UNCHANGED
    found = of_block(proc.body)
    if proc.aliasable:  # writing one scalar may change another
        return without_data(found, (arg.name for arg in proc.args))
    return found


def without_data(state: Mapping[FieldSym, Cases], modified: Iterable[Sym]) -> dict[FieldSym, Cases]:
    """state after scalars were modified: that a field holds what one of them holds is true no longer."""
    gone = {name for name in modified if not isinstance(name, FieldSym)}
    if not gone:
        return dict(state)
    return {
        f: tuple(c for c in cases if not (isinstance(c.value, Datum) and c.value.key in gone)) for f, cases in state.items()
    }


def _of_stmt(stmt: ir.Stmt) -> Transformer:
    match stmt:
        case ir.AssignConfig(config=config, field=name, rhs=rhs):
            value = value_of(rhs)
            return {config.sym(name): () if value is None else (Case(fml.TRUE, value),)}
        case ir.If():
            return _of_if(stmt)
        case ir.For():
            lowering = Lowering(symbolic=True)
            return iterated(stmt, lowering.index(stmt.lo), lowering.index(stmt.hi))
        case ir.Call():
            return _of_call(stmt)
        case ir.SimpleStmt():
            raise AssertionError(f"does not write configuration: {stmt!r}")


def _of_if(stmt: ir.If) -> Transformer:
    then, other = of_block(stmt.body), of_block(stmt.orelse)
    fields = dict.fromkeys([*then, *other])
    result: dict[FieldSym, Cases] = {}
    for field in fields:
        same = (Case(fml.TRUE, identity(field)),)
        ways = then.get(field, same), other.get(field, same)
        if depends_on_data(stmt.cond):  # what the data will say is not known
            result[field] = tuple(case for case in ways[0] if case in ways[1])
        else:
            cond = Lowering(symbolic=True).truth(stmt.cond)
            result[field] = joined((*_under(cond, ways[0]), *_under(fml.not_(cond), ways[1]))[:LIMIT])
    return result


def _under(cond: Formula, cases: Iterable[Case]) -> Cases:
    guarded = [Case(fml.and_([cond, case.guard]), case.value) for case in cases]
    return tuple(case for case in guarded if case.guard != fml.FALSE)


def _of_call(call: ir.Call) -> Transformer:
    """The callee's body with formals replaced by the arguments (docs/semantics.md, calls)."""
    lowering = Lowering(symbolic=True)
    values: dict[Sym, Value] = {}
    untracked: set[Sym] = set()
    for formal, actual in zip(call.proc.args, call.args, strict=True):
        if isinstance(formal.type, ControlType):
            values[formal.name] = lowering.truth(actual) if formal.type is BOOL else lowering.index(actual)
        elif isinstance(formal.type, ScalarType):
            value = value_of(actual)
            if value is None:
                untracked.add(formal.name)
            else:
                values[formal.name] = value
    env = Env.of(values, strides_of_actuals(call.proc, call.args))
    body = without_data(of_proc(call.proc), untracked)
    return {f: tuple(Case(env.formula(c.guard), env.value(c.value)) for c in cases) for f, cases in body.items()}


# ---- loops


@per_node
def before_iteration(loop: ir.For) -> Transformer:
    """What the iterations before the current one of loop do, in terms of the values before the loop and of its iterator."""
    if not field_use(loop).written:
        return UNCHANGED
    end = Sym("end")  # not the iterator, which the conditions of the loop rule then quantify, one round inside the other
    done = iterated(loop, Lowering(symbolic=True).index(loop.lo), affine.var(end))
    here = Env.of({end: affine.var(loop.iter)})
    return {field: tuple(Case(here.formula(c.guard), c.value) for c in cases) for field, cases in done.items()}


def iterated(loop: ir.For, lo: Lin, end: Lin) -> Transformer:
    """What the iterations `lo <= i < end` of loop do, one after another.

    A field that each iteration leaves as it was keeps its value. One that each sets to the same value has that afterwards, if
    there is an iteration at all; under conditions that no iteration changes, either. Every other is unknown. Whether an
    iteration leaves a field alone may depend on others: all written ones are candidates, and what may change on the assumption
    that these do not is dropped, until nothing is. It is a condition on the values before the loop, which is decided where
    these are known.
    """
    step = of_block(loop.body)
    runs = fml.lt(lo, end)
    unsteady = {loop.iter, *step}
    steady = {field for field, cases in step.items() if cases and not any(_moves(case, field, unsteady) for case in cases)}
    fixed = _fixed(_slice(step, step.keys() - steady), loop.iter, lo, end)
    result: dict[FieldSym, Cases] = {}
    for field, cases in step.items():
        same = identity(field)
        if field in steady:
            kept = fml.or_([fml.not_(runs), *(case.guard for case in cases if case.value == same)])
            result[field] = (
                *_under(runs, [case for case in cases if case.value != same]),
                *_under(kept, [Case(fml.TRUE, same)]),
            )
        else:
            kept = fml.or_([fml.not_(runs), fixed[field]])
            result[field] = (Case(kept, same),) if kept != fml.FALSE else ()
    return result


def _moves(case: Case, field: FieldSym, unsteady: set[Sym]) -> bool:
    """Whether a case may leave something else in field after another iteration, in which it holds again or not."""
    if case.value == identity(field):
        return any(name in unsteady for name in fml.free_syms(case.guard))
    return _uses(case, unsteady)


def _slice(step: Transformer, fields: Iterable[FieldSym]) -> Transformer:
    """What step does to these fields, and to those by whose values it is expressed."""
    found: set[FieldSym] = set()
    pending = list(fields)
    while pending:
        field = pending.pop()
        if field in step and field not in found:
            found.add(field)
            pending += fields_in(step[field])
    return {field: cases for field, cases in step.items() if field in found}


def _fixed(step: Transformer, name: Sym, lo: Lin, end: Lin) -> dict[FieldSym, Formula]:
    """For each field of step the condition under which the iterations `lo <= name < end`, if any, all leave it alone.

    A field is no obstacle to itself: on the way to the greatest solution its own condition may be left out.
    """
    fixed: dict[FieldSym, Formula] = dict.fromkeys(step, fml.TRUE)
    for _ in step:
        env = {field: (Case(kept, identity(field)),) for field, kept in fixed.items()}
        tried: dict[FieldSym, Formula] = {}
        for field, cases in step.items():
            same = (Case(fml.TRUE, identity(field)),)
            tried[field] = _in_each(name, lo, end, certainly(settle({**env, field: same}, cases), identity(field)))
        if tried == fixed:
            break
        fixed = tried
    return fixed


def _in_each(name: Sym, lo: Lin, end: Lin, f: Formula) -> Formula:
    """That f, which speaks of iteration `name`, holds of each iteration from lo to before end, of which there are some."""
    if name not in set(fml.free_syms(f)):
        return f
    other = name.copy()
    index = affine.var(other)
    inside = fml.and_([fml.le(lo, index), fml.lt(index, end)])
    return fml.forall((other,), fml.implies(inside, fml.subst(f, {name: index})))


def _uses(case: Case, names: set[Sym]) -> bool:
    return any(name in names for name in (*fml.free_syms(case.guard), *mentioned(case.value)))
