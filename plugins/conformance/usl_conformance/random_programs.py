"""Random small programs: texts in which every access is in bounds by the way they are made.

Each computes in one type of data, so that a backend that lacks it refuses its programs and no others. Programs have two sizes,
an index, dense arrays, windows and a scalar; loops, conditions, buffers, named windows and calls; indices that divide and take
remainders of anything, negative values too.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from usl_core.ir.types import B8, ScalarType

LOOPS, STATEMENTS = 3, 3
"""How deep loops nest at most, and how many statements a block has at most."""


def program(name: str, scalar: ScalarType, seed: int) -> str:
    """The text of a procedure."""
    kind = _Flags if scalar == B8 else _Program
    return kind(name, scalar, random.Random(f"{scalar.name} {seed}")).text()


class _Program:
    """The text under construction. iterators has the names in scope with the extent that each stays below."""

    STORES: Sequence[str] = ("=", "+=")
    UNARY, BINARY = "-", "+-*"
    RELATIONS: Sequence[str] = ("<", "<=", ">", ">=", "==", "!=")
    """Operators on data."""

    def __init__(self, name: str, scalar: ScalarType, source: random.Random) -> None:
        self.name, self.scalar, self.source = name, scalar, source
        self.iterators: list[tuple[str, str]] = []
        self.locals: list[str] = []
        self.count = 0

    def text(self) -> str:
        t = self.scalar.name
        formals = f"n: size, m: size, k: index, x: {t}[n, m], y: [{t}][n, m], q: [{t}][4, 8], c: {t}[8, 4], v: {t}[8], s: {t}"
        lines = [f"def {self.name}({formals}):"]
        for _ in range(self.source.randint(1, STATEMENTS)):
            lines += self.loop(1)
        lines += self.statement(1)
        return "\n".join(lines) + "\n"

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # ---- statements

    def block(self, depth: int) -> Iterator[str]:
        known = len(self.locals)
        for _ in range(self.source.randint(1, STATEMENTS)):
            yield from self.statement(depth)
        del self.locals[known:]

    def statement(self, depth: int) -> list[str]:
        nested = [self.loop, self.condition] if len(self.iterators) < LOOPS and depth <= LOOPS else []
        return self.source.choice([self.store, self.store, self.store, self.buffer, self.window, *nested])(depth)

    def loop(self, depth: int) -> list[str]:
        name, extent = self.fresh("i"), self.source.choice(["n", "m", "4", "8"])
        low = self.source.choice(["0", "0", "1" if extent in "48" else "0", f"max({extent} - 3, 0)"])
        self.iterators.append((name, extent))
        body = list(self.block(depth + 1))
        self.iterators.pop()
        return [f"{'    ' * depth}for {name} in seq({low}, {extent}):", *body]

    def condition(self, depth: int) -> list[str]:
        indent = "    " * depth
        test = self.source.choice([self.control_test, self.control_test, self.data_test])()
        lines = [f"{indent}if {test}:", *self.block(depth + 1)]
        if self.source.random() < 0.5:
            lines += [f"{indent}else:", *self.block(depth + 1)]
        return lines

    def store(self, depth: int) -> list[str]:
        operator = self.source.choice(self.STORES)
        return [f"{'    ' * depth}{self.place()} {operator} {self.data(2)}"]

    def buffer(self, depth: int) -> list[str]:
        """A buffer that is filled at once, so that nothing reads what has no value."""
        indent, name, at = "    " * depth, self.fresh("b"), self.fresh("i")
        self.iterators.append((at, "8"))
        value = self.data(2)
        self.iterators.pop()
        self.locals.append(name)
        return [
            f"{indent}{name}: {self.scalar}[8]",
            f"{indent}for {at} in seq(0, 8):",
            f"{indent}    {name}[{at}] = {value}",
        ]

    def window(self, depth: int) -> list[str]:
        name = self.fresh("w")
        shown = self.source.choice(["v[0:8]", f"q[{self.index('4')}, 0:8]", f"c[0:8, {self.index('4')}]"])
        self.locals.append(name)
        return [f"{'    ' * depth}{name} = {shown}"]

    # ---- control

    def integer(self, depth: int = 2) -> str:
        """Any integer control value."""
        leaves = [str(self.source.randint(0, 9)), "k", "n", *(name for name, _ in self.iterators)]
        if depth == 0 or self.source.random() < 0.3:
            return self.source.choice(leaves)
        a = self.integer(depth - 1)
        match self.source.randrange(6):
            case 0:
                return f"({a} + {self.integer(depth - 1)})"
            case 1:
                return f"({a} - {self.integer(depth - 1)})"
            case 2:
                return f"({self.source.randint(2, 5)} * {a})"
            case 3:
                return f"({a} / {self.source.randint(2, 5)})"
            case 4:
                return f"({a} % {self.source.randint(2, 5)})"
            case _:
                return f"(-{a})"

    def index(self, extent: str) -> str:
        """An index below extent."""
        below = [name for name, limit in self.iterators if limit == extent]
        if below and self.source.random() < 0.7:
            name = self.source.choice(below)
            return self.source.choice([name, name, f"{extent} - 1 - {name}"])
        if extent.isdigit():
            return f"{self.integer()} % {extent}"
        return self.source.choice(["0", f"{extent} - 1", f"min({self.source.randint(1, 3)}, {extent} - 1)"])

    def control_test(self) -> str:
        operator = self.source.choice(["<", "<=", ">", ">=", "==", "!="])
        test = f"{self.integer()} {operator} {self.integer(1)}"
        if self.source.random() < 0.3:
            test += f" {self.source.choice(['and', 'or'])} {self.integer(1)} < {self.integer(1)}"
        return test

    def data_test(self) -> str:
        return f"{self.place()} {self.source.choice(self.RELATIONS)} {self.data(1)}"

    # ---- data

    def place(self) -> str:
        """An element, or the scalar."""
        name = self.source.choice(["x", "y", "q", "v", "s", *self.locals[-2:]])
        match name:
            case "x" | "y":
                return f"{name}[{self.index('n')}, {self.index('m')}]"
            case "q":
                return f"q[{self.index('4')}, {self.index('8')}]"
            case "s":
                return name
            case _:
                return f"{name}[{self.index('8')}]"

    def data(self, depth: int) -> str:
        if depth == 0 or self.source.random() < 0.3:
            return self.source.choice([self.place, self.place, self.constant, self.cast])()
        a = self.data(depth - 1)
        match self.source.randrange(4):
            case 0:
                return f"({self.UNARY}{a})"
            case _:
                return f"({a} {self.source.choice(self.BINARY)} {self.data(depth - 1)})"

    def constant(self) -> str:
        if self.scalar.is_int:
            return f"{self.scalar}({self.source.randint(0, 9)})"
        return self.source.choice(["0.1", "-1.5", "2.0", "1000.25"])

    def cast(self) -> str:
        return f"{self.scalar}({self.integer(1)} - k)"  # of constants alone it would be data


class _Flags(_Program):
    """Of truth values."""

    STORES = ("=", "&=", "|=", "^=")
    UNARY, BINARY = "~", "&|^"
    RELATIONS = ("==", "!=")

    def constant(self) -> str:
        return self.source.choice(["b8(True)", "b8(False)"])

    def cast(self) -> str:
        return f"b8({self.place()} == {self.constant()})"


def programs(scalar: ScalarType, count: int) -> Sequence[str]:
    """The texts of so many procedures."""
    return [program(f"random_{scalar.name}_{seed}", scalar, seed) for seed in range(count)]
