"""The rules of elaboration for operations on arrays: dimensions of the results, and the tests that come before.

Reference: the table of docs/soac.md; Henriksen 2014, figs. 13, 20 and 21.
"""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.ir.sym import Sym
from usl_soac import core, failures
from usl_soac.building import TRUE, Dims, Scope
from usl_soac.checking import Context, check_equal, coerced
from usl_soac.core import Atom, Expr, Lambda, Param, Statement, Type
from usl_soac.scalars import BOOL, F64, I64
from usl_soac.sizes import COUNT_LIMIT, SIZE_LIMIT, ZERO, Compare, Term, ceiling_quotient, literal, product, total

Certs = tuple[Sym, ...]
MOST_ELEMENTS = 2.0**62


def keep(statement: Statement, expr: Expr, shapes: Sequence[Dims], certs: Sequence[Sym], scope: Scope) -> None:
    """The statement itself, with dimensions."""
    pattern = [
        Param(param.name, Type(param.type.scalar, dims), span=param.span)
        for param, dims in zip(statement.pattern, shapes, strict=True)
    ]
    scope.emit(expr, pattern, certs, statement.span)


def at_least_zero(atom: Atom, what: str, statement: Statement, scope: Scope) -> Certs:
    """A size that the program computes is not negative."""
    term = scope.term(atom)
    if term.constant is not None and term.constant >= 0:
        return ()
    return scope.check(scope.compare(Compare("<=", ZERO, term)), failures.negative(what, statement.span), (atom,))


def _small(atom: Atom, what: str, statement: Statement, scope: Scope) -> Certs:
    """Nothing is made of more elements than any memory holds, whether it is ever needed or not."""
    test = Compare("<=", scope.term(atom), literal(SIZE_LIMIT))
    if scope.facts.proves(test):
        return ()
    return scope.check(scope.compare(test), failures.too_large(statement.span, what))


def iota(statement: Statement, expr: core.Iota, scope: Scope) -> None:
    count = scope.atom(expr.count)
    certs = (*at_least_zero(count, "iota", statement, scope), *_small(count, "iota", statement, scope))
    keep(statement, core.Iota(count, expr.scalar, span=expr.span), [(scope.term(count),)], certs, scope)


def replicate(statement: Statement, expr: core.Replicate, scope: Scope) -> None:
    count, value = scope.atom(expr.count), scope.atom(expr.value)
    certs = (*at_least_zero(count, "replicate", statement, scope), *_small(count, "replicate", statement, scope))
    dims = (scope.term(count), *scope.shape(value))
    keep(statement, core.Replicate(count, value, span=expr.span), [dims], certs, scope)


def concat(statement: Statement, expr: core.Concat, scope: Scope, context: Context) -> None:
    arrays = tuple(map(scope.array, expr.arrays))
    shapes = [scope.shape(array) for array in arrays]
    certs: list[Sym] = []
    for other in shapes[1:]:
        for dim in range(1, len(other)):
            site = failures.rows("concat", dim, statement.span)
            certs += check_equal(shapes[0][dim], other[dim], site, scope, context)
    certs += _countable([shape[0] for shape in shapes], statement, scope)
    dims = (total(shape[0] for shape in shapes), *shapes[0][1:])
    keep(statement, core.Concat(arrays, span=expr.span), [dims], certs, scope)


def _countable(lengths: Sequence[Term], statement: Statement, scope: Scope) -> Certs:
    """The sum of some lengths is no negative number, as it would be where it wraps: so many elements no array can have."""
    certs: list[Sym] = []
    known = [scope.facts.is_exact(scope.facts.normal(length)) for length in lengths]
    for many in range(2, len(lengths) + 1):
        sum_ = scope.facts.normal(total(lengths[:many]))
        if not (all(known[:many]) and scope.facts.is_exact(sum_)):
            small = scope.both(
                scope.compare(Compare("<=", ZERO, sum_)), scope.compare(Compare("<", sum_, literal(COUNT_LIMIT)))
            )
            certs += scope.check(small, failures.too_large(statement.span, "concat"))
    return tuple(certs)


