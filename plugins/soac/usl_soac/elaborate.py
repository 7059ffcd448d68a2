"""Elaboration: from the typed core, where sizes are not known, to the sized core, where dimensions are terms and tests stand.

The rules are those of docs/soac.md, a module for each group. No solver is asked: terms are equal if their forms are, after the
equations that conditions of enclosing branches state. So what a program means, as for the rows of empty arrays, does not depend
on what is optimised later. Reference: Henriksen 2014, §3.
"""

from __future__ import annotations

from dataclasses import dataclass

from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType
from usl_soac import core, failures
from usl_soac.branches import branch
from usl_soac.building import PARTIAL, Condition, Dims, Scope
from usl_soac.calls import called
from usl_soac.checking import PROMISE_REFUTED, Context, Terms, check_equal, coerced
from usl_soac.core import Atom, Body, Function, Param, Statement, Type
from usl_soac.folding import arithmetic
from usl_soac.iterations import loop
from usl_soac.kernel_rows import kernel
from usl_soac.maps import mapped
from usl_soac.rows import (
    concat,
    filtered,
    foreign,
    hist,
    index,
    iota,
    part,
    rearrange,
    reduce,
    replicate,
    reshape,
    rotate,
    scatter,
    split,
    stated,
    update,
)
from usl_soac.scalars import BOOL, CERT, I64, is_integer
from usl_soac.sizes import Compare, Term, literal, name, substitute


@dataclass(frozen=True, slots=True)
class Elaborated:
    """A function after elaboration: its body, the dimensions of its results, and these as callers know them."""

    function: Function
    body: Body
    dims: tuple[Dims, ...]
    terms: Terms
    context: Context


def elaborate_in(function: Function, context: Context) -> Elaborated:
    """One function, whose sizes its body may mention, in a context that knows the functions that it calls."""
    scope = Scope()
    for sym in function.sizes:
        scope.bind(Param(sym, Type(I64)))
    scope.scalars.update(dict.fromkeys(context.unknown, I64))
    for param in function.params:
        scope.bind(param)
    lengths = [dim for param in function.params for dim in _dims(param.type)]
    scope.facts = scope.facts.with_sizes([*map(name, function.sizes), *lengths])
    results, dims = context.body(function.body, scope)
    results, promised = _promised(function, results, dims, scope, context)
    known = {*function.sizes, *(param.name for param in function.params if param.type == Type(I64)), *context.unknown}
    terms = tuple(tuple(dim if dim.names() <= known else None for dim in each) for each in promised)
    return Elaborated(function, scope.body(results, function.body.span), promised, terms, context)


def _dims(typ: Type) -> list[Term]:
    return [dim for dim in typ.dims if dim is not None]


def _promised(
    function: Function, results: list[Atom], dims: list[Dims], scope: Scope, context: Context
) -> tuple[list[Atom], tuple[Dims, ...]]:
    """The results with the dimensions that the function promises, tested where they are not equal as terms."""
    shared: dict[Sym, Term] = {}
    new_results: list[Atom] = []
    new_dims: list[Dims] = []
    for position, (atom, found, declared) in enumerate(zip(results, dims, function.results, strict=True)):
        certs: list[Sym] = []
        promised: list[Term] = []
        for d, (dim, wanted) in enumerate(zip(found, _dims(declared), strict=True)):
            if wanted.name in function.exists and wanted.name not in shared:
                assert wanted.name is not None
                shared[wanted.name] = dim
            here = substitute(wanted, shared)
            site = failures.promise(function.name, wanted.show(), position, d, function.promise)
            certs += check_equal(dim, here, site, scope, context, PROMISE_REFUTED)
            promised.append(here)
        new_results.append(coerced(atom, tuple(promised), certs, scope))
        new_dims.append(tuple(promised))
    return new_results, tuple(new_dims)


def elaborate_body(body: Body, scope: Scope, context: Context) -> tuple[list[Atom], list[Dims]]:
    for statement in body.statements:
        _statement(statement, scope, context)
    results = [scope.atom(atom) for atom in body.results]
    return results, [scope.shape(atom) for atom in results]


def _statement(statement: Statement, scope: Scope, context: Context) -> None:
    """The tests that a statement needs, then itself with the dimensions of its results."""
    expr = statement.value
    match expr:
        case core.Copy(atom=atom):
            scope.values[statement.pattern[0].name] = scope.atom(atom)
        case core.Size(array=array, dim=dim):
            length = scope.shape(scope.array(array))[dim]
            scope.values[statement.pattern[0].name] = scope.reify(length, statement.pattern[0].name.name)
        case core.Op():
            _operation(statement, expr, scope)
        case core.Assert():
            _assertion(statement, expr, scope)
        case core.If():
            branch(statement, expr, scope, context)
        case core.Loop():
            loop(statement, expr, scope, context)
        case core.Map():
            mapped(statement, expr, scope, context)
        case core.Call():
            called(statement, expr, scope, context)
        case core.Reduce() | core.Scan():
            reduce(statement, expr, scope, context)
        case core.Hist():
            hist(statement, expr, scope, context)
        case core.Filter():
            filtered(statement, expr, scope, context)
        case _:
            _simple(statement, expr, scope, context)


