"""The meaning of programs: the core, typed or sized, is run statement by statement.

Strict, by value, from left to right; the first test that fails raises. Scalars are Python's numbers, arrays NumPy's; with
`exact` f32 and f64 are fractions, which nothing rounds. The inner dimensions of a map over an empty array are those that its
function gives all elements (`empty`), else 0; the sized core says them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from usl_core.backend import written_formals
from usl_core.deep import deep
from usl_core.errors import Span
from usl_core.interp import run as run_proc
from usl_core.ir.nodes import BinaryOp, Literal, Proc, Read
from usl_core.ir.nodes import Expr as ProcExpr
from usl_core.ir.sym import Sym
from usl_core.ir.types import SIZE, ControlType, ScalarType, TensorType
from usl_perceus import program as functional_program
from usl_soac import core, failures, operations, sizes
from usl_soac.core import Atom, Body, Const, Expr, Function, Lambda, Part, Program, Site, Statement, Type
from usl_soac.empty import Shapes, unknown
from usl_soac.scalars import BOOL, I64
from usl_soac.show import show_expr

Value = Any
"""A bool, an int, a float or Fraction, or a NumPy array."""
Env = dict[Sym, Value]
Invariant = Mapping[core.Map, Sequence[Sequence[bool]]]
"""For each map of the typed core, result and inner dimension: whether it is one term for all elements."""

MOST_BYTES = 1 << 40
"""An array of more fails here already."""
LARGEST_SIZE = (1 << 31) - 1
"""The largest size that a `@proc` takes."""


class OutOfFuel(Exception):
    """A program took more steps than it was given."""


def interpret(
    program: Program, args: Sequence[Value], *, exact: bool = False, invariant: Invariant | None = None, fuel: int | None = None
) -> tuple[Value, ...]:
    """The results of the last function of a program, one for each scalar or array.

    Raises:
        ShapeError, IndexError, AssertionError, ZeroDivisionError, MemoryError: a test failed; the text says which.
        OutOfFuel: more than `fuel` statements were evaluated.
    """
    return Interpreter(program, exact=exact, invariant=invariant, fuel=fuel).run(program.functions[-1], args)


def dtype_of(scalar: ScalarType, exact: bool = False) -> np.dtype[Any]:
    """The type of elements in NumPy."""
    if scalar is BOOL:
        return np.dtype(np.bool_)
    if scalar.is_real:
        return np.dtype(object) if exact else np.dtype(f"f{scalar.bits // 8}")
    return np.dtype(f"{'i' if scalar.signed else 'u'}{scalar.bits // 8}")


class Interpreter:
    """Runs functions of one program.

    `work` counts scalar operations and elements moved, statements and calls at least 1 each.
    """

    def __init__(
        self, program: Program, *, exact: bool = False, invariant: Invariant | None = None, fuel: int | None = None
    ) -> None:
        self.program = program
        self.exact = exact
        self.work = 0
        self._invariant = invariant
        self._fuel = fuel
        self._constants: dict[Const, Value] = {}

    def run(self, function: Function, args: Sequence[Value]) -> tuple[Value, ...]:
        """The results of a function."""
        return deep(partial(self.call, function, args, None))

    # ---- functions

    def call(self, function: Function, args: Sequence[Value], span: Span | None) -> tuple[Value, ...]:
        """A call; span is where it stands, None for one from outside."""
        env: Env = {}
        origin: dict[Sym, str] = {}
        for param, arg in zip(function.params, args, strict=True):
            env[param.name] = arg
            if param.type.dims and max(arg.shape) > sizes.SIZE_LIMIT:
                raise failures.failed(failures.too_large(param.span if span is None else span, function.name))
            for d, dim in enumerate(param.type.dims):
                alone = dim.name if dim is not None else None
                if alone is not None and alone in function.sizes and alone not in env:
                    env[alone] = arg.shape[d]
                    origin[alone] = f"from {param.name.name}, dimension {d}"
        for param in function.params:
            for d, dim in enumerate(param.type.dims):
                if dim is None:
                    continue
                expected, found = self.term(dim, env), env[param.name].shape[d]
                if expected != found:
                    why = origin.get(dim.name) if dim.name is not None else None
                    where = param.span if span is None else span
                    site = failures.argument(function.name, param.name.name, d, dim.show(), why, where)
                    raise failures.failed(site, (found, expected))
        results = self.body(function.body, env)
        self.promised(function, results, env)
        return results

    def promised(self, function: Function, results: Sequence[Value], env: Env) -> None:
        """Tests the results against the declared type; sizes that come with the result are what they are, but the same."""
        for position, (typ, result) in enumerate(zip(function.results, results, strict=True)):
            for d, dim in enumerate(typ.dims):
                if dim is None:
                    continue
                if dim.name in function.exists and dim.name not in env:
                    env[dim.name] = result.shape[d]
                expected, found = self.term(dim, env), result.shape[d]
                if expected != found:
                    site = failures.promise(function.name, dim.show(), position, d, function.body.span)
                    raise failures.failed(site, (found, expected))

    def term(self, term: sizes.Term, env: Env) -> int:
        """The value of a size."""
        return sizes.evaluate(term, {sym: env[sym] for sym in term.names()})

    def body(self, body: Body, env: Env) -> tuple[Value, ...]:
        """The results of a body; its names are added to env, as they are bound nowhere else."""
        for statement in body.statements:
            self.statement(statement, env)
        return tuple(self.atom(atom, env) for atom in body.results)

    def statement(self, statement: Statement, env: Env) -> None:
        """Evaluates a statement and binds its names."""
        self.work += 1
        if self._fuel is not None and self.work > self._fuel:
            raise OutOfFuel
        values = self.values(statement, env)
        for param, value in zip(statement.pattern, values, strict=True):
            env[param.name] = value
        for param, value in zip(statement.pattern, values, strict=True):
            for d, dim in enumerate(param.type.dims):
                if dim is not None and self.term(dim, env) != value.shape[d]:
                    what = f"{param.name.name} is {value.shape}, its type says {dim.show()} in dimension {d}"
                    raise AssertionError(f"{what}: {show_expr(statement.value)}")

    def values(self, statement: Statement, env: Env) -> tuple[Value, ...]:
        """The values of a statement."""
        try:
            return self.expr(statement.value, statement, env)
        except MemoryError as error:
            if failures.is_failure(error):
                raise
            raise failures.failed(failures.too_large(statement.span)) from None

    def atom(self, atom: Atom, env: Env) -> Value:
        """The value of a name or constant."""
        if isinstance(atom, Sym):
            return env[atom]
        if atom not in self._constants:
            self._constants[atom] = operations.constant(atom, self.exact)
        return self._constants[atom]

    # ---- expressions

    def expr(self, expr: Expr, statement: Statement, env: Env) -> tuple[Value, ...]:
        """The values of an expression."""
        types = [param.type for param in statement.pattern]
        span = statement.span
        match expr:
            case core.Copy(atom=atom):
                return (self.atom(atom, env),)
            case core.Op():
                return (self.operation(expr, env, span),)
            case core.Foreign(function=function, args=args):
                return (self.foreign(function, [self.atom(arg, env) for arg in args], types[0]),)
            case core.Size(array=array, dim=dim):
                return (env[array].shape[dim],)
            case core.If(condition=condition, then=then, orelse=orelse):
                return self.body(then if self.atom(condition, env) else orelse, env)
            case core.Loop():
                return self.loop(expr, env)
            case core.Call(function=name, args=args, part=part):
                return self.called(name, part, [self.atom(arg, env) for arg in args], span)
            case core.Kernel(procedure=procedure, args=args):
                return self.kernel(procedure, [None if arg is None else self.atom(arg, env) for arg in args], span)
            case core.Assert(condition=condition, site=site, values=values):
                if not self.atom(condition, env):
                    raise failures.failed(site, [self.atom(each, env) for each in values])
                return (None,)
            case core.Map():
                return self.mapped(expr, types, env, span)
            case core.Reduce() | core.Scan():
                return self.folded(expr, types, env, span)
            case core.Filter():
                return self.filtered(expr, env, span)
            case core.Hist():
                return self.histogram(expr, env, span)
            case _:
                return self.structural(expr, types, env, span)

    def structural(self, expr: core.Structural, types: Sequence[Type], env: Env, span: Span) -> tuple[Value, ...]:
        """What makes arrays of arrays."""
        match expr:
            case core.Index(array=array, indices=indices):
                source = env[array]
                found = source[self.places(array, source, indices, env, span)]
                return (self.element(found, types[0]),)
            case core.Slice(array=array, lo=lo, hi=hi, step=step):
                source, first, end = env[array], self.atom(lo, env), self.atom(hi, env)
                if not 0 <= first <= end <= len(source):
                    raise failures.failed(failures.part(array.name, span), (first, end, len(source)))
                chosen = source[first:end]
                return (self.moved(chosen[::step]),)
            case core.Iota(count=count, scalar=scalar):
                size = self.count(count, "iota", (), scalar, env, span)
                numbers = [operations.convert(i, I64, scalar, self.exact) for i in range(size)]
                return (self.array(numbers, (size,), scalar),)
            case core.Replicate(count=count, value=value):
                inner = self.atom(value, env)
                shape = inner.shape if isinstance(inner, np.ndarray) else ()
                size = self.count(count, "replicate", shape, types[0].scalar, env, span)
                if 0 in shape and size:
                    return (self.nothing((size, *shape), types[0], span, "replicate"),)
                made = np.empty((size, *shape), dtype_of(types[0].scalar, self.exact))
                made[...] = inner
                return (self.moved(made),)
            case core.Concat(arrays=arrays):
                parts = [env[each] for each in arrays]
                for other in parts[1:]:
                    self.same_rows(failures.rows, "concat", parts[0].shape[1:], other.shape[1:], span)
                if len(parts) > 1 and sum(map(len, parts)) >= sizes.COUNT_LIMIT:
                    raise failures.failed(failures.too_large(span, "concat"))
                return (self.moved(np.concatenate(parts)),)
            case core.Split(array=array, at=at):
                source, where = env[array], self.atom(at, env)
                if not 0 <= where <= len(source):
                    raise failures.failed(failures.split(array.name, span), (where, len(source)))
                return (self.moved(source[:where]), self.moved(source[where:]))
            case core.Rearrange(array=array, order=order):
                return (self.moved(np.ascontiguousarray(np.transpose(env[array], order))),)
            case core.Reshape(array=array, dims=dims):
                return (self.reshaped(env[array], [self.atom(dim, env) for dim in dims], span),)
            case core.Rotate(array=array, by=by):
                source, steps = env[array], self.atom(by, env)
                return (self.moved(np.roll(source, -(steps % len(source)) if len(source) else 0, axis=0)),)
            case core.Update(array=array, indices=indices, value=value):
                source, new = env[array], self.atom(value, env)
                where = self.places(array, source, indices, env, span)
                if isinstance(new, np.ndarray):
                    self.same_dims(failures.update, new.shape, source.shape[len(where) :], span)
                made = source.copy()
                made[where] = new
                return (made,)
            case core.Scatter(array=array, indices=places, values=values):
                return (self.scattered(env[array], env[places], env[values], span),)
            case core.Count(flags=flags):
                return (int(np.count_nonzero(env[flags])),)
            case core.Compress(flags=flags, arrays=arrays):
                kept = np.flatnonzero(env[flags])
                return tuple(self.moved(env[each][kept]) for each in arrays)
            case core.Coerce(array=array, dims=terms, name=name):
                for d, (found, dim) in enumerate(zip(env[array].shape, terms, strict=True)):
                    if dim is not None and (expected := self.term(dim, env)) != found:
                        raise failures.failed(failures.stated(name or array.name, d, dim.show(), span), (found, expected))
                return (env[array],)

    def operation(self, expr: core.Op, env: Env, span: Span) -> Value:
        """A scalar operation."""
        args = [self.atom(arg, env) for arg in expr.args]
        try:
            return operations.apply(expr.op, args, expr.operand, self.exact)
        except ZeroDivisionError:
            raise failures.failed(failures.division(span)) from None

    def foreign(self, function: Any, args: Sequence[Value], typ: Type) -> Value:
        """A function of scalars that is compiled; also with `exact` its numbers are those of the machine."""
        given = [float(arg) if isinstance(arg, Fraction) else arg for arg in args]
        result = _callable(function)(*given)
        return as_fraction(result) if self.exact and typ.scalar.is_real else result

    def called(self, name: str, part: Part, args: Sequence[Value], span: Span) -> tuple[Value, ...]:
        """A call of a function of the program."""
        return self.call(self.program.function(name, part), args, span)

    # ---- arrays

    def element(self, value: Value, typ: Type) -> Value:
        """An element of an array as a value."""
        if typ.rank:
            return self.moved(value)
        return value.item() if isinstance(value, np.generic) else value

    def moved(self, array: Any) -> Any:
        """The array; its elements count as work."""
        self.work += array.size
        return array

    def array(self, values: Sequence[Value], shape: tuple[int, ...], scalar: ScalarType) -> Any:
        """An array of scalars in row-major order."""
        made = np.empty(len(values), dtype_of(scalar, self.exact))
        for i, value in enumerate(values):
            made[i] = value
        return self.moved(made.reshape(shape))

    def count(self, atom: Atom, what: str, rows: tuple[int, ...], scalar: ScalarType, env: Env, span: Span) -> int:
        """A size that is asked for."""
        size: int = self.atom(atom, env)
        if size < 0:
            raise failures.failed(failures.negative(what, span), (size,))
        if size > sizes.SIZE_LIMIT or size * int(np.prod(rows, dtype=object)) * scalar.bits // 8 > MOST_BYTES:
            raise failures.failed(failures.too_large(span, what))
        return size

    def places(self, array: Sym, source: Any, indices: Sequence[Atom], env: Env, span: Span) -> tuple[int, ...]:
        """Indices, tested."""
        found = tuple(self.atom(each, env) for each in indices)
        for d, each in enumerate(found):
            if not 0 <= each < source.shape[d]:
                raise failures.failed(failures.index(array.name, d, span), (each, source.shape[d]))
        return found

    def same_rows(
        self, site: Callable[[str, int, Span], Site], what: str, left: tuple[int, ...], right: tuple[int, ...], span: Span
    ) -> None:
        """Tests inner dimensions, which are counted from 1."""
        for d, (a, b) in enumerate(zip(left, right, strict=True), 1):
            if a != b:
                raise failures.failed(site(what, d, span), (a, b))

    def same_dims(self, site: Callable[[int, Span], Site], left: tuple[int, ...], right: tuple[int, ...], span: Span) -> None:
        """Tests all dimensions, which are counted from 0."""
        for d, (a, b) in enumerate(zip(left, right, strict=True)):
            if a != b:
                raise failures.failed(site(d, span), (a, b))

    def reshaped(self, source: Any, dims: Sequence[int], span: Span) -> Any:
        """`reshape`"""
        for dim in dims:
            if dim < 0:
                raise failures.failed(failures.negative("reshape", span), (dim,))
        count = int(np.prod(dims, dtype=object))
        if count != source.size:
            raise failures.failed(failures.reshape(span), (source.size, count))
        return self.moved(source.reshape(tuple(dims)))

    def scattered(self, target: Any, places: Any, values: Any, span: Span) -> Any:
        """`scatter`"""
        if len(places) != len(values):
            raise failures.failed(failures.scattered("scatter", span), (len(places), len(values)))
        self.same_rows(failures.rows, "scatter", target.shape[1:], values.shape[1:], span)
        made = target.copy()
        for place, value in zip(places.tolist(), values, strict=True):
            if 0 <= place < len(made):
                made[place] = value
        self.work += values.size
        return made

    # ---- functions over arrays

    def heads(self, what: str, arrays: Sequence[Any], span: Span) -> int:
        """The number of elements, which all have."""
        for other in arrays[1:]:
            if len(other) != len(arrays[0]):
                raise failures.failed(failures.heads(what, span), (len(arrays[0]), len(other)))
        return len(arrays[0])

    def apply(self, function: Lambda, args: Sequence[Value], env: Env) -> tuple[Value, ...]:
        """The results of a lambda."""
        for param, arg in zip(function.params, args, strict=True):
            env[param.name] = self.element(arg, param.type)
        return self.body(function.body, env)

    def mapped(self, expr: core.Map, types: Sequence[Type], env: Env, span: Span) -> tuple[Value, ...]:
        """`map`: all rows have the shape of the first."""
        arrays = [env[each] for each in expr.arrays]
        count = self.heads("map", arrays, span)
        if not count:
            return self.empty(expr, arrays, types, env, span)
        rows: list[tuple[Value, ...]] = []
        for i in range(count):
            rows.append(self.apply(expr.function, [each[i] for each in arrays], env))
            for now, first, typ in zip(rows[-1], rows[0], types, strict=True):
                if typ.rank > 1 and now.shape != first.shape:
                    raise failures.failed(failures.irregular(typ.scalar, typ.rank - 1, span), (i, *now.shape, *first.shape))
        results = []
        for position, typ in enumerate(types):
            column = [row[position] for row in rows]
            if typ.rank == 1:
                results.append(self.array(column, (count,), typ.scalar))
            else:
                results.append(self.moved(np.stack(column)))
        return tuple(results)

    def empty(self, expr: core.Map, arrays: Sequence[Any], types: Sequence[Type], env: Env, span: Span) -> tuple[Value, ...]:
        """`map` over nothing."""
        if all(dim is not None for typ in types for dim in typ.dims):
            shapes = [tuple(self.term(dim, env) for dim in typ.dims if dim is not None) for typ in types]
            return tuple(self.nothing(shape, typ, span) for shape, typ in zip(shapes, types, strict=True))
        rows = [
            tuple(map(sizes.literal, each.shape[1:])) if each.ndim > 1 else unknown(param.type)
            for each, param in zip(arrays, expr.function.params, strict=True)
        ]
        known = Shapes(self.program).of_elements(expr, env, rows)
        flags = None if self._invariant is None else self._invariant[expr]
        if flags is not None and any(
            size is None and alike for each in zip(known, flags, strict=True) for size, alike in zip(*each, strict=True)
        ):
            # It is the same for all elements, but takes arrays to compute.
            known = Shapes(self.program, self.evaluated).of_elements(expr, env, rows)
        results = []
        for position, (dims, typ) in enumerate(zip(known, types, strict=True)):
            counted = [flags is None or flags[position][d] for d in range(len(dims))]
            inner = [max(size, 0) if size is not None and counts else 0 for size, counts in zip(dims, counted, strict=True)]
            results.append(self.nothing((0, *inner), typ, span))
        return tuple(results)

    def evaluated(self, statement: Statement, env: Env) -> tuple[Value, ...]:
        """The values of a statement, apart."""
        return self.values(statement, dict(env))

    def nothing(self, shape: tuple[int, ...], typ: Type, span: Span, what: str = "map") -> Any:
        """An array without elements. NumPy has none whose other dimensions are beyond all memory."""
        try:
            return np.empty(shape, dtype_of(typ.scalar, self.exact))
        except ValueError:
            raise failures.failed(failures.too_large(span, what)) from None

    def folded(self, expr: core.Reduce | core.Scan, types: Sequence[Type], env: Env, span: Span) -> tuple[Value, ...]:
        """`reduce` and `scan`, from the left, the neutral element first."""
        what = "reduce" if isinstance(expr, core.Reduce) else "scan"
        arrays = [env[each] for each in expr.arrays]
        state = tuple(self.atom(each, env) for each in expr.neutral)
        count = self.heads(what, arrays, span)
        for start, each in zip(state, arrays, strict=True):
            if isinstance(start, np.ndarray):
                self.same_dims(partial(failures.neutral, what), start.shape, each.shape[1:], span)
        shapes = [start.shape if isinstance(start, np.ndarray) else () for start in state]
        history: list[tuple[Value, ...]] = []
        for i in range(count):
            state = self.apply(expr.op, [*state, *(each[i] for each in arrays)], env)
            for now, shape in zip(state, shapes, strict=True):
                if shape:
                    self.same_dims(partial(failures.combined, what), now.shape, shape, span)
            history.append(state)
        if what == "reduce":
            return state
        results = []
        for position, (shape, typ) in enumerate(zip(shapes, types, strict=True)):
            column = [row[position] for row in history]
            made = np.empty((count, *shape), dtype_of(typ.scalar, self.exact))
            for i, row in enumerate(column):
                made[i] = row
            results.append(self.moved(made))
        return tuple(results)

    def filtered(self, expr: core.Filter, env: Env, span: Span) -> tuple[Value, ...]:
        """`filter`"""
        arrays = [env[each] for each in expr.arrays]
        count = self.heads("filter", arrays, span)
        kept = [i for i in range(count) if self.apply(expr.predicate, [each[i] for each in arrays], env)[0]]
        return tuple(self.moved(each[kept]) for each in arrays)

    def histogram(self, expr: core.Hist, env: Env, span: Span) -> tuple[Value, ...]:
        """`reduce_by_index`"""
        what = "reduce_by_index"
        targets = [env[each].copy() for each in expr.arrays]
        places, values = env[expr.indices], [env[each] for each in expr.values]
        starts = [self.atom(each, env) for each in expr.neutral]
        self.heads(what, targets, span)
        for target, start, given in zip(targets, starts, values, strict=True):
            if len(places) != len(given):
                raise failures.failed(failures.scattered(what, span), (len(places), len(given)))
            if isinstance(start, np.ndarray):
                self.same_dims(partial(failures.neutral, what), start.shape, target.shape[1:], span)
                self.same_dims(partial(failures.neutral, what), start.shape, given.shape[1:], span)
        for j, place in enumerate(places.tolist()):
            if 0 <= place < len(targets[0]):
                olds = [target[place] for target in targets]
                news = self.apply(expr.op, [*olds, *(given[j] for given in values)], env)
                for target, new in zip(targets, news, strict=True):
                    if target.ndim > 1:
                        self.same_dims(partial(failures.combined, what), new.shape, target.shape[1:], span)
                    target[place] = new
        return tuple(targets)

    # ---- loops and kernels

    def loop(self, expr: core.Loop, env: Env) -> tuple[Value, ...]:
        """`loop`"""
        state = tuple(self.atom(each, env) for each in expr.initial)
        bound = None if expr.bound is None else self.atom(expr.bound, env)
        index = 0
        while bound is None or index < bound:
            for param, value in zip(expr.params, state, strict=True):
                env[param.name] = value
            if expr.condition is not None and not self.body(expr.condition, env)[0]:
                break
            if expr.index is not None:
                env[expr.index.name] = index
            self.work += 1
            if self._fuel is not None and self.work > self._fuel:
                raise OutOfFuel
            state = self.body(expr.body, env)
            index += 1
        return state

    def kernel(self, procedure: Any, args: Sequence[Value | None], span: Span) -> tuple[Value, ...]:
        """A call of a `@proc`: what it writes, as it leaves it."""
        proc: Proc = procedure.ir
        known: dict[Any, int] = {}
        given: list[Any] = []
        for formal, arg in zip(proc.args, args, strict=True):
            if isinstance(formal.type, ControlType):
                assert arg is not None
                least = 1 if formal.type is SIZE else -LARGEST_SIZE
                if not isinstance(arg, bool) and not least <= arg <= LARGEST_SIZE:
                    raise failures.failed(failures.kernel_size(procedure.name(), formal.name.name, span), (arg,))
                known[formal.name] = arg
                given.append(arg)
            else:
                given.append(self.data(arg, formal.type))
        for formal, arg in zip(proc.args, given, strict=True):
            if isinstance(formal.type, TensorType):
                for d, extent in enumerate(formal.type.shape):
                    expected = _extent(extent, known)
                    if expected != arg.shape[d]:
                        site = failures.argument(procedure.name(), formal.name.name, d, "its size", None, span)
                        raise failures.failed(site, (arg.shape[d], expected))
        run_proc(proc, given, mode="machine")
        changed = written_formals(proc)
        results = []
        for formal, arg in zip(proc.args, given, strict=True):
            if formal.name in changed:
                results.append(arg if isinstance(formal.type, TensorType) else arg.item())
        return tuple(results)

    def data(self, arg: Value, typ: Any) -> Any:
        """A copy of data for a procedure to write into."""
        scalar = typ.scalar if isinstance(typ, TensorType) else typ
        return np.array(arg, dtype_of(scalar))


@functools.cache
def _callable(function: Any) -> Callable[..., Value]:
    """A `@fun`, or a function that calls a `@foreign`, which Python cannot."""
    if callable(function):
        itself: Callable[..., Value] = function
        return itself
    params, result = function.types()
    formals = ", ".join(f"x{i}: {typ}" for i, typ in enumerate(params))
    args = ", ".join(f"x{i}" for i in range(len(params)))
    text = f"@fun\ndef call({formals}) -> {result}:\n    return foreign({args})\n"
    made: Callable[..., Value] = functional_program(text, {"foreign": function})["call"]
    return made


def _extent(expr: ProcExpr, known: Mapping[Any, int]) -> int:
    """The value of an extent of a formal."""
    if isinstance(expr, Literal):
        return int(expr.value)
    if isinstance(expr, Read):
        return known[expr.name]
    assert isinstance(expr, BinaryOp), "an extent is a term of sizes"
    a, b = _extent(expr.lhs, known), _extent(expr.rhs, known)
    return {"+": a + b, "-": a - b, "*": a * b, "/": a // b if b else 0, "%": a % b if b else 0}[expr.op]


def as_fraction(value: Any) -> Fraction | float:
    """A real number exactly, unless it is infinite or no number."""
    return Fraction(value) if value - value == 0 else float(value)
