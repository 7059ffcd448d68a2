"""What target programs do (fig. 2.8, corrected as halide.md §4 says): memory, ε, and the states in which a program is stuck.

Holes are evaluated by what fills them. Parallel and vectorised loops run in a random
order, and iterations that meet in memory are reported.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from usl_core.deep import deep
from usl_halide_lib.lang.evaluate import Environment, Evaluator, evaluator
from usl_halide_lib.lang.interp import Point, image_reader, parameters
from usl_halide_lib.lang.nodes import Hole, ImageRead, Name, Node, Read, Sort, rebuilt, show
from usl_halide_lib.lang.query import Family, scopes
from usl_halide_lib.lang.target import (
    Allocate,
    Assert,
    Assign,
    For,
    If,
    Label,
    Let,
    Nop,
    Prefetch,
    Seq,
    Stmt,
    Target,
    window,
)
from usl_halide_lib.lang.values import EPS_MEM, Eps, Value


class Stuck(Exception):
    """A program cannot go on. kind is "assert", "extent", "read", "write", "branch" (a condition is ε), "race",
    or "interval" (a rewrite was wrong about a name)."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


@dataclass(eq=False)
class Storage:
    """The buffer of a func: its box, and the values written so far."""

    func: str
    box: tuple[tuple[int, int], ...]
    values: dict[Point, tuple[Value, ...]] = field(default_factory=dict)

    def has(self, point: Point) -> bool:
        """InBounds of fig. 2.8."""
        return all(low <= c < low + length for c, (low, length) in zip(point, self.box, strict=True))


@dataclass
class Trace:
    """What a run touched: places of each func computed and allocated (as numbers of places), and reads of ε_mem."""

    computed: dict[str, int] = field(default_factory=dict)
    allocated: dict[str, int] = field(default_factory=dict)
    poison_reads: int = 0


class _Environment(dict[str, Any]):
    """Variables, and holes under their texts: fillers has the variables that a hole depends on, and what gives its value."""

    def __init__(self, variables: Environment) -> None:
        super().__init__(variables)
        self.fillers: dict[str, tuple[list[str], Evaluator]] = {}
        self.known: dict[tuple[str, tuple[Any, ...]], Value] = {}

    def __missing__(self, name: str) -> Value:
        scope, filler = self.fillers[name]
        key = (name, tuple(self[each] for each in scope))
        if key not in self.known:
            self.known[key] = filler(self)
        return self.known[key]


Step = Callable[[Environment], None]
Accesses = dict[tuple[int, Point], bool]
"""By buffer and place, whether it was written."""


