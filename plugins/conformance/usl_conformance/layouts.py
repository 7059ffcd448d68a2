"""Where arguments lie: strides that an instruction admits, beginning with the densest, then wider ones."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

from usl_conformance.controls import Controls, Unevaluated, evaluate, literals, shape_of
from usl_core.interp import dense_strides
from usl_core.ir.nodes import Arg, BinaryOp, Expr, ExprBase, Proc, StrideExpr
from usl_core.ir.sym import Sym
from usl_core.ir.types import ControlType, TensorType

Layout = Mapping[Sym, tuple[int, ...]]
"""Strides in elements of each tensor formal."""

WIDEST = 1 << 16
"""Elements that one argument may span."""
MOST_COMBINATIONS = 4000


def layouts(proc: Proc, controls: Controls, free: Sequence[Arg], limit: int = 10) -> tuple[Layout, ...]:
    """Admissible strides for the formals, of which those in free may be other than dense.

    The first is as dense as can be. Then each free formal in turn is the only one that is wide (rows, then elements), then
    all of them are.
    """
    tensors = [arg for arg in proc.args if isinstance(arg.type, TensorType)]
    options = {arg.name: list(_options(proc, arg, controls, arg in free)) for arg in tensors}
    found = [layout for layout in _combinations(options) if _holds(proc, controls, layout)]
    if not found:
        return ()
    densest = {
        arg.name: dense_strides(shape_of(arg.type, controls) if arg in free else stored_shape(proc, arg, controls))  # type: ignore[arg-type]
        for arg in tensors
    }
    found.sort(key=lambda layout: sum(layout[name] != densest[name] for name in layout))
    first = found[0]
    chosen = [first]
    for arg in tensors:
        others = [one for one in found if all((one[name] == first[name]) == (name is not arg.name) for name in one)]
        apart = [one for one in others if one[arg.name][-1] != first[arg.name][-1]]
        rows = [one for one in others if one not in apart]
        chosen += [*rows[:1], *rows[-1:], *apart[:1], *apart[-1:]]
    chosen.append(found[-1])
    unique = {tuple(sorted(layout.items())): layout for layout in chosen}
    return tuple(unique.values())[:limit]


def _options(proc: Proc, arg: Arg, controls: Controls, free: bool) -> Iterator[tuple[int, ...]]:
    """Strides of one formal, the densest first, that satisfy the assertions about it alone."""
    assert isinstance(arg.type, TensorType)
    shape = shape_of(arg.type, controls)
    dense = dense_strides(shape if free else stored_shape(proc, arg, controls))
    wanted = {dense: None}
    if free and arg.type.window:
        steps = sorted(literals(proc.preds) | {int(v) for v in controls.values() if not isinstance(v, bool) and v > 0})
        for strides in _widened(shape, steps):
            wanted.setdefault(strides)
    for strides in wanted:
        if strides and _span(shape, strides) <= WIDEST and _holds(proc, controls, {arg.name: strides}):
            yield strides


def _span(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """The elements from the first of a tensor to its last."""
    return 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))


def _widened(shape: tuple[int, ...], steps: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Rows further apart than their length, by odd gaps and up to each step, and elements further apart than one."""
    for last in (1, 2, 3, *steps):
        tails: list[tuple[int, ...]] = [(last,)]
        for extent in reversed(shape[1:]):
            tails = [(outer, *tail) for tail in tails for outer in _outer(extent * tail[0], steps)]
        yield from tails[:200]


def _outer(least: int, steps: Sequence[int]) -> Iterator[int]:
    yield from dict.fromkeys((least, least + 3, *(step * (-(-least // step)) for step in steps)))


def _combinations(options: Mapping[Sym, Sequence[tuple[int, ...]]]) -> Iterator[Layout]:
    total = 1
    for each in options.values():
        total *= len(each)
    if total <= MOST_COMBINATIONS:
        for chosen in itertools.product(*options.values()):
            yield dict(zip(options, chosen, strict=True))
        return
    source = random.Random(0)
    yield {name: each[0] for name, each in options.items()}
    for _ in range(MOST_COMBINATIONS):
        yield {name: source.choice(each) for name, each in options.items()}


def _holds(proc: Proc, controls: Controls, layout: Layout) -> bool:
    strides = {(name, dim): stride for name, each in layout.items() for dim, stride in enumerate(each)}
    for pred in proc.preds:
        try:
            if not evaluate(pred, controls, strides):
                return False
        except Unevaluated:
            continue
    return True


def show_controls(proc: Proc, controls: Controls) -> list[str]:
    """`n = 3`, for each control formal: the first lines of a finding's input."""
    return [f"{arg.name.name} = {controls[arg.name]}" for arg in proc.args if isinstance(arg.type, ControlType)]


def stored_shape(proc: Proc, arg: Arg, controls: Controls) -> tuple[int, ...]:
    """The extents of a buffer, a part of which has the strides that assertions fix for arg: its own, or larger ones.

    `stride(x, 0) == 256` of an `x: [i8][n, 4, 16]` makes the second 16.
    """
    assert isinstance(arg.type, TensorType)
    shape = list(shape_of(arg.type, controls))
    step = 1
    for dim in reversed(range(len(shape) - 1)):
        wanted = _fixed_stride(proc, arg, dim, controls)
        if wanted is not None and wanted > step * shape[dim + 1] and wanted % step == 0:
            shape[dim + 1] = wanted // step
        step *= shape[dim + 1]
    return tuple(shape)


def _fixed_stride(proc: Proc, arg: Arg, dim: int, controls: Controls) -> int | None:
    """The number that an assertion says a stride is."""
    for equation in (each for pred in proc.preds for each in _equations(pred, controls)):
        for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
            if isinstance(side, StrideExpr) and side.name is arg.name and side.dim == dim:
                value = _value(other, controls)
                if value is not None:
                    return int(value)
    return None


def _equations(pred: Expr, controls: Controls) -> Iterator[BinaryOp]:
    """The equations that must hold for pred to do so: of alternatives, where the other is false."""
    match pred:
        case BinaryOp(op="=="):
            yield pred
        case BinaryOp(op="and", lhs=lhs, rhs=rhs):
            yield from _equations(lhs, controls)
            yield from _equations(rhs, controls)
        case BinaryOp(op="or", lhs=lhs, rhs=rhs):
            for one, other in ((lhs, rhs), (rhs, lhs)):
                if _value(one, controls) is False:
                    yield from _equations(other, controls)
        case ExprBase():
            return


def _value(expr: Expr, controls: Controls) -> int | bool | None:
    """The value of an expression, unless it depends on strides."""
    try:
        return evaluate(expr, controls)
    except Unevaluated:
        return None
