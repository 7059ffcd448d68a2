"""Random programs whose sizes depend on much: on elements, calls, branches, rounds of loops, recursion, earlier sizes.

`soac_programs` has all forms of the language; here is what makes sizes hard: `map(lambda e: iota(e % 4), v)` over equal and
other elements, branches whose sizes are computed by calls inside, loops that add the same or something else in each round,
functions that call themselves and keep, add to, or double their argument.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
from soac_programs import RandomProgram

SCALAR, VECTOR, MATRIX = "i64", "i64[_]", "i64[_, _]"
KINDS = (SCALAR, VECTOR, MATRIX)


def random_size_program(seed: int) -> RandomProgram:
    """The program of a seed."""
    return SizeGenerator(random.Random(seed)).program(seed)


@dataclass
class Env:
    """The variables of each kind that expressions may use."""

    variables: dict[str, list[str]]
    depth: int = 0

    def inner(self, **more: str) -> Env:
        made = Env({kind: [*names] for kind, names in self.variables.items()}, self.depth + 1)
        for name, kind in more.items():
            made.variables[kind].append(name)
        return made


@dataclass
class SizeGenerator:
    """The program of a seed."""

    random: random.Random
    count: int = 0
    functions: list[tuple[str, str]] = field(default_factory=list)
    """Names with what they return; all take a number and a vector."""

    def program(self, seed: int) -> RandomProgram:
        texts = [self.function() for _ in range(self.random.randrange(3))]
        env = Env({SCALAR: ["n", "N"], VECTOR: ["x"], MATRIX: ["A"]})
        lines = self.block(env, self.random.randrange(2, 5))
        results = ", ".join(self.expr(kind, env, 2) for kind in KINDS)
        head = "@soac\ndef main(n: i64, x: i64[N], A: i64[K, L]) -> tuple[i64, i64[_], i64[_, _]]:"
        texts.append("\n".join([head, *indented(lines), f"    return {results}"]))
        return RandomProgram(seed, "\n\n".join(texts) + "\n", tuple(self.inputs() for _ in range(3)))

    def inputs(self) -> tuple[object, ...]:
        length, rows, columns = (self.random.randrange(4) for _ in range(3))
        same = self.random.random() < 0.5
        first = self.random.randrange(-3, 6)
        values = [first if same else self.random.randrange(-3, 6) for _ in range(length)]
        matrix = np.array([self.random.randrange(-3, 6) for _ in range(rows * columns)], dtype=np.int64)
        return self.random.randrange(-1, 5), np.array(values, dtype=np.int64), matrix.reshape(rows, columns)

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    # ---- functions

    def function(self) -> str:
        name, kind = self.fresh("f"), self.pick(*KINDS)
        recursive = kind != SCALAR and self.random.random() < 0.6
        env = Env({SCALAR: ["k", "M"], VECTOR: ["y"], MATRIX: []})
        lines = self.block(env, self.random.randrange(2))
        if recursive:
            base = self.expr(kind, env, 1)
            step = self.recursion(name, kind, env)
            lines += ["if k <= 0:", f"    return {base}", f"return {step}"]
        else:
            lines.append(f"return {self.expr(kind, env, 3)}")
        self.functions.append((name, kind))
        return "\n".join([f"@soac\ndef {name}(k: i64, y: i64[M]) -> {kind}:", *indented(lines)])

    def recursion(self, name: str, kind: str, env: Env) -> str:
        argument = self.pick("y", "y", "map(lambda e: e + k, y)", "concat(y, [k])", "filter(lambda e: e > 0, y)")
        call = f"{name}(min(k, 4) - 1, {argument})"
        if kind == VECTOR:
            return self.pick(
                call,
                f"map(lambda e: e + 1, {call})",
                f"concat({call}, {self.expr(VECTOR, env, 0)})",
                f"map(lambda e: {name}(min(k, 3) - 1, y), replicate(2, k))[0]",
            )
        return self.pick(call, f"transpose({call})", f"concat({call}, {call})")

    # ---- statements

    def block(self, env: Env, count: int) -> list[str]:
        return [line for _ in range(count) for line in self.statement(env)]

    def statement(self, env: Env) -> list[str]:
        form = self.random.random()
        if form < 0.35 or env.depth > 2:
            kind = self.pick(*KINDS)
            name = self.fresh({SCALAR: "s", VECTOR: "v", MATRIX: "m"}[kind])
            line = f"{name} = {self.expr(kind, env, 2)}"
            env.variables[kind].append(name)
            return [line]
        if form < 0.6:
            return self.branches(env)
        if form < 0.9:
            return self.loop(env)
        return [
            f'assert {self.truth(env, 1)} or {self.truth(env, 1)} or n > -4, "a test"'.replace(
                "n >", f"{env.variables[SCALAR][0]} >"
            )
        ]

    def branches(self, env: Env) -> list[str]:
        kind = self.pick(VECTOR, VECTOR, MATRIX)
        name = self.fresh("w")
        condition = self.truth(env, 1)
        sides = []
        for _ in range(2):
            inner = env.inner()
            local = self.fresh("t")
            lines = [*self.block(inner, self.random.randrange(2)), f"{local} = {self.expr(SCALAR, inner, 2)}"]
            inner.variables[SCALAR].append(local)
            size = self.pick(local, local, self.expr(SCALAR, inner, 1))
            made = f"iota({size} % 4)" if self.random.random() < 0.4 else self.expr(VECTOR, inner, 2)
            value = made if kind == VECTOR else f"map(lambda e: {made}, {self.regular(inner)})"
            sides.append([*lines, f"{name} = {value}"])
        env.variables[kind].append(name)
        return [f"if {condition}:", *indented(sides[0]), "else:", *indented(sides[1])]

    def loop(self, env: Env) -> list[str]:
        name, index = self.fresh("v"), self.fresh("i")
        start = self.expr(VECTOR, env, 1)
        inner = env.inner(**{name: VECTOR, index: SCALAR})
        steps = [
            f"concat({name}, [{self.expr(SCALAR, inner, 1)}])",
            f"concat({name}, {self.pick(*env.variables[VECTOR])})",
            f"map(lambda e: e + {index}, {name})",
            f"concat({name}, {name})",
            f"{name}[min({self.pick('1', index)}, len({name})):]",
            f"filter(lambda e: e != {index}, {name})",
            self.expr(VECTOR, inner, 1),
        ]
        body = [*self.block(inner, self.random.randrange(2)), f"{name} = {self.random.choice(steps)}"]
        rounds = f"{self.expr(SCALAR, env, 1)} % {self.random.randrange(2, 5)}"
        if self.random.random() < 0.25:
            body.append(f"if len({name}) > {self.random.randrange(2, 8)}:\n    break")
        env.variables[VECTOR].append(name)
        return [f"{name} = {start}", f"for {index} in range({rounds}):", *indented(body)]

    # ---- expressions

    def truth(self, env: Env, depth: int) -> str:
        left, right = self.expr(SCALAR, env, depth), self.expr(SCALAR, env, 0)
        return f"{left} {self.pick('<', '<=', '==', '!=', '>')} {right}"

    def regular(self, env: Env) -> str:
        """A vector whose elements are equal more often than not."""
        return self.pick(
            f"replicate({self.expr(SCALAR, env, 0)} % 4, {self.expr(SCALAR, env, 1)})",
            f"map(lambda e: e % 2, {self.pick(*env.variables[VECTOR])})",
            self.pick(*env.variables[VECTOR]),
        )

    def expr(self, kind: str, env: Env, depth: int) -> str:
        names = env.variables[kind]
        calls = [name for name, result in self.functions if result == kind]
        if depth <= 0 and (names or kind == SCALAR):
            return self.pick(*names, *(["1", "2"] if kind == SCALAR else []))
        if calls and self.random.random() < 0.3:
            return f"{self.pick(*calls)}({self.expr(SCALAR, env, depth - 1)} % 4, {self.expr(VECTOR, env, depth - 1)})"
        return {SCALAR: self.scalar, VECTOR: self.vector, MATRIX: self.matrix}[kind](env, depth - 1)

    def scalar(self, env: Env, depth: int) -> str:
        vector = self.pick(*env.variables[VECTOR])
        return self.pick(
            f"({self.expr(SCALAR, env, depth)} + {self.expr(SCALAR, env, depth)})",
            f"({self.expr(SCALAR, env, depth)} - 1)",
            f"len({vector})",
            f"(reduce(add, 0, {self.expr(VECTOR, env, depth)}) % 4)",
            f"({vector}[0] if len({vector}) > 0 else 1)",
            f"max({self.expr(SCALAR, env, depth)}, 0)",
            f"({self.expr(SCALAR, env, depth)} if {self.truth(env, depth)} else 3)",
        )

    def vector(self, env: Env, depth: int) -> str:
        inner = self.fresh("e")
        row = self.fresh("r")
        vector, size = self.expr(VECTOR, env, depth), f"{self.expr(SCALAR, env, depth)} % 4"
        choices = [
            f"iota({size})",
            f"iota({size})",
            f"replicate({size}, {self.expr(SCALAR, env, depth)})",
            f"concat({vector}, {self.expr(VECTOR, env, depth)})",
            f"{vector}[:min({self.random.randrange(3)}, len({vector}))]",
            f"map(lambda {inner}: {self.expr(SCALAR, env.inner(**{inner: SCALAR}), depth)}, {vector})",
            f"filter(lambda {inner}: {self.truth(env.inner(**{inner: SCALAR}), 0)}, {vector})",
            f"({vector} if {self.truth(env, depth)} else {self.expr(VECTOR, env, depth)})",
            f"scan(add, 0, {vector})",
        ]
        if env.variables[MATRIX]:
            matrix = self.pick(*env.variables[MATRIX])
            choices += [
                f"flatten({matrix})",
                f"map(lambda {row}: {self.expr(SCALAR, env.inner(**{row: VECTOR}), depth)}, {matrix})",
                f"({matrix}[0] if len({matrix}) > 0 else {vector})",
            ]
        return self.random.choice(choices)

    def matrix(self, env: Env, depth: int) -> str:
        inner, row = self.fresh("e"), self.fresh("r")
        element, other = env.inner(**{inner: SCALAR}), self.pick(*env.variables[SCALAR])
        choices = [
            f"map(lambda {inner}: iota({inner} % 4), {self.regular(env)})",
            f"map(lambda {inner}: replicate(({inner} + {other}) % 3, {inner}), {self.regular(env)})",
            f"map(lambda {inner}: {self.expr(VECTOR, element, depth)}, {self.regular(env)})",
            f"map(lambda {inner}: {self.expr(VECTOR, element, depth)}, {self.regular(env)})",
            f"replicate({self.expr(SCALAR, env, depth)} % 3, {self.expr(VECTOR, env, depth)})",
        ]
        if env.variables[MATRIX]:
            matrix = self.pick(*env.variables[MATRIX])
            rows = env.inner(**{row: VECTOR})
            choices += [
                f"transpose({matrix})",
                f"map(lambda {row}: {self.expr(VECTOR, rows, depth)}, {matrix})",
                f"({matrix} if {self.truth(env, depth)} else {self.expr(MATRIX, env, depth - 1)})",
            ]
        return self.random.choice(choices)


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for text in lines for line in text.split("\n")]
