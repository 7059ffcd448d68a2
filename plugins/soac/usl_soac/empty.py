"""What shape the elements of a map over an empty array would have, as far as that does not depend on the elements.

The function is gone through with sizes only: what is known is a number or a term, what comes from an element is a fresh name.
Which dimensions count is decided by elaboration; here is what their sizes are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from usl_core.ir.nodes import Proc
from usl_core.ir.sym import Sym
from usl_soac import core, failures, operations, sizes
from usl_soac.arithmetic import NOT_TOTAL
from usl_soac.core import Atom, Body, Const, Expr, Function, Program, Statement, Type
from usl_soac.scalars import BOOL, I64
from usl_soac.sizes import Term
from usl_soac.traverse import used_by_statement

Evaluate = Callable[[Statement, dict[Sym, Any]], Sequence[Any]]
Dims = tuple[Term, ...]
FAILURES = tuple(failures.EXCEPTIONS.values())


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar: an i64 is a term, another one a value, or None if it is not known."""

    value: Term | bool | float | Fraction | int | None


Shape = Dims | Scalar


class Filled(tuple[Term, ...]):
    """The dimensions of an array whose elements are known, too, if they are asked for."""

    elements: Callable[[], Any]


def filled(dims: Dims, elements: Callable[[], Any]) -> Filled:
    made = Filled(dims)
    made.elements = elements
    return made


def shape_of(value: Any) -> Shape:
    """What is known of a value of the interpreter."""
    if isinstance(value, np.ndarray):
        return filled(tuple(sizes.literal(size) for size in value.shape), lambda: value)
    return Scalar(sizes.literal(value) if isinstance(value, int) and not isinstance(value, bool) else value)


