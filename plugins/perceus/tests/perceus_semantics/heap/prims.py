"""Primitive operations on the heap."""

from __future__ import annotations

from perceus_semantics import standard
from perceus_semantics.heap.crossing import from_standard, to_standard
from perceus_semantics.heap.state import State
from perceus_semantics.heap.values import Value
from usl_perceus.ir import Prim


def prim(state: State, expr: Prim, args: list[Value], output: list[bytes]) -> Value:
    """The value of a primitive, which owns its arguments except those that it borrows. Indices are in range by now."""
    match expr.op, args:
        case "retype", (x,):
            return x
        case "array_make", (int() as count, x):
            for _ in range(count):
                state.dup(x)
            state.drop(x)
            return state.allocate("array", [x] * count)
        case "array_blank", (int() as count,):
            return state.allocate("array", [0] * count)
        case "array_len", (a,):
            return len(state.cell(a).fields)
        case (("array_get" | "ref_get"), (a, *rest)):
            item = state.cell(a).fields[_index(state, a, rest)]
            state.dup(item)
            return item
        case "array_set", (a, int() as i, x):
            return _array_set(state, a, _index(state, a, [i]), x)
        case "array_empty", ():
            state.stats.allocated -= 1  # it is static
            return state.allocate("array", [])
        case "array_own", (a,):
            return _own(state, a)
        case (("array_swap" | "ref_swap"), (a, *rest, x)):
            fields, i = state.cell(a).fields, _index(state, a, rest)
            old, fields[i] = fields[i], x
            return old
        case "array_take", (a, int() as i):
            fields = state.cell(a).fields
            old, fields[_index(state, a, [i])] = fields[i], None
            return old
        case "array_put", (a, int() as i, x):
            assert state.cell(a).count == 1 and state.cell(a).fields[i] is None
            state.cell(a).fields[_index(state, a, [i])] = x
            return a
        case "array_cut", (a,):
            assert state.cell(a).count == 1 and state.cell(a).fields.pop() is None
            return a
        case "array_front", (a, int() as n):
            assert 0 <= n <= len(state.cell(a).fields)
            a = _own(state, a)
            fields = state.cell(a).fields
            gone, fields[n:] = fields[n:], []
            for item in gone:
                state.drop(item)
            return a
        case "array_append", (a, x):
            array = _own(state, a)
            state.cell(array).fields.append(x)
            return array
        case "array_vacate", (a, int() as i):
            a = _own(state, a)
            fields = state.cell(a).fields
            old, fields[i] = fields[i], None
            state.drop(old)
            return a
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


def _own(state: State, array: Value) -> Value:
    """The array, or a copy if it is shared."""
    cell = state.cell(array)
    if cell.count == 1:
        return array
    for item in cell.fields:
        state.dup(item)
    cell.count -= 1
    return state.allocate("array", list(cell.fields))


def _array_set(state: State, array: Value, i: int, x: Value) -> Value:
    array = _own(state, array)
    cell = state.cell(array)
    old, cell.fields[i] = cell.fields[i], x
    state.drop(old)
    return array
