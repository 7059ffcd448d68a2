"""How many rounds a loop has at most that ends when its data says so, and how it is written where loops have fixed ends.

The object language has no loop whose end depends on data. Such a loop goes round in sixteens, which are passed over once
nothing goes on:

    for c in seq(0, (limit + 15) / 16):
        if going:
            for s in seq(0, min(16, limit - 16 * c)):
                …
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from usl_core import build
from usl_core.ir.nodes import Expr, Literal
from usl_core.ir.sym import Sym
from usl_core.ir.types import I64
from usl_soac import core
from usl_soac.core import Atom, Body, Const, Statement
from usl_soac.kernel_values import NotAKernel
from usl_soac.lowering import Lowering
from usl_soac.scalars import SCALARS, is_integer
from usl_soac.traverse import walk

STEPS = 16
"""So many rounds are made at once."""
FEW = 4096
"""Where there may be more rounds, sixteens are passed over by thousands."""
LEVELS = (1 << 20, 1 << 10, STEPS)
_SMALL = 1 << 20
_NARROWER = frozenset(each for each in SCALARS.values() if is_integer(each) and each.bits < I64.bits)


def limits(expr: core.Loop) -> Iterator[tuple[Atom, int | None]]:
    """What bounds the rounds of a loop: `(n, None)`, there are at most n; `(n, m)`, at most n - m.

    A loop that counts is bounded by its condition, as `while k < n and …` that ends with `k += 1`: from m on it goes n - m
    rounds at most. m is a small number.
    """
    if expr.bound is not None:
        yield expr.bound, None
    if expr.condition is None or not isinstance(expr.condition.results[0], Sym):
        return
    inside = {param.name for param in expr.params} | _bound_in(expr.condition)
    made = {param.name: each for each in expr.condition.statements for param in each.pattern}
    for test in _conjuncts(expr.condition.results[0], made):
        low, high = test.args if test.op == "<" else test.args[::-1]
        start = _counted(expr, low)
        if start is not None and high not in inside:
            yield high, start


def _bound_in(body: Body) -> set[Sym]:
    return {param.name for each in body.statements for param in each.pattern}


def _conjuncts(sym: Atom, made: Mapping[Sym, Statement]) -> Iterator[core.Op]:
    """The comparisons that must all hold."""
    value = made[sym].value if isinstance(sym, Sym) and sym in made else None
    if isinstance(value, core.Copy):
        yield from _conjuncts(value.atom, made)
    elif isinstance(value, core.Op) and value.op in ("and", "&"):
        for arg in value.args:
            yield from _conjuncts(arg, made)
    elif isinstance(value, core.Op) and value.op in ("<", ">") and value.operand.is_int:
        yield value


def _counted(expr: core.Loop, sym: Atom) -> int | None:
    """Where a param starts that each round makes larger by 1."""
    names = [param.name for param in expr.params]
    if sym not in names:
        return None
    place = names.index(sym)
    start, result = expr.initial[place], expr.body.results[place]
    made = {param.name: each.value for each in expr.body.statements for param in each.pattern}
    value = made.get(result) if isinstance(result, Sym) else None
    if not isinstance(start, Const) or not isinstance(start.value, int) or abs(start.value) > _SMALL:
        return None  # further out, a limit that is cut to 32 bits could be before the start
    if not isinstance(value, core.Op) or value.op != "+":
        return None
    ones = [arg for arg in value.args if isinstance(arg, Const) and arg.value == 1]
    return start.value if len(ones) == 1 and sym in value.args else None


def most_rounds(at: Lowering, expr: core.Loop, inside: frozenset[Sym] = frozenset()) -> Expr:
    """The number of rounds at most, as a control value. inside: names that it must not depend on.

    Raises:
        NotAKernel: it depends on data.
    """
    for limit, start in limits(expr):
        if limit in inside:
            continue
        found = _as_control(at, limit, ends_by_data=expr.condition is not None)
        if found is not None:
            first = 0 if start is None else start
            last = 1 if start is not None and _has_tests(expr) else 0
            if isinstance(found, Literal):
                return build.literal(max(0, int(found.value) - first) + last)
            counted = build.max_(0, found if not first else build.sub(found, first))
            return build.add(counted, last) if last else counted
    raise NotAKernel("the number of rounds depends on data")


def _has_tests(expr: core.Loop) -> bool:
    """Whether the condition may fail: it is then asked once more where a counter has reached its limit."""
    return expr.condition is not None and any(isinstance(each.value, core.Assert | core.Call) for each in walk(expr.condition))


def _as_control(at: Lowering, atom: Atom, ends_by_data: bool) -> Expr | None:
    if isinstance(atom, Const):
        small = isinstance(atom.value, int) and abs(atom.value) < (1 << 31) - _SMALL
        return build.literal(int(atom.value)) if small else None
    value = at.scalar(atom)
    if value.control is not None or value.outside is None or not (value.type == I64 or value.type in _NARROWER):
        return value.control
    value.outside.bounds(ends_by_data)
    return value.outside.as_control()


def rounds(at: Lowering, most: Expr, going: Callable[[], Expr], step: Callable[[Expr], None]) -> None:
    """`step` for each round below most while there is something to do, which `going` asks before every sixteen.

    Not each round asks: what is done after the end must change nothing.
    """
    few = isinstance(most, Literal) and int(most.value) <= FEW
    _level(at, (STEPS,) if few else LEVELS, build.literal(0), most, going, step)


def _level(
    at: Lowering, sizes: Sequence[int], first: Expr, count: Expr, going: Callable[[], Expr], step: Callable[[Expr], None]
) -> None:
    if not sizes:
        with at.b.for_(at.formals.spelling("s"), 0, count) as s:
            step(_plus(first, s))
        return
    size, *rest = sizes
    parts = -(-int(count.value) // size) if isinstance(count, Literal) else build.div(build.add(count, size - 1), size)
    with at.b.for_(at.formals.spelling("c"), 0, parts) as c, at.b.if_(going()):
        start = build.mul(size, c)
        _level(at, rest, _plus(first, start), build.min_(size, build.sub(count, start)), going, step)


def _plus(first: Expr, more: Expr) -> Expr:
    return more if isinstance(first, Literal) and not first.value else build.add(first, more)