class Machine:
    """Runs a target program for given inputs and windows; fill gives each hole an expression, possibly over other holes."""

    def __init__(
        self,
        target: Target,
        fill: Callable[[Hole], Node],
        inputs: Mapping[str, Any],
        windows: Mapping[str, list[tuple[int, int]]],
        exact: bool = True,
        seed: int = 0,
    ) -> None:
        self.target, self.fill, self.exact = target, fill, exact
        self.images = {name: np.asarray(inputs[name]) for name, _, _ in target.algorithm.images}
        self.env = _Environment(parameters(target.algorithm, inputs, exact))
        for func, box in windows.items():
            for dim, (low, length) in enumerate(box):
                self.env[window(func, dim)[0].name], self.env[window(func, dim)[1].name] = low, length
        self.random = random.Random(seed)
        self.trace = Trace()
        self.buffers: dict[str, Storage] = {}
        self._watchers: list[Accesses] = []
        self._holes: dict[Hole, Name] = {}
        self._scopes = scopes(target)

    def run(self) -> dict[str, Storage]:
        """The outputs' buffers.

        Raises:
            Stuck: see there.
        """
        deep(lambda: self._compile(self.target.body)(self.env))
        return {name: self.buffers[name] for name in self.target.algorithm.outputs}

    def _compile(self, stmt: Stmt) -> Step:
        match stmt:
            case Nop() | Prefetch():
                return lambda env: None
            case Assert(cond=cond):
                return self._assertion(cond)
            case Seq(body=body):
                steps = [self._compile(each) for each in body]

                def run_all(env: Environment) -> None:
                    for step in steps:
                        step(env)

                return run_all
            case Allocate():
                return self._allocation(stmt)
            case Assign():
                return self._assignment(stmt)
            case If(cond=cond, then=then, other=other):
                return self._branch(cond, self._compile(then), self._compile(other))
            case For():
                return self._loop(stmt)
            case Let():
                return self._binding(stmt)
            case Label(body=inner):
                return self._compile(inner)

    def _closure(self, node: Node) -> Evaluator:
        return evaluator(rebuilt(node, self._named_hole), self._access, self.exact)

    def _named_hole(self, node: Node) -> Node | None:
        """A variable in place of a hole: its value is worked out once per iteration of the loops in whose scope it is."""
        if not isinstance(node, Hole):
            return None
        if node not in self._holes:
            self._holes[node] = Name(show(node), Sort.LET)
            family = Family(node.kind, node.func, node.stage, node.spec)
            scope = [str(key) for key in self._scopes.get(family, ())]
            self.env.fillers[show(node)] = (scope, self._closure(self.fill(node)))
        return self._holes[node]

    def _assertion(self, cond: Node) -> Step:
        test = self._closure(cond)

        def run(env: Environment) -> None:
            if not self._decided(test(env), cond):
                raise Stuck("assert", show(cond))

        return run

    def _decided(self, value: Value, cond: Node) -> bool:
        if isinstance(value, Eps):
            raise Stuck("branch", f"{show(cond)} is {value}")
        return bool(value)

    def _branch(self, cond: Node, then: Step, other: Step) -> Step:
        test = self._closure(cond)
        return lambda env: (then if self._decided(test(env), cond) else other)(env)

    def _binding(self, stmt: Let) -> Step:
        name, value, body = str(stmt.key), self._closure(stmt.value), self._compile(stmt.body)
        within = None if stmt.within is None else tuple(map(self._closure, stmt.within))

        def run(env: Environment) -> None:
            env[name] = value(env)
            if within is not None and not 0 <= env[name] - within[0](env) < within[1](env):
                raise Stuck("interval", f"{name} = {env[name]} is not in the interval that is known to have it")
            body(env)
            del env[name]

        return run

    def _allocation(self, stmt: Allocate) -> Step:
        box = [(self._closure(low), self._closure(length)) for low, length in stmt.box]

        def run(env: Environment) -> None:
            made = Storage(stmt.func, tuple((low(env), max(0, length(env))) for low, length in box))
            self.buffers[stmt.func] = made
            size = 1
            for _, length in made.box:
                size *= length
            self.trace.allocated[stmt.func] = max(size, self.trace.allocated.get(stmt.func, 0))

        return run

    def _assignment(self, stmt: Assign) -> Step:
        index, values = [self._closure(each) for each in stmt.index], [self._closure(each) for each in stmt.values]
        name = stmt.func

        def run(env: Environment) -> None:
            point = tuple(each(env) for each in index)
            buffer = self.buffers[name]
            if any(isinstance(each, Eps) for each in point) or not buffer.has(point):
                raise Stuck("write", f"{name}{list(point)} is not in {buffer.box}")
            new = tuple(each(env) for each in values)
            if buffer.values.get(point) != new:  # what is there already may be written again: tiles that overlap
                self._watch(buffer, point, True)
            buffer.values[point] = new
            self.trace.computed[name] = self.trace.computed.get(name, 0) + 1

        return run

    def _access(self, node: Read | ImageRead, index: tuple[Evaluator, ...]) -> Evaluator:
        if isinstance(node, ImageRead):
            return image_reader(node, index, self.images[node.image], self.exact)
        name, part = node.func, node.part

        def read(env: Environment) -> Value:
            point = tuple(each(env) for each in index)
            buffer = self.buffers[name]
            if any(isinstance(each, Eps) for each in point) or not buffer.has(point):
                raise Stuck("read", f"{show(node)} at {point} is not in {buffer.box}")
            self._watch(buffer, point, False)
            values = buffer.values.get(point)
            if values is None:
                self.trace.poison_reads += 1
                return EPS_MEM
            return values[part]

        return read

    def _watch(self, buffer: Storage, point: Point, writes: bool) -> None:
        for seen in self._watchers:
            key = (id(buffer), point)
            seen[key] = seen.get(key, False) or writes

    def _loop(self, stmt: For) -> Step:
        low, length, body = self._closure(stmt.min), self._closure(stmt.len), self._compile(stmt.body)
        name = str(stmt.key)
        is_ordered = stmt.mode.is_ordered

        def run(env: Environment) -> None:
            first, count = low(env), length(env)
            if count < 0:
                raise Stuck("extent", f"{name} has {count} iterations")
            if is_ordered:
                for value in range(first, first + count):
                    env[name] = value
                    body(env)
            else:
                self._parallel(name, first, count, body, env)
            env.pop(name, None)

        return run

    def _parallel(self, name: str, first: int, count: int, body: Step, env: Environment) -> None:
        """The iterations in a random order; what one writes in a buffer from outside, no other may touch."""
        outside = {id(buffer) for buffer in self.buffers.values()}
        kept = list(self.buffers.values())  # so that no id is given again
        owner: dict[tuple[int, Point], tuple[int, bool]] = {}
        for value in self.random.sample(range(first, first + count), count):
            env[name] = value
            seen: Accesses = {}
            self._watchers.append(seen)
            body(env)
            self._watchers.pop()
            for key, writes in seen.items():
                if key[0] not in outside:
                    continue
                before = owner.get(key)
                if before is not None and before[0] != value and (writes or before[1]):
                    func = next(each.func for each in kept if id(each) == key[0])
                    raise Stuck("race", f"iterations {before[0]} and {value} of {name} meet in {func}{list(key[1])}")
                owner[key] = (value, writes or (before is not None and before[1]))
