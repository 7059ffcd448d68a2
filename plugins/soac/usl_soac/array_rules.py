"""Simplification of array operations: an element of a map, maps of what does not vary, reductions of equal elements.

S1 `(map f x)[i]` is `f(x[i])` if nothing else of the map is used; `(iota n)[i]` is i, `(replicate n v)[i]` is v.
S2 `map (\\x -> v) y` is `replicate n v`. S3 `reduce(and_, True, replicate n b)` is `n == 0 or b`, likewise or_, min, max, add.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.building import Scope, is_total_scalar
from usl_soac.core import Atom, Const, Lambda, Param, Statement
from usl_soac.dead import MayFail, body_can_fail
from usl_soac.scalars import BOOL, I64
from usl_soac.sizes import ZERO, Compare, Term
from usl_soac.traverse import refresh

Defs = Mapping[Sym, Statement]


def of_index(
    statement: Statement, expr: core.Index, defs: Defs, uses: Mapping[Sym, int], may_fail: MayFail
) -> list[Statement] | None:
    """S1; defs are those of the same body."""
    source = defs.get(expr.array)
    if source is None:
        return None
    first, *rest = expr.indices
    match source.value:
        case core.Iota(scalar=scalar):
            return [replace(statement, value=core.Op(scalar.name, (first,), I64, span=expr.span), certs=())]
        case core.Replicate(value=value):
            return [_indexed(statement, value, rest, expr)]
        case core.Index(array=array, indices=outer):
            certs = (*source.certs, *statement.certs)
            return [replace(statement, value=replace(expr, array=array, indices=(*outer, *expr.indices)), certs=certs)]
        case core.Map(function=function, arrays=arrays, sizes=0):
            total = sum(uses.get(param.name, 0) for param in source.pattern)
            if total != 1 or body_can_fail(function.body, may_fail):
                return None
            certs = tuple(dict.fromkeys((*source.certs, *statement.certs)))
            return _applied(statement, expr, source, function, arrays, certs)
        case _:
            return None


def _indexed(statement: Statement, value: Atom, rest: Sequence[Atom], expr: core.Index) -> Statement:
    """What further indices choose of a value."""
    if not rest:
        return replace(statement, value=core.Copy(value, span=expr.span), certs=())
    assert isinstance(value, Sym)
    return replace(statement, value=core.Index(value, tuple(rest), span=expr.span))


def _applied(
    statement: Statement,
    expr: core.Index,
    source: Statement,
    function: Lambda,
    arrays: Sequence[Sym],
    certs: tuple[Sym, ...],
) -> list[Statement]:
    """The function of a map on one element, under the tests of the map and of the index."""
    first, *rest = expr.indices
    made: list[Statement] = []
    values: dict[Sym, Atom] = {}
    for param, array in zip(function.params, arrays, strict=True):
        element = replace(param, name=param.name.copy())
        values[param.name] = element.name
        made.append(Statement((element,), core.Index(array, (first,), span=expr.span), certs, span=expr.span))
    body = refresh(function.body, values)
    made += [each if is_total_scalar(each) else replace(each, certs=(*certs, *each.certs)) for each in body.statements]
    position = next(i for i, param in enumerate(source.pattern) if param.name is expr.array)
    made.append(_indexed(replace(statement, certs=certs), body.results[position], rest, expr))
    return made


def of_map(statement: Statement, expr: core.Map, head: Term) -> list[Statement] | None:
    """S2, for each result that does not vary; the rest of the map stays."""
    if expr.sizes:
        return None
    inside = {param.name for param in expr.function.params}
    inside |= {param.name for each in expr.function.body.statements for param in each.pattern}
    fixed = [not (isinstance(atom, Sym) and atom in inside) for atom in expr.function.body.results]
    if not any(fixed):
        return None
    scope = Scope()
    count = scope.reify(head)
    made = scope.statements
    pairs = list(zip(statement.pattern, expr.function.body.results, fixed, strict=True))
    for param, atom, is_fixed in pairs:
        if is_fixed:
            made.append(Statement((param,), core.Replicate(count, atom, span=expr.span), statement.certs, span=statement.span))
    body = replace(expr.function.body, results=tuple(atom for _, atom, is_fixed in pairs if not is_fixed))
    rest = replace(expr, function=replace(expr.function, body=body))
    made.append(replace(statement, pattern=tuple(param for param, _, is_fixed in pairs if not is_fixed), value=rest))
    return made


def of_reduce(statement: Statement, expr: core.Reduce, defs: Defs, head: Term | None) -> list[Statement] | None:
    """S3, for one array of scalars."""
    op = _single_operation(expr.op)
    if op is None or len(expr.arrays) != 1 or head is None:
        return None
    source = defs.get(expr.arrays[0])
    if source is None or not isinstance(source.value, core.Replicate):
        return None
    value, (neutral,) = source.value.value, expr.neutral
    scalar = statement.pattern[0].type.scalar
    scope = Scope()
    result: Atom
    if op == "+":
        if not scalar.is_int or scalar == BOOL:
            return None
        count = scope.op(scalar.name, (scope.reify(head),), I64, scalar) if scalar != I64 else scope.reify(head)
        result = scope.op("+", (neutral, scope.op("*", (count, value), scalar, scalar)), scalar, scalar)
    elif op in ("and", "or", "min", "max") and (op in ("and", "or") or scalar.is_int):
        empty = scope.compare(Compare("==", head, ZERO), "empty")
        combined = scope.op(op, (neutral, value), scalar, scalar)
        if op == "and" and neutral == Const(True, BOOL):
            result = scope.op("or", (empty, value), BOOL, BOOL)
        else:
            result = scope.op("select", (empty, neutral, combined), BOOL, scalar)
    else:
        return None
    return [*scope.statements, replace(statement, value=core.Copy(result, span=expr.span), certs=())]


def _single_operation(function: Lambda) -> str | None:
    """The operation that a function of two scalars is."""
    match function.body.statements:
        case (Statement(value=core.Op(op=op, args=args), pattern=(param,)),):
            if set(args) == {each.name for each in function.params} and function.body.results == (param.name,):
                return op
        case _:
            pass
    return None


def element_count(param: Param) -> Term:
    """The first dimension."""
    head = param.type.dims[0]
    assert head is not None
    return head
