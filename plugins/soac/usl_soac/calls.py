"""Elaboration of calls: what a caller tests, and how it gets the sizes of the results, by the mode of the function.

Static: the sizes are terms over the caller's. Sliced: the function's shape is evaluated first, inlined. Else the sizes come
with the result. Reference: Henriksen 2014, §3.1.1 and fig. 14; sizes are passed before the arrays whose types need them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from usl_core.ir.sym import Sym
from usl_soac import core, failures
from usl_soac.building import Scope, is_total_scalar
from usl_soac.checking import Callee, Context, Slice, check_equal
from usl_soac.core import Atom, Function, Param, Part, Statement, Type
from usl_soac.scalars import I64
from usl_soac.sizes import SIZE_LIMIT, Compare, Term, literal, name, substitute
from usl_soac.traverse import refresh


def called(statement: Statement, expr: core.Call, scope: Scope, context: Context) -> None:
    """A call of a function of the program."""
    callee = context.callees[expr.function]
    function = callee.function
    args = tuple(map(scope.atom, expr.args))
    values, certs = _arguments(function, args, statement, scope, context)
    sizes = tuple(scope.reify(values[sym], sym.name) for sym in function.sizes)
    shape = None
    if not callee.is_static and callee.shape is not None:
        shape = inline(callee.shape, {**dict(zip(_inputs(function), (*sizes, *args), strict=True))}, certs, scope)
    known = _known(callee, values, shape, scope)
    if any(dim is None for dims in known for dim in dims):
        _whole(statement, expr, (*sizes, *args), known, certs, scope, context)
        return
    found = [tuple(dim for dim in dims if dim is not None) for dims in known]
    lengths = tuple(scope.reify(dim) for dims in found for dim in dims)
    pattern = _pattern(statement, found)
    scope.emit(core.Call(expr.function, (*lengths, *sizes, *args), Part.VALUE, span=expr.span), pattern, certs, statement.span)


def _inputs(function: Function) -> list[Sym]:
    return [*function.sizes, *(param.name for param in function.params)]


def _arguments(
    function: Function, args: Sequence[Atom], statement: Statement, scope: Scope, context: Context
) -> tuple[dict[Sym, Term], list[Sym]]:
    """The values of the function's sizes and i64 parameters, and the tests that the arguments fit."""
    values: dict[Sym, Term] = {}
    origins: dict[Sym, str] = {}
    for param, arg in zip(function.params, args, strict=True):
        if param.type == Type(I64):
            values[param.name] = scope.term(arg)
        for d, (declared, found) in enumerate(zip(param.type.dims, scope.shape(arg), strict=True)):
            if declared is not None and declared.name in function.sizes and declared.name not in values:
                assert declared.name is not None
                values[declared.name] = found
                origins[declared.name] = f"from {param.name.name}, dimension {d}"
    certs: list[Sym] = []
    for param, arg in zip(function.params, args, strict=True):
        for d, (declared, found) in enumerate(zip(param.type.dims, scope.shape(arg), strict=True)):
            assert declared is not None
            wanted = substitute(declared, values)
            origin = origins.get(declared.name) if declared.name is not None else None
            site = failures.argument(function.name, param.name.name, d, declared.show(), origin, statement.span)
            certs += check_equal(found, wanted, site, scope, context)
            certs += _small(found, function.name, statement, scope, context)
    return values, certs


def _small(length: Term, called: str, statement: Statement, scope: Scope, context: Context) -> tuple[Sym, ...]:
    """What is passed has no more elements than a function counts on: a sum of a few such sizes does not wrap."""
    test = Compare("<=", length, literal(SIZE_LIMIT))
    if context.is_unknown(length) or scope.facts.proves(test):
        return ()
    return scope.check(scope.compare(test), failures.too_large(statement.span, called))


def inline(shape: Slice, values: dict[Sym, Atom], certs: Sequence[Sym], scope: Scope) -> tuple[Atom, ...]:
    """A shape's code where its function is called, under the tests of the call: it may read the arguments' elements."""
    body = refresh(shape.body, {param.name: values[param.name] for param in shape.params})
    for each in body.statements:
        scope.add(each if is_total_scalar(each) else replace(each, certs=(*certs, *each.certs)))
    return body.results


def _known(
    callee: Callee, values: dict[Sym, Term], shape: Sequence[Atom] | None, scope: Scope
) -> list[tuple[Term | None, ...]]:
    """The dimensions of the results as far as they are known before the call."""
    result: list[tuple[Term | None, ...]] = []
    position = 0
    for dims in callee.terms:
        found: list[Term | None] = []
        for term in dims:
            if term is not None:
                found.append(substitute(term, values))
            else:
                found.append(None if shape is None else scope.term(shape[position]))
            position += 1
        result.append(tuple(found))
    return result


def _whole(
    statement: Statement,
    expr: core.Call,
    args: Sequence[Atom],
    known: Sequence[tuple[Term | None, ...]],
    certs: Sequence[Sym],
    scope: Scope,
    context: Context,
) -> None:
    """The call of the whole function, which returns all sizes first."""
    sizes: list[Param] = []
    shapes: list[tuple[Term, ...]] = []
    for dims in known:
        shape = []
        for dim in dims:
            sizes.append(Param(Sym("k"), Type(I64)))
            shape.append(name(sizes[-1].name) if dim is None else dim)
        shapes.append(tuple(shape))
    del context
    call = core.Call(expr.function, tuple(args), Part.EXT, span=expr.span)
    scope.emit(call, [*sizes, *_pattern(statement, shapes)], certs, statement.span)


def _pattern(statement: Statement, shapes: Sequence[tuple[Term, ...]]) -> list[Param]:
    return [
        Param(param.name, Type(param.type.scalar, dims), span=param.span)
        for param, dims in zip(statement.pattern, shapes, strict=True)
    ]
