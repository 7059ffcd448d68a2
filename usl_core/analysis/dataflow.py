"""What code does to configuration fields: the values after it, in terms of those before it.

A `Transformer` maps each field that code may write to the values it may have afterwards; other fields keep theirs. A value is a
set of cases `guard -> value`, at most one of which holds; where none does the value is unknown. That is the ternary logic of
Reinking 2022, §3.5.1 and §3.10 in classical terms: `e` is defined if one of the guards holds. In guards and values a `FieldSym`
stands for what the field held before the code. Transformers are free of context, and memoised by the identity of nodes.

Reference: Reinking 2022, §3.5.3 and §3.11; corrections: docs/semantics.md, "Configuration".
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Set
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


class _Lazy(Mapping[FieldSym, Cases]):
    """What happens to each of some fields, worked out when it is asked for: an edit asks for few, in all loops around it."""

    __slots__ = ("_found", "_work_out")

    def __init__(self, fields: Iterable[FieldSym], work_out: Callable[[FieldSym], Cases]) -> None:
        self._found: dict[FieldSym, Cases | None] = dict.fromkeys(fields)
        self._work_out = work_out

    def __getitem__(self, field: FieldSym) -> Cases:
        cases = self._found[field]
        if cases is None:
            cases = self._found[field] = self._work_out(field)
        return cases

    def __contains__(self, field: object) -> bool:
        return field in self._found

    def __iter__(self) -> Iterator[FieldSym]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


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
    steps = [(of_stmt(stmt), summary(stmt).modified) for stmt in block]
    fields = dict.fromkeys(field for step, _ in steps for field in step)
    if not fields:
        return UNCHANGED
    allocs, named = bindings(block)
    outside = Env.of({}, strides_bound(allocs, named)) if allocs or named else None

    def work_out(field: FieldSym) -> Cases:
        needed = _needed(steps, field)
        state: dict[FieldSym, Cases] = {}
        for step, modified in steps:
            changed = {each: settle(state, step[each]) for each in needed if each in step}
            state = without_data({**state, **changed} if changed else state, modified) if changed or modified else state
        if outside is None:
            return state[field]
        cases = tuple(Case(outside.formula(c.guard), outside.value(c.value)) for c in state[field])
        return _kept(cases, frozenset(allocs))

    return _Lazy(fields, work_out)


def _needed(steps: Iterable[tuple[Transformer, object]], field: FieldSym) -> dict[FieldSym, None]:
    """The fields by whose values what steps do to one is expressed, itself among them."""
    found: dict[FieldSym, None] = {}
    pending = [field]
    while pending:
        each = pending.pop()
        if each not in found:
            found[each] = None
            pending += [other for step, _ in steps if each in step for other in fields_in(step[each])]
    return found


@per_node
@profiled("analysis", "configuration")
def of_proc(proc: ir.Proc) -> Transformer:
    """What a procedure's body does, in terms of its formals."""
    if not field_use(proc).written:
        return UNCHANGED
    found = of_block(proc.body)
    if proc.aliasable:  # writing one scalar may change another
        formals = frozenset(arg.name for arg in proc.args)
        return _Lazy(found, lambda field: _kept(found[field], formals))
    return found


def without_data(state: Mapping[FieldSym, Cases], modified: Iterable[Sym]) -> dict[FieldSym, Cases]:
    """state after scalars were modified: that a field holds what one of them holds is true no longer."""
    gone = {name for name in modified if not isinstance(name, FieldSym)}
    return {field: _kept(cases, gone) for field, cases in state.items()} if gone else dict(state)


def _kept(cases: Cases, gone: Set[Sym]) -> Cases:
    """The cases in which a field does not hold what one of some scalars holds."""
    return tuple(c for c in cases if not (isinstance(c.value, Datum) and c.value.key in gone))


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

    def work_out(field: FieldSym) -> Cases:
        same = (Case(fml.TRUE, identity(field)),)
        ways = then.get(field, same), other.get(field, same)
        if depends_on_data(stmt.cond):  # what the data will say is not known
            return tuple(case for case in ways[0] if case in ways[1])
        cond = Lowering(symbolic=True).truth(stmt.cond)
        return joined((*_under(cond, ways[0]), *_under(fml.not_(cond), ways[1]))[:LIMIT])

    return _Lazy([*then, *other], work_out)


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
    body = of_proc(call.proc)

    def work_out(field: FieldSym) -> Cases:
        return tuple(Case(env.formula(c.guard), env.value(c.value)) for c in _kept(body[field], untracked))

    return _Lazy(body, work_out)


# ---- loops


@per_node
def before_iteration(loop: ir.For) -> Transformer:
    """What the iterations before the current one of loop do, in terms of the values before the loop and of its iterator."""
    if not field_use(loop).written:
        return UNCHANGED
    end = Sym("end")  # not the iterator, which the conditions of the loop rule then quantify, one round inside the other
    done = iterated(loop, Lowering(symbolic=True).index(loop.lo), affine.var(end))
    here = Env.of({end: affine.var(loop.iter)})
    return _Lazy(done, lambda field: tuple(Case(here.formula(c.guard), c.value) for c in done[field]))


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

    def work_out(field: FieldSym) -> Cases:
        cases, same = step[field], identity(field)
        if cases and not any(_moves(case, field, unsteady) for case in cases):
            kept = fml.or_([fml.not_(runs), *(case.guard for case in cases if case.value == same)])
            return (
                *_under(runs, [case for case in cases if case.value != same]),
                *_under(kept, [Case(fml.TRUE, same)]),
            )
        kept = fml.or_([fml.not_(runs), _fixed(_slice(step, field), loop.iter, lo, end)[field]])
        return (Case(kept, same),) if kept != fml.FALSE else ()

    return _Lazy(step, work_out)


def _moves(case: Case, field: FieldSym, unsteady: set[Sym]) -> bool:
    """Whether a case may leave something else in field after another iteration, in which it holds again or not."""
    if case.value == identity(field):
        return any(name in unsteady for name in fml.free_syms(case.guard))
    return _uses(case, unsteady)


def _slice(step: Transformer, field: FieldSym) -> Transformer:
    """What step does to a field, and to those by whose values it is expressed."""
    needed = _needed([(step, None)], field)
    return {each: step[each] for each in needed if each in step}


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
