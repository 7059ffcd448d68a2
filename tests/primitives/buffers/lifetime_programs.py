"""Random programs in which values of two local buffers live across statements, branches, iterations and calls."""

from __future__ import annotations

import random

from tests.primitives.equivalence import parse
from usl_core.procedure import Procedure

STORE = parse("def store(dst: [R][2], src: [R][2]):\n    for k in seq(0, 2):\n        dst[k] = src[k] + 1.0")
ADD = parse("def add(dst: [R][2], src: [R][2]):\n    for k in seq(0, 2):\n        dst[k] += src[k]")


def random_program(rng: random.Random) -> Procedure:
    """Buffers a and b of n + 8 elements (or two of [n + 8, 2]), used by loops over n and small literals."""
    return parse("\n".join(_Writer(rng).lines()), store=STORE, add=ADD)


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.flat = rng.random() < 0.6
        self.count = 0

    def lines(self) -> list[str]:
        shape = "n + 8" if self.flat else "n + 8, 2"
        head = [f"def f(n: size, x: R[{shape}], y: R[{shape}]):", f"    a: R[{shape}]"]
        inner = self.rng.random() < 0.3
        lines = [*head, *([] if inner else [f"    b: R[{shape}]"])]
        if inner:
            lines += self.block(1, [], self.rng.randint(0, 1), "a")
            lines += ["    for o in seq(0, 3):", f"        b: R[{shape}]"]
            return [*lines, *self.block(2, [("o", 3)], self.rng.randint(1, 3), "ab")]
        return [*lines, *self.block(1, [], self.rng.randint(2, 4), "ab")]

    def block(self, depth: int, loops: list[tuple[str, int]], length: int, buffers: str) -> list[str]:
        return [line for _ in range(length) for line in self.stmt(depth, loops, buffers)]

    def stmt(self, depth: int, loops: list[tuple[str, int]], buffers: str) -> list[str]:
        pad = "    " * depth
        kind = self.rng.random()
        if len(loops) < 2 and (kind < 0.45 or not loops):
            self.count += 1
            name = f"i{self.count}"
            lo, hi, most = self.rng.choice((("0", "n", 0), ("1", "n", 0), ("0", "n - 1", 0), ("0", "3", 2), ("0", "2", 1)))
            body = self.block(depth + 1, [*loops, (name, most)], self.rng.randint(1, 3), buffers)
            return [f"{pad}for {name} in seq({lo}, {hi}):", *body]
        if kind < 0.6 and loops:
            cond = self.rng.choice((f"{loops[-1][0]} > 0", f"{loops[0][0]} % 2 == 0", f"x[{self.index(loops)}] > 1.0"))
            body = self.block(depth + 1, loops, 1, buffers)
            other = [f"{pad}else:", *self.block(depth + 1, loops, 1, buffers)] if self.rng.random() < 0.3 else []
            return [f"{pad}if {cond}:", *body, *other]
        if kind < 0.7 and not self.flat:
            dst, src = self.rng.choice(buffers + "y"), self.rng.choice(buffers + "x")
            if dst != src:
                callee = self.rng.choice(("store", "add"))
                return [f"{pad}{callee}({dst}[{self.place(loops)}, 0:2], {src}[{self.place(loops)}, 0:2])"]
        return [pad + self.assignment(loops, buffers)]

    def assignment(self, loops: list[tuple[str, int]], buffers: str) -> str:
        source = self.rng.choice(buffers + "x")
        value = f"{source}[{self.index(loops)}] {self.rng.choice('+-')} {self.rng.randint(1, 3)}.0"
        if self.rng.random() < 0.2:
            value = f"{self.rng.choice(buffers)}[{self.index(loops)}] + {self.rng.choice(buffers)}[{self.index(loops)}]"
        target = self.rng.choice(buffers + "yy")
        return f"{target}[{self.index(loops)}] {self.rng.choice(('=', '=', '+='))} {value}"

    def place(self, loops: list[tuple[str, int]]) -> str:
        """An index below n + 8: of two loops over n only one occurs."""
        names = [name for name, most in loops if most > 0]
        wide = [name for name, most in loops if most == 0]
        chosen = [
            *([self.rng.choice(wide)] if wide and self.rng.random() < 0.9 else []),
            *[m for m in names if self.rng.random() < 0.7],
        ]
        return " + ".join([*chosen, str(self.rng.randint(0, 2))])

    def index(self, loops: list[tuple[str, int]]) -> str:
        return self.place(loops) if self.flat else f"{self.place(loops)}, {self.rng.randint(0, 1)}"
