"""map, reduce, scan and what else writes arrays or runs bodies, in kernels: loops that write their targets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from usl_core import build
from usl_core.ir.nodes import Expr, Literal
from usl_core.ir.sym import Sym
from usl_core.ir.types import I64, ScalarType
from usl_soac import core
from usl_soac.choices import where
from usl_soac.core import Atom, Const, Lambda
from usl_soac.kernel_formals import as_scalar, reading
from usl_soac.kernel_ops import chosen, condition, data
from usl_soac.kernel_values import Arr, NotAKernel, Scalar, Sources, Target, Value, further
from usl_soac.lowering import REDUCTIONS, Lowering
from usl_soac.masked import in_sixteens
from usl_soac.own_arrays import in_place
from usl_soac.rounds import most_rounds, rounds
from usl_soac.scalars import BOOL, SCALARS


def map_(at: Lowering, expr: core.Map, targets: Sequence[Target]) -> None:
    """One loop, which writes a row of each result."""
    if expr.sizes:
        raise NotAKernel("the first element gives the sizes of all")
    sources = at.sources(expr.arrays)
    if sources.flags is None and in_sixteens(at, expr, sources.arrays, targets):
        return
    with _written(at, sources, targets) as (i, places):
        at.applied(expr.function, [array.row(i) for array in sources.arrays], places)


def reduce(at: Lowering, expr: core.Reduce, targets: Sequence[Target]) -> None:
    """The totals are locals, or the targets themselves where these are."""
    sources = at.sources(expr.arrays)
    totals = _Totals(at, expr.neutral, [None if target.indices or target.shift is not None else target for target in targets])
    with at.loop(sources.arrays[0].dims[0]) as i:
        if sources.flags is None:
            totals.combine(expr.op, [array.row(i) for array in sources.arrays])
        else:
            totals.combine_kept(expr.op, sources, i)
    totals.into(targets)


def scan(at: Lowering, expr: core.Scan, targets: Sequence[Target]) -> None:
    """The totals so far are written in each round."""
    sources = at.sources(expr.arrays)
    totals = _Totals(at, expr.neutral, [None] * len(targets))
    with _written(at, sources, targets) as (i, places):
        totals.combine(expr.op, [array.row(i) for array in sources.arrays])
        totals.into(places)


@contextmanager
def _written(at: Lowering, sources: Sources, targets: Sequence[Target]) -> Iterator[tuple[Expr, list[Target]]]:
    """A loop that writes one row of each target for each row that is read; gives the place of the one and of the others."""
    count = sources.arrays[0].dims[0]
    if sources.flags is None:
        with at.loop(count) as i:
            yield i, [target.inside(i) for target in targets]
        return
    assert sources.kept is not None
    at.rounds(sources.kept)
    room = at.formals.extent(sources.kept)[1]
    done = at.local("done", I64)
    at.b.assign(done.buffer, (), build.literal(0, I64))
    with at.loop(count) as i, at.b.if_(flag(sources.flags, i)):
        yield i, [target.inside(build.idx(build.read(done.buffer), 0, room)) for target in targets]
        at.b.reduce(done.buffer, (), build.literal(1, I64))


def flag(flags: Arr, i: Expr) -> Expr:
    """Whether a flag is set."""
    found = flags.row(i)
    assert isinstance(found, Scalar)
    return condition(found)


class _Totals:
    """What a reduction has so far."""

    def __init__(self, at: Lowering, neutral: Sequence[Atom], own: Sequence[Target | None]) -> None:
        self._at = at
        self._neutral = neutral
        starts = [at.value(each) for each in neutral]
        self._targets = [
            each if each is not None else at.local("total", _type(start), start.dims if isinstance(start, Arr) else ())
            for start, each in zip(starts, own, strict=True)
        ]
        for target, start in zip(self._targets, starts, strict=True):
            at.store(target, start)
        self._dims = [start.dims if isinstance(start, Arr) else () for start in starts]
        self._types = [_type(start) for start in starts]

    def values(self) -> list[Value]:
        """The totals as they are now."""
        return [
            reading(typ, dims, target) if dims else as_scalar(typ, build.read(target.buffer, *target.indices))
            for typ, dims, target in zip(self._types, self._dims, self._targets, strict=True)
        ]

    def combine(self, op: Lambda, items: Sequence[Value]) -> None:
        """One step."""
        at = self._at
        if (simple := _simple(op)) and BOOL not in self._types and not any(self._dims):
            for target, item, name in zip(self._targets, items, simple, strict=True):
                assert isinstance(item, Scalar)
                at.b.reduce(target.buffer, target.indices, data(item), name)
            return
        if len(items) == 1 and len(self._dims[0]) == 1 and is_row_by_row(op, at):
            at.applied(op, [*self.values(), *items], self._targets)
            return
        alone = len(items) == 1 and not self._dims[0]
        new = [None if alone else at.local("next", typ, dims) for typ, dims in zip(self._types, self._dims, strict=True)]
        results = at.applied(op, [*self.values(), *items], new)
        for target, fresh, result, current in zip(self._targets, new, results, self.values(), strict=True):
            if fresh is None:
                assert result is not None
                at.store(target, result)
            elif isinstance(current, Arr):
                at.store(target, reading(current.scalar, current.dims, fresh))
            else:
                at.store(target, as_scalar(current.type, build.read(fresh.buffer)))

    def combine_kept(self, op: Lambda, sources: Sources, i: Expr) -> None:
        """One step with a row that may be passed over: by adding nothing to sums, where that is no more than a choice."""
        assert sources.flags is not None
        is_set = flag(sources.flags, i)
        if isinstance(is_set, Literal):
            if is_set.value:
                self.combine(op, [array.row(i) for array in sources.arrays])
            else:
                self._at.b.pass_()
            return
        names = _simple(op)
        if names is None or not self._may_add_nothing(names, sources) or where(is_set, _YES, _NO) is None:
            with self._at.b.if_(is_set):
                self.combine(op, [array.row(i) for array in sources.arrays])
            return
        for target, array, name, typ in zip(self._targets, sources.arrays, names, self._types, strict=True):
            item = array.row(i)
            item = item if item.is_plain else self._at.kept("item", item)
            assert isinstance(item, Scalar)
            added = where(is_set, data(item), build.literal(_NOTHING[name], typ))
            assert added is not None
            self._at.b.reduce(target.buffer, target.indices, added, name)

    def _may_add_nothing(self, names: Sequence[str], sources: Sources) -> bool:
        """Whether a row may be read and not added. Zero added to -0.0 changes it, which no sum from a number as written is."""
        numbers = BOOL not in self._types and not any(self._dims) and all(isinstance(each, Const) for each in self._neutral)
        return numbers and sources.is_total and all(name in _NOTHING for name in names)

    def into(self, targets: Sequence[Target]) -> None:
        """Writes the totals where they belong."""
        for own, value, target in zip(self._targets, self.values(), targets, strict=True):
            if own is not target:
                self._at.store(target, value)


_NOTHING = {"+": 0, "*": 1}
_YES, _NO = (build.literal(each, I64) for each in (1, 0))


def is_row_by_row(op: Lambda, at: Lowering) -> bool:
    """Whether each element of the new row needs that element of the old one only, so that it can be written at once."""
    body = op.body
    if len(body.statements) != 1 or len(body.results) != 1:
        return False
    (statement,) = body.statements
    left = op.params[0].name
    return (
        isinstance(statement.value, core.Map)
        and body.results[0] == statement.pattern[0].name
        and at.uses.once(left)
        and left in statement.value.arrays
    )


def _type(value: Value) -> ScalarType:
    return value.type if isinstance(value, Scalar) else value.scalar


def _simple(op: Lambda) -> list[str] | None:
    """`op=` for each pair, of an operator that adds, multiplies or takes the smaller or larger of each pair for itself."""
    body, half = op.body, len(op.params) // 2
    made = {statement.pattern[0].name: statement.value for statement in body.statements if len(statement.pattern) == 1}
    names = []
    for left, right, result in zip(op.params[:half], op.params[half:], body.results, strict=True):
        value = made.get(result) if isinstance(result, Sym) else None
        if not isinstance(value, core.Op) or value.args != (left.name, right.name) or value.op not in REDUCTIONS:
            return None
        names.append(REDUCTIONS[value.op])
    return names if len(body.statements) == half else None


def concat(at: Lowering, expr: core.Concat, targets: Sequence[Target]) -> None:
    """Each part is written behind those before it."""
    (target,) = targets
    before: Expr | None = None
    for each in expr.arrays:
        array = at.array(each)
        rounds = at.rounds(array.dims[0])
        if each not in at.in_place:
            with at.loop(array.dims[0]) as i:
                at.store((target if before is None else target.behind(before)).inside(i), array.row(i))
        before = rounds if before is None else further(before, rounds)


def update(at: Lowering, expr: core.Update, targets: Sequence[Target]) -> None:
    """A copy in which one element or part is another."""
    (target,) = targets
    array = at.array(expr.array)
    at.store(target, array)
    for position, each in enumerate(expr.indices):
        target = target.inside(at.index(at.scalar(each), array.dims[position]))
    at.store(target, at.value(expr.value))


def filter_(at: Lowering, expr: core.Filter, targets: Sequence[Target]) -> None:
    """The rows that are kept are written one behind the other; how many there are so far is the first target.

    A number is written where the next one that is kept overwrites it, and the count alone is a choice: nothing is mispredicted.
    """
    arrays = [at.array(each) for each in expr.arrays]
    count, *rows = targets
    total = at.local("kept", I64)
    at.b.assign(total.buffer, (), build.literal(0, I64))
    room = at.formals.extent(arrays[0].dims[0])[1]
    with at.loop(arrays[0].dims[0]) as i:
        items = [array.row(i) for array in arrays]
        items = [at.kept("item", item) if isinstance(item, Scalar) else item for item in items]
        (keep,) = at.applied(expr.predicate, items, [None])
        assert isinstance(keep, Scalar)
        place = build.idx(build.read(total.buffer), 0, room)
        flag_type = _flag_type(items[0])
        flag = chosen(condition(keep), build.literal(1, flag_type), build.literal(0, flag_type))
        if flag is None or not all(isinstance(item, Scalar) for item in items):
            with at.b.if_(condition(keep)):
                for target, item in zip(rows, items, strict=True):
                    at.store(target.inside(place), item)
                at.b.reduce(total.buffer, (), build.literal(1, I64))
        else:
            kept = at.local("keep", flag_type)
            at.b.assign(kept.buffer, (), flag)
            for target, item in zip(rows, items, strict=True):
                at.store(target.inside(place), item)
            zero, one, none = build.literal(0, flag_type), build.literal(1, I64), build.literal(0, I64)
            at.b.reduce(total.buffer, (), build.select(zero, build.read(kept.buffer), one, none))
    at.b.assign(count.buffer, count.indices, build.read(total.buffer))


def _flag_type(item: Value) -> ScalarType:
    """Of flags beside such items, so that vectors of both have as many lanes."""
    return I64 if isinstance(item, Scalar) and item.type.bits == I64.bits else SCALARS["i32"]


def hist(at: Lowering, expr: core.Hist, targets: Sequence[Target]) -> None:
    """The arrays are copied; an index out of range is passed over."""
    arrays = [at.array(each) for each in expr.arrays]
    indices, values = at.array(expr.indices), [at.array(each) for each in expr.values]
    for target, array in zip(targets, arrays, strict=True):
        at.store(target, array)
    rounds, room = at.formals.extent(arrays[0].dims[0])
    with at.loop(indices.dims[0]) as i:
        found = indices.row(i)
        assert isinstance(found, Scalar)
        to = at.kept("to", found) if not found.is_plain else found
        assert isinstance(to, Scalar)
        number = build.cast(I64, data(to)) if to.type != I64 else data(to)
        with at.b.if_(build.and_(build.ge(number, 0), build.lt(number, build.cast(I64, rounds)))):
            places = [target.inside(build.idx(number, 0, room)) for target in targets]
            items = [each.row(i) for each in values]
            _combined(at, expr.op, arrays, places, items)


def _combined(at: Lowering, op: Lambda, arrays: Sequence[Arr], places: Sequence[Target], items: Sequence[Value]) -> None:
    simple = _simple(op)
    if simple and len(items) == 1 and isinstance(items[0], Scalar) and arrays[0].scalar is not BOOL:
        at.b.reduce(places[0].buffer, places[0].indices, data(items[0]), simple[0])
        return
    if len(items) == 1 and len(arrays[0].dims) == 2 and is_row_by_row(op, at):
        row: list[Value] = [reading(arrays[0].scalar, arrays[0].dims[1:], places[0])]
        at.applied(op, [*row, *items], places)
        return
    old: list[Value] = [
        reading(array.scalar, array.dims[1:], place)
        if len(array.dims) > 1
        else as_scalar(array.scalar, build.read(place.buffer, *place.indices))
        for array, place in zip(arrays, places, strict=True)
    ]
    fresh = [at.local("new", array.scalar, array.dims[1:]) for array in arrays]
    at.applied(op, [*old, *items], fresh)
    for array, place, new in zip(arrays, places, fresh, strict=True):
        if len(array.dims) > 1:
            at.store(place, reading(array.scalar, array.dims[1:], new))
        else:
            at.store(place, as_scalar(array.scalar, build.read(new.buffer)))


def if_(at: Lowering, expr: core.If, targets: Sequence[Target]) -> None:
    """Both branches write the targets."""
    with at.b.if_(condition(at.scalar(expr.condition))):
        at.body(expr.then, targets)
        at.b.pass_()
    with at.b.else_():
        at.body(expr.orelse, targets)
        at.b.pass_()


def loop(at: Lowering, expr: core.Loop, targets: Sequence[Target]) -> None:
    """A loop of a known number of rounds at most: the params are kept in locals, and replaced in each round."""
    most = most_rounds(at, expr)
    starts = [at.value(atom) for atom in expr.initial]
    current = [
        target if param.type.dims else at.local(param.name.name, param.type.scalar)
        for param, target in zip(expr.params, targets, strict=True)
    ]  # an array is where it is wanted from the start; where a number is wanted may still be read
    for target, start in zip(current, starts, strict=True):
        at.store(target, start)
    own = in_place(expr.params, expr.body)
    at.overwriting |= own.updates
    at.needed_later |= own.kept
    if expr.condition is None:
        with at.b.for_(at.formals.spelling("t"), 0, most) as t:
            _round(at, expr, own.params, current, t)
    else:
        _until(at, expr, own.params, current, most)
    for param, target, place in zip(expr.params, current, targets, strict=True):
        if not param.type.dims:
            at.store(place, _now(at, param, target))


def _round(at: Lowering, expr: core.Loop, own: Collection[Sym], current: Sequence[Target], t: Expr) -> None:
    for param, target in zip(expr.params, current, strict=True):
        at.values[param.name] = _now(at, param, target)
        if param.name in own:
            at.own[param.name] = target
    if expr.index is not None:
        at.bind(expr.index, Scalar(expr.index.type.scalar, control=t))
    new = [
        None if param.name in own else at.local("next", param.type.scalar, at.dims(param.type) if param.type.dims else ())
        for param in expr.params
    ]
    at.body(expr.body, new)
    for param, target, fresh in zip(expr.params, current, new, strict=True):
        if fresh is not None:
            at.store(target, _now(at, param, fresh))


def _until(at: Lowering, expr: core.Loop, own: Collection[Sym], current: Sequence[Target], most: Expr) -> None:
    """Rounds as long as the condition holds, which is asked before each."""
    condition_of = expr.condition
    assert condition_of is not None
    going = at.local("going", SCALARS["i32"])
    at.b.assign(going.buffer, (), build.literal(1, SCALARS["i32"]))

    def goes_on() -> Expr:
        return build.lt(0, build.read(going.buffer))

    def step(t: Expr) -> None:
        with at.b.if_(goes_on()):
            for param, target in zip(expr.params, current, strict=True):
                at.values[param.name] = _now(at, param, target)
            (asked,) = at.body(condition_of, [None])
            assert isinstance(asked, Scalar)
            with at.b.if_(condition(asked)):
                _round(at, expr, own, current, t)
                at.b.pass_()
            with at.b.else_():
                at.b.assign(going.buffer, (), build.literal(0, SCALARS["i32"]))

    rounds(at, most, goes_on, step)


def _now(at: Lowering, param: core.Param, target: Target) -> Value:
    if param.type.dims:
        return reading(param.type.scalar, at.dims(param.type), target)
    return as_scalar(param.type.scalar, build.read(target.buffer, *target.indices))


def overwritten(at: Lowering, expr: core.Update) -> Value:
    """An update of an array that nothing needs after it."""
    array, whole = at.array(expr.array), at.own[expr.array]
    target = whole
    for position, each in enumerate(expr.indices):
        target = target.inside(at.index(at.scalar(each), array.dims[position]))
    at.store(target, at.value(expr.value))
    return reading(array.scalar, array.dims, whole)


BUILT: Mapping[type[object], Callable[[Lowering, Any, Sequence[Target]], None]] = {
    core.Map: map_,
    core.Reduce: reduce,
    core.Scan: scan,
    core.Concat: concat,
    core.Update: update,
    core.If: if_,
    core.Loop: loop,
    core.Filter: filter_,
    core.Hist: hist,
}