def _simple(statement: Statement, expr: core.Expr, scope: Scope, context: Context) -> None:
    match expr:
        case core.Iota():
            iota(statement, expr, scope)
        case core.Replicate():
            replicate(statement, expr, scope)
        case core.Concat():
            concat(statement, expr, scope, context)
        case core.Split():
            split(statement, expr, scope)
        case core.Index():
            index(statement, expr, scope)
        case core.Slice():
            part(statement, expr, scope)
        case core.Rearrange():
            rearrange(statement, expr, scope)
        case core.Rotate():
            rotate(statement, expr, scope)
        case core.Reshape():
            reshape(statement, expr, scope)
        case core.Update():
            update(statement, expr, scope, context)
        case core.Scatter():
            scatter(statement, expr, scope, context)
        case core.Coerce():
            stated(statement, expr, scope, context)
        case core.Foreign():
            foreign(statement, expr, scope)
        case core.Kernel():
            kernel(statement, expr, scope, context)
        case _:
            raise NotImplementedError(f"elaboration of {type(expr).__name__}")


# ---- scalars


def _operation(statement: Statement, expr: core.Op, scope: Scope) -> None:
    args = tuple(map(scope.atom, expr.args))
    certs: tuple[Sym, ...] = ()
    (param,) = statement.pattern
    if expr.op in ("//", "%") and expr.op in PARTIAL and is_integer(expr.operand):
        certs = _divisor(args[1], expr.operand, statement, scope)
    scope.emit(core.Op(expr.op, args, expr.operand, span=expr.span), [param], certs, statement.span)
    if expr.operand == I64:
        _note_integer(param, expr.op, args, scope)
    elif expr.operand == BOOL:
        _note_truth(param.name, expr.op, args, scope)


def _divisor(atom: Atom, scalar: ScalarType, statement: Statement, scope: Scope) -> tuple[Sym, ...]:
    """The test that a divisor is not 0."""
    if isinstance(atom, core.Const):
        return () if atom.value != 0 else scope.check(core.Const(False, BOOL), failures.division(statement.span))
    sym = scope.op("!=", (atom, core.Const(0, scalar)), scalar, BOOL, "ok")
    if scalar == I64:
        test = Compare("!=", scope.term(atom), literal(0))
        scope.conditions[sym] = Condition((test,), (test.negated(),))
    return scope.check(sym, failures.division(statement.span))


def _note_integer(param: Param, op: str, args: tuple[Atom, ...], scope: Scope) -> None:
    """What an operation on i64 says of sizes."""
    if op in ("<", "<=", ">", ">=", "==", "!="):
        left, right = map(scope.term, args)
        test = {
            "<": Compare("<", left, right),
            "<=": Compare("<=", left, right),
            ">": Compare("<", right, left),
            ">=": Compare("<=", right, left),
            "==": Compare("==", left, right),
            "!=": Compare("!=", left, right),
        }[op]
        scope.conditions[param.name] = Condition((test,), (test.negated(),))
        return
    if param.type.scalar != I64:
        return
    term = arithmetic(op, [scope.term(arg) for arg in args if _is_i64(arg, scope)])
    if term is not None:
        scope.terms[param.name] = term


def _is_i64(atom: Atom, scope: Scope) -> bool:
    return scope.scalar_of(atom) == I64


def _note_truth(sym: Sym, op: str, args: tuple[Atom, ...], scope: Scope) -> None:
    """What an operation on truth values says of sizes."""
    known = [scope.condition(arg) for arg in args]
    match op, known:
        case "and", [a, b]:
            scope.conditions[sym] = Condition((*a.true, *b.true))
        case "or", [a, b]:
            scope.conditions[sym] = Condition((), (*a.false, *b.false))
        case "not", [a]:
            scope.conditions[sym] = Condition(a.false, a.true)
        case _:
            pass


def _assertion(statement: Statement, expr: core.Assert, scope: Scope) -> None:
    """`assert c`; it guards nothing, but stays."""
    condition = scope.atom(expr.condition)
    values = tuple(map(scope.atom, expr.values))
    pattern = statement.pattern or (Param(Sym("c"), Type(CERT)),)
    scope.emit(core.Assert(condition, expr.site, values, span=expr.span), pattern, span=statement.span)
