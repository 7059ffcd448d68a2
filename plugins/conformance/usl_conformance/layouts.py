"""Where arguments lie: strides that an instruction admits, beginning with the densest, then wider ones."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

from usl_conformance.controls import Controls, Unevaluated, evaluate, literals, shape_of
from usl_core.interp import dense_strides
from usl_core.ir.nodes import Arg, Proc
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
    densest = {arg.name: dense_strides(shape_of(arg.type, controls)) for arg in tensors}  # type: ignore[arg-type]
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
    dense = dense_strides(shape)
    wanted = {dense: None}
    if free and arg.type.window:
        steps = sorted(literals(proc.preds) | {int(v) for v in controls.values() if not isinstance(v, bool) and v > 0})
        for strides in _widened(shape, steps):
            wanted.setdefault(strides)
    for strides in wanted:
        if strides and max(strides) * max(shape) <= WIDEST and _holds(proc, controls, {arg.name: strides}):
            yield strides


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
