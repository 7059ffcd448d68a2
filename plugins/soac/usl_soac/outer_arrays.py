"""The forms of the core that arrange arrays, in outer code: most make another view and copy nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from usl_soac import core
from usl_soac.core import Atom
from usl_soac.outer_frame import Frame, Value
from usl_soac.scalars import BOOL
from usl_soac.views import View, place, plus, rearranged, row, times


def index(expr: core.Index, frame: Frame) -> Sequence[Value]:
    """`x[i, …]`."""
    view = frame.view(expr.array)
    return [chosen(view, [frame.scalar(i) for i in expr.indices], frame)]


def chosen(view: View, indices: Sequence[str], frame: Frame) -> Value:
    """The element or the row at some indices."""
    if len(indices) == view.rank:
        return frame.let("x", frame.element(view, indices))
    return row(view, frame.let("at", place(view, indices)), len(indices))


def slice_(expr: core.Slice, frame: Frame) -> Sequence[Value]:
    """`x[lo:hi:step]`."""
    view, lo, hi = frame.view(expr.array), frame.scalar(expr.lo), frame.scalar(expr.hi)
    step = abs(expr.step)
    count = f"{hi} - {lo}" if step == 1 else f"({hi} - {lo} + {step - 1}) // {step}"
    first = lo if expr.step > 0 else frame.let("last", f"{hi} - 1")
    stride = view.strides[0] if expr.step == 1 else frame.let("stride", times(f"({expr.step})", view.strides[0]))
    return [
        replace(
            view,
            dims=(frame.let("n", count), *view.dims[1:]),
            strides=(stride, *view.strides[1:]),
            offset=frame.let("at", place(view, [first])),
            whole=False,
            dense=view.dense and expr.step == 1,
        )
    ]


def iota(expr: core.Iota, frame: Frame) -> Sequence[Value]:
    """`iota(n)`."""
    made = frame.made("iota", expr.scalar, [frame.scalar(expr.count)])
    i = frame.fresh("i")
    with frame.block(f"for {i} in range({made.dims[0]})"):
        frame.line(f"{made.base} = {made.base}.set({i}, {expr.scalar.name}({i}))")
    return [made]


def replicate(expr: core.Replicate, frame: Frame) -> Sequence[Value]:
    """`replicate(n, value)`: of an array a view whose rows are all the same."""
    count = frame.scalar(expr.count)
    value = frame.value(expr.value) if not isinstance(expr.value, core.Const) else frame.scalar(expr.value)
    if isinstance(value, View):
        return [replace(value, dims=(count, *value.dims), strides=("0", *value.strides), whole=False, dense=False)]
    scalar = expr.value.scalar if isinstance(expr.value, core.Const) else frame.types[expr.value].scalar
    base = frame.fresh("full")
    element = f"u8({value})" if scalar is BOOL else value
    frame.line(f"{base} = array({count}, {element})")
    return [View(base, scalar, (count,), ("1",))]


def concat(expr: core.Concat, frame: Frame) -> Sequence[Value]:
    """`concat(x, …)`."""
    views = [frame.view(each) for each in expr.arrays]
    total = frame.let("n", plus(*(view.dims[0] for view in views)))
    made = frame.made("joined", views[0].scalar, [total, *views[0].dims[1:]])
    at = "0"
    for view in views:
        frame.copy_into(made.base, times(at, made.strides[0]), view)
        at = frame.let("at", plus(at, view.dims[0]))
    return [made]


def split(expr: core.Split, frame: Frame) -> Sequence[Value]:
    """`split(x, k)`."""
    view, at = frame.view(expr.array), frame.scalar(expr.at)
    rest = frame.let("n", f"{view.dims[0]} - {at}")
    start = frame.let("at", place(view, [at]))
    return [
        replace(view, dims=(at, *view.dims[1:]), whole=False),
        replace(view, dims=(rest, *view.dims[1:]), offset=start, whole=False),
    ]


def rearrange(expr: core.Rearrange, frame: Frame) -> Sequence[Value]:
    """`rearrange(x, order)`."""
    return [rearranged(frame.view(expr.array), expr.order)]


def reshape(expr: core.Reshape, frame: Frame) -> Sequence[Value]:
    """`reshape(x, dims)`: the same elements in the same order."""
    view = frame.view(expr.array)
    if not view.dense:
        view = frame.whole(view)
    dims = tuple(frame.scalar(dim) for dim in expr.dims)
    return [replace(view, dims=dims, strides=frame.row_strides(dims))]


def rotate(expr: core.Rotate, frame: Frame) -> Sequence[Value]:
    """`rotate(x, by)`: two parts, after each other."""
    view, by = frame.view(expr.array), frame.scalar(expr.by)
    made = frame.made("rotated", view.scalar, view.dims)
    with frame.block(f"if {view.dims[0]} > 0"):
        start = frame.let("start", f"{by} % {view.dims[0]}")
        first = frame.let("n", f"{view.dims[0]} - {start}")
        moved = replace(view, dims=(first, *view.dims[1:]), offset=frame.let("at", place(view, [start])), whole=False)
        frame.copy_into(made.base, "0", moved)
        wrapped = replace(view, dims=(start, *view.dims[1:]), whole=False)
        frame.copy_into(made.base, times(first, made.strides[0]), wrapped)
    return [made]


def update(expr: core.Update, frame: Frame) -> Sequence[Value]:
    """`x.set(i, v)`: in place where nobody else holds x."""
    made = own_copy(frame.view(expr.array), frame)
    at = place(made, [frame.scalar(i) for i in expr.indices])
    write_at(made, at, expr.value, frame)
    return [made]


def own_copy(view: View, frame: Frame) -> View:
    """The array under a name of its own, which may be assigned."""
    array = frame.whole(view)
    base = frame.fresh("set")
    frame.line(f"{base} = {array.base}")
    return replace(array, base=base)


def write_at(array: View, at: str, value: Atom, frame: Frame) -> None:
    """Writes an element or a row, from a place of the flat array on."""
    found = frame.scalar(value) if isinstance(value, core.Const) else frame.value(value)
    if isinstance(found, str):
        frame.store(array.base, array.scalar, at, found)
    else:
        frame.copy_into(array.base, frame.let("at", at), found)


def scatter(expr: core.Scatter, frame: Frame) -> Sequence[Value]:
    """`scatter(x, is, vs)`: out of range is ignored."""
    made = own_copy(frame.view(expr.array), frame)
    indices, values = frame.view(expr.indices), frame.view(expr.values)
    i = frame.fresh("i")
    with frame.block(f"for {i} in range({indices.dims[0]})"):
        to = frame.let("to", f"i64({frame.element(indices, [i])})")
        with frame.block(f"if 0 <= {to} and {to} < {made.dims[0]}"):
            item = chosen(values, [i], frame)
            if isinstance(item, str):
                frame.store(made.base, made.scalar, place(made, [to]), item)
            else:
                frame.copy_into(made.base, frame.let("at", place(made, [to])), item)
    return [made]


ARRAY_FORMS: Mapping[type[object], Callable[[Any, Frame], Sequence[Value]]] = {
    core.Index: index,
    core.Slice: slice_,
    core.Iota: iota,
    core.Replicate: replicate,
    core.Concat: concat,
    core.Split: split,
    core.Rearrange: rearrange,
    core.Reshape: reshape,
    core.Rotate: rotate,
    core.Update: update,
    core.Scatter: scatter,
}
