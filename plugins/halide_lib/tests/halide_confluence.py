"""Theorem 2.2 by testing: random pipelines under random schedules compute what the oracle says, counted by cells.

A cell is a directive with its tail, the kind of the stage that it is about, and that stage's predicate. A pair (pipeline,
schedule) counts for each directive that was applied to a stage of a kind. `make fuzz WHAT=halide_lang` runs many.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from halide_pipelines import Maker, Pipeline

from usl_core.errors import UslError
from usl_halide_lib import hl
from usl_halide_lib.directives import Directive, LoopAlignStrategy, TailStrategy
from usl_halide_lib.lang.collect import collect, inputs_of
from usl_halide_lib.lang.inference import infer
from usl_halide_lib.lang.interp import Oracle
from usl_halide_lib.lang.nodes import Algorithm, Const, Hole, Op, Read, walk
from usl_halide_lib.lang.placement import label_of, needs
from usl_halide_lib.lang.rewrites import nest_of
from usl_halide_lib.lang.scheduling import scheduled
from usl_halide_lib.lang.sliding import slid
from usl_halide_lib.lang.target import For, Label, LoopKey, Target, statements
from usl_halide_lib.lang.target_interp import Machine, Stuck

TYPES = [*map(hl.Int, (8, 16, 32, 64)), *map(hl.UInt, (8, 16, 32, 64)), hl.Float(32), hl.Float(64)]
KINDS = ("pure", "point", "sum", "scan", "scatter")
PREDICATES = ("none", "places", "data")
TAILS = {"guard": TailStrategy.GuardWithIf, "shift": TailStrategy.ShiftInwards, "round": TailStrategy.RoundUp}
TAILED = ("split", "vectorize", "unroll", "parallel")
OTHERS = ("fuse", "reorder", "rename", "compute_at", "store_at", "specialize", "bound", "align_bounds", "prefetch")
ALGORITHM = ("rfactor", "compute_with", "compute_inline", "in_", "clone_in")
SLIDING = ("slide", "fold")
"""What follows from a place of storage further out than the place of computation."""


@dataclass(frozen=True)
class Cell:
    """What is counted."""

    directive: str
    tail: str
    kind: str
    predicate: str

    def __str__(self) -> str:
        return f"{self.directive:14} {self.tail or '-':6} {self.kind:8} {self.predicate}"


def cells() -> list[Cell]:
    """Those that can occur: only reductions have predicates, and side conditions exclude some."""
    found = []
    for directive in (*TAILED, *OTHERS, *ALGORITHM, *SLIDING):
        for tail in TAILS if directive in TAILED else [""]:
            for kind in KINDS:
                if (kind, tail) in _NEVER_TAILS or (directive, kind) in _NEVER:
                    continue
                for predicate in PREDICATES if kind in ("sum", "scan", "scatter") else ["none"]:
                    found.append(Cell(directive, tail, kind, predicate))
    return found


_NEVER_TAILS = {(kind, "shift") for kind in KINDS if kind != "pure"}
"""An update is not done twice."""
_NEVER = {
    *(("compute_inline", kind) for kind in KINDS if kind != "pure"),
    *(("rfactor", kind) for kind in ("pure", "point", "scan")),
}


def _dims(cell: Cell) -> int:
    """How many dimensions there have to be for the directive to have loops; 0 if either number does.

    What is rounded up, and what runs at once, is a pure loop, of which scans and scattered updates of one dimension have none.
    """
    pure = cell.tail == "round" or cell.directive in ("vectorize", "parallel", *SLIDING)
    return 2 if (pure and cell.kind in ("scan", "scatter")) or (cell.directive, cell.kind) == ("fuse", "point") else 0


class CellMaker(Maker):
    """Pipelines of some funcs, in half of which there are updates; one func has a stage as a cell wants it."""

    def __init__(self, seed: int, cell: Cell, floats: bool = True, most: int = 6) -> None:
        super().__init__(seed, floats=floats, dims=_dims(cell))
        self.most = most
        self.types = [each for each in TYPES if floats or not each.is_float]
        self.cell = cell
        self.stages: dict[tuple[str, int], tuple[str, str]] = {}
        self.must_read: list[Any] = []

    def pipeline(self) -> Pipeline:
        """The pipeline. Sizes go up to 40 in one dimension, and to 8 in two."""
        output_only = self.cell.directive in ("compute_at", "store_at", *ALGORITHM[1:], *SLIDING)
        least = 3 if self.cell.directive == "compute_with" else 2 if output_only else self.most - 1
        count = self.random.randint(min(3, max(least, self.most - 1)), self.most)
        count = min(count, self.random.randint(2, 3)) if self.cell.directive in SLIDING else count
        chosen = self.random.randrange(count - 1 if output_only else count)
        if self.cell.directive == "compute_with":
            chosen = min(chosen, count - 3)
        for k in range(count):
            hidden = self.funcs.pop() if self.cell.directive == "compute_with" and k == chosen + 1 else None
            self.funcs.append(self.func(f"f{k}", k == chosen or hidden is not None))
            if hidden is not None:  # a twin, which does not read the func; the output reads both
                self.funcs.insert(k - 1, hidden)
                self.must_read = [hidden, self.funcs[k]]
        most = self.random.choice((3, 9, 9, 40)) if self.dims == 1 else self.random.choice((3, 8))
        window = [(self.random.randint(-6, 6), self.random.randint(1, most)) for _ in self.vars]
        return Pipeline(self.funcs[-1], window, self.funcs)

    def read(self, variables: list[Any]) -> Any:
        """An access; what may slide is mostly read at places that move with the loops, once or half as fast."""
        is_pure = len(variables) == len(self.vars) and all(a is b for a, b in zip(variables, self.vars, strict=True))
        if self.cell.directive not in SLIDING or not self.funcs or not is_pure or self.random.random() < 0.08:
            return super().read(variables)
        func, half = self.random.choice(self.funcs), self.random.random() < 0.2
        places = [(v + self.random.randint(-2, 3)) / 2 if half else v + self.random.randint(-2, 3) for v in variables]
        read = func[tuple(places)]
        return read[self.random.randrange(len(read))]

    def func(self, name: str, wanted: bool = False) -> Any:
        """One func, in the end with the cell's stage."""
        func, typ = hl.Func(name), self.random.choice(self.types)
        depth = self.random.choice((1, 1, 1, 1, 2))
        if self.tuples and not wanted and self.random.random() < 0.07:
            func[tuple(self.vars)] = (self.value(self.vars, typ, depth), self.value(self.vars, typ, 1))
            self.stages[name, 0] = "pure", "none"
            return func
        value = self.value(self.vars, typ, depth)
        for each in self.must_read:
            value = value + hl.cast(typ, each[tuple(self.index(self.vars) for _ in self.vars)][0])
        func[tuple(self.vars)] = value
        self.stages[name, 0] = "pure", "none"
        while self.random.random() < (0.6 if wanted else 0.3) and len(func.definition.stages) < 3:
            self.update(func, typ)
        if wanted and self.cell.kind != "pure" and not self.has_wanted(name):
            self.update(func, typ, self.cell.kind, self.cell.predicate)
        return func

    def has_wanted(self, name: str) -> bool:
        """Whether a func has a stage of the cell's kind."""
        return (self.cell.kind, self.cell.predicate) in [v for (f, _), v in self.stages.items() if f == name]

    def update(self, func: Any, typ: Any, kind: str = "", predicate: str = "") -> None:
        """An update of a kind, a third of those that reduce with a predicate."""
        kind = kind or self.random.choice(KINDS[1:])
        predicate = predicate or self.random.choice(("none", "none", "none", "none", "places", "data"))
        if kind == "point":
            predicate = "none"
        if predicate == "data" and not self.funcs:
            predicate = "places"
        if kind == "point":
            value = self.value(self.vars, typ, 1)
            old = func[tuple(self.vars)]
            func[tuple(self.vars)] = hl.cast(typ, self.random.choice([old * 2 + value, hl.max(old, value), value - old]))
            self.stages[func.name(), len(func.definition.stages) - 1] = kind, predicate
            return
        ranges = [(self.random.randint(-2, 2), self.random.randint(0, 4)) for _ in range(self.random.randint(1, 2))]
        rdom = hl.RDom(ranges, f"r{len(func.definition.stages)}")
        places: list[Any] = list(self.vars)
        dim = self.random.randrange(self.dims)
        if kind == "scan":
            places[dim] = rdom[0]
        elif kind == "scatter":
            places[dim] = self.index([rdom[0]], bounded=True)
        used = [each for place, each in zip(places, self.vars, strict=True) if place is each]
        if predicate == "places":
            a = self.random.choice([*used, rdom[0]])
            rdom.where(self.random.choice([a > 0, a % 2 == 0, a + rdom[0] < 3, (a >= 0) & (rdom[0] <= 2)]))
        elif predicate == "data":
            rdom.where(self.read([*used, rdom[0]]) > 3)
        old = list(places)
        if kind == "scan":
            old[dim] = rdom[0] - 1
        term = func[tuple(old)]
        # a cast to the same type is none, so an update stays the sum that it is
        value = hl.cast(typ, self.value([*used, *(rdom[i] for i in range(len(rdom)))], typ, 1))
        if not any(
            isinstance(n, type(rdom[0].node)) and n == rdom[0].node for e in (*places, value) for n in walk(hl.Expr(e).node)
        ):
            value = value + hl.cast(typ, rdom[0])
        options = [term + value, hl.max(term, value), term + value, value - term]
        if self.cell.directive == "rfactor":
            options = [*options[:3], term * value, hl.min(term, value)]
            if not typ.is_float:
                options += [term & value, term | value]
        func[tuple(places)] = hl.cast(typ, self.random.choice(options))
        self.stages[func.name(), len(func.definition.stages) - 1] = kind, predicate


