"""map, reduce, scan, filter and reduce_by_index as loops of outer code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from usl_core.errors import Span
from usl_soac import core, failures
from usl_soac.constants import zero
from usl_soac.core import Atom, Body, Const, Lambda, Param
from usl_soac.outer_arrays import chosen, own_copy
from usl_soac.outer_frame import Frame, Value
from usl_soac.views import View, place, times

Bodies = Callable[[Body, Frame], list[Value]]
"""Writes the statements of a body."""


@contextmanager
def rounds(frame: Frame, count: str) -> Iterator[str]:
    """A loop; gives its index. What the round computes is not known behind it."""
    i = frame.fresh("i")
    with frame.loop(f"for {i} in range({count})"):
        yield i


def applied(function: Lambda, args: Sequence[Value], frame: Frame, body: Bodies) -> list[Value]:
    """The results of a function."""
    for param, arg in zip(function.params, args, strict=True):
        frame.bind(param, arg)
    return body(function.body, frame)


def map_(expr: core.Map, pattern: Sequence[Param], frame: Frame, body: Bodies) -> Sequence[Value]:
    """`map(f, x, …)`."""
    views = [frame.view(each) for each in expr.arrays]
    count = views[0].dims[0]
    if expr.sizes:
        return _regular(expr, pattern, views, frame, body)
    results = [frame.made(param.name.name, param.type.scalar, _dims(param, frame)) for param in pattern]
    with rounds(frame, count) as i:
        values = applied(expr.function, [chosen(view, [i], frame) for view in views], frame, body)
        for result, value in zip(results, values, strict=True):
            _store(result, [i], value, frame)
    return results


def _regular(expr: core.Map, pattern: Sequence[Param], views: Sequence[View], frame: Frame, body: Bodies) -> Sequence[Value]:
    """A map whose first element gives the sizes of all."""
    sizes, arrays = pattern[: expr.sizes], pattern[expr.sizes :]
    lengths = [frame.fresh(param.name.name) for param in sizes]
    bases = [frame.fresh(param.name.name) for param in arrays]
    for length in lengths:
        frame.line(f"{length} = 0")
    for base, param in zip(bases, arrays, strict=True):
        frame.line(f"{base} = array(0, {zero(param.type.scalar)})")
    for param, length in zip(sizes, lengths, strict=True):
        frame.bind(param, length)
    with rounds(frame, views[0].dims[0]) as i:
        values = applied(expr.function, [chosen(view, [i], frame) for view in views], frame, body)
        found, rows = [str(each) for each in values[: expr.sizes]], values[expr.sizes :]
        with frame.block(f"if {i} == 0"):
            for length, size in zip(lengths, found, strict=True):
                frame.line(f"{length} = {size}")
            for base, param in zip(bases, arrays, strict=True):
                count = frame.let("count", times(*_dims(param, frame)))
                frame.line(f"{base} = array({count}, {zero(param.type.scalar)})")
        _require_alike(arrays, rows, i, frame, expr.span)
        for base, param, value in zip(bases, arrays, rows, strict=True):
            _store(frame.array(base, param.type), [i], value, frame)
    return [*lengths, *(frame.array(base, param.type) for base, param in zip(bases, arrays, strict=True))]


def _require_alike(arrays: Sequence[Param], rows: Sequence[Value], i: str, frame: Frame, span: Span) -> None:
    """All elements have the sizes that the first one gave."""
    for param, row in zip(arrays, rows, strict=True):
        if isinstance(row, View) and row.rank and frame.module.checked:
            first = _dims(param, frame)[1:]
            differ = " or ".join(f"{a} != {b}" for a, b in zip(row.dims, first, strict=True))
            with frame.block(f"if {differ}"):
                site = failures.irregular(param.type.scalar, row.rank, span)
                frame.raises(frame.module.site(site), [i, *row.dims, *first])


def _dims(param: Param, frame: Frame) -> list[str]:
    return [frame.term(dim) for dim in param.type.dims if dim is not None]


def _starts(neutral: Sequence[Atom], frame: Frame) -> list[Value]:
    return [frame.named("acc", frame.scalar(each) if isinstance(each, Const) else frame.value(each)) for each in neutral]


def reduce(expr: core.Reduce, pattern: Sequence[Param], frame: Frame, body: Bodies) -> Sequence[Value]:
    """`reduce(op, ne, x, …)`, from the left."""
    views = [frame.view(each) for each in expr.arrays]
    totals = _starts(expr.neutral, frame)
    with rounds(frame, views[0].dims[0]) as i:
        rows = [chosen(view, [i], frame) for view in views]
        frame.assign(totals, applied(expr.op, [*map(frame.current, totals), *rows], frame, body))
    return [frame.current(total) for total in totals]


def scan(expr: core.Scan, pattern: Sequence[Param], frame: Frame, body: Bodies) -> Sequence[Value]:
    """`scan(op, ne, x, …)`."""
    views = [frame.view(each) for each in expr.arrays]
    count = views[0].dims[0]
    totals = _starts(expr.neutral, frame)
    made = [
        frame.made(param.name.name, param.type.scalar, [count, *(total.dims if isinstance(total, View) else ())])
        for param, total in zip(pattern, totals, strict=True)
    ]
    with rounds(frame, count) as i:
        rows = [chosen(view, [i], frame) for view in views]
        frame.assign(totals, applied(expr.op, [*map(frame.current, totals), *rows], frame, body))
        for array, total in zip(made, totals, strict=True):
            _store(array, [i], total, frame)
    return made


def _store(array: View, indices: Sequence[str], value: Value, frame: Frame) -> None:
    at = place(array, indices)
    if isinstance(value, str):
        frame.store(array.base, array.scalar, at, value)
    else:
        frame.copy_into(array.base, frame.let("at", at), frame.whole(value))


def filter_(expr: core.Filter, pattern: Sequence[Param], frame: Frame, body: Bodies) -> Sequence[Value]:
    """`filter(p, x, …)`: written into arrays that have room for all, which are cut off behind what was written."""
    views = [frame.view(each) for each in expr.arrays]
    kept = frame.fresh("kept")
    frame.line(f"{kept} = 0")
    room = [frame.made("kept", view.scalar, view.dims) for view in views]
    with rounds(frame, views[0].dims[0]) as i:
        rows = [chosen(view, [i], frame) for view in views]
        (holds,) = applied(expr.predicate, rows, frame, body)
        with frame.block(f"if {holds}"):
            for array, value in zip(room, rows, strict=True):
                _store(array, [kept], value, frame)
            frame.line(f"{kept} = {kept} + 1")
    count = frame.let("count", f"{kept} + 0")
    sizes: list[Value] = [count] * (len(pattern) - len(room))
    return [*sizes, *(frame.front(replace(array, dims=(count, *array.dims[1:]))) for array in room)]


def count(expr: core.Count, pattern: Sequence[Param], frame: Frame, body: Bodies) -> Sequence[Value]:
    """How many flags are set."""
    flags, kept = frame.view(expr.flags), frame.fresh("kept")
    frame.line(f"{kept} = 0")
    with rounds(frame, flags.dims[0]) as i, frame.block(f"if {frame.element(flags, [i])}"):
        frame.line(f"{kept} = {kept} + 1")
    return [frame.let("count", f"{kept} + 0")]


def compress(expr: core.Compress, pattern: Sequence[Param], frame: Frame, body: Bodies) -> Sequence[Value]:
    """The rows whose flags are set, in arrays that have room for these alone."""
    flags, views = frame.view(expr.flags), [frame.view(each) for each in expr.arrays]
    results = [frame.made(param.name.name, param.type.scalar, _dims(param, frame)) for param in pattern]
    done = frame.fresh("done")
    frame.line(f"{done} = 0")
    with rounds(frame, flags.dims[0]) as i, frame.block(f"if {frame.element(flags, [i])}"):
        for result, view in zip(results, views, strict=True):
            _store(result, [done], chosen(view, [i], frame), frame)
        frame.line(f"{done} = {done} + 1")
    return results


def hist(expr: core.Hist, pattern: Sequence[Param], frame: Frame, body: Bodies) -> Sequence[Value]:
    """`reduce_by_index(x, op, ne, is, vs)`: out of range is ignored."""
    made = [own_copy(frame.view(each), frame) for each in expr.arrays]
    indices, values = frame.view(expr.indices), [frame.view(each) for each in expr.values]
    with rounds(frame, indices.dims[0]) as i:
        to = frame.let("to", f"i64({frame.element(indices, [i])})")
        with frame.block(f"if 0 <= {to} and {to} < {made[0].dims[0]}"):
            old = [chosen(array, [to], frame) for array in made]
            new = [chosen(view, [i], frame) for view in values]
            for array, value in zip(made, applied(expr.op, [*old, *new], frame, body), strict=True):
                _store(array, [to], value, frame)
    return made


SOACS: Mapping[type[object], Callable[[Any, Sequence[Param], Frame, Bodies], Sequence[Value]]] = {
    core.Map: map_,
    core.Reduce: reduce,
    core.Scan: scan,
    core.Filter: filter_,
    core.Count: count,
    core.Compress: compress,
    core.Hist: hist,
}
