"""Random pipelines for the property tests: up to 6 funcs with updates, predicates, tuples, and accesses of all kinds."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from usl_halide_lib import hl

TYPES = [hl.Int(32), hl.UInt(8), hl.Int(16), hl.Float(32), hl.UInt(16), hl.Int(8), hl.Float(64)]


@dataclass
class Pipeline:
    """The output, its window, and all funcs in order."""

    output: Any
    window: list[tuple[int, int]]
    funcs: list[Any] = field(default_factory=list)


class Maker:
    """Makes one pipeline from a seed. floats chooses whether floating types occur, gathers whether data may be an index.

    dims is the number of dimensions, 0 for any.
    """

    def __init__(self, seed: int, floats: bool = True, gathers: bool = True, tuples: bool = True, dims: int = 0) -> None:
        self.random = random.Random(seed)
        drawn = self.random.choice([1, 1, 2])
        self.dims = dims or drawn
        self.vars = [hl.Var(name) for name in "xy"[: self.dims]]
        self.types = [t for t in TYPES if floats or not t.is_float]
        self.gathers, self.tuples = gathers, tuples
        size = 60 if self.dims == 1 else 40
        values = np.random.default_rng(seed).integers(0, 200, (size,) * self.dims)
        self.image = hl.Buffer(values.astype(self.random.choice([np.uint8, np.int16, np.int32])), "im")
        self.size = size
        self.funcs: list[Any] = []

    def pipeline(self) -> Pipeline:
        """The pipeline."""
        for k in range(self.random.randint(2, 5)):
            self.funcs.append(self.func(f"f{k}"))
        window = [(self.random.randint(-6, 6), self.random.randint(1, 9)) for _ in self.vars]
        return Pipeline(self.funcs[-1], window, self.funcs)

    def func(self, name: str) -> Any:
        """One func with up to two updates."""
        func, typ = hl.Func(name), self.random.choice(self.types)
        if self.tuples and self.random.random() < 0.1:
            func[tuple(self.vars)] = (self.value(self.vars, typ, 2), self.value(self.vars, typ, 1))
            return func
        func[tuple(self.vars)] = self.value(self.vars, typ, 2)
        while self.random.random() < 0.4 and len(func.definition.stages) < 3:
            self.update(func, typ)
        return func

    def update(self, func: Any, typ: Any) -> None:
        """An update: of all places, of a reduction, of scattered places."""
        rdom = hl.RDom([(self.random.randint(-2, 2), self.random.randint(0, 4)) for _ in range(self.random.randint(1, 2))])
        places: list[Any] = list(self.vars)
        kind = self.random.choice(["all", "sum", "scan", "scatter"])
        if kind in ("scan", "scatter"):
            dim = self.random.randrange(self.dims)
            places[dim] = rdom[0] if kind == "scan" else self.index([rdom[0]], bounded=True)
        used = [each for place, each in zip(places, self.vars, strict=True) if place is each]
        if self.random.random() < 0.35:
            rdom.where(self.condition([*used, rdom[0]]))
        old = list(places)
        if kind == "scan":
            old[dim] = rdom[0] - 1
        value = self.value([*used, *(rdom[i] for i in range(len(rdom)))], typ, 1)
        if kind == "all":
            func[tuple(places)] = hl.cast(typ, func[tuple(old)] * 2 + self.value(self.vars, typ, 1))
            return
        term = hl.cast(typ, func[tuple(old)])
        func[tuple(places)] = hl.cast(typ, self.random.choice([term + value, hl.max(term, value), value - term]))

    def condition(self, variables: list[Any]) -> Any:
        """A predicate on places, or on data of earlier funcs."""
        a = self.random.choice(variables)
        if self.funcs and self.random.random() < 0.4:
            return self.read(variables) > 3
        return self.random.choice([a > 0, a % 2 == 0, a + variables[0] < 3, (a >= 0) & (variables[0] <= 2)])

    def value(self, variables: list[Any], typ: Any, depth: int) -> Any:
        """An expression of a type."""
        if depth == 0:
            return hl.cast(typ, self.leaf(variables))
        a, b = (self.value(variables, typ, depth - 1) for _ in range(2))
        op = self.random.choice(["+", "-", "*", "min", "max", "select", "half", "leaf"])
        match op:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return a * 3
            case "min":
                return hl.min(a, b)
            case "max":
                return hl.max(a, b)
            case "select":
                return hl.select(self.condition(variables), a, b)
            case "half":
                return a / 2
            case _:
                return hl.cast(typ, self.leaf(variables))

    def leaf(self, variables: list[Any]) -> Any:
        """A variable, a number, an access."""
        choice = self.random.random()
        if choice < 0.15:
            return self.random.choice(variables)
        if choice < 0.25:
            return hl.Expr(self.random.randint(-3, 5))
        return self.read(variables)

    def read(self, variables: list[Any]) -> Any:
        """An access to a func, or to the image within its extents."""
        if not self.funcs or self.random.random() < 0.2:
            clamped = [hl.clamp(self.index(variables), 0, self.size - 1) for _ in self.vars]
            return self.image[tuple(clamped)]
        func = self.random.choice(self.funcs)
        read = func[tuple(self.index(variables) for _ in self.vars)]
        return read[self.random.randrange(len(read))]

    def index(self, variables: list[Any], bounded: bool = False) -> Any:
        """An index of one of the usual kinds; bounded leaves out what has no bounds of its own."""
        v = self.random.choice(variables)
        k = self.random.randint(-2, 3)
        kind = self.random.choice(["shift", "shift", "shift", "double", "halve", "clamp", "mirror", "gather"])
        if kind == "gather" and self.gathers and self.funcs:
            data = hl.cast(hl.Int(32), self.read(variables))
            return hl.clamp(data, -3, 4)
        return {
            "shift": lambda: v + k,
            "double": lambda: 2 * v + k,
            "halve": lambda: (v + k) / 2,
            "clamp": lambda: hl.clamp(v + k, -2, 5),
            "mirror": lambda: k - v,
        }.get(kind, lambda: v + k)()


def pipeline(seed: int, **options: Any) -> Pipeline:
    """The pipeline of a seed."""
    return Maker(seed, **options).pipeline()
