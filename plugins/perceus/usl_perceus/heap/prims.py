"""Primitive operations on the heap."""

from __future__ import annotations

from usl_perceus import standard
from usl_perceus.heap.crossing import from_standard, to_standard
from usl_perceus.heap.state import State
from usl_perceus.heap.values import Value
from usl_perceus.ir import Prim


def prim(state: State, expr: Prim, args: list[Value], output: list[bytes]) -> Value:
    """The value of a primitive, which owns its arguments except those that it borrows. Indices are in range by now."""
    match expr.op, args:
        case "array_make", (int() as count, x):
            for _ in range(count):
                state.dup(x)
            state.drop(x)
            return state.allocate("array", [x] * count)
        case "array_len", (a,):
            return len(state.cell(a).fields)
        case (("array_get" | "ref_get"), (a, *rest)):
            item = state.cell(a).fields[_index(state, a, rest)]
            state.dup(item)
            return item
        case "array_set", (a, int() as i, x):
            return _array_set(state, a, _index(state, a, [i]), x)
        case "ref_new", (x,):
            return state.allocate("ref", [x])
        case "ref_set", (r, x):
            old, state.cell(r).fields[:] = state.cell(r).fields[0], [x]
            state.drop(old)
            return None
        case "join", (t,):
            (item,) = state.cell(t).fields
            state.dup(item)
            state.drop(t)
            return item
    result = standard.pure_prim(expr, tuple(to_standard(state, arg) for arg in args), output)
    if expr.op == "str_concat":
        for arg in args:
            state.drop(arg)
    return from_standard(state, result)


def _index(state: State, array: Value, rest: list[Value]) -> int:
    i = rest[0] if rest else 0
    assert isinstance(i, int) and 0 <= i < len(state.cell(array).fields)
    return i


def _array_set(state: State, array: Value, i: int, x: Value) -> Value:
    cell = state.cell(array)
    if cell.count > 1:
        for item in cell.fields:
            state.dup(item)
        cell.count -= 1
        array = state.allocate("array", list(cell.fields))
        cell = state.cell(array)
    old, cell.fields[i] = cell.fields[i], x
    state.drop(old)
    return array
