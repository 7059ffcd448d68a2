"""Forms that arrange arrays, in kernels: functions of indices, nothing is copied."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from usl_core import build
from usl_core.ir.nodes import Expr
from usl_core.ir.types import I64
from usl_soac import core
from usl_soac.core import Statement
from usl_soac.kernel_ops import chosen, condition, control, data
from usl_soac.kernel_values import Arr, NotAKernel, Scalar, Value
from usl_soac.lowering import Lowering, known


def index(at: Lowering, expr: core.Index, statement: Statement) -> Sequence[Value]:
    """`x[i, …]`."""
    value: Value = at.array(expr.array)
    for each in expr.indices:
        assert isinstance(value, Arr)
        value = value.row(at.index(at.scalar(each), value.dims[0]))
    return [value]


def _shifted(at: Lowering, array: Arr, first: Expr, step: int, dims: tuple[Any, ...]) -> Arr:
    """Rows first, first + step, … of an array; in bounds as a test before says."""
    room = at.formals.extent(array.dims[0])[1]

    def element(indices: Sequence[Expr]) -> Scalar:
        i, *rest = indices
        place = build.add(first, i if step == 1 else build.mul(step, i))
        if at.clamps:
            place = build.max_(0, build.min_(place, build.sub(room, 1)))
        return array.at((place, *rest))

    return Arr(array.scalar, dims, element, array.is_plain)


def _control(at: Lowering, atom: core.Atom) -> Expr:
    found = control(at.scalar(atom))
    if found is None:
        raise NotAKernel("a place in an array depends on data")
    return found


def slice_(at: Lowering, expr: core.Slice, statement: Statement) -> Sequence[Value]:
    """`x[lo:hi:step]`."""
    array, (param,) = at.array(expr.array), statement.pattern
    at.rounds(array.dims[0])
    first = _control(at, expr.lo) if expr.step > 0 else build.sub(_control(at, expr.hi), 1)
    return [_shifted(at, array, first, expr.step, at.dims(param.type))]


def split(at: Lowering, expr: core.Split, statement: Statement) -> Sequence[Value]:
    """`split(x, k)`."""
    array = at.array(expr.array)
    at.rounds(array.dims[0])
    firsts = (build.literal(0), _control(at, expr.at))
    return [_shifted(at, array, first, 1, at.dims(param.type)) for first, param in zip(firsts, statement.pattern, strict=True)]


def iota(at: Lowering, expr: core.Iota, statement: Statement) -> Sequence[Value]:
    """`iota(n)`."""
    (param,) = statement.pattern

    def element(indices: Sequence[Expr]) -> Scalar:
        number = Scalar(I64, control=indices[0])
        return number if expr.scalar == I64 else Scalar(expr.scalar, build.cast(expr.scalar, indices[0]))

    return [Arr(expr.scalar, at.dims(param.type), element)]


def replicate(at: Lowering, expr: core.Replicate, statement: Statement) -> Sequence[Value]:
    """`replicate(n, value)`."""
    (param,) = statement.pattern
    value = at.value(expr.value)
    if not value.is_plain:
        value = at.kept(param.name.name, value)
    if isinstance(value, Arr):
        array = value
        return [Arr(array.scalar, at.dims(param.type), lambda indices: array.at(indices[1:]))]
    scalar = value
    return [Arr(scalar.type, at.dims(param.type), lambda indices: scalar)]


def rearrange(at: Lowering, expr: core.Rearrange, statement: Statement) -> Sequence[Value]:
    """`rearrange(x, order)`: dimension d of the result is dimension order[d]."""
    array = at.array(expr.array)

    def element(indices: Sequence[Expr]) -> Scalar:
        places = list(indices)
        for d, of in enumerate(expr.order):
            places[of] = indices[d]
        return array.at(places)

    return [Arr(array.scalar, tuple(array.dims[d] for d in expr.order), element, array.is_plain)]


def rotate(at: Lowering, expr: core.Rotate, statement: Statement) -> Sequence[Value]:
    """`rotate(x, by)`: `by` is taken modulo the size first, so that the sum does not wrap around."""
    array, by = at.array(expr.array), data(at.scalar(expr.by))
    size, room = build.cast(I64, at.rounds(array.dims[0])), at.formals.extent(array.dims[0])[1]

    def element(indices: Sequence[Expr]) -> Scalar:
        i, *rest = indices
        place = build.mod(build.add(build.mod(by, size), build.cast(I64, i)), size)
        return array.at((build.idx(place, 0, room), *rest))

    return [Arr(array.scalar, array.dims, element, array.is_plain)]


def coerce(at: Lowering, expr: core.Coerce, statement: Statement) -> Sequence[Value]:
    """The array under other names of its sizes, which tests before have compared."""
    if not statement.certs:
        raise NotAKernel("a test is made inside")
    array, (param,) = at.array(expr.array), statement.pattern
    return [Arr(array.scalar, at.dims(param.type), array.at, array.is_plain)]


def reshape(at: Lowering, expr: core.Reshape, statement: Statement) -> Sequence[Value]:
    """Only where the sizes stay as they are."""
    array, (param,) = at.array(expr.array), statement.pattern
    if tuple(map(at.term, known(param.type))) != array.dims:
        raise NotAKernel("an array is reshaped")
    return [array]


def count(at: Lowering, expr: core.Count, statement: Statement) -> Sequence[Value]:
    """How many flags are set."""
    flags, total = at.array(expr.flags), at.local("kept", I64)
    at.b.assign(total.buffer, (), build.literal(0, I64))
    one, none = (build.literal(each, I64) for each in (1, 0))
    with at.loop(flags.dims[0]) as i:
        flag = flags.row(i)
        assert isinstance(flag, Scalar)
        either = chosen(condition(flag), one, none)
        if either is not None:
            at.b.reduce(total.buffer, (), either)
        else:
            with at.b.if_(condition(flag)):
                at.b.reduce(total.buffer, (), one)
    return [Scalar(I64, build.read(total.buffer))]


ARRANGED: Mapping[type[object], Callable[[Lowering, Any, Statement], Sequence[Value]]] = {
    core.Index: index,
    core.Slice: slice_,
    core.Split: split,
    core.Iota: iota,
    core.Replicate: replicate,
    core.Rearrange: rearrange,
    core.Coerce: coerce,
    core.Reshape: reshape,
    core.Rotate: rotate,
    core.Count: count,
}
