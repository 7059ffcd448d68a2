"""The oracle (halide.md §3; fig. 2.6, corrected): what every point of every func is. Everything else is judged by it.

Lazy, with memory: each stage of a func is evaluated once per slice, that is per value of the stage's pure variables, as
def. 2.7 keeps reads of the func itself within the slice. Values are exact (floats are rationals), or machine values.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from usl_core.deep import deep
from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.evaluate import Environment, Evaluator, evaluator
from usl_halide_lib.lang.expr import number_of
from usl_halide_lib.lang.nodes import Algorithm, FuncDef, ImageRead, Node, Read, show
from usl_halide_lib.lang.types import Type
from usl_halide_lib.lang.values import EPS_RDOM, Eps, Value, constant, from_array

Point = tuple[int, ...]
Interval = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Stage:
    """A stage as closures; pure are the dimensions whose variable occurs in it."""

    index: tuple[Evaluator, ...]
    values: tuple[Evaluator, ...]
    pred: Evaluator | None
    rvars: tuple[tuple[str, Evaluator, Evaluator], ...]
    pure: tuple[int, ...]


class Oracle:
    """The values of an algorithm's funcs for given inputs.

    inputs has an array for each image, dimensions in NumPy's order, and a number for each parameter.
    """

    def __init__(self, algorithm: Algorithm, inputs: Mapping[str, Any], exact: bool = True) -> None:
        self.algorithm = algorithm
        self.exact = exact
        self.params: Environment = parameters(algorithm, inputs, exact)
        self.images = {name: np.asarray(inputs[name]) for name, _, _ in algorithm.images}
        self._funcs = {func.name: func for func in algorithm.funcs}
        self._stages: dict[tuple[str, int], _Stage] = {}
        self._points: dict[tuple[str, int], dict[Point, tuple[Value, ...]]] = {}
        self._slices: dict[tuple[str, int], dict[Point, dict[Point, tuple[Value, ...]] | Eps]] = {}

    def at(self, func: str, point: Point) -> tuple[Value, ...]:
        """The tuple of values of a func at a point."""
        return self._at(func, len(self._funcs[func].stages) - 1, point)

    def realize(self, func: str, window: Sequence[Interval]) -> dict[Point, tuple[Value, ...]]:
        """The values at all points of a window, one (min, extent) for each dimension.

        Raises:
            AlgorithmError: E787, a reduction domain has a negative extent; E786, an input is too small.
        """
        for low, extent in window:
            if extent < 0 or low + extent > 2**31 - 1:
                raise refuse(f"the window {low}:{low + extent} is none", code="E787")
        self.check_domains()
        points = itertools.product(*(range(low, low + extent) for low, extent in window))
        values: dict[Point, tuple[Value, ...]] = deep(lambda: {point: self.at(func, point) for point in points})
        return values

    def check_domains(self) -> None:
        """Refuse negative extents of reduction domains."""
        for func in self.algorithm.funcs:
            for stage in func.stages:
                for rvar in stage.rvars:
                    extent = self._closure(rvar.extent)(self.params)
                    if extent < 0:
                        raise refuse(
                            f"rdom {rvar.name}: extent {show(rvar.extent)} = {extent} is negative", code="E787", span=stage.span
                        )

    def _at(self, func: str, stage: int, point: Point) -> tuple[Value, ...]:
        known = self._points.setdefault((func, stage), {})
        found = known.get(point)
        if found is None:
            found = known[point] = self._evaluate(func, stage, point)
        return found

    def _evaluate(self, func: str, number: int, point: Point) -> tuple[Value, ...]:
        stage = self._stage(func, number)
        definition = self._funcs[func]
        if number == 0:
            env = {**self.params, **dict(zip(definition.args, point, strict=True))}
            return tuple(value(env) for value in stage.values)
        slice_ = self._slice(definition, number, tuple(point[dim] for dim in stage.pure))
        if isinstance(slice_, Eps):
            return (slice_,) * len(definition.types)
        return slice_.get(point) or self._at(func, number - 1, point)

    def _slice(self, func: FuncDef, number: int, pure: Point) -> dict[Point, tuple[Value, ...]] | Eps:
        """What a stage writes where its pure variables have given values; ε if its domain has a negative extent."""
        slices = self._slices.setdefault((func.name, number), {})
        if pure in slices:
            return slices[pure]
        stage = self._stage(func.name, number)
        ranges = [(name, low(self.params), extent(self.params)) for name, low, extent in stage.rvars]
        if any(extent < 0 for _, _, extent in ranges):
            slices[pure] = EPS_RDOM
            return EPS_RDOM
        written: dict[Point, tuple[Value, ...]] = {}
        slices[pure] = written  # reads of the stage's own func see what the stage has written so far
        env = {**self.params, **{func.args[dim]: value for dim, value in zip(stage.pure, pure, strict=True)}}
        env[_CURRENT] = (func.name, number, written)
        names = [name for name, _, _ in ranges]
        for values in itertools.product(*(range(low, low + extent) for _, low, extent in reversed(ranges))):
            env.update(zip(names, reversed(values), strict=True))
            chosen = 1 if stage.pred is None else stage.pred(env)
            place = tuple(index(env) for index in stage.index)
            errors = [each for each in (chosen, *place) if isinstance(each, Eps)]
            if errors:  # whether any point is written is an error, so all points are
                slices[pure] = max(errors)
                return max(errors)
            if chosen:
                written[place] = tuple(value(env) for value in stage.values)
        return written

    def _stage(self, func: str, number: int) -> _Stage:
        known = self._stages.get((func, number))
        if known is None:
            definition = self._funcs[func]
            stage = definition.stages[number]
            known = self._stages[func, number] = _Stage(
                tuple(map(self._closure, stage.index)),
                tuple(map(self._closure, stage.values)),
                None if stage.pred is None else self._closure(stage.pred),
                tuple((r.name, self._closure(r.min), self._closure(r.extent)) for r in stage.rvars),
                tuple(dim for dim in range(len(definition.args)) if definition.is_pure_in(number, dim)),
            )
        return known

    def _closure(self, node: Node) -> Evaluator:
        return evaluator(node, self._access, self.exact)

    def _access(self, node: Read | ImageRead, index: tuple[Evaluator, ...]) -> Evaluator:
        if isinstance(node, ImageRead):
            return image_reader(node, index, self.images[node.image], self.exact)
        name, part, last = node.func, node.part, len(self._funcs[node.func].stages) - 1

        def read(env: Environment) -> Value:
            point = tuple(each(env) for each in index)
            errors = [each for each in point if isinstance(each, Eps)]
            if errors:
                return max(errors)
            current = env.get(_CURRENT)
            if current is not None and current[0] == name:
                found = current[2].get(point)
                return (found if found is not None else self._at(name, current[1] - 1, point))[part]
            return self._at(name, last, point)[part]

        return read


_CURRENT = "\0stage"
"""Where the environment of an update says which stage it is of, and what that has written."""


def image_reader(node: ImageRead, index: tuple[Evaluator, ...], array: np.ndarray[Any, Any], exact: bool) -> Evaluator:
    """What reads an image.

    Raises:
        AlgorithmError: when it runs, E786: the place is not in the image.
    """
    extents, typ = tuple(reversed(array.shape)), node.type

    def read(env: Environment) -> Value:
        point = tuple(each(env) for each in index)
        errors = [each for each in point if isinstance(each, Eps)]
        if errors:
            return max(errors)
        if not all(0 <= place < extent for place, extent in zip(point, extents, strict=True)):
            firsts = [env.get(f"{node.image}.first.{dim}", 0) for dim in range(len(extents))]
            box = ", ".join(f"{low}:{low + extent}" for low, extent in zip(firsts, extents, strict=True))
            place = tuple(each + low for each, low in zip(point, firsts, strict=True))
            raise refuse(f"{node.image} has the places {box}, and {show(node)} reads {place}", code="E786", span=node.span)
        return from_array(array[tuple(reversed(point))], typ, exact)

    return read


def parameters(algorithm: Algorithm, inputs: Mapping[str, Any], exact: bool) -> Environment:
    """The environment of startup expressions: parameters, and the extents of images.

    Raises:
        AlgorithmError: an image or a parameter has no value.
    """
    env: Environment = {}
    for name, typ in algorithm.params:
        if inputs.get(name) is None:
            raise refuse(f"the parameter {name} has no value", notes=(f"hint: {name}.set(...)",))
        env[name] = from_number(inputs[name], typ, exact)
    for name, dimensions, _ in algorithm.images:
        if inputs.get(name) is None:
            raise refuse(f"the image {name} has no value", notes=(f"hint: {name}.set(array)",))
        array = np.asarray(inputs[name])
        for dim in range(dimensions):
            env[f"{name}.extent.{dim}"] = array.shape[dimensions - 1 - dim]
            env[f"{name}.first.{dim}"] = int(inputs.get(f"{name}.first.{dim}", 0))
    return env


def from_number(value: Any, typ: Type, exact: bool) -> Value:
    """A Python number as a value of a type."""
    plain = number_of(value)
    return constant(0 if plain is None else plain, typ, exact)
