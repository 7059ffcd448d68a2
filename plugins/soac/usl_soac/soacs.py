"""map, reduce, scan, filter, reduce_by_index: how their functions are called, their types, and the core that they become."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from usl_core.errors import Span
from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.arithmetic import describe, number
from usl_soac.arrays import array, elements, places_of, scalar_or_array
from usl_soac.core import Lambda, Param, Type
from usl_soac.scalars import BOOL
from usl_soac.text import ill_typed
from usl_soac.values import Block, Num, Temporary, Tup, Val, Value, known, leaves, rebuild

Call = Callable[[Sequence[Value], Block], Value]
"""Calls the function argument, whose arity `arity` tells."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A function as an argument; arity None is any."""

    call: Call
    arity: int | None
    name: str


def soac_map(function: Argument, arrays: Sequence[Value], block: Block, span: Span) -> Value:
    """`map(f, x, …)`"""
    names = _arrays("map", arrays, span)
    _arity(function, len(arrays), span)
    inner = Block()
    params, values = _elements(arrays, span)
    result = function.call(values, inner)
    parts = [scalar_or_array(each, "the result of a function in map", span) for each in leaves(result)]
    body = Lambda(params, inner.body(parts, span), span=span)
    types = [known(part.type.rank + 1, part.type.scalar) for part in parts]
    made = block.emit(core.Map(body, names, span=span), types, span)
    return rebuild(result, iter(made))


def soac_filter(function: Argument, arrays: Sequence[Value], block: Block, span: Span) -> Value:
    """`filter(p, x, …)`"""
    names = _arrays("filter", arrays, span)
    _arity(function, len(arrays), span)
    inner = Block()
    params, values = _elements(arrays, span)
    result = function.call(values, inner)
    if not isinstance(result, Val) or result.type != Type(BOOL):
        raise ill_typed(f"filter: {function.name} gives {describe(result)}, but a truth value is needed", span)
    body = Lambda(params, inner.body([result], span), span=span)
    types = [elements(each.type, 0) for value in arrays for each in leaves(value) if isinstance(each, Val)]
    made = iter(block.emit(core.Filter(body, names, span=span), types, span))
    rows = [rebuild(value, made) for value in arrays]
    return rows[0] if len(rows) == 1 else Tup(tuple(rows))


def soac_reduce(
    function: Argument, neutral: Value, arrays: Sequence[Value], block: Block, span: Span, *, commutative: bool = False
) -> Value:
    """`reduce(op, ne, x, …)`"""
    names = _arrays("reduce", arrays, span)
    starts, body = _operator("reduce", function, neutral, arrays, span)
    types = [elements(start.type, 0) for start in starts]
    atoms = tuple(each.atom for each in starts)
    made = block.emit(core.Reduce(body, atoms, names, commutative, span=span), types, span)
    return rebuild(neutral, iter(made))


def soac_scan(function: Argument, neutral: Value, arrays: Sequence[Value], block: Block, span: Span) -> Value:
    """`scan(op, ne, x, …)`"""
    names = _arrays("scan", arrays, span)
    starts, body = _operator("scan", function, neutral, arrays, span)
    types = [known(start.type.rank + 1, start.type.scalar) for start in starts]
    atoms = tuple(each.atom for each in starts)
    made = block.emit(core.Scan(body, atoms, names, span=span), types, span)
    return rebuild(neutral, iter(made))


def soac_hist(
    function: Argument, target: Value, neutral: Value, places: Value, values: Value, block: Block, span: Span
) -> Value:
    """`reduce_by_index(x, op, ne, is, vs)`"""
    what = "reduce_by_index"
    indices = places_of(places, what, span)
    names = _arrays(what, [target], span)
    given = _arrays(what, [values], span)
    starts, body = _operator(what, function, neutral, [values], span)
    for leaf, start in zip(leaves(target), starts, strict=False):
        _, typ = array(leaf, what, span)
        if elements(typ) != elements(start.type, 0):
            raise ill_typed(f"{what}: {describe(start)} is no element of {describe(leaf)}", span)
    if len(names) != len(starts):
        raise ill_typed(f"{what}: {describe(neutral)} is no element of {describe(target)}", span)
    types = [elements(each.type, 0) for each in leaves(target) if isinstance(each, Val)]
    atoms = tuple(each.atom for each in starts)
    made = block.emit(core.Hist(body, names, atoms, indices, given, span=span), types, span)
    return rebuild(target, iter(made))


# ---- helpers


def _arrays(what: str, values: Sequence[Value], span: Span) -> tuple[Sym, ...]:
    names = tuple(array(leaf, what, span)[0] for value in values for leaf in leaves(value))
    if not names:
        raise ill_typed(f"{what} needs at least one array", span)
    return names


def _arity(function: Argument, given: int, span: Span) -> None:
    if function.arity is not None and function.arity != given:
        raise ill_typed(f"{function.name} takes {function.arity} arguments, but would get {given}", span)


def _elements(arrays: Sequence[Value], span: Span) -> tuple[tuple[Param, ...], list[Value]]:
    """Parameters for one element of each array, and the values that the function gets."""
    params: list[Param] = []

    def fresh(value: Value) -> Iterator[Val]:
        for leaf in leaves(value):
            if isinstance(leaf, Val):
                params.append(Param(Temporary("t"), elements(leaf.type), span=span))
                yield Val(params[-1].name, params[-1].type)

    values = [rebuild(value, fresh(value)) for value in arrays]
    return tuple(params), values


def _operator(what: str, function: Argument, neutral: Value, arrays: Sequence[Value], span: Span) -> tuple[list[Val], Lambda]:
    """The neutral elements, typed, and the operator: all left sides, then all right sides."""
    single = len(arrays) == 1
    rows = arrays[0] if single else Tup(tuple(arrays))
    types = [elements(leaf.type) for leaf in leaves(rows) if isinstance(leaf, Val)]
    given = list(leaves(neutral))
    if len(given) != len(types):
        raise ill_typed(f"{what}: the neutral element is {describe(neutral)}, an element has {len(types)} components", span)
    starts = []
    for each, typ in zip(given, types, strict=True):
        start = number(each, typ.scalar, span) if isinstance(each, Num) else scalar_or_array(each, what, span)
        if start.type != typ:
            needed = describe(Val(Sym("x"), typ))
            raise ill_typed(f"{what}: the neutral element is {describe(each)}, the elements are {needed}", span)
        starts.append(start)
    inner = Block()
    left, left_values = _elements([rows], span)
    right, right_values = _elements([rows], span)
    pair = [*left_values, *right_values]
    flat = [Val(each.name, each.type) for each in (*left, *right)]
    if function.arity in (None, 2):
        result = function.call(pair, inner)
    else:
        _arity(function, len(flat), span)
        result = function.call(flat, inner)
    parts = list(leaves(result))
    if len(parts) != len(starts):
        raise ill_typed(f"{what}: {function.name} gives {describe(result)}, an element has {len(types)} components", span)
    results = []
    for part, start in zip(parts, starts, strict=True):
        found = number(part, start.type.scalar, span) if isinstance(part, Num) else part
        if not isinstance(found, Val) or found.type != start.type:
            needed = describe(start)
            raise ill_typed(f"{what}: {function.name} gives {describe(part)}, but {needed} is needed", span)
        results.append(found)
    return starts, Lambda((*left, *right), inner.body(results, span), span=span)
