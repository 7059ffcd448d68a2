"""Loops over lanes made vector code apart from their place: in a procedure, once for all loops that compute the same.

    for l in seq(0, 16):                           def lanes(x: [f32][16], x1: [f32][18]):
        y[j, 16 * io + l] =                            for l in seq(0, 16):
            t[j, 16 * io + l] +           is               x[l] = x1[l] + x1[l + 2]        called with parts of y and t.
            t[j, 16 * io + l + 2]

What each of many operators asks there has few facts and little code around it, and levels of a pyramid, or both branches of a
`specialize`, share the result. Nothing is taken on trust: `replace` proves that the loop is the call, `call_eqv` that the
vector code may stand for it, and `inline` puts it in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from usl_core import Procedure, build
from usl_core.errors import SchedulingError
from usl_core.ir import nodes as ir
from usl_core.ir.externs import IDX
from usl_core.ir.printer import show
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import map_children, mentioned
from usl_core.ir.types import ControlType, ScalarType
from usl_core.scheduling import call_eqv, inline, replace
from usl_halide_lib.linear_forms import LaneForm, lane_form, linear
from usl_halide_lib.working import Working

MOST_KEPT = 512


class Fixed(Exception):
    """A loop that cannot be taken from its place."""


@dataclass(frozen=True, slots=True)
class Made:
    """A loop as a procedure, and its vector code; or why there is none. owner is what made it, kept alive with it."""

    loop: Procedure
    vectors: Procedure | None
    why: SchedulingError | None
    owner: object


_made: dict[tuple[object, ...], Made] = {}


def vectorised_apart(
    working: Working, loop: Any, owner: object, how: tuple[object, ...], make: Callable[[Working, Any], None]
) -> bool:
    """Whether the loop around one assignment has become vector code by make, which is given the loop in a procedure of its own.

    What make gives may depend on the loop, on owner (one object) and on how, which are the key under which it is kept.

    Raises:
        SchedulingError: make refuses.
    """
    place = working.at(loop)
    try:
        alone = Apart(place.node).procedure()
    except Fixed:
        return False
    key = (show(alone.typed_ir()), id(owner), *how)
    made = _made.get(key)
    if made is None:
        while len(_made) >= MOST_KEPT:
            del _made[next(iter(_made))]
        made = _made[key] = _make(alone.finish(), owner, make)
    if made.vectors is None:
        assert made.why is not None
        raise made.why
    before = working.p
    try:
        working.do(replace, place, made.loop)
        working.do(call_eqv, place, made.vectors)
    except SchedulingError:  # parts of one buffer that overlap, a memory other than DRAM
        working.p = before
        return False
    working.do(inline, place)
    return True


def _make(alone: Procedure, owner: object, make: Callable[[Working, Any], None]) -> Made:
    small = Working(alone, {})
    try:
        make(small, alone.body()[0])
    except SchedulingError as why:
        return Made(alone, None, why, owner)
    return Made(alone, small.p, None, owner)


# ---- the procedure


@dataclass(slots=True)
class _Part:
    """A part of a buffer that becomes a formal: its accesses, in which only the lane and a number vary."""

    type: ScalarType
    forms: list[LaneForm] = field(default_factory=list)

    @property
    def first(self) -> int:
        return min(form.constant for form in self.forms)

    def extent(self, count: Any) -> Any:
        """The number of elements, if there are count lanes."""
        if isinstance(count, int):
            return max(form.at(count - 1) for form in self.forms) - self.first + 1
        last = max(form.constant for form in self.forms) - self.first
        return build.add(self.forms[0].moved(build.sub(count, 1)), last + 1)


class Apart:
    """A loop over lanes around one assignment, perhaps under `if lane < e`, on its way to a procedure of its own."""

    def __init__(self, loop: ir.For) -> None:
        self.lane, self.width = loop.iter, _number(loop.hi)
        if len(loop.body) != 1 or _number(loop.lo) != 0 or loop.mode is not ir.LoopMode.SEQ:
            raise Fixed
        (inside,) = loop.body
        self.masked = isinstance(inside, ir.If)
        if isinstance(inside, ir.If):
            self._require_limit(inside)
            (inside,) = inside.body
        if not isinstance(inside, ir.Assign | ir.Reduce):
            raise Fixed
        self.write = inside
        self.parts: dict[object, _Part] = {}
        self.where: dict[int, tuple[object, LaneForm]] = {}
        self.scalars: dict[object, ScalarType] = {}
        self._collect(inside.name, inside, inside.idx, inside.rhs.type)
        self._collect_data(inside.rhs)
        if id(inside) not in self.where or sum(_name(key) is inside.name for key in (*self.parts, *self.scalars)) != 1:
            raise Fixed

    def _require_limit(self, branch: ir.If) -> None:
        """The branch is for lanes below a limit."""
        cond = branch.cond
        if branch.orelse or len(branch.body) != 1 or not isinstance(cond, ir.BinaryOp) or cond.op != "<":
            raise Fixed
        left, right = linear(cond.lhs), linear(cond.rhs)
        if left is None or right is None or left.terms.get(self.lane) != 1 or self.lane in mentioned(cond.rhs):
            raise Fixed
        if any(key is not self.lane and self.lane in left.inside(key) for key in left.terms):
            raise Fixed

    def _collect(self, name: Sym, node: ir.Node, idx: tuple[ir.Expr, ...], typ: Any) -> None:
        """One access."""
        if not isinstance(typ, ScalarType):
            raise Fixed
        forms = [linear(each) for each in idx]
        if any(each is None for each in forms):
            raise Fixed
        found = [form for form in forms if form is not None]
        if all(self.lane not in mentioned(each) for each in idx):
            key = (name, *[form.key() for form in found])
            self.scalars[key] = typ
            self.where[id(node)] = key, LaneForm(0, 1, 0, 0)
            return
        if any(self.lane in mentioned(each) for each in idx[:-1]):
            raise Fixed
        split = lane_form(found[-1], self.lane)
        if split is None:
            raise Fixed
        rest, form = split
        key = (name, *[form.key() for form in found[:-1]], rest, form.kind if self.masked else None)
        self.parts.setdefault(key, _Part(typ)).forms.append(form)
        self.where[id(node)] = key, form

    def _collect_data(self, expr: ir.Expr) -> None:
        match expr:
            case ir.Read(name=name, idx=idx, type=typ):
                self._collect(name, expr, idx, typ)
            case ir.Literal():
                pass
            case ir.UnaryMinus(arg=arg):
                self._collect_data(arg)
            case ir.Cast(arg=arg) if not isinstance(arg.type, ControlType):
                self._collect_data(arg)
            case ir.BinaryOp(lhs=lhs, rhs=rhs):
                self._collect_data(lhs)
                self._collect_data(rhs)
            case ir.ExternCall(fn=fn, args=args) if fn is not IDX:
                for each in args:
                    self._collect_data(each)
            case ir.Cast() | ir.ExternCall() | ir.ReadConfig() | ir.StrideExpr() | ir.WindowExpr():
                raise Fixed

    def procedure(self) -> build.ProcBuilder:
        """The procedure on its way: what is written first, then what is read in the order of the text."""
        made = build.ProcBuilder("lanes")
        count: Any = made.size("n") if self.masked else self.width
        buffers: dict[object, Any] = {}
        names = _names()
        for key, part in self.parts.items():
            buffers[key] = made.tensor(next(names), part.type, (part.extent(count),), window=True)
        for key, typ in self.scalars.items():
            buffers[key] = made.scalar(next(names), typ)
        for key in self.parts:
            made.require(build.eq(build.stride(buffers[key], 0), 1))
        with made.for_("l", 0, self.width) as lane:
            if self.masked:
                with made.if_(build.lt(lane, count)):
                    self._statement(made, buffers, lane)
            else:
                self._statement(made, buffers, lane)
        return made

    def _statement(self, made: build.ProcBuilder, buffers: dict[object, Any], lane: Any) -> None:
        def index(node: ir.Node) -> tuple[object, list[Any]]:
            key, form = self.where[id(node)]
            if key in self.scalars:
                return key, []
            return key, [build.add(form.moved(lane), form.constant - self.parts[key].first)]

        def data(node: ir.Node) -> ir.Node:
            if isinstance(node, ir.Read):
                key, idx = index(node)
                return build.read(buffers[key], *idx)
            return map_children(node, data)

        key, idx = index(self.write)
        rhs: Any = data(self.write.rhs)
        if isinstance(self.write, ir.Assign):
            made.assign(buffers[key], idx, rhs)
        elif isinstance(self.write.op, str):
            made.reduce(buffers[key], idx, rhs, self.write.op)
        else:
            raise Fixed


def _names() -> Iterator[str]:
    yield "x"
    number = 1
    while True:
        yield f"x{number}"
        number += 1


def _name(key: Any) -> Sym:
    found: Sym = key[0]
    return found


def _number(expr: ir.Expr) -> int:
    if isinstance(expr, ir.Literal) and isinstance(expr.value, int):
        return expr.value
    raise Fixed
