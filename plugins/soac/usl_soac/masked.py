"""Maps whose function has a loop that ends when its data says so, sixteen elements at once: each lane has a flag, `alive`.

    for io in seq(0, n / 16):
        x: f32[16]; alive: i32[16]                # and what else the loop carries, or needs of before it
        for ii in seq(0, 16): …                   # what is before the loop
        for c in seq(0, (limit + 15) / 16):       # `rounds`: while any lane is alive
            …
                for s in seq(0, min(16, limit - 16 * c)):
                    for ii in seq(0, 16):
                        alive[ii] = select(x[ii], 4.0, alive[ii], 0)          # the condition of the loop
                        x[ii] = select(0, alive[ii], x[ii] * x[ii], x[ii])    # its body
        for ii in seq(0, 16): …                   # what is after it

A lane that has ended keeps what is read after the loop. What is not may become anything: all that is computed in lanes is
total, and tests count for lanes that are alive. Elements behind the last sixteen are done one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from usl_core import build
from usl_core.ir.nodes import Expr, Literal, Read
from usl_core.ir.sym import Sym
from usl_core.ir.types import I32, I64, ScalarType
from usl_soac import core
from usl_soac.choices import where
from usl_soac.core import Atom, Lambda, Param, Statement
from usl_soac.kernel_ops import condition, data
from usl_soac.kernel_values import Arr, Scalar, Target, Value
from usl_soac.lazy_maps import ends_by_data
from usl_soac.lowering import Lowering
from usl_soac.rounds import limits, most_rounds, rounds
from usl_soac.scalars import BOOL, CERT
from usl_soac.traverse import used_by_statement, walk

LANES = 16


def in_sixteens(at: Lowering, expr: core.Map, arrays: Sequence[Arr], targets: Sequence[Target]) -> bool:
    """Writes the loops of such a map. False, and nothing is written, if it is none, or no form for lanes."""
    function = expr.function
    rows = arrays[0].dims[0]
    if not at.formals.positive or (rows.constant is not None and rows.constant < LANES) or not _fits(at, function):
        return False
    count = at.rounds(rows)
    whole = int(count.value) // LANES if isinstance(count, Literal) else build.div(count, LANES)
    with at.b.for_(at.formals.spelling("io"), 0, whole) as io:
        before, at.values = at.values, dict(at.values)
        _Block(at, function, arrays, build.mul(LANES, io)).run(targets)
        at.values = before
    if isinstance(count, Literal) and int(count.value) % LANES == 0:
        return True
    with at.b.for_(at.formals.spelling("i"), build.mul(LANES, build.value(whole)), count) as i:
        at.applied(function, [array.row(i) for array in arrays], [target.inside(i) for target in targets])
    return True


# ---- which maps


def _fits(at: Lowering, function: Lambda) -> bool:
    """Whether a function is on numbers but for its params, and has such a loop whose limit is the same for all elements."""
    body = function.body
    inside = frozenset(param.name for each in walk(body) for param in each.pattern) | {param.name for param in function.params}
    rows = {param.name for param in function.params if param.type.dims}
    if not any(ends_by_data(each) for each in body.statements) or not rows.isdisjoint(body.results):
        return False
    return all(_in_lanes(at, each, inside) for each in body.statements)


def _in_lanes(at: Lowering, statement: Statement, inside: frozenset[Sym]) -> bool:
    if any(param.type.dims for param in statement.pattern):
        return False
    loop = statement.value
    if not ends_by_data(statement) or not isinstance(loop, core.Loop):
        return True
    assert loop.condition is not None
    if not any(limit not in inside for limit, _ in limits(loop)):
        return False
    return all(_in_lanes(at, each, inside) for part in (loop.condition, loop.body) for each in part.statements)


# ---- sixteen elements


@dataclass(frozen=True, slots=True)
class _Kept:
    """A number of each lane, from one loop over lanes to the next."""

    scalar: ScalarType
    buffer: build.Buffer

    def at(self, lane: Expr) -> Scalar:
        """It, in a lane."""
        read = build.read(self.buffer, lane)
        return Scalar(BOOL, condition=build.lt(0, read)) if self.scalar is BOOL else Scalar(self.scalar, read)


@dataclass(frozen=True, slots=True)
class _Act:
    """What is done in each lane, with these values."""

    needs: Sequence[Atom]
    do: Callable[[Expr], None]
    keeps: Sequence[Param] = ()
    """What it keeps for later."""


_Item = Statement | _Act


@dataclass
class _Block:
    """Sixteen elements, from `first` on, of the arrays that a function is applied to.

    What one loop over lanes computes and another one needs is `kept`; `same` is what is the same in all lanes.
    """

    at: Lowering
    function: Lambda
    arrays: Sequence[Arr]
    first: Expr
    kept: dict[Sym, _Kept] = field(default_factory=dict)
    same: dict[Sym, Value] = field(default_factory=dict)
    alive: build.Buffer | None = None

    def __post_init__(self) -> None:
        self.outside = self.at.values
        types = {param.type.scalar for each in walk(self.function.body) for param in each.pattern}
        self.flag = I64 if any(typ.bits == I64.bits for typ in types) else I32  # as wide as the numbers beside it
        inside = {param.name for each in walk(self.function.body) for param in each.pattern}
        self.inside = frozenset(inside | {param.name for param in self.function.params})

    def run(self, targets: Sequence[Target]) -> None:
        """The function, whose results are written to the targets at `first` and so on."""
        body = self.function.body
        loops = [each for each in body.statements if ends_by_data(each)]
        needed = {sym for each in loops for sym in used_by_statement(each)}
        read = [
            param
            for param, array in zip(self.function.params, self.arrays, strict=True)
            if not param.type.dims and (param.name in needed or not array.is_plain)
        ]  # what loops need is read once

        def keep(lane: Expr) -> None:
            rows = [array.row(build.add(self.first, lane)) for array in self.arrays]
            self.at.values.update(zip([param.name for param in self.function.params], rows, strict=True))
            for param in read:
                self.keep(param, lane)

        def write(lane: Expr) -> None:
            for target, atom in zip(targets, body.results, strict=True):
                self.at.store(target.inside(build.add(self.first, lane)), self.at.value(atom))

        self.sequence([_Act((), keep, read), *body.statements, _Act(body.results, write)])

    def sequence(self, items: Sequence[_Item]) -> None:
        """What is done one after the other, with one loop over lanes for all that stands between loops which end by data."""
        run: list[_Item] = []
        for position, item in enumerate(items):
            if isinstance(item, Statement) and ends_by_data(item):
                self.phase(run, _needs(items[position:]))
                self.loop(item)
                run = []
            else:
                run.append(item)
        self.phase(run, frozenset())

    def phase(self, run: Sequence[_Item], later: frozenset[Sym]) -> None:
        """One loop over lanes; of what is bound in it, `later` is kept."""
        kept = {each: self._kept_of(each, later) for each in run if isinstance(each, Statement)}
        for param in [param for params in kept.values() for param in params]:
            self._place(param)
        for act in run:
            if isinstance(act, _Act):
                for param in act.keeps:
                    self._place(param)
        with self.lanes() as lane:
            for item in run:
                if isinstance(item, _Act):
                    item.do(lane)
                    continue
                self.at.statement(item, {})
                for param in kept[item]:
                    self.keep(param, lane)

    def _kept_of(self, statement: Statement, later: frozenset[Sym]) -> list[Param]:
        return [param for param in statement.pattern if param.name in later and param.type.scalar is not CERT]

    @contextmanager
    def lanes(self) -> Iterator[Expr]:
        """A loop over lanes, in which names stand for what they are in a lane."""
        at = self.at
        with at.b.for_(at.formals.spelling("ii"), 0, LANES) as lane:
            self._outside_of_lanes()
            for param, array in zip(self.function.params, self.arrays, strict=True):
                if array.is_plain:
                    at.values[param.name] = array.row(build.add(self.first, lane))
            at.values |= {sym: each.at(lane) for sym, each in self.kept.items()}
            outer = at.alive
            at.alive = None if self.alive is None else build.lt(0, build.read(self.alive, lane))
            yield lane
            at.alive = outer
        self._outside_of_lanes()

    def _outside_of_lanes(self) -> None:
        self.at.values = {**self.outside, **self.same}

    def _place(self, param: Param) -> None:
        """A place for a number of each lane."""
        at, scalar = self.at, param.type.scalar
        typ = self.flag if scalar is BOOL else scalar
        self.kept[param.name] = _Kept(scalar, at.b.alloc(at.formals.spelling(param.name.name), typ, [LANES]))

    def keep(self, param: Param, lane: Expr) -> None:
        """Keeps the number of a name for later loops over lanes."""
        kept = self.kept[param.name]
        self.write(kept, lane, self.at.scalar(param.name))
        self.at.values[param.name] = kept.at(lane)

    def write(self, kept: _Kept, lane: Expr, value: Scalar) -> None:
        """Writes a number of a lane."""
        if kept.scalar is BOOL:
            self._flag(Target(kept.buffer, (lane,)), condition(value))
        else:
            self.at.b.assign(kept.buffer, (lane,), data(value))

    def _flag(self, target: Target, test: Expr) -> None:
        b, (yes, no) = self.at.b, (build.literal(each, self.flag) for each in (1, 0))
        if (flag := where(test, yes, no)) is not None:
            b.assign(target.buffer, target.indices, flag)
            return
        with b.if_(test):
            b.assign(target.buffer, target.indices, yes)
        with b.else_():
            b.assign(target.buffer, target.indices, no)

    # -- loops

    def loop(self, statement: Statement) -> None:
        """A loop in all lanes until the last one has ended."""
        at, expr = self.at, statement.value
        assert isinstance(expr, core.Loop) and expr.condition is not None
        most = most_rounds(at, expr, self.inside - self.same.keys())
        before, alive = self.alive, at.b.alloc(at.formals.spelling("alive"), self.flag, [LANES])
        for param in expr.params:
            self._place(param)
        with self.lanes() as lane:
            for param, atom in zip(expr.params, expr.initial, strict=True):
                self.write(self.kept[param.name], lane, at.scalar(atom))
            at.b.assign(alive, (lane,), build.literal(1, self.flag) if before is None else build.read(before, lane))
        self.alive = alive
        asked, results, wanted = expr.condition.results, expr.body.results, self._read_later(statement, expr)
        items: list[_Item] = [
            *expr.condition.statements,
            _Act(asked, lambda lane: self._ask(asked[0], lane)),
            *expr.body.statements,
            _Act(results, lambda lane: self._replace(expr, wanted, lane)),
        ]

        def step(number: Expr) -> None:
            if expr.index is not None:
                self.same[expr.index.name] = Scalar(expr.index.type.scalar, control=number)
            self.sequence(items)

        rounds(at, most, self._any_alive, step)
        self.alive = before
        self._outside_of_lanes()
        for result, param in zip(statement.pattern, expr.params, strict=True):
            self.kept[result.name] = self.kept[param.name]

    def _read_later(self, statement: Statement, expr: core.Loop) -> frozenset[Sym]:
        """The params that are read after the loop."""
        pairs = zip(statement.pattern, expr.params, strict=True)
        return frozenset(param.name for result, param in pairs if self.at.uses.count[result.name])

    def _any_alive(self) -> Expr:
        b, alive = self.at.b, self.alive
        assert alive is not None
        going = b.alloc(self.at.formals.spelling("going"), self.flag)
        b.assign(going, (), build.literal(0, self.flag))
        with b.for_(self.at.formals.spelling("ii"), 0, LANES) as lane:
            b.reduce(going, (), build.read(alive, lane), "|")
        return build.lt(0, build.read(going))

    def _ask(self, atom: Atom, lane: Expr) -> None:
        """A lane in which the condition does not hold has ended."""
        b, alive = self.at.b, self.alive
        assert alive is not None
        test, ended = condition(self.at.scalar(atom)), build.literal(0, self.flag)
        goes_on = where(test, build.read(alive, lane), ended)
        if goes_on is not None:
            b.assign(alive, (lane,), goes_on)
            return
        with b.if_(test):
            b.pass_()
        with b.else_():
            b.assign(alive, (lane,), ended)

    def _replace(self, expr: core.Loop, wanted: frozenset[Sym], lane: Expr) -> None:
        """The params become the results of the body, where a lane goes on or nothing will read them."""
        at = self.at
        changed = [(param, atom) for param, atom in zip(expr.params, expr.body.results, strict=True) if atom != param.name]
        values = [self._next(param, at.scalar(atom)) for param, atom in changed]
        assert self.alive is not None
        for (param, _), value in zip(changed, values, strict=True):
            kept = self.kept[param.name]
            if param.name in wanted:
                old = build.read(kept.buffer, lane)
                value = build.select(build.literal(0, self.flag), build.read(self.alive, lane), value, old)
            at.b.assign(kept.buffer, (lane,), value)

    def _next(self, param: Param, value: Scalar) -> Expr:
        """A new value, computed before the old ones are overwritten."""
        at, scalar = self.at, param.type.scalar
        found = None if scalar is BOOL else data(value)
        if isinstance(found, Literal) or (isinstance(found, Read) and not found.idx):
            return found
        fresh = at.b.alloc(at.formals.spelling("next"), self.flag if scalar is BOOL else scalar)
        if found is None:
            self._flag(Target(fresh), condition(value))
        else:
            at.b.assign(fresh, (), found)
        return build.read(fresh)


def _needs(items: Sequence[_Item]) -> frozenset[Sym]:
    """The names that are needed by what is done."""
    found: set[Sym] = set()
    for each in items:
        found |= {atom for atom in each.needs if isinstance(atom, Sym)} if isinstance(each, _Act) else used_by_statement(each)
    return frozenset(found)