class Directives:
    """Random directives on what a program has now, most of them possible."""

    def __init__(self, chosen: random.Random, algorithm: Algorithm, params: list[Any]) -> None:
        self.random, self.algorithm, self.params = chosen, algorithm, params
        self.count = 0

    def name(self) -> str:
        """A name that is not taken."""
        self.count += 1
        return f"n{self.count}"

    def directive(self, name: str, tail: str, func: str, stage: int, target: Target) -> Directive | None:
        """One directive of a name on a stage, or None if there is nothing to name."""
        self.algorithm = target.algorithm
        if all(each.name != func for each in self.algorithm.funcs):
            return None  # computed inline
        loops = [each for each in statements(target.body) if isinstance(each, For)]
        found = [each.key for each in loops]
        own = [s for s in loops if (s.key.func, s.key.stage) == (func, stage) and s.key.spec in (None, 0)]
        args = self.arguments(name, tail, func, stage, self.likely(name, tail, own), found, target)
        return None if args is None else Directive(name, func, stage, args, None, self.count)

    def likely(self, name: str, tail: str, own: list[For]) -> list[LoopKey]:
        """The loops of a stage; mostly those alone that a directive is allowed on."""
        if self.random.random() < 0.9:
            if tail == "round":
                own = [s for s in own if s.is_pure and (isinstance(s.min, Hole) or not s.key.stage)] or own
            elif tail == "shift" or name in ("vectorize", "parallel"):
                own = [s for s in own if s.is_pure] or own
        return [s.key for s in own]

    def arguments(
        self, name: str, tail: str, func: str, stage: int, keys: list[LoopKey], found: list[LoopKey], target: Target
    ) -> tuple[Any, ...] | None:
        pick, own = self.random.choice, [each.var for each in keys]
        if name in (*TAILED, "fuse", "reorder", "rename") and not own:
            return None
        match name:
            case "split":
                loop = pick(own)
                return loop, pick((self.name(), self.name(), loop)), self.name(), self.random.randint(1, 5), TAILS[tail]
            case "vectorize" | "unroll" | "parallel":
                return pick(own), self.random.randint(1, 4), TAILS[tail]
            case "fuse":
                if len(own) < 2:
                    return None
                pure = {s.key.var: s.is_pure for s in statements(target.body) if isinstance(s, For) and s.key in keys}
                pairs = list(itertools.pairwise(own))
                outer, inner = pick([each for each in pairs if pure[each[0]] == pure[each[1]]] or pairs)
                return inner, outer, self.name()
            case "reorder":
                return tuple(self.random.sample(own, min(len(own), self.random.choice((2, 2, 3)))))
            case "rename":
                return pick(own), self.name()
            case "store_at":
                around = [s.key for s in statements(target.body) if isinstance(s, For) and _computes(func, s)]
                at = pick(around) if around else None
                return None if at is None else (at.func, at.var)
            case "compute_at":
                others = [each for each in found if each.func != func and _reads(self.algorithm, each.func, func)]
                others = others or [each for each in found if each.func != func]
                at = pick(others) if others else None
                return None if at is None else (at.func, at.var)
            case "specialize":
                return pick(self.params) > self.random.randint(-1, 2), f"/{self.name()}"
            case "bound":
                low = self.random.choice((None, -40))
                return pick(self.algorithm.func(func).args), low, self.random.randint(1, 12) if low is None else 140
            case "align_bounds":
                return pick(self.algorithm.func(func).args), self.random.randint(1, 4), self.random.randint(0, 3)
            case "prefetch":
                reads = [
                    (s.key, n.func)
                    for s in statements(target.body)
                    if isinstance(s, For)
                    for n in _own_reads(self.algorithm, s.key)
                ]
                mine = [(key, read) for key, read in reads if (key.func, key.stage) == (func, stage)]
                if not mine:
                    return None
                key, read = pick(mine)
                return read, key.var, key.var, self.random.randint(1, 3), None
            case "rfactor":
                rvars = [each.name for each in self.algorithm.func(func).stages[stage].rvars]
                if not rvars:
                    return None
                return (tuple((each, self.name()) for each in self.random.sample(rvars, self.random.randint(1, len(rvars)))),)
            case "compute_with":
                apart = {each.func for each in found if _are_apart(target, each.func, func)}
                nests = {(each.func, each.stage): nest_of(target, each) for each in found if each.func in apart}
                same = [
                    (*at, key.var)
                    for at, nest in nests.items()
                    for key, mine in zip(nest, keys, strict=False)
                    if key.var == mine.var
                ]
                return (*pick(same), pick(list(LoopAlignStrategy))) if same else None
            case "compute_inline":
                return ()
            case _:
                readers = [each.name for each in self.algorithm.funcs if _reads(self.algorithm, each.name, func)]
                if not readers:
                    return None
                consumers = () if name == "in_" and self.random.random() < 0.5 else (pick(readers),)
                return self.name(), consumers