class Shapes:
    """Goes through functions of a program."""

    def __init__(self, program: Program, evaluate: Evaluate | None = None) -> None:
        """evaluate gives the values of a statement from those of names; without it elements of arrays are not looked at."""
        self.program = program
        self.evaluate = evaluate
        self.entered: dict[str, list[Shape] | None] = {}
        """Functions that are gone through, with what their calls are taken to give; None is nothing yet."""

    def of_elements(self, expr: core.Map, outer: Mapping[Sym, Any], rows: Sequence[Shape]) -> list[list[int | None]]:
        """The dimensions of each result of the function of a map; None where they depend on an element."""
        env = _Known(outer)
        for param, row in zip(expr.function.params, rows, strict=True):
            env[param.name] = row
        found = self.body(expr.function.body, env)
        return [[term.constant for term in each] if isinstance(each, tuple) else [] for each in found]

    def body(self, body: Body, env: _Known) -> list[Shape]:
        """The results of a body."""
        for statement in body.statements:
            types = [param.type for param in statement.pattern]
            shapes = self.expr(statement.value, env, types)
            if self.evaluate is not None:
                shapes = self.evaluated(statement, shapes, env, self.evaluate)
            for param, shape in zip(statement.pattern, shapes, strict=True):
                env[param.name] = shape
        return [env.atom(atom) for atom in body.results]

    def evaluated(self, statement: Statement, shapes: list[Shape], env: _Known, evaluate: Evaluate) -> list[Shape]:
        """The same with numbers that are known where all that the statement needs is: `reduce(add, 0, replicate(2, 1))`."""
        if isinstance(statement.value, core.Copy | core.Coerce):
            return shapes
        shapes = [tuple(shape) if isinstance(shape, Filled) else shape for shape in shapes]
        names = used_by_statement(statement)
        if not isinstance(statement.value, core.Soac | core.Structural) or not all(map(env.is_known, names)):
            return shapes
        found: list[Any] = []

        def value(position: int) -> Any:
            if not found:
                found.extend(evaluate(statement, {sym: env.value(sym) for sym in names}))
            return found[position]

        result: list[Shape] = []
        for position, shape in enumerate(shapes):
            if isinstance(shape, tuple):
                result.append(filled(shape, partial(value, position)))
                continue
            try:
                result.append(shape_of(value(position)))
            except FAILURES as error:
                if not failures.is_failure(error):
                    raise
                result.append(shape)  # there is no such number
        return result

    def expr(self, expr: Expr, env: _Known, types: Sequence[Type]) -> list[Shape]:
        """The values of an expression."""
        match expr:
            case core.Copy(atom=atom):
                return [env.atom(atom)]
            case core.Size(array=array, dim=dim):
                return [Scalar(env.dims(array)[dim])]
            case core.Op():
                return [self.operation(expr, env, types[0])]
            case core.Iota(count=count):
                return [(env.term(count),)]
            case core.Replicate(count=count, value=value):
                inner = env.atom(value)
                return [(env.term(count), *(inner if isinstance(inner, tuple) else ()))]
            case core.Concat(arrays=arrays):
                return [(sizes.total(env.dims(each)[0] for each in arrays), *env.dims(arrays[0])[1:])]
            case core.Split(array=array, at=at):
                head, *tail = env.dims(array)
                return [(env.term(at), *tail), (head - env.term(at), *tail)]
            case core.Index(array=array, indices=indices):
                rest = env.dims(array)[len(indices) :]
                return [rest] if rest else [unknown(types[0])]
            case core.Slice(array=array, lo=lo, hi=hi, step=step):
                length = sizes.ceiling_quotient(env.term(hi) - env.term(lo), abs(step))
                return [(length, *env.dims(array)[1:])]
            case core.Rearrange(array=array, order=order):
                return [tuple(env.dims(array)[each] for each in order)]
            case core.Reshape(dims=dims):
                return [tuple(env.term(each) for each in dims)]
            case core.Rotate(array=array) | core.Update(array=array) | core.Scatter(array=array):
                return [env.dims(array)]
            case core.Coerce(array=array, dims=dims):
                own = env.dims(array)
                known = [old if new is None else env.substituted(new) for old, new in zip(own, dims, strict=True)]
                return [tuple(known)]
            case core.Hist(arrays=arrays):
                return [env.dims(each) for each in arrays]
            case core.Map():
                return self.mapped(expr, env)
            case core.Reduce(neutral=neutral):
                return [self.stable(env.atom(each), typ) for each, typ in zip(neutral, types, strict=True)]
            case core.Scan(neutral=neutral, arrays=arrays):
                inner_dims = [env.atom(each) for each in neutral]
                head = env.dims(arrays[0])[0]
                return [(head, *(each if isinstance(each, tuple) else ())) for each in inner_dims]
            case core.Filter(arrays=arrays):
                kept = fresh()
                return [(kept, *env.dims(each)[1:]) for each in arrays]
            case core.If():
                return self.chosen(expr, env, types)
            case core.Loop():
                return self.looped(expr, env, types)
            case core.Call():
                return self.called(expr, env, types)
            case core.Kernel(procedure=procedure, args=args):
                return self.kernel(procedure, args, env, types)
            case core.Foreign() | core.Assert() | core.Count() | core.Compress():
                return [unknown(typ) for typ in types]

    def stable(self, shape: Shape, typ: Type) -> Shape:
        """What a reduction gives: the shape of the neutral element, but not its value."""
        return shape if isinstance(shape, tuple) else unknown(typ)

    def operation(self, expr: core.Op, env: _Known, typ: Type) -> Shape:
        """A scalar operation: its value if all is known and it cannot fail, a term of i64s."""
        values = [env.scalar(arg) for arg in expr.args]
        divisor = expr.args[-1]
        if expr.op in NOT_TOTAL and not (isinstance(divisor, Const) and divisor.value):
            return unknown(typ)
        plain = [value.constant if isinstance(value, Term) else value for value in values]
        if all(value is not None for value in plain):
            result = operations.apply(expr.op, plain, expr.operand, exact=False)
            return Scalar(sizes.literal(int(result)) if typ == Type(I64) else result)
        if expr.operand == I64 and typ == Type(I64) and all(isinstance(value, Term) for value in values):
            term = _term(expr.op, [value for value in values if isinstance(value, Term)])
            if term is not None:
                return Scalar(term)
        return unknown(typ)

    def mapped(self, expr: core.Map, env: _Known) -> list[Shape]:
        """`map`: dimensions of the function that mention nothing from inside."""
        before = fresh_number()
        inner = env.copy()
        for param, array in zip(expr.function.params, expr.arrays, strict=True):
            rest = env.dims(array)[1:]
            inner[param.name] = rest if rest else unknown(param.type)
        results = self.body(expr.function.body, inner)
        head = env.dims(expr.arrays[0])[0]
        shapes: list[Shape] = []
        for each in results:
            dims = each if isinstance(each, tuple) else ()
            shapes.append((head, *(fresh() if any(sym.number > before for sym in dim.names()) else dim for dim in dims)))
        return shapes

    def chosen(self, expr: core.If, env: _Known, types: Sequence[Type]) -> list[Shape]:
        """`if`: what both branches give alike, or that of the known one."""
        condition = env.scalar(expr.condition)
        then, orelse = self.body(expr.then, env.copy()), self.body(expr.orelse, env.copy())
        return [joined(a, b, condition, typ) for a, b, typ in zip(then, orelse, types, strict=True)]

    def looped(self, expr: core.Loop, env: _Known, types: Sequence[Type]) -> list[Shape]:
        """`loop`: dimensions that no round changes, and those that grow by the same in each of a known number."""
        initial = [env.atom(each) for each in expr.initial]
        kept: list[list[bool]] = [[True] * (len(each) if isinstance(each, tuple) else 0) for each in initial]
        while True:
            inner = env.copy()
            starts: list[Shape] = []
            for param, first, keep in zip(expr.params, initial, kept, strict=True):
                dims = first if isinstance(first, tuple) else ()
                start = tuple(dim if same else fresh() for dim, same in zip(dims, keep, strict=True))
                starts.append(start if dims else unknown(param.type))
                inner[param.name] = starts[-1]
            if expr.index is not None:
                inner[expr.index.name] = unknown(expr.index.type)
            ends = self.body(expr.body, inner)
            now = [
                [keep and end[d] == start[d] for d, keep in enumerate(keeps)]
                if isinstance(end, tuple) and isinstance(start, tuple)
                else []
                for end, start, keeps in zip(ends, starts, kept, strict=True)
            ]
            if now == kept:
                break
            kept = now
        rounds = None if expr.bound is None or expr.condition is not None else env.term(expr.bound).constant
        results: list[Shape] = []
        for before, begin, end, keep, typ in zip(initial, starts, ends, kept, types, strict=True):
            if not (isinstance(before, tuple) and isinstance(begin, tuple) and isinstance(end, tuple)):
                results.append(unknown(typ))
                continue
            sized: list[Term] = []
            for d, same in enumerate(keep):
                growth = (end[d] - begin[d]).constant
                if same:
                    sized.append(before[d])
                elif rounds is not None and growth is not None:
                    sized.append(before[d] + sizes.literal(growth * max(rounds, 0)))
                else:
                    sized.append(fresh())
            results.append(tuple(sized))
        return results

    def called(self, expr: core.Call, env: _Known, types: Sequence[Type]) -> list[Shape]:
        """A call: what the result type promises, else what the body gives."""
        function = self.program.function(expr.function, expr.part)
        args = [env.atom(arg) for arg in expr.args]
        inner = bound_sizes(function, args)
        own = {*function.sizes, *(param.name for param in function.params)}
        promised = [
            tuple(inner.substituted(dim) if dim is not None and dim.names() <= own else None for dim in typ.dims)
            for typ in function.results
        ]
        if all(dim is not None for dims in promised for dim in dims) and all(typ.rank for typ in function.results):
            return [tuple(dim for dim in dims if dim is not None) for dims in promised]
        found = self.results(function, inner)
        shapes: list[Shape] = []
        for each, dims in zip(found, promised, strict=True):
            if isinstance(each, tuple):
                shapes.append(tuple(new if new is not None else old for new, old in zip(dims, each, strict=True)))
            else:
                shapes.append(each)
        return shapes

    def results(self, function: Function, env: _Known) -> list[Shape]:
        """What a function gives; by induction on the depth of calls if it calls itself."""
        if function.name in self.entered:
            hope = self.entered[function.name]
            return [_nothing(typ) for typ in function.results] if hope is None else hope
        hope = None
        for _ in range(4):
            self.entered[function.name] = hope
            found = self.body(function.body, env.copy())
            del self.entered[function.name]
            if hope is not None and all(map(_same, hope, found)) and not any(map(_is_nothing, found)):
                return found
            hope = found
        return [_vague(shape, typ) for shape, typ in zip(found, function.results, strict=True)]

    def kernel(self, procedure: Any, args: Sequence[Atom | None], env: _Known, types: Sequence[Type]) -> list[Shape]:
        """What a `@proc` writes has the shape of the argument."""
        from usl_core.backend import written_formals

        proc: Proc = procedure.ir
        changed = written_formals(proc)
        written = [arg for formal, arg in zip(proc.args, args, strict=True) if formal.name in changed]
        return [
            env.atom(arg) if arg is not None and typ.rank else unknown(typ) for arg, typ in zip(written, types, strict=True)
        ]