def split(statement: Statement, expr: core.Split, scope: Scope) -> None:
    array, at = scope.array(expr.array), scope.atom(expr.at)
    head, *rest = scope.shape(array)
    where = scope.term(at)
    inside = scope.both(scope.compare(Compare("<=", ZERO, where)), scope.compare(Compare("<=", where, head)))
    site = failures.split(expr.array.name, statement.span)
    certs = scope.check(inside, site, (at, scope.reify(head)))
    keep(statement, core.Split(array, at, span=expr.span), [(where, *rest), (head - where, *rest)], certs, scope)


def in_range(array: Sym, spelling: str, indices: Sequence[Atom], statement: Statement, scope: Scope) -> Certs:
    """Each index is one of its dimension."""
    certs: list[Sym] = []
    for dim, (atom, size) in enumerate(zip(indices, scope.shape(array), strict=False)):
        at = scope.term(atom)
        inside = scope.both(scope.compare(Compare("<=", ZERO, at)), scope.compare(Compare("<", at, size)))
        certs += scope.check(inside, failures.index(spelling, dim, statement.span), (atom, scope.reify(size)))
    return tuple(certs)


def index(statement: Statement, expr: core.Index, scope: Scope) -> None:
    array, indices = scope.array(expr.array), tuple(map(scope.atom, expr.indices))
    certs = in_range(array, expr.array.name, indices, statement, scope)
    keep(statement, core.Index(array, indices, span=expr.span), [scope.shape(array)[len(indices) :]], certs, scope)


def update(statement: Statement, expr: core.Update, scope: Scope, context: Context) -> None:
    array, indices, value = scope.array(expr.array), tuple(map(scope.atom, expr.indices)), scope.atom(expr.value)
    certs = [*in_range(array, expr.array.name, indices, statement, scope)]
    for dim, (found, wanted) in enumerate(zip(scope.shape(value), scope.shape(array)[len(indices) :], strict=True)):
        certs += check_equal(found, wanted, failures.update(dim, statement.span), scope, context)
    keep(statement, core.Update(array, indices, value, span=expr.span), [scope.shape(array)], certs, scope)


def part(statement: Statement, expr: core.Slice, scope: Scope) -> None:
    array, lo, hi = scope.array(expr.array), scope.atom(expr.lo), scope.atom(expr.hi)
    head, *rest = scope.shape(array)
    first, end = scope.term(lo), scope.term(hi)
    tests = [Compare("<=", ZERO, first), Compare("<=", first, end), Compare("<=", end, head)]
    inside: Atom = TRUE
    for test in tests:
        # Only what holds whatever names stand for is left out: facts are for `hoist`.
        inside = scope.both(inside, scope.compare(test))
    certs = scope.check(inside, failures.part(expr.array.name, statement.span), (lo, hi, scope.reify(head)))
    dims = (ceiling_quotient(end - first, abs(expr.step)), *rest)
    keep(statement, core.Slice(array, lo, hi, expr.step, span=expr.span), [dims], certs, scope)


def rearrange(statement: Statement, expr: core.Rearrange, scope: Scope) -> None:
    array = scope.array(expr.array)
    shape = scope.shape(array)
    keep(statement, core.Rearrange(array, expr.order, span=expr.span), [tuple(shape[d] for d in expr.order)], (), scope)


def rotate(statement: Statement, expr: core.Rotate, scope: Scope) -> None:
    array = scope.array(expr.array)
    keep(statement, core.Rotate(array, scope.atom(expr.by), span=expr.span), [scope.shape(array)], (), scope)


