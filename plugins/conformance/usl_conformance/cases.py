"""The inputs that one instruction is tried on: control values, strides, places, data, shared arguments."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from usl_conformance.arena import Place
from usl_conformance.controls import Controls, shape_of
from usl_conformance.data import Fill
from usl_conformance.driver import passes_through
from usl_conformance.layouts import Layout, layouts
from usl_core.ir.nodes import Arg, Proc
from usl_core.ir.sym import Sym
from usl_core.ir.types import ControlType, TensorType, scalar_of

DRAWS = {Fill.SMALL: 64, Fill.RANDOM: 256, Fill.EDGES: 512, Fill.SPECIAL: 512, Fill.GARBAGE: 64}
"""How many elements of an instruction's widest operand are drawn for each kind of data, at least."""
MOST_REPEATS = 64


@dataclass(frozen=True, slots=True)
class Sharing:
    """second lies in the storage of first, shift elements further on."""

    first: Sym
    second: Sym
    shift: int


@dataclass(frozen=True, slots=True)
class Case:
    """One input. offset: elements past a boundary of 64 bytes at which arguments in main memory begin."""

    controls: Controls
    layout: Layout
    fill: Fill = Fill.RANDOM
    place: Place = Place.ZONE
    offset: int = 0
    sharing: Sharing | None = None
    wide: frozenset[Sym] = field(default_factory=frozenset)
    """The formals whose strides are not the densest that are admissible."""

    def lines(self, proc: Proc) -> tuple[str, ...]:
        """The input in words, one line for each argument."""
        lines = []
        for arg in proc.args:
            name = arg.name.name
            if isinstance(arg.type, ControlType):
                lines.append(f"{name} = {self.controls[arg.name]}")
            elif isinstance(arg.type, TensorType):
                shape = list(shape_of(arg.type, self.controls))
                text = f"{name}: {arg.type.scalar}{shape}"
                if passes_through(arg):
                    text += f", strides {list(self.layout[arg.name])}, {self._where(arg)}"
                else:
                    assert arg.mem is not None
                    text += f" in {arg.mem.name}"
                lines.append(text)
            else:
                lines.append(f"{name}: {arg.type}")
        if self.sharing is not None:
            shift = f", {self.sharing.shift} elements further on" if self.sharing.shift else ""
            lines.append(f"{self.sharing.second.name} lies in the storage of {self.sharing.first.name}{shift}")
        lines.append(f"data: {self.fill.value}")
        return tuple(lines)

    def _where(self, arg: Arg) -> str:
        if self.place is not Place.ZONE:
            return str(self.place.value)
        size = max(scalar_of(arg.type).bits // 8, 1)
        return f"{self.offset * size % 64} bytes past a boundary of 64"


def cases(proc: Proc, assignments: Sequence[Controls]) -> Iterator[Case]:
    """The inputs, the plainest first, so that the first failure says what is needed to fail."""
    special = proc.instr is None or proc.instr.special == "ieee"
    fills = [Fill.SMALL, Fill.RANDOM, Fill.EDGES, *([Fill.SPECIAL] if special else []), Fill.GARBAGE]
    placed: list[tuple[Controls, Layout, frozenset[Sym]]] = []
    free = [arg for arg in proc.args if isinstance(arg.type, TensorType) and passes_through(arg)]
    for controls in assignments:
        found = layouts(proc, controls, free)
        placed += [(controls, one, _wide(one, found[0])) for one in found]
    dense = [(controls, layout, wide) for controls, layout, wide in placed if not wide]
    for fill in fills:
        for _ in range(_repeats(proc, dense, DRAWS[fill])):
            yield from (Case(controls, layout, fill, wide=wide) for controls, layout, wide in dense)
    for controls, layout, wide in dense:
        for offset in (1, 3, 8) if free else ():
            yield Case(controls, layout, offset=offset, wide=wide)
    for controls, layout, wide in placed:
        if wide:
            yield Case(controls, layout, wide=wide)
            yield Case(controls, layout, Fill.EDGES, offset=1, wide=wide)
    for controls, layout, wide in placed:
        if free:
            yield Case(controls, layout, place=Place.RIGHT, wide=wide)
            yield Case(controls, layout, place=Place.LEFT, wide=wide)
    yield from _shared(proc, placed)


def _repeats(proc: Proc, dense: Sequence[tuple[Controls, Layout, frozenset[Sym]]], draws: int) -> int:
    """How often all dense inputs are to be run so that so many elements are drawn."""
    if all(isinstance(arg.type, ControlType) for arg in proc.args):
        return 1
    drawn = 0
    for controls, _, _ in dense:
        shapes = [shape_of(arg.type, controls) for arg in proc.args if isinstance(arg.type, TensorType)]
        drawn += max((math.prod(shape) for shape in shapes), default=1)
    return min(-(-draws // max(drawn, 1)), MOST_REPEATS)


def _wide(layout: Layout, densest: Layout) -> frozenset[Sym]:
    return frozenset(name for name in layout if layout[name] != densest[name])


def _shared(proc: Proc, placed: Sequence[tuple[Controls, Layout, frozenset[Sym]]]) -> Iterator[Case]:
    """Arguments in one storage where `aliasable` admits it: the same elements, and in main memory also one element apart."""
    for first, second in aliasable_pairs(proc):
        for controls, layout, wide in placed:
            shapes = [shape_of(arg.type, controls) for arg in (first, second) if isinstance(arg.type, TensorType)]
            if len(shapes) == 2 and (shapes[0] != shapes[1] or layout[first.name] != layout[second.name]):
                continue
            for shift in (0, 1, -1) if shapes and passes_through(first) else (0,):
                sharing = Sharing(first.name, second.name, shift)
                yield Case(controls, layout, sharing=sharing, wide=wide)


def aliasable_pairs(proc: Proc) -> list[tuple[Arg, Arg]]:
    """Pairs of formals that may be the same buffer, so of one element type, rank and memory."""
    declared = [arg for arg in proc.args if arg.name.name in proc.aliasable]
    return [(a, b) for a, b in itertools.combinations(declared, 2) if _alike(a, b)]


def _alike(a: Arg, b: Arg) -> bool:
    if isinstance(a.type, ControlType) or isinstance(b.type, ControlType):
        return False
    rank = [len(arg.type.shape) if isinstance(arg.type, TensorType) else 0 for arg in (a, b)]
    return scalar_of(a.type) == scalar_of(b.type) and a.mem is b.mem and rank[0] == rank[1]


def shared_with(case: Case) -> Mapping[Sym, Sym]:
    """The formal whose buffer is given for another as well, by that other one; empty without sharing."""
    return {} if case.sharing is None else {case.sharing.second: case.sharing.first}