class _Known:
    """Names with what is known of them; those from outside are looked up when they are asked for."""

    def __init__(self, outer: Mapping[Sym, Any], own: Mapping[Sym, Shape] | None = None) -> None:
        self._outer = outer
        self._own: dict[Sym, Shape] = dict(own or {})

    def __setitem__(self, sym: Sym, shape: Shape) -> None:
        self._own[sym] = shape

    def copy(self) -> _Known:
        return _Known(self._outer, self._own)

    def atom(self, atom: Atom) -> Shape:
        if isinstance(atom, Const):
            value = operations.constant(atom, exact=False)
            return Scalar(sizes.literal(int(value)) if atom.scalar == I64 else value)
        return self._own[atom] if atom in self._own else shape_of(self._outer[atom])

    def is_known(self, sym: Sym) -> bool:
        """Whether a name has a value."""
        if sym not in self._own:
            return sym in self._outer
        shape = self._own[sym]
        if isinstance(shape, Scalar):
            return shape.value is not None and (not isinstance(shape.value, Term) or shape.value.constant is not None)
        return isinstance(shape, Filled)

    def value(self, sym: Sym) -> Any:
        """The value of a name that has one."""
        if sym not in self._own:
            return self._outer[sym]
        shape = self._own[sym]
        if isinstance(shape, Filled):
            return shape.elements()
        assert isinstance(shape, Scalar)
        return shape.value.constant if isinstance(shape.value, Term) else shape.value

    def dims(self, array: Sym) -> Dims:
        shape = self.atom(array)
        assert isinstance(shape, tuple)
        return shape

    def scalar(self, atom: Atom) -> Any:
        shape = self.atom(atom)
        assert isinstance(shape, Scalar)
        return shape.value

    def term(self, atom: Atom) -> Term:
        value = self.scalar(atom)
        return value if isinstance(value, Term) else fresh()

    def substituted(self, term: Term) -> Term:
        """A term of the text with what is known of its names."""
        return sizes.substitute(term, {sym: self.term(sym) for sym in term.names()})


