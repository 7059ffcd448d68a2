"""Functions that make arrays of arrays: their types, and the core that they become."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from usl_core.errors import Span
from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType
from usl_soac import core
from usl_soac.arithmetic import describe, number
from usl_soac.core import Atom, Const, Type
from usl_soac.scalars import I64
from usl_soac.text import ill_typed, refuse
from usl_soac.values import Block, Num, Tup, Val, Value, known, rebuild, typed
from usl_soac.values import leaves as leaves_of


def array(value: Value, what: str, span: Span) -> tuple[Sym, Type]:
    """The name and type of an array.

    Raises:
        SoacError: it is none.
    """
    if isinstance(value, Val) and value.type.rank and isinstance(value.atom, Sym):
        return value.atom, value.type
    raise ill_typed(f"{what} is for an array, not for {describe(value)}", span)


def count(value: Value, what: str, span: Span) -> Atom:
    """A size or index.

    Raises:
        SoacError: it is no i64.
    """
    if isinstance(value, Num):
        return number(value, I64, span).atom
    if isinstance(value, Val) and value.type == Type(I64):
        return value.atom
    raise ill_typed(f"{what} is an i64, not {describe(value)}", span, "hint: i64(…) converts")


def each_array(value: Value, function: Callable[[Val], Val], what: str, span: Span) -> Value:
    """A function of one array, on each of a tuple."""
    for leaf in leaves_of(value):
        array(leaf, what, span)
    return rebuild(value, iter([function(leaf) for leaf in leaves_of(value) if isinstance(leaf, Val)]))


def elements(typ: Type, by: int = 1) -> Type:
    """The type of an element, or of what several indices choose."""
    return known(typ.rank - by, typ.scalar)


# ---- creation


def iota(size: Value, scalar: ScalarType, block: Block, span: Span) -> Val:
    """`iota(n)`"""
    return block.one(core.Iota(count(size, "the size of iota", span), scalar, span=span), known(1, scalar), span)


def replicate(size: Value, value: Value, block: Block, span: Span) -> Value:
    """`replicate(n, x)`"""
    times = count(size, "the size of replicate", span)

    def one(part: Val) -> Val:
        made = core.Replicate(times, part.atom, span=span)
        return block.one(made, known(part.type.rank + 1, part.type.scalar), span)

    return rebuild(value, iter([one(scalar_or_array(part, "replicate", span)) for part in leaves_of(value)]))


def scalar_or_array(value: Value, what: str, span: Span) -> Val:
    """A value of the core; a number gets its own type.

    Raises:
        SoacError: it is a function or a tuple.
    """
    if isinstance(value, Num):
        return typed(value)
    if isinstance(value, Val):
        return value
    raise ill_typed(f"{what} is for numbers and arrays, not for {describe(value)}", span)


# ---- structure


def concat(values: Sequence[Value], block: Block, span: Span) -> Value:
    """`concat(x, y, …)`"""
    if not values:
        raise ill_typed("concat needs at least one array", span)
    columns = [list(leaves_of(value)) for value in values]
    if len({len(column) for column in columns}) > 1:
        raise ill_typed("concat is for arrays of the same type", span)

    def joined(parts: Sequence[Value]) -> Val:
        found = [array(part, "concat", span) for part in parts]
        first = found[0][1]
        for _, other in found[1:]:
            if (other.scalar, other.rank) != (first.scalar, first.rank):
                shown = " and ".join(map(describe, parts))
                raise ill_typed(f"concat is for arrays of the same type, not for {shown}", span)
        return block.one(core.Concat(tuple(name for name, _ in found), span=span), elements(first, 0), span)

    return rebuild(values[0], iter([joined(parts) for parts in zip(*columns, strict=True)]))


def split(value: Value, at: Value, block: Block, span: Span) -> Value:
    """`split(x, k)`: a pair."""
    where = count(at, "where split cuts", span)
    pairs = []
    for leaf in leaves_of(value):
        name, typ = array(leaf, "split", span)
        pairs.append(block.emit(core.Split(name, where, span=span), (elements(typ, 0),) * 2, span))
    return Tup(tuple(rebuild(value, iter([pair[side] for pair in pairs])) for side in range(2)))


def rotate(value: Value, by: Value, block: Block, span: Span) -> Value:
    """`rotate(x, k)`"""
    steps = count(by, "the number of steps of rotate", span)

    def one(part: Val) -> Val:
        name, typ = array(part, "rotate", span)
        return block.one(core.Rotate(name, steps, span=span), elements(typ, 0), span)

    return each_array(value, one, "rotate", span)


def rearrange(value: Value, order: Sequence[int], block: Block, span: Span, what: str = "rearrange") -> Val:
    """`rearrange(x, order)`"""
    name, typ = array(value, what, span)
    if sorted(order) != list(range(typ.rank)):
        expected = ", ".join(map(str, range(typ.rank)))
        raise ill_typed(f"{what}: {tuple(order)} is no order of the dimensions {expected}", span)
    if list(order) == list(range(typ.rank)):
        return Val(name, typ)
    return block.one(core.Rearrange(name, tuple(order), span=span), elements(typ, 0), span)


def transpose(value: Value, block: Block, span: Span) -> Val:
    """`transpose(x)`: the first two dimensions exchanged."""
    _, typ = array(value, "transpose", span)
    if typ.rank < 2:
        raise ill_typed(f"transpose is for two dimensions or more, not for {describe(value)}", span)
    return rearrange(value, (1, 0, *range(2, typ.rank)), block, span)


def reshape(value: Value, dims: Sequence[Value], block: Block, span: Span) -> Value:
    """`reshape(x, (a, b))`"""
    shape = tuple(count(dim, "a size in reshape", span) for dim in dims)
    if not shape:
        raise ill_typed("reshape needs at least one size", span)

    def one(part: Val) -> Val:
        name, typ = array(part, "reshape", span)
        return block.one(core.Reshape(name, shape, span=span), known(len(shape), typ.scalar), span)

    return each_array(value, one, "reshape", span)


def flatten(value: Value, block: Block, span: Span) -> Value:
    """`flatten(x)`: all elements in one dimension."""

    def one(part: Val) -> Val:
        name, typ = array(part, "flatten", span)
        product: Atom = Const(1, I64)
        for dim in range(typ.rank):
            size_of = block.one(core.Size(name, dim, span=span), Type(I64), span, hint="n").atom
            product = (
                size_of
                if dim == 0
                else block.one(core.Op("*", (product, size_of), I64, span=span), Type(I64), span, hint="n").atom
            )
        return block.one(core.Reshape(name, (product,), span=span), known(1, typ.scalar), span)

    return each_array(value, one, "flatten", span)


def size(value: Value, dim: int, block: Block, span: Span) -> Val:
    """`len(x)`, `shape(x, d)`; of an array of tuples that of its first component."""
    first = next(leaves_of(value), value)
    name, typ = array(first, "len" if dim == 0 else "shape", span)
    if not 0 <= dim < typ.rank:
        raise ill_typed(f"shape: {describe(first)} has the dimensions 0 to {typ.rank - 1}, not {dim}", span)
    return block.one(core.Size(name, dim, span=span), Type(I64), span, hint="n")


# ---- parts


@dataclass(frozen=True, slots=True)
class Range:
    """`lo:hi:step`; None is where the array begins or ends."""

    lo: Value | None
    hi: Value | None
    step: int


def choose(value: Value, items: Sequence[Value | Range], block: Block, span: Span) -> Value:
    """`x[i, lo:hi, …]`: indices first, then the parts, each with its dimension brought to the front and back."""
    if isinstance(value, Tup):
        for leaf in leaves_of(value):
            array(leaf, "an index", span)
        return rebuild(value, iter([_choose(leaf, items, block, span) for leaf in leaves_of(value)]))
    return _choose(value, items, block, span)


def _choose(value: Value, items: Sequence[Value | Range], block: Block, span: Span) -> Val:
    name, typ = array(value, "an index", span)
    if len(items) > typ.rank:
        raise ill_typed(f"{describe(value)} has {typ.rank} dimensions, {len(items)} indices given", span)
    ranges = [dim for dim, item in enumerate(items) if isinstance(item, Range)]
    points = [dim for dim in range(len(items)) if dim not in ranges]
    found = Val(name, typ)
    if points:
        front = [*points, *(dim for dim in range(typ.rank) if dim not in points)]
        found = rearrange(found, front, block, span)
        indices = tuple(count(item, "an index", span) for item in items if not isinstance(item, Range))
        inner, inner_type = array(found, "an index", span)
        found = block.one(core.Index(inner, indices, span=span), elements(inner_type, len(points)), span)
    for dim in ranges:
        item = items[dim]
        assert isinstance(item, Range)
        place = dim - sum(point < dim for point in points)
        found = _part(found, place, item, block, span)
    return found


def _part(value: Val, dim: int, item: Range, block: Block, span: Span) -> Val:
    """A part along one dimension."""
    if item.lo is None and item.hi is None and item.step == 1:
        return value
    rank = value.type.rank
    to_front = (dim, *(each for each in range(rank) if each != dim))
    back = tuple(to_front.index(each) for each in range(rank))
    front = rearrange(value, to_front, block, span)
    name, typ = array(front, "a part", span)
    lo = Const(0, I64) if item.lo is None else count(item.lo, "the start of a part", span)
    hi = size(front, 0, block, span).atom if item.hi is None else count(item.hi, "the end of a part", span)
    part = block.one(core.Slice(name, lo, hi, item.step, span=span), elements(typ, 0), span)
    return rearrange(part, back, block, span)


# ---- updates


def update(value: Value, indices: Sequence[Value], new: Value, block: Block, span: Span) -> Value:
    """`x.set((i, j), v)`"""
    at = tuple(count(each, "an index", span) for each in indices)
    olds, news = list(leaves_of(value)), list(leaves_of(new))
    if len(olds) != len(news):
        raise ill_typed(f"set: {describe(new)} cannot be an element of {describe(value)}", span)

    def one(old: Value, replacement: Value) -> Val:
        name, typ = array(old, "set", span)
        if not 0 < len(at) <= typ.rank:
            raise ill_typed(f"{describe(old)} has {typ.rank} dimensions, {len(at)} indices given", span)
        if isinstance(replacement, Num):
            replacement = number(replacement, typ.scalar, span)
        expected = elements(typ, len(at))
        if not isinstance(replacement, Val) or replacement.type != expected:
            what = describe(Val(name, expected))
            raise ill_typed(f"set: the new value is {describe(replacement)}, but {what} is needed", span)
        return block.one(core.Update(name, at, replacement.atom, span=span), elements(typ, 0), span)

    return rebuild(value, iter([one(old, each) for old, each in zip(olds, news, strict=True)]))


def scatter(value: Value, places: Value, new: Value, block: Block, span: Span) -> Value:
    """`scatter(x, is, vs)`"""
    indices = places_of(places, "scatter", span)
    olds, news = list(leaves_of(value)), list(leaves_of(new))
    if len(olds) != len(news):
        raise ill_typed(f"scatter: {describe(new)} are no elements of {describe(value)}", span)

    def one(old: Value, values: Value) -> Val:
        name, typ = array(old, "scatter", span)
        given, given_type = array(values, "scatter", span)
        if given_type != elements(typ, 0):
            raise ill_typed(f"scatter: {describe(values)} are no elements of {describe(old)}", span)
        return block.one(core.Scatter(name, indices, given, span=span), elements(typ, 0), span)

    return rebuild(value, iter([one(old, each) for old, each in zip(olds, news, strict=True)]))


def places_of(places: Value, what: str, span: Span) -> Sym:
    """An array of indices.

    Raises:
        SoacError: it is no i64[n].
    """
    name, typ = array(places, what, span)
    if typ != known(1, I64):
        raise ill_typed(f"{what}: the indices are i64[n], not {describe(places)}", span, "hint: i64(…) converts arrays, too")
    return name


def listed(values: Sequence[Value], block: Block, span: Span, scalar: ScalarType | None) -> Val:
    """`[a, b]`"""
    if not values:
        raise refuse("an empty list has no type; write replicate(0, x)", span)
    found = next((each.type.scalar for each in values if isinstance(each, Val)), scalar)
    if found is None and any(isinstance(each, Num) and each.floating for each in values):
        found = typed(Num(0.0, True)).type.scalar
    items = [number(each, found, span) if isinstance(each, Num) else scalar_or_array(each, "a list", span) for each in values]
    if any(each.type != items[0].type for each in items):
        shown = " and ".join(dict.fromkeys(map(describe, items)))
        raise ill_typed(f"the elements of a list have one type, not {shown}", span)
    rows = [block.one(core.Replicate(Const(1, I64), each.atom, span=span), _row(each.type), span) for each in items]
    if len(rows) == 1:
        return rows[0]
    return block.one(core.Concat(tuple(row.atom for row in rows if isinstance(row.atom, Sym)), span=span), rows[0].type, span)


def _row(typ: Type) -> Type:
    return known(typ.rank + 1, typ.scalar)


def literal(node: ast.expr, what: str, span: Span) -> int:
    """A number that stands in the text.

    Raises:
        SoacError: something else does.
    """
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
        case _:
            raise refuse(f"{what} is a number as written", span)