def _reads(algorithm: Algorithm, reader: str, func: str) -> bool:
    return reader != func and any(each.func == func for each in _reads_of(algorithm, reader))


def _reads_of(algorithm: Algorithm, func: str) -> list[Read]:
    stages = algorithm.func(func).stages
    return [n for stage in stages for e in stage.expressions() for n in walk(e) if isinstance(n, Read)]


def _computes(func: str, loop: For) -> bool:
    return any(isinstance(s, Label) and s.func == func for s in statements(loop.body))


def _are_apart(target: Target, one: str, other: str) -> bool:
    """Whether no func depends on the other."""
    labels = [label_of(target, each) for each in (one, other)]
    if one == other or None in labels:
        return False
    return other not in needs(target, labels[0]) and one not in needs(target, labels[1])


def _own_reads(algorithm: Algorithm, key: LoopKey) -> list[Read]:
    stage = algorithm.func(key.func).stages[key.stage]
    return [n for e in stage.expressions() for n in walk(e) if isinstance(n, Read) and n.func != key.func]


@dataclass
class Pair:
    """A pipeline and a schedule of it that applies: the directives, the program, and the cells that it counts for."""

    made: Pipeline
    directives: list[Directive]
    target: Target
    cells: Counter[Cell]
    inputs: dict[str, Any]
    algorithm: Algorithm
    kinds: dict[tuple[str, int], tuple[str, str]]
    """By func and stage the kind and the predicate."""