NOTHING = Sym("nothing")
"""The size of what a call gives that is still gone through: it agrees with any other."""


def _nothing(typ: Type) -> Shape:
    if typ.rank:
        return tuple(sizes.name(NOTHING) for _ in typ.dims)
    return Scalar(sizes.name(NOTHING) if typ == Type(I64) else None)


def bound_sizes(function: Function, args: Sequence[Shape]) -> _Known:
    """The parameters and sizes of a function that is called."""
    env = _Known({})
    for param, arg in zip(function.params, args, strict=True):
        env[param.name] = arg
        if isinstance(arg, tuple):
            for dim, size in zip(param.type.dims, arg, strict=True):
                alone = dim.name if dim is not None else None
                if alone is not None and alone in function.sizes and alone not in env._own:
                    env[alone] = Scalar(size)
    return env


def joined(a: Shape, b: Shape, condition: Any, typ: Type) -> Shape:
    """What one of two branches gives."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        dims = (_one_of(x, y, condition) for x, y in zip(a, b, strict=True))
        return tuple(fresh() if dim is None else dim for dim in dims)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        if isinstance(a.value, Term) and isinstance(b.value, Term):
            term = _one_of(a.value, b.value, condition)
            return unknown(typ) if term is None else Scalar(term)
        if isinstance(condition, bool) and a.value is not None and b.value is not None:
            return a if condition else b
    return unknown(typ)


def _one_of(a: Term, b: Term, condition: Any) -> Term | None:
    if a == b or NOTHING in b.names():
        return a
    if NOTHING in a.names():
        return b
    if isinstance(condition, bool) and a.constant is not None and b.constant is not None:
        return a if condition else b
    return None


def _same(a: Shape, b: Shape) -> bool:
    """Whether two shapes are one; values of scalars that are not known are."""
    return isinstance(a, Scalar) or a == b


def _is_nothing(shape: Shape) -> bool:
    return isinstance(shape, tuple) and any(NOTHING in dim.names() for dim in shape)


def _vague(shape: Shape, typ: Type) -> Shape:
    return tuple(fresh() for _ in shape) if isinstance(shape, tuple) else unknown(typ)


def _term(op: str, terms: Sequence[Term]) -> Term | None:
    match op, terms:
        case "+", [a, b]:
            return a + b
        case "-", [a, b]:
            return a - b
        case "*", [a, b]:
            return a * b
        case "neg", [a]:
            return -a
        case "min", [a, b]:
            return sizes.minimum(a, b)
        case "max", [a, b]:
            return sizes.maximum(a, b)
        case "//", [a, b] if b.constant is not None and b.constant > 0:
            return a // b.constant
        case _:
            return None


def unknown(typ: Type) -> Shape:
    """A scalar that is not known, or an array of which no dimension is."""
    if typ.rank:
        return tuple(fresh() for _ in typ.dims)
    return Scalar(fresh() if typ.scalar == I64 and typ.scalar is not BOOL else None)


def fresh() -> Term:
    """A size of which nothing is known."""
    return sizes.name(Sym("?"))


def fresh_number() -> int:
    """The number of the latest name."""
    return Sym("?").number