def reshape(statement: Statement, expr: core.Reshape, scope: Scope) -> None:
    array, dims = scope.array(expr.array), tuple(map(scope.atom, expr.dims))
    wanted = tuple(map(scope.term, dims))
    certs = [cert for dim in dims for cert in at_least_zero(dim, "reshape", statement, scope)]
    have, ask = product(scope.shape(array)), product(wanted)
    if scope.facts.equal(have, ask):
        if not (scope.facts.counts(have) or wanted == scope.shape(array)):
            # Equal terms are equal numbers only where no product wraps.
            lengths = [scope.reify(dim) for dim in scope.shape(array)]
            certs += scope.check(_does_not_wrap(lengths, scope), failures.too_large(statement.span, "reshape"))
    else:
        site = failures.reshape(statement.span)
        same = scope.compare(Compare("==", have, ask))
        if len(dims) > 1:
            same = scope.both(_does_not_wrap(dims, scope), same)
        certs += scope.check(same, site, (scope.reify(have), scope.reify(ask)))
    keep(statement, core.Reshape(array, dims, span=expr.span), [wanted], certs, scope)


def _does_not_wrap(dims: Sequence[Atom], scope: Scope) -> Atom:
    """Whether the product of sizes that are not negative is one of i64: in floats, whose error is far below the margin."""
    result: Atom | None = None
    for dim in dims:
        here = scope.op("f64", (dim,), I64, F64)
        result = here if result is None else scope.op("*", (result, here), F64, F64)
    assert result is not None
    return scope.op("<", (result, core.Const(MOST_ELEMENTS, F64)), F64, BOOL, "ok")


def scatter(statement: Statement, expr: core.Scatter, scope: Scope, context: Context) -> None:
    array, indices, values = map(scope.array, (expr.array, expr.indices, expr.values))
    shape, given = scope.shape(array), scope.shape(values)
    site = failures.scattered("scatter", statement.span)
    certs = [*check_equal(scope.shape(indices)[0], given[0], site, scope, context)]
    for dim in range(1, len(shape)):
        certs += check_equal(shape[dim], given[dim], failures.rows("scatter", dim, statement.span), scope, context)
    keep(statement, core.Scatter(array, indices, values, span=expr.span), [shape], certs, scope)


# ---- functions of elements


def same_heads(what: str, arrays: Sequence[Sym], statement: Statement, scope: Scope, context: Context) -> Certs:
    """Arrays that are gone through together have one length."""
    first = scope.shape(arrays[0])[0]
    site = failures.heads(what, statement.span)
    return tuple(cert for array in arrays[1:] for cert in check_equal(first, scope.shape(array)[0], site, scope, context))


def enter(params: Sequence[Param], shapes: Sequence[Dims], scope: Scope) -> tuple[Param, ...]:
    """Parameters with dimensions, known in the scope of their body."""
    typed = tuple(
        Param(param.name, Type(param.type.scalar, dims), span=param.span) for param, dims in zip(params, shapes, strict=True)
    )
    for param in typed:
        scope.bind(param)
    return typed


def operator(
    what: str, function: Lambda, neutral: Sequence[Atom], rows: Sequence[Dims], scope: Scope, context: Context
) -> Lambda:
    """An operator on values of the neutral element's dimensions: what it gives is tested, inside."""
    shapes = [scope.shape(atom) for atom in neutral]
    inner = scope.child()
    params = enter(function.params, [*shapes, *rows], inner)
    results, dims = context.body(function.body, inner)
    final = []
    for atom, found, wanted in zip(results, dims, shapes, strict=True):
        certs: list[Sym] = []
        for dim, (left, right) in enumerate(zip(found, wanted, strict=True)):
            certs += check_equal(left, right, failures.combined(what, dim, function.span), inner, context)
        final.append(coerced(atom, wanted, certs, inner))
    return Lambda(params, inner.body(final, function.body.span), span=function.span)


def _neutral(
    what: str, neutral: Sequence[Atom], rows: Sequence[Dims], statement: Statement, scope: Scope, context: Context
) -> list[Sym]:
    certs: list[Sym] = []
    for atom, row in zip(neutral, rows, strict=True):
        for dim, (left, right) in enumerate(zip(scope.shape(atom), row, strict=True)):
            certs += check_equal(left, right, failures.neutral(what, dim, statement.span), scope, context)
    return certs