def pair(seed: int, cell: Cell, floats: bool = True, most: int = 6) -> Pair | None:
    """A random pair for a cell, of at most so many funcs; None where its directive was refused."""
    maker = CellMaker(seed, cell, floats, most)
    made, chosen = maker.pipeline(), random.Random(seed)
    program = collect([made.output])
    algorithm = program.algorithm
    inputs = {**inputs_of(program)}
    params = [hl.Param(hl.Int(32), name, chosen.randint(-1, 3)) for name in ("p", "q")]
    algorithm = Algorithm(
        algorithm.funcs, algorithm.outputs, (*algorithm.params, *((p.name(), p.type()) for p in params)), algorithm.images
    )
    inputs |= {p.name(): p.get() for p in params}
    giver = Directives(chosen, algorithm, params)
    kept: list[Directive] = []
    counted: list[tuple[Directive, str]] = []
    target = lowered = scheduled(algorithm, [])
    funcs = [each.name for each in algorithm.funcs]
    kinds = {key: value for key, value in maker.stages.items() if key[0] in funcs}
    wanted = [key for key, value in kinds.items() if value == (cell.kind, cell.predicate)]
    if not wanted:
        return None

    def give(name: str, tail: str, func: str, stage: int) -> bool:
        nonlocal target
        made = giver.directive(name, tail, func, stage, target)
        if made is None:
            return False
        try:
            new = scheduled(algorithm, [*kept, made], lowered)
        except UslError:
            return False
        target = new
        kept.append(made)
        counted.append((made, tail))
        return True

    names = [(name, tail) for name in TAILED for tail in TAILS] + [(name, "") for name in OTHERS]

    def others(most: int) -> None:
        """Further directives, half of them on the stages that the cell is about: few of its other cells are full either."""
        for _ in range(chosen.randint(0, most)):
            give(*chosen.choice(names), *chosen.choice(wanted if chosen.random() < 0.5 else list(kinds)))

    if cell.directive in SLIDING:
        moved = _places_where_it_slides(algorithm, {func for func, _ in wanted})
        for func, loop in chosen.sample(sorted(moved), min(3, len(moved))):
            first = Directive("compute_at", func, 0, loop, None, 0)
            store = Directive("store_root", func, 0, (), None, 0)
            with suppress(UslError):
                target = scheduled(algorithm, [first, store], lowered)
                kept += [first, store]
                counted.append((first, ""))
                break
        else:
            return None
    others(1 if cell.directive in SLIDING else 2)
    if cell.directive == "store_at":
        any(give("compute_at", "", *chosen.choice(wanted)) for _ in range(4))
    if cell.directive not in SLIDING and not any(give(cell.directive, cell.tail, *chosen.choice(wanted)) for _ in range(4)):
        return None
    others(1 if cell.directive in SLIDING else 3)
    found: Counter[Cell] = Counter()
    for each, tail in counted:
        whole = each.name not in (*TAILED, "fuse", "reorder", "rename", "rfactor", "prefetch", "compute_with")
        stages = [key for key in kinds if key[0] == each.func and (whole or key[1] == each.stage)]
        if each.name == "compute_with":
            stages.append((each.args[0], each.args[1]))
        found.update({Cell(each.name, tail, *kinds[key]) for key in stages})
    return Pair(made, kept, target, found, inputs, algorithm, kinds)


def _places_where_it_slides(algorithm: Algorithm, funcs: set[str]) -> list[tuple[str, tuple[str, str]]]:
    """Funcs with loops of their readers along a dimension in which each stage writes its own places."""
    return [
        (name, (reader.name, arg))
        for name in funcs
        for reader in algorithm.funcs
        if _reads(algorithm, reader.name, name)
        for dim, arg in enumerate(reader.args)
        if all(algorithm.func(name).is_pure_in(stage, dim) for stage in range(len(algorithm.func(name).stages)))
    ]


def check(given: Pair, seed: int) -> bool:
    """Run a pair and compare; False if it is refused: an access has no bounds, an assertion does not hold.

    Raises:
        AssertionError: the program computes something else, or is stuck.
    """
    expected = Oracle(given.algorithm, given.inputs).realize(given.made.output.name(), given.made.window)
    try:
        bounds = infer(given.target)
    except UslError as error:
        assert error.code in ("E784", "E775"), error
        return False
    moving, slides = slid(given.target, bounds, given.directives)
    for target in (given.target, moving) if slides else (given.target,):
        machine = Machine(target, bounds.fill, given.inputs, {given.made.output.name(): given.made.window}, seed=seed)
        try:
            values = machine.run()[given.made.output.name()].values
        except Stuck as stuck:
            if stuck.kind == "assert" and any(each.name in ("bound", "align_bounds") for each in given.directives):
                return False  # an assertion of the schedule may fail, for a window or together with another one
            raise
        wrong = {point: (values.get(point), value) for point, value in expected.items() if values.get(point) != value}
        assert not wrong, (list(map(str, given.directives)), slides, dict(list(wrong.items())[:3]))
    for each in slides:
        kinds = [kind for (func, _), kind in given.kinds.items() if func == each.func]
        given.cells.update({Cell("slide", "", *kind) for kind in kinds})
        given.cells.update({Cell("fold", "", *kind) for kind in kinds if each.places is not None})
    return True


__all__ = ["Cell", "CellMaker", "Const", "Op", "Pair", "cells", "check", "pair"]