def reduce(statement: Statement, expr: core.Reduce | core.Scan, scope: Scope, context: Context) -> None:
    """Reduce and scan: dimensions are those of the neutral element."""
    what = "reduce" if isinstance(expr, core.Reduce) else "scan"
    arrays, neutral = tuple(map(scope.array, expr.arrays)), tuple(map(scope.atom, expr.neutral))
    rows = [scope.shape(array)[1:] for array in arrays]
    certs = [*same_heads(what, arrays, statement, scope, context)]
    certs += _neutral(what, neutral, rows, statement, scope, context)
    # The rows are of the neutral element's dimensions, by the test.
    shapes = [scope.shape(atom) for atom in neutral]
    function = operator(what, expr.op, neutral, shapes, scope, context)
    if isinstance(expr, core.Reduce):
        made: Expr = core.Reduce(function, neutral, arrays, expr.commutative, span=expr.span)
    else:
        made = core.Scan(function, neutral, arrays, span=expr.span)
        head = scope.shape(arrays[0])[0]
        shapes = [(head, *shape) for shape in shapes]
    keep(statement, made, shapes, certs, scope)


def hist(statement: Statement, expr: core.Hist, scope: Scope, context: Context) -> None:
    arrays, values = tuple(map(scope.array, expr.arrays)), tuple(map(scope.array, expr.values))
    neutral, indices = tuple(map(scope.atom, expr.neutral)), scope.array(expr.indices)
    what = "reduce_by_index"
    certs: list[Sym] = []
    for value in values:
        site = failures.scattered(what, statement.span)
        certs += check_equal(scope.shape(indices)[0], scope.shape(value)[0], site, scope, context)
    for many in (arrays, values):
        rows = [scope.shape(array)[1:] for array in many]
        certs += _neutral(what, neutral, rows, statement, scope, context)
    certs += same_heads(what, arrays, statement, scope, context)
    shapes = [scope.shape(atom) for atom in neutral]
    function = operator(what, expr.op, neutral, shapes, scope, context)
    made = core.Hist(function, arrays, neutral, indices, values, span=expr.span)
    keep(statement, made, [scope.shape(array) for array in arrays], certs, scope)


def filtered(statement: Statement, expr: core.Filter, scope: Scope, context: Context) -> None:
    """In the sized core a filter gives the number of rows first."""
    arrays = tuple(map(scope.array, expr.arrays))
    certs = same_heads("filter", arrays, statement, scope, context)
    inner = scope.child()
    params = enter(expr.predicate.params, [scope.shape(array)[1:] for array in arrays], inner)
    results, _ = context.body(expr.predicate.body, inner)
    predicate = Lambda(params, inner.body(results, expr.predicate.body.span), span=expr.predicate.span)
    count = Param(Sym("k"), Type(I64), span=statement.span)
    kept: Term = scope.term(count.name)
    pattern = [
        Param(param.name, Type(param.type.scalar, (kept, *scope.shape(array)[1:])), span=param.span)
        for param, array in zip(statement.pattern, arrays, strict=True)
    ]
    scope.emit(core.Filter(predicate, arrays, span=expr.span), [count, *pattern], certs, statement.span)


def foreign(statement: Statement, expr: core.Foreign, scope: Scope) -> None:
    args = tuple(map(scope.atom, expr.args))
    keep(statement, core.Foreign(expr.function, args, span=expr.span), [()] * len(statement.pattern), (), scope)


def stated(statement: Statement, expr: core.Coerce, scope: Scope, context: Context) -> None:
    """`x: f64[n] = e`: the dimensions that are written are tested, and known by these names from here."""
    array = scope.array(expr.array)
    certs: list[Sym] = []
    wanted: list[Term] = []
    for d, (found, dim) in enumerate(zip(scope.shape(array), expr.dims, strict=True)):
        if dim is None:
            wanted.append(found)
            continue
        wanted.append(scope.canonical(dim))
        site = failures.stated(expr.name, d, dim.show(), statement.span)
        certs += check_equal(found, wanted[-1], site, scope, context)
    scope.values[statement.pattern[0].name] = coerced(array, tuple(wanted), certs, scope)
